//! Random expressions of the typed code in every language that has them: compiled by a C++ compiler, and compared in bits with what they mean.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use cranelift_entity::PrimaryMap;
use emit_c::base::Provenance;
use emit_c::{cpu, cuda, hip, host};
use graph::Units;
use graph::interpret::Arithmetic as Number;
use kernels::{Io, Precision};
use lower::code::{Code, Field, Integer, IntegerOperator, Real, Statement};
use lower::lower;
use machine::target::Target;
use overlay::program::{
    Arithmetic, Array, Binary, ConstantRef, Constants, Execution, Index, Node, Program, Share, Unary, Value,
};
use testkit::project::{program, run, there};

/// Stands for ROCm's header, and by other names for CUDA's.
const HIP: &str = include_str!("../amd/hip/hip_runtime.h");

/// Functions that the stand-in lacks, as kernels of reactors take none of them.
const MORE: &str = "
#define __ldg(place) (*(place))
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline float __fsqrt_rn(float a) { return __builtin_sqrtf(a); }
inline float __int_as_float(int a) { float x; memcpy(&x, &a, sizeof x); return x; }
inline int __float_as_int(float x) { int a; memcpy(&a, &x, sizeof a); return a; }
";

const HEADER: &str = "#pragma once\n#include <stddef.h>\nstruct CUstream_st;\nstruct test_context { int device; };\n\
    enum { SINGE_SUCCESS, SINGE_NULL_POINTER = -1, SINGE_INVALID_POINTS = -2, SINGE_INVALID_STRIDE = -3, SINGE_OVERLAPPING_ARRAYS = -9 };\n";

const FIELDS: u32 = 3;
const TREES: u32 = 150;
const POINTS: usize = 37;
const REALS: [f64; 4] = [0.25, -1.5, 3.0, 0.1];
const INDICES: [i32; 4] = [3, 1, 0, 2];

/// A frame for a machine, around one store for each tree.
fn code(target: &Target, arithmetic: Arithmetic, trees: Vec<Real>) -> Code {
    let mut vars = PrimaryMap::new();
    let mut body = Vec::new();
    let entry = Index::Bank(Box::new(Index::Literal(0)));
    let mut value = Value::Constant(ConstantRef::Bank(entry));
    for next in [Some(Unary::Exp2TableWithin), Some(Unary::Log2), Some(Unary::Log), None] {
        let var = vars.push("x".to_owned());
        body.push(Node::Let { var, value });
        match next {
            Some(function) => value = Value::Unary(function, var),
            None => {
                body.push(Node::StoreField { array: 1, row: Index::Literal(0), point: 0, value: var, rest: None });
                break;
            }
        }
    }
    let array = |name: &str, rows, output| Array { name: name.to_owned(), rows, output, io: Io::Double };
    let constants = Constants { real_bank: REALS.to_vec(), index_bank: INDICES.to_vec(), ..Constants::default() };
    let program = Program {
        kernel: "trees".to_owned(),
        arithmetic,
        symbol: "test_trees".to_owned(),
        execution: Execution::DataParallel { warps: 2 },
        points_per_lane: 1,
        slots: 0,
        arrays: vec![array("in", FIELDS, false), array("out", TREES, true)],
        vars,
        counters: 0,
        constants,
        contents: Vec::new(),
        registers: None,
        staging_bytes: None,
        first_global: None,
        body,
    };
    let mut code = lower(&program, target);
    let store =
        |(row, value)| Statement::StoreField { array: 1, row: Integer::Literal(row), point: 0, value, rest: None };
    code.stream.body = (0..).zip(trees).map(store).collect();
    code
}

/// Makes trees at random; places of a CPU's code are sums and products.
struct Make {
    state: u64,
    is_for_cpu: bool,
}

