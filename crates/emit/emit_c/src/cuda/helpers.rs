//! The device functions that kernels call; a file holds those that its kernel uses.

use super::branch_free;
use super::hip_helpers as hip;
use crate::base::dialect::Dialect;
use crate::base::functions;
use crate::base::numbers::Numbers;
use graph::single::double_float;
use lower::code::PRODUCT_GROUPS;
use machine::target::{Shuffle, Target};
use overlay::program::Unary;

/// A function of the text, in the order of their definitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Helper {
    Broadcast,
    BroadcastIndex,
    Reload,
    ReloadIndex,
    Thread,
    Again,
    Load,
    LoadOutput,
    LoadDouble,
    Singles,
    First,
    Second,
    Store,
    StorePair,
    CopyAsync,
    CommitCopies,
    AwaitCopies,
    SpillAddress,
    Spill,
    Reloaded,
    SelectLe,
    InStep,
    BarrierSync,
    BarrierArrive,
    /// One of those that are lists of steps.
    Function(Unary),
    /// For singles, without special cases.
    ReciprocalNear,
    QuotientNear,
    RootNear,
    Multiply,
    MultiplyPair,
    StoreBlock,
}

impl Helper {
    const ALL: [Self; 45] = [
        Self::Broadcast,
        Self::BroadcastIndex,
        Self::Reload,
        Self::ReloadIndex,
        Self::Thread,
        Self::Again,
        Self::Load,
        Self::LoadOutput,
        Self::LoadDouble,
        Self::Singles,
        Self::First,
        Self::Second,
        Self::Store,
        Self::StorePair,
        Self::CopyAsync,
        Self::CommitCopies,
        Self::AwaitCopies,
        Self::SpillAddress,
        Self::Spill,
        Self::Reloaded,
        Self::SelectLe,
        Self::InStep,
        Self::BarrierSync,
        Self::BarrierArrive,
        Self::Function(Unary::Exp),
        Self::Function(Unary::Log),
        Self::Function(Unary::Exp2),
        Self::Function(Unary::Exp2Table),
        Self::Function(Unary::Exp2Rising),
        Self::Function(Unary::Exp2Falling),
        Self::Function(Unary::Exp2Within),
        Self::Function(Unary::Exp2TableWithin),
        Self::Function(Unary::Exp2RisingWithin),
        Self::Function(Unary::Exp2FallingWithin),
        Self::Function(Unary::Exp2OfWhole),
        Self::Function(Unary::Exp2Near),
        Self::Function(Unary::Exp2FallingNear),
        Self::Function(Unary::Log2),
        Self::Function(Unary::Positive),
        Self::ReciprocalNear,
        Self::QuotientNear,
        Self::RootNear,
        Self::Multiply,
        Self::MultiplyPair,
        Self::StoreBlock,
    ];

