//! Passes over one kernel of a module, by name: [`PASSES`] is the table that commands and guides are made from.
//!
//! A pass makes a new module and never changes the one it was given. It is deterministic, and but for `allocate` and `occupancy` it is
//! idempotent: a second time it changes nothing more. Those that decide something prove what they applied.
//!
//! ```
//! # let text = ".version 7.0\n.target sm_70\n.address_size 64\n.entry k()\n{\n.reg .b32 %r<3>;\nmov.u32 %r1, 5;\nret;\n}";
//! # let source = diagnostics::Source { name: "k.ptx".to_owned(), text: text.to_owned() };
//! # let module = ptx::read::read(&source.into()).expect("this is PTX");
//! use ptx::passes::{Options, Pass};
//! let pass = Pass::by_name("dce").expect("it is in the table");
//! let outcome = pass.run(&module, "k", &Options::default()).expect("it refuses nothing");
//! assert!(!outcome.module.to_string().contains("mov"));
//! assert_eq!(outcome.report.summary, "1 instruction removed");
//! ```

pub mod allocation;
pub mod dead_code;
pub mod diverge;
pub mod identity;
pub mod meld;
pub mod occupancy;
pub mod predication;
pub mod simplify_cfg;
mod webs;

use crate::check;
use crate::cost::Model;
use crate::ir::{Func, Module};
use diagnostics::{Diagnostic, Source};
use machine::target::Target;
use serde::Serialize;
use std::fmt::Debug;
use std::sync::Arc;

/// A pass, with its name on the command line.
#[derive(Debug)]
pub struct Pass {
    pub name: &'static str,
    /// What it does, as a table of passes says it.
    pub description: &'static str,
    run: Run,
}

/// Takes the position of the kernel among the functions of the module.
type Run = fn(&Module, usize, &Options) -> Result<Outcome, Failure>;

/// All passes, in the order in which a pipeline would name them.
pub static PASSES: [Pass; 10] = [
    Pass { name: "identity", description: "print the text and read it again, and change nothing", run: identity::pass },
    Pass { name: "dce", description: "remove instructions whose results nothing needs", run: dead_code::pass },
    Pass {
        name: "simplify-cfg",
        description: "remove unreachable and empty blocks, join blocks in a row, fold branches with one target",
        run: simplify_cfg::pass,
    },
    Pass {
        name: "tail-merge",
        description: "merge equal ends of blocks that go to one block",
        run: meld::tail_merge::pass,
    },
    Pass {
        name: "branch-fusion",
        description: "meld the two blocks of divergent branches that enclose one block on each side",
        run: meld::fusion,
    },
    Pass {
        name: "meld",
        description: "meld what resembles each other on the two sides of divergent branches (DARM)",
        run: meld::pass,
    },
    Pass {
        name: "predicate",
        description: "turn divergent branches into predicates, and leave the divergence stack out of it where that can be done",
        run: predication::pass,
    },
    Pass {
        name: "diverge=auto",
        description: "meld, predicate or leave alone each divergent branch, whichever costs least; never more than leaving all alone",
        run: diverge::pass,
    },
    Pass {
        name: "allocate",
        description: "give every value one of a fixed number of registers, or spill it",
        run: allocation::pass,
    },
    Pass {
        name: "occupancy",
        description: "allocate, spill and pad for a number of resident warps, or for the one that takes least time (Orion)",
        run: occupancy::pass,
    },
];

/// What passes are told beside the kernel.
#[derive(Debug, Clone)]
pub struct Options {
    /// The shape of the CTA, where the kernel does not demand one.
    pub block: Option<[u32; 3]>,
    /// The machine; otherwise the one of the text.
    pub target: Option<&'static Target>,
    pub allocation: allocation::Options,
    /// The least share of cycles that a meld must save.
    pub threshold: f64,
    pub predication: predication::Options,
    pub occupancy: occupancy::Options,
    /// What versions of the kernel cost; otherwise estimates.
    pub model: Option<Arc<dyn Model>>,
    /// The text that the module was read from, for messages that quote it.
    pub source: Option<Arc<Source>>,
}

