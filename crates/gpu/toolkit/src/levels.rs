//! `singe ptx occupancy K.ptx`: the kernel at every level of occupancy, with registers, spills and time, and which level is taken.

use std::path::Path;

use serde_json::{Value, json};

use super::arguments::OccupancyArguments;
use super::kernel::module;
use super::launched::launched;
use super::opt::{failed, kernels};
use crate::picture;
use command::Failure;
use command::files;
use command::print;
use diagnostics::{Diagnostic, to_stderr};
use machine::target::{Target, occupancy};
use passes::at_level;
use passes::occupancy::header::{Ladder, header};
use passes::occupancy::select::{Clock, Rows, Timed};
use passes::occupancy::{Demand, Level, Selection, every, select};
use ptx::Module;

pub fn run(arguments: &OccupancyArguments) -> Result<(), Failure> {
    let path = arguments.ptx.as_deref().expect("clap asks for threads without it");
    if arguments.levels.is_some() {
        to_stderr(format_args!("note: --levels all is the default; the next version has no such flag\n"));
    }
    if let Some(target) = arguments.target.filter(|target| target.is_amd()) {
        let message = format!("{} is AMD's, and the kernel is PTX", target.name);
        let help = "leave out --target, or name a GPU of NVIDIA";
        return Err(Failure::usage([Diagnostic::error("target::no-ptx", message).help(help)]));
    }
    let (module, source) = module(path)?;
    let kernels = kernels(&module, arguments.kernel.as_ref(), path)?;
    let (block, target, shared) = (arguments.block, arguments.target, arguments.launch_shared);
    let occupancy = at_level::Options { launch_shared: shared.unwrap_or(0), ..at_level::Options::default() };
    let given = passes::Options { block, target, occupancy, source: Some(source), ..passes::Options::default() };
    let own = match &arguments.launch {
        Some(launch) => Some(launched(&module, &kernels, launch, &given, shared)?),
        None => None,
    };
    let mut all = Vec::new();
    for (number, kernel) in kernels.into_iter().enumerate() {
        // the last kernel's file stays
        let force = arguments.force || number > 0;
        let write = |path: &Path, text: &str, flag| files::write_file(path, text, flag, force).map_err(Failure::input);
        let options = own.as_ref().filter(|(name, _)| *name == kernel).map_or(&given, |(_, options)| options);
        let made = KernelLevels::new(&module, &kernel, options)?;
        match arguments.json {
            true => all.push(made.json()),
            false => print(format_args!("{}", made.table()))?,
        }
        if let Some(path) = &arguments.picture {
            write(path, &made.picture(), "--picture")?;
        }
        if let (Some(path), Some(selection)) = (&arguments.header, &made.selection) {
            let text = header(&Ladder::new(selection), &kernel).map_err(|diagnostic| Failure::input([diagnostic]))?;
            write(path, &text, "--header")?;
        }
    }
    if arguments.json {
        print(format_args!("{:#}\n", json!(all)))?;
    }
    Ok(())
}

/// All levels of a kernel, and the choice.
struct KernelLevels {
    kernel: String,
    target: &'static Target,
    demand: Demand,
    clock: Clock,
    rows: Rows,
    selection: Option<Selection>,
}

impl KernelLevels {
    fn new(module: &Module, kernel: &str, options: &passes::Options) -> Result<Self, Failure> {
        let index = module.funcs.iter().position(|func| func.name == kernel).expect("it is in the list of kernels");
        let (demand, settings) = at_level::question(module, index, options).map_err(failed)?;
        let unproven = |refusal| match refusal {
            passes::occupancy::Refusal::Unproven(diagnostics) => Failure::verification(diagnostics),
            refusal => Failure::input([Diagnostic::error("opt::occupancy", format!("{kernel}: {refusal}"))]),
        };
        let (clock, rows) = every(module, index, &demand, &settings).map_err(unproven)?;
        let selection = select(module, index, &demand, &settings).map_err(unproven)?;
        Ok(Self { kernel: kernel.to_owned(), target: settings.target, demand, clock, rows, selection })
    }

    fn chosen(&self) -> u32 {
        self.selection.as_ref().map_or(0, |selection| selection.version().level.warps)
    }

    fn timed(&self) -> String {
        let estimated = "clocks by an estimate, which orders levels and tells no times";
        match (self.clock, self.not_modelled()) {
            (Clock::Model, _) => "clocks by the model of time".to_owned(),
            (Clock::Estimate, None) => estimated.to_owned(),
            (Clock::Estimate, Some(why)) => format!("{estimated}, as the model of time could not be asked: {why}"),
        }
    }

    /// Why the launch was not timed.
    fn not_modelled(&self) -> Option<&str> {
        self.selection.as_ref()?.not_modelled.as_deref().map(str::trim_end)
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
                let mut value = at_level::as_json(&timed.version);
                value["clocks"] = json!(timed.clocks);
                value["limited_by"] = json!(self.limits(timed));
                value
            }
        };
        let selection = self.selection.as_ref().map(at_level::selection_json);
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
        picture::levels_picture(&title, &rows, self.chosen())
    }
}
