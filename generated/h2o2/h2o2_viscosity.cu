// h2o2_viscosity: viscosity of h2o2, made by singe 0.1.0
//
// command     singe mechanisms/h2o2/chem.inp --warps 8 --target kepler --emit cuda,picture --compilers off
// input       mechanisms/h2o2/chem.inp sha256 b672951e65e781496dc3dbac71cc1188a40605a11f20f8f00b734de95f70ecc7
// input       mechanisms/h2o2/therm.dat sha256 c0e83a2f1255ee15ce3ffdf5db49e1813d580f7632d8b60c80df5cc9023ad45b
// input       mechanisms/h2o2/tran.dat sha256 377ed79c9f704d6c49a316134f171ad180a1cfde27eadec992dce85edf624272
// target      kepler (compute capability 3.5)
// execution   warp-specialized; warps per CTA: 8, CTAs per SM: 1
// barriers    named barriers per CTA: 2
// constants   registers per thread: 2 real, 1 index
// banks       entries: 0 real, 0 index
// slots       30 (7680 bytes of shared memory per CTA)

static __device__ const double h2o2_viscosity_reals[512] = {
  -10.418373126729993, 1.6227026940069937, -0.1710388499653225, 0.007499619756553703, 0.0, 0.0, 0.0, 0.0,
  -7.874218893080578, 0.41434411644853436, -0.012256814751580166, 0.0005428416255374566, 0.0, -0.17328679513998632,
  0.5178527175193631, 0.6911395126593495, 0.5331274184502885, 0.5475223484977336, 0.6988935032280634,
  0.7064142135902749, 0.7466283305007904, 0.6578972587519332, 0.7071067811865475, 0.5773502691896258,
  0.9423869988599781, 0.9699125153995409, 0.9455279079749586, 0.9483438185609614, 0.9707915239487334,
  0.9716206192800553, 0.9756849447315847, 0.9658504712775849, -9.27058761716133, 1.1213919387085542,
  -0.10633816904113372, 0.004714170891910978, 0.0, 0.0, 0.0, 0.0, -11.114232142851392, 1.7200743185934972,
  -0.18336774492639396, 0.008020596576840419, 0.17328679513998632, 0.0, 0.6911395126593495, 0.8644263077993358,
  0.7064142135902749, 0.72080914363772, 0.8721802983680498, 0.8797010087302612, 0.9199151256407767, 0.8311840538919195,
  0.8164965809277261, 0.7071067811865475, 0.9699125153995409, 0.9846116483994948, 0.9716206192800553,
  0.9731451651114293, 0.9850711363979419, 0.9855039784218794, 0.9876180553795506, 0.9824803956978152, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, -8.524712545894811, 0.8860705791847812, -0.07538330009761059, 0.0033569058689501014,
  -0.5178527175193631, -0.6911395126593495, 0.0, 0.17328679513998632, 0.01527470093092537, 0.029669630978370425,
  0.18104078570870027, 0.1885614960709117, 0.22877561298142723, 0.14004454123257, 0.33452465436748247,
  0.24345371730851703, 0.7071067811865475, 0.8164965809277261, 0.7178230637963752, 0.7277601639521551,
  0.8206845373752002, 0.8246836806770064, 0.8450107374684264, 0.7978055923634061, -7.874218893080578,
  -6.989362993999835, 0.41434411644853436, -0.43324533933942894, -0.012256814751580166, 0.17221835559165796,
  0.0005428416255374566, -0.010160086481820253, -9.535480689285093, 1.2531756801853902, -0.12351409264219679,
  0.005460590962265499, -0.6911395126593495, -0.8644263077993358, -0.17328679513998632, 0.0, -0.15801209420906095,
  -0.1436171641616159, 0.007753990568713939, 0.01527470093092537, 0.055488817841440906, -0.03324225390741631,
  0.24345371730851703, 0.1747566932510163, 0.5773502691896258, 0.7071067811865475, 0.5891062890289769,
  0.6001719306581648, 0.7125681504413769, 0.7178230637963752, 0.7451591331811437, 0.6832324924008413,
  -11.114232142851392, -9.527726698718055, 1.7200743185934972, 1.253175680186091, -0.18336774492639396,
  -0.12351409264229413, 0.008020596576840419, 0.005460590962269985, -8.509437844964422, 0.8860705791850046,
  -0.07538330009764155, 0.0033569058689515265, -0.5331274184502885, -0.7064142135902749, -0.015274700930925386,
  0.15801209420906095, 0.0, 0.014394930047445041, 0.1657660847777749, 0.17328679513998632, 0.21350091205050184,
  0.12476984030164462, 0.3255410500082875, 0.23654465157733287, 0.6962255734185473, 0.8080555551609725,
  0.7071067811865475, 0.717210536911808, 0.8123720904933359, 0.8164965809277261, 0.8375000442203179, 0.7888237783487928,
  -8.524712545894811, -9.520205988353567, 0.8860705791847812, 1.2531756801851417, -0.07538330009761059,
  -0.1235140926421625, 0.0033569058689501014, 0.005460590962263925, -6.989362993999835, -0.43324533933942894,
  0.17221835559165796, -0.010160086481820253, -0.5475223484977336, -0.72080914363772, -0.029669630978370432,
  0.1436171641616159, -0.014394930047445043, 0.0, 0.15137115473032986, 0.15889186509254127, 0.1991059820030568,
  0.11037491025419961, 0.3172443881256441, 0.23019228401544906, 0.6858317167967171, 0.799871023134387,
  0.6968565460284318, 0.7071067811865475, 0.8043072148395091, 0.8085485717179132, 0.8301861269825664,
  0.7801386460820503, -9.535480689285093, -10.418373126729993, 1.2531756801853902, 1.6227026940069937,
  -0.12351409264219679, -0.1710388499653225, 0.005460590962265499, 0.007499619756553703, -9.527726698718055,
  1.253175680186091, -0.12351409264229413, 0.005460590962269985, -0.6988935032280634, -0.8721802983680498,
  -0.1810407857087003, -0.007753990568713973, -0.16576608477777488, -0.1513711547303299, 0.0, 0.007520710362211436,
  0.04773482727272693, -0.04099624447613027, 0.23992460696913911, 0.17214777441392515, 0.571381562629784,
  0.7016029012030632, 0.5831394229405925, 0.594213685602336, 0.7071067811865475, 0.7124044800819431, 0.7399934651178537,
  0.6775657743454913, -8.509437844964422, -9.27058761716133, 0.8860705791850046, 1.1213919387085542,
  -0.07538330009764155, -0.10633816904113372, 0.0033569058689515265, 0.004714170891910978, -9.520205988353567,
  1.2531756801851417, -0.1235140926421625, 0.005460590962263925, -0.7064142135902749, -0.8797010087302612,
  -0.18856149607091172, -0.015274700930925386, -0.17328679513998632, -0.15889186509254127, -0.007520710362211426, 0.0,
  0.04021411691051552, -0.04851695483834171, 0.23654465157733287, 0.16965231656139546, 0.5655942245329468,
  0.6962255734185473, 0.5773502691896258, 0.5884294411167093, 0.7017690907693045, 0.7071067811865475,
  0.7349337586869114, 0.6720377560812799, -0.7466283305007904, -0.9199151256407767, -0.2287756129814272,
  -0.05548881784144089, -0.21350091205050184, -0.1991059820030568, -0.047734827272726925, -0.04021411691051552, 0.0,
  -0.08873107174885721, 0.21917775576943085, 0.1568775850410595, 0.534749337131956, 0.6668866967009662,
  0.5464372570853542, 0.5574863178282371, 0.6726140584189955, 0.6781389019532271, 0.7071067811865475,
  0.6420193188981037, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.6578972587519332,
  -0.8311840538919195, -0.14004454123257, 0.03324225390741631, -0.12476984030164463, -0.1103749102541996,
  0.04099624447613028, 0.048516954838341696, 0.08873107174885718, 0.0, 0.25910011025251833, 0.18636596274391026,
  0.6029147840231442, 0.7302009047705532, 0.6146194324226453, 0.625606659882442, 0.7354621821926637, 0.7405168832654919,
  0.7666884596507338, 0.7071067811865475, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0,
};

