// Stands for ROCm's header where there is no GPU of AMD: device memory is the host's, and a launch runs the threads of a workgroup in
// turn, each until it hands a word to others. What the generated text takes of HIP is here, and nothing else.
#pragma once

#include <csetjmp>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ucontext.h>
#include <vector>

#define __global__
#define __device__
#define __host__
#define __constant__
#define __shared__ static
#define __forceinline__ inline __attribute__((always_inline))
#define __restrict__ __restrict
#define __launch_bounds__(...)
#define __noinline__

struct dim3 {
  unsigned x;
  dim3(unsigned x) : x(x) {}
};
struct Index {
  unsigned x;
};
inline Index threadIdx, blockIdx, blockDim, gridDim;

typedef struct ihipStream_t *hipStream_t;
typedef int hipError_t;
typedef double hipEvent_t;
enum { hipSuccess = 0, hipErrorOutOfMemory = 2, hipErrorInsufficientDriver = 35, hipErrorInvalidDeviceFunction = 98,
       hipErrorNoDevice = 100, hipErrorNoBinaryForGpu = 209, hipErrorLaunchOutOfResources = 701 };
enum hipDeviceAttribute_t { hipDeviceAttributeClockRate, hipDeviceAttributeMemoryClockRate, hipDeviceAttributeMemoryBusWidth,
                            hipDeviceAttributeMultiprocessorCount };
enum hipMemcpyKind { hipMemcpyHostToDevice = 1, hipMemcpyDeviceToHost = 2 };
struct hipDeviceProp_t {
  char name[256];
  int major, minor, multiProcessorCount;
};

#ifndef SINGE_LANES
#define SINGE_LANES 64
#endif

namespace stand_in {

const unsigned lanes = SINGE_LANES;

// A named barrier of the workgroup, which waves join, signal and wait for.
struct Barrier {
  int members = 0, arrived = 0, generation = 0;
};

// A thread of the workgroup that runs. It begins in a context, and goes on by a jump, which calls no operating system.
struct Thread {
  ucontext_t context;
  jmp_buf place;
  bool has_begun = false;
  std::vector<char> stack = std::vector<char>(256 * 1024);
  bool runs = false;
  int turn = 0;
  int words[2] = {0, 0};
  Barrier *joined = nullptr;
  int generation = 0;
};
inline std::vector<Thread> threads;
inline jmp_buf outside;
inline void (*body)();

[[noreturn]] inline void enter(unsigned next)
{
  Thread &thread = threads[next];
  threadIdx.x = next;
  if (thread.has_begun) _longjmp(thread.place, 1);
  thread.has_begun = true;
  setcontext(&thread.context);
  abort();
}

// Goes on with the next thread that has not ended; with this one again once all of them have come as far.
inline void yield()
{
  const unsigned own = threadIdx.x, count = (unsigned)threads.size();
  for (unsigned step = 1; step <= count; ++step) {
    const unsigned next = (own + step) % count;
    if (!threads[next].runs) continue;
    if (next == own) return;
    if (_setjmp(threads[own].place) == 0) enter(next);
    return;
  }
}

[[noreturn]] inline void leave()
{
  const unsigned own = threadIdx.x, count = (unsigned)threads.size();
  threads[own].runs = false;
  for (unsigned step = 1; step < count; ++step) {
    const unsigned next = (own + step) % count;
    if (threads[next].runs) enter(next);
  }
  _longjmp(outside, 1);
}

// Workgroup after workgroup: a context is made once for all of them.
inline void run()
{
  for (;;) {
    body();
    if (_setjmp(threads[threadIdx.x].place) == 0) leave();
  }
}

// Returns when the last thread has ended.
inline void run_all()
{
  if (_setjmp(outside) == 0) enter(0);
}

template <typename Body> void launch(unsigned grid, unsigned block, Body call)
{
  static Body *current;
  current = &call;
  body = [] { (*current)(); };
  gridDim.x = grid;
  blockDim.x = block;
  for (blockIdx.x = 0; blockIdx.x < grid; ++blockIdx.x) {
    threads.resize(block);
    for (Thread &thread : threads) {
      thread.runs = true;
      thread.turn = 0;
      if (thread.has_begun) continue;
      getcontext(&thread.context);
      thread.context.uc_stack.ss_sp = thread.stack.data();
      thread.context.uc_stack.ss_size = thread.stack.size();
      thread.context.uc_link = nullptr;
      makecontext(&thread.context, run, 0);
    }
    run_all();
  }
}

typedef uint64_t Word;
typedef void Kernel(Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word);

// Arrays, then the number of points and the stride.
inline hipError_t launch_kernel(const void *kernel, dim3 grid, dim3 block, void **arguments, size_t count)
{
  Word words[12] = {};
  for (size_t i = 0; i < count; ++i) {
    words[i] = i + 2 < count ? *(Word *)arguments[i] : (Word)*(int *)arguments[i];
  }
  launch(grid.x, block.x, [&] {
    ((Kernel *)kernel)(words[0], words[1], words[2], words[3], words[4], words[5], words[6], words[7], words[8], words[9], words[10],
                       words[11]);
  });
  return hipSuccess;
}

inline void stop(const char *what)
{
  fprintf(stderr, "%s\n", what);
  // Nothing is to be freed: this may be a thread's own stack.
  _Exit(4);
}

// Hands a word to the lanes of the wave once all of them that run are there; the word of one of them. A lane that does not run gives
// 0, as the machine does.
inline int exchanged(int word, unsigned lane)
{
  const unsigned self = threadIdx.x, first = self / lanes * lanes, count = (unsigned)threads.size();
  const int turn = threads[self].turn++;
  threads[self].words[turn & 1] = word;
  for (unsigned at = first, turns = 0; at < first + lanes && at < count;) {
    // One that was there may have ended since.
    if (threads[at].turn > turn || !threads[at].runs) {
      ++at;
    } else {
      if (++turns > 10000000) stop("lanes of a wave wait for each other for ever");
      yield();
    }
  }
  const unsigned other = first + lane % lanes;
  return other < count && threads[other].turn > turn ? threads[other].words[turn & 1] : 0;
}

} // namespace stand_in