    /// The names that a kernel's own variables must not take.
    pub fn names() -> [&'static str; Self::ALL.len()] {
        Self::ALL.map(Self::name)
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Broadcast => "broadcast",
            Self::BroadcastIndex => "broadcast_index",
            Self::Reload => "reload",
            Self::ReloadIndex => "reload_index",
            Self::Thread => "thread",
            Self::Again => "again",
            Self::Load => "load",
            Self::LoadOutput => "load_output",
            Self::LoadDouble => "load_double",
            Self::Singles => "singles",
            Self::First => "first_single",
            Self::Second => "second_single",
            Self::Store => "store",
            Self::StorePair => "store_pair",
            Self::CopyAsync => "copy_async",
            Self::CommitCopies => "commit_copies",
            Self::AwaitCopies => "await_copies",
            Self::SpillAddress => "spill_address",
            Self::Spill => "spill",
            Self::Reloaded => "reloaded",
            Self::SelectLe => "select_le",
            Self::InStep => "in_step",
            Self::BarrierSync => "barrier_sync",
            Self::BarrierArrive => "barrier_arrive",
            Self::Function(function) => functions::name(function),
            Self::ReciprocalNear => "reciprocal_near",
            Self::QuotientNear => "quotient_near",
            Self::RootNear => "root_near",
            Self::Multiply => "multiply",
            Self::MultiplyPair => "multiply_pair",
            Self::StoreBlock => "store_block",
        }
    }

    pub fn reads_powers(self) -> bool {
        matches!(self, Self::Function(function) if function.reads_powers())
    }

    pub fn reads_logarithms(self) -> bool {
        matches!(self, Self::Function(function) if function.reads_logarithms())
    }

    /// The definition, for a CTA of this many warps.
    pub fn definition(self, target: &Target, warps: u32, dialect: Dialect, numbers: Numbers) -> String {
        let load = if target.read_only_loads { "__ldg(" } else { "*(" };
        let text = match self {
            _ if dialect.is_hip() && hip::differs(self) => hip::definition(self),
            Self::Broadcast => broadcast(target, warps),
            Self::BroadcastIndex => broadcast_index(target, warps),
            Self::Reload => reload(target, self.name(), "double", "f64", 'd'),
            Self::ReloadIndex => reload(target, self.name(), "int", "s32", 'r'),
            Self::Thread => THREAD.to_owned(),
            Self::Again => AGAIN.to_owned(),
            Self::Load => format!(
                "// Row of a field-major input at one point.\n\
                 INLINE REAL load(const IO *__restrict__ field, int row, int stride, int point)\n\
                 {{\n  return {load}field + (size_t)row * stride + point);\n}}\n"
            ),
            Self::LoadOutput => "\
// Row of a field-major output at one point.
INLINE REAL load_output(const IO *field, int row, int stride, int point)
{
  return field[(size_t)row * stride + point];
}
"
            .to_owned(),
            Self::LoadDouble => format!(
                "// Row of a field-major array at one point, with all its digits.\n\
                 INLINE double load_double(const double *__restrict__ field, int row, int stride, int point)\n\
                 {{\n  return {load}field + (size_t)row * stride + point);\n}}\n"
            ),
            Self::Singles => singles(),
            Self::First => FIRST.to_owned(),
            Self::Second => SECOND.to_owned(),
            Self::StorePair => STORE_PAIR.to_owned(),
            Self::Store if !dialect.has_active_lanes() => STORE_ALWAYS.to_owned(),
            // A function, so that broadcasts in its arguments are executed by all lanes; the same for the selection.
            Self::Store => "\
// Row of a field-major output at one point, for the lanes whose point exists.
INLINE void store(IO *field, int row, int stride, int point, bool active, REAL value)
{
  if (active) field[(size_t)row * stride + point] = value;
}
"
            .to_owned(),
            Self::CopyAsync => COPY_ASYNC.to_owned(),
            Self::CommitCopies => COMMIT_COPIES.to_owned(),
            Self::AwaitCopies => AWAIT_COPIES.to_owned(),
            Self::SpillAddress => SPILL_ADDRESS.to_owned(),
            Self::Spill => SPILL.to_owned(),
            Self::Reloaded => RELOADED.to_owned(),
            Self::SelectLe => "\
INLINE REAL select_le(REAL a, REAL b, REAL then, REAL otherwise)
{
  return a <= b ? then : otherwise;
}
"
            .to_owned(),
            Self::InStep => IN_STEP.to_owned(),
            Self::BarrierSync => barrier("barrier_sync", "bar.sync", "Arrives and waits for the rest."),
            Self::BarrierArrive => barrier("barrier_arrive", "bar.arrive", "Arrives and goes on."),
            Self::Function(function) => functions::definition(function, target, numbers),
            Self::ReciprocalNear => branch_free::definition(self.name(), branch_free::RECIPROCAL),
            Self::QuotientNear => branch_free::definition(self.name(), branch_free::QUOTIENT),
            Self::RootNear => branch_free::definition(self.name(), branch_free::ROOT),
            Self::Multiply => multiply(),
            Self::MultiplyPair => multiply_pair(),
            Self::StoreBlock => store_block(),
        };
        text.replace("INLINE", "static __device__ __forceinline__")
            .replace("REAL", numbers.real())
            .replace("IO", numbers.io.c_type())
            .replace("BYTES", &numbers.io.bytes().to_string())
    }
}

