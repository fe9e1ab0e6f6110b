//! Products of matrices of doubles on tensor cores: in the reader, the checker of modules, the simulator, the verifier, the
//! divergence analysis and the register allocator.

use passes::allocate::{self, Algorithm};
use ptx::analysis::divergence::Class;
use ptx::check::Rule;
use ptx::inst::Op;
use ptx::{Module, check, read};
use testkit::divergence;
use warpsim::{self, Argument, Buffer, Kind, Launch, Options, prove};

const MMA: &str = "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64";

/// Makes a kernel of one warp that loads A, B and C as the lanes hold them, runs the statements and stores d.
fn kernel(sm: u32, statements: &str) -> Module {
    let text = format!(
        ".version 7.4\n.target sm_{sm}\n.address_size 64\n
.visible .entry k(.param .u64 input, .param .u64 output)
.reqntid 32, 1, 1
{{
.reg .f64 %fd<16>; .reg .b64 %rd<4>; .reg .b32 %r<4>; .reg .pred %p<4>;
ld.param.u64 %rd1, [input]; ld.param.u64 %rd2, [output];
mov.u32 %r1, %tid.x;
mul.wide.u32 %rd3, %r1, 16;
add.s64 %rd1, %rd1, %rd3; add.s64 %rd2, %rd2, %rd3;
ld.global.v2.f64 {{%fd1, %fd2}}, [%rd1];
ld.global.v2.f64 {{%fd3, %fd4}}, [%rd1+512];
{statements}
st.global.v2.f64 [%rd2], {{%fd5, %fd6}};
ret;
}}
"
    );
    read::text("k.ptx", &text).unwrap_or_else(|d| panic!("{d:?}"))
}

type Matrices = ([[f64; 4]; 8], [[f64; 8]; 4], [[f64; 8]; 8]);

/// Returns A (8 x 4), B (4 x 8) and C (8 x 8), full of fractions that round.
fn matrices() -> Matrices {
    let at = |i: usize, j: usize, salt: usize| ((7 * i + 13 * j + 5 * salt) % 29) as f64 / 3.0 - 4.1;
    let a = std::array::from_fn(|i| std::array::from_fn(|j| at(i, j, 0)));
    let b = std::array::from_fn(|i| std::array::from_fn(|j| at(i, j, 1)));
    let c = std::array::from_fn(|i| std::array::from_fn(|j| at(i, j, 2)));
    (a, b, c)
}

fn launch() -> Launch {
    Launch::linear(1, 32, vec![Argument::Buffer(0), Argument::Buffer(1)])
}

/// Returns the values that the lanes store.
fn run(module: &Module) -> Result<Vec<f64>, Vec<Kind>> {
    stored(module, 1)
}

/// Returns those of this many products of eight rows.
fn stored(module: &Module, products: u64) -> Result<Vec<f64>, Vec<Kind>> {
    let (a, b, c) = matrices();
    let first = (0..32).flat_map(|lane| [a[lane / 4][lane % 4], b[lane % 4][lane / 4]]);
    let second = (0..32).flat_map(|lane| [0, 1].map(|i| c[lane / 4][2 * (lane % 4) + i]));
    let input: Vec<f64> = first.chain(second).collect();
    let mut buffers = [Buffer::input(&input), Buffer::output(64)];
    match warpsim::run(module, "k", &launch(), &mut buffers, &Options::default()) {
        Ok(report) => {
            assert_eq!(report.total().matrix_products, products);
            Ok(buffers[1].reals())
        }
        Err(hazards) => Err(hazards.list.into_iter().map(|hazard| hazard.kind).collect()),
    }
}

fn product() -> String {
    format!("{MMA} {{%fd5, %fd6}}, {{%fd1}}, {{%fd2}}, {{%fd3, %fd4}};")
}

#[test]
fn the_product_is_that_of_the_matrices() {
    let module = kernel(80, &product());
    let (a, b, c) = matrices();
    let element = |i: usize, j: usize| (0..4).fold(c[i][j], |sum, k| a[i][k].mul_add(b[k][j], sum));
    let expected: Vec<f64> = (0..32).flat_map(|l| [0, 1].map(|i| element(l / 4, 2 * (l % 4) + i))).collect();
    assert_eq!(run(&module), Ok(expected));
    let again = read::text("again", &module.to_string()).unwrap();
    assert_eq!(again, module.canonical());
    assert!(prove::prove(&module, "k", &launch()).unwrap().proven());
}

