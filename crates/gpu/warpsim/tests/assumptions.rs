//! Assumptions that a proof reports, and arguments as a user gives them.

use ptx::{Module, read};
use std::time::{Duration, Instant};
use warpsim::prove::{self, Assumption, Status};
use warpsim::{Argument, Launch};

fn module(sm: u32, body: &str) -> Module {
    let text = format!(
        ".version 8.0\n.target sm_{sm}\n.address_size 64\n.shared .align 8 .b8 box[1024];\n.extern .shared .align 8 .b8 more[];
         .entry k(.param .u64 out, .param .u32 n, .param .u32 scale, .param .align 4 .b8 s[12])\n{{ .reg .pred %p<4>;
         .reg .b32 %r<8>; .reg .b64 %d<4>; ld.param.u64 %d0, [out]; ld.param.u32 %r0, [n]; ld.param.u32 %r1, [scale];
         {body} ret; }}"
    );
    read::text("k.ptx", &text).unwrap_or_else(|d| panic!("{d:?}\n{text}"))
}

fn verdict(module: &Module, given: &[(usize, &str)]) -> prove::Verdict {
    let func = module.func("k").unwrap();
    let mut arguments = prove::arguments(func, 3);
    for (at, text) in given {
        let data = func.params.values().nth(*at).unwrap();
        arguments[*at] = prove::argument(data, *at, text).unwrap();
    }
    prove::prove(module, "k", &Launch::linear(1, 64, arguments)).unwrap()
}

/// A loop of `n` steps, each with a barrier; the product with `scale` goes to memory only.
const COUNTED: &str = "mov.u32 %r2, 0; L: bar.sync 0; add.s32 %r2, %r2, 1; setp.lt.u32 %p0, %r2, %r0; @%p0 bra L;
    mul.lo.s32 %r3, %r1, %r2; st.global.u32 [%d0], %r3;";

#[test]
fn parameters_are_named_that_the_proof_needs() {
    let module = module(70, COUNTED);
    let found = verdict(&module, &[]);
    assert!(found.proven(), "{found:?}");
    let n = Assumption::Parameter { name: "n".to_owned(), value: Argument::U32(3) };
    let shape = Assumption::Shape { ctas: [1; 3], threads: [64, 1, 1] };
    assert_eq!(found.assumed, [shape, Assumption::DynamicShared(0), n]);
    let alone =
        prove::prove_launch(&module, "k", &Launch::linear(1, 64, prove::arguments(module.func("k").unwrap(), 3)));
    assert_eq!(alone.map(|found| (found.proven(), found.assumed)), Ok((true, vec![])));
    let others = verdict(&module, &[(0, "ANY"), (2, "ANY"), (3, "ANY")]);
    assert!(others.proven(), "{others:?}");
}

/// A number of iterations that nobody knows, but all threads alike.
#[test]
fn a_loop_on_what_all_threads_agree_on_is_assumed_to_end() {
    let line = |found: &prove::Verdict| found.assumed.iter().map(ToString::to_string).collect::<Vec<_>>();
    // a counter that every iteration raises by 1 reaches its bound, one that is raised by 3 may go past it and wrap
    assert!(verdict(&module(70, COUNTED), &[(1, "ANY")]).proven());
    let counted = verdict(&module(70, &COUNTED.replace("%r2, 1;", "%r2, 3;")), &[(1, "ANY")]);
    assert_eq!(counted.status(), Status::ProvenIf, "{counted:?}");
    assert!(counted.holds() && !counted.proven());
    assert!(line(&counted).iter().any(|text| text.contains("a loop behind it ends")), "{counted:?}");
    let loaded = format!("ld.global.u32 %r0, [%d0+8]; {COUNTED}");
    let found = verdict(&module(70, &loaded), &[]);
    let same = |text: &String| text.contains("ld.global.u32") && text.ends_with("all threads load the same value");
    assert!(found.holds() && line(&found).iter().any(same), "{found:?}");
    let of_each = format!(
        "mov.u32 %r4, %tid.x; mul.wide.u32 %d1, %r4, 4; add.s64 %d1, %d1, %d0; ld.global.u32 %r0, [%d1]; {COUNTED}"
    );
    let found = verdict(&module(70, &of_each), &[]);
    assert!(!found.proven() && found.violations.is_empty(), "{found:?}");
}

#[test]
fn lockstep_is_named_where_it_is_taken_for_granted() {
    let handed = "mov.u32 %r2, %tid.x; shl.b32 %r2, %r2, 2; mov.u32 %r4, box; add.s32 %r2, %r2, %r4;
        st.shared.u32 [%r2], 0; xor.b32 %r2, %r2, 4; ld.shared.u32 %r3, [%r2];";
    let before = verdict(&module(35, handed), &[]);
    assert!(before.proven() && before.assumed.contains(&Assumption::Lockstep), "{before:?}");
    assert!(!verdict(&module(70, handed), &[]).proven());
}

#[test]
fn equal_values_are_named() {
    let found = verdict(
        &module(70, "st.shared.u32 [box], 7; bar.sync 0;".replace("st", "setp.eq.u32 %p0, %r0, 4; @%p0 st").as_str()),
        &[],
    );
    assert!(found.proven() && !found.assumed.iter().any(|a| matches!(a, Assumption::SameValue(_))), "{found:?}");
    let one_warp = "mov.u32 %r2, %tid.x; setp.gt.u32 %p0, %r2, 31; @!%p0 st.shared.u32 [box], 7; bar.sync 0;";
    let found = verdict(&module(70, one_warp), &[]);
    assert!(found.proven() && found.assumed.iter().any(|a| matches!(a, Assumption::SameValue(_))), "{found:?}");
}

