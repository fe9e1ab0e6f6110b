//! The device functions that AMD's machines have by other means than NVIDIA's.

use super::helpers::Helper;
use machine::target::{Amd, Target};

/// Whether HIP's definition is another one.
pub fn differs(helper: Helper, target: &Target) -> bool {
    text(helper, target).is_some()
}

/// HIP's own definition.
pub fn definition(helper: Helper, target: &Target) -> String {
    text(helper, target).expect("it was asked for where it is there").to_owned()
}

fn text(helper: Helper, target: &Target) -> Option<&'static str> {
    Some(match helper {
        Helper::Broadcast => BROADCAST,
        Helper::BroadcastIndex => BROADCAST_INDEX,
        Helper::Reload => RELOAD,
        Helper::ReloadIndex => RELOAD_INDEX,
        Helper::Thread => THREAD,
        Helper::Again => AGAIN,
        Helper::BarrierSync if !target.amd().is_some_and(Amd::has_named_barriers) => WORKGROUP_SYNC,
        Helper::BarrierSync => BARRIER_SYNC,
        Helper::BarrierArrive => BARRIER_ARRIVE,
        _ => return None,
    })
}

const BROADCAST: &str = "\
// The value that this lane holds, in scalar registers of the wave.
INLINE double broadcast(double value, int lane)
{
  const int high = __builtin_amdgcn_readlane(__double2hiint(value), lane);
  const int low = __builtin_amdgcn_readlane(__double2loint(value), lane);
  return __hiloint2double(high, low);
}
";

const BROADCAST_INDEX: &str = "\
INLINE int broadcast_index(int value, int lane)
{
  return __builtin_amdgcn_readlane(value, lane);
}
";

const RELOAD: &str = "\
// This thread's entry of a table, loaded again where it is used: registers are too few to keep it, or its address.
INLINE double reload(const double *table)
{
  int thread = threadIdx.x;
  asm volatile(\"\" : \"+v\"(thread));
  return table[thread];
}
";

const RELOAD_INDEX: &str = "\
INLINE int reload_index(const int *table)
{
  int thread = threadIdx.x;
  asm volatile(\"\" : \"+v\"(thread));
  return table[thread];
}
";

const THREAD: &str = "\
// This thread's number in its workgroup. Compilers cannot see that it is the same: they compute again what follows from it.
INLINE int thread()
{
  int thread = threadIdx.x;
  asm volatile(\"\" : \"+v\"(thread));
  return thread;
}
";

const AGAIN: &str = "\
// The same number, but compilers cannot see that: they compute again what follows from it, instead of keeping that.
INLINE int again(int number)
{
  asm volatile(\"\" : \"+v\"(number));
  return number;
}
";

const WORKGROUP_SYNC: &str = "\
// All waves of the workgroup wait for each other: there is no other barrier.
template <int id, int threads> INLINE void barrier_sync()
{
  static_assert(id == 0 && threads == THREADS, \"a barrier of some waves\");
  __syncthreads();
}
";

/// A wave waits for the barrier that it joined, and signals any; how many waves take part is said by each signal.
const BARRIER_SYNC: &str = "\
// Arrives and waits for the rest.
template <int id, int threads> INLINE void barrier_sync()
{
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, \"workgroup\");
  __builtin_amdgcn_s_barrier_join(&BARRIERS[id]);
  __builtin_amdgcn_s_barrier_signal_var(&BARRIERS[id], threads / 32);
  __builtin_amdgcn_s_barrier_wait(1);
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, \"workgroup\");
}
";

const BARRIER_ARRIVE: &str = "\
// Arrives and goes on.
template <int id, int threads> INLINE void barrier_arrive()
{
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, \"workgroup\");
  __builtin_amdgcn_s_barrier_signal_var(&BARRIERS[id], threads / 32);
}
";
