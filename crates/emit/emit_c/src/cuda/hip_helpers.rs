//! The device functions that AMD's machines have by other means than NVIDIA's.

use super::helpers::Helper;

/// Whether HIP's definition is another one.
pub fn differs(helper: Helper) -> bool {
    text(helper).is_some()
}

/// HIP's own definition.
pub fn definition(helper: Helper) -> String {
    text(helper).expect("it was asked for where it is there").to_owned()
}

fn text(helper: Helper) -> Option<&'static str> {
    Some(match helper {
        Helper::Broadcast => BROADCAST,
        Helper::BroadcastIndex => BROADCAST_INDEX,
        Helper::Reload => RELOAD,
        Helper::ReloadIndex => RELOAD_INDEX,
        Helper::Thread => THREAD,
        Helper::Again => AGAIN,
        Helper::BarrierSync => WORKGROUP_SYNC,
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