static __device__ const int h2o2_viscosity_indices[256] = {
  8, 28, 0, 0, 20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 29, 0, 1, 21, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 22, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 23, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 24, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 2, 4, 5, 5, 25, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 6,
  7, 6, 26, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 8, 9, 7, 27, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
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
h2o2_viscosity(const double *__restrict__ temperature, const double *__restrict__ pressure,
    const double *__restrict__ mole_fractions, double *__restrict__ viscosity, int points, int stride)
{
  __shared__ double slots[30][32];
  const int warp_id = threadIdx.x >> 5;
  const int lane = threadIdx.x & 31;
  const double c0 = h2o2_viscosity_reals[0 + threadIdx.x];
  const double c1 = h2o2_viscosity_reals[256 + threadIdx.x];
  const int k0 = h2o2_viscosity_indices[0 + threadIdx.x];
  const int groups = points / 32 + (points % 32 != 0);
  for (int group = blockIdx.x; group < groups; group += gridDim.x) {
    const bool active = group * 32 + lane < points;
    const int point = min(group * 32 + lane, points - 1);
    const double field = load(temperature, 0, stride, point);
    const double ln_t = singe_log(field);
    // phase 1
    if ((0xf8u >> warp_id) & 1u) {
      #pragma unroll 4
      for (int i0 = 0; i0 < 2; ++i0) {
        const double t = fma(fma(broadcast(c0, 6 + i0), ln_t, broadcast(c0, 4 + i0)), ln_t, broadcast(c0, 2 + i0));
        slots[broadcast_index(k0, 1) + i0 * 10][lane] = fma(t, ln_t, broadcast(c0, i0));
        const double field_2 = load(mole_fractions, broadcast_index(k0, 0) + i0 * 5, stride, point);
        slots[broadcast_index(k0, 2) + i0 * 10][lane] = positive(field_2);
      }
    }
    barrier_sync<0, 256>();
    // phase 2
    const double t_2 = fma(fma(broadcast(c0, 11), ln_t, broadcast(c0, 10)), ln_t, broadcast(c0, 9));
    double r0 = 0.0;
    const double r1 = fma(t_2, ln_t, broadcast(c0, 8));
    double r2;
    double r3;
    if ((0x3u >> warp_id) & 1u) {
      const double t_3 = fma(fma(broadcast(c0, 3), ln_t, broadcast(c0, 2)), ln_t, broadcast(c0, 1));
      r2 = 0.0;
      r3 = fma(t_3, ln_t, broadcast(c0, 0));
    }
    #pragma unroll 4
    for (int i1 = 0; i1 < 10; ++i1) {
      const double t_4 = singe_exp(r1 - slots[i1 * 2][lane] + broadcast(c0, 12 + i1)) + 1.0;
      r0 = fma(t_4 * t_4, slots[1 + i1 * 2][lane] * broadcast(c0, 22 + i1), r0);
    }
    if ((0x3u >> warp_id) & 1u) {
      #pragma unroll 4
      for (int i2 = 0; i2 < 10; ++i2) {
        const double t_5 = singe_exp(r3 - slots[i2 * 2][lane] + broadcast(c1, i2)) + 1.0;
        r2 = fma(t_5 * t_5, slots[1 + i2 * 2][lane] * broadcast(c1, 10 + i2), r2);
      }
    }
    const double field_3 = load(mole_fractions, broadcast_index(k0, 3), stride, point);
    slots[broadcast_index(k0, 4)][lane] = positive(field_3) * singe_exp(r1 + r1) / r0;
    if ((0x3u >> warp_id) & 1u) {
      const double field_4 = load(mole_fractions, broadcast_index(k0, 0), stride, point);
      slots[broadcast_index(k0, 1)][lane] = positive(field_4) * singe_exp(r3 + r3) / r2;
    }
    if ((0xfbu >> warp_id) & 1u) {
      barrier_arrive<1, 256>();
    }
    if ((0x4u >> warp_id) & 1u) {
      barrier_sync<1, 256>();
    }
    // phase 3
    if ((0x4u >> warp_id) & 1u) {
      r0 = 0.0;
      #pragma unroll 4
      for (int i3 = 0; i3 < 10; ++i3) {
        r0 = r0 + slots[20 + i3][lane];
      }
      store(viscosity, 0, stride, point, active, r0 * 2.8284271247461903);
    }
    barrier_sync<0, 256>();
  }
}

#ifndef __CUDACC_RTC__
#include "h2o2.h"
#include <cuda_runtime.h>

// Finds the CTAs of the kernel that the current device holds at once. Returns a cudaError_t.
extern "C" int h2o2_viscosity_prepare(int multiprocessors, int *ctas)
{
  int resident = 0;
  cudaError_t error = cudaSuccess;
  if (error == cudaSuccess) {
    error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, h2o2_viscosity, 256, 0);
  }
  if (error == cudaSuccess && resident == 0) error = cudaErrorLaunchOutOfResources;
  *ctas = multiprocessors * resident;
  return (int)error;
}

// Runs the kernel on all points, on a stream. Returns a singe_status or a cudaError_t.
extern "C" int h2o2_viscosity_launch(const struct h2o2_context *context, const double *temperature,
    const double *pressure, const double *mole_fractions, double *viscosity, int points, int stride,
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
  if (!viscosity) return SINGE_NULL_POINTER;
  int device = 0;
  const cudaError_t error = cudaGetDevice(&device);
  if (error != cudaSuccess) return (int)error;
  if (device != context->device) return SINGE_WRONG_DEVICE;

  // As many CTAs as the device holds at once: each streams over its share of the points and loads its constants once.
  const int groups = points / 32 + (points % 32 != 0);
  const int needed = (groups - 1) / groups_per_cta + 1;
  const int most = context->viscosity_ctas;
  h2o2_viscosity<<<needed < most ? needed : most, threads, dynamic_shared_bytes, stream>>>(temperature, pressure,
    mole_fractions, viscosity, points, stride);
  return (int)cudaGetLastError();
}
#endif
