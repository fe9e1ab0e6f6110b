//! Which form of a kernel is cheapest: every form is built, and its double-precision slots and shuffles are counted and
//! weighed by the rates of the target.

use serde::Serialize;

use crate::dataflow::body::Tally;
use crate::dataflow::{self, Form, Graph, Kernel, Options};
use crate::diagnostic::Diagnostic;
use crate::kinetics::Model;
use crate::target::{self, Target};

/// The form that a kernel takes, and what each form that was considered costs.
#[derive(Debug, Clone)]
pub struct Choice {
    pub form: Form,
    pub considered: Vec<Count>,
    rates: Rates,
}

/// Counts per point: before scheduling, or (of a form that was scheduled) of the graph that fits the machine.
#[derive(Debug, Clone, Serialize)]
pub struct Count {
    pub form: String,
    pub slots: u64,
    /// What the slots go to.
    pub tally: Tally,
    /// Two for each constant: what striped constants need at most.
    pub shuffles: u64,
    /// Largest relative error against the exact form, rounding aside.
    pub error_bound: f64,
    #[serde(skip)]
    known: Form,
    /// The error is within the tolerance.
    #[serde(skip)]
    within: bool,
}

/// Slots and shuffles per clock of an SM.
#[derive(Debug, Clone, Copy)]
pub struct Rates {
    slots: f64,
    /// `None` where constants are not striped over the lanes of a warp.
    shuffles: Option<f64>,
}

impl Rates {
    pub fn of(target: &Target, striped_constants: bool) -> Self {
        let shuffles = striped_constants.then_some(f64::from(target::SHUFFLES_PER_CLOCK_PER_SM));
        Self { slots: f64::from(target.fp64_per_clock_per_sm), shuffles }
    }

    /// Clocks of an SM per point in the busier of both pipes, then slots: what forms are compared by.
    fn cost(self, count: &Count) -> (f64, u64) {
        let shuffles = self.shuffles.map_or(0.0, |rate| count.shuffles as f64 / rate);
        ((count.slots as f64 / self.slots).max(shuffles), count.slots)
    }
}

/// The wanted form where the kernel has it, or (with `None`) the form that takes the fewest clocks. All forms that are
/// considered keep to the fit tolerance of the options.
///
/// Errors: as [`dataflow::build`].
pub fn choose(
    kernel: Kernel,
    model: &Model,
    options: &Options,
    wanted: Option<Form>,
    rates: Rates,
) -> Result<Choice, Vec<Diagnostic>> {
    if let Some(form) = wanted {
        let form = form.for_kernel(kernel, options.fit_tolerance);
        return Ok(Choice { form, considered: Vec::new(), rates });
    }
    let forms = Form::of(kernel, options.fit_tolerance);
    let counts = forms.into_iter().map(|form| count(kernel, model, &Options { form, ..*options }));
    let mut choice = Choice { form: Form::Pairwise, considered: counts.collect::<Result<_, _>>()?, rates };
    choice.form = choice.ranked()[0];
    Ok(choice)
}

impl Choice {
    /// Takes the counts of a form from the graph that was scheduled, which may be a dearer one because the cheaper one does
    /// not fit.
    pub fn recount(&mut self, form: Form, scheduled: &Graph, warps: u32) {
        if let Some(count) = self.considered.iter_mut().find(|c| c.known == form) {
            count.tally = scheduled.tally(warps);
            count.slots = scheduled.slots(warps);
            count.shuffles = 2 * scheduled.constants();
        }
    }

    /// The cheapest form that was not tried, unless a form that was tried, with the registers that it lacked, is cheaper and
    /// lacks none.
    pub fn next(&self, tried: &[(Form, u32)]) -> Option<Form> {
        let excess = |form: Form| tried.iter().find(|(known, _)| *known == form).map(|&(_, excess)| excess);
        for form in self.ranked() {
            match excess(form) {
                None => return Some(form),
                Some(0) => return None,
                Some(_) => {}
            }
        }
        None
    }

    pub fn is_cheaper(&self, a: Form, b: Form) -> bool {
        let ranked = self.ranked();
        let place = |form: Form| ranked.iter().position(|&other| other == form);
        place(a) < place(b)
    }

    /// The forms within the tolerance, cheapest first; the wanted one alone where one was wanted.
    fn ranked(&self) -> Vec<Form> {
        let mut within: Vec<&Count> = self.considered.iter().filter(|c| c.within).collect();
        if within.is_empty() {
            return vec![self.form];
        }
        within.sort_by(|a, b| {
            let (a, b) = (self.rates.cost(a), self.rates.cost(b));
            a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
        });
        within.into_iter().map(|c| c.known).collect()
    }
}

/// The counts of one form.
fn count(kernel: Kernel, model: &Model, options: &Options) -> Result<Count, Vec<Diagnostic>> {
    let graph = dataflow::build(kernel, model, options)?;
    let allowed = match options.form {
        Form::LowRank if kernel == Kernel::Viscosity => dataflow::LOW_RANK_BOUND,
        _ => options.fit_tolerance.unwrap_or(0.0),
    };
    Ok(Count {
        form: options.form.name().into(),
        slots: graph.slots(options.warps),
        tally: graph.tally(options.warps),
        shuffles: 2 * graph.constants(),
        error_bound: graph.bound,
        known: options.form,
        within: graph.bound <= allowed,
    })
}
