//! Warps of straight-line code that stay together: they wait for each other now and then in each turn of the streaming loop.

use super::code::Statement;

/// Statements from one barrier to the next: some 8 KB of code. With twice as many, warps lose each other in some kernels and fetch their
/// code apart; with half as many they wait more.
const APART: usize = 400;

/// The body with barriers of the CTA. All of its warps take as many turns.
pub fn body(statements: Vec<Statement>) -> Vec<Statement> {
    let mut out = Vec::with_capacity(statements.len() + statements.len() / APART + 1);
    let mut since = APART / 2;
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
    fn a_turn_has_a_barrier_now_and_then() {
        let found = body(vec![Statement::WarpSync; 2 * APART]);
        let at = |statement: &Statement| {
            found.iter().enumerate().filter(|(_, s)| *s == statement).map(|(at, _)| at).collect()
        };
        let barriers: Vec<usize> = at(&Statement::CtaSync);
        assert_eq!(barriers, [APART / 2, APART / 2 + APART + 1]);
        assert_eq!(found.len(), 2 * APART + barriers.len());
    }
}
