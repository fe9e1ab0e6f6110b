//! The table of what goes with what: kernels, targets, precisions, layouts and files. Refusals, warnings of flags without effect, the
//! candidates of `singe-tune`, notes of `--help` and a page of the guide come from its rows.

use super::tries::{self, Values};
use super::{Emit, KernelChoice};
use Need::{
    Emits, EveryKernel, EveryLayout, Kernels, Layouts, NoEmit, OpenLayout, Precisions, States, Targets, UnitsOf, Value,
    Verified,
};
use graph::Units;
use kernels::{Kernel, Precision, StateVariables};
use machine::target::{ComputeCapability, Shuffle, Target};
use overlay::Codegen;

/// Members of a dimension, and the words for them.
pub struct Group<T> {
    pub name: &'static str,
    pub has: fn(T) -> bool,
}

/// Condition of a row on the rest of a request.
pub enum Need {
    Targets(Group<&'static Target>),
    /// One of the kernels is among these.
    Kernels(Group<KernelChoice>),
    EveryKernel(Group<KernelChoice>),
    Precisions(&'static [Precision]),
    /// One of the layouts that may be taken is among these.
    Layouts(Group<Codegen>),
    /// None of the layouts that are named is outside of these.
    EveryLayout(Group<Codegen>),
    /// There is a layout to look for.
    OpenLayout,
    /// One of these kinds of files is written.
    Emits(&'static [Emit]),
    NoEmit(&'static [Emit]),
    States(&'static [StateVariables]),
    UnitsOf(Units),
    /// Another flag has one of some values: `flag=value|value`.
    Value(&'static str),
    /// There are states to verify on.
    Verified,
}

/// A flag that changes nothing unless all of its needs are met.
pub struct Flag {
    /// The flag, or one of its values as `flag=value`; behind it what else must be asked for.
    pub asked: &'static [&'static str],
    /// Values and meaning of a key of `--layout`.
    pub of_layout: Option<[&'static str; 2]>,
    pub needs: &'static [Need],
    /// Values that `singe-tune` tries where nobody says.
    pub tries: Values,
}

/// Conditions that together are refused unless all needs are met: `flag=value|value`, or `flag>number`.
pub struct Refusal {
    pub asked: &'static [&'static str],
    pub needs: &'static [Need],
    pub id: &'static str,
    pub why: &'static str,
}

const CPU: Group<&'static Target> = Group { name: "cpu", has: Target::is_cpu };
const GPUS: Group<&'static Target> = Group { name: "a GPU", has: |target| !target.is_cpu() };
const NVIDIA: Group<&'static Target> = Group { name: "a GPU of NVIDIA", has: Target::is_nvidia };
/// Targets that AMReX can be built for (its documentation, "GPU").
const AMREX: Group<&'static Target> = Group {
    name: "cpu or a GPU (of NVIDIA from pascal on)",
    has: |t| !t.is_nvidia() || t.compute_capability >= ComputeCapability(6, 0),
};
const SHUFFLING: Group<&'static Target> =
    Group { name: "a GPU of NVIDIA from kepler on", has: |t| t.is_nvidia() && t.shuffle != Shuffle::Mirror };
const SHUFFLING_OR_CPU: Group<&'static Target> =
    Group { name: "cpu or a GPU of NVIDIA from kepler on", has: |t| t.is_cpu() || (SHUFFLING.has)(t) };
const WITH_PRODUCTS: Group<&'static Target> =
    Group { name: "ampere, hopper or blackwell", has: |target| target.slots_per_matrix_product().is_some() };

/// Targets that copy from global to shared memory without registers (PTX ISA, `cp.async`).
pub const COPYING: Group<&'static Target> =
    Group { name: "ampere or later", has: |t| !t.is_cpu() && t.compute_capability >= ComputeCapability(8, 0) };

const SHARED_WORK: Group<Codegen> =
    Group { name: "overlay, partial, straight or switch", has: |codegen| codegen != Codegen::DataParallel };
const DATA_PARALLEL: Group<Codegen> = Group { name: "data-parallel", has: |codegen| codegen == Codegen::DataParallel };

const REACTORS: Group<KernelChoice> = Group { name: "reactor", has: |wanted| wanted == KernelChoice::Reactor };
const STEPS: Group<KernelChoice> =
    Group { name: "isobaric-step or isochoric-step", has: |wanted| wanted.kernel().is_some_and(Kernel::is_step) };
const INTEGRATING: Group<KernelChoice> =
    Group { name: "reactor or a step", has: |wanted| (REACTORS.has)(wanted) || (STEPS.has)(wanted) };
const FLUX: Group<KernelChoice> = Group { name: "flux", has: |wanted| wanted == KernelChoice::Kernel(Kernel::Flux) };
const TRANSPORT: Group<KernelChoice> =
    Group { name: "a transport kernel", has: |wanted| wanted.kernel().is_some_and(Kernel::is_transport) };
const DIFFUSING: Group<KernelChoice> =
    Group { name: "diffusion, transport or flux", has: |wanted| wanted.kernel().is_some_and(Kernel::has_diffusion) };
const RATES: Group<KernelChoice> =
    Group { name: "a kernel of rates", has: |wanted| wanted.kernel().is_some_and(Kernel::has_rates) };
const DENSE_JACOBIANS: Group<KernelChoice> = Group {
    name: "jacobian, isobaric-jacobian or isochoric-jacobian",
    has: |wanted| {
        matches!(wanted, KernelChoice::Kernel(Kernel::Jacobian | Kernel::IsobaricJacobian | Kernel::IsochoricJacobian))
    },
};
const WITH_SINGLE: Group<KernelChoice> = Group {
    name: "viscosity, conductivity, diffusion or chemistry",
    has: |wanted| {
        matches!(
            wanted,
            KernelChoice::Kernel(Kernel::Viscosity | Kernel::Conductivity | Kernel::Diffusion | Kernel::Chemistry)
        )
    },
};

const fn flag(asked: &'static [&'static str], needs: &'static [Need], tries: Values) -> Flag {
    Flag { asked, of_layout: None, needs, tries }
}

const fn layout(asked: &'static [&'static str], needs: &'static [Need], tries: Values, of: [&'static str; 2]) -> Flag {
    Flag { asked, of_layout: Some(of), needs, tries }
}

const fn refused(
    asked: &'static [&'static str],
    needs: &'static [Need],
    id: &'static str,
    why: &'static str,
) -> Refusal {
    Refusal { asked, needs, id, why }
}