/// Sixteen rows at once are twice eight, the lower ones negative here and added to the upper sums times two.
#[test]
fn sixteen_rows_are_twice_eight() {
    let halves = "neg.f64 %fd7, %fd1; add.f64 %fd8, %fd3, %fd3; add.f64 %fd9, %fd4, %fd4;";
    let tall = "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%fd10, %fd11, %fd12, %fd13}, {%fd1, %fd7}, {%fd2}, \
                {%fd3, %fd4, %fd8, %fd9};";
    let (a, b, c) = matrices();
    let upper = |i: usize, j: usize| (0..4).fold(c[i][j], |sum, k| a[i][k].mul_add(b[k][j], sum));
    let lower = |i: usize, j: usize| (0..4).fold(2.0 * c[i][j], |sum, k| (-a[i][k]).mul_add(b[k][j], sum));
    let all = |element: &dyn Fn(usize, usize) -> f64| -> Vec<f64> {
        (0..32).flat_map(|l| [0, 1].map(|i| element(l / 4, 2 * (l % 4) + i))).collect()
    };
    let halves_of_result = [
        ("mov.f64 %fd5, %fd10; mov.f64 %fd6, %fd11;", all(&upper)),
        ("mov.f64 %fd5, %fd12; mov.f64 %fd6, %fd13;", all(&lower)),
    ];
    for (moves, expected) in halves_of_result {
        let statements = format!("{halves} {tall} {moves}");
        let module = kernel(90, &statements);
        assert_eq!(stored(&module, 2), Ok(expected));
        let again = read::text("again", &module.to_string()).unwrap();
        assert_eq!(again, module.canonical());
        assert!(prove::prove(&module, "k", &launch()).unwrap().proven());
        assert!(check::check(&module).is_empty());
        let rules: Vec<Rule> = check::check(&kernel(80, &statements)).into_iter().map(|fault| fault.rule).collect();
        assert_eq!(rules, [Rule::Machine]);
    }
}

#[test]
fn other_matrices_stay_as_they_are() {
    let half = "mma.sync.aligned.m8n8k4.row.row.f64.f64.f64.f64 {%fd5, %fd6}, {%fd1}, {%fd2}, {%fd3, %fd4};";
    let module = kernel(80, half);
    assert!(module.funcs[0].insts.values().any(|data| matches!(data.op, Op::Opaque { .. })));
}

#[test]
fn older_machines_have_no_such_instruction() {
    let rules = |sm| check::check(&kernel(sm, &product())).into_iter().map(|fault| fault.rule).collect::<Vec<_>>();
    assert_eq!((rules(75), rules(80)), (vec![Rule::Machine], vec![]));
    let narrow = "cvt.rn.f32.f64 %f1, %fd1;";
    let mut module = kernel(80, &format!(".reg .f32 %f<2>; {narrow} {}", product()));
    let word = module.funcs[0].regs.iter().find(|(_, ty)| ty.bytes() == 4).unwrap().0;
    for data in module.funcs[0].insts.values_mut() {
        if let Op::Mma { a, .. } = &mut data.op {
            a[0] = word.into();
        }
    }
    assert_eq!(check::check(&module).into_iter().map(|fault| fault.rule).collect::<Vec<_>>(), [Rule::Width]);
}

/// Half of the warp comes: the simulator and the verifier both say so.
#[test]
fn all_lanes_must_come() {
    let missing = Kind::InactiveLane { lane: 0, source: 16 };
    let half = "setp.ge.u32 %p1, %r1, 16; mov.f64 %fd5, %fd1; mov.f64 %fd6, %fd1;";
    let branch = format!("{half} @%p1 bra $END; {} $END:", product());
    let guarded = format!("{half} @!%p1 {}", product());
    for statements in [branch, guarded] {
        let module = kernel(80, &statements);
        assert_eq!(run(&module), Err(vec![missing.clone()]));
        let verdict = prove::prove(&module, "k", &launch()).unwrap();
        assert_eq!(verdict.violations.iter().map(|hazard| &hazard.kind).collect::<Vec<_>>(), [&missing]);
    }
    // on data nobody can tell
    let on_data = format!("setp.gt.f64 %p1, %fd1, 0d0000000000000000; @%p1 bra $END; {} $END:", product());
    let verdict = prove::prove(&kernel(80, &on_data), "k", &launch()).unwrap();
    assert!(verdict.violations.is_empty() && !verdict.not_analysed.is_empty(), "{verdict:?}");
}

#[test]
fn the_result_differs_from_lane_to_lane() {
    let body = "ld.global.f64 %fd1, [%rd1]; mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%fd2, %fd3}, {%fd1}, {%fd1}, {%fd1, %fd1};";
    divergence::expect(
        body,
        divergence::WARPS,
        &[("%fd1", Class::Uniform), ("%fd2", Class::Divergent), ("%fd3", Class::Divergent)],
    );
}

#[test]
fn few_registers_keep_the_bits() {
    let module = kernel(80, &product());
    let expected = run(&module);
    for registers in [12, 14, 16, 24] {
        for algorithm in [Algorithm::LinearScan, Algorithm::ChaitinBriggs] {
            let options = allocate::Options { registers, algorithm, ..allocate::Options::default() };
            let allocation = allocate::allocate(&module, "k", &options).unwrap();
            allocate::check::check(&allocation).unwrap_or_else(|v| panic!("{v:?}\n{}", allocation.module));
            assert_eq!(run(&allocation.module), expected);
        }
    }
}
