// h2o2_chemistry: chemistry of h2o2, made by singe 0.1.0
//
// command     singe mechanisms/h2o2/chem.inp --warps 8 --target kepler --emit cuda,picture --compilers off
// input       mechanisms/h2o2/chem.inp sha256 b672951e65e781496dc3dbac71cc1188a40605a11f20f8f00b734de95f70ecc7
// input       mechanisms/h2o2/therm.dat sha256 c0e83a2f1255ee15ce3ffdf5db49e1813d580f7632d8b60c80df5cc9023ad45b
// input       mechanisms/h2o2/tran.dat sha256 377ed79c9f704d6c49a316134f171ad180a1cfde27eadec992dce85edf624272
// target      kepler (compute capability 3.5)
// execution   warp-specialized; warps per CTA: 8, CTAs per SM: 1
// barriers    named barriers per CTA: 1
// constants   registers per thread: 2 real, 3 index
// banks       entries: 0 real, 0 index
// slots       44 (11264 bytes of shared memory per CTA)

static __device__ const double h2o2_chemistry_reals[512] = {
  2.2149178599999995, 1.9327776099999996, 3.0538879999999997, -4.298705685e-5, 0.00108845902, 0.0007439884,
  6.991409816666667e-9, -2.7345419666666664e-8, -9.474600000000001e-8, -8.348149916666666e-13, -8.08683225e-12,
  8.414198333333333e-12, 6.141684549999999e-17, 8.4100496e-16, -3.3766754999999997e-16, 2.56942078, 3.03399249, 2.92664,
  -29217.5791, 30004.2971, 922.7977, -1.1163336400000001, -5.047672768, 0.6516950000000001, -0.00163965942,
  -0.00101821705, 0.0007041202, 1.1071773266666667e-6, 1.086733685e-6, -6.605369999999999e-7, 0.0, 0.0, 0.63, 0.0, 0.0,
  27.631021115928547, 0.0, 30.052277738640093, -0.76, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0, 6.0, 0.7, 26.937873935368604, -1.0,
  30.88911765395003, -1.24, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 3.5751506887855933, 2.4, 0.0, 0.0, 0.0, 28.660640533109706, -0.86, 27.274346171989816, -0.8,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  18.683045008419857, 0.0, -2.946682924, 2.17069345, -1.2488462299999994, -1.154214865e-11, 0.00074154377,
  0.00245415847, 2.6926991333333336e-15, -1.2632777816666666e-7, -3.168987083333333e-7, -3.945960291666667e-19,
  1.745587958333333e-11, 3.0932165499999996e-11, 2.490986785e-23, -1.08358897e-15, -1.439541525e-15, 2.50000001,
  3.28253784, 4.16500285, -25473.6599, 1088.45772, 17861.7877, -2.946682853, -0.12478063000000006, -0.8410619499999998,
  3.526664095e-13, -0.00149836708, -0.0002714112085, -3.3265327333333333e-16, 1.6412170016666666e-6,
  2.7889283500000002e-6, 26.763520548223823, 0.0, 2.4, 15.4, 0.83, 25.51075757972846, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -6.54230251,
  1.3838084299999998, -0.23210875000000009, -2.470123655e-5, 0.000274214858, 0.001119910065, 8.324279633333333e-8,
  2.1084204666666666e-8, -1.0560969166666666e-7, -1.4963866166666668e-11, -7.3288463e-12, 9.520530833333334e-12,
  1.00127688e-15, 5.8706188e-16, -5.39542675e-16, 3.3372792, 3.09288767, 4.0172109, 950.158922, -3858.657, -111.856713,
  -1.661320882, -4.095940888, -0.5851355599999999, 0.003990260375, -0.00120065876, -0.002374560255,
  -3.2463584999999998e-6, 7.696564016666666e-7, 3.5263815166666663e-6, 0.0, 0.0, 0.73, 3.65, 0.38, 37.629818848269004,
  -2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, -5.106721866666666e-10, -4.57330885e-10, 4.701262500000001e-10, 1.056329855e-13,
  8.85989085e-14, -1.2224269999999999e-13, 3.1682671, 4.19864056, 3.298677, -29122.2592, 30293.7267, 1020.8999, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 24.52547397636735, 29.240459028362647, 0.0, 0.0, 0.0, 0.0, -537.4384617766818,
  -8720.794515533611, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 9.400960731584833, 0.0, 0.0, 2.0, 0.0, 0.0, -2616.741574193582, 0.0, 0.0, 1061.7932156823958,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  23.025850929940457, 0.0, 0.0, 0.0, 0.0, 0.0, -1811.590320595557, 0.0, 0.0, 820.2478396029883, -2.0, -2.0, -2.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.9173469333333331e-19, -8.067745908333334e-10, -1.7980901083333332e-9, -4.63866166e-23,
  1.621864185e-13, 4.312271815e-13, 2.5, 3.78245636, 4.27611269, -25473.6599, 1063.94356, 17702.5821,
  30.908165848920724, 21.416413017506358, 0.0, -0.6707, 0.0, 0.0, -8575.364070352469, -214.874740803973, 0.0,
  -6038.6344019851895, 2.0, -2.0, -2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 22.10203193164551, 35.06940464597285, 0.0, 0.0, 0.0, 0.0, -337.66030697767184, -14799.686480198703,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.67976745e-9, -3.234277775e-10, -2.02303245e-9,
  -3.6880588050000004e-13, 6.8205735e-14, 4.646125620000001e-13, 2.34433112, 3.99201543, 4.30179801, 917.935173,
  -3615.08056, -294.80804, 9.172638504792172, 23.39741448637294, 0.0, 2.0, 0.0, 0.0, -2012.8781339950633,
  251.6097667493829, 0.0, 0.0, -2.0, -2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 3.655839600035736, 23.7189981105004, 12.283033686666302, 2.7, 0.0, 1.51, -3150.154279702274,
  -0.0, -1726.0429999007667, 0.0, -2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
};

