//! The fixed parts of emitted files, as Handlebars templates. A template takes no decision.

use super::dialect::{Dialect, hipified};
use handlebars::{Handlebars, no_escape};
use serde::Serialize;
use std::sync::{LazyLock, PoisonError, RwLock, RwLockReadGuard};

/// A file of `templates/`.
#[derive(Debug, Clone, Copy)]
pub enum Template {
    Kernel,
    HipKernel,
    /// For all kernels for AMD
    HipRuntime,
    HipCmake,
    Header,
    Context,
    Wrapper,
    Module,
    Example,
    Cmake,
    Install,
    Driver,
    Reference,
    Vector,
    Single,
    CpuKernel,
    CpuContext,
    CpuCmake,
    CpuDriver,
    CpuExample,
    Device,
    /// For functions of one point
    PointFunctions,
    PointNamespace,
    Conversions,
    /// For both programs that integrate reactors
    Conditions,
    Ignition,
    CpuIgnition,
    /// That runs texts for CPUs
    CpuTexts,
    ReactorHeader,
    ReactorWrapper,
    ReactorModule,
    /// For programs that solve linear systems of reactors
    Elimination,
    /// For both programs that advance reactors
    ReactorLane,
    ReactorMethod,
    Reactor,
    GpuReactor,
    ReactorDriver,
    CpuReactorDriver,
    /// For libraries with other codes' calling conventions
    Polynomials,
    ChemkinStates,
    ChemkinStrings,
    ChemkinOthers,
    ChemkinHeader,
    Chemkin,
    PeleHeader,
    Pele,
    PeleReactorHeader,
    PeleReactor,
    PeleReactorMake,
    KinetixData,
    Kinetix,
    FoamModel,
    FoamFiles,
    FoamOptions,
    FoamCmake,
    /// Procedures of one point, and a program that calls them
    FortranDevice,
    FortranTexts,
}

const ALL: [Template; 57] = [
    Template::Kernel,
    Template::HipKernel,
    Template::HipRuntime,
    Template::HipCmake,
    Template::Header,
    Template::Context,
    Template::Wrapper,
    Template::Module,
    Template::Example,
    Template::Cmake,
    Template::Install,
    Template::Driver,
    Template::Reference,
    Template::Vector,
    Template::Single,
    Template::CpuKernel,
    Template::CpuContext,
    Template::CpuCmake,
    Template::CpuDriver,
    Template::CpuExample,
    Template::Device,
    Template::PointFunctions,
    Template::PointNamespace,
    Template::Conversions,
    Template::Conditions,
    Template::Ignition,
    Template::CpuIgnition,
    Template::CpuTexts,
    Template::ReactorHeader,
    Template::ReactorWrapper,
    Template::ReactorModule,
    Template::Elimination,
    Template::ReactorLane,
    Template::ReactorMethod,
    Template::Reactor,
    Template::GpuReactor,
    Template::ReactorDriver,
    Template::CpuReactorDriver,
    Template::Polynomials,
    Template::ChemkinStates,
    Template::ChemkinStrings,
    Template::ChemkinOthers,
    Template::ChemkinHeader,
    Template::Chemkin,
    Template::PeleHeader,
    Template::Pele,
    Template::PeleReactorHeader,
    Template::PeleReactor,
    Template::PeleReactorMake,
    Template::KinetixData,
    Template::Kinetix,
    Template::FoamModel,
    Template::FoamFiles,
    Template::FoamOptions,
    Template::FoamCmake,
    Template::FortranDevice,
    Template::FortranTexts,
];

/// Fills a template.
pub fn render(template: Template, data: &impl Serialize) -> String {
    render_in(Dialect::Cuda, template, data)
}

/// Fills a template, which is one for CUDA, in a dialect of that.
pub fn render_in(dialect: Dialect, template: Template, data: &impl Serialize) -> String {
    let (templates, text): (_, Spelling) =
        if dialect.is_hip() { (&HIP_TEMPLATES, hipified) } else { (&TEMPLATES, str::to_owned) };
    if !read(templates).has_template(template.name()) {
        register(&mut templates.write().unwrap_or_else(PoisonError::into_inner), template, text);
    }
    read(templates).render(template.name(), data).expect("tests render every template, and undefined names are errors")
}

