//! Any bytes as a Cantera YAML file.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mechanism::decode;
use singe_fuzz::read;

fuzz_target!(|data: &[u8]| read(decode("mech.yaml", data), None, None, None));
