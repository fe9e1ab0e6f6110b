//! Knowledge of a warp whose registers may be unknown, lane by lane.

use super::answers::Answers;
use super::choices::Choices;
use super::common::{Named, Slot};
use super::groups::Groups;
use crate::decode::{
    Code, Collective, Compute, Copying, Decoded, Matrices, MemoryAccess, Micro, Pieces, TensorOp, Test,
};
use crate::domain::{ALL, Knowledge};
use ptx::inst::{BarRedOp, VoteMode};

/// One bit per lane that knows the value, for each register and predicate and for the condition code.
pub(in super::super) struct Known {
    rows: Vec<u32>,
    preds: Vec<u32>,
    carry: u32,
    /// Lanes that hold one value together, known or not, for each register and predicate.
    pub(super) one: (Vec<u32>, Vec<u32>),
    /// Whether lanes may agree on values that are not known.
    pub(super) agrees: bool,
    /// The instruction that is being executed, and its lanes, if they agree on its operands.
    pub(super) pending: Option<(u32, u32)>,
    /// Names of unknown values, if names are kept.
    pub(super) named: Option<Named>,
    /// Values that data choose from a few, if names are kept.
    pub(super) choices: Option<Choices>,
    /// Masks of groups of lanes.
    pub(super) groups: Groups,
    /// Values that depend on the answers to peeks.
    pub(super) answers: Answers,
}

impl Knowledge for Known {
    fn new(code: &Code) -> Self {
        let reduces = |op: &Decoded| matches!(op.micro, Micro::Collective(_) | Micro::Bar { result: Some(_), .. });
        Self {
            agrees: code.ops.iter().any(reduces),
            rows: vec![0; code.registers],
            preds: vec![0; code.predicates],
            carry: 0,
            one: (vec![0; code.registers], vec![0; code.predicates]),
            pending: None,
            named: None,
            choices: None,
            groups: Groups::default(),
            answers: Answers::default(),
        }
    }

    fn start(&mut self, code: &Code) {
        self.carry = 0;
        self.rows.fill(0);
        self.preds.fill(0);
        self.one.0.fill(0);
        self.one.1.fill(0);
        self.answers = Answers::default();
        self.groups = Groups::default();
        let fixed = code.specials.iter().filter(|(special, _)| special.is_fixed()).map(|(_, row)| *row);
        // parameters that nobody has written yet are empty, which is not unknown: they may be written piece by piece
        let rows = fixed.chain(code.parameters.iter().cloned().flatten());
        rows.chain(code.arguments.iter().map(|(row, _)| *row)).for_each(|row| self.rows[row as usize] = ALL);
        code.unknown.iter().for_each(|row| self.rows[*row as usize] = 0);
        if let Some(named) = &mut self.named {
            *named = Named::new(code);
        }
        self.choices = self.choices.as_ref().map(|_| Choices::default());
    }

    fn row(&self, register: u32) -> u32 {
        self.rows[register as usize]
    }

    fn pred(&self, pred: u32) -> u32 {
        self.preds[pred as usize]
    }

    fn carry(&self) -> u32 {
        self.carry
    }

    fn learn(&mut self, register: u32, known: u32, mask: u32) {
        replace(&mut self.rows[register as usize], known, mask);
        self.one.0[register as usize] &= !mask;
        self.answers.forget(Slot::Row(register));
        self.groups.forget(register);
        if let Some(named) = &mut self.named {
            named.forget_row(register, mask);
        }
        if let Some(choices) = &mut self.choices {
            choices.forget(register, mask);
        }
    }

    fn learn_pred(&mut self, pred: u32, known: u32, mask: u32) {
        replace(&mut self.preds[pred as usize], known, mask);
        self.one.1[pred as usize] &= !mask;
        self.answers.forget(Slot::Pred(pred));
        if let Some(named) = &mut self.named {
            named.forget_pred(pred, mask);
        }
    }

    fn learn_carry(&mut self, known: u32, mask: u32) {
        replace(&mut self.carry, known, mask);
    }

    fn agree(&mut self, register: u32, mask: u32) {
        self.one.0[register as usize] = mask;
    }

    fn agree_pred(&mut self, pred: u32, mask: u32) {
        self.one.1[pred as usize] = mask;
    }
}

impl Known {
    /// Keeps names and choices from here on.
    pub(super) fn keep_names(&mut self, code: &Code) {
        self.named = Some(Named::new(code));
        self.choices = Some(Choices::default());
    }