impl Template {
    fn name(self) -> &'static str {
        match self {
            Self::Kernel => "kernel.cu",
            Self::HipKernel => "kernel.hip",
            Self::HipRuntime => "hip_runtime",
            Self::HipCmake => "hip_CMakeLists.txt",
            Self::Header => "header.h",
            Self::Context => "context.cu",
            Self::Wrapper => "wrapper.hpp",
            Self::Module => "module.f90",
            Self::Example => "example.f90",
            Self::Cmake => "CMakeLists.txt",
            Self::Install => "install.cmake",
            Self::Driver => "driver.cu",
            Self::Reference => "reference.h",
            Self::Vector => "singe_vector.h",
            Self::Single => "singe_single.h",
            Self::CpuKernel => "kernel.cpp",
            Self::CpuContext => "context.cpp",
            Self::CpuCmake => "cpu_CMakeLists.txt",
            Self::CpuDriver => "driver.cpp",
            Self::CpuExample => "cpu_example.f90",
            Self::Device => "device.h",
            Self::PointFunctions => "point_functions",
            Self::PointNamespace => "point_namespace",
            Self::Conversions => "conversions",
            Self::Conditions => "conditions",
            Self::Ignition => "ignition.cu",
            Self::CpuIgnition => "ignition.cpp",
            Self::CpuTexts => "texts.cpp",
            Self::ReactorHeader => "reactor.h",
            Self::ReactorWrapper => "reactor.hpp",
            Self::ReactorModule => "reactor.f90",
            Self::Elimination => "elimination",
            Self::ReactorLane => "reactor_lane",
            Self::ReactorMethod => "reactor_method",
            Self::Reactor => "reactor.cpp",
            Self::GpuReactor => "reactor.cu",
            Self::ReactorDriver => "reactor_driver.cu",
            Self::CpuReactorDriver => "reactor_driver.cpp",
            Self::Polynomials => "polynomials",
            Self::ChemkinStates => "chemkin_states",
            Self::ChemkinStrings => "chemkin_strings",
            Self::ChemkinOthers => "chemkin_others",
            Self::ChemkinHeader => "chemkin.h",
            Self::Chemkin => "chemkin.cpp",
            Self::PeleHeader => "mechanism.H",
            Self::Pele => "mechanism.cpp",
            Self::PeleReactorHeader => "ReactorSinge.H",
            Self::PeleReactor => "ReactorSinge.cpp",
            Self::PeleReactorMake => "Make.package",
            Self::KinetixData => "mech.h",
            Self::Kinetix => "kinetix.h",
            Self::FoamModel => "openfoam.C",
            Self::FoamFiles => "Make/files",
            Self::FoamOptions => "Make/options",
            Self::FoamCmake => "openfoam_CMakeLists.txt",
            Self::FortranDevice => "device.f90",
            Self::FortranTexts => "texts.f90",
        }
    }

    fn text(self) -> &'static str {
        match self {
            Self::Kernel => include_str!("../../templates/kernel.cu.hbs"),
            Self::HipKernel => include_str!("../../templates/hip/kernel.hip.hbs"),
            Self::HipRuntime => include_str!("../../templates/hip/runtime.hbs"),
            Self::HipCmake => include_str!("../../templates/hip/CMakeLists.txt.hbs"),
            Self::Header => include_str!("../../templates/header.h.hbs"),
            Self::Context => include_str!("../../templates/context.cu.hbs"),
            Self::Wrapper => include_str!("../../templates/wrapper.hpp.hbs"),
            Self::Module => include_str!("../../templates/module.f90.hbs"),
            Self::Example => include_str!("../../templates/example.f90.hbs"),
            Self::Cmake => include_str!("../../templates/CMakeLists.txt.hbs"),
            Self::Install => include_str!("../../templates/install.cmake.hbs"),
            Self::Driver => include_str!("../../templates/driver.cu.hbs"),
            Self::Reference => include_str!("../../templates/reference.h.hbs"),
            Self::Vector => include_str!("../../templates/cpu/singe_vector.h.hbs"),
            Self::Single => include_str!("../../templates/cpu/singe_single.h.hbs"),
            Self::CpuKernel => include_str!("../../templates/cpu/kernel.cpp.hbs"),
            Self::CpuContext => include_str!("../../templates/cpu/context.cpp.hbs"),
            Self::CpuCmake => include_str!("../../templates/cpu/CMakeLists.txt.hbs"),
            Self::CpuDriver => include_str!("../../templates/cpu/driver.cpp.hbs"),
            Self::CpuExample => include_str!("../../templates/cpu/example.f90.hbs"),
            Self::Device => include_str!("../../templates/device.h.hbs"),
            Self::PointFunctions => include_str!("../../templates/point_functions.hbs"),
            Self::PointNamespace => include_str!("../../templates/point_namespace.hbs"),
            Self::Conversions => include_str!("../../templates/conversions.hbs"),
            Self::Conditions => include_str!("../../templates/conditions.hbs"),
            Self::Ignition => include_str!("../../templates/ignition.cu.hbs"),
            Self::CpuIgnition => include_str!("../../templates/cpu/ignition.cpp.hbs"),
            Self::CpuTexts => include_str!("../../templates/cpu/texts.cpp.hbs"),
            Self::ReactorHeader => include_str!("../../templates/cpu/reactor.h.hbs"),
            Self::ReactorWrapper => include_str!("../../templates/reactor.hpp.hbs"),
            Self::ReactorModule => include_str!("../../templates/reactor.f90.hbs"),
            Self::Elimination => include_str!("../../templates/elimination.hbs"),
            Self::ReactorLane => include_str!("../../templates/reactor_lane.hbs"),
            Self::ReactorMethod => include_str!("../../templates/reactor_method.hbs"),
            Self::GpuReactor => include_str!("../../templates/reactor.cu.hbs"),
            Self::ReactorDriver => include_str!("../../templates/reactor_driver.cu.hbs"),
            Self::CpuReactorDriver => include_str!("../../templates/cpu/reactor_driver.cpp.hbs"),
            Self::Reactor => include_str!("../../templates/cpu/reactor.cpp.hbs"),
            Self::ChemkinHeader => include_str!("../../templates/cpu/chemkin.h.hbs"),
            Self::Polynomials => include_str!("../../templates/cpu/polynomials.hbs"),
            Self::ChemkinStates => include_str!("../../templates/cpu/chemkin_states.hbs"),
            Self::ChemkinStrings => include_str!("../../templates/cpu/chemkin_strings.hbs"),
            Self::ChemkinOthers => include_str!("../../templates/cpu/chemkin_others.hbs"),
            Self::Chemkin => include_str!("../../templates/cpu/chemkin.cpp.hbs"),
            Self::PeleHeader => include_str!("../../templates/cpu/mechanism.h.hbs"),
            Self::Pele => include_str!("../../templates/cpu/mechanism.cpp.hbs"),
            Self::PeleReactorHeader => include_str!("../../templates/pelephysics/reactor.H.hbs"),
            Self::PeleReactor => include_str!("../../templates/pelephysics/reactor.cpp.hbs"),
            Self::PeleReactorMake => include_str!("../../templates/pelephysics/Make.package.hbs"),
            Self::KinetixData => include_str!("../../templates/kinetix/mech.h.hbs"),
            Self::Kinetix => include_str!("../../templates/kinetix/kinetix.h.hbs"),
            Self::FoamModel => include_str!("../../templates/openfoam/chemistry.C.hbs"),
            Self::FoamFiles => include_str!("../../templates/openfoam/files.hbs"),
            Self::FoamOptions => include_str!("../../templates/openfoam/options.hbs"),
            Self::FoamCmake => include_str!("../../templates/openfoam/CMakeLists.txt.hbs"),
            Self::FortranDevice => include_str!("../../templates/fortran/device.f90.hbs"),
            Self::FortranTexts => include_str!("../../templates/fortran/texts.f90.hbs"),
        }
    }
}

