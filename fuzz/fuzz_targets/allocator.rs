#![no_main]

#[path = "../../crates/warpsim/tests/common/fuzzed.rs"]
#[allow(dead_code)]
mod fuzzed;

libfuzzer_sys::fuzz_target!(|text: &str| fuzzed::allocator(text));
