// h2o2_conductivity: conductivity of h2o2, made by singe 0.1.0
//
// command     singe mechanisms/h2o2/chem.inp --warps 8 --target kepler --emit cuda,picture --compilers off
// input       mechanisms/h2o2/chem.inp sha256 b672951e65e781496dc3dbac71cc1188a40605a11f20f8f00b734de95f70ecc7
// input       mechanisms/h2o2/therm.dat sha256 c0e83a2f1255ee15ce3ffdf5db49e1813d580f7632d8b60c80df5cc9023ad45b
// input       mechanisms/h2o2/tran.dat sha256 377ed79c9f704d6c49a316134f171ad180a1cfde27eadec992dce85edf624272
// target      kepler (compute capability 3.5)
// execution   warp-specialized; warps per CTA: 8, CTAs per SM: 1
// barriers    named barriers per CTA: 2
// constants   registers per thread: 1 real, 1 index
// banks       entries: 0 real, 0 index
// slots       16 (4096 bytes of shared memory per CTA)

static __device__ const double h2o2_conductivity_reals[256] = {
  0.47326936679801823, -11.888924945893335, -1.7002449963823179, 3.440148678716668, 0.29871412611098674,
  -0.36673549601899574, -0.011598684649307325, 0.01604119345443311, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -8.720149406096203, -14.496597251223385,
  1.5758841277577036, 3.3645757198560804, -0.13902027311082021, -0.34198693919201445, 0.006852517558501994,
  0.015048425705469812, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 3.8930087876433648, 0.0, -3.803730186695746, 0.0, 0.6169342946479539, 0.0,
  -0.027390366065726132, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 11.387876883505463, 0.0, -8.755471964018392, 0.0, 1.4976160123820017, 0.0,
  -0.07437507878456767, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -10.935954236637306, 0.0, 1.5833553395907132, 0.0, -0.05195901296412142, 0.0,
  0.00037658632067901474, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -10.865537553738944, 0.0, 1.4242901312615752, 0.0, 0.0026106880012418663, 0.0,
  -0.003585260868776206, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -14.176867324157614, 0.0, 3.2454053880152367, 0.0, -0.3420776999308185, 0.0,
  0.014999239513115405, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.04462232207619083, 0.0, -2.916917375020454, 0.0, 0.5553213947561264, 0.0,
  -0.027527686952737093, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
};

static __device__ const int h2o2_conductivity_indices[256] = {
  0, 2, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 2, 3, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 1, 4, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 1, 6, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 6, 1, 8, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 7, 1, 10, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 1,
  12, 13, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 1, 14, 15, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
};

// The value that this lane holds, in all lanes of the warp.
static __device__ __forceinline__ double broadcast(double value, int lane)
{
  const int high = __shfl(__double2hiint(value), lane);
  const int low = __shfl(__double2loint(value), lane);
  return __hiloint2double(high, low);
}

static __device__ __forceinline__ int broadcast_index(int value, int lane)
{
  return __shfl(value, lane);
}

// Row of a field-major input at one point.
static __device__ __forceinline__ double load(const double *__restrict__ field, int row, int stride, int point)
{
  return __ldg(field + (size_t)row * stride + point);
}

// Row of a field-major output at one point, for the lanes whose point exists.
static __device__ __forceinline__ void store(double *field, int row, int stride, int point, bool active, double value)
{
  if (active) field[(size_t)row * stride + point] = value;
}

// Arrives and waits for the rest.
template <int id, int threads> static __device__ __forceinline__ void barrier_sync()
{
  asm volatile("bar.sync %0, %1;" : : "n"(id), "n"(threads) : "memory");
}

// Arrives and goes on.
template <int id, int threads> static __device__ __forceinline__ void barrier_arrive()
{
  asm volatile("bar.arrive %0, %1;" : : "n"(id), "n"(threads) : "memory");
}

// e^x below 1 ulp: 0 for x <= -708, infinity for x >= 708.
static __device__ __forceinline__ double singe_exp(double x)
{
  const double shifted = fma(x, 1.4426950408889634, 6755399441055744.0);
  const unsigned n = (unsigned)__double2loint(shifted);
  const double whole = shifted - 6755399441055744.0;
  const double r = fma(whole, -2.3190468138462996e-17, fma(whole, -0.6931471805599453, x));
  double p = 2.5110049204818658e-8;
  p = fma(p, r, 2.763265472252779e-7);
  p = fma(p, r, 2.755724088722987e-6);
  p = fma(p, r, 2.4801485441561313e-5);
  p = fma(p, r, 0.00019841269890076403);
  p = fma(p, r, 0.0013888888952352863);
  p = fma(p, r, 0.008333333333319589);
  p = fma(p, r, 0.04166666666648795);
  p = fma(p, r, 0.1666666666666668);
  p = fma(p, r, 0.5000000000000019);
  p = fma(p, r, 1.0);
  p = fma(p, r, 1.0);
  const unsigned high = (unsigned)__double2hiint(p) + (n << 20);
  const int x_high = __double2hiint(x);
  return (x_high & 0x7fffffff) < 0x40862000 ? __hiloint2double((int)high, __double2loint(p))
                                          : __hiloint2double(x_high < 0 ? 0 : 0x7ff00000, 0);
}

