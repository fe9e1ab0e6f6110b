// gri30_conductivity: conductivity of gri30, made by singe 0.1.0
//
// command     singe mechanisms/gri30/chem.inp --warps 8 --target kepler --emit cuda,picture --compilers off
// input       mechanisms/gri30/chem.inp sha256 c44043e30d74e609c5d3615146fe0bb563ee2d4df99d2e60a48092fa5edda871
// input       mechanisms/gri30/therm.dat sha256 bb9637ea52f0ab3cf9e91ccb3c60c80f66b99342f276ed2d7175d519c6bc812b
// input       mechanisms/gri30/tran.dat sha256 e3695b982e4dc3f4aeb8c41f3b76a8de6c9945bc8345b91e7e004c79fbdc44e8
// target      kepler (compute capability 3.5)
// execution   warp-specialized; warps per CTA: 8, CTAs per SM: 1
// barriers    named barriers per CTA: 2
// constants   registers per thread: 1 real, 1 index
// banks       entries: 0 real, 0 index
// slots       16 (4096 bytes of shared memory per CTA)

static __device__ const double gri30_conductivity_reals[256] = {
  -1.8632803609992912, -12.348826679336016, -8.158325979948575, -13.457014190404687, 2.7026008996755104,
  11.893368454558502, -12.661399248467902, -0.6507488228632792, 3.6460908377193393, 1.325093700316392,
  2.8963445568811865, -3.266911833249498, -8.977413427374966, 2.3506466752417903, 0.14256814713630772,
  -0.39728941897770514, -0.10192404248148013, -0.27214292732755235, 0.5367711308533718, 1.5299294003459138,
  -0.16505726798693923, -0.0039019619042009344, 0.017543297897045392, 0.0050339792293994726, 0.011597345591844811,
  -0.023425466714180474, -0.07593533257200714, 0.005903023595276536, 0.0, 0.0, 0.0, 0.0, -10.648784684625186,
  -13.519878871044279, 9.345525892294651, 1.3922881998603005, 7.413399866664683, 2.4655543710534147, 1.7933266877509813,
  1.326201339465786, 3.5766221953958737, -6.262477422107567, -3.7310931320853458, -6.5040617797929645,
  -4.635041899069781, -4.959037654539704, 0.017299530940662097, -0.4309911820589388, 0.9852896131193365,
  0.7148311481526468, 1.1319547014762392, 0.9065656159494143, 1.0325002619537262, -0.004313378268514416,
  0.0211161065797043, -0.045171418112158176, -0.036334487276552876, -0.05691169737284434, -0.04766964709818124,
  -0.056316337928461725, 0.0, 0.0, 0.0, 0.0, 0.321787727119523, -22.93769062438476, -5.30862516442007,
  -6.215994463850157, -10.507378202740428, -17.70614834804435, -13.375189947487156, -3.1349500751706705,
  5.9078895014612405, -2.185797075846187, -2.351779363304197, 0.06426484178217813, 2.494611796677863,
  0.5680749022181804, 0.599010532258654, -0.5723785061122881, 0.6313181959216388, 0.7337158504401379,
  0.32847058172374044, 0.06154423329544213, 0.34952778161769815, -0.03017393573966508, 0.02053101100406546,
  -0.037821337326068453, -0.045567276923454914, -0.023941527083554036, -0.014404152711200513, -0.02846720661542496, 0.0,
  0.0, 0.0, 0.0, 1.801864674475736, -19.248256975502272, -20.646262969567324, -26.04417856847458, -20.51472998029615,
  -22.553644041708562, -17.52822751151492, -4.305166723506519, 4.583623779884338, 4.560893776189584, 6.326390636607269,
  4.0469830660852155, 4.727774349048613, 4.416409157690739, 0.8337852475716334, -0.4068510179379213,
  -0.31994061558337317, -0.49862361982264775, -0.18708067642235435, -0.25521095644913316, -0.4009119401817507,
  -0.043661452345507924, 0.014182023883452514, 0.006680109335113959, 0.01236128213369062, -0.0018033999437237769,
  0.0003085503736865077, 0.01413276712906996, 0.0, 0.0, 0.0, 0.0, -19.88484743504323, -16.923699907529898,
  -10.439279399934739, 0.28091155456652145, 8.245342990363024, 3.8287796496239364, -3.9991936154192387,
  3.9888565106473375, 3.0016100202440454, 2.107685572972534, -2.2409684320844585, -6.088515625317497,
  -5.938168950743356, -1.5961885335603223, -0.22375699460088025, -0.11719313915833923, -0.20429799052053468,
  0.40407050060691474, 1.0110058781709907, 1.174471740718274, 0.4304337127830435, 0.001592716894585717,
  -0.002012129319810188, 0.009508294290221946, -0.017694847223125528, -0.048260592013481894, -0.06287653474544361,
  -0.02403752559847774, 0.0, 0.0, 0.0, 0.0, -1.981452761242507, -25.463134741066384, -22.97545636265973,
  4.150174080457125, -11.004404585217591, -10.119252967214264, 0.0, -2.114740774526237, 7.285645157914677,
  6.036749381344898, -5.108579804261988, 2.1664501366029665, -0.011299305966290177, 0.0, 0.4518776931742066,
  -0.8001337102515348, -0.6065096323588486, 0.9199032055226009, -0.22594746276014505, 0.3064666621564618, 0.0,
  -0.023220978602082585, 0.03264814687275482, 0.022832615320897934, -0.045827998198828664, 0.01238194015262657,
  -0.02157376992435992, 0.0, 0.0, 0.0, 0.0, 0.0, -13.907831779341858, -18.912915236384695, -23.30226352269549,
  -14.697216132603101, -17.78408086686416, -22.712319363980523, 0.0, 1.1528355317960586, 4.985351642677298,
  6.048254793644512, 2.4252131073122927, 3.679997768528321, 5.94591084297735, 0.0, 0.20917627860666932,
  -0.47623873342328205, -0.5775785008238677, -0.07608806039614521, -0.2438762606776798, -0.5909813190480084, 0.0,
  -0.01974026989113481, 0.01737185774359741, 0.02016977405084976, -0.0028216212155782448, 0.0046624208790741715,
  0.021789968417952083, 0.0, 0.0, 0.0, 0.0, 0.0, 1.3837768622712592, -14.621419140342503, -30.71662246054382,
  -30.819493354695066, -17.830843109723777, -21.44077884235772, 0.0, -3.5124142337595696, 3.4447229405232855,
  8.364514241958236, 8.269826464622362, 2.9231180433266672, 4.157434729251053, 0.0, 0.6430981091324037,
  -0.3716805866489956, -0.8011859333188953, -0.7673221823336989, -0.04605501421662883, -0.17748033657117154, 0.0,
  -0.03181699028961272, 0.016455936561919043, 0.027204386081182575, 0.024830093501621135, -0.007663291188024202,
  -0.0031668059672011312, 0.0, 0.0, 0.0, 0.0, 0.0,
};

