//! Further versions of a kernel, as the search asks for them.

use super::lowered::lowered;
use super::{compile_one, on_compilers};
use crate::failure::Failure;
use crate::observer::Observer;
use crate::output::{self, Unit};
use crate::plan::{Request, Resolved};
use crate::report::KernelReport;
use crate::search::{self, Draft};
use crate::verify::{self, Subject};
use kinetics::Model;
use overlay::program::Program;

/// Maker of further versions for the search.
pub struct Versions<'a> {
    pub request: &'a Request,
    pub model: &'a Model,
    pub observer: &'a mut Observer,
}

impl search::VersionMaker for Versions<'_> {
    type Version = Unit;

    fn make(&mut self, own: &Resolved<'_>) -> Result<Unit, Failure> {
        compile_one(self.model, own, self.observer)
    }

    fn in_order(&mut self, unit: &Unit, own: &Resolved<'_>) -> Result<Option<Unit>, Failure> {
        in_order(own, self.model, unit, self.observer)
    }

    fn compile(&mut self, units: &mut [&mut Unit]) -> Result<(), Failure> {
        on_compilers::compile(self.request, self.model, units, self.observer)
    }

    fn verify(&mut self, unit: &mut Unit) -> Result<(), Failure> {
        on_compilers::verify(self.request, self.model, unit, self.observer)
    }

    fn alternative(&mut self, unit: &Unit, own: &Resolved<'_>) -> Result<Unit, Failure> {
        let mut program = unit.program.clone();
        program.symbol += "_alternative";
        let mut report = unit.report.clone();
        (report.symbol, report.alternative) = (program.symbol.clone(), true);
        again(own, self.model, unit, program, report, self.observer)
    }

    fn settle(&mut self, unit: &mut Unit) -> Result<(), Failure> {
        on_compilers::settle(self.request, self.model, unit, self.observer)
    }

    fn doubt(&mut self, unit: &mut Unit) -> Result<(), Failure> {
        on_compilers::doubt(self.request, self.model, unit, self.observer)
    }
}

/// A kernel with its constants in the order in which the machine code reads them; nothing where no other order is known.
fn in_order(own: &Resolved<'_>, model: &Model, unit: &Unit, observer: &mut Observer) -> Result<Option<Unit>, Failure> {
    let Some(program) = overlay::in_order(&unit.program, &unit.constants_read) else { return Ok(None) };
    let mut report = unit.report.clone();
    report.constants += ", as the machine code reads them";
    let unit = again(own, model, unit, program, report, observer)?;
    Ok(Some(Unit { constants_read: Vec::new(), ..unit }))
}

/// A kernel with another program for the same schedule, and what is to be reported of it.
fn again(
    own: &Resolved<'_>,
    model: &Model,
    unit: &Unit,
    program: Program,
    report: KernelReport,
    observer: &mut Observer,
) -> Result<Unit, Failure> {
    let (target, kernel) = (own.asked.common.target, unit.kernel);
    let code = lowered(own, &program, &unit.proven, observer)?;
    let ptx = observer.pass("ptx", Some(kernel), || emit_ptx::print(&code, target.compute_capability));
    let codegen = unit.codegen;
    let (graph, mapping, proven) = (unit.graph.clone(), unit.mapping.clone(), unit.proven.clone());
    if let Some(states) = own.asked.verify {
        let stiffness = own.asked.common.stiffness;
        let (graph, mapping, proven, program, module) = (&graph, &mapping, &proven, &program, &ptx);
        let subject = Subject { kernel, model, stiffness, graph, mapping, proven, program, module };
        observer.pass("verify", Some(kernel), || verify::verify(&subject, states)).map_err(Failure::verification)?;
    }
    let source = observer.pass("print", Some(kernel), || output::source(own, model, &code, &report));
    let kept = Draft {
        graph,
        mapping,
        proven,
        schedules: Vec::new(),
        program,
        code,
        ptx,
        registers_held: unit.report.registers_held,
        single: None,
        whole: None,
    };
    Ok(Unit::new(kernel, codegen, kept, source, report))
}
