//! Passes over one kernel of a module, by name: [`PASSES`] is the table that commands and guides are made from.
//!
//! A pass makes a new module and never changes the one it was given. It is deterministic, and but for `allocate` and `occupancy` it is
//! idempotent: a second time it changes nothing more. Those that decide something prove what they applied.
//!
//! ```
//! # let text = ".version 7.0\n.target sm_70\n.address_size 64\n.entry k()\n{\n.reg .b32 %r<3>;\nmov.u32 %r1, 5;\nret;\n}";
//! # let module = ptx::read::text("k.ptx", text).expect("this is PTX");
//! use passes::{Options, Pass};
//! let pass = Pass::by_name("dce").expect("it is in the table");
//! let outcome = pass.run(&module, "k", &Options::default()).expect("it refuses nothing");
//! assert!(!outcome.module.to_string().contains("mov"));
//! assert_eq!(outcome.report.summary, "1 instruction removed");
//! ```
#![forbid(unsafe_code)]

pub mod allocate;
pub mod allocation;
pub mod at_level;
pub mod dead_code;
pub mod diverge;
pub mod identity;
pub mod meld;
pub mod occupancy;
pub(crate) mod options;
pub(crate) mod outcome;
pub mod predicate;
pub mod predication;
pub mod simplify_cfg;
mod webs;

use diagnostics::Diagnostic;
pub use options::{Options, THRESHOLD};
use outcome::unproven;
pub use outcome::{Failure, Outcome, Report};
use ptx::check;
use ptx::ir::Module;

/// A pass, with its name on the command line.
#[derive(Debug)]
pub struct Pass {
    pub name: &'static str,
    /// Description of the pass for a table of passes.
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
        run: at_level::pass,
    },
];

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