impl Make {
    fn below(&mut self, n: usize) -> usize {
        // xorshift64*
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        (self.state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % n
    }

    fn real(&mut self, depth: u32) -> Real {
        if depth == 0 {
            return match self.below(6) {
                0 => Real::Literal([2.0, -0.75, 1e-3, -0.0, 1.0][self.below(5)]),
                1 => Real::Bank(self.place(REALS.len())),
                _ => {
                    let row = self.place(FIELDS as usize);
                    Real::Field(Box::new(Field { array: 0, row, point: 0, is_read_only: true, share: Share::Whole }))
                }
            };
        }
        let less = self.below(depth as usize) as u32;
        let mut next = || self.real(less);
        let (a, b, c, d) = (next(), next(), next(), next());
        match self.below(16) {
            0..3 => Real::Unary(Unary::Neg, Box::new(a)),
            3 => Real::Unary(Unary::Sqrt, Box::new(a)),
            4 => Real::Unary(
                [Unary::Exp, Unary::Log2, Unary::Exp2TableWithin, Unary::Positive][self.below(4)],
                Box::new(a),
            ),
            5 => Real::SeparateProduct(Box::new([a, b])),
            6 => Real::Fma(Box::new([a, b, c])),
            7 => Real::SelectLe(Box::new([a, b, c, d])),
            8 => Real::BankLe { first: self.below(REALS.len() - 1) as u32, operands: Box::new([a, b]) },
            9 => Real::Binary(Binary::Div, Box::new([a, b])),
            n => Real::Binary([Binary::Add, Binary::Sub, Binary::Mul][n % 3], Box::new([a, b])),
        }
    }

    /// A whole number below this one.
    fn place(&mut self, below: usize) -> Integer {
        let (tree, value) = self.integer(3);
        let wanted = self.below(below) as u32;
        match value.checked_sub(wanted) {
            Some(more) => Integer::Binary(IntegerOperator::Sub, Box::new(tree), Box::new(Integer::Literal(more))),
            None => {
                let less = Integer::Literal(wanted - value);
                Integer::Binary(IntegerOperator::Add, Box::new(less), Box::new(tree))
            }
        }
    }

    fn integer(&mut self, depth: u32) -> (Integer, u32) {
        use IntegerOperator::{Add, And, Div, Min, Mul, Rem, ShiftLeft, ShiftRight, Sub, Xor};
        if depth == 0 || self.below(4) == 0 {
            let value = self.below(6) as u32;
            return (Integer::Literal(value), value);
        }
        let ((a, x), (b, y)) = (self.integer(depth - 1), self.integer(depth - 1));
        let operators: &[IntegerOperator] = if self.is_for_cpu {
            &[Add, Mul, Sub]
        } else {
            &[Add, Mul, Sub, And, Xor, ShiftLeft, ShiftRight, Min, Div, Rem]
        };
        let binary = |operator, a, b, value| (Integer::Binary(operator, Box::new(a), Box::new(b)), value);
        let power = Integer::Literal(4);
        match operators[self.below(operators.len())] {
            Sub if x < y => binary(Sub, b, a, y - x),
            Sub => binary(Sub, a, b, x - y),
            Add => binary(Add, a, b, x + y),
            Mul => binary(Mul, a, b, x * y),
            And => binary(And, a, b, x & y),
            Xor => binary(Xor, a, b, x ^ y),
            Min => binary(Min, a, b, x.min(y)),
            ShiftLeft => binary(ShiftLeft, a, Integer::Literal(2), x << 2),
            ShiftRight => binary(ShiftRight, a, Integer::Literal(1), x >> 1),
            Div => binary(Div, a, power, x / 4),
            Rem => binary(Rem, a, power, x % 4),
        }
    }
}

/// Evaluates a tree at a point.
fn value<N: Number>(tree: &Real, point: &[f64]) -> N {
    let of = |tree: &Real| value::<N>(tree, point);
    match tree {
        Real::Literal(x) => N::rounded(*x),
        Real::Bank(place) => N::rounded(REALS[whole(place) as usize]),
        Real::BankLe { first, operands } => {
            N::rounded(REALS[*first as usize + usize::from(of(&operands[0]) <= of(&operands[1]))])
        }
        Real::Field(field) => N::rounded(point[whole(&field.row) as usize]),
        Real::Unary(function, a) => N::unary(*function, of(a)),
        Real::Binary(Binary::Add, o) => of(&o[0]) + of(&o[1]),
        Real::Binary(Binary::Sub, o) => of(&o[0]) - of(&o[1]),
        Real::Binary(Binary::Mul, o) | Real::SeparateProduct(o) => of(&o[0]) * of(&o[1]),
        Real::Binary(_, o) => of(&o[0]) / of(&o[1]),
        Real::Fma(o) => of(&o[0]).mul_add(of(&o[1]), of(&o[2])),
        Real::SelectLe(o) => of(if of(&o[0]) <= of(&o[1]) { &o[2] } else { &o[3] }),
        Real::Var(_) | Real::Slot(..) | Real::Spilled(_) | Real::Broadcast { .. } => unreachable!("no tree has one"),
    }
}

fn whole(tree: &Integer) -> u32 {
    use IntegerOperator::{Add, And, Div, Min, Mul, Rem, ShiftLeft, ShiftRight, Sub, Xor};
    match tree {
        Integer::Literal(n) => *n,
        Integer::Binary(operator, a, b) => {
            let (a, b) = (whole(a), whole(b));
            match operator {
                Add => a + b,
                Sub => a - b,
                Mul => a * b,
                Div => a / b,
                Rem => a % b,
                And => a & b,
                Xor => a ^ b,
                ShiftLeft => a << b,
                ShiftRight => a >> b,
                Min => a.min(b),
            }
        }
        _ => unreachable!("no tree has one"),
    }
}

/// A language: how trees are printed in it, and how its text is called and compiled.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Language {
    Cpu(Precision, Option<u32>),
    Device,
    Cuda(Precision),
    Hip,
}