static __device__ const int gri30_conductivity_indices[256] = {
  0, 7, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 7, 2, 3, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 14, 7, 4, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 21, 7, 6, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 28, 7, 8, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 35, 6, 10, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 41, 6,
  12, 13, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 47, 6, 14, 15, 0, 0, 0, 0,
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
gri30_conductivity(const double *__restrict__ temperature, const double *__restrict__ pressure,
    const double *__restrict__ mole_fractions, double *__restrict__ conductivity, int points, int stride)
{
  __shared__ double slots[16][32];
  const int warp_id = threadIdx.x >> 5;
  const int lane = threadIdx.x & 31;
  const double c0 = gri30_conductivity_reals[0 + threadIdx.x];
  const int k0 = gri30_conductivity_indices[0 + threadIdx.x];
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
      const double t = fma(fma(broadcast(c0, 21 + i0), ln_t, broadcast(c0, 14 + i0)), ln_t, broadcast(c0, 7 + i0));
      const double t_2 = fma(t, ln_t, broadcast(c0, i0));
      const double field_2 = load(mole_fractions, broadcast_index(k0, 0) + i0, stride, point);
      const double t_3 = positive(field_2);
      r0 = fma(t_3, singe_exp(t_2), r0);
      r1 = fma(t_3, singe_exp(-t_2), r1);
    }
    slots[broadcast_index(k0, 2)][lane] = r0;
    slots[broadcast_index(k0, 3)][lane] = r1;
    if ((0xdfu >> warp_id) & 1u) {
      barrier_arrive<1, 256>();
    }
    if ((0x20u >> warp_id) & 1u) {
      barrier_sync<1, 256>();
    }
    // phase 2
    if ((0x20u >> warp_id) & 1u) {
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
#include "gri30.h"
#include <cuda_runtime.h>

// Finds the CTAs of the kernel that the current device holds at once. Returns a cudaError_t.
extern "C" int gri30_conductivity_prepare(int multiprocessors, int *ctas)
{
  int resident = 0;
  cudaError_t error = cudaSuccess;
  if (error == cudaSuccess) {
    error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, gri30_conductivity, 256, 0);
  }
  if (error == cudaSuccess && resident == 0) error = cudaErrorLaunchOutOfResources;
  *ctas = multiprocessors * resident;
  return (int)error;
}

// Runs the kernel on all points, on a stream. Returns a singe_status or a cudaError_t.
extern "C" int gri30_conductivity_launch(const struct gri30_context *context, const double *temperature,
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
  gri30_conductivity<<<needed < most ? needed : most, threads, dynamic_shared_bytes, stream>>>(temperature, pressure,
    mole_fractions, conductivity, points, stride);
  return (int)cudaGetLastError();
}
#endif
