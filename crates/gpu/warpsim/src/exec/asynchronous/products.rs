//! Products of matrices of one warp, as data: groups, and registers in use.

use crate::decode::Product;
use crate::hazard::Kind;
use std::collections::BTreeMap;

/// Products of one warp.
#[derive(Default)]
pub(crate) struct Products {
    /// Number of products so far, and at the end of each group.
    pub(super) started: u32,
    /// Time of each of them, by the warp's own clock.
    pub(super) times: Vec<u32>,
    pub(super) ends: Vec<u32>,
    /// Rows that a product uses which is under way: its number, and the shape of a result; `None`: a factor.
    pub(super) rows: BTreeMap<u32, (u32, Option<String>)>,
    pub(super) fences: u32,
    /// Number of fences before the last other access of each row.
    accessed: BTreeMap<u32, u32>,
    /// The instructions so far, with the descriptors of factors.
    pub(super) sequence: Vec<(u32, Vec<u64>)>,
}

impl Products {
    /// Notes an access of a row by another instruction; returns what it breaks.
    pub(crate) fn access(&mut self, row: u32) -> Option<Kind> {
        self.accessed.insert(row, self.fences);
        let under_way = self.rows.contains_key(&row);
        under_way.then(|| Kind::Copy("a register that a wgmma uses which is not waited for".to_owned()))
    }

    /// Begins a CTA.
    pub(super) fn restart(&mut self) {
        self.rows.clear();
        self.ends.clear();
        self.accessed.clear();
        self.sequence.clear();
        self.fences = 0;
    }

    /// Returns what forbids a product of these registers.
    pub(super) fn forbids(&self, product: &Product) -> Option<String> {
        let of_result = |row: &&u32| self.rows.get(row).map(|(_, shape)| shape.as_deref());
        let chained = |row: &&u32| of_result(row) == Some(Some(&product.shape));
        let clashes = product.d.iter().any(|row| of_result(&row).is_some() && !chained(&row));
        if clashes || product.a.iter().any(|row| of_result(&row).flatten().is_some()) {
            return Some("a register that another wgmma uses which is not waited for".to_owned());
        }
        let fenced = |row: &u32| self.accessed.get(row).copied().unwrap_or(0) < self.fences;
        let all = product.d.iter().chain(&product.a).all(|row| self.rows.contains_key(row) || fenced(row));
        (!all).then(|| "no wgmma.fence is behind other accesses of its registers".to_owned())
    }
}
