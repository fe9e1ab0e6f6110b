//! AMD's named barriers as text: the declaration, the setting up and the two functions say what the proven plan says.

use crate::cuda::helpers::Helper;
use lower::code::Code;
use schedule::named_barriers::{Act, Plan};

/// Those of a kernel.
pub(super) struct NamedBarriers<'a> {
    symbol: &'a str,
    plan: &'a Plan,
}

impl<'a> NamedBarriers<'a> {
    pub(super) fn from_code(code: &'a Code) -> Option<Self> {
        Some(Self { symbol: &code.symbol, plan: code.named_barriers.as_ref()?.plan() })
    }

    /// By their ids.
    pub(super) fn declaration(&self) -> String {
        let count = self.plan.barriers();
        format!("__shared__ __amdgpu_named_workgroup_barrier_t {}_barriers[{count}];\n\n", self.symbol)
    }

    /// The machine keeps what an earlier kernel left in them.
    pub(super) fn set_up(&self) -> String {
        let set_up = &self.plan.set_up;
        let mut text = format!(
            "  // One wave sets the named barriers up before any is used; each arrival tells how many there will be, too.\n  \
             if (__builtin_amdgcn_readlane(threadIdx.x, 0) == {}) {{\n",
            32 * set_up.wave
        );
        for (id, waves) in &set_up.barriers {
            text += &format!("    __builtin_amdgcn_s_barrier_init(&{}_barriers[{id}], {waves});\n", self.symbol);
        }
        text + "  }\n" + if set_up.meets { "  __syncthreads();\n" } else { "" }
    }

    /// Defines a kind of use; `None` for other functions, and for a kind that the plan does not have.
    pub(super) fn definition(&self, helper: Helper) -> Option<String> {
        let (waits, about) = match helper {
            Helper::BarrierSync => (true, "Arrives and waits for the rest."),
            Helper::BarrierArrive => (false, "Arrives and goes on."),
            _ => return None,
        };
        let step = self.plan.acts_of(waits)?;
        let mut text = format!(
            "// {about}\ntemplate <int id, int threads> static __device__ __forceinline__ void {}()\n{{\n",
            helper.name()
        );
        for act in &step.acts {
            text += &format!("  {};\n", self.call(*act));
        }
        Some(text + "}\n")
    }

    /// A wave waits for the barrier that it joined, whatever the number.
    fn call(&self, act: Act) -> String {
        let barrier = || format!("&{}_barriers[id]", self.symbol);
        match act {
            Act::Release => "__builtin_amdgcn_fence(__ATOMIC_RELEASE, \"workgroup\")".to_owned(),
            Act::Join(_) => format!("__builtin_amdgcn_s_barrier_join({})", barrier()),
            Act::Signal { .. } => format!("__builtin_amdgcn_s_barrier_signal_var({}, threads / 32)", barrier()),
            Act::Wait(_) => "__builtin_amdgcn_s_barrier_wait(1)".to_owned(),
            Act::Acquire => "__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, \"workgroup\")".to_owned(),
        }
    }
}
