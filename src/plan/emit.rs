//! Kinds of output files.

/// Kind of output, besides what is always written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Emit {
    /// One .cu per kernel (.cpp for a CPU), the context and the C header
    Cuda,
    /// The files of cuda, a C++ wrapper, a Fortran module, and a CMake project with a driver and an example; for a GPU
    /// also the same for CPUs, which CMake builds where there is no compiler for CUDA
    Host,
    /// For a CPU: what host writes, and a program that integrates a batch of reactors with SUNDIALS' CVODE
    Cvode,
    /// A header of functions that compute one point each, for kernels of your own (__device__ for compilers of CUDA)
    Device,
    /// The same in Fortran: a module of pure procedures that loops of OpenACC and OpenMP call on a device
    FortranDevice,
    /// For a CPU: what device writes, and a library with the calling conventions of CHEMKIN-II; in CGS units
    Chemkin,
    /// For a CPU: what device writes, and mechanism.H and mechanism.cpp as PelePhysics has them; in CGS units
    Pelephysics,
    /// ReactorSinge.H and ReactorSinge.cpp, a reactor of PelePhysics for PeleC, with --state TPY for PeleLMeX: for CPUs, or for the --target that is given
    PelephysicsReactor,
    /// For a CPU: what device writes, and the files that KinetiX generates for nekRS
    Kinetix,
    /// For a CPU: what device writes, and a chemistry model for OpenFOAM, with --kernel reactor one that advances all cells by reactors
    Openfoam,
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
