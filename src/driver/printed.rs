//! The PTX of kernels as it is printed: its proof, and our own backend on it.

use crate::backend::backend;
use crate::fault;
use crate::observer::Observer;
use crate::output::Unit;
use crate::plan::Request;
use crate::verify;
use command::Failure;

/// Proves the PTX, whatever the passes behind the proof of the schedule added to it.
pub fn prove(request: &Request, unit: &mut Unit, observer: &mut Observer) -> Result<(), Failure> {
    fault::in_ptx(request.fault, &mut unit.ptx);
    let Unit { program, graph, ptx, .. } = unit;
    let prove = || verify::prove_printed(program, graph.arrays.len(), ptx, request.common.target);
    observer.pass("prove ptx", Some(unit.kernel), prove).map_err(Failure::verification)
}

/// Notes in the report of a kernel for NVIDIA what our own backend finds.
pub fn allocate(request: &Request, unit: &mut Unit, observer: &mut Observer) -> Result<(), Failure> {
    let target = request.common.target;
    if !target.is_nvidia() {
        return Ok(());
    }
    let Unit { program, ptx, report, .. } = unit;
    let allocate = || backend(ptx, &program.symbol, report.registers_available, target);
    let found = observer.pass("backend", Some(unit.kernel), allocate).map_err(Failure::verification)?;
    report.allocated(target, program, found);
    Ok(())
}
