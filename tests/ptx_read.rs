//! The PTX reader: printing and reading are inverse to each other; wrong texts are told by place, never by a panic.

use std::time::{Duration, Instant};

use diagnostics::Diagnostic;
use overlay::Codegen;
use ptx::{Module, read};
use singe::driver::Request;
use testkit::request;

fn read(text: &str) -> Result<Module, Vec<Diagnostic>> {
    read::text("k.ptx", text)
}

fn h2o2(codegen: Codegen, warps: u32) -> Vec<Module> {
    let request =
        Request { codegen, verify: None, ..request::new(testkit::shipped("h2o2")) }.with(|r| r.tuning.warps = warps);
    request::units(&request).1.into_iter().map(|unit| unit.ptx).collect()
}

#[test]
fn reading_what_was_printed_gives_the_same() {
    for codegen in [Codegen::Overlay, Codegen::Partial, Codegen::Switch, Codegen::DataParallel] {
        for warps in [1, 3, 8, 32] {
            for module in h2o2(codegen, warps) {
                let again = read(&module.to_string()).unwrap();
                assert_eq!(again, module.canonical());
                assert_eq!(again.canonical(), again);
                assert_eq!(read(&again.to_string()).unwrap(), again);
            }
        }
    }
}

/// Forms of PTX that compilers print; files beside it hold changed copies with their errors.
const FORMS: &str = include_str!("files/reader/forms.ptx");

#[test]
fn the_forms_of_compilers_are_read() {
    let module = read(FORMS).unwrap_or_else(|d| panic!("{d:?}"));
    let text = module.to_string();
    assert_eq!(read(&text).unwrap(), module, "{text}");
    assert!(text.contains(".maxntid 64, 1, 1"), "{text}");
}

#[test]
fn no_text_makes_it_panic() {
    let end = Instant::now() + Duration::from_secs(1);
    let words: Vec<&str> = FORMS.split_inclusive(|c: char| !c.is_ascii_alphanumeric()).collect();
    let mut state = 0x2545_f491_4f6c_dd1du64;
    let mut next = |n: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 16) as usize % n
    };
    let mut runs = 0;
    while Instant::now() < end {
        let mut text = words.clone();
        for _ in 0..1 + next(6) {
            let at = next(text.len().max(1));
            if text.is_empty() {
                break;
            }
            match next(4) {
                0 => drop(text.remove(at)),
                1 => text.insert(at, words[next(words.len())]),
                2 => text[at] = ["{", "}", "@", "é", "-1", "0x", "%", "\"", "99999999999999999999", "/*"][next(10)],
                _ => text.truncate(at + 1),
            }
        }
        if let Ok(module) = read(&text.concat()) {
            let again = read(&module.to_string());
            assert!(again.is_ok(), "{again:?}\n{}", text.concat());
        }
        runs += 1;
    }
    println!("{runs} texts");
}

/// Compilers of 2008 wrote this: an old version, `.tex`, labels and lines in the middle of the body.
#[test]
fn the_oldest_modules_are_read() {
    let text = include_str!("files/reader/oldest.ptx");
    let module = read(text).unwrap();
    assert_eq!(module.directives.len(), 2);
    assert_eq!(read(&module.to_string()).unwrap(), module.canonical());
}
