#![no_main]

use testkit::fuzzed;

libfuzzer_sys::fuzz_target!(|text: &str| fuzzed::passes(text));
