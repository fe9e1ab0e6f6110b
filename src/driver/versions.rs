//! Further versions of a kernel, as the search asks for them.

use super::lowered::lowered;
use super::{compile_one, on_compilers};
use crate::observer::Observer;
use crate::output::{self, Unit};
use crate::plan::{Request, Resolved};
use crate::report::KernelReport;
use crate::search::{self, Draft};
use crate::verify::{self, Subject};
use command::{Failure, FailureKind};
use diagnostics::Diagnostic;
use kinetics::Model;
use overlay::program::Program;

/// Maker of further versions for the search.
pub struct Versions<'a> {
    pub request: &'a Request,
    pub model: &'a Model,
    pub observer: &'a mut Observer,
    /// What is to be told of versions that were made anew.
    pub warnings: Vec<Diagnostic>,
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
        match on_compilers::compile(self.request, self.model, units, self.observer) {
            Err(failure) if is_of_spill_code(&failure, units.iter().map(|unit| &**unit)) => {
                self.warnings.push(miscompiled(&failure));
                for unit in units.iter_mut().filter(|unit| unit.code.spilled > 0) {
                    **unit = self.without_spill_code(unit)?;
                }
                let left = units.iter_mut().filter(|unit| unit.compiled.is_none());
                let mut left: Vec<&mut Unit> = left.map(|unit| &mut **unit).collect();
                on_compilers::compile(self.request, self.model, &mut left, self.observer)
            }
            found => found,
        }
    }

    fn verify(&mut self, unit: &mut Unit) -> Result<(), Failure> {
        match on_compilers::verify(self.request, self.model, unit, self.observer) {
            Err(failure) if is_of_spill_code(&failure, [&*unit]) => {
                self.warnings.push(miscompiled(&failure));
                *unit = self.without_spill_code(unit)?;
                Ok(())
            }
            found => found,
        }
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

impl Versions<'_> {
    /// The version whose spilling is the compiler's own, verified and timed as the one before it.
    fn without_spill_code(&mut self, unit: &Unit) -> Result<Unit, Failure> {
        let program = Program { registers: None, ..unit.program.clone() };
        let report = KernelReport { own_spill_bytes: 0, ..unit.report.clone() };
        let own = self.request.of_kernel(unit.kernel).in_layout(unit.codegen);
        let made = again(&own, self.model, unit, program, report, self.observer)?;
        let mut made = Unit { beside: unit.beside, ..made };
        on_compilers::compile(self.request, self.model, &mut [&mut made], self.observer)?;
        on_compilers::verify(self.request, self.model, &mut made, self.observer)?;
        if unit.is_settled {
            on_compilers::settle(self.request, self.model, &mut made, self.observer)?;
        }
        if unit.is_doubted {
            on_compilers::doubt(self.request, self.model, &mut made, self.observer)?;
        }
        Ok(made)
    }
}

/// Whether spill code of these kernels may be what failed.
fn is_of_spill_code<'a>(failure: &Failure, units: impl IntoIterator<Item = &'a Unit>) -> bool {
    failure.kind == FailureKind::Verification && units.into_iter().any(|unit| unit.code.spilled > 0)
}

/// Compilers have moved a load of spill code ahead of the store to its place (ptxas 11.8 for sm_90).
fn miscompiled(failure: &Failure) -> Diagnostic {
    let first = failure.diagnostics.first().map_or("", |first| &first.message);
    Diagnostic::warning(
        "verify::spill-code",
        format!("the kernel was made again without spill code of its own, which failed a check: {first}"),
    )
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