const LANGUAGES: [Language; 8] = [
    Language::Cpu(Precision::Double, None),
    Language::Cpu(Precision::Double, Some(1)),
    Language::Cpu(Precision::Single, None),
    Language::Cpu(Precision::Single, Some(1)),
    Language::Device,
    Language::Cuda(Precision::Double),
    Language::Cuda(Precision::Single),
    Language::Hip,
];

impl Language {
    fn is_single(self) -> bool {
        matches!(self, Self::Cpu(Precision::Single, _) | Self::Cuda(Precision::Single))
    }

    fn target(self) -> &'static Target {
        Target::by_name(match self {
            Self::Cuda(_) => "kepler",
            Self::Hip => "mi300x",
            Self::Cpu(..) | Self::Device => return Target::cpu(),
        })
        .unwrap()
    }

    /// Writes the text into the folder, and a program that reads the points and writes all outputs.
    fn write(self, folder: &Path, trees: Vec<Real>) {
        let arithmetic = if self.is_single() { Arithmetic::Single { bound: 1.0 } } else { Arithmetic::Double };
        let code = code(self.target(), arithmetic, trees);
        let provenance = Provenance {
            command_line: "test".to_owned(),
            inputs: Vec::new(),
            mechanism: "test".to_owned(),
            ctas_per_sm: 1,
            form: None,
            precision: None,
        };
        let put = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
        put("test.h", HEADER);
        let (text, call) = match self {
            Self::Cpu(precision, _) => {
                let (name, text) = cpu::header_of(precision);
                put(&name, &text);
                let call =
                    "const test_context context{0};\n  test_trees_launch(&context, in, out, points, stride, nullptr);";
                (cpu::print(&code, &provenance, precision), call)
            }
            Self::Device => {
                let call = "for (int i = 0; i < points; ++i) test_device::trees(in + i, stride, out + i, stride);";
                (cpu::device_header(&interface(&code), &[&code], &provenance), call)
            }
            Self::Cuda(_) => (cuda::print(&code, &provenance, self.target()), LAUNCH),
            Self::Hip => (hip::print(&code, &provenance, self.target(), self.target().amd().unwrap()), LAUNCH),
        };
        let names = [("hipErrorOutOfMemory", "cudaErrorMemoryAllocation"), ("hip", "cuda")];
        let runtime = match self {
            Self::Cuda(_) => names.iter().fold(HIP.to_owned(), |text, (hip, cuda)| text.replace(hip, cuda)) + MORE,
            Self::Hip => HIP.to_owned() + MORE,
            _ => String::new(),
        };
        put("stand_in.h", &runtime);
        let main =
            MAIN.replace("CALL", call).replace("TREES", &TREES.to_string()).replace("FIELDS", &FIELDS.to_string());
        put("main.cpp", &(text + &main.replace("POINTS", &POINTS.to_string())));
    }

    fn flags(self) -> Vec<String> {
        match self {
            Self::Cpu(_, Some(width)) => vec![format!("-DSINGE_WIDTH={width}")],
            // Its fused multiply-adds are the library's where the machine has none.
            Self::Device => vec!["-D__FP_FAST_FMA".to_owned()],
            Self::Cpu(..) => Vec::new(),
            Self::Cuda(_) => ["-D__CUDACC_RTC__", "-include", "stand_in.h"].map(str::to_owned).to_vec(),
            Self::Hip => ["-D__HIPCC_RTC__", "-include", "stand_in.h"].map(str::to_owned).to_vec(),
        }
    }
}

