//! The PTX reader: printing and reading are inverse to each other; wrong texts are told by place, never by a panic.

use std::sync::Arc;
use std::time::{Duration, Instant};

use diagnostics::{Diagnostic, Source};
use kinetics;
use mechanism;
use ptx::{Module, read};
use singe::driver::{self, Request};
use singe::observer::Observer;
use singe::overlay::Codegen;

#[path = "common/request.rs"]
mod request;

fn read(text: &str) -> Result<Module, Vec<Diagnostic>> {
    read::read(&Arc::new(Source { name: "k.ptx".into(), text: text.into() }))
}

fn h2o2(codegen: Codegen, warps: u32) -> Vec<Module> {
    let request = Request { codegen, warps, verify: None, ..request::of(request::shipped("h2o2")) };
    let model = kinetics::model(mechanism::read(&request.files).unwrap().0).unwrap();
    let unit = |kernel: &_| driver::compile_kernel(*kernel, &model, &request, &mut Observer::silent()).unwrap();
    request.kernels.iter().map(unit).map(|unit| unit.ptx).collect()
}

#[test]
fn reading_what_was_printed_gives_the_same() {
    for codegen in [Codegen::Overlay, Codegen::Switch, Codegen::DataParallel] {
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

const FORMS: &str = r#"
// a comment
.version 7.8
.target sm_35, texmode_independent
.address_size 64
.file 1 "a.cu"
.global .align 8 .b8 bytes[12] = {1, 2, 0xff};
.const .f64 reals[2] = {0d3FF0000000000000, 0d4000000000000000};
.visible .entry one()
{
	ret;
}
.visible .entry two(.param .u64 two_0)
.maxntid 64, 1, 1
.minnctapersm 2
{
	.local .align 16 .b8 depot[32];
	.reg .pred %p<3>;
	.reg .b32 %r<9>;
	.reg .f64 %fd<5>;
	.reg .b64 %SP, %rd<4>;
	.pragma "nounroll";
	.loc 1 2 3
	mov.u64 %SP, depot;
	{ .reg .b32 %t; mov.b64 {%t, %r1}, %fd1; }
	{ .reg .b32 %t; mov.b64 {%r2, %t}, %fd1; }
	st.local.v2.f64 [%SP+16], {%fd1, %fd2};
	ld.local.v2.f64 {%fd3, %fd4}, [%SP+-16];
	bfi.b32 %r3, %r1, %r2, 5, 27;
	setp.geu.f64 %p1, %fd1, %fd2;
	mov.pred %p2, 0;
	@!%p2 bra LEFT;
	bra.uni RIGHT;
LEFT:	prmt.b32 %r4, %r1, %r2, 0x3210;
	atom.global.add.u32 %r5, [%rd1+4], %r6;
	@%p1 ret;
RIGHT: brx.idx %r1, TABLE;
TABLE: .branchtargets LEFT, RIGHT;
}
"#;

#[test]
fn the_forms_of_compilers_are_read() {
    let module = read(FORMS).unwrap_or_else(|d| panic!("{d:?}"));
    let text = module.to_string();
    assert_eq!(read(&text).unwrap(), module, "{text}");
    for line in [
        "prmt.b32 %r4, %r1, %r2, 12816;",
        ".maxntid 64, 1, 1",
        "ld.local.v2.f64 {%fd3, %fd4}, [%rd1+-16];",
        "@!%p2 bra $BB_1;",
        ".loc 1 2 3",
    ] {
        assert!(text.contains(line), "no {line} in\n{text}");
    }
}

#[test]
fn errors_have_places() {
    for (from, to, id) in [
        ("bfi.b32 %r3", "bfi.b32 %q3", "ptx::undeclared"),
        ("bra LEFT", "bra NOWHERE", "ptx::label"),
        ("mov.pred %p2, 0", "frob.pred %q2, 0", "ptx::undeclared"),
        ("@%p1 ret", "@%r1 ret", "ptx::predicate"),
        (".address_size 64", ".address_size 16", "ptx::address-size"),
        ("\tret;\n}", "\tret;\n}}", "ptx::syntax"),
        ("RIGHT: brx", "LEFT: brx", "ptx::declared-twice"),
        (".reg .b32 %r<9>", ".reg .b32 %r<4000000000>", "ptx::too-large"),
    ] {
        let at = FORMS.find(from).unwrap_or_else(|| panic!("no {from}"));
        let line =
            1 + FORMS[..at].lines().count() + from.matches('\n').count() - usize::from(!FORMS[..at].ends_with('\n'));
        let errors = read(&FORMS.replacen(from, to, 1)).unwrap_err();
        let found = |d: &&Diagnostic| d.id == id && d.span.as_ref().is_some_and(|s| s.line_column().0 == line);
        assert!(errors.iter().any(|d| found(&d)), "{from} -> {to}: {errors:?}");
    }
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

/// What compilers wrote in 2008: an old version, `.tex`, labels and lines in the middle of the body.
#[test]
fn the_oldest_modules_are_read() {
    let text = ".version 1.4\n.target sm_13\n.tex .u32 img;\n\t.tex\t.u64 other;\n
.entry k (.param .u64 k_out, .param .s32 n)
{
\t.reg .u16 %rh<4>;\n\t.reg .u32 %r<5>;\n\t.reg .u64 %rd<5>;\n\t.reg .f32 %f<5>;\n\t.reg .pred %p<2>;
\t.loc\t1\t3\t0
$LBB1_k:
\tmov.u16 %rh1, %ctaid.x;\n\tmov.u16 %rh2, %ntid.x;\n\tmul.wide.u16 %r1, %rh1, %rh2;
\tcvt.u32.u16 %r2, %tid.x;\n\tadd.u32 %r3, %r2, %r1;
\ttex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4},[img,{%r3,%r3,%r3,%r3}];
\tld.param.s32 %r4, [n];\n\tsetp.ge.s32 %p1, %r3, %r4;\n\t@%p1 bra $L_end;
\tld.param.u64 %rd3, [k_out];\n\tst.global.f32 [%rd3+0], %f1;
$L_end:\n\texit;\n$LDWend_k:\n}
";
    let module = read(text).unwrap();
    assert_eq!(module.directives.len(), 2);
    assert_eq!(read(&module.to_string()).unwrap(), module.canonical());
}
