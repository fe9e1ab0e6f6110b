//! Reactors in the simulator, by their PTX or their machine code: the pipeline of kernels, as the host launches it.

use super::reactor::{
    MOST_STEPS, ReactorEnd, ReactorPoint, ReactorSubject, ReactorVerification, judge_reactors, reactor_options,
    reactor_points,
};
use diagnostics::Diagnostic;
use emit_c::host::Reactor;
use graph::Graph;
use graph::interpret::Machine;
use ptx::inst::Type;
use schedule::proof::Proven;
use warpsim::{Argument, Buffer, Launch};

const POINTS: usize = 3;

/// Graph of a kernel that the pipeline launches, in the order of its schedule.
#[derive(Clone, Copy)]
pub struct Part<'a> {
    pub graph: &'a Graph,
    pub proven: &'a Proven,
}

/// Pipeline of a project's reactors, or the kernel of their fused steps.
pub struct Pipeline<'a> {
    pub reactor: &'a Reactor,
    pub species: usize,
    /// Kernels that a pipeline launches: the rates and the parts of their Jacobian. A fused step has them in itself.
    pub rates: Part<'a>,
    pub jacobian: Vec<Part<'a>>,
    /// CTAs of each launch: there are as many slots as these have threads.
    pub ctas: u32,
}

/// A call: the buffers of the points, and the arguments from the state to the stride, or to where it is told which points are stiff if the method has an
/// explicit one beside it.
pub struct Call {
    pub buffers: Vec<Buffer>,
    pub arguments: Vec<Argument>,
    pub points: u32,
    /// Whether there are sources, of anything and of mass fractions.
    pub has_sources: [bool; 2],
}

/// Runs a kernel by the end of its name.
pub type Execute<'a, E> = &'a mut dyn FnMut(&str, &Launch, &mut [Buffer]) -> Result<(), E>;

/// Places of options among the arguments of a call.
const OPTIONS: std::ops::Range<usize> = 15..19;

/// Words of 8 bytes before the rows of slots, those of a lane, and those of the lists for each slot.
const WORDS: usize = 32;
const LANE: usize = 10;
const LISTS: usize = 3;

/// Numbers of 4 bytes that the host reads.
const LISTED: usize = 0;
const BEGUN: usize = 1;
const MOVERS: usize = 2;
const PLACES: usize = 3;
const ANY_DRAINED: usize = 4;
const LEFT: usize = 5;

/// First rows of the arrays that the kernels of the project read and write, over the number of unknowns.
const Y: usize = 0;
const NEXT: usize = 1;
const STAGE: usize = 2;
const RATES: usize = 3;
const FIXED: usize = 5;

impl Pipeline<'_> {
    fn slots(&self) -> usize {
        self.ctas as usize * self.reactor.threads()
    }

    fn unknowns(&self) -> usize {
        self.species + 1
    }

    /// First rows of the Jacobian, of its mirrored values, and of mirrored rates.
    fn late_rows(&self) -> [usize; 3] {
        let (jacobian, entries) = (FIXED * self.unknowns() + 2, self.reactor.systems.pattern.len());
        [jacobian, self.reactor.mirrored_row(self.species), jacobian + entries]
    }

    /// Returns the workspace of a call with so many points, of which nothing is written.
    pub fn workspace(&self, points: usize) -> Buffer {
        let of_slot = self.reactor.slot_rows(self.species) + self.reactor.slot_factors() + LANE + LISTS;
        Buffer::output(WORDS + self.slots() * of_slot + points)
    }

    /// Runs the steps of all points as the host does; the workspace is the last of the call's buffers.
    ///
    /// Errors: those of `execute`.
    pub fn run<E>(&self, call: Call, execute: Execute<'_, E>) -> Result<Vec<Buffer>, E> {
        let has_explicit = self.reactor.method.explicit.is_some();
        let of_pass = call.points;
        let mut run = Run { pipeline: self, call, execute, listed: 0, begun: 0, of_pass, left: 0 };
        if has_explicit {
            run.call.arguments.push(Argument::U32(0));
            while run.list()? {
                run.explicit_step()?;
            }
            (run.of_pass, run.begun) = (run.left, 0);
            *run.call.arguments.last_mut().expect("arguments") = Argument::U32(1);
        }
        while run.list()? {
            run.step()?;
        }
        Ok(run.call.buffers)
    }
}

/// A call as it goes on.
struct Run<'a, E> {
    pipeline: &'a Pipeline<'a>,
    call: Call,
    execute: Execute<'a, E>,
    listed: u32,
    begun: u32,
    /// Points of this pass, and those that the explicit method left.
    of_pass: u32,
    left: u32,
}

