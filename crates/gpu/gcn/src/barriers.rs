//! Barriers of a workgroup, and what they order (LLVM, "AMDGPU Execution Synchronization").
//!
//! A barrier counts arrivals, and is completed when they are as many as it expects. All waves are in the workgroup's own barrier. Of the
//! named ones a wave joins one at a time; it is told of each completion of the one that it has joined, and waits for that. Which waves arrive is up to the code: the
//! barrier only counts. So an arrival that nothing orders behind the completion before it may be counted with the wrong ones, which is an error here whether or not it happens.

use std::fmt;

/// Named barriers of a workgroup.
const NAMED: usize = 16;
/// Largest number of arrivals that a barrier can expect.
const MOST: u32 = 127;

/// Known progress of each wave, counted in its arrivals and set-ups of barriers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clock(Vec<u32>);

impl Clock {
    /// Returns the clock of a wave that knows of itself alone.
    pub fn new(waves: usize, own: u16) -> Self {
        let mut clock = vec![0; waves];
        clock[usize::from(own)] = 1;
        Self(clock)
    }

    /// Whether what the wave did at that time is known.
    pub fn knows(&self, wave: u16, time: u32) -> bool {
        self.0[usize::from(wave)] >= time
    }

    pub fn time(&self, wave: u16) -> u32 {
        self.0[usize::from(wave)]
    }

    fn learn(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(own, other)| *own = (*own).max(*other));
    }

    fn includes(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(own, other)| own >= other)
    }
}

/// A barrier as instructions name it: 0 is the workgroup's own here, which they call -1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Id(usize);

impl Id {
    pub const WORKGROUP: Self = Self(0);

    /// Returns the barrier that a number names.
    ///
    /// # Errors
    /// The number names no barrier that a kernel with `named` named ones can use.
    pub fn read(number: i32, named: usize) -> Result<Self, String> {
        match number {
            -1 => Ok(Self::WORKGROUP),
            1.. if number as usize <= named.min(NAMED) => Ok(Self(number as usize)),
            _ => Err(format!("the kernel has no barrier {number} (its named ones are 1 to {named})")),
        }
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => write!(f, "the barrier of the workgroup"),
            named => write!(f, "barrier {named}"),
        }
    }
}

#[derive(Debug, Clone)]
struct Barrier {
    /// Number of expected arrivals; `None` for the workgroup's own barrier, which expects all waves that have not ended.
    expected: Option<u32>,
    /// Waves that have arrived since the last completion.
    arrived: Vec<u16>,
    /// Knowledge of these waves when they arrived.
    gathered: Clock,
    /// Knowledge that every user must have: the set-up and all completions.
    known: Clock,
    /// Knowledge of all waves that arrived, by completion.
    completions: Vec<Clock>,
}

/// Barriers of one workgroup.
#[derive(Debug)]
pub struct Barriers {
    all: Vec<Barrier>,
    waves: Vec<Member>,
}

/// State of a wave at the barriers.
#[derive(Debug, Clone)]
struct Member {
    clock: Clock,
    joined: Option<Id>,
    /// By barrier, the completion of its own arrival there, which it is told of and has not waited for.
    awaited: [Option<usize>; NAMED + 1],
    /// By barrier, whether it is told of more than one.
    missed: [bool; NAMED + 1],
    ended: bool,
}

impl Barriers {
    pub fn new(waves: usize) -> Self {
        let nothing = Clock(vec![0; waves]);
        let barrier = Barrier {
            expected: None,
            arrived: Vec::new(),
            gathered: nothing.clone(),
            known: nothing,
            completions: Vec::new(),
        };
        let member = |own: usize| Member {
            clock: Clock::new(waves, own as u16),
            joined: None,
            awaited: [None; NAMED + 1],
            missed: [false; NAMED + 1],
            ended: false,
        };
        Self { all: vec![barrier; NAMED + 1], waves: (0..waves).map(member).collect() }
    }

    pub fn clock(&self, wave: u16) -> &Clock {
        &self.waves[usize::from(wave)].clock
    }

    /// Sets a named barrier up.
    ///
    /// # Errors
    /// It is not a named one, or may be in use.
    pub fn init(&mut self, wave: u16, id: Id, expected: u32) -> Result<(), String> {
        if id == Id::WORKGROUP || !(1..=MOST).contains(&expected) {
            return Err(format!("{id} cannot be set up for {expected} arrivals"));
        }
        let clock = self.clock(wave).clone();
        let barrier = &mut self.all[id.0];
        if !barrier.arrived.is_empty() || !clock.includes(&barrier.known) {
            return Err(format!("{id} is set up while it may be in use"));
        }
        barrier.expected = Some(expected);
        barrier.known.learn(&clock);
        self.tick(wave);
        Ok(())
    }

