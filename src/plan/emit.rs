//! Kinds of output files.

/// Kind of output, besides what is always written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Emit {
    /// One .cu per kernel (.cpp for a CPU), the context and the C header
    Cuda,
    /// The files of cuda, a C++ wrapper, a Fortran module, and a CMake project with a driver and an example. For a GPU
    /// also the CPU's version, which CMake builds without a compiler for CUDA
    Host,
    /// For a CPU: the files of host, and a program that integrates a batch of reactors with SUNDIALS' CVODE
    Cvode,
    /// A header of functions of one point, for your own kernels (__device__ for compilers of CUDA)
    Device,
    /// The same in Fortran: a module of pure procedures that loops of OpenACC and OpenMP call on a device
    FortranDevice,
    /// For a CPU: the files of device, and a library with the calling conventions of CHEMKIN-II; in CGS units
    Chemkin,
    /// For a CPU: the files of device, and mechanism.H and mechanism.cpp of PelePhysics; in CGS units
    Pelephysics,
    /// ReactorSinge.H and ReactorSinge.cpp: a PelePhysics reactor for PeleC, or with --state TPY for PeleLMeX; for CPUs by default
    PelephysicsReactor,
    /// For a CPU: the files of device, and the files that KinetiX generates for nekRS
    Kinetix,
    /// For a CPU: the files of device, and a chemistry model for OpenFOAM; with --kernel reactor it advances all cells
    Openfoam,
    /// One .ptx per kernel: the program that the simulator ran
    Ptx,
    /// One Graphviz file per kernel, coloured by warp
    Dot,
    /// report.json and report.txt
    Report,
    /// SVGs of each kernel: its schedule, and the parts of its predicted time
    Picture,
    /// report.html: the report with these pictures, as one page
    Html,
}
