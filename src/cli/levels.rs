//! `singe occupancy K.ptx --levels all`: the kernel at every level of occupancy, with registers, spills and time, and which level is taken.

use std::path::Path;
use std::rc::Rc;

use serde_json::{Value, json};

use super::args::backend::OccupancyArguments;
use super::kernel::{module, text};
use super::occupancy::write;
use super::opt::{failed, kernels};
use super::out::print;
use super::sim::wrong;
use crate::failure::Failure;
use crate::report;
use diagnostics::Diagnostic;
use machine::target::{Target, occupancy};
use ptx::Module;
use ptx::occupancy::header::{Ladder, header};
use ptx::occupancy::select::{Clock, Timed};
use ptx::occupancy::{Demand, Level, Machine, Selection, every, select};
use ptx::passes::{self, occupancy as pass};
use warpsim::occupancy::CycleModel;
use warpsim::setup;

pub fn run(arguments: &OccupancyArguments) -> Result<(), Failure> {
    let path = arguments.ptx.as_deref().expect("clap asks for threads without it");
    let (module, source) = module(path)?;
    let machine = match &arguments.launch {
        Some(launch) => Some(machine(&module, launch, arguments.target)?),
        None => None,
    };
    let occupancy = options(machine, arguments.launch_shared);
    let (block, target) = (arguments.block, arguments.target);
    let options = passes::Options { block, target, occupancy, source: Some(source), ..passes::Options::default() };
    let mut all = Vec::new();
    for kernel in kernels(&module, arguments.kernel.as_ref(), path)? {
        let made = Made::of(&module, &kernel, &options)?;
        match arguments.json {
            true => all.push(made.json()),
            false => print(format_args!("{}", made.table()))?,
        }
        if let Some(path) = &arguments.picture {
            write(path, &made.picture(), "--picture")?;
        }
        if let (Some(path), Some(selection)) = (&arguments.header, &made.selection) {
            let text = header(&Ladder::of(selection), &kernel).map_err(|diagnostic| Failure::input([diagnostic]))?;
            write(path, &text, "--header")?;
        }
    }
    if arguments.json {
        print(format_args!("{:#}\n", json!(all)))?;
    }
    Ok(())
}

/// What times the versions, and the shared memory that its launch adds; nothing that times where the compilers are not installed.
pub(super) struct Clocked {
    machine: Option<Rc<dyn Machine>>,
    shared: u32,
}

/// Reads a launch to time versions with.
pub(super) fn machine(module: &Module, path: &Path, target: Option<&'static Target>) -> Result<Clocked, Failure> {
    let setup = setup::read(&text(path)?, path.parent().unwrap_or(Path::new(""))).map_err(|e| wrong(path, &e))?;
    let own = || Target::by_name(&format!("sm_{}", module.sm)).ok();
    let shared = u32::try_from(setup.launch.shared).unwrap_or(u32::MAX);
    let machine = target.or_else(own).and_then(|target| {
        let options = warpsim::Options { schedule: setup.schedule, ..warpsim::Options::default() };
        let ctas = TURNS * target.blocks_per_sm as usize;
        CycleModel::new(target, &setup.launch, &setup.buffers, &options, ctas).ok()
    });
    Ok(Clocked { machine: machine.map(|machine| Rc::new(machine) as Rc<dyn Machine>), shared })
}

/// Times that every place of an SM is filled with another CTA, at the highest level.
const TURNS: usize = 2;

/// What the pass is told of launches.
pub(super) fn options(clocked: Option<Clocked>, launch_shared: Option<u32>) -> pass::Options {
    let shared = clocked.as_ref().map_or(0, |clocked| clocked.shared);
    let machine = clocked.and_then(|clocked| clocked.machine);
    pass::Options { machine, launch_shared: launch_shared.unwrap_or(shared), ..pass::Options::default() }
}

/// All levels of a kernel, and the choice.
struct Made {
    kernel: String,
    target: &'static Target,
    demand: Demand,
    clock: Clock,
    rows: Vec<(Level, Result<Timed, String>)>,
    selection: Option<Selection>,
}