/// How the text of a template is spelt in a dialect.
type Spelling = fn(&str) -> String;

/// Templates that were asked for: all of them take longer to read than a small kernel to compile.
static TEMPLATES: LazyLock<RwLock<Handlebars<'static>>> = LazyLock::new(empty);

static HIP_TEMPLATES: LazyLock<RwLock<Handlebars<'static>>> = LazyLock::new(empty);

fn empty() -> RwLock<Handlebars<'static>> {
    let mut templates = Handlebars::new();
    templates.set_strict_mode(true);
    templates.register_escape_fn(no_escape);
    RwLock::new(templates)
}

fn read<'a>(templates: &'a RwLock<Handlebars<'static>>) -> RwLockReadGuard<'a, Handlebars<'static>> {
    templates.read().unwrap_or_else(PoisonError::into_inner)
}

/// Reads a template, and those that it contains.
fn register(templates: &mut Handlebars, template: Template, spelt: Spelling) {
    let text = template.text();
    for part in ALL.into_iter().filter(|part| text.contains(&format!("{{{{> {}}}}}", part.name()))) {
        register(templates, part, spelt);
    }
    templates.register_template_string(template.name(), spelt(text)).expect("the templates are well formed");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_are_well_formed_and_know_their_parts() {
        for template in ALL {
            let mut templates = empty().into_inner().unwrap();
            register(&mut templates, template, str::to_owned);
            let parts = template.text().matches("{{>").count();
            assert_eq!(templates.get_templates().len() > 1, parts > 0, "{}", template.name());
        }
    }
}