impl Options {
    /// The machine that is named, or that of the text.
    fn machine(&self, module: &Module, kernel: &str) -> Result<&'static Target, Failure> {
        let own = || Target::by_name(&format!("sm_{}", module.sm));
        self.target.map_or_else(own, Ok).map_err(|unknown| {
            let message = format!("{kernel}: {unknown}");
            Failure::Refused(vec![Diagnostic::error("opt::target", message).help("name the machine with --target")])
        })
    }
}

impl Default for Options {
    fn default() -> Self {
        let threshold = meld::Options::default().threshold;
        Self {
            block: None,
            target: None,
            allocation: allocation::Options::default(),
            threshold,
            predication: predication::Options::default(),
            occupancy: occupancy::Options::default(),
            model: None,
            source: None,
        }
    }
}

/// What a pass made.
#[derive(Debug, Clone)]
pub struct Outcome {
    pub module: Module,
    pub report: Report,
}

/// What a pass did.
#[derive(Debug, Clone)]
pub struct Report {
    /// For people: one line, or several.
    pub summary: String,
    data: Arc<dyn Data>,
}

impl Report {
    pub fn new(summary: String, data: impl Serialize + Debug + Send + Sync + 'static) -> Self {
        Self { summary, data: Arc::new(data) }
    }

    /// For programs: made when it is asked for.
    pub fn data(&self) -> serde_json::Value {
        self.data.json()
    }
}

/// What a report can tell as JSON.
trait Data: Debug + Send + Sync {
    fn json(&self) -> serde_json::Value;
}

impl<T: Serialize + Debug + Send + Sync> Data for T {
    fn json(&self) -> serde_json::Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}

/// Why a pass made nothing.
#[derive(Debug, Clone)]
pub enum Failure {
    /// The kernel is none that the pass can work on.
    Refused(Vec<Diagnostic>),
    /// What the pass made is wrong: a defect of the pass.
    Unproven(Vec<Diagnostic>),
}

impl Pass {
    pub fn by_name(name: &str) -> Option<&'static Self> {
        PASSES.iter().find(|pass| pass.name == name)
    }

    /// Runs the pass on the kernel of that name, and checks that the result is a module.
    ///
    /// # Errors
    /// `opt::no-kernel` where the module has no such kernel, and what the pass says.
    pub fn run(&self, module: &Module, kernel: &str, options: &Options) -> Result<Outcome, Failure> {
        let index = module.funcs.iter().position(|func| func.name == kernel && !func.is_declaration());
        let index = index.ok_or_else(|| {
            let message = format!("the module has no kernel {kernel}");
            Failure::Refused(vec![Diagnostic::error("opt::no-kernel", message).help("check the name")])
        })?;
        let outcome = (self.run)(module, index, options)?;
        let faults = check::check(&outcome.module);
        let wrong = |fault: &check::Fault| unproven(self.name, kernel, fault);
        if faults.is_empty() { Ok(outcome) } else { Err(Failure::Unproven(faults.iter().map(wrong).collect())) }
    }
}

/// What is said of a defect that a checker found.
pub(crate) fn unproven(pass: &str, kernel: &str, what: &dyn std::fmt::Display) -> Diagnostic {
    Diagnostic::error("opt::unproven", format!("{kernel}: the result of {pass} is wrong: {what}"))
        .help("this is a defect of the pass; please report it with the text and the command")
}

/// The module with another function in the place of one, which is not copied.
fn with_func(module: &Module, index: usize, func: Func) -> Module {
    let (before, behind) = (&module.funcs[..index], &module.funcs[index + 1..]);
    Module {
        sm: module.sm,
        target_options: module.target_options.clone(),
        version: module.version,
        address_size: module.address_size,
        directives: module.directives.clone(),
        variables: module.variables.clone(),
        funcs: before.iter().cloned().chain([func]).chain(behind.iter().cloned()).collect(),
        sections: module.sections.clone(),
    }
}

/// "1 block", "2 blocks"
fn counted(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}
