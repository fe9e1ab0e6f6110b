//! The pictures of a kernel.

use super::Unit;
use crate::plan::Request;
use crate::report::{phases, schedule_picture, straight_line_picture};
use crate::verify::Prediction;
use overlay::Codegen;
use toolkit::picture::{self, Bar};

pub struct Picture {
    pub file: String,
    /// Caption, in one line.
    pub caption: &'static str,
    pub svg: String,
}

/// The schedule, or of straight-line code its values and operations; and where a time was predicted, what its clocks go to over time and in all.
pub fn pictures(request: &Request, unit: &Unit) -> Vec<Picture> {
    let base = &unit.program.symbol;
    let target = request.common.target;
    let prediction = unit.report.prediction.as_ref();
    let (caption, svg) = if unit.program.is_straight_line() {
        let title = format!("{base}: data-parallel code, {}", target.name);
        let registers = Some(unit.report.machine.registers).filter(|_| !target.is_cpu());
        (
            "The code of a thread, from its begin to its end: how many values live at once, what it computes where, and below what each \
             kind of operation takes.",
            straight_line_picture(&unit.program, registers, &title),
        )
    } else {
        let title = format!("{base}: {} warps, {}", unit.report.warps, target.name);
        let svg = schedule_picture(&unit.graph, unit.proven.schedule(), &title, prediction);
        ("The schedule: what each warp runs, and when.", svg)
    };
    std::iter::once(Picture { file: format!("{base}.svg"), caption, svg })
        .chain(prediction.iter().flat_map(|prediction| of_time(request, unit, prediction)))
        .collect()
}

fn of_time(request: &Request, unit: &Unit, prediction: &Prediction) -> [Picture; 2] {
    let (base, warps) = (&unit.program.symbol, unit.report.warps as usize);
    let target = &request.common.target.name;
    let phases = match unit.codegen {
        Codegen::DataParallel => Vec::new(),
        _ => phases(&unit.graph, unit.proven.schedule(), &prediction.timeline),
    };
    let title = format!("{base}: {} × {warps} warps on an SM of {target}", prediction.ctas);
    let bars: Vec<Bar> = prediction
        .warps
        .iter()
        .enumerate()
        .map(|(warp, clocks)| Bar { name: format!("warp {warp}"), clocks: clocks.causes, critical: clocks.critical })
        .collect();
    let line = picture::timeline(&title, &prediction.timeline, warps, &phases);
    let bars = picture::bars(&format!("{title}: clocks of a warp in one turn of the streaming loop"), &bars);
    [
        Picture {
            file: format!("{base}_timeline.svg"),
            caption: "The timeline by the model of time: what the clocks of each warp went to.",
            svg: line,
        },
        Picture {
            file: format!("{base}_causes.svg"),
            caption: "The clocks of each warp by cause, in one turn of the streaming loop.",
            svg: bars,
        },
    ]
}
