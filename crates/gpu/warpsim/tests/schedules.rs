//! Random small kernels of two warps with four lanes each, which synchronise inside their warps and with each other,
//! against all possible schedules. The prover calls a kernel proven exactly if no schedule comes to one of these: a
//! deadlock, a lane that its own mask does not name, or a state where two lanes can make conflicting accesses next.

use std::collections::HashSet;
use warpsim::Launch;
use warpsim::prove;

/// Lanes that take part; all others end at once.
const LANES: usize = 4;
/// Limit on the states of a search over schedules; larger kernels are left out, and counted.
const MOST_STATES: usize = 30_000;

#[derive(Clone, Debug)]
enum Statement {
    /// `bar.warp.sync` of the lanes of the mask.
    Meet(u32),
    /// A store to slot `4 half + (lane + shift) % 4`.
    Store(usize, usize),
    Load(usize, usize),
    /// `bar.sync 0, 64`; never inside a choice.
    Barrier,
    /// The lanes of the mask do the first, the others the second.
    Choice(u32, Vec<Statement>, Vec<Statement>),
}

/// One step of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Meet(u32),
    Store(usize),
    Load(usize),
    Barrier,
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    /// Most masks name all lanes, as in kernels that people write.
    fn mask(&mut self) -> u32 {
        if self.below(2) == 0 { 15 } else { 1 + self.below(15) as u32 }
    }

    fn statements(&mut self, count: u64, depth: u32, here: u32) -> Vec<Statement> {
        (0..count).map(|_| self.statement(depth, here)).collect()
    }

    fn statement(&mut self, depth: u32, here: u32) -> Statement {
        match self.below(if depth == 0 { 8 } else { 6 }) {
            0 => Statement::Meet(self.mask()),
            1 => Statement::Meet(here),
            2 | 3 => Statement::Store(self.below(2) as usize, self.below(2) as usize),
            4 | 5 => Statement::Load(self.below(2) as usize, self.below(2) as usize),
            6 => Statement::Barrier,
            _ => {
                let mask = 1 + self.below(14) as u32;
                let (some, others) = (1 + self.below(2), self.below(2));
                let then = self.statements(some, depth + 1, here & mask);
                Statement::Choice(mask, then, self.statements(others, depth + 1, here & !mask))
            }
        }
    }
}

fn trace(statements: &[Statement], lane: usize, steps: &mut Vec<Step>) {
    for statement in statements {
        match statement {
            Statement::Meet(mask) => steps.push(Step::Meet(*mask)),
            Statement::Store(half, shift) => steps.push(Step::Store(4 * half + (lane + shift) % LANES)),
            Statement::Load(half, shift) => steps.push(Step::Load(4 * half + (lane + shift) % LANES)),
            Statement::Barrier => steps.push(Step::Barrier),
            Statement::Choice(mask, then, otherwise) => {
                trace(if mask >> lane & 1 == 1 { then } else { otherwise }, lane, steps)
            }
        }
    }
}

/// Whether all schedules are clean; `None` when there are too many states.
fn all_clean(traces: &[Vec<Step>]) -> Option<bool> {
    let (mut seen, mut stack) = (HashSet::new(), vec![vec![0usize; traces.len()]]);
    while let Some(at) = stack.pop() {
        if !seen.insert(at.clone()) {
            continue;
        }
        if seen.len() > MOST_STATES {
            return None;
        }
        let next = |thread: usize| traces[thread].get(at[thread]).copied();
        let accesses = |thread| match next(thread) {
            Some(Step::Store(slot)) => Some((slot, true)),
            Some(Step::Load(slot)) => Some((slot, false)),
            _ => None,
        };
        for a in 0..traces.len() {
            for b in 0..a {
                if let (Some((x, writes)), Some((y, too))) = (accesses(a), accesses(b))
                    && x == y
                    && (writes || too)
                {
                    return Some(false);
                }
            }
        }
        let mut moves: Vec<Vec<usize>> =
            (0..traces.len()).filter(|thread| accesses(*thread).is_some()).map(|thread| vec![thread]).collect();
        let lives = |thread: &usize| next(*thread).is_some();
        for warp in 0..traces.len() / LANES {
            let lanes = LANES * warp..LANES * (warp + 1);
            for thread in lanes.clone() {
                let Some(Step::Meet(mask)) = next(thread) else { continue };
                let named: Vec<usize> = lanes.clone().filter(|t| mask >> (t % LANES) & 1 == 1).filter(lives).collect();
                if mask >> (thread % LANES) & 1 == 0 {
                    return Some(false);
                }
                if named.iter().all(|t| next(*t) == Some(Step::Meet(mask))) {
                    moves.push(named);
                }
            }
        }
        let all: Vec<usize> = (0..traces.len()).collect();
        let comes = |warp: usize| {
            let mut living = all[LANES * warp..LANES * (warp + 1)].iter().filter(|t| lives(t)).peekable();
            living.peek().is_some() && living.all(|t| next(*t) == Some(Step::Barrier))
        };
        if (0..traces.len() / LANES).all(comes) {
            moves.push(all.iter().copied().filter(lives).collect());
        }
        if moves.is_empty() && all.iter().any(lives) {
            return Some(false);
        }
        for group in moves {
            let mut after = at.clone();
            group.iter().for_each(|thread| after[*thread] += 1);
            stack.push(after);
        }
    }
    Some(true)
}

