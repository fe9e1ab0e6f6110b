//! The idioms of CUDA programs on every architecture whose machine code is read: nothing is refused, and machine code leaves the
//! same results as its PTX.

use machine::target::Target;
use ptx::inst::Type;
use testkit::compilers::Compilers;
use warpsim::machine_code::{self, Failure};
use warpsim::{Argument, Buffer, Launch, Options};

/// Functions of one double; the same with an `f` behind for floats.
const UNARY: &str = "sqrt rsqrt cbrt rcbrt exp exp2 exp10 expm1 log log2 log10 log1p logb sin cos tan sinpi cospi asin acos atan \
    sinh cosh tanh asinh acosh atanh erf erfc erfinv erfcinv erfcx normcdf normcdfinv tgamma lgamma j0 j1 y0 y1 \
    floor ceil trunc round rint nearbyint fabs cyl_bessel_i0 cyl_bessel_i1";

/// Functions of two doubles.
const BINARY: &str = "pow atan2 fmod remainder hypot rhypot fmin fmax fdim copysign nextafter";

/// Statements on any values, one a line. A statement has doubles `x`, `y`, `z`, floats `a`, `b`, `c`, integers `i`, `j` (signed) and
/// `u`, `v` (not), `l`, `m` of 64 bits, the thread `t`, its own places `*gd`, `*gf`, `*gi`, `*gl` in global memory and `*sd`, `*sf`,
/// `*si` in shared memory, and leaves its result in `r` (double), `f` (float), `n` (int) or `w` (64 bits).
const PLAIN: &str = include_str!("statements.txt");

/// Text in front of the kernels.
const PRELUDE: &str = "
__constant__ double table[8] = {1.5, -2.25, 3.0, 0.1, 1e300, 1e-300, 7.0, -0.0};
__constant__ int itable[8] = {3, 1, 4, 1, 5, 9, 2, 6};
__constant__ unsigned char btable[8] = {2, 7, 1, 8, 2, 8, 1, 8};
#if __CUDACC_VER_MAJOR__ >= 9
#define __shfl(x, k) __shfl_sync(~0u, x, k)
#define __shfl_up(x, k) __shfl_up_sync(~0u, x, k)
#define __shfl_down(x, k) __shfl_down_sync(~0u, x, k)
#define __shfl_xor(x, k) __shfl_xor_sync(~0u, x, k)
#define __any(p) __any_sync(~0u, p)
#define __all(p) __all_sync(~0u, p)
#define __ballot(p) __ballot_sync(~0u, p)
#endif
__device__ __noinline__ double called(double x, double y) { return x / y + sqrt(y); }
__device__ __noinline__ int recursive(int n) { return n > 0 ? n * recursive(n - 1) : 1; }
__device__ void __prefetch(const void *p) { asm volatile(\"prefetch.global.L2 [%0];\" :: \"l\"(p)); }
// as the guide has it for those that have no such instruction
__device__ double added(double *place, double x) {
  unsigned long long *word = (unsigned long long *)place, old = *word, seen;
  do {
    seen = old;
    old = atomicCAS(word, seen, __double_as_longlong(x + __longlong_as_double(seen)));
  } while (seen != old);
  return __longlong_as_double(old);
}
";

/// Returns the statements: functions of doubles and of floats, and those on any values.
fn statements() -> Vec<String> {
    let unary = UNARY.split(' ').flat_map(|name| [format!("r = {name}(x);"), format!("f = {name}f(a);")]);
    let binary = BINARY.split(' ').flat_map(|name| [format!("r = {name}(x, y);"), format!("f = {name}f(a, b);")]);
    let plain = PLAIN.lines().filter(|line| !line.starts_with("//")).map(str::to_owned);
    unary.chain(binary).chain(plain).collect()
}

fn text(statements: &[String]) -> String {
    let mut text = PRELUDE.to_owned();
    for (number, statement) in statements.iter().enumerate() {
        text += &format!(
            "extern \"C\" __global__ void k{number}(const double *in, long long *out, double *own) {{
  const int t = threadIdx.x;
  __shared__ double shared[64];
  __shared__ float4 quads[64];
  __shared__ unsigned count;
  double x = in[8 * t], y = in[8 * t + 1], z = in[8 * t + 2], r = 0.0;
  float a = ((const float *)in)[16 * t + 6], b = ((const float *)in)[16 * t + 7], c = ((const float *)in)[16 * t + 8], f = 0.0f;
  int i = ((const int *)in)[16 * t + 10], j = ((const int *)in)[16 * t + 11], n = 0;
  unsigned u = ((const unsigned *)in)[16 * t + 10], v = ((const unsigned *)in)[16 * t + 11];
  long long l = ((const long long *)in)[8 * t + 6], m = ((const long long *)in)[8 * t + 7], w = 0;
  double *gd = own + 2 * t, *sd = shared + t;
  float *gf = (float *)gd, *sf = (float *)shared + t;
  int *gi = (int *)gd, *si = (int *)shared + t;
  long long *gl = (long long *)gd;
  void *q16 = quads + t;
  {{ {statement} }}
  out[4 * t] = __double_as_longlong(r);
  out[4 * t + 1] = (unsigned)__float_as_int(f);
  out[4 * t + 2] = n;
  out[4 * t + 3] = w;
}}
"
        );
    }
    text
}

/// Random words, as `machine_code` has them.
struct Values(u64);