impl<E> Run<'_, E> {
    /// Launches a kernel with the workspace, some numbers and more arguments.
    fn launch(&mut self, name: &str, numbers: &[u32], more: &[Argument]) -> Result<(), E> {
        let workspace = Argument::Buffer(self.call.buffers.len() - 1);
        let numbers = numbers.iter().map(|&number| Argument::U32(number));
        let arguments = std::iter::once(workspace).chain(numbers).chain(more.iter().cloned()).collect();
        let launch = Launch::linear(self.pipeline.ctas, self.pipeline.reactor.threads() as u32, arguments);
        (self.execute)(name, &launch, &mut self.call.buffers)
    }

    fn workspace(&mut self) -> &mut Buffer {
        self.call.buffers.last_mut().expect("a call has a workspace")
    }

    fn state(&mut self, at: usize) -> u32 {
        self.workspace().element(Type::B32, at).map_or(0, |word| word as u32)
    }

    /// Lists the slots of the next step, and fills them; whether there are any.
    fn list(&mut self) -> Result<bool, E> {
        let (listed, begun) = (self.listed, self.begun);
        self.launch("count", &[listed], &[])?;
        let numbers = [listed, begun, self.of_pass, self.left];
        let has_explicit = self.pipeline.reactor.method.explicit.is_some();
        self.launch("list", &numbers[..if has_explicit { 4 } else { 3 }], &[])?;
        self.listed = self.state(LISTED);
        if has_explicit {
            self.left = self.state(LEFT);
        }
        if self.listed == 0 {
            return Ok(false);
        }
        self.begun = self.state(BEGUN);
        let (places, movers) = (self.state(PLACES), self.state(MOVERS));
        let all = self.call.arguments.clone();
        self.launch("place", &[places, movers, begun], &all)?;
        Ok(true)
    }

    fn explicit_step(&mut self) -> Result<(), E> {
        let (listed, unknowns) = (self.listed, self.pipeline.unknowns());
        let all = self.call.arguments.clone();
        if self.pipeline.reactor.fused.is_some() {
            return self.launch("explicit_step", &[listed], &all);
        }
        let has_sources = u32::from(self.call.has_sources[0]);
        let stages = self.pipeline.reactor.method.explicit.map_or(0, |explicit| explicit.b.len());
        for stage in 0..stages {
            self.rates(if stage == 0 { Y } else { STAGE } * unknowns, RATES * unknowns);
            self.launch("explicit_stage", &[listed, stage as u32, has_sources], &all[OPTIONS])?;
        }
        self.launch("explicit_judge", &[listed], &all)
    }

    fn step(&mut self) -> Result<(), E> {
        if self.pipeline.reactor.fused.is_some() {
            let all = self.call.arguments.clone();
            return self.launch("step", &[self.listed], &all);
        }
        let (listed, unknowns) = (self.listed, self.pipeline.unknowns());
        let [jacobian, mirrored, _] = self.pipeline.late_rows();
        self.rates(Y * unknowns, RATES * unknowns);
        self.jacobian(Y * unknowns, jacobian);
        let is_mirrored = self.mirror(false)?;
        if is_mirrored > 0 {
            self.jacobian(NEXT * unknowns, mirrored);
        }
        let has_sources = u32::from(self.call.has_sources[0]);
        let all = self.call.arguments.clone();
        self.launch("begin", &[listed, has_sources, is_mirrored], &all[OPTIONS])?;
        for kernel in ["factorize", "count_doubts", "list_doubts"] {
            self.launch(kernel, &[listed], &[])?;
        }
        self.launch("settle", &[], &[])?;
        let method = self.pipeline.reactor.method;
        for stage in 0..method.m.len() {
            let mut is_mirrored = 0;
            if stage > 0 && !method.takes_rates_over(stage) {
                self.rates(STAGE * unknowns, RATES * unknowns);
                is_mirrored = self.mirror(true)?;
            }
            self.launch("stage", &[listed, stage as u32, has_sources, is_mirrored], &[])?;
        }
        self.launch("judge", &[listed], &all)
    }

    /// Makes mirrored rates if some point is drained; 1 if so.
    fn mirror(&mut self, is_stage: bool) -> Result<u32, E> {
        if !self.call.has_sources[1] {
            return Ok(0);
        }
        self.workspace().write_element(Type::B32, ANY_DRAINED, 0);
        self.launch("mirror", &[self.listed, u32::from(is_stage)], &[])?;
        let is_mirrored = self.state(ANY_DRAINED);
        if is_mirrored > 0 {
            let [_, _, work] = self.pipeline.late_rows();
            self.rates(NEXT * self.pipeline.unknowns(), work);
        }
        Ok(is_mirrored)
    }

    fn rates(&mut self, from: usize, to: usize) {
        self.part(self.pipeline.rates, from, to);
    }

    fn jacobian(&mut self, from: usize, to: usize) {
        let pipeline = self.pipeline;
        pipeline.jacobian.iter().for_each(|&part| self.part(part, from, to));
    }

    /// Evaluates a kernel of the project in all listed slots, by its graph: it is verified on its own. It reads the state in rows from `from` on and writes those from `to` on.
    fn part(&mut self, Part { graph, proven }: Part<'_>, from: usize, to: usize) {
        let (slots, species, unknowns) = (self.pipeline.slots(), self.pipeline.species, self.pipeline.unknowns());
        let rows = graph.arrays.last().map_or(0, |array| array.rows as usize);
        let phases = &proven.schedule().phases;
        for slot in 0..self.listed as usize {
            let place = |row: usize| WORDS + row * slots + slot;
            let workspace = self.workspace();
            let value = |row: usize| workspace.element(Type::F64, place(row)).map_or(f64::NAN, f64::from_bits);
            let fractions = (0..species).map(|k| value(from + k)).collect();
            let fixed = value(FIXED * unknowns);
            let mut fields = vec![vec![value(from + species)], vec![fixed], fractions, vec![0.0; rows]];
            let mut machine = Machine::new(graph, &fields);
            phases.iter().flat_map(|phase| phase.runs.iter().flatten()).for_each(|&at| machine.step(at, &mut fields));
            let made = fields.last().expect("a kernel has an output");
            for row in (0..rows).filter(|&row| graph.stores_row(row)) {
                workspace.write_real(place(to + row), made[row]);
            }
        }
    }
}

