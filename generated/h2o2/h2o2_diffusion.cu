// h2o2_diffusion: diffusion of h2o2, made by singe 0.1.0
//
// command     singe mechanisms/h2o2/chem.inp --warps 8 --target kepler --emit cuda,picture --compilers off
// input       mechanisms/h2o2/chem.inp sha256 b672951e65e781496dc3dbac71cc1188a40605a11f20f8f00b734de95f70ecc7
// input       mechanisms/h2o2/therm.dat sha256 c0e83a2f1255ee15ce3ffdf5db49e1813d580f7632d8b60c80df5cc9023ad45b
// input       mechanisms/h2o2/tran.dat sha256 377ed79c9f704d6c49a316134f171ad180a1cfde27eadec992dce85edf624272
// target      kepler (compute capability 3.5)
// execution   warp-specialized; warps per CTA: 8, CTAs per SM: 1
// barriers    named barriers per CTA: 2
// constants   registers per thread: 2 real, 2 index
// banks       entries: 0 real, 0 index
// slots       73 (18688 bytes of shared memory per CTA)

static __device__ const double h2o2_diffusion_reals[512] = {
  20.360090179831502, 20.053161236516992, 20.79848339740456, 20.056488623785377, 26.062980724075892, -2.656098891504114,
  -2.257507063856117, -2.4383678281106382, -2.2575070638559116, -4.505788569028973, 0.13252298528216716,
  0.08027954326211037, 0.10407643653685483, 0.08027954326208193, 0.3663820530150334, -0.005840185951883099,
  -0.003556057737082416, -0.00460028674001973, -0.003556057737081108, -0.01572162440176774, 22.38782155062066,
  23.594650637017217, 22.389581092387964, 28.562222577169592, 23.59511719742848, -3.378058291804474, -3.716805374303769,
  -3.378058291804613, -5.512534468331989, -3.716805374303039, 0.0, 0.0, 23.259648919761624, 22.154371372733422,
  28.375608676958485, 23.264764988515907, 23.269626090283616, -3.059477378551643, -2.78355838120227, -5.050217186563469,
  -3.0594773785516782, -3.0594773785515605, 0.18484884939667004, 0.14912524291028537, 0.4303835477593177,
  0.1848488493966749, 0.1848488493966585, -0.008105743916947654, -0.006561790637749618, -0.018230630496066248,
  -0.008105743916947876, -0.008105743916947116, 23.279806409240663, 30.156451361334092, 24.521701192482794,
  24.529048744599223, 25.2589588155543, -3.0594773785518212, -5.475482371038485, -3.371691254533019,
  -3.3716912545333417, -3.641313052624946, 0.0, 0.0, 15.999, 31.998, 18.015, 0.0, 28.391555963380554,
  23.285134071421986, 23.29019832162376, 23.945062052476764, 23.05457375932407, -5.050217186563456, -3.059477378551958,
  -3.059477378551764, -3.310330728442174, -2.9644977065676086, 0.430383547759316, 0.1848488493967139,
  0.1848488493966869, 0.2170554105083374, 0.17257993008196199, -0.01823063049606617, -0.008105743916949676,
  -0.00810574391694843, -0.009486535990465042, -0.007576637998177779, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 34.014,
  0.0, 0.0, 0.0, 29.66586896039855, 29.671128409743673, 30.225309827200622, 29.96297792056511, 0.0, -5.3305541334843225,
  -5.330554133484232, -5.489558832174963, -5.414870884425729, 0.0, 0.4604127958401018, 0.4604127958400891,
  0.47455117406276487, 0.46832826896617646, 0.0, -0.019281338546518836, -0.019281338546518246, -0.019639967859120717,
  -0.019505654795697214, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 28.014, 0.0, 0.0, 1.008, 24.536979456422493,
  25.26751035477269, 24.246355313743678, 20.799389263102427, 0.0, -3.3716912545332454, -3.641313052624514,
  -3.2645407249511886, -2.438367828110713, 0.0, 0.22490397585728003, 0.2590473454566807, 0.21118732998297277,
  0.1040764365368651, 0.0, -0.009821834222688192, -0.011266126710162161, -0.009235381035429988, -0.0046002867400202025,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.016, 1.008, 17.007, 2.016, 25.275690791176952, 24.253204626111543,
  20.800242939172684, 23.595556502714732, 0.0, -3.641313052625074, -3.2645407249512415, -2.4383678281111236,
  -3.716805374303696, 0.0, 0.25904734545675856, 0.21118732998297993, 0.10407643653692221, 0.2686128782900593, 0.0,
  -0.011266126710165752, -0.009235381035430316, -0.004600286740022835, -0.011671126520719527, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 39.95, 0.0, 0.0, 31.998, 24.97382436632983, 21.2227927429632, 24.365284895419954,
  23.92344066845517, 0.0, -3.533002818831394, -2.6110799522670307, -4.01533605637405, -3.3103307284422563, 0.0,
  0.24539669323660945, 0.12667448340098988, 0.306037073803899, 0.21705541050834884, 0.0, -0.010691404992221466,
  -0.005586659483111973, -0.013239155678985074, -0.009486535990465571, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  33.006, 0.0, 0.0, 15.999, 20.671278422890865, 23.333938480747022, 23.03534635883893, 24.23917590113774, 0.0,
  -2.3728703813323295, -3.5996648235416426, -2.964497706566998, -3.2645407249510274, 0.0, 0.09545887022338533,
  0.25379161461906996, 0.17257993008187716, 0.2111873299829504, 0.0, -0.004222161742117225, -0.011044542951501523,
  -0.007576637998173869, -0.009235381035428956, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.2257174049156919,
  0.2686128782900696, 0.2257174049157109, 0.4756376208627757, 0.26861287828996827, -0.00985654460717836,
  -0.011671126520720006, -0.009856544607179224, -0.019613055216178572, -0.011671126520715338, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.1848488493966949,
  0.47355505093156086, 0.2249039758572487, 0.2249039758572931, 0.25904734545674085, -0.008105743916948802,
  -0.019629193777662462, -0.009821834222686752, -0.009821834222688786, -0.011266126710164937, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
  0.0, 0.0,
};

