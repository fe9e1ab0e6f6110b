//! Any bytes as a reduction file.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mechanism::decode;
use singe_fuzz::{MECHANISM, THERMO, read};

fuzz_target!(|data: &[u8]| read(decode("chem.inp", MECHANISM), Some(THERMO), None, Some(data)));
