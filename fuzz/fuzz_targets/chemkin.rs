//! Any bytes as a mechanism file.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mechanism::decode;
use singe_fuzz::{THERMO, TRANSPORT, read};

fuzz_target!(|data: &[u8]| read(decode("chem.inp", data), Some(THERMO), Some(TRANSPORT), None));