/// Number of flags that are fields of a kernel's tuning.
pub const TUNING: usize = 11;

/// Flags that concern a part of the requests. The first are those of a kernel's tuning, in the order in which a search varies them: the
/// last changes fastest. Those with values and a meaning are keys of `--layout`.
#[rustfmt::skip]
pub const FLAGS: [Flag; 21] = [
    flag(&["warps"],               &[Targets(GPUS)],                                            tries::warps),
    flag(&["groups-per-cta"],      &[Targets(GPUS), Layouts(SHARED_WORK)],                      tries::groups),
    flag(&["ctas-per-sm"],         &[Targets(GPUS)],                                            tries::ctas),
    layout(&["points-per-lane"],   &[Targets(GPUS)],                                            tries::points,
        ["1|2|4|auto", "grid points of each lane, which share each fetched constant"]),
    layout(&["slots"],             &[Targets(NVIDIA), Kernels(STEPS), Layouts(SHARED_WORK)],    tries::slots,
        ["auto|shared|global", "memory of the values that warps exchange in the kernels of one step"]),
    layout(&["constants"],         &[Targets(GPUS)],                                            tries::constants,
        ["auto|stripe|constant-bank|shared", "memory of constants: the lanes' registers, constant memory, or shared memory"]),
    flag(&["form"],                &[],                                                         tries::forms),
    layout(&["matrix"],            &[Targets(GPUS), Layouts(SHARED_WORK)],                      tries::matrices,
        ["dfma|dmma|auto", "products with constant matrices: multiply-adds, tensor cores, or the cheaper"]),
    layout(&["placement"],         &[Targets(GPUS), Layouts(SHARED_WORK)],                      tries::nothing,
        ["auto|store|buffer|mixed", "use of shared memory: a place for every value, buffers, or both"]),
    layout(&["prefetch"],          &[Targets(COPYING), Layouts(DATA_PARALLEL)],                 tries::nothing,
        ["on|off", "copy a warp's next inputs to shared memory while it computes"]),
    layout(&["qssa-warps"],        &[Targets(GPUS), Layouts(SHARED_WORK)],                      tries::nothing,
        ["N", "warps that solve for quasi-steady species while the others compute rates"]),
    flag(&["effort"],              &[Targets(GPUS), OpenLayout],                                tries::nothing),
    flag(&["soret"],               &[Kernels(FLUX)],                                            tries::nothing),
    flag(&["jacobian-storage"],    &[Kernels(DENSE_JACOBIANS)],                                 tries::nothing),
    flag(&["integrator"],          &[Kernels(INTEGRATING)],                                     tries::nothing),
    flag(&["integrator=auto"],     &[Kernels(REACTORS)],                                        tries::nothing),
    flag(&["stiffness"],           &[Kernels(RATES)],                                       tries::nothing),
    flag(&["lewis-numbers"],       &[Kernels(DIFFUSING)],                                       tries::nothing),
    flag(&["error", "precision=double"], &[Kernels(TRANSPORT)],                                 tries::nothing),
    flag(&["precision=factors=single"],  &[Kernels(REACTORS)],                                  tries::nothing),
    flag(&["verify=measure"],            &[Targets(CPU), Verified],                             tries::nothing),
];

