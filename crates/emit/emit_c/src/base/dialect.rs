//! The two languages that one tree is printed in: NVIDIA's and AMD's.

use machine::target::Target;

/// Language of the text: its names, and the parts that it leaves out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    Cuda,
    Hip {
        /// Every lane stores, as no lane reads what another one stores: those beyond the last point have computed that point again,
        /// and store its values once more. Without branches the code is one block, in which compilers keep the order of the text.
        stores_always: bool,
    },
}

impl Dialect {
    /// That of host code for the target.
    pub fn for_target(target: &Target) -> Self {
        if target.is_amd() { Self::Hip { stores_always: false } } else { Self::Cuda }
    }

    pub fn is_hip(self) -> bool {
        matches!(self, Self::Hip { .. })
    }

    /// Whether lanes beyond the last point have to be told apart.
    pub fn has_active_lanes(self) -> bool {
        self != Self::Hip { stores_always: true }
    }
}

/// Names of CUDA and what HIP has for them, the longer ones first where one is a part of another.
const NAMES: [(&str, &str); 15] = [
    ("cuda_runtime.h", "hip/hip_runtime.h"),
    // One header serves both: its pointer to a stream is cast.
    ("// cudaStream_t is a pointer to this.", "// A hipStream_t is passed as a pointer to this, by a cast."),
    ("cudaStream_t stream", "struct CUstream_st *stream"),
    ("cudaDeviceProp ", "hipDeviceProp_t "),
    ("cudaDevAttrClockRate", "hipDeviceAttributeClockRate"),
    ("cudaDevAttrMemoryClockRate", "hipDeviceAttributeMemoryClockRate"),
    ("cudaDevAttrGlobalMemoryBusWidth", "hipDeviceAttributeMemoryBusWidth"),
    ("cudaDevAttrMultiProcessorCount", "hipDeviceAttributeMultiprocessorCount"),
    ("cudaErrorNoKernelImageForDevice", "hipErrorNoBinaryForGpu"),
    ("cudaErrorMemoryAllocation", "hipErrorOutOfMemory"),
    ("compute capability %d.%d, %d multiprocessors", "gfx version %d.%d, %d compute units"),
    ("\\\"compute_capability\\\"", "\\\"gfx_version\\\""),
    ("per clock and multiprocessor;", "per clock and compute unit;"),
    ("cuda", "hip"),
    ("CUDA", "HIP"),
];

/// A text for CUDA's hosts as one for HIP's: HIP has the same functions by other names.
pub fn hipified(text: &str) -> String {
    NAMES.iter().fold(text.to_owned(), |text, (cuda, hip)| text.replace(cuda, hip))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_code_keeps_its_words_and_changes_its_names() {
        let text = "#include <cuda_runtime.h>\ncheck(cudaMalloc(&p, n), \"cudaMalloc\"); // an error of CUDA\n";
        let expected = "#include <hip/hip_runtime.h>\ncheck(hipMalloc(&p, n), \"hipMalloc\"); // an error of HIP\n";
        assert_eq!(hipified(text), expected);
        assert_eq!(
            hipified("case cudaErrorMemoryAllocation: int x(cudaStream_t stream);"),
            "case hipErrorOutOfMemory: int x(struct CUstream_st *stream);"
        );
    }
}