impl Values {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 11
    }

    fn small(&mut self) -> f64 {
        (self.next() % 8001) as f64 / 1000.0 - 4.0
    }

    /// Returns a random double, now and then an edge case.
    fn double(&mut self, small: bool) -> f64 {
        const EDGES: [f64; 8] = [0.0, -0.0, 1.0, f64::INFINITY, f64::NAN, 1e-310, -1e308, 0.5];
        match self.next() % 8 {
            0 if !small => EDGES[self.next() as usize % 8],
            1 if !small => self.small() * 2f64.powi((self.next() % 400) as i32 - 200),
            _ => self.small(),
        }
    }

    fn word(&mut self) -> u64 {
        match self.next() % 4 {
            0 => self.next() % 9,
            1 => (self.next() % 9).wrapping_neg() & 0xffff_ffff,
            _ => self.next() & 0xffff_ffff,
        }
    }

    fn lane(&mut self, small: bool) -> [u64; 8] {
        let floats = |values: &mut Self| u64::from((values.double(small) as f32).to_bits());
        let (x, y, z) = (self.double(small), self.double(small), self.double(small));
        let (a, b, c) = (floats(self), floats(self), floats(self));
        // nothing is divided by 0, of which no document tells the quotient
        let (i, j) = (self.word(), self.word().max(1));
        let (l, m) = (self.next() << 11 ^ self.next(), self.next() >> (self.next() % 50));
        [x.to_bits(), y.to_bits(), z.to_bits(), a | b << 32, c, i | j << 32, l, m.max(1)]
    }
}

fn agree(name: &str) {
    let Some(compilers) = Compilers::new(Target::by_name(name).unwrap().compute_capability) else { return };
    let statements = statements();
    let ptx = compilers.ptx(text(&statements), &["--fmad=false"]);
    let (module, cubin) = (ptx::read::text("idioms", &ptx).unwrap_or_else(|d| panic!("{d:?}")), compilers.cubin(&ptx));
    let (mut wrong, mut values) = (Vec::new(), Values(0x9e37_79b9_7f4a_7c15));
    for (number, statement) in statements.iter().enumerate() {
        let near = APPROXIMATE.iter().find(|(name, _)| statement.contains(name)).map(|(_, least)| *least);
        // the angle of a large number is lost in an approximation
        let sizes = if near == Some(1.0) { &[true][..] } else { &[true, false] };
        for small in sizes {
            let words: Vec<u64> = (0..32).flat_map(|_| values.lane(*small)).collect();
            if let Err(why) = compared(&module, &cubin, &format!("k{number}"), &words, near) {
                wrong.push(format!("{name}: `{statement}`: {why}"));
                break;
            }
        }
    }
    assert!(wrong.is_empty(), "{}\n{} of {}", wrong.join("\n"), wrong.len(), statements.len());
}

/// Approximations of PTX, whose last bits no document specifies: the simulator and ptxas differ. Beside each stands the size of a
/// result from which on its error is relative; below it the error is relative to this size.
const APPROXIMATE: [(&str, f64); 13] = [
    (" rsqrt(", 0.0),
    (" j0(", 0.0),
    (" j1(", 0.0),
    (" y0(", 0.0),
    (" y1(", 0.0),
    ("erfcinvf", 0.0),
    (" tgammaf(", 0.0),
    ("__fdividef", 0.0),
    ("__powf", 0.0),
    ("__expf", 0.0),
    ("__logf", 1.0),
    ("__sinf", 1.0),
    ("__tanf", 1.0),
];

fn compared(
    module: &ptx::Module,
    cubin: &sass::Cubin,
    kernel: &str,
    words: &[u64],
    near: Option<f64>,
) -> Result<(), String> {
    let launch = Launch::linear(1, 32, (0..3).map(Argument::Buffer).collect());
    let input = Buffer::words(Type::U64, words.iter().copied()).read_only();
    let buffers = || [input.clone(), Buffer::unwritten(Type::U64, 128), Buffer::in_out(&[0.0; 64])];
    let mut found = buffers();
    match machine_code::run(cubin, kernel, &launch, &mut found, &Options::default()) {
        Ok(_) => {}
        Err(Failure::Unknown(unknown)) => {
            let all: Vec<&str> = unknown.iter().map(|d| d.message.as_str()).collect();
            return Err(all.join("; "));
        }
        Err(Failure::Hazards(hazards)) => return Err(format!("machine code: {hazards}")),
    }
    let mut expected = buffers();
    warpsim::run(module, kernel, &launch, &mut expected, &Options::default())
        .map_err(|hazards| format!("PTX: {hazards}"))?;
    let of = |buffers: &[Buffer; 3], word| buffers[1].element(Type::U64, word).unwrap();
    match (0..128).find(|word| !same(word % 4, of(&expected, *word), of(&found, *word), near)) {
        Some(word) => Err(format!(
            "lane {}: PTX {:#x}, machine code {:#x} of {:x?}",
            word / 4,
            of(&expected, word),
            of(&found, word),
            &words[word / 4 * 8..][..8]
        )),
        None => Ok(()),
    }
}

/// Whether two results are equal: a double, a single, and two integers per thread. No document tells the bits of a NaN that arithmetic makes.
fn same(result: usize, expected: u64, found: u64, near: Option<f64>) -> bool {
    let real = |bits: u64| if result == 0 { f64::from_bits(bits) } else { f32::from_bits(bits as u32).into() };
    let (a, b) = (real(expected), real(found));
    let is_near = near.is_some_and(|least| (a - b).abs() <= 2f64.powi(-18) * a.abs().max(least));
    expected == found || result < 2 && (a.is_nan() && b.is_nan() || is_near)
}

macro_rules! on {
    ($($test:ident: $name:literal;)*) => {
        $(
            #[test]
            fn $test() {
                agree($name);
            }
        )*
    };
}

on! {
    kepler: "kepler";
    kepler_gk210: "kepler-gk210";
    volta: "volta";
    turing: "turing";
    ampere: "ampere";
    ampere_ga10x: "ampere-ga10x";
    ada: "ada";
    hopper: "hopper";
    blackwell: "blackwell";
}