fn text(statements: &[Statement], labels: &mut u32) -> String {
    let one = |statement: &Statement| match statement {
        Statement::Meet(mask) => format!("bar.warp.sync {mask};\n"),
        Statement::Store(half, shift) => format!("{}st.shared.u32 [%r3], %r1;\n", address(*half, *shift)),
        Statement::Load(half, shift) => format!("{}ld.shared.u32 %r4, [%r3];\n", address(*half, *shift)),
        Statement::Barrier => "bar.sync 0, 64;\n".to_owned(),
        Statement::Choice(mask, then, otherwise) => {
            *labels += 1;
            let label = *labels;
            format!(
                "shr.u32 %r3, {mask}, %r1; and.b32 %r3, %r3, 1; setp.ne.u32 %p0, %r3, 0;\n@%p0 bra T{label};\n{}bra E{label};\nT{label}:\n{}E{label}:\n",
                text(otherwise, labels),
                text(then, labels)
            )
        }
    };
    statements.iter().map(one).collect()
}

fn address(half: usize, shift: usize) -> String {
    format!(
        "add.u32 %r3, %r1, {shift}; and.b32 %r3, %r3, 3; add.u32 %r3, %r3, {}; shl.b32 %r3, %r3, 2; add.u32 %r3, %r3, %r5;\n",
        4 * half
    )
}

fn kernel(warps: &[Vec<Statement>; 2]) -> String {
    let mut labels = 0;
    let [first, second] = [0, 1].map(|warp: usize| text(&warps[warp], &mut labels));
    format!(
        ".version 8.0\n.target sm_70\n.address_size 64\n.shared .align 8 .b8 box[32];\n.entry k()\n{{ .reg .pred %p<4>; .reg .b32 %r<8>;
         mov.u32 %r0, %tid.x; and.b32 %r1, %r0, 31; shr.u32 %r2, %r0, 5; mov.u32 %r5, box; setp.ge.u32 %p1, %r1, {LANES}; @%p1 exit;
         setp.ne.u32 %p2, %r2, 0; setp.ne.u32 %p3, %r1, 0; @%p2 bra READY; @%p3 bra READY;
         {} READY: bar.sync 15, 64;\n@%p2 bra SECOND;\n{first}bra END;\nSECOND:\n{second}END: ret; }}",
        (0..8).map(|slot| format!("st.shared.u32 [box+{}], 0;\n", 4 * slot)).collect::<String>()
    )
}

#[test]
fn the_prover_agrees_with_all_schedules() {
    let (mut proven, mut wrong, mut large) = (0, 0, 0);
    for seed in 0..200 {
        let mut random = Random(seed);
        let warps = [3, 2].map(|count| random.statements(count, 0, 15));
        let traces: Vec<Vec<Step>> = (0..2 * LANES)
            .map(|thread| {
                let mut steps = Vec::new();
                trace(&warps[thread / LANES], thread % LANES, &mut steps);
                steps
            })
            .collect();
        let Some(clean) = all_clean(&traces) else {
            large += 1;
            continue;
        };
        let text = kernel(&warps);
        let module = ptx::read::text(&format!("{seed}.ptx"), &text).unwrap_or_else(|d| panic!("{d:?}\n{text}"));
        let verdict = prove::prove(&module, "k", &Launch::linear(1, 64, vec![])).unwrap();
        assert_eq!(verdict.proven(), clean, "seed {seed}: {verdict:?}\n{warps:?}\n{text}");
        assert!(verdict.not_analysed.is_empty(), "seed {seed}: nothing depends on data, {verdict:?}");
        *(if clean { &mut proven } else { &mut wrong }) += 1;
    }
    println!("{proven} proven, {wrong} wrong, {large} with too many states");
    assert!(proven >= 8 && wrong > 80 && large < 50, "{proven} {wrong} {large}");
}
