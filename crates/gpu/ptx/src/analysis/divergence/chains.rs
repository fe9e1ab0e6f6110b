//! The values that are to blame one behind the other, for all values at once: a chain may be as long as the kernel.

use super::reason::Reason;
use super::{Divergence, Options};
use crate::analysis::gated::Gated;
use crate::analysis::ssa::Value;
use crate::ir::Func;
use cranelift_entity::{SecondaryMap, packed_option::PackedOption};

/// Longest chain that is told whole. Of a longer one the beginning is told and its source, so that what is told of a kernel
/// grows with the kernel, and not with its square.
pub const LONGEST_CHAIN: usize = 16;

/// The reasons of all values, and the sources of their chains.
pub struct Chains {
    reasons: SecondaryMap<Value, Option<Reason>>,
    /// Last value of the chain; of a chain that runs into a circle, one of the circle.
    sources: SecondaryMap<Value, PackedOption<Value>>,
}

/// The reason of a value, the reason of the value to blame, and so on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chain {
    pub links: Vec<(Value, Reason)>,
    /// The last link, where links in front of it are left out.
    pub source: Option<(Value, Reason)>,
}

impl Chains {
    pub fn new(result: &Divergence, func: &Func, gated: &Gated, options: Options) -> Self {
        let values = gated.ssa.values.len();
        let mut reasons = SecondaryMap::with_capacity(values);
        for value in gated.ssa.values.keys() {
            reasons[value] = result.reason(func, gated, options, value);
        }
        let mut sources: SecondaryMap<Value, PackedOption<Value>> = SecondaryMap::with_capacity(values);
        let mut path = Vec::new();
        for start in gated.ssa.values.keys() {
            let mut last = start;
            let source = loop {
                if let Some(source) = sources[last].expand() {
                    break source;
                }
                // noted now, so that a circle ends here
                sources[last] = last.into();
                path.push(last);
                match reasons[last].and_then(|reason| reason.cause) {
                    Some(cause) => last = cause,
                    None => break last,
                }
            };
            path.drain(..).for_each(|value| sources[value] = source.into());
        }
        Self { reasons, sources }
    }

    /// The chain of a value; without links where it is uniform.
    pub fn chain(&self, value: Value) -> Chain {
        let mut links: Vec<(Value, Reason)> = Vec::new();
        let mut next = Some(value);
        while let Some(value) = next.filter(|value| links.iter().all(|(seen, _)| seen != value)) {
            let Some(reason) = self.reasons[value] else { break };
            if links.len() == LONGEST_CHAIN {
                let source = self.sources[value].expand().unwrap_or(value);
                return Chain { links, source: self.reasons[source].map(|reason| (source, reason)) };
            }
            next = reason.cause;
            links.push((value, reason));
        }
        Chain { links, source: None }
    }
}

impl Chain {
    /// The last link of all.
    pub fn last(&self) -> Option<(Value, Reason)> {
        self.source.or_else(|| self.links.last().copied())
    }
}
