//! Request as it stands for one kernel in one layout.

use std::fmt;

use super::{Request, Tuning};
use graph::{Graph, fission};
use kernels::Kernel;
use overlay::Codegen;

/// One kernel in one layout, with its own tuning: all that making it depends on besides what concerns every kernel.
#[derive(Debug, Clone, Copy)]
pub struct Resolved<'a> {
    pub asked: &'a Request,
    pub kernel: Kernel,
    pub tuning: Tuning,
    pub codegen: Codegen,
    /// Further layouts of the kernel.
    pub beside: &'a [Codegen],
    /// The layout that takes least time is kept alone.
    pub keep_fastest: bool,
}

/// As progress names it, such as `chemistry, straight code of 2 groups of 4 warps`.
impl fmt::Display for Resolved<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let warps = self.tuning.warps;
        write!(f, "{}, {} code", self.title(), self.codegen.name())?;
        match self.groups() {
            _ if self.asked.common.target.is_cpu() => Ok(()),
            1 => write!(f, " of {warps} warps"),
            groups => write!(f, " of {groups} groups of {warps} warps"),
        }
    }
}

impl Resolved<'_> {
    /// The same kernel in another layout.
    pub fn in_layout(self, codegen: Codegen) -> Self {
        Self { codegen, ..self }
    }

    /// The same kernel with another tuning.
    pub fn tuned(self, tuning: Tuning) -> Self {
        Self { tuning, ..self }
    }

    /// The same kernel for so many points per lane.
    pub fn with_points(self, points_per_lane: u32) -> Self {
        self.tuned(Tuning { points_per_lane: Some(points_per_lane), ..self.tuning })
    }

    /// The request for this kernel and no other.
    pub fn alone(&self) -> Request {
        let Self { asked, kernel, tuning, codegen, beside, keep_fastest } = *self;
        let (kernels, own, own_layouts) = (vec![kernel], Vec::new(), Vec::new());
        let beside = beside.to_vec();
        Request { kernels, tuning, own, codegen, beside, keep_fastest, own_layouts, ..asked.clone() }
    }

    /// All layouts of the kernel.
    pub fn codegens(&self) -> impl Iterator<Item = Codegen> + '_ {
        std::iter::once(self.codegen).chain(self.beside.iter().copied())
    }

    /// Grid points of a lane, where they are given.
    pub fn points(&self) -> u32 {
        self.tuning.points_per_lane.unwrap_or(1)
    }

    /// The kernel's name, behind that of its set and before the number of its part.
    pub fn title(&self) -> String {
        let set = self.asked.set.as_ref().map_or(String::new(), |set| format!("{set}-"));
        let part = self.asked.part.as_ref().map_or(String::new(), |part| format!("-{}", part.number));
        format!("{set}{}{part}", self.kernel)
    }

    /// The graph of the part that is wanted, of that of the whole kernel.
    pub fn part(&self, whole: Graph) -> Graph {
        match &self.asked.part {
            None => whole,
            Some(part) => fission::part(&whole, &part.rows),
        }
    }

    /// The symbol of the kernel.
    pub fn symbol(&self, mechanism: &str) -> String {
        let is_plain = self.beside.is_empty() || self.keep_fastest;
        let layout = if is_plain { String::new() } else { format!("_{}", self.codegen.name()) };
        format!("{}_{}{layout}", self.asked.name(mechanism), self.title()).replace('-', "_")
    }
}
