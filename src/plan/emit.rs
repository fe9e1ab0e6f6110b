//! What is written.

/// What to write, besides what is always written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Emit {
    /// One .cu per kernel (.cpp for a CPU), the context and the C header
    Cuda,
    /// What cuda writes, a C++ wrapper, a Fortran module, and a CMake project with a driver and an example
    Host,
    /// One .ptx per kernel: the program that the simulator ran
    Ptx,
    /// One Graphviz file per kernel, coloured by warp
    Dot,
    /// report.json and report.txt
    Report,
    /// SVGs of each kernel: of its schedule, and of what the clocks of its predicted time go to
    Picture,
    /// report.html: the report with these pictures, as one page
    Html,
}
