//! Warps of straight-line code that stay together: they begin each turn of the streaming loop together, and wait for each other now
//! and then in it.

use super::code::Statement;

/// Statements from one barrier to the next: some 4 KB of code.
const APART: usize = 200;

/// The body with barriers of the CTA. All of its warps take as many turns.
pub fn body(statements: Vec<Statement>) -> Vec<Statement> {
    let mut out = Vec::with_capacity(statements.len() + statements.len() / APART + 1);
    let mut since = APART;
    for statement in statements {
        if since >= APART {
            out.push(Statement::CtaSync);
            since = 0;
        }
        since += usize::from(!matches!(statement, Statement::Comment(_) | Statement::Declare(_)));
        out.push(statement);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_begins_with_a_barrier_and_has_one_now_and_then() {
        let found = body(vec![Statement::WarpSync; 2 * APART + 1]);
        let at = |statement: &Statement| {
            found.iter().enumerate().filter(|(_, s)| *s == statement).map(|(at, _)| at).collect()
        };
        let barriers: Vec<usize> = at(&Statement::CtaSync);
        assert_eq!(barriers, [0, APART + 1, 2 * APART + 2]);
        assert_eq!(found.len(), 2 * APART + 1 + barriers.len());
    }
}
