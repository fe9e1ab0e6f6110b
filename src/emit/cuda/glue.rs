//! The fixed parts of emitted files, as Jinja templates. A template takes no decision.

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, UndefinedBehavior, Value};
use serde::Serialize;
use std::sync::LazyLock;

/// A file of `templates/`.
#[derive(Debug, Clone, Copy)]
pub enum Template {
    Kernel,
    Header,
    Context,
    Wrapper,
    Module,
    Example,
    Cmake,
    Driver,
    Reference,
    Vector,
    CpuKernel,
    CpuContext,
    CpuCmake,
    CpuDriver,
    CpuExample,
    Device,
    /// Of both programs that integrate reactors
    Conditions,
    Ignition,
    CpuIgnition,
}

const ALL: [Template; 19] = [
    Template::Kernel,
    Template::Header,
    Template::Context,
    Template::Wrapper,
    Template::Module,
    Template::Example,
    Template::Cmake,
    Template::Driver,
    Template::Reference,
    Template::Vector,
    Template::CpuKernel,
    Template::CpuContext,
    Template::CpuCmake,
    Template::CpuDriver,
    Template::CpuExample,
    Template::Device,
    Template::Conditions,
    Template::Ignition,
    Template::CpuIgnition,
];

/// Fills a template.
pub fn render(template: Template, data: &impl Serialize) -> String {
    let template = ENVIRONMENT.get_template(template.name()).expect("every template is registered");
    template.render(Value::from(Serde(data))).expect("tests render every template, and undefined names are errors")
}

impl Template {
    fn name(self) -> &'static str {
        match self {
            Self::Kernel => "kernel.cu",
            Self::Header => "header.h",
            Self::Context => "context.cu",
            Self::Wrapper => "wrapper.hpp",
            Self::Module => "module.f90",
            Self::Example => "example.f90",
            Self::Cmake => "CMakeLists.txt",
            Self::Driver => "driver.cu",
            Self::Reference => "reference.h",
            Self::Vector => "singe_vector.h",
            Self::CpuKernel => "kernel.cpp",
            Self::CpuContext => "context.cpp",
            Self::CpuCmake => "cpu_CMakeLists.txt",
            Self::CpuDriver => "driver.cpp",
            Self::CpuExample => "cpu_example.f90",
            Self::Device => "device.h",
            Self::Conditions => "conditions",
            Self::Ignition => "ignition.cu",
            Self::CpuIgnition => "ignition.cpp",
        }
    }

    fn text(self) -> &'static str {
        match self {
            Self::Kernel => include_str!("../../../templates/kernel.cu.jinja"),
            Self::Header => include_str!("../../../templates/header.h.jinja"),
            Self::Context => include_str!("../../../templates/context.cu.jinja"),
            Self::Wrapper => include_str!("../../../templates/wrapper.hpp.jinja"),
            Self::Module => include_str!("../../../templates/module.f90.jinja"),
            Self::Example => include_str!("../../../templates/example.f90.jinja"),
            Self::Cmake => include_str!("../../../templates/CMakeLists.txt.jinja"),
            Self::Driver => include_str!("../../../templates/driver.cu.jinja"),
            Self::Reference => include_str!("../../../templates/reference.h.jinja"),
            Self::Vector => include_str!("../../../templates/cpu/singe_vector.h.jinja"),
            Self::CpuKernel => include_str!("../../../templates/cpu/kernel.cpp.jinja"),
            Self::CpuContext => include_str!("../../../templates/cpu/context.cpp.jinja"),
            Self::CpuCmake => include_str!("../../../templates/cpu/CMakeLists.txt.jinja"),
            Self::CpuDriver => include_str!("../../../templates/cpu/driver.cpp.jinja"),
            Self::CpuExample => include_str!("../../../templates/cpu/example.f90.jinja"),
            Self::Device => include_str!("../../../templates/device.h.jinja"),
            Self::Conditions => include_str!("../../../templates/conditions.jinja"),
            Self::Ignition => include_str!("../../../templates/ignition.cu.jinja"),
            Self::CpuIgnition => include_str!("../../../templates/cpu/ignition.cpp.jinja"),
        }
    }
}

static ENVIRONMENT: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    let mut syntax = SyntaxConfig::builder();
    syntax.keep_trailing_newline(true).trim_blocks(true).lstrip_blocks(true);
    environment.set_syntax(syntax.build().expect("the delimiters are the default ones"));
    for template in ALL {
        environment.add_template(template.name(), template.text()).expect("the templates are well formed");
    }
    environment
});