impl Made {
    fn of(module: &Module, kernel: &str, options: &passes::Options) -> Result<Self, Failure> {
        let index = module.funcs.iter().position(|func| func.name == kernel).expect("it is in the list of kernels");
        let (demand, settings) = pass::question(module, index, options).map_err(failed)?;
        let unproven = |refusal| match refusal {
            ptx::occupancy::Refusal::Unproven(diagnostics) => Failure::verification(diagnostics),
            refusal => Failure::input([Diagnostic::error("opt::occupancy", format!("{kernel}: {refusal}"))]),
        };
        let (clock, rows) = every(module, index, &demand, &settings).map_err(unproven)?;
        let selection = select(module, index, &demand, &settings).map_err(unproven)?;
        Ok(Self { kernel: kernel.to_owned(), target: settings.target, demand, clock, rows, selection })
    }

    fn chosen(&self) -> u32 {
        self.selection.as_ref().map_or(0, |selection| selection.version().level.warps)
    }

    fn timed(&self) -> &'static str {
        match self.clock {
            Clock::Model => "clocks by the model of time",
            Clock::Estimate => "clocks by an estimate, which orders levels and tells no times",
        }
    }

    fn limits(&self, timed: &Timed) -> String {
        let shared = timed.version.static_shared + timed.version.launch_shared;
        let registers = timed.version.assembled.unwrap_or(timed.version.registers);
        occupancy(self.target, self.demand.kernel(registers, shared)).limiting().join(", ")
    }

    fn table(&self) -> String {
        let Demand { threads, max_live, named_barriers, .. } = self.demand;
        let mut out = format!(
            "{} on {}: {threads} threads per CTA, {max_live} registers alive at once, {} bytes of shared memory, \
             {named_barriers} named barriers; {}\n{:>5} {:>5} {:>9} {:>5} {:>13} {:>12} {:>8} {:>8} {:>12}  limited by\n",
            self.kernel,
            self.target.name,
            self.demand.shared(),
            self.timed(),
            "warps",
            "CTAs",
            "registers",
            "taken",
            "spills shared",
            "spills local",
            "padding",
            "launch",
            "clocks",
        );
        for (level, row) in &self.rows {
            let head = format!("{:>5} {:>5}", level.warps, level.blocks);
            match row {
                Err(why) => out += &format!("{head} {:>9} {why}\n", level.registers),
                Ok(timed) => {
                    let (local, shared) = timed.version.spilled_bytes();
                    let taken = timed.version.assembled.map_or("-".to_owned(), |registers| registers.to_string());
                    out += &format!(
                        "{head} {:>9} {taken:>5} {shared:>13} {local:>12} {:>8} {:>8} {:>12.0}  {}\n",
                        timed.version.registers,
                        timed.version.padding,
                        timed.version.launch_shared,
                        timed.clocks,
                        self.limits(timed)
                    );
                }
            }
        }
        if let Some(selection) = &self.selection {
            let Timed { version, clocks, .. } = &selection.tried[selection.chosen];
            out += &format!(
                "chosen: {} warps with at most {} registers, {clocks:.0} clocks, of {} versions\n",
                version.level.warps,
                version.registers,
                selection.versions()
            );
        }
        out
    }

    fn json(&self) -> Value {
        let row = |(level, row): &(Level, Result<Timed, String>)| match row {
            Err(why) => json!({ "level": level, "refused": why }),
            Ok(timed) => {
                let mut value = pass::as_json(&timed.version);
                value["clocks"] = json!(timed.clocks);
                value["limited_by"] = json!(self.limits(timed));
                value
            }
        };
        let selection = self.selection.as_ref().map(pass::selection_json);
        json!({
            "kernel": self.kernel,
            "target": self.target.name,
            "threads": self.demand.threads,
            "max_live": self.demand.max_live,
            "clock": self.clock,
            "levels": self.rows.iter().map(row).collect::<Vec<_>>(),
            "selection": selection,
        })
    }

    fn picture(&self) -> String {
        let point = |(level, row): &(Level, Result<Timed, String>)| Some((level.warps, row.as_ref().ok()?.clocks));
        let rows: Vec<(u32, f64)> = self.rows.iter().filter_map(point).collect();
        let title = format!("{} on {}: {}", self.kernel, self.target.name, self.timed());
        report::levels_picture(&title, &rows, self.chosen())
    }
}