/// Lets `execute` run the kernels on some points.
///
/// Errors: those of `execute`; an end that is not the plain integrator's.
pub fn simulate_reactors(
    subject: &ReactorSubject<'_>,
    pipeline: &Pipeline<'_>,
    execute: Execute<'_, Vec<Diagnostic>>,
) -> Result<ReactorVerification, Vec<Diagnostic>> {
    let points = reactor_points(subject, POINTS, &|_, _| ());
    let buffers = pipeline.run(call(&points, pipeline), execute)?;
    let ends: Vec<ReactorEnd> = (0..POINTS).map(|p| end(&buffers, p, pipeline.species)).collect();
    judge_reactors(subject, &points, &ends)
}

/// A call that lists a point in each slot, over a time in s.
pub fn steady_call(subject: &ReactorSubject<'_>, pipeline: &Pipeline<'_>, time: f64) -> Call {
    let mut points = reactor_points(subject, POINTS, &|_, _| ());
    points.iter_mut().for_each(|point| point.time = time);
    let all: Vec<ReactorPoint> = points.iter().cycle().take(pipeline.slots()).cloned().collect();
    call(&all, pipeline)
}

/// The numbers of buffers that are written.
const NEW_FRACTIONS: usize = 5;
const STATUS: usize = 6;
const STEPS: usize = 7;
const TEMPERATURE: usize = 10;
const IS_STIFF: usize = 13;

fn end(buffers: &[Buffer], p: usize, species: usize) -> ReactorEnd {
    let integer = |buffer: usize| buffers[buffer].element(Type::B32, p).map_or(-1, |word| word as u32 as i32);
    let real = |(buffer, at): (usize, usize)| buffers[buffer].element(Type::F64, at).map_or(f64::NAN, f64::from_bits);
    let places = (0..species).map(|k| (NEW_FRACTIONS, k * POINTS + p)).chain([(TEMPERATURE, p)]);
    ReactorEnd { status: integer(STATUS), steps: integer(STEPS), y: places.map(real).collect() }
}

/// A call without sources, with the options of [`reactor_options`].
fn call(points: &[ReactorPoint], pipeline: &Pipeline<'_>) -> Call {
    let (count, species) = (points.len(), pipeline.species);
    let column = |of: fn(&ReactorPoint) -> f64| Buffer::input(&points.iter().map(of).collect::<Vec<f64>>());
    let fractions: Vec<f64> = (0..species).flat_map(|k| points.iter().map(move |p| p.fractions[k])).collect();
    let integers = || Buffer::words(Type::B32, vec![0; count]);
    let buffers = vec![
        column(|p| p.first_state),
        column(|p| p.fixed),
        Buffer::input(&fractions),
        column(|p| p.time),
        Buffer::output(count),
        Buffer::output(count * species),
        integers(),
        integers(),
        integers(),
        // The step that a call before left.
        Buffer::in_out(&vec![0.0; count]),
        Buffer::output(count),
        Buffer::output(count * species),
        Buffer::output(count),
        integers(),
        pipeline.workspace(count),
    ];
    let real = |x: f64| Argument::Bytes(x.to_le_bytes().to_vec());
    let none = Argument::U64(0);
    let asked = reactor_options();
    let mut arguments: Vec<Argument> = (0..=5).map(Argument::Buffer).collect();
    arguments.extend([none.clone(), none.clone()]);
    arguments.extend((6..=12).map(Argument::Buffer));
    arguments.extend([real(asked.relative_tolerance), real(asked.absolute_tolerance), none, real(0.0)]);
    arguments.push(Argument::U32(MOST_STEPS as u32));
    arguments.extend([count as u32; 2].map(Argument::U32));
    if pipeline.reactor.method.explicit.is_some() {
        arguments.push(Argument::Buffer(IS_STIFF));
    }
    Call { buffers, arguments, points: count as u32, has_sources: [false; 2] }
}