const LAUNCH: &str = "stand_in::launch((points + 63) / 64, 64, [&] { test_trees(in, out, points, stride); });";

const MAIN: &str = include_str!("trees.cpp");

fn interface(code: &Code) -> host::Interface {
    let array = |array: &Array| host::ArrayInterface { array: array.clone(), unit: "1".into(), meaning: "x".into() };
    host::Interface {
        mechanism: "test".to_owned(),
        species: vec![host::Species { name: "A".into(), molecular_weight: 1.0, atoms: vec![1.0] }],
        elements: vec!["A".into()],
        reactions: 0,
        units: Units::Si,
        io: Io::Double,
        target: "cpu".into(),
        architecture: None,
        dialect: host::Dialect::Cuda,
        kernels: vec![host::KernelInterface {
            symbol: code.symbol.clone(),
            summary: "trees".into(),
            accuracy: "exact".into(),
            arrays: code.arrays.iter().map(array).collect(),
            rows: Vec::new(),
            has_workspace: false,
            pattern: Vec::new(),
        }],
        aliases: Vec::new(),
    }
}

/// Returns the places where the text of a language gives other bits than its trees mean.
fn wrong(language: Language, seed: u64) -> String {
    let mut make = Make {
        state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
        is_for_cpu: matches!(language, Language::Cpu(..) | Language::Device),
    };
    let trees: Vec<Real> = (0..TREES).map(|_| make.real(5)).collect();
    let stride = POINTS + 2;
    let inputs: Vec<f64> = (0..FIELDS as usize * stride).map(|_| (make.below(4001) as f64 - 1500.0) / 512.0).collect();
    let folder = tempfile::tempdir().unwrap();
    language.write(folder.path(), trees.clone());
    let mut options = language.flags();
    options.extend(["-std=c++17", "-O1", "-ffp-contract=off", "-w"].map(str::to_owned));
    program("g++", folder.path(), &options, &["main.cpp"], &[], "main");
    let data = folder.path().join("input");
    std::fs::write(&data, inputs.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>()).unwrap();
    let stdin = std::fs::File::open(&data).unwrap();
    let bytes = run(Command::new(folder.path().join("main")).stdin(stdin)).stdout;
    let found: Vec<f64> = bytes.chunks_exact(8).map(|bytes| f64::from_le_bytes(bytes.try_into().unwrap())).collect();
    assert_eq!(found.len(), TREES as usize * stride);
    let mut wrong = String::new();
    let mut finite = 0;
    for (row, tree) in trees.iter().enumerate() {
        for point in 0..POINTS {
            let fields: Vec<f64> = (0..FIELDS as usize).map(|field| inputs[field * stride + point]).collect();
            let expected =
                if language.is_single() { f64::from(value::<f32>(tree, &fields)) } else { value::<f64>(tree, &fields) };
            finite += usize::from(expected.is_finite());
            let found = found[row * stride + point];
            if found.to_bits() != expected.to_bits() && !(found.is_nan() && expected.is_nan()) {
                let _ = writeln!(wrong, "{language:?}, seed {seed}: {found:e} for {expected:e} of {tree:?}");
                break;
            }
        }
    }
    assert!(2 * finite > TREES as usize * POINTS, "most trees mean a number: {finite}");
    wrong
}

#[test]
fn random_expressions_give_the_bits_of_what_they_mean_in_every_language() {
    if !there("g++") {
        return;
    }
    let seeds = std::env::var("SINGE_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    let wrong: Vec<String> = LANGUAGES
        .into_iter()
        .flat_map(|language| (1..=seeds).map(move |seed| (language, seed)))
        .map(|(language, seed)| wrong(language, seed))
        .collect();
    let wrong: String = wrong.concat();
    assert!(wrong.is_empty(), "{} expressions are wrong\n{}", wrong.lines().count(), &wrong[..wrong.len().min(3000)]);
}