/// Combinations that are refused. The first row that is not met is told.
#[rustfmt::skip]
pub const REFUSALS: [Refusal; 24] = [
    refused(&["target=cpu"],       &[EveryLayout(DATA_PARALLEL), Value("points-per-lane=1"), NoEmit(&[Emit::Ptx])],
        "target::no-warps", "a CPU has neither warps nor lanes"),
    refused(&["target=amd"],       &[NoEmit(&[Emit::Ptx, Emit::Cvode])],
        "target::not-for-amd", "PTX and the program around CVODE are not made for AMD"),
    refused(&["target=amd"],       &[Value("slots=auto|shared")],
        "target::not-for-amd", "its barriers order shared memory of a workgroup, not global memory"),
    refused(&["emit=ptx"],         &[Targets(SHUFFLING)],
        "target::no-ptx", "PTX text broadcasts constants by warp shuffles; the CUDA text has none"),
    refused(&["groups-per-cta>1"], &[Layouts(SHARED_WORK)],
        "target::no-warp-groups", "each warp of data-parallel code has its own group of points"),
    refused(&["matrix=dmma"],      &[Targets(WITH_PRODUCTS)],
        "target::no-matrix-products", "it has no fast matrix products of doubles"),
    refused(&["precision=single|mixed"], &[Targets(SHUFFLING_OR_CPU), EveryLayout(DATA_PARALLEL)],
        PRECISION, "warps that work together, and other targets, compute in double precision"),
    refused(&["precision=mixed"],  &[Targets(SHUFFLING)],
        PRECISION, "it replaces double precision where that is rare; a CPU has half as many double operations as single ones"),
    refused(&["precision=single|mixed"], &[EveryKernel(WITH_SINGLE), States(&[StateVariables::MoleFractions]), NoEmit(&[Emit::Device, Emit::FortranDevice])],
        PRECISION, "its error bounds are proven for kernels of mole fractions, temperature and pressure"),
    refused(&["error=measured"],   &[Precisions(&[Precision::Single]), Verified],
        PRECISION, "only the error of single precision is measured, in the states of verification"),
    refused(&["precision=single|mixed", "kernel=chemistry"], &[Value("error=measured")],
        PRECISION, "its error has no proven bound"),
    refused(&["precision=io=single"], &[Precisions(&[Precision::Single, Precision::Mixed])],
        PRECISION, "arrays of floats belong to kernels in single precision"),
    refused(&["kernel=reactor"],   &[States(&[StateVariables::MassFractions, StateVariables::Density]), UnitsOf(Units::Si)],
        "kernel::no-reactor", "the unknowns of a reactor are mass fractions and the temperature (or HPY, ERY), in SI units"),
    refused(&["kernel=reactor"],   &[Emits(&[Emit::Host, Emit::Cuda, Emit::Cvode, Emit::Openfoam, Emit::PelephysicsReactor])],
        "kernel::no-reactor", "reactors are functions of a project for hosts"),
    refused(&["kernel=reactor", "precision=io=single"], &[Targets(CPU)],
        "kernel::no-reactor", "reactors on GPUs keep their states in doubles"),
    refused(&["kernel=reactor", "precision=factors=single"], &[Targets(NVIDIA)],
        "kernel::no-reactor", "factors in single precision are offered only where they are faster"),
    refused(&["emit=cvode"],       &[UnitsOf(Units::Si)],
        "emit::no-reactor", "its program integrates reactors in SI units"),
    refused(&["emit=kinetix"],     &[NoEmit(&[Emit::Chemkin, Emit::Pelephysics])],
        "emit::no-kinetix", "both write files of the same names: use two folders"),
    refused(&["emit=openfoam"],    &[NoEmit(&[Emit::Host, Emit::Cvode, Emit::Chemkin, Emit::Pelephysics, Emit::Kinetix])],
        "emit::no-openfoam", "its model needs its own folder"),
    refused(&["emit=chemkin|pelephysics"], &[Targets(CPU), UnitsOf(Units::Cgs), States(&[StateVariables::MoleFractions]), Value(DENSE)],
        "emit::no-chemkin", "--target cpu makes its functions, for pelephysics those of GPUs too; in CGS units, of mole fractions"),
    refused(&["emit=kinetix"],     &[Targets(CPU), UnitsOf(Units::Si), States(&[StateVariables::MoleFractions]), Value(DENSE)],
        "emit::no-kinetix", "--target cpu makes its functions, which the host compiles for CPUs and CUDA; in SI units, of mole fractions"),
    refused(&["emit=openfoam"],    &[Targets(CPU), UnitsOf(Units::Si), States(&[StateVariables::MassFractions]), Value(DENSE)],
        "emit::no-openfoam", "its model is for a CPU, in SI units, of temperature, pressure and mass fractions"),
    refused(&["emit=pelephysics-reactor"], &[Targets(AMREX), UnitsOf(Units::Si), Kernels(REACTORS), NoEmit(&[Emit::Pelephysics, Emit::Openfoam])],
        "emit::no-pelephysics-reactor", "it consists of reactors in SI units, for targets of AMReX"),
    refused(&["emit=pelephysics-reactor", "emit=cuda|host|cvode"], &[Targets(CPU)],
        "emit::no-pelephysics-reactor", "AMReX' makefiles compile only .cpp files: write the projects into different folders"),
];

/// Id of what single precision is not offered for.
pub const PRECISION: &str = "precision::not-offered";

const DENSE: &str = "jacobian-storage=dense";
