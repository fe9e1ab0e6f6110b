//! Levels of looking at a candidate: the closer, the longer it takes.

use serde::{Deserialize, Serialize};
use singe::driver::Request;

use crate::clock::Clock;

/// The later, the more is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// Its counts are taken in the simulator, and its time is estimated from them.
    Counted,
    /// It is compiled, too, where the request asks compilers; the model of an SM tells the time of machine code where it can be run.
    Compiled,
    /// It runs on a device.
    Measured,
}

/// The levels that this machine and this request give, and in words what the last one's times are.
pub fn levels(request: &Request, clock: Option<&Clock>) -> (Vec<Level>, String) {
    let compilers = compilers(request);
    let has_compilers = compilers.is_ok();
    let model = compilers.and_then(|name| Ok((name, runs_machine_code(request)?)));
    let mut levels = if has_compilers { vec![Level::Counted, Level::Compiled] } else { vec![Level::Compiled] };
    let says = match (clock, model) {
        (Some(Clock { command, repeats, .. }), _) => {
            levels.push(Level::Measured);
            let runs = if *repeats > 1 { format!(", the median of {repeats} runs") } else { String::new() };
            format!("times are measured by {command}{runs}")
        }
        (None, Ok((name, ()))) => {
            format!(
                "times are predicted by the model of an SM of {}, which runs the machine code of {name}",
                target(request)
            )
        }
        (None, Err(reason)) => format!("times are estimated from counts ({reason})"),
    };
    (levels, says)
}

/// Returns the name of the toolchain that compiles for the target here.
fn compilers(request: &Request) -> Result<String, String> {
    if !request.real_compilers || request.common.target.is_cpu() {
        return Err("no compilers are asked".into());
    }
    let found = machine::toolchain::find_for(request.common.target.compute_capability);
    found.map(|toolchain| toolchain.name.clone()).map_err(|absent| absent.to_string())
}

fn runs_machine_code(request: &Request) -> Result<(), String> {
    if !request.predict_time {
        return Err("--verify no-time leaves it out".into());
    }
    if request.common.target.pipeline.is_none() {
        return Err(format!("the pipeline of {} is not described", target(request)));
    }
    toolkit::cubin::reads_machine_code(request.common.target)
}

fn target(request: &Request) -> &str {
    &request.common.target.name
}
