//! Clang's CUDA front end for sm_20, which NVIDIA's own compilers no longer know. It makes PTX without a CUDA installation:
//! the few names of CUDA that emitted kernels use are declared in front of the text.

use crate::target::ComputeCapability;
use std::io::Write;
use std::process::Command;

/// CUDA's names in terms of clang's builtins. Launch bounds are left out: with them ptxas would ignore the limit of 63 registers
/// of these machines.
const DECLARATIONS: &str = r#"
#define __CUDACC_RTC__
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __constant__ __attribute__((constant))
#define __shared__ __attribute__((shared))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __launch_bounds__(...)
#define SINGE_INDEX(NAME, REGISTER) \
  struct singe_##NAME { \
    __declspec(property(get = get)) int x; \
    static __inline__ __attribute__((always_inline)) __device__ int get() { return __nvvm_read_ptx_sreg_##REGISTER##_x(); } \
  }; \
  extern const __device__ __attribute__((weak)) singe_##NAME NAME;
SINGE_INDEX(threadIdx, tid)
SINGE_INDEX(blockIdx, ctaid)
SINGE_INDEX(gridDim, nctaid)
#define SINGE_FUNCTION static __inline__ __attribute__((always_inline, unused)) __device__
typedef unsigned long size_t;
SINGE_FUNCTION int min(int a, int b) { return a < b ? a : b; }
SINGE_FUNCTION double fma(double a, double b, double c) { return __nvvm_fma_rn_d(a, b, c); }
SINGE_FUNCTION double fmax(double a, double b) { return __nvvm_fmax_d(a, b); }
SINGE_FUNCTION double fmin(double a, double b) { return __nvvm_fmin_d(a, b); }
SINGE_FUNCTION double sqrt(double a) { return __nvvm_sqrt_rn_d(a); }
SINGE_FUNCTION double __dmul_rn(double a, double b) { return __nvvm_mul_rn_d(a, b); }
SINGE_FUNCTION double __longlong_as_double(long long a) { return __builtin_bit_cast(double, a); }
SINGE_FUNCTION int __double2hiint(double a) { return __nvvm_d2i_hi(a); }
SINGE_FUNCTION int __double2loint(double a) { return __nvvm_d2i_lo(a); }
SINGE_FUNCTION double __hiloint2double(int high, int low) { return __nvvm_lohi_i2d(low, high); }
"#;

/// Returns PTX for the machine; the error is what clang prints.
pub fn compile(name: &str, source: &str, arch: ComputeCapability) -> Result<String, String> {
    let failed = |what: &str, e: std::io::Error| format!("{what}: {e}");
    let mut input = tempfile::Builder::new().suffix(".cu").tempfile().map_err(|e| failed("temporary file", e))?;
    // Clang would put tables that are const into constant memory, which is too small for them.
    let source = source.replace("static __device__ const ", "static __device__ ");
    write!(input, "{DECLARATIONS}\n#line 1 \"{name}\"\n{source}").map_err(|e| failed("temporary file", e))?;
    let output = Command::new("clang")
        .args(["-x", "cuda", "--cuda-device-only", "-S", "-O3", "-nocudainc", "-nocudalib", "-nostdinc", "-std=c++11"])
        .args([
            "-ffp-contract=off", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", "-Wno-unknown-cuda-version",
            "-Wno-pass-failed",
        ])
        .arg(format!("--cuda-gpu-arch={}", arch.sm()))
        .arg(input.path())
        .args(["-o", "-"])
        .output()
        .map_err(|e| failed("clang", e))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Whether clang can be run.
pub fn is_there() -> bool {
    Command::new("clang").arg("--version").output().is_ok_and(|output| output.status.success())
}
