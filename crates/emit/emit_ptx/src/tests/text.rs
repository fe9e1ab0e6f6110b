use super::programs::handover;
use super::*;
use std::process::Command;

/// A program with everything that can be printed.
fn everything(execution: Execution) -> Program {
    let counter = Index::Counter(Counter::new(0));
    let striped = Index::Striped { register: 0, lane: Box::new(counter.clone()) };
    let mut program = program(execution, 4, Vec::new());
    let (a, b) = (var(0), var(1));
    let body = vec![
        Node::Comment("every operation".to_owned()),
        fetch(0),
        set(1, Value::Constant(ConstantRef::Bank(Index::Bank(Box::new(striped.clone()))))),
        set(2, Value::Constant(ConstantRef::Striped { register: 0, lane: striped })),
        set(2, Value::Unary(Unary::Exp, a)),
        set(3, Value::Unary(Unary::Log, b)),
        set(4, Value::Unary(Unary::Sqrt, a)),
        set(5, Value::SelectLe { a, b, then: var(2), otherwise: var(4) }),
        set(6, Value::Fma(var(5), var(3), var(2))),
        set(6, Value::Unary(Unary::Neg, var(6))),
        set(7, Value::SelectLe { a, b: var(6), then: var(6), otherwise: a }),
        set(7, Value::Binary(Binary::Div, var(7), var(6))),
        Node::StoreSlot { row: Index::Sum(Box::new(counter.clone()), Box::new(Index::Literal(1))), value: var(7) },
        load(7, 2),
        put(7, 1),
    ];
    let arm = |warp: u32| (1 << warp, vec![set(1, Value::Literal(f64::from(warp))), sync(warp, 32)]);
    program.body = vec![
        Node::Loop { counter: Counter::new(0), trips: Index::Literal(3), unroll: 1, body },
        Node::Switch { arms: (0..4).map(arm).collect() },
        on(3, vec![put(1, 0), arrive(5, 64), arrive(5, 64)]),
    ];
    program.constants = Constants {
        real_registers: 1,
        reals: vec![1.0; 128],
        index_registers: 1,
        indices: vec![0; 128],
        real_bank: vec![0.5; 3],
        index_bank: vec![0, -1, 2],
        common_reals: 3,
        common_indices: 3,
        shared: false,
    };
    program
}

#[test]
fn the_assembler_accepts_the_text() {
    let ptxas = testkit::root().join(".toolchain/cuda11/nvidia/cuda_nvcc/bin/ptxas");
    if !ptxas.exists() {
        testkit::skip::skip(format!("there is no {}", ptxas.display()));
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("k.ptx");
    let programs = [
        handover(),
        everything(Execution::WarpSpecialized { warps: 4, groups: 1 }),
        everything(Execution::DataParallel { warps: 4 }),
    ];
    for program in &programs {
        for sm in [35, 50, 70, 80, 90] {
            let module = module(program, ComputeCapability(sm / 10, sm % 10));
            std::fs::write(&path, module.to_string()).unwrap();
            let arch = format!("-arch=sm_{sm}");
            let output = Command::new(&ptxas).arg(arch).arg(&path).arg("-o").arg(dir.path().join("k.cubin")).output();
            let output = output.unwrap();
            assert!(output.status.success(), "sm_{sm}: {}\n{module}", String::from_utf8_lossy(&output.stderr));
        }
    }
}

#[test]
fn the_text_is_ptx() {
    insta::assert_snapshot!(module(&handover(), KEPLER));
}
