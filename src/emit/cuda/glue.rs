//! The fixed parts of emitted files, as handlebars templates. A template takes no decision.

use handlebars::{Handlebars, no_escape};
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
}

const ALL: [Template; 9] = [
    Template::Kernel,
    Template::Header,
    Template::Context,
    Template::Wrapper,
    Template::Module,
    Template::Example,
    Template::Cmake,
    Template::Driver,
    Template::Reference,
];

/// Fills a template.
pub fn render(template: Template, data: &impl Serialize) -> String {
    REGISTRY.render(template.name(), data).expect("tests render every template, and strict mode finds missing names")
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
        }
    }

    fn text(self) -> &'static str {
        match self {
            Self::Kernel => include_str!("../../../templates/kernel.cu.hbs"),
            Self::Header => include_str!("../../../templates/header.h.hbs"),
            Self::Context => include_str!("../../../templates/context.cu.hbs"),
            Self::Wrapper => include_str!("../../../templates/wrapper.hpp.hbs"),
            Self::Module => include_str!("../../../templates/module.f90.hbs"),
            Self::Example => include_str!("../../../templates/example.f90.hbs"),
            Self::Cmake => include_str!("../../../templates/CMakeLists.txt.hbs"),
            Self::Driver => include_str!("../../../templates/driver.cu.hbs"),
            Self::Reference => include_str!("../../../templates/reference.h.hbs"),
        }
    }
}

static REGISTRY: LazyLock<Handlebars<'static>> = LazyLock::new(|| {
    let mut registry = Handlebars::new();
    registry.set_strict_mode(true);
    registry.register_escape_fn(no_escape);
    for template in ALL {
        registry.register_template_string(template.name(), template.text()).expect("the templates are well formed");
    }
    registry
});
