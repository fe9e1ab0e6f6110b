//! Choice of a kernel's form. Every form is built, and its double-precision slots, shuffles, passes over shared memory
//! and registers are counted and weighed by the rates of the target.

use std::fmt;

use serde::Serialize;

use diagnostics::Diagnostic;
use graph::Graph;
use graph::body::Tally;
use kernels::{Form, Kernel, Matrix, Options, Precision};
use kinetics::Model;
use machine::cost::Work;
use machine::target::Target;

/// A form, and what multiplies with its constant matrices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variant {
    pub form: Form,
    pub matrix: Matrix,
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let on = if self.matrix == Matrix::Dfma { "" } else { ", dmma" };
        write!(f, "{}{on}", self.form)
    }
}

/// The form that a kernel takes, and what each form that was considered costs.
#[derive(Debug, Clone)]
pub struct Choice {
    pub variant: Variant,
    pub considered: Vec<Count>,
    rates: Rates,
}

/// Counts per point: before scheduling, or (of a form that was scheduled) of the graph that fits the machine.
#[derive(Debug, Clone, Serialize)]
pub struct Count {
    pub form: String,
    pub slots: u64,
    /// Tally of the operations that take the slots.
    pub tally: Tally,
    /// Upper bound on shuffles for striped constants; 0 for others.
    pub shuffles: u64,
    /// Two for each value that a step makes or reads, where warps work together.
    pub shared_passes: u64,
    /// 32-bit registers of a thread, as estimated before scheduling.
    pub registers: u32,
    /// A proven bound of the relative error against the exact form, rounding aside.
    pub error_bound: f64,
    /// K: where it holds; absent: everywhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<[f64; 2]>,
    #[serde(skip)]
    known: Variant,
    /// The error is within the tolerance.
    #[serde(skip)]
    within: bool,
}

/// Rates that decide which form is cheapest: those of the target, and the resources of a thread there.
#[derive(Debug, Clone, Copy)]
pub struct Rates {
    target: &'static Target,
    /// Constants are striped over the lanes of a warp.
    striped_constants: bool,
    registers: u32,
    /// Points that share a shuffle.
    points_per_lane: u32,
}

impl Rates {
    /// `registers`: what a thread may use.
    pub fn new(target: &'static Target, striped_constants: bool, registers: u32, points_per_lane: u32) -> Self {
        Self { target, striped_constants, registers, points_per_lane }
    }

    /// Clocks of an SM per point that a graph takes in the busiest pipe, where registers suffice.
    pub fn clocks(self, graph: &Graph, warps: u32) -> f64 {
        work(graph.slots(warps), self.shuffles(graph), graph.shared_passes(warps)).clocks(self.target)
    }

    /// Clocks per point, then slots: what forms are compared by.
    fn cost(self, count: &Count) -> (f64, u64) {
        let spills = count.registers.saturating_sub(self.registers);
        let work = work(count.slots, count.shuffles, count.shared_passes).spilling(spills);
        (work.clocks(self.target), count.slots)
    }

    /// Two for each striped constant, for all the points of a lane.
    fn shuffles(self, graph: &Graph) -> u64 {
        let striped = if self.striped_constants { graph.constants() } else { 0 };
        (2 * striped).div_ceil(u64::from(self.points_per_lane))
    }
}

/// No form reads or writes more of global memory than another.
fn work(slots: u64, shuffles: u64, shared_passes: u64) -> Work {
    let [slots, shuffles, shared_passes] = [slots, shuffles, shared_passes].map(|n| n as f64);
    Work { slots, shuffles, shared_passes, ..Work::default() }
}