static __device__ const int h2o2_chemistry_indices[768] = {
  2, 5, 8, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 1, 1, 2, 3,
  4, 6, 7, 9, 7, 13, 1, 0, 13, 1, 0, 16, 0, 0, 1, 4, 0, 6, 6, 0, 3, 3, 0, 2, 5, 0, 5, 8, 3, 1, 2, 3, 4, 6, 7, 9, 7, 11,
  2, 1, 4, 11, 2, 1, 4, 17, 1, 0, 0, 7, 0, 0, 6, 0, 0, 1, 8, 0, 0, 0, 0, 0, 1, 2, 4, 6, 7, 0, 6, 12, 1, 3, 6, 12, 1, 3,
  6, 18, 1, 0, 0, 7, 0, 0, 4, 0, 0, 1, 9, 1, 3, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 4, 0, 3, 7,
  0, 2, 6, 0, 2, 0, 0, 5, 8, 3, 1, 2, 3, 4, 6, 7, 9, 7, 10, 2, 3, 10, 2, 3, 15, 0, 0, 1, 4, 0, 6, 7, 0, 2, 6, 0, 2, 0,
  0, 4, 6, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 4, 0, 7, 6, 0, 4, 3, 0, 2, 0, 0, 5, 8, 3, 1, 2, 3,
  4, 6, 7, 9, 7, 14, 1, 4, 5, 14, 1, 4, 5, 19, 2, 2, 4, 0, 6, 0, 1, 4, 1, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0, 1, 4, 0, 6, 6, 0, 3, 3, 0, 0, 5, 0, 25, 32, 0, 5, 5,
  5, 34, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 7, 0, 0, 6, 0, 0, 0, 0, 0, 26, 0, 0, 8, 9, 9, 35, 4, 2, 5, 4,
  2, 5, 41, 0, 0, 0, 5, 0, 0, 1, 0, 0, 7, 0, 0, 4, 0, 0, 5, 0, 0, 27, 0, 0, 9, 8, 8, 36, 6, 3, 7, 6, 3, 7, 42, 16, 37,
  38, 4, 5, 0, 1, 4, 0, 3, 7, 0, 2, 6, 0, 4, 5, 0, 23, 30, 0, 0, 0, 0, 0, 6, 3, 7, 6, 3, 7, 43, 39, 40, 41, 5, 5, 0, 1,
  4, 0, 6, 7, 0, 2, 6, 0, 5, 5, 0, 24, 31, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 6, 5, 0, 2, 4, 0, 7, 6, 0, 4, 3,
  0, 6, 5, 0, 22, 29, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 42, 43, 0, 4, 3, 5, 2, 2, 4, 0, 6, 0, 1, 4, 1, 4, 3, 5, 20,
  21, 28, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 15, 0, 0, 0, 15, 21, 25, 29, 42, 43, 32, 0, 0, 7, 18, 33, 34, 35, 36, 23, 0,
  0, 0, 0, 0, 0, 0, 6, 3, 0, 0, 0, 0, 0, 0, 0, 16, 37, 38, 25, 26, 0, 0, 0, 0, 5, 20, 28, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 40, 42, 43, 0, 0, 0, 0, 0, 0, 3, 22, 26, 27, 30, 31, 0, 0, 0, 0, 0, 0, 0, 0, 5, 7, 0, 0,
  0, 0, 0, 0, 3, 20, 28, 0, 0, 0, 0, 0, 0, 0, 2, 17, 18, 33, 34, 35, 36, 23, 19, 24, 25, 39, 26, 27, 13, 1, 0, 0, 0, 0,
  0, 0, 3, 17, 20, 21, 22, 23, 27, 0, 0, 0, 6, 19, 28, 29, 30, 31, 32, 0, 0, 0, 0, 0, 0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 0,
  19, 24, 27, 28, 41, 29, 30, 31, 32, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 2, 22, 18, 33,
  34, 35, 36, 26, 30, 31, 9, 21, 24, 25, 39, 29, 32, 0, 0, 0, 0, 0, 0, 0, 6, 6, 0, 0, 0, 0, 0, 0, 1, 23, 24, 41, 0, 0,
  0, 0, 0, 0, 3, 17, 20, 21, 22, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 2, 0, 0, 0, 0, 0, 0,
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

static __device__ __forceinline__ double select_le(double a, double b, double then, double otherwise)
{
  return a <= b ? then : otherwise;
}

// Arrives and waits for the rest.
template <int id, int threads> static __device__ __forceinline__ void barrier_sync()
{
  asm volatile("bar.sync %0, %1;" : : "n"(id), "n"(threads) : "memory");
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
h2o2_chemistry(const double *__restrict__ temperature, const double *__restrict__ pressure,
    const double *__restrict__ mole_fractions, double *__restrict__ production_rates, int points, int stride)
{
  __shared__ double slots[44][32];
  const int warp_id = threadIdx.x >> 5;
  const int lane = threadIdx.x & 31;
  const double c0 = h2o2_chemistry_reals[0 + threadIdx.x];
  const double c1 = h2o2_chemistry_reals[256 + threadIdx.x];
  const int k0 = h2o2_chemistry_indices[0 + threadIdx.x];
  const int k1 = h2o2_chemistry_indices[256 + threadIdx.x];
  const int k2 = h2o2_chemistry_indices[512 + threadIdx.x];
  const int groups = points / 32 + (points % 32 != 0);
  for (int group = blockIdx.x; group < groups; group += gridDim.x) {
    const bool active = group * 32 + lane < points;
    const int point = min(group * 32 + lane, points - 1);
    const double field = load(temperature, 0, stride, point);
    const double l = singe_log(field);
    const double t = 1.0 / field;
    const double field_2 = load(pressure, 0, stride, point);
    const double temperature_2 = field;
    const double ln_t = l;
    const double inverse_t = t;
    const double concentration = field_2 * 0.00012027235504272603 * t;
    const double ln_standard = 2.5003366899611787 - l;
    // phase 1
    double r0;
    if ((0xefu >> warp_id) & 1u) {
      r0 = 0.0;
    }
    if ((0x51u >> warp_id) & 1u) {
      #pragma unroll 3
      for (int i0 = 0; i0 < 3; ++i0) {
        const double t_2 = select_le(temperature_2, 1000.0, broadcast(c0, 21 + i0), broadcast(c0, i0));
        const double t_3 = select_le(temperature_2, 1000.0, broadcast(c0, 24 + i0), broadcast(c0, 3 + i0));
        const double t_4 = select_le(temperature_2, 1000.0, broadcast(c0, 27 + i0), broadcast(c0, 6 + i0));
        const double t_5 = select_le(temperature_2, 1000.0, broadcast(c1, i0), broadcast(c0, 9 + i0));
        const double t_6 = fma(select_le(temperature_2, 1000.0, broadcast(c1, 3 + i0), broadcast(c0, 12 + i0)), temperature_2, t_5);
        const double t_7 = fma(fma(fma(t_6, temperature_2, t_4), temperature_2, t_3), temperature_2, t_2);
        const double t_8 = fma(select_le(temperature_2, 1000.0, broadcast(c1, 6 + i0), broadcast(c0, 15 + i0)), ln_t, t_7);
        const double t_9 = fma(select_le(temperature_2, 1000.0, broadcast(c1, 9 + i0), broadcast(c0, 18 + i0)), inverse_t, t_8);
        slots[broadcast_index(k0, i0)][lane] = t_9;
      }
    }
    switch (warp_id) {
    case 0: case 6: {
      store(production_rates, broadcast_index(k0, 3), stride, point, active, r0);
      break;
    }
    case 1: case 2: case 5: case 7: {
      const int trips = broadcast_index(k0, 3);
      #pragma unroll 4
      for (int i1 = 0; i1 < trips; ++i1) {
        const double field_3 = load(mole_fractions, broadcast_index(k0, i1), stride, point);
        r0 = fma(broadcast(c0, i1), positive(field_3) * concentration, r0);
      }
      break;
    }
    }
    if ((0xaeu >> warp_id) & 1u) {
      const int trips_2 = broadcast_index(k0, 11);
      #pragma unroll 4
      for (int i2 = 0; i2 < trips_2; ++i2) {
        const double field_4 = load(mole_fractions, broadcast_index(k0, 4 + i2), stride, point);
        r0 = r0 + __dmul_rn(positive(field_4), concentration);
      }
    }
    if ((0x2u >> warp_id) & 1u) {
      const double t_10 = fma(fma(fma(0.0, temperature_2, 0.0), temperature_2, 0.0), temperature_2, 0.0);
      const double t_11 = fma(2.5, ln_t, fma(t_10, temperature_2, 1.8659999999999997));
      slots[9][lane] = fma(745.375, inverse_t, t_11);
    }
    if ((0xaeu >> warp_id) & 1u) {
      slots[broadcast_index(k0, 12)][lane] = r0;
    }
    barrier_sync<0, 256>();
    // phase 2
    switch (warp_id) {
    case 0: {
      const double t_12 = fma(-0.0, inverse_t, fma(-0.37, ln_t, 25.02733093015058));
      const double t_13 = fma(855.4732069479019, inverse_t, fma(-0.9, ln_t, 28.463930238863654)) - t_12;
      const double t_14 = __dmul_rn(singe_exp(t_13), slots[11][lane]);
      const double t_15 = __dmul_rn(0.26539999999999997, singe_exp(temperature_2 * -0.010638297872340425));
      const double t_16 = t_15 + __dmul_rn(0.7346, singe_exp(temperature_2 * -0.0005694760820045558));
      const double t_17 = singe_log(fmax(t_16 + singe_exp(-5182.0 * inverse_t), 1e-300)) * 0.4342944819032518;
      const double t_18 = __dmul_rn(singe_log(fmax(t_14, 1e-300)), 0.4342944819032518) + fma(-0.67, t_17, -0.4);
      const double t_19 = t_18 / fma(-0.14, t_18, fma(-1.27, t_17, 0.75));
      const double e = singe_exp(t_17 / fma(t_19, t_19, 1.0) * 2.302585092994046);
      const double t_20 = singe_exp(t_12) * (t_14 / (1.0 + t_14)) * e;
      const double t_21 = __dmul_rn(2.0, slots[4][lane]) - slots[7][lane] + ln_standard;
      const double field_5 = load(mole_fractions, 4, stride, point);
      const double t_22 = positive(field_5) * concentration;
      const double field_6 = load(mole_fractions, 7, stride, point);
      const double t_23 = positive(field_6) * concentration;
      const double t_24 = __dmul_rn(t_20 * singe_exp(fmin(t_21, 690.7755278982137)), t_23);
      slots[40][lane] = __dmul_rn(t_20 * t_22, t_22) - t_24;
      break;
    }
    case 1: case 5: {
      const double e_2 = singe_exp(fma(-0.0, inverse_t, fma(-1.0, ln_t, broadcast(c0, 3))));
      const double t_25 = __dmul_rn(2.0, slots[broadcast_index(k0, 13)][lane]) - slots[broadcast_index(k0, 14)][lane] + ln_standard;
      const double field_7 = load(mole_fractions, broadcast_index(k0, 16), stride, point);
      const double t_26 = positive(field_7) * concentration;
      const double field_8 = load(mole_fractions, broadcast_index(k0, 17), stride, point);
      const double t_27 = positive(field_8) * concentration;
      const double t_28 = __dmul_rn(e_2 * singe_exp(fmin(t_25, 690.7755278982137)), t_27);
      slots[broadcast_index(k0, 18)][lane] = __dmul_rn(__dmul_rn(e_2 * t_26, t_26) - t_28, slots[broadcast_index(k0, 15)][lane]);
      break;
    }
    case 2: case 3: case 7: {
      const double e_3 = singe_exp(fma(-0.0, inverse_t, fma(broadcast(c0, 4), ln_t, broadcast(c0, 3))));
      const double t_29 = slots[broadcast_index(k0, 13)][lane] + slots[broadcast_index(k0, 14)][lane] - slots[broadcast_index(k0, 15)][lane] + ln_standard;
      const double field_9 = load(mole_fractions, broadcast_index(k0, 17), stride, point);
      const double field_10 = load(mole_fractions, broadcast_index(k0, 18), stride, point);
      const double t_30 = positive(field_10) * concentration;
      const double field_11 = load(mole_fractions, broadcast_index(k0, 19), stride, point);
      const double t_31 = positive(field_11) * concentration;
      const double t_32 = __dmul_rn(e_3 * singe_exp(fmin(t_29, 690.7755278982137)), t_31);
      const double s = slots[broadcast_index(k0, 16)][lane];
      const double t_33 = __dmul_rn(__dmul_rn(e_3 * (positive(field_9) * concentration), t_30) - t_32, s);
      slots[broadcast_index(k0, 20)][lane] = t_33;
      break;
    }
    }
    if ((0xfeu >> warp_id) & 1u) {
      const int trips_3 = broadcast_index(k0, 30);
      #pragma unroll 2
      for (int i3 = 0; i3 < trips_3; ++i3) {
        const double t_34 = fma(broadcast(c1, 15 + i3), ln_t, broadcast(c1, 12 + i3));
        const double e_4 = singe_exp(fma(broadcast(c1, 18 + i3), inverse_t, t_34));
        const double s_2 = slots[broadcast_index(k1, i3)][lane];
        const double t_35 = slots[broadcast_index(k0, 21 + i3)][lane] + slots[broadcast_index(k0, 24 + i3)][lane] - slots[broadcast_index(k0, 27 + i3)][lane] - s_2;
        const double field_12 = load(mole_fractions, broadcast_index(k1, 3 + i3), stride, point);
        const double field_13 = load(mole_fractions, broadcast_index(k1, 6 + i3), stride, point);
        const double t_36 = positive(field_13) * concentration;
        const double field_14 = load(mole_fractions, broadcast_index(k1, 9 + i3), stride, point);
        const double t_37 = positive(field_14) * concentration;
        const double field_15 = load(mole_fractions, broadcast_index(k1, 12 + i3), stride, point);
        const double t_38 = positive(field_15) * concentration;
        const double t_39 = __dmul_rn(e_4 * singe_exp(fmin(t_35, 690.7755278982137)) * t_37, t_38);
        slots[broadcast_index(k1, 15 + i3)][lane] = __dmul_rn(e_4 * (positive(field_12) * concentration), t_36) - t_39;
      }
    }
    switch (warp_id) {
    case 1: case 2: case 3: {
      const double e_5 = singe_exp(fma(-0.0, inverse_t, fma(broadcast(c0, 6), ln_t, broadcast(c0, 5))));
      const double s_3 = slots[6][lane];
      const double t_40 = slots[1][lane] + slots[3][lane] + slots[broadcast_index(k0, 31)][lane] - s_3;
      const double e_6 = singe_exp(fmin(t_40 - slots[broadcast_index(k1, 18)][lane] + ln_standard, 690.7755278982137));
      const double field_16 = load(mole_fractions, 1, stride, point);
      const double field_17 = load(mole_fractions, 3, stride, point);
      const double t_41 = positive(field_17) * concentration;
      const double field_18 = load(mole_fractions, broadcast_index(k1, 19), stride, point);
      const double t_42 = positive(field_18) * concentration;
      const double field_19 = load(mole_fractions, 6, stride, point);
      const double field_20 = load(mole_fractions, broadcast_index(k1, 20), stride, point);
      const double t_43 = positive(field_20) * concentration;
      const double t_44 = __dmul_rn(e_5 * e_6 * (positive(field_19) * concentration), t_43);
      const double t_45 = __dmul_rn(e_5 * (positive(field_16) * concentration) * t_41, t_42) - t_44;
      slots[broadcast_index(k1, 21)][lane] = t_45;
      break;
    }
    case 4: {
      const double e_7 = singe_exp(fma(-0.0, inverse_t, fma(-1.24, ln_t, 30.665974102635822)));
      const double s_4 = slots[3][lane];
      const double t_46 = fma(2.0, s_4, slots[1][lane]) - slots[6][lane] - s_4 + ln_standard;
      const double field_21 = load(mole_fractions, 1, stride, point);
      const double field_22 = load(mole_fractions, 3, stride, point);
      const double t_47 = positive(field_22) * concentration;
      const double field_23 = load(mole_fractions, 6, stride, point);
      const double t_48 = positive(field_23) * concentration;
      const double t_49 = __dmul_rn(e_7 * singe_exp(fmin(t_46, 690.7755278982137)) * t_48, t_47);
      const double t_50 = __dmul_rn(e_7 * (positive(field_21) * concentration) * t_47, t_47) - t_49;
      slots[33][lane] = t_50;
      break;
    }
    }
    switch (warp_id) {
    case 2: case 3: case 4: {
      const double t_51 = fma(broadcast(c0, 31), ln_t, broadcast(c0, 30));
      const double e_8 = singe_exp(fma(broadcast(c1, 21), inverse_t, t_51));
      const double t_52 = __dmul_rn(2.0, slots[broadcast_index(k1, 22)][lane]) - slots[broadcast_index(k1, 23)][lane] - slots[broadcast_index(k1, 24)][lane];
      const double field_24 = load(mole_fractions, broadcast_index(k1, 25), stride, point);
      const double t_53 = positive(field_24) * concentration;
      const double field_25 = load(mole_fractions, broadcast_index(k1, 26), stride, point);
      const double t_54 = positive(field_25) * concentration;
      const double field_26 = load(mole_fractions, broadcast_index(k1, 27), stride, point);
      const double t_55 = positive(field_26) * concentration;
      const double t_56 = __dmul_rn(e_8 * singe_exp(fmin(t_52, 690.7755278982137)) * t_54, t_55);
      slots[broadcast_index(k1, 28)][lane] = __dmul_rn(e_8 * t_53, t_53) - t_56;
      break;
    }
    case 5: {
      const double e_9 = singe_exp(fma(-0.0, inverse_t, fma(-1.25, ln_t, 31.72536567815065)));
      const double s_5 = slots[5][lane];
      const double t_57 = __dmul_rn(2.0, slots[1][lane]) + s_5 - slots[0][lane] - s_5;
      const double field_27 = load(mole_fractions, 1, stride, point);
      const double t_58 = positive(field_27) * concentration;
      const double field_28 = load(mole_fractions, 5, stride, point);
      const double t_59 = positive(field_28) * concentration;
      const double field_29 = load(mole_fractions, 0, stride, point);
      const double t_60 = positive(field_29) * concentration;
      const double t_61 = e_9 * singe_exp(fmin(t_57 + ln_standard, 690.7755278982137)) * t_60;
      slots[38][lane] = __dmul_rn(e_9 * t_58 * t_58, t_59) - __dmul_rn(t_61, t_59);
      break;
    }
    case 6: {
      const double e_10 = singe_exp(fma(-0.0, inverse_t, fma(-0.6, ln_t, 25.223075507276675)));
      const double s_6 = slots[0][lane];
      const double t_62 = fma(-2.0, s_6, __dmul_rn(2.0, slots[1][lane]) + s_6) + ln_standard;
      const double field_30 = load(mole_fractions, 1, stride, point);
      const double t_63 = positive(field_30) * concentration;
      const double field_31 = load(mole_fractions, 0, stride, point);
      const double t_64 = positive(field_31) * concentration;
      const double t_65 = __dmul_rn(e_10 * singe_exp(fmin(t_62, 690.7755278982137)) * t_64, t_64);
      slots[37][lane] = __dmul_rn(e_10 * t_63 * t_63, t_64) - t_65;
      break;
    }
    }
    if ((0x40u >> warp_id) & 1u) {
      const double e_11 = singe_exp(fma(-319.5444037717163, inverse_t, fma(0.0, ln_t, 25.154082635789724)));
      const double t_66 = fma(-2.0, slots[4][lane], slots[1][lane] + slots[6][lane]);
      const double field_32 = load(mole_fractions, 1, stride, point);
      const double field_33 = load(mole_fractions, 6, stride, point);
      const double t_67 = positive(field_33) * concentration;
      const double field_34 = load(mole_fractions, 4, stride, point);
      const double t_68 = positive(field_34) * concentration;
      const double t_69 = __dmul_rn(e_11 * singe_exp(fmin(t_66, 690.7755278982137)) * t_68, t_68);
      slots[39][lane] = __dmul_rn(e_11 * (positive(field_32) * concentration), t_67) - t_69;
    }
    barrier_sync<0, 256>();
    // phase 3
    r0 = 0.0;
    if ((0xd8u >> warp_id) & 1u) {
      const int trips_4 = broadcast_index(k2, 0);
      #pragma unroll 4
      for (int i4 = 0; i4 < trips_4; ++i4) {
        r0 = fma(broadcast(c1, 22 + i4), slots[broadcast_index(k1, 29 + i4)][lane], r0);
      }
    }
    const int trips_5 = broadcast_index(k2, 10);
    #pragma unroll 4
    for (int i5 = 0; i5 < trips_5; ++i5) {
      r0 = r0 + slots[broadcast_index(k2, 1 + i5)][lane];
    }
    if ((0xdfu >> warp_id) & 1u) {
      const int trips_6 = broadcast_index(k2, 24);
      #pragma unroll 4
      for (int i6 = 0; i6 < trips_6; ++i6) {
        r0 = r0 - slots[broadcast_index(k2, 11 + i6)][lane];
      }
    }
    store(production_rates, broadcast_index(k2, 25), stride, point, active, r0);
    barrier_sync<0, 256>();
  }
}

#ifndef __CUDACC_RTC__
#include "h2o2.h"
#include <cuda_runtime.h>

// Finds the CTAs of the kernel that the current device holds at once. Returns a cudaError_t.
extern "C" int h2o2_chemistry_prepare(int multiprocessors, int *ctas)
{
  int resident = 0;
  cudaError_t error = cudaSuccess;
  if (error == cudaSuccess) {
    error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, h2o2_chemistry, 256, 0);
  }
  if (error == cudaSuccess && resident == 0) error = cudaErrorLaunchOutOfResources;
  *ctas = multiprocessors * resident;
  return (int)error;
}

// Runs the kernel on all points, on a stream. Returns a singe_status or a cudaError_t.
extern "C" int h2o2_chemistry_launch(const struct h2o2_context *context, const double *temperature,
    const double *pressure, const double *mole_fractions, double *production_rates, int points, int stride,
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
  if (!production_rates) return SINGE_NULL_POINTER;
  int device = 0;
  const cudaError_t error = cudaGetDevice(&device);
  if (error != cudaSuccess) return (int)error;
  if (device != context->device) return SINGE_WRONG_DEVICE;

  // As many CTAs as the device holds at once: each streams over its share of the points and loads its constants once.
  const int groups = points / 32 + (points % 32 != 0);
  const int needed = (groups - 1) / groups_per_cta + 1;
  const int most = context->chemistry_ctas;
  h2o2_chemistry<<<needed < most ? needed : most, threads, dynamic_shared_bytes, stream>>>(temperature, pressure,
    mole_fractions, production_rates, points, stride);
  return (int)cudaGetLastError();
}
#endif