static __device__ const int h2o2_diffusion_indices[512] = {
  0, 2, 4, 6, 9, 0, 2, 4, 6, 9, 0, 1, 1, 2, 26, 61, 62, 63, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 5, 7, 8, 1,
  3, 5, 7, 8, 2, 3, 3, 4, 31, 64, 65, 66, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 5, 12, 13, 16, 17, 0, 4, 5, 6,
  7, 8, 9, 36, 5, 67, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 1, 0, 20, 21, 0, 0, 0, 5, 6, 7, 8, 9, 0, 41, 4,
  68, 10, 12, 14, 16, 18, 20, 24, 11, 13, 15, 17, 19, 21, 25, 23, 9, 1, 0, 24, 25, 0, 0, 1, 6, 7, 8, 9, 0, 0, 45, 4, 69,
  12, 14, 16, 18, 20, 22, 24, 13, 15, 17, 19, 21, 23, 25, 11, 0, 2, 4, 10, 11, 14, 15, 0, 7, 8, 9, 0, 1, 0, 49, 4, 70,
  12, 14, 16, 18, 20, 22, 24, 13, 15, 17, 19, 21, 23, 25, 11, 8, 1, 0, 22, 23, 0, 0, 3, 8, 9, 0, 1, 2, 0, 53, 4, 71, 10,
  14, 16, 18, 20, 22, 24, 11, 15, 17, 19, 21, 23, 25, 13, 6, 1, 0, 18, 19, 0, 0, 2, 9, 0, 1, 2, 3, 0, 57, 4, 72, 10, 14,
  16, 18, 20, 22, 24, 11, 15, 17, 19, 21, 23, 25, 13, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 10, 12, 14, 16, 18, 20, 22, 11, 13, 15, 17, 19, 21, 23, 25, 0, 0, 0, 0, 0, 0, 0, 40, 44, 47, 50, 53, 72, 6,
  0, 9, 0, 10, 12, 14, 16, 20, 22, 24, 11, 13, 15, 17, 21, 23, 25, 19, 66, 39, 43, 46, 49, 71, 6, 63, 34, 37, 41, 69, 0,
  5, 8, 6, 0, 10, 12, 14, 16, 18, 22, 24, 11, 13, 15, 17, 19, 23, 25, 21, 61, 48, 51, 54, 57, 0, 5, 35, 38, 42, 45, 70,
  0, 5, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 26, 62, 52, 55, 58, 0, 5, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0,
  10, 12, 14, 18, 20, 22, 24, 11, 13, 15, 19, 21, 23, 25, 17, 27, 64, 56, 59, 0, 0, 4, 30, 33, 36, 68, 0, 0, 4, 2, 5, 0,
  10, 12, 16, 18, 20, 22, 24, 11, 13, 17, 19, 21, 23, 25, 15, 28, 31, 65, 60, 0, 0, 4, 29, 32, 67, 0, 0, 0, 3, 3, 4, 0,
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
h2o2_diffusion(const double *__restrict__ temperature, const double *__restrict__ pressure,
    const double *__restrict__ mole_fractions, double *__restrict__ diffusion, int points, int stride)
{
  __shared__ double slots[73][32];
  const int warp_id = threadIdx.x >> 5;
  const int lane = threadIdx.x & 31;
  const double c0 = h2o2_diffusion_reals[0 + threadIdx.x];
  const double c1 = h2o2_diffusion_reals[256 + threadIdx.x];
  const int k0 = h2o2_diffusion_indices[0 + threadIdx.x];
  const int k1 = h2o2_diffusion_indices[256 + threadIdx.x];
  const int groups = points / 32 + (points % 32 != 0);
  for (int group = blockIdx.x; group < groups; group += gridDim.x) {
    const bool active = group * 32 + lane < points;
    const int point = min(group * 32 + lane, points - 1);
    const double field = load(temperature, 0, stride, point);
    const double field_2 = load(pressure, 0, stride, point);
    const double ln_t = singe_log(field);
    const double pressure_ratio = 101325.0 / field_2;
    // phase 1
    double r0;
    double r1;
    switch (warp_id) {
    case 0: case 1: {
      #pragma unroll 4
      for (int i0 = 0; i0 < 5; ++i0) {
        const double field_3 = load(mole_fractions, broadcast_index(k0, i0), stride, point);
        slots[broadcast_index(k0, 5 + i0)][lane] = fmax(field_3, 1e-20);
      }
      break;
    }
    case 2: case 3: case 4: case 5: case 6: case 7: {
      r0 = 0.0;
      r1 = 0.0;
      break;
    }
    }
    double r2;
    double r3;
    if ((0x24u >> warp_id) & 1u) {
      r2 = 0.0;
      r3 = 0.0;
    }
    if ((0xfcu >> warp_id) & 1u) {
      const int trips = broadcast_index(k0, 1);
      #pragma unroll 4
      for (int i1 = 0; i1 < trips; ++i1) {
        const double field_4 = load(mole_fractions, broadcast_index(k0, 0) + i1, stride, point);
        const double c = broadcast(c0, i1);
        r0 = fma(fmax(field_4, 1e-20), c, r0);
        r1 = fma(positive(field_4), c, r1);
      }
    }
    if ((0x24u >> warp_id) & 1u) {
      const double field_5 = load(mole_fractions, broadcast_index(k0, 2), stride, point);
      const double c_2 = broadcast(c0, 2);
      r2 = fma(fmax(field_5, 1e-20), c_2, r2);
      r3 = fma(positive(field_5), c_2, r3);
    }
    if ((0xfcu >> warp_id) & 1u) {
      slots[broadcast_index(k0, 3)][lane] = r0;
      slots[broadcast_index(k0, 4)][lane] = r1;
    }
    if ((0x24u >> warp_id) & 1u) {
      slots[broadcast_index(k0, 5)][lane] = r2;
      slots[broadcast_index(k0, 6)][lane] = r3;
    }
    if ((0xf0u >> warp_id) & 1u) {
      r0 = 0.0;
      r1 = 0.0;
      r2 = 0.0;
      const double field_6 = load(mole_fractions, broadcast_index(k0, 7), stride, point);
      r1 = fma(fmax(field_6, 1e-20), broadcast(c0, 3), r1);
    }
    barrier_sync<0, 256>();
    // phase 2
    double r4;
    double r5;
    switch (warp_id) {
    case 0: case 1: {
      const double field_7 = load(mole_fractions, broadcast_index(k0, 10), stride, point);
      const double field_8 = load(mole_fractions, broadcast_index(k0, 11), stride, point);
      r0 = 0.0;
      r1 = 0.0;
      r2 = 0.0;
      r3 = 0.0;
      r4 = fmax(field_7, 1e-20);
      r5 = fmax(field_8, 1e-20);
      #pragma unroll 3
      for (int i2 = 0; i2 < 5; ++i2) {
        const double t = fma(fma(broadcast(c0, 15 + i2), ln_t, broadcast(c0, 10 + i2)), ln_t, broadcast(c0, 5 + i2));
        const double e = singe_exp(fma(t, ln_t, broadcast(c0, i2)));
        slots[broadcast_index(k0, 14) + i2][lane] = fma(r4, e, r2);
        const double t_2 = fma(fma(broadcast(c1, 5 + i2), ln_t, broadcast(c1, i2)), ln_t, broadcast(c0, 25 + i2));
        const double e_2 = singe_exp(fma(t_2, ln_t, broadcast(c0, 20 + i2)));
        r0 = fma(slots[broadcast_index(k0, 12) + i2][lane], e, r0);
        r1 = fma(slots[broadcast_index(k0, 13) + i2][lane], e_2, r1);
        r2 = fma(r5, e_2, r3);
        r3 = 0.0;
      }
      slots[broadcast_index(k0, 15)][lane] = r0;
      slots[broadcast_index(k0, 16)][lane] = r1;
      slots[broadcast_index(k0, 17)][lane] = r2;
      break;
    }
    case 2: case 3: case 4: case 5: case 6: case 7: {
      const double field_9 = load(mole_fractions, broadcast_index(k0, 8), stride, point);
      r3 = 0.0;
      r4 = 0.0;
      r5 = fmax(field_9, 1e-20);
      break;
    }
    }
    if ((0xfcu >> warp_id) & 1u) {
      const int trips_2 = broadcast_index(k0, 15);
      #pragma unroll 4
      for (int i3 = 0; i3 < trips_2; ++i3) {
        const double t_3 = fma(fma(broadcast(c0, 19 + i3), ln_t, broadcast(c0, 14 + i3)), ln_t, broadcast(c0, 9 + i3));
        const double e_3 = singe_exp(fma(t_3, ln_t, broadcast(c0, 4 + i3)));
        slots[broadcast_index(k0, 14) + i3][lane] = fma(r5, e_3, r4);
        r3 = fma(slots[broadcast_index(k0, 9 + i3)][lane], e_3, r3);
        r4 = 0.0;
      }
      slots[broadcast_index(k0, 16)][lane] = r3;
    }
    if ((0x8u >> warp_id) & 1u) {
      r0 = 0.0;
      r1 = 0.0;
      r2 = 0.0;
    }
    if ((0xdcu >> warp_id) & 1u) {
      r3 = 0.0;
      r4 = 0.0;
      r5 = 0.0;
    }
    if ((0xf8u >> warp_id) & 1u) {
      #pragma unroll 4
      for (int i4 = 0; i4 < 7; ++i4) {
        r1 = r1 + slots[broadcast_index(k0, 17 + i4)][lane];
        r2 = r2 + slots[broadcast_index(k0, 24 + i4)][lane];
      }
    }
    if ((0xdcu >> warp_id) & 1u) {
      #pragma unroll 4
      for (int i5 = 0; i5 < 7; ++i5) {
        r4 = r4 + slots[broadcast_index(k1, i5)][lane];
        r5 = r5 + slots[broadcast_index(k1, 7 + i5)][lane];
      }
    }
    if ((0xf8u >> warp_id) & 1u) {
      r2 = r2 + slots[broadcast_index(k0, 31)][lane];
    }
    if ((0xdcu >> warp_id) & 1u) {
      r5 = r5 + slots[broadcast_index(k1, 14)][lane];
    }
    if ((0x3u >> warp_id) & 1u) {
      barrier_arrive<1, 256>();
    }
    if ((0xfcu >> warp_id) & 1u) {
      barrier_sync<1, 256>();
    }
    // phase 3
    if ((0xf8u >> warp_id) & 1u) {
      const int trips_3 = broadcast_index(k1, 21);
      #pragma unroll 4
      for (int i6 = 0; i6 < trips_3; ++i6) {
        r0 = r0 + slots[broadcast_index(k1, 15 + i6)][lane];
      }
    }
    if ((0xdcu >> warp_id) & 1u) {
      const int trips_4 = broadcast_index(k1, 28);
      #pragma unroll 4
      for (int i7 = 0; i7 < trips_4; ++i7) {
        r3 = r3 + slots[broadcast_index(k1, 22 + i7)][lane];
      }
    }
    if ((0xf8u >> warp_id) & 1u) {
      store(diffusion, broadcast_index(k1, 29), stride, point, active, pressure_ratio * r1 / (r2 * r0));
    }
    if ((0xdcu >> warp_id) & 1u) {
      store(diffusion, broadcast_index(k1, 30), stride, point, active, pressure_ratio * r4 / (r5 * r3));
    }
    barrier_sync<0, 256>();
  }
}

#ifndef __CUDACC_RTC__
#include "h2o2.h"
#include <cuda_runtime.h>

// Finds the CTAs of the kernel that the current device holds at once. Returns a cudaError_t.
extern "C" int h2o2_diffusion_prepare(int multiprocessors, int *ctas)
{
  int resident = 0;
  cudaError_t error = cudaSuccess;
  if (error == cudaSuccess) {
    error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, h2o2_diffusion, 256, 0);
  }
  if (error == cudaSuccess && resident == 0) error = cudaErrorLaunchOutOfResources;
  *ctas = multiprocessors * resident;
  return (int)error;
}

// Runs the kernel on all points, on a stream. Returns a singe_status or a cudaError_t.
extern "C" int h2o2_diffusion_launch(const struct h2o2_context *context, const double *temperature,
    const double *pressure, const double *mole_fractions, double *diffusion, int points, int stride,
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
  if (!diffusion) return SINGE_NULL_POINTER;
  int device = 0;
  const cudaError_t error = cudaGetDevice(&device);
  if (error != cudaSuccess) return (int)error;
  if (device != context->device) return SINGE_WRONG_DEVICE;

  // As many CTAs as the device holds at once: each streams over its share of the points and loads its constants once.
  const int groups = points / 32 + (points % 32 != 0);
  const int needed = (groups - 1) / groups_per_cta + 1;
  const int most = context->diffusion_ctas;
  h2o2_diffusion<<<needed < most ? needed : most, threads, dynamic_shared_bytes, stream>>>(temperature, pressure,
    mole_fractions, diffusion, points, stride);
  return (int)cudaGetLastError();
}
#endif