typedef stand_in::Barrier __amdgpu_named_workgroup_barrier_t;

inline void __builtin_amdgcn_s_barrier_init(stand_in::Barrier *barrier, int members)
{
  if (threadIdx.x % stand_in::lanes == 0 && barrier->arrived > 0) stand_in::stop("a workgroup left a barrier in the middle of a use");
  barrier->members = members;
  barrier->arrived = 0;
}

inline void __builtin_amdgcn_s_barrier_join(stand_in::Barrier *barrier)
{
  stand_in::Thread &own = stand_in::threads[threadIdx.x];
  own.joined = barrier;
  own.generation = barrier->generation;
  stand_in::exchanged(0, 0);
}

// Once for each wave.
inline void __builtin_amdgcn_s_barrier_signal_var(stand_in::Barrier *barrier, int members)
{
  stand_in::exchanged(0, 0);
  if (threadIdx.x % stand_in::lanes == 0) {
    if (barrier->arrived > 0 && barrier->members != members) stand_in::stop("waves disagree on the members of a barrier");
    barrier->members = members;
    if (++barrier->arrived == members) {
      barrier->arrived = 0;
      ++barrier->generation;
    }
  }
  stand_in::exchanged(0, 0);
}

inline void __builtin_amdgcn_s_barrier_wait(int)
{
  const stand_in::Thread &own = stand_in::threads[threadIdx.x];
  for (unsigned turns = 0; own.generation == own.joined->generation; stand_in::yield()) {
    if (++turns > 10000000) stand_in::stop("a wave waits at a barrier for ever");
  }
}

inline void __builtin_amdgcn_fence(int, const char *) {}
inline void __builtin_amdgcn_wave_barrier() { stand_in::exchanged(0, 0); }
inline int __builtin_amdgcn_readlane(int word, int lane) { return stand_in::exchanged(word, (unsigned)lane); }
inline int __builtin_amdgcn_ds_bpermute(int byte, int word) { return stand_in::exchanged(word, (unsigned)byte / 4); }
inline void __builtin_amdgcn_s_barrier() { stand_in::yield(); }
inline void __builtin_amdgcn_sched_barrier(int) {}
// Threads that have ended are not waited for.
inline void __syncthreads()
{
  static unsigned met = 0, arrived = 0;
  const unsigned generation = met;
  ++arrived;
  for (unsigned turns = 0; generation == met; stand_in::yield()) {
    unsigned running = 0;
    for (const stand_in::Thread &thread : stand_in::threads) running += thread.runs;
    if (arrived >= running) {
      arrived = 0;
      ++met;
      return;
    }
    if (++turns > 10000000) stand_in::stop("a thread waits for its workgroup for ever");
  }
}