/// The operations of [`double_float::of_double`].
fn singles() -> String {
    let double_float::Words { size, small, large, rebased, power } = double_float::WORDS;
    format!(
        "\
// Two singles whose sum is a double, but for a 2^-46th of it: its first 24 digits, and the next 23.
INLINE float2 singles(double x)
{{
  const unsigned high = (unsigned)__double2hiint(x), low = (unsigned)__double2loint(x);
  // Values outside the range of singles become 0 or not a number.
  const unsigned size = min(max(high & {size:#x}u, {small:#x}u), {large:#x}u);
  const unsigned digits = (((size << 3) | (low >> 29)) - {rebased:#x}u) | (high & ~{size:#x}u);
  const unsigned power = digits & {power:#x}u;
  const float first = __int_as_float((int)digits);
  const float next = __int_as_float((int)(power | ((low >> 6) & ~{power:#x}u)));
  const float rest = __fmul_rn(__fsub_rn(next, __int_as_float((int)power)), {next:e}f);
  const float sum = __fadd_rn(first, rest);
  return make_float2(sum, __fsub_rn(rest, __fsub_rn(sum, first)));
}}
",
        next = double_float::NEXT
    )
}

const FIRST: &str = "\
INLINE float first_single(double x)
{
  return singles(x).x;
}
";

const SECOND: &str = "\
INLINE float second_single(double x)
{
  return singles(x).y;
}
";

const STORE_PAIR: &str = "\
// Row of a field-major output at one point, for the lanes whose point exists: the sum of two singles.
INLINE void store_pair(double *field, int row, int stride, int point, bool active, float value, float rest)
{
  if (active) field[(size_t)row * stride + point] = __dadd_rn((double)value, (double)rest);
}
";

const STORE_ALWAYS: &str = "\
// Row of a field-major output at one point. Lanes beyond the last point have computed that once more: they store the same.
INLINE void store(IO *field, int row, int stride, int point, REAL value)
{
  field[(size_t)row * stride + point] = value;
}
";

/// Clang would otherwise move instructions from one part of the code to another, and with them what has to be kept.
const IN_STEP: &str = "\
// The waves of a workgroup wait for each other, to fetch the code behind it together, and no instruction is moved over it.
INLINE void in_step()
{
  __builtin_amdgcn_sched_barrier(0);
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_sched_barrier(0);
}
";

/// In assembly, as there is no function for it that all compilers of CUDA C++ have.
const COPY_ASYNC: &str = "\
// Starts to copy a row of a field-major input at one point to shared memory.
INLINE void copy_async(IO *to, const IO *field, int row, int stride, int point)
{
  const unsigned shared = (unsigned)__cvta_generic_to_shared(to);
  asm volatile(\"cp.async.ca.shared.global [%0], [%1], BYTES;\"
               : : \"r\"(shared), \"l\"(field + (size_t)row * stride + point) : \"memory\");
}
";

const COMMIT_COPIES: &str = "\
// The copies since the last call are a batch.
INLINE void commit_copies()
{
  asm volatile(\"cp.async.commit_group;\" : : : \"memory\");
}
";

const AWAIT_COPIES: &str = "\
// Waits until at most so many batches of this thread's copies are under way.
template <int batches> INLINE void await_copies()
{
  asm volatile(\"cp.async.wait_group %0;\" : : \"n\"(batches) : \"memory\");
}
";

/// In assembly, as compilers would keep numbers of an array with known places in registers, and spill them in their own order.
const SPILL_ADDRESS: &str = "\
// The address of an array in the local memory of this thread.
INLINE size_t spill_address(const double *array)
{
  size_t address;
  asm volatile(\"cvta.to.local.u64 %0, %1;\" : \"=l\"(address) : \"l\"(array) : \"memory\");
  return address;
}
";

const SPILL: &str = "\
// Stores a number until it is used again: its register is needed for others meanwhile.
template <int place> INLINE void spill(size_t spills, double value)
{
  asm volatile(\"st.local.f64 [%0+%1], %2;\" : : \"l\"(spills), \"n\"(8 * place), \"d\"(value));
}
";

const RELOADED: &str = "\
// Loads a number that was stored until it is used again.
template <int place> INLINE double reloaded(size_t spills)
{
  double value;
  asm volatile(\"ld.local.f64 %0, [%1+%2];\" : \"=d\"(value) : \"l\"(spills), \"n\"(8 * place));
  return value;
}
";

/// In assembly: CUDA C++ has these products for shapes of its own only, whose fragments may not be touched.
fn multiply() -> String {
    let product = |(pair, point)| format!("  MULTIPLY(s{}, s{}, {point});\n", 2 * pair, 2 * pair + 1);
    let products: String = (0..).zip(PRODUCT_GROUPS).map(product).collect();
    format!(
        "\
// Adds the product of a block of 8 rows and 4 columns with values of 32 points to sums, in four groups of 8 points. Lane l
// holds the block's element at row l/4 and column l%4, and gives the slot of the value for column l%4 at its own point.
INLINE void multiply(double block, const double *values, double &s0, double &s1, double &s2, double &s3, double &s4,
    double &s5, double &s6, double &s7)
{{
#define MULTIPLY(first, second, point)                                                    \\
  asm volatile(\"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {{%0, %1}}, {{%2}}, {{%3}}, {{%0, %1}};\" \\
               : \"+d\"(first), \"+d\"(second) : \"d\"(block), \"d\"(values[point]))
{products}#undef MULTIPLY
}}
"
    )
}

fn multiply_pair() -> String {
    let product = |(pair, point)| format!("  MULTIPLY(s{0}, s{1}, t{0}, t{1}, {point});\n", 2 * pair, 2 * pair + 1);
    let products: String = (0..).zip(PRODUCT_GROUPS).map(product).collect();
    format!(
        "\
// The same with two blocks, of which the lower one adds to the sums t.
INLINE void multiply_pair(double upper, double lower, const double *values, double &s0, double &s1, double &s2, double &s3,
    double &s4, double &s5, double &s6, double &s7, double &t0, double &t1, double &t2, double &t3, double &t4, double &t5,
    double &t6, double &t7)
{{
#define MULTIPLY(first, second, third, fourth, point)                                     \\
  asm volatile(\"mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {{%0, %1, %2, %3}}, {{%4, %5}}, {{%6}}, {{%0, %1, %2, %3}};\" \\
               : \"+d\"(first), \"+d\"(second), \"+d\"(third), \"+d\"(fourth)                     \\
               : \"d\"(upper), \"d\"(lower), \"d\"(values[point]))
{products}#undef MULTIPLY
}}
"
    )
}

fn store_block() -> String {
    let store = |(pair, point)| format!("  first[{point}] = s{};\n  second[{point}] = s{};\n", 2 * pair, 2 * pair + 1);
    let stores: String = (0..).zip(PRODUCT_GROUPS).map(store).collect();
    format!(
        "\
// Stores sums as `multiply` makes them: lane l has row l/4 of the block at two points of each group.
INLINE void store_block(double *row, int column, int other_column, double s0, double s1, double s2, double s3, double s4,
    double s5, double s6, double s7)
{{
  double *const first = row + column, *const second = row + other_column;
{stores}}}
"
    )
}

fn broadcast(target: &Target, warps: u32) -> String {
    let shuffle = match target.shuffle {
        Shuffle::Mirror => return mirrored("broadcast", "double", warps),
        Shuffle::Shfl => "__shfl(",
        Shuffle::ShflSync => "__shfl_sync(0xffffffffu, ",
        Shuffle::Permute => unreachable!("HIP has its own"),
    };
    format!(
        "// The value that this lane holds, in all lanes of the warp.\n\
         INLINE double broadcast(double value, int lane)\n\
         {{\n\
         \x20 const int high = {shuffle}__double2hiint(value), lane);\n\
         \x20 const int low = {shuffle}__double2loint(value), lane);\n\
         \x20 return __hiloint2double(high, low);\n\
         }}\n"
    )
}

fn broadcast_index(target: &Target, warps: u32) -> String {
    let shuffle = match target.shuffle {
        Shuffle::Mirror => return mirrored("broadcast_index", "int", warps),
        Shuffle::Shfl => "__shfl(",
        Shuffle::ShflSync => "__shfl_sync(0xffffffffu, ",
        Shuffle::Permute => unreachable!("HIP has its own"),
    };
    format!("INLINE int broadcast_index(int value, int lane)\n{{\n  return {shuffle}value, lane);\n}}\n")
}

/// Values that follow from this and from the stride (addresses, comparisons with the warp's number) are the same in all phases:
/// compilers would compute them once and keep them in registers.
const THREAD: &str = "\
// This thread's number in its CTA, read again where it is used: registers are too few to keep what follows from it.
INLINE int thread()
{
  int thread;
  asm volatile(\"mov.u32 %0, %%tid.x;\" : \"=r\"(thread));
  return thread;
}
";

const AGAIN: &str = "\
// The same number, but compilers cannot see that: they compute again what follows from it, instead of keeping that.
INLINE int again(int number)
{
  asm volatile(\"\" : \"+r\"(number));
  return number;
}
";

/// In assembly, because compilers would load such a constant once and keep it, or its address.
fn reload(target: &Target, name: &str, kind: &str, suffix: &str, register: char) -> String {
    let space = if target.read_only_loads { "ld.global.nc" } else { "ld.global" };
    let bytes = if kind == "double" { 8 } else { 4 };
    format!(
        "// This thread's entry of a table, loaded again where it is used: registers are too few to keep it, or its address.\n\
         INLINE {kind} {name}(const {kind} *table)\n\
         {{\n\
         \x20 {kind} value;\n\
         \x20 asm volatile(\"{{ .reg .u32 t; .reg .u64 a; mov.u32 t, %%tid.x; mad.wide.u32 a, t, {bytes}, %1; {space}.{suffix} %0, [a]; }}\"\n\
         \x20              : \"={register}\"(value) : \"l\"(table));\n\
         \x20 return value;\n\
         }}\n"
    )
}

/// Without shuffles one lane writes and all read; the lanes of a warp are in lock step on those machines.
fn mirrored(name: &str, kind: &str, warps: u32) -> String {
    format!(
        "// The value that this lane holds, in all lanes of the warp, which runs in lock step.\n\
         INLINE {kind} {name}({kind} value, int lane)\n\
         {{\n\
         \x20 __shared__ volatile {kind} mirror[{warps}];\n\
         \x20 // Anew each time: knowing the answer of an earlier broadcast, a compiler would part the lanes in between.\n\
         \x20 int own = threadIdx.x & 31;\n\
         \x20 asm volatile(\"\" : \"+r\"(own));\n\
         \x20 if (own == lane) mirror[threadIdx.x >> 5] = value;\n\
         \x20 return mirror[threadIdx.x >> 5];\n\
         }}\n"
    )
}

/// Id and count are immediates, which ptxas can check, and with which it knows how many barriers the kernel uses.
fn barrier(name: &str, instruction: &str, comment: &str) -> String {
    format!(
        "// {comment}\n\
         template <int id, int threads> INLINE void {name}()\n\
         {{\n\
         \x20 asm volatile(\"{instruction} %0, %1;\" : : \"n\"(id), \"n\"(threads) : \"memory\");\n\
         }}\n"
    )
}