// ln x below 1 ulp, for positive normal x.
static __device__ __forceinline__ double singe_log(double x)
{
  const int high = __double2hiint(x);
  const int exponent = (int)((unsigned)high - 0x3fe6a09eu) >> 20;
  const double m = __hiloint2double((int)((unsigned)high - ((unsigned)exponent << 20)), __double2loint(x));
  const double k = (double)exponent;
  const double f = m - 1.0;
  const double s = f / (m + 1.0);
  const double z = s * s;
  double r = 0.13088034850927555;
  r = fma(r, z, 0.13268638369266825);
  r = fma(r, z, 0.15386244737621665);
  r = fma(r, z, 0.18181795547521137);
  r = fma(r, z, 0.22222222392581045);
  r = fma(r, z, 0.28571428570799784);
  r = fma(r, z, 0.40000000000000885);
  r = fma(r, z, 0.6666666666666666);
  const double t = fma(z, -r, f);
  const double low = fma(s, -t, k * 1.8206359985041462e-9);
  return fma(k, 0.6931471787393093, f + low);
}

// max(x, 0) without a double-precision instruction.
static __device__ __forceinline__ double positive(double x)
{
  const int mask = ~(__double2hiint(x) >> 31);
  return __hiloint2double(__double2hiint(x) & mask, __double2loint(x) & mask);
}

extern "C" __global__ void __launch_bounds__(256, 1)
h2o2_conductivity(const double *__restrict__ temperature, const double *__restrict__ pressure,
    const double *__restrict__ mole_fractions, double *__restrict__ conductivity, int points, int stride)
{
  __shared__ double slots[16][32];
  const int warp_id = threadIdx.x >> 5;
  const int lane = threadIdx.x & 31;
  const double c0 = h2o2_conductivity_reals[0 + threadIdx.x];
  const int k0 = h2o2_conductivity_indices[0 + threadIdx.x];
  const int groups = points / 32 + (points % 32 != 0);
  for (int group = blockIdx.x; group < groups; group += gridDim.x) {
    const bool active = group * 32 + lane < points;
    const int point = min(group * 32 + lane, points - 1);
    const double field = load(temperature, 0, stride, point);
    const double ln_t = singe_log(field);
    // phase 1
    double r0 = 0.0;
    double r1 = 0.0;
    const int trips = broadcast_index(k0, 1);
    #pragma unroll 4
    for (int i0 = 0; i0 < trips; ++i0) {
      const double t = fma(fma(broadcast(c0, 6 + i0), ln_t, broadcast(c0, 4 + i0)), ln_t, broadcast(c0, 2 + i0));
      const double t_2 = fma(t, ln_t, broadcast(c0, i0));
      const double field_2 = load(mole_fractions, broadcast_index(k0, 0) + i0, stride, point);
      const double t_3 = positive(field_2);
      r0 = fma(t_3, singe_exp(t_2), r0);
      r1 = fma(t_3, singe_exp(-t_2), r1);
    }
    slots[broadcast_index(k0, 2)][lane] = r0;
    slots[broadcast_index(k0, 3)][lane] = r1;
    if ((0xfbu >> warp_id) & 1u) {
      barrier_arrive<1, 256>();
    }
    if ((0x4u >> warp_id) & 1u) {
      barrier_sync<1, 256>();
    }
    // phase 2
    if ((0x4u >> warp_id) & 1u) {
      r0 = 0.0;
      r1 = 0.0;
      #pragma unroll 4
      for (int i1 = 0; i1 < 8; ++i1) {
        r0 = r0 + slots[i1 * 2][lane];
        r1 = r1 + slots[1 + i1 * 2][lane];
      }
      store(conductivity, 0, stride, point, active, 0.5 * (r0 + 1.0 / r1));
    }
    barrier_sync<0, 256>();
  }
}

#ifndef __CUDACC_RTC__
#include "h2o2.h"
#include <cuda_runtime.h>

// Finds the CTAs of the kernel that the current device holds at once. Returns a cudaError_t.
extern "C" int h2o2_conductivity_prepare(int multiprocessors, int *ctas)
{
  int resident = 0;
  cudaError_t error = cudaSuccess;
  if (error == cudaSuccess) {
    error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, h2o2_conductivity, 256, 0);
  }
  if (error == cudaSuccess && resident == 0) error = cudaErrorLaunchOutOfResources;
  *ctas = multiprocessors * resident;
  return (int)error;
}

// Runs the kernel on all points, on a stream. Returns a singe_status or a cudaError_t.
extern "C" int h2o2_conductivity_launch(const struct h2o2_context *context, const double *temperature,
    const double *pressure, const double *mole_fractions, double *conductivity, int points, int stride,
    struct CUstream_st *stream)
{
  const int threads = 256;
  const int groups_per_cta = 1;
  const int dynamic_shared_bytes = 0;
  if (!context) return SINGE_NULL_POINTER;
  if (points < 0) return SINGE_INVALID_POINTS;
  if (stride < points) return SINGE_INVALID_STRIDE;
  if (points == 0) return SINGE_SUCCESS;
  if (!temperature) return SINGE_NULL_POINTER;
  if (!pressure) return SINGE_NULL_POINTER;
  if (!mole_fractions) return SINGE_NULL_POINTER;
  if (!conductivity) return SINGE_NULL_POINTER;
  int device = 0;
  const cudaError_t error = cudaGetDevice(&device);
  if (error != cudaSuccess) return (int)error;
  if (device != context->device) return SINGE_WRONG_DEVICE;

  // As many CTAs as the device holds at once: each streams over its share of the points and loads its constants once.
  const int groups = points / 32 + (points % 32 != 0);
  const int needed = (groups - 1) / groups_per_cta + 1;
  const int most = context->conductivity_ctas;
  h2o2_conductivity<<<needed < most ? needed : most, threads, dynamic_shared_bytes, stream>>>(temperature, pressure,
    mole_fractions, conductivity, points, stride);
  return (int)cudaGetLastError();
}
#endif
