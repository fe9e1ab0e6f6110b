//! Any bytes as a THERMO file.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mechanism::decode;
use singe_fuzz::{MECHANISM, read};

fuzz_target!(|data: &[u8]| read(decode("chem.inp", MECHANISM), Some(data), None, None));