// CUDA's text has it, HIP's has not.
inline double __dmul_rn(double a, double b) { return a * b; }
inline int min(int a, int b) { return a < b ? a : b; }
inline double __longlong_as_double(long long a)
{
  double x;
  memcpy(&x, &a, sizeof x);
  return x;
}
inline long long __double_as_longlong(double x)
{
  long long a;
  memcpy(&a, &x, sizeof a);
  return a;
}
inline int __double2hiint(double x) { return (int)(__double_as_longlong(x) >> 32); }
inline int __double2loint(double x) { return (int)__double_as_longlong(x); }
inline double __hiloint2double(int high, int low)
{
  return __longlong_as_double((long long)((unsigned long long)(unsigned)high << 32 | (unsigned)low));
}
// Threads that take numbers from a counter do so in turns.
inline int atomicAdd(int *sum, int more)
{
  stand_in::yield();
  const int before = *sum;
  *sum += more;
  return before;
}
inline void atomicAdd(unsigned long long *sum, unsigned long long more) { *sum += more; }

#define hipLaunchKernel(kernel, grid, block, arguments, shared, stream) \
  stand_in::launch_kernel(kernel, grid, block, arguments, sizeof(arguments) / sizeof *(arguments))

inline hipError_t hipGetDeviceCount(int *count) { return *count = 1, hipSuccess; }
inline hipError_t hipGetDevice(int *device) { return *device = 0, hipSuccess; }
inline hipError_t hipSetDevice(int) { return hipSuccess; }
inline hipError_t hipGetLastError() { return hipSuccess; }
inline hipError_t hipDeviceSynchronize() { return hipSuccess; }
inline hipError_t hipDeviceGetAttribute(int *value, hipDeviceAttribute_t, int) { return *value = 1000, hipSuccess; }
inline hipError_t hipDriverGetVersion(int *version) { return *version = 1, hipSuccess; }
inline hipError_t hipRuntimeGetVersion(int *version) { return *version = 1, hipSuccess; }
inline const char *hipGetErrorString(hipError_t) { return "an error of the stand-in"; }
inline hipError_t hipGetDeviceProperties(hipDeviceProp_t *device, int)
{
  *device = {"stand-in", 9, 4, 1};
  return hipSuccess;
}
template <typename Kernel>
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int *resident, Kernel, int, size_t)
{
  return *resident = 1, hipSuccess;
}
template <typename T> hipError_t hipMalloc(T **memory, size_t bytes)
{
  *memory = (T *)malloc(bytes);
  return *memory ? hipSuccess : hipErrorOutOfMemory;
}
template <typename T> hipError_t hipMallocManaged(T **memory, size_t bytes) { return hipMalloc(memory, bytes); }
inline hipError_t hipFree(void *memory) { return free(memory), hipSuccess; }
inline hipError_t hipMemset(void *memory, int byte, size_t bytes) { return memset(memory, byte, bytes), hipSuccess; }
inline hipError_t hipMemsetAsync(void *memory, int byte, size_t bytes, hipStream_t)
{
  return memset(memory, byte, bytes), hipSuccess;
}
inline hipError_t hipMemcpy(void *to, const void *from, size_t bytes, hipMemcpyKind)
{
  return memcpy(to, from, bytes), hipSuccess;
}
inline hipError_t hipMemcpyAsync(void *to, const void *from, size_t bytes, hipMemcpyKind, hipStream_t)
{
  return memcpy(to, from, bytes), hipSuccess;
}
inline hipError_t hipStreamCreate(hipStream_t *stream) { return *stream = nullptr, hipSuccess; }
inline hipError_t hipStreamDestroy(hipStream_t) { return hipSuccess; }
inline hipError_t hipStreamSynchronize(hipStream_t) { return hipSuccess; }
inline hipError_t hipMemGetInfo(size_t *free, size_t *total) { return *free = *total = (size_t)1 << 32, hipSuccess; }
inline hipError_t hipEventCreate(hipEvent_t *) { return hipSuccess; }
inline hipError_t hipEventDestroy(hipEvent_t) { return hipSuccess; }
inline hipError_t hipEventRecord(hipEvent_t) { return hipSuccess; }
inline hipError_t hipEventSynchronize(hipEvent_t) { return hipSuccess; }
inline hipError_t hipEventElapsedTime(float *milliseconds, hipEvent_t, hipEvent_t)
{
  return *milliseconds = 1.0f, hipSuccess;
}
