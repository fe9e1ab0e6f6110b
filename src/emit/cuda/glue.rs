//! The fixed parts of emitted files, as handlebars templates. A template takes no decision.

use handlebars::{Handlebars, no_escape};
use serde::Serialize;
use std::sync::LazyLock;

/// A file of `templates/`.
#[derive(Debug, Clone, Copy)]
pub enum Template {
    Kernel,
    Header,
}

/// Fills a template.
pub fn render(template: Template, data: &impl Serialize) -> String {
    REGISTRY.render(template.name(), data).expect("tests render every template, and strict mode finds missing names")
}

impl Template {
    fn name(self) -> &'static str {
        match self {
            Self::Kernel => "kernel.cu",
            Self::Header => "header.h",
        }
    }

    fn text(self) -> &'static str {
        match self {
            Self::Kernel => include_str!("../../../templates/kernel.cu.hbs"),
            Self::Header => include_str!("../../../templates/header.h.hbs"),
        }
    }
}

static REGISTRY: LazyLock<Handlebars<'static>> = LazyLock::new(|| {
    let mut registry = Handlebars::new();
    registry.set_strict_mode(true);
    registry.register_escape_fn(no_escape);
    for template in [Template::Kernel, Template::Header] {
        registry.register_template_string(template.name(), template.text()).expect("the templates are well formed");
    }
    registry
});