#[test]
fn an_endless_loop_is_told_with_its_parameter() {
    let module = module(70, &COUNTED.replace("add.s32 %r2, %r2, 1", "add.s32 %r2, %r2, 0"));
    let begin = Instant::now();
    let found = prove::prove_within(
        &module,
        "k",
        &Launch::linear(1, 64, prove::arguments(module.func("k").unwrap(), 9)),
        1 << 16,
    );
    let [said] = &found.unwrap().not_analysed[..] else { panic!("one thing is open") };
    assert!(said.contains("the loop of lines") && said.contains("n = 9") && !said.contains("scale"), "{said}");
    assert!(begin.elapsed() < Duration::from_secs(5));
    let open = self::module(70, "L: bar.sync 0; bra L;");
    let said =
        prove::prove_within(&open, "k", &Launch::linear(1, 64, prove::arguments(open.func("k").unwrap(), 9)), 1 << 16);
    assert!(said.unwrap().not_analysed[0].contains("no way out"));
}

/// Operations that threads share take the analysis longer than arithmetic, so they cost more of the budget.
#[test]
fn endless_loops_cost_what_they_take() {
    const BUDGET: u64 = 1 << 18;
    let executed = |body: &str| {
        let module = module(
            70,
            &format!("mov.u32 %r4, %tid.x; shl.b32 %r4, %r4, 2; mov.u32 %r5, box; add.s32 %r4, %r4, %r5; {body}"),
        );
        let launch = Launch::linear(1, 64, prove::arguments(module.func("k").unwrap(), 9));
        let found = prove::prove_within(&module, "k", &launch, BUDGET).unwrap();
        assert!(found.not_analysed[0].contains(&format!("{} warp instructions", found.instructions)), "{found:?}");
        found.instructions
    };
    assert_eq!(executed("L: bra L;"), BUDGET);
    let shared = executed("L: st.shared.u32 [%r4], 1; ld.shared.u32 %r6, [%r4]; bra L;");
    assert!(shared < BUDGET / 5, "{shared}");
    let atomics = executed("L: atom.shared.add.u32 %r6, [box+1000], 1; bra L;");
    assert!(atomics < BUDGET / 15, "{atomics}");
}

#[test]
fn arguments_fit_or_are_refused() {
    let module = module(70, "");
    let params: Vec<_> = module.func("k").unwrap().params.values().cloned().collect();
    let read = |at: usize, text: &str| prove::argument(&params[at], at, text);
    assert_eq!(read(0, "pointer"), Ok(Argument::Buffer(0)));
    assert_eq!(read(0, "0x100000000"), Ok(Argument::Bytes(vec![0, 0, 0, 0, 1, 0, 0, 0])));
    assert_eq!(read(1, "1000"), Ok(Argument::Bytes(vec![232, 3, 0, 0])));
    assert_eq!(read(1, "-1"), Ok(Argument::Bytes(vec![255; 4])));
    assert_eq!(read(1, "ANY"), Ok(Argument::Any));
    assert_eq!(read(3, "hex:000102030405060708090a0b"), Ok(Argument::Bytes((0..12).collect())));
    for (at, text) in [
        (1, "4294967296"),
        (1, "-2147483649"),
        (1, "pointer"),
        (1, "x"),
        (3, "7"),
        (3, "hex:00"),
        (3, "hex:0"),
        (1, "1.5"),
    ] {
        assert!(read(at, text).is_err(), "{text}");
    }
    // the launch refuses what does not fit, whoever made it
    let mut arguments = prove::arguments(module.func("k").unwrap(), 0);
    arguments[3] = Argument::Bytes(vec![0; 8]);
    let refused = prove::prove(&module, "k", &Launch::linear(1, 64, arguments)).unwrap_err();
    assert!(refused.contains("8 bytes for s, which has 12"), "{refused}");
}

/// A size counts iterations, and a stride is multiplied; what is added to an address may be a pointer.
#[test]
fn sizes_of_64_bits_are_no_pointers() {
    let text = ".version 8.0\n.target sm_70\n.address_size 64\n.entry k(.param .u64 out, .param .u64 size, .param .u64 stride, .param .u64 behind)
        { .reg .pred %p<2>; .reg .b64 %d<9>; ld.param.u64 %d0, [out]; ld.param.u64 %d1, [size]; ld.param.u64 %d2, [stride];
        ld.param.u64 %d3, [behind]; mov.u64 %d4, 0; add.s64 %d1, %d1, -1; L: bar.sync 0; mul.lo.s64 %d5, %d4, %d2; add.s64 %d6, %d0, %d5;
        add.s64 %d6, %d6, %d3; st.global.u64 [%d6], %d4; add.s64 %d4, %d4, 1; setp.lt.s64 %p0, %d4, %d1; @%p0 bra L; ret; }";
    let module = read::text("k.ptx", text).unwrap();
    let values = prove::arguments(module.func("k").unwrap(), 5);
    assert_eq!(values, [Argument::Buffer(0), Argument::U64(5), Argument::U64(5), Argument::Buffer(3)]);
    let size = Assumption::Parameter { name: "size".to_owned(), value: Argument::U64(5) };
    let found = prove::prove(&module, "k", &Launch::linear(1, 64, values)).unwrap();
    assert!(found.proven() && found.assumed.contains(&size), "{found:?}");
}