/// The wanted form where the kernel has it, or (with `None`) the form that takes the fewest clocks, with the first of the
/// ways to multiply matrices or, of several, the one that takes the fewest clocks. Forms without constant matrices do
/// without tensor cores. All forms that are considered keep to the fit tolerance of the options.
///
/// Errors: as [`kernels::build()`].
pub fn choose(
    kernel: Kernel,
    model: &Model,
    options: &Options,
    wanted: Option<Form>,
    matrices: &[Matrix],
    rates: Rates,
) -> Result<Choice, Vec<Diagnostic>> {
    let forms = match wanted {
        // Its rates are made of logarithms, whatever the form.
        _ if kernel == Kernel::Chemistry && options.precision == Precision::Single => vec![Form::LogSpace],
        // GPUs were not timed with these rates in logarithms.
        _ if kernel == Kernel::Progress && !rates.target.is_cpu() => vec![Form::Pairwise],
        Some(form) => vec![form.for_kernel(kernel, options.fit_tolerance)],
        None => Form::allowed(kernel, options.fit_tolerance),
    };
    let has_matrices =
        |form: Form| form.has_matrices(kernel) && !(kernel.has_diffusion() && model.lewis_numbers().is_some());
    let variants: Vec<Variant> = forms
        .into_iter()
        .flat_map(|form| {
            let ways: &[Matrix] = if has_matrices(form) { matrices } else { &[Matrix::Dfma] };
            ways.iter().map(move |&matrix| Variant { form, matrix })
        })
        .collect();
    if let [variant] = variants[..] {
        return Ok(Choice { variant, considered: Vec::new(), rates });
    }
    let counts = variants.iter().map(|&variant| count(kernel, model, options, variant, rates));
    let mut choice = Choice { variant: variants[0], considered: counts.collect::<Result<_, _>>()?, rates };
    choice.variant = choice.ranked()[0];
    Ok(choice)
}

impl Choice {
    /// Takes the counts of a form from the graph that was scheduled, which may be a dearer one because the cheaper one does
    /// not fit.
    pub fn recount(&mut self, variant: Variant, scheduled: &Graph, warps: u32) {
        if let Some(count) = self.considered.iter_mut().find(|c| c.known == variant) {
            count.take(scheduled, warps, self.rates);
        }
    }

    /// The cheapest form that was not tried, unless a form that was tried, with the registers that it lacked, is cheaper and
    /// lacks none.
    pub fn next(&self, tried: &[(Variant, u32)]) -> Option<Variant> {
        let excess = |variant: Variant| tried.iter().find(|(known, _)| *known == variant).map(|&(_, excess)| excess);
        for variant in self.ranked() {
            match excess(variant) {
                None => return Some(variant),
                Some(0) => return None,
                Some(_) => {}
            }
        }
        None
    }

    /// The forms that were counted and not tried, with the clocks per point that they were counted at, and whether they keep to the
    /// tolerance.
    pub fn counted(&self, tried: &[(Variant, u32)]) -> Vec<(String, f64, bool)> {
        let rest = self.considered.iter().filter(|count| tried.iter().all(|(known, _)| *known != count.known));
        rest.map(|count| (count.form.clone(), self.rates.cost(count).0, count.within)).collect()
    }

    pub fn is_cheaper(&self, a: Variant, b: Variant) -> bool {
        let ranked = self.ranked();
        let place = |variant: Variant| ranked.iter().position(|&other| other == variant);
        place(a) < place(b)
    }

    /// The forms within the tolerance, cheapest first; the wanted one alone where one was wanted.
    fn ranked(&self) -> Vec<Variant> {
        let mut within: Vec<&Count> = self.considered.iter().filter(|c| c.within).collect();
        if within.is_empty() {
            return vec![self.variant];
        }
        within.sort_by(|a, b| {
            let (a, b) = (self.rates.cost(a), self.rates.cost(b));
            a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
        });
        within.into_iter().map(|c| c.known).collect()
    }
}

/// The counts of one form.
fn count(
    kernel: Kernel,
    model: &Model,
    options: &Options,
    variant: Variant,
    rates: Rates,
) -> Result<Count, Vec<Diagnostic>> {
    let options = &Options { form: variant.form, matrix: variant.matrix, ..*options };
    let graph = kernels::build(kernel, model, options)?;
    let allowed = match options.form {
        Form::LowRank if kernel == Kernel::Viscosity => kernels::low_rank_bound(options.fit_tolerance),
        _ => options.fit_tolerance.unwrap_or(0.0),
    };
    let mut count = Count {
        form: variant.to_string(),
        slots: 0,
        tally: Tally::default(),
        shuffles: 0,
        shared_passes: 0,
        registers: 0,
        error_bound: graph.bound,
        range: graph.range.map(|range| [range.coldest, range.hottest]),
        known: variant,
        within: graph.bound <= allowed,
    };
    count.take(&graph, options.warps, rates);
    Ok(count)
}

impl Count {
    /// Takes the counts of a graph.
    fn take(&mut self, graph: &Graph, warps: u32, rates: Rates) {
        self.tally = graph.tally(warps);
        self.slots = graph.slots(warps);
        self.shuffles = rates.shuffles(graph);
        self.shared_passes = graph.shared_passes(warps);
        self.registers = graph.registers(warps, rates.points_per_lane);
    }
}