    /// Forgets these rows and predicates, and the condition code, in the lanes of the mask.
    pub(super) fn forget(&mut self, (rows, preds): &(Vec<u32>, Vec<u32>), mask: u32) {
        rows.iter().for_each(|row| self.learn(*row, 0, mask));
        preds.iter().for_each(|pred| self.learn_pred(*pred, 0, mask));
        self.learn_carry(0, mask);
    }
}

fn replace(bits: &mut u32, new: u32, mask: u32) {
    *bits = *bits & !mask | new & mask;
}

/// Returns the rows and predicates that an instruction writes.
pub(super) fn results(micro: &Micro) -> (Vec<u32>, Vec<u32>) {
    match micro {
        Micro::Compute(
            Compute::Map1 { d, .. }
            | Compute::Map2 { d, .. }
            | Compute::Map3 { d, .. }
            | Compute::Each { d, .. }
            | Compute::Carry { d, .. },
        )
        | Micro::Test(Test::Set { d, .. } | Test::Select { d, .. })
        | Micro::Pieces(Pieces::Pack { d, .. })
        | Micro::Collective(Collective::Redux { d, .. })
        | Micro::Compute(Compute::Activemask { d })
        | Micro::Pieces(Pieces::Insert { d, .. })
        | Micro::Collective(Collective::Vote { mode: VoteMode::Ballot, d, .. })
        | Micro::Bar { result: Some((BarRedOp::Popc, d, _)), .. } => (vec![*d], vec![]),
        Micro::Collective(Collective::Elect { lane, pred, .. }) => {
            (lane.iter().copied().collect(), pred.iter().copied().collect())
        }
        Micro::Copying(copying) => match &**copying {
            Copying::Wait { pred, .. } => (vec![], pred.iter().copied().collect()),
            Copying::Matrices(Matrices::Product(product)) => (product.d.clone(), vec![]),
            Copying::Tensor(TensorOp::Load { dst }) => (dst.clone(), vec![]),
            Copying::Arrive { state, .. } => (state.iter().copied().collect(), vec![]),
            _ => (vec![], vec![]),
        },
        Micro::Pieces(Pieces::Take { elements, .. }) => (elements.iter().map(|(d, ..)| *d).collect(), vec![]),
        Micro::Pieces(Pieces::Put { elements, .. }) => (elements.iter().map(|piece| piece.row).collect(), vec![]),
        Micro::MemoryAccess(MemoryAccess::Atomic { d, .. }) => (d.iter().copied().collect(), vec![]),
        Micro::Test(Test::Compare { d, other, .. }) => (vec![], [*d].into_iter().chain(*other).collect()),
        Micro::Test(Test::Logic { d, .. } | Test::SetPred { d, .. } | Test::IsSpace { d, .. })
        | Micro::Collective(Collective::Vote { d, .. })
        | Micro::Bar { result: Some((_, d, _)), .. } => (vec![], vec![*d]),
        Micro::Collective(Collective::Shuffle { d, valid, .. } | Collective::Match { d, valid, .. }) => {
            (vec![*d], valid.iter().copied().collect())
        }
        Micro::MemoryAccess(MemoryAccess::Load { d, .. }) => (d.to_vec(), vec![]),
        Micro::Collective(Collective::Fragments(fragments)) if fragments.loads => (fragments.rows.clone(), vec![]),
        Micro::Collective(Collective::Product(rows)) => (rows.clone(), vec![]),
        Micro::Collective(Collective::Matrix { blocks, .. }) => {
            (blocks.iter().flat_map(|block| block.d).collect(), vec![])
        }
        Micro::Pieces(Pieces::Unpack { parts, .. }) => (parts.iter().flatten().copied().collect(), vec![]),
        Micro::Unknown { rows, preds } => (rows.clone(), preds.clone()),
        // calls are never passed over
        Micro::Call(_)
        | Micro::MemoryAccess(MemoryAccess::Store { .. })
        | Micro::Collective(Collective::Fragments(_))
        | Micro::Bar { result: None, .. }
        | Micro::Collective(Collective::WarpBarrier { .. })
        | Micro::Nothing
        | Micro::Jump { .. }
        | Micro::Branch { .. }
        | Micro::Indirect { .. }
        | Micro::Ret
        | Micro::Exit
        | Micro::Trap => (vec![], vec![]),
    }
}
