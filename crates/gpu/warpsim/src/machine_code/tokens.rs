//! Reconvergence of lanes before Volta: each path has a stack of tokens.
//!
//! `SSY` pushes a token with the place where the active lanes will go on together. An instruction with `.S` waits there for those
//! of them that have neither ended nor left. `PBK` and `PCNT` do the same for the code behind a loop and for its next turn, which
//! `BRK` and `CONT` go to through all tokens above; `CAL` does it for the instruction behind it, to which `RET` returns. Paths
//! that part share the lower tokens. After Coon and Lindholm, "System and method for managing divergent threads in a SIMD
//! architecture" (patent US 7,353,369); their order of paths is not kept, as no result may depend on it.

use super::op::Purpose;
use super::warp::{Path, Wait, Warp};

#[derive(Debug, Clone, Copy)]
pub(super) struct Token {
    purpose: Purpose,
    /// Place where its lanes go on.
    target: u32,
    pub lanes: u32,
    below: u32,
}

/// The bottom of every stack.
pub(super) const BOTTOM: u32 = u32::MAX;

/// The tokens of all paths of a warp.
#[derive(Debug, Default)]
pub(super) struct Tokens {
    all: Vec<Token>,
    free: Vec<u32>,
}

impl Tokens {
    pub(super) fn clear(&mut self) {
        self.all.clear();
        self.free.clear();
    }

    pub(super) fn lanes(&self, token: u32) -> u32 {
        self.all[token as usize].lanes
    }

    /// Returns the path on which the lanes of the token go on.
    pub(super) fn target(&self, token: u32, mask: u32) -> Path {
        let Token { target, below, .. } = self.all[token as usize];
        Path { pc: target, mask, top: below }
    }

    /// Removes the token, which is on no stack any more.
    pub(super) fn drop(&mut self, token: u32) {
        self.free.push(token);
    }

    fn push(&mut self, token: Token) -> u32 {
        match self.free.pop() {
            Some(at) => {
                self.all[at as usize] = token;
                at
            }
            None => {
                self.all.push(token);
                self.all.len() as u32 - 1
            }
        }
    }
}

impl Warp {
    /// Pushes a token: the lanes of the path will meet at the target.
    pub(super) fn push(&mut self, purpose: Purpose, target: u32) {
        let Path { mask, top, .. } = self.path;
        self.path.top = self.tokens.push(Token { purpose, target, lanes: mask, below: top });
    }

    /// Sends the lanes of the mask, of the path, to the topmost token of the purpose, where they wait for the others. `None`:
    /// there is none, or for `Join` another one lies above.
    pub(super) fn pop(&mut self, purpose: Purpose, mask: u32) -> Option<()> {
        let mut above = Vec::new();
        let mut at = self.path.top;
        loop {
            let token = self.tokens.all.get(at as usize)?;
            if token.purpose == purpose {
                break;
            }
            if purpose == Purpose::Join {
                return None;
            }
            above.push(at);
            at = token.below;
        }
        for left in above {
            let lanes = &mut self.tokens.all[left as usize].lanes;
            *lanes &= !mask;
            if *lanes == 0 {
                self.tokens.drop(left);
            }
        }
        self.wait(self.path.pc, mask, Wait::Token(at));
        Some(())
    }
}
