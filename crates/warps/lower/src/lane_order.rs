//! Order between lanes that look constants up in shared memory and copies to shared memory. Without it no proof of a compiler's PTX can
//! tell them apart.
//!
//! The temperature of a lane decides which constant it takes. So a proof from the text alone only knows that the address is in shared
//! memory. Copies of the next inputs go there, too. From Volta on lanes need not go through the code together (CUDA C++ Programming Guide,
//! "Independent Thread Scheduling"). A copy of one lane is ordered after the look-up of another only by a barrier between them. The same
//! holds for a look-up after the wait for a copy. They never meet in fact, and few places need a barrier.

use super::code::{Real, Statement};

/// Access of one lane while another one is elsewhere.
#[derive(Clone, Copy, PartialEq)]
enum Access {
    LookUp,
    Copy,
}

/// The body of the streaming loop with a barrier of each warp between look-ups and copies that follow each other, from one turn to the next,
/// too, where no other barrier stands.
pub fn body(statements: Vec<Statement>) -> Vec<Statement> {
    let mut last = statements.iter().rev().map_while(|s| (!is_barrier(s)).then(|| access(s))).flatten().next();
    let mut out = Vec::with_capacity(statements.len());
    for statement in statements {
        let this = access(&statement);
        if is_barrier(&statement) {
            last = None;
        } else if this.is_some() {
            if last.is_some_and(|last| Some(last) != this) {
                out.push(Statement::WarpSync);
            }
            last = this;
        }
        out.push(statement);
    }
    out
}

fn is_barrier(statement: &Statement) -> bool {
    matches!(statement, Statement::CtaSync | Statement::WarpSync)
}

fn access(statement: &Statement) -> Option<Access> {
    match statement {
        Statement::CopyInputs { .. } | Statement::AwaitCopies { .. } => Some(Access::Copy),
        Statement::Define { value, .. } | Statement::Assign { value, .. } => looks_up(value).then_some(Access::LookUp),
        Statement::StoreField { value, rest, .. } => {
            [value].into_iter().chain(rest).any(looks_up).then_some(Access::LookUp)
        }
        _ => None,
    }
}

fn looks_up(value: &Real) -> bool {
    matches!(value, Real::BankLe { .. }) || value.operands().iter().any(looks_up)
}

#[cfg(test)]
mod tests {
    use super::super::code::{Integer, Less, Local};
    use super::*;
    use cranelift_entity::EntityRef;
    use overlay::program::Var;

    fn copy() -> Statement {
        let group = Integer::Local(Local::Group);
        Statement::CopyInputs {
            more: Less { a: group.clone(), b: group, is_wide: false },
            points: vec![],
            copies: vec![],
        }
    }

    fn look_up() -> Statement {
        let operands = Box::new([Real::Literal(1.0), Real::Literal(2.0)]);
        Statement::Define { var: Var::new(0), value: Real::BankLe { first: 0, operands }, changes: false }
    }

    #[test]
    fn a_look_up_and_a_copy_are_ordered_once() {
        let [copy, look_up, sync] = [copy(), look_up(), Statement::WarpSync];
        let found = body(vec![look_up.clone(), look_up.clone(), copy.clone(), copy.clone()]);
        let expected = [&sync, &look_up, &look_up, &sync, &copy, &copy].map(Clone::clone);
        assert_eq!(found, expected);
    }

    #[test]
    fn a_look_up_behind_a_wait_is_ordered() {
        let (look_up, wait) = (look_up(), Statement::AwaitCopies { pending: 6 });
        let found = body(vec![Statement::CtaSync, copy(), wait.clone(), look_up.clone()]);
        assert_eq!(found, [Statement::CtaSync, copy(), wait, Statement::WarpSync, look_up]);
    }

    #[test]
    fn barriers_that_are_there_order_them() {
        let [copy, look_up] = [copy(), look_up()];
        let rest = vec![Statement::CtaSync, look_up, Statement::WarpSync, copy.clone()];
        assert_eq!(body(rest.clone()), rest);
        assert_eq!(body(vec![copy.clone(), copy.clone()]), [copy.clone(), copy]);
    }
}