    /// The wave will wait at this barrier, and at no other named one.
    ///
    /// # Errors
    /// It was not set up, or a completion before the one that the wave is to wait for may still come.
    pub fn join(&mut self, wave: u16, id: Id) -> Result<(), String> {
        if id == Id::WORKGROUP {
            return Err("a wave cannot join the barrier of the workgroup".to_owned());
        }
        self.ready(wave, id)?;
        let member = &mut self.waves[usize::from(wave)];
        member.joined = Some(id);
        // It is told of what is completed from here on.
        member.awaited[1..].fill(None);
        member.missed[1..].fill(false);
        Ok(())
    }

    /// Whether a barrier was set up, and what came before is known to be over.
    fn ready(&self, wave: u16, id: Id) -> Result<(), String> {
        let barrier = &self.all[id.0];
        if id != Id::WORKGROUP && barrier.expected.is_none() {
            return Err(format!("{id} was not set up"));
        }
        if !self.clock(wave).includes(&barrier.known) {
            return Err(format!("nothing orders it behind what {id} did before: its setting up, or a completion"));
        }
        Ok(())
    }

    /// Arrives; `expected` sets how many do.
    ///
    /// # Errors
    /// As of [`Self::join`]; others expect another number; the wave arrives twice.
    pub fn signal(&mut self, wave: u16, id: Id, expected: Option<u32>) -> Result<(), String> {
        self.ready(wave, id)?;
        let member = &mut self.waves[usize::from(wave)];
        let barrier = &mut self.all[id.0];
        if let Some(expected) = expected.filter(|_| id != Id::WORKGROUP) {
            let before = barrier.expected.filter(|before| *before != expected && !barrier.arrived.is_empty());
            if let Some(before) = before {
                return Err(format!("{id} is to expect {expected} arrivals, and {before} by those that came before"));
            }
            barrier.expected = Some(expected);
        }
        if barrier.arrived.contains(&wave) {
            return Err(format!("it arrives at {id} twice before that is completed"));
        }
        barrier.arrived.push(wave);
        barrier.gathered.learn(&member.clock);
        if id == Id::WORKGROUP || member.joined == Some(id) {
            member.missed[id.0] |= member.awaited[id.0].is_some();
            member.awaited[id.0] = Some(barrier.completions.len());
        }
        self.tick(wave);
        self.complete(id);
        Ok(())
    }

    /// Advances the wave's own clock: what it does next is later than what it did.
    fn tick(&mut self, wave: u16) {
        self.waves[usize::from(wave)].clock.0[usize::from(wave)] += 1;
    }

    fn complete(&mut self, id: Id) {
        let alive = self.waves.iter().filter(|member| !member.ended).count();
        let barrier = &mut self.all[id.0];
        let expected = if id == Id::WORKGROUP { alive as u32 } else { barrier.expected.unwrap_or(0) };
        if barrier.arrived.is_empty() || (barrier.arrived.len() as u32) < expected {
            return;
        }
        barrier.known.learn(&barrier.gathered);
        barrier.completions.push(barrier.gathered.clone());
        barrier.arrived.clear();
    }

    /// Begins to wait: for a named one at that which the wave has joined, whichever is named.
    ///
    /// # Errors
    /// It has joined none, or has not arrived there since, so that the completion may have passed.
    pub fn wait(&mut self, wave: u16, id: Id) -> Result<Id, String> {
        let member = &self.waves[usize::from(wave)];
        let id = match id {
            Id::WORKGROUP => id,
            named => member.joined.ok_or_else(|| format!("it waits at {named} without having joined any"))?,
        };
        match member.awaited[id.0] {
            Some(_) if member.missed[id.0] => {
                Err(format!("it waits at {id} once, and has arrived there more often since it joined or waited"))
            }
            Some(_) => Ok(id),
            None => Err(format!("it waits at {id}, where it has not arrived: the completion may have come before")),
        }
    }

    /// Whether a wave that waits can go on; then it knows what those knew that arrived.
    pub fn passes(&mut self, wave: u16, id: Id) -> bool {
        let member = &mut self.waves[usize::from(wave)];
        let barrier = &self.all[id.0];
        let completed = member.awaited[id.0].and_then(|awaited| barrier.completions.get(awaited));
        if let Some(completed) = completed {
            member.awaited[id.0] = None;
            member.clock.learn(completed);
        }
        completed.is_some()
    }

    /// A wave that has ended is not waited for at the barrier of the workgroup, but at named ones.
    pub fn end(&mut self, wave: u16) {
        self.waves[usize::from(wave)].ended = true;
        self.complete(Id::WORKGROUP);
    }
}
