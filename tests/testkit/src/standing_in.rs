//! Programs for GPUs on the host: stand-ins for the headers of HIP and CUDA run the threads of a workgroup in turns.

use machine::target::Target;

/// Stands for ROCm's header.
const HIP: &str = include_str!("../../amd/hip/hip_runtime.h");

/// Names of HIP, each with another one in CUDA.
const NAMES: [(&str, &str); 4] = [
    ("hipErrorOutOfMemory", "cudaErrorMemoryAllocation"),
    ("hipErrorNoBinaryForGpu", "cudaErrorNoKernelImageForDevice"),
    ("hipDeviceAttributeMultiprocessorCount", "cudaDevAttrMultiProcessorCount"),
    ("hip", "cuda"),
];

/// Stands for the kernel NAME of another file: the function of one point that the same graph gives.
pub const KERNEL: &str = include_str!("standing_in/kernel.cpp");

/// (name, text) of the header that stands for the runtime of a target's compiler.
pub fn runtime(target: &Target) -> (&'static str, String) {
    if target.is_amd() {
        ("hip/hip_runtime.h", HIP.to_owned())
    } else {
        ("cuda_runtime.h", NAMES.iter().fold(HIP.to_owned(), |text, (hip, cuda)| text.replace(hip, cuda)))
    }
}

/// Launches, which no C++ compiler reads, as calls.
pub fn launch_as_call(text: &str) -> String {
    let Some((head, rest)) = text.split_once("<<<") else { return text.to_owned() };
    let (shape, rest) = rest.split_once(">>>(").unwrap();
    let (arguments, rest) = rest.split_once(");").unwrap();
    let (head, kernel) = head.split_at(head.rfind(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap() + 1);
    let [ctas, threads, "0", "(cudaStream_t)run.stream" | "(hipStream_t)run.stream"] =
        shape.split(", ").collect::<Vec<_>>()[..]
    else {
        panic!("launches of one shape: {shape}")
    };
    format!("{head}stand_in::launch({ctas}, {threads}, [&] {{ {kernel}({arguments}); }});{}", launch_as_call(rest))
}
