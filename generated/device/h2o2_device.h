// Functions of one point of h2o2, made by singe 0.2.0
//
// command     singe mechanisms/h2o2/chem.inp --kernel viscosity --target hopper --emit device --verify no-compilers
// input       mechanisms/h2o2/chem.inp sha256 b672951e65e781496dc3dbac71cc1188a40605a11f20f8f00b734de95f70ecc7
// input       mechanisms/h2o2/therm.dat sha256 c0e83a2f1255ee15ce3ffdf5db49e1813d580f7632d8b60c80df5cc9023ad45b
// input       mechanisms/h2o2/tran.dat sha256 377ed79c9f704d6c49a316134f171ad180a1cfde27eadec992dce85edf624272

// Each function computes one point, and is called by each thread for its own: no warp waits for another, and nothing is launched.
// Rows of inputs lie in_stride doubles apart and rows of outputs out_stride: 1 for arrays of a thread's own, the distance between
// fields where pointers are to a point of field-major arrays. Outputs are stored while inputs are read: they must not share numbers.
// For nvcc and hipcc, which get functions of host and device, for NVRTC and Clang, and for C++ compilers for CPUs (which get functions
// of the host). What is fused is fused here, so that all give the same bits; hipcc needs -ffp-contract=off for that. Options that change the
// meaning of arithmetic are not for this file: -ffast-math is put off for its functions, others of that kind (--use_fast_math) are not.
// Units: SI with kmol.

#ifndef SINGE_H2O2_DEVICE_H
#define SINGE_H2O2_DEVICE_H

// How the functions are declared, unless it was defined before, such as with __noinline__.
#ifndef SINGE_POINT
#if defined(__CUDACC_RTC__)
#define SINGE_POINT static __device__ inline
#elif defined(__CUDACC__) || defined(__CUDA__) || defined(__HIP__)
#define SINGE_POINT static __host__ __device__ inline
#else
#define SINGE_POINT static inline
#endif
#endif

// A table lies where the functions run: on the device, on the host, or on both, each with a copy of its own. Constants are a small
// table of which all threads of a warp mostly read the same entry: constant memory on a device.
#ifndef SINGE_POINT_TABLE
#if defined(__CUDACC_RTC__)
#define SINGE_POINT_TABLE(type, name, ...) static __device__ const type name[] = {__VA_ARGS__};
#elif defined(__CUDACC__) || defined(__CUDA__) || defined(__HIP__)
#define SINGE_POINT_ON_BOTH(where, type, name, ...) \
  namespace on_device { static where const type name[] = {__VA_ARGS__}; } \
  namespace on_host { static const type name[] = {__VA_ARGS__}; }
#define SINGE_POINT_TABLE(type, name, ...) SINGE_POINT_ON_BOTH(__device__, type, name, __VA_ARGS__)
#define SINGE_POINT_CONSTANTS(type, name, ...) SINGE_POINT_ON_BOTH(__constant__, type, name, __VA_ARGS__)
#define SINGE_POINT_TWO_TABLES
#else
#define SINGE_POINT_TABLE(type, name, ...) static const type name[] = {__VA_ARGS__};
#endif
#endif
#ifndef SINGE_POINT_CONSTANTS
#define SINGE_POINT_CONSTANTS SINGE_POINT_TABLE
#endif

// Of HIP without ROCm's headers there is the device's half alone.
#if !defined(__CUDACC_RTC__) && !defined(SINGE_WITHOUT_HIP)
#include <cmath>
#include <cstring>
#endif

// With -ffast-math compilers leave out the roundings by which exponentials find a whole number, and values are off by percents. Clang
// goes on fusing products and sums then, which changes last bits.
#if defined(__FAST_MATH__) && defined(__clang__)
#pragma float_control(push)
#pragma float_control(precise, on)
#elif defined(__FAST_MATH__) && defined(__GNUC__)
#pragma GCC push_options
#pragma GCC optimize("no-fast-math", "fp-contract=off")
#endif

namespace h2o2_device {

enum {
  species_count = 10,
  element_count = 4,
  reaction_count = 29
};

// Places of species
enum {
  species_H2 = 0,
  species_H = 1,
  species_O = 2,
  species_O2 = 3,
  species_OH = 4,
  species_H2O = 5,
  species_HO2 = 6,
  species_H2O2 = 7,
  species_AR = 8,
  species_N2 = 9
};

// Places of elements
enum {
  element_O = 0,
  element_H = 1,
  element_AR = 2,
  element_N = 3
};

#if !defined(__CUDACC_RTC__) && !defined(SINGE_WITHOUT_HIP)
// Null where there is no such species
static inline const char *species_name(int species)
{
  static const char *const names[] = {
  "H2", "H", "O", "O2", "OH", "H2O", "HO2", "H2O2", "AR", "N2",
  };
  return species >= 0 && species < species_count ? names[species] : nullptr;
}

// Null where there is no such element
static inline const char *element_name(int element)
{
  static const char *const names[] = {
  "O", "H", "AR", "N",
  };
  return element >= 0 && element < element_count ? names[element] : nullptr;
}
#endif

typedef double real;
typedef unsigned word;
typedef bool flag;

SINGE_POINT real all(real x) { return x; }
SINGE_POINT word all_words(word x) { return x; }
SINGE_POINT real load(const double *from) { return *from; }
SINGE_POINT void store(double *to, real x) { *to = x; }

#if defined(__CUDA_ARCH__) && !defined(__HIP__)
SINGE_POINT real fma(real a, real b, real c) { return ::fma(a, b, c); }
SINGE_POINT real square_root(real a) { return ::sqrt(a); }
SINGE_POINT real separate_product(real a, real b) { return __dmul_rn(a, b); }
SINGE_POINT word high_word(real x) { return (word)__double2hiint(x); }
SINGE_POINT word low_word(real x) { return (word)__double2loint(x); }
SINGE_POINT real join(word high, word low) { return __hiloint2double((int)high, (int)low); }
#elif defined(__HIP_DEVICE_COMPILE__)
SINGE_POINT real fma(real a, real b, real c) { return __builtin_fma(a, b, c); }
SINGE_POINT real square_root(real a) { return __builtin_sqrt(a); }
SINGE_POINT real separate_product(real a, real b)
{
#pragma clang fp contract(off)
  return a * b;
}
SINGE_POINT word high_word(real x) { return (word)(__builtin_bit_cast(unsigned long long, x) >> 32); }
SINGE_POINT word low_word(real x) { return (word)__builtin_bit_cast(unsigned long long, x); }
SINGE_POINT real join(word high, word low)
{
  return __builtin_bit_cast(real, (unsigned long long)high << 32 | low);
}
#else
#if defined(__FP_FAST_FMA) || defined(__FMA__) || (defined(_MSC_VER) && defined(__AVX2__)) || defined(__aarch64__) || defined(_M_ARM64)
SINGE_POINT real fma(real a, real b, real c) { return std::fma(a, b, c); }
// A product that no compiler fuses with a sum: it does not see that this is one.
SINGE_POINT real separate_product(real a, real b)
{
  volatile real product = a * b;
  return product;
}
#else
// Where the compiler may use no instruction for it (-mfma or -march=native let it), std::fma is a call, and all takes six times as long.
// So the product is rounded, and nothing can be fused.
SINGE_POINT real fma(real a, real b, real c) { return a * b + c; }
SINGE_POINT real separate_product(real a, real b) { return a * b; }
#endif
SINGE_POINT real square_root(real a) { return std::sqrt(a); }
SINGE_POINT unsigned long long bits(real x)
{
  unsigned long long all;
  std::memcpy(&all, &x, sizeof all);
  return all;
}
SINGE_POINT word high_word(real x) { return (word)(bits(x) >> 32); }
SINGE_POINT word low_word(real x) { return (word)bits(x); }
SINGE_POINT real join(word high, word low)
{
  const unsigned long long all = (unsigned long long)high << 32 | low;
  real x;
  std::memcpy(&x, &all, sizeof x);
  return x;
}
#endif

// a <= b ? then : otherwise
SINGE_POINT real select_le(real a, real b, real then, real otherwise) { return a <= b ? then : otherwise; }
SINGE_POINT real choose(flag which, real a, real b) { return which ? a : b; }
SINGE_POINT word choose_word(flag which, word a, word b) { return which ? a : b; }
SINGE_POINT flag below(word a, word b) { return a < b; }
SINGE_POINT flag below_signed(word a, word b) { return (int)a < (int)b; }
SINGE_POINT real from_signed(word a) { return (real)(int)a; }
SINGE_POINT word inverse(word a) { return ~a; }
SINGE_POINT word right(word a, int bits) { return a >> bits; }
SINGE_POINT word right_signed(word a, int bits) { return (word)((int)a >> bits); }
SINGE_POINT real looked_up(const double *table, word index) { return table[index]; }

// Constants
SINGE_POINT_TABLE(double, h2o2_viscosity_real_bank,
  0.6931471805599453, 1.4198591479439078, 0.0007831549211509924, -0.017682845859199398, 0.5977722020218197,
  -11.612970457630992, 0.011571274906378668, -0.26454373626430094, 2.4815426893953014, -16.037321505489878,
  0.004842991449865368, -0.10875511321666731, 1.2783296304674954, -13.29853797215189, 0.007877967501583528,
  -0.1781931689347973, 1.807950339166116, -15.006768160109592, 0.004842991449867423, -0.10875511321671197,
  1.2783296304678178, -13.298537972152662, 1.0039920318408906, 3.9998749980468142, 5.656677470034862, 4.123954412939115,
  0.4980119205559974, 0.5750546327852952, 0.2356041124585535, 0.17146328751063888, 0.22927700291941078,
  0.7042952122737639, 0.24248570664662283, 0.17406183287190788, 0.1767822198273286, 0.14434207805782748,
  0.125003906433115, 0.1428498547851611, 0.2234337036776108, 0.16897775199502918, 0.16659726559488114,
  0.15436584402531847, 0.18248296715045295, 0.22927700291941083, 0.15625381483696968, 0.18562494206472438,
  0.14140297504525345, 0.1336915122080266, 0.15073340649834172, 0.12403091831197144, 0.12308030236948557,
  0.11789371061611124, 0.1290865368652622, 0.13999918800706432, 0.1325032244223844, 0.1490364273897514,
  4.244408085940842, -0.014657906382325073, 0.24845856756213702, -0.6250409025532503, -11.126301017079417,
  0.00787796750159, -0.17819316893493772, 1.807950339167127, -15.006768160112012, 0.007877967501581257,
  -0.17819316893474782, 1.8079503391657574, -15.006768160108727, 0.010819664231332923, -0.24675690064432224,
  2.3410651294810507, -16.360566143574356, 0.00680111096766307, -0.1534135491328559, 1.6178265888676915,
  -14.5766498037306, 5.745084855770191, 5.832152261386872, 6.320601237224193, 5.292825332466584, 0.13863639621878496,
  0.13134606911970886, 0.1473955018497629, 0.12215121419215742, 0.11707643582382288, 0.1280158954404281,
  0.12124285332331142, 0.11627592551775516, 0.12697145926183326, 0.11187334157740447, 0.12129992557281451,
  0.13359722582362618, 2.8284271247461903)

// c and -log2 c by interval of the mantissa
SINGE_POINT_TABLE(double, h2o2_viscosity_logarithms,
  1.4408932497454283, -0.5269634557294012, 1.424874049815125, -0.5108343994613733, 1.4091837676837855,
  -0.4948597617103587, 1.393842696311441, -0.47906775341812136, 1.3788048650018707, -0.46341829426000913,
  1.3641311307058503, -0.44798233389724373, 1.3497290567774154, -0.43266983122111924, 1.335640773739679,
  -0.4175320410220138, 1.3218698795441954, -0.402580169753719, 1.3083403363290098, -0.3877378754436904,
  1.295097788908842, -0.373061035554656, 1.2821446572723838, -0.3585590424215752, 1.2694311522312263,
  -0.3441821523481394, 1.2569477698652798, -0.3299247024856413, 1.2447275120254677, -0.3158299510678262,
  1.2327490697952177, -0.3018791642141423, 1.2209775296330294, -0.288036649805008, 1.2094451851190757,
  -0.2743453844902888, 1.198115558842654, -0.26076706349317647, 1.1870093177125787, -0.24733125980287696,
  1.1761191898348955, -0.23403427264906895, 1.165411214156234, -0.22083909818138636, 1.1548809538519171,
  -0.20774414502739091, 1.1445707383002022, -0.194806629028335, 1.1344156498844626, -0.18194934059465595,
  1.1244591252097453, -0.16923121920467565, 1.1146607596662776, -0.1566047013423031, 1.1050315022033133,
  -0.14408749850781533, 1.0955733807486745, -0.1316861182822322, 1.0862853543600886, -0.11940313191189489,
  1.0771458614948586, -0.10721362537583445, 1.068140718033234, -0.09510172177783716, 1.0593124223940171,
  -0.08312814529358548, 1.050604764277002, -0.07122003194604076, 1.0420579340240304, -0.05943548760274098,
  1.0336529708639584, -0.047751909785120006, 1.0253761150581122, -0.03615319733921751, 1.0172137799145247,
  -0.024622911064852815, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.9721478259984143, 0.04075238638642986, 0.9576013379700844,
  0.0625029268567232, 0.9434895404940554, 0.08392157066100481, 0.9297751625058435, 0.10504620786491614,
  0.9164665583875065, 0.12584585670674642, 0.9035231265088695, 0.14636656621291877, 0.8909558148761583,
  0.16657420886372165, 0.878721232669225, 0.18652254047719907, 0.8668090597832012, 0.20621386250331852,
  0.8552345319763852, 0.22560798866561527, 0.8439588314810613, 0.24475546925668823, 0.8329633970484452,
  0.2636749943228551, 0.822261691832361, 0.2823304778362399, 0.811834447522057, 0.30074253753855373, 0.8016649744152521,
  0.31892865213785626, 0.791744585637959, 0.33689299850061616, 0.782083575938888, 0.35460530813497826,
  0.772630728758579, 0.3721490378895851, 0.7634236741652612, 0.3894441689164978, 0.7544150417420937, 0.4065696537227268,
  0.7456271905138941, 0.42347362370378505, 0.7370384881409521, 0.4401881360822699, 0.7286595067870512,
  0.45668327570433576)

SINGE_POINT_TABLE(double, molecular_weights,
  2.016, 1.008, 15.999, 31.998, 17.007, 18.015, 33.006, 34.014, 39.95, 28.014)

SINGE_POINT_TABLE(double, inverse_weights,
  0.49603174603174605, 0.9920634920634921, 0.06250390649415588, 0.03125195324707794, 0.05879931792791203,
  0.055509297807382736, 0.030297521662727988, 0.029399658963956014, 0.025031289111389236, 0.03569643749553795)

SINGE_POINT_TABLE(double, atoms,
  0.0, 2.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 2.0, 0.0,
  0.0, 2.0, 1.0, 0.0, 0.0, 2.0, 2.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 2.0)

#ifdef SINGE_POINT_TWO_TABLES
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
using namespace on_device;
#else
using namespace on_host;
#endif
#endif

// kg/kmol, or g/mol
SINGE_POINT real molecular_weight(int species) { return molecular_weights[species]; }

// Atoms of an element in a species
SINGE_POINT real atoms_of(int species, int element) { return atoms[element_count * species + element]; }

// R, by the amount of substance
SINGE_POINT real gas_constant() { return 8314.46261815324; }

// The pressure of standard states
SINGE_POINT real reference_pressure() { return 101325.0; }

// The conversions take what is given as it is: negative fractions stay negative, and a sum other than 1 counts.

// Sum of products, in four parts, which do not wait for each other
SINGE_POINT real dot(const double *a, long long stride, const double *b)
{
  real parts[4] = {0.0, 0.0, 0.0, 0.0};
  int k = 0;
  for (; k + 3 < species_count; k += 4) {
    for (int part = 0; part < 4; ++part) parts[part] += a[(k + part) * stride] * b[k + part];
  }
  for (; k < species_count; ++k) parts[0] += a[k * stride] * b[k];
  return (parts[0] + parts[1]) + (parts[2] + parts[3]);
}

// Mean molar mass, by mole fractions
SINGE_POINT real mean_weight_by_mole(const double *mole_fractions, long long in_stride)
{
  return dot(mole_fractions, in_stride, molecular_weights);
}

// Mean molar mass, by mass fractions
SINGE_POINT real mean_weight_by_mass(const double *mass_fractions, long long in_stride)
{
  return 1.0 / dot(mass_fractions, in_stride, inverse_weights);
}

// The two arrays may be one.
SINGE_POINT void mass_from_mole(const double *mole_fractions, long long in_stride, double *mass_fractions,
                                long long out_stride)
{
  const real scale = 1.0 / dot(mole_fractions, in_stride, molecular_weights);
  for (int k = 0; k < species_count; ++k) {
    mass_fractions[k * out_stride] = mole_fractions[k * in_stride] * molecular_weights[k] * scale;
  }
}

// The two arrays may be one.
SINGE_POINT void mole_from_mass(const double *mass_fractions, long long in_stride, double *mole_fractions,
                                long long out_stride)
{
  const real scale = 1.0 / dot(mass_fractions, in_stride, inverse_weights);
  for (int k = 0; k < species_count; ++k) {
    mole_fractions[k * out_stride] = mass_fractions[k * in_stride] * inverse_weights[k] * scale;
  }
}

// Mole fractions and pressure of a gas of these concentrations. The two arrays may be one.
SINGE_POINT real mole_from_concentrations(real temperature, const double *concentrations, long long in_stride,
                                          double *mole_fractions, long long out_stride)
{
  real total = 0.0;
  for (int k = 0; k < species_count; ++k) total += concentrations[k * in_stride];
  const real scale = 1.0 / total;
  for (int k = 0; k < species_count; ++k) mole_fractions[k * out_stride] = concentrations[k * in_stride] * scale;
  return total * gas_constant() * temperature;
}

// The two arrays may be one.
SINGE_POINT void concentrations_from_mole(real temperature, real pressure, const double *mole_fractions,
                                          long long in_stride, double *concentrations, long long out_stride)
{
  const real total = pressure / (gas_constant() * temperature);
  for (int k = 0; k < species_count; ++k) concentrations[k * out_stride] = mole_fractions[k * in_stride] * total;
}

SINGE_POINT real density_by_mole(real temperature, real pressure, const double *mole_fractions, long long in_stride)
{
  return pressure * mean_weight_by_mole(mole_fractions, in_stride) / (gas_constant() * temperature);
}

SINGE_POINT real density_by_mass(real temperature, real pressure, const double *mass_fractions, long long in_stride)
{
  return pressure / (gas_constant() * temperature * dot(mass_fractions, in_stride, inverse_weights));
}

SINGE_POINT real pressure_by_mass(real temperature, real density, const double *mass_fractions, long long in_stride)
{
  return density * gas_constant() * temperature * dot(mass_fractions, in_stride, inverse_weights);
}

// 2^x below 1 ulp for |x| < 1021; anything beyond.
SINGE_POINT real singe_exp2_within(real x)
{
  const real shifted = x + 6755399441055744.0;
  const word n = low_word(shifted);
  const real r = x - (shifted - 6755399441055744.0);
  real p = fma(all(4.4549605981865186e-10), r, all(7.072585949269223e-9));
  p = fma(p, r, all(1.0178062445845774e-7));
  p = fma(p, r, all(1.321544258792169e-6));
  p = fma(p, r, all(1.525273382983612e-5));
  p = fma(p, r, all(0.0001540353044173605));
  p = fma(p, r, all(0.0013333558146416936));
  p = fma(p, r, all(0.009618129107606888));
  p = fma(p, r, all(0.0555041086648216));
  p = fma(p, r, all(0.24022650695910097));
  p = fma(p, r, all(0.6931471805599453));
  p = fma(p, r, all(1.0));
  const word high = high_word(p) + (n << 20);
  return join(high, low_word(p));
}

// log2 x below 1 ulp for positive normal x; not a number for any other. The table has pairs c, -log2 c; next to 1, c is
// 1 and the largest term, the product of f and log2 e, is rounded once.
SINGE_POINT real singe_log2(real x, const double *table)
{
  const word high = high_word(x);
  const word above = high - all_words(0x3fe61556u);
  const flag near = below(above - all_words(0x98000u), all_words(0xc000u));
  const word exponent = right_signed(above, 20);
  const word m_high = choose_word(below(high - all_words(0x100000u), all_words(0x7fe00000u)), high - (exponent << 20), all_words(0x7ff80000u));
  const real m = join(m_high, low_word(x));
  const word entry = right(above, 14) & all_words(63u);
  const real f = fma(m, looked_up(table, entry << 1), all(-1.0));
  real p = fma(all(-0.17608424994567926), f, all(0.20612868497723777));
  p = fma(p, f, all(-0.24045037899117797));
  p = fma(p, f, all(0.28853900755724343));
  p = fma(p, f, all(-0.3606737601342694));
  p = fma(p, f, all(0.4808983469629641));
  p = fma(p, f, all(-0.7213475204444827));
  p = fma(p, f, choose(near, all(2.0355273740931033e-17), all(1.4426950408889634)));
  const real rest = fma(choose(near, f, from_signed(exponent)), choose(near, p, all(1.0)), looked_up(table + 1, entry << 1));
  return fma(f, choose(near, all(1.4426950408889634), p), rest);
}

// max(x, 0) without a double-precision instruction; what is not a number stays so.
SINGE_POINT real positive(real x)
{
  return choose(below_signed(high_word(x), all_words(0xfff00000u)), all(0.0), x);
}

// Viscosity of the mixture (Wilke).
//   exact to rounding; transport data fitted from 300 to 3500 K
//   in  temperature[row * in_stride], 1 rows: temperature, K
//   in  pressure[row * in_stride], 1 rows: pressure, Pa
//   in  mole_fractions[row * in_stride], 10 rows: mole fraction of each species, 1
//   out viscosity[row * out_stride], 1 rows: viscosity of the mixture, Pa s
SINGE_POINT void viscosity(const double *__restrict__ temperature, const double *__restrict__ pressure,
    const double *__restrict__ mole_fractions, long long in_stride, double *__restrict__ viscosity,
    long long out_stride)
{
  (void)pressure;
  const real field = load(temperature + 0 * in_stride);
  const real t = select_le(field, all(10000.0), field, join(all_words(0x7ff80000u), all_words(0x00000000u)));
  const real ln_t = separate_product(singe_log2(select_le(all(100.0), t, t, join(all_words(0x7ff80000u), all_words(0x00000000u))), h2o2_viscosity_logarithms), all(h2o2_viscosity_real_bank[0]));
  // species from H2
  const real field_2 = load(mole_fractions + 0 * in_stride);
  const real w_H2 = positive(field_2) * h2o2_viscosity_real_bank[1];
  const real t_2 = fma(fma(all(h2o2_viscosity_real_bank[2]), ln_t, all(h2o2_viscosity_real_bank[3])), ln_t, all(h2o2_viscosity_real_bank[4]));
  const real e_H2 = singe_exp2_within(fma(t_2, ln_t, all(h2o2_viscosity_real_bank[5])));
  const real t_3 = fma(fma(all(h2o2_viscosity_real_bank[6]), ln_t, all(h2o2_viscosity_real_bank[7])), ln_t, all(h2o2_viscosity_real_bank[8]));
  const real e_H = singe_exp2_within(fma(t_3, ln_t, all(h2o2_viscosity_real_bank[9])));
  const real t_4 = fma(fma(all(h2o2_viscosity_real_bank[10]), ln_t, all(h2o2_viscosity_real_bank[11])), ln_t, all(h2o2_viscosity_real_bank[12]));
  const real e_O = singe_exp2_within(fma(t_4, ln_t, all(h2o2_viscosity_real_bank[13])));
  const real t_5 = fma(fma(all(h2o2_viscosity_real_bank[14]), ln_t, all(h2o2_viscosity_real_bank[15])), ln_t, all(h2o2_viscosity_real_bank[16]));
  const real e_O2 = singe_exp2_within(fma(t_5, ln_t, all(h2o2_viscosity_real_bank[17])));
  const real t_6 = fma(fma(all(h2o2_viscosity_real_bank[18]), ln_t, all(h2o2_viscosity_real_bank[19])), ln_t, all(h2o2_viscosity_real_bank[20]));
  const real e_OH = singe_exp2_within(fma(t_6, ln_t, all(h2o2_viscosity_real_bank[21])));
  const real t_7 = e_H2 * e_H;
  const real t_8 = t_7 * e_O;
  const real t_9 = t_8 * e_O2;
  const real t_10 = 1.0 / (t_9 * e_OH);
  const real t_11 = t_10 * e_OH;
  const real t_12 = t_11 * e_O2;
  const real t_13 = t_12 * e_O;
  const real t_14 = t_13 * e_H;
  const real w_e_H2 = w_H2 * t_14;
  const real w_e2_H2 = w_e_H2 * t_14;
  const real field_3 = load(mole_fractions + 1 * in_stride);
  const real w_H = positive(field_3) * h2o2_viscosity_real_bank[22];
  const real t_15 = t_13 * e_H2;
  const real w_e_H = w_H * t_15;
  const real w_e2_H = w_e_H * t_15;
  const real field_4 = load(mole_fractions + 2 * in_stride);
  const real w_O = positive(field_4) * h2o2_viscosity_real_bank[23];
  const real t_16 = t_12 * t_7;
  const real w_e_O = w_O * t_16;
  const real w_e2_O = w_e_O * t_16;
  const real field_5 = load(mole_fractions + 3 * in_stride);
  const real w_O2 = positive(field_5) * h2o2_viscosity_real_bank[24];
  const real t_17 = t_11 * t_8;
  const real w_e_O2 = w_O2 * t_17;
  const real w_e2_O2 = w_e_O2 * t_17;
  const real field_6 = load(mole_fractions + 4 * in_stride);
  const real w_OH = positive(field_6) * h2o2_viscosity_real_bank[25];
  const real t_18 = t_10 * t_9;
  const real w_e_OH = w_OH * t_18;
  const real w_e2_OH = w_e_OH * t_18;
  // rows from H2
  const real c = all(h2o2_viscosity_real_bank[26]);
  const real rows_from_H2 = c * w_H2;
  const real rows_from_H2_2 = c * w_e_H2;
  const real rows_from_H2_3 = c * w_e2_H2;
  const real c_2 = all(h2o2_viscosity_real_bank[27]);
  const real rows_from_H2_4 = c_2 * w_H2;
  const real rows_from_H2_5 = c_2 * w_e_H2;
  const real rows_from_H2_6 = c_2 * w_e2_H2;
  const real c_3 = all(h2o2_viscosity_real_bank[28]);
  const real rows_from_H2_7 = c_3 * w_H2;
  const real rows_from_H2_8 = c_3 * w_e_H2;
  const real rows_from_H2_9 = c_3 * w_e2_H2;
  const real c_4 = all(h2o2_viscosity_real_bank[29]);
  const real rows_from_H2_10 = c_4 * w_H2;
  const real rows_from_H2_11 = c_4 * w_e_H2;
  const real rows_from_H2_12 = c_4 * w_e2_H2;
  const real c_5 = all(h2o2_viscosity_real_bank[30]);
  const real rows_from_H2_13 = c_5 * w_H2;
  const real rows_from_H2_14 = c_5 * w_e_H2;
  const real rows_from_H2_15 = c_5 * w_e2_H2;
  const real c_6 = all(h2o2_viscosity_real_bank[27]);
  const real rows_from_H2_16 = fma(c_6, w_H, rows_from_H2);
  const real rows_from_H2_17 = fma(c_6, w_e_H, rows_from_H2_2);
  const real rows_from_H2_18 = fma(c_6, w_e2_H, rows_from_H2_3);
  const real c_7 = all(h2o2_viscosity_real_bank[31]);
  const real rows_from_H2_19 = fma(c_7, w_H, rows_from_H2_4);
  const real rows_from_H2_20 = fma(c_7, w_e_H, rows_from_H2_5);
  const real rows_from_H2_21 = fma(c_7, w_e2_H, rows_from_H2_6);
  const real c_8 = all(h2o2_viscosity_real_bank[32]);
  const real rows_from_H2_22 = fma(c_8, w_H, rows_from_H2_7);
  const real rows_from_H2_23 = fma(c_8, w_e_H, rows_from_H2_8);
  const real rows_from_H2_24 = fma(c_8, w_e2_H, rows_from_H2_9);
  const real c_9 = all(h2o2_viscosity_real_bank[33]);
  const real rows_from_H2_25 = fma(c_9, w_H, rows_from_H2_10);
  const real rows_from_H2_26 = fma(c_9, w_e_H, rows_from_H2_11);
  const real rows_from_H2_27 = fma(c_9, w_e2_H, rows_from_H2_12);
  const real c_10 = all(h2o2_viscosity_real_bank[28]);
  const real rows_from_H2_28 = fma(c_10, w_H, rows_from_H2_13);
  const real rows_from_H2_29 = fma(c_10, w_e_H, rows_from_H2_14);
  const real rows_from_H2_30 = fma(c_10, w_e2_H, rows_from_H2_15);
  const real c_11 = all(h2o2_viscosity_real_bank[28]);
  const real rows_from_H2_31 = fma(c_11, w_O, rows_from_H2_16);
  const real rows_from_H2_32 = fma(c_11, w_e_O, rows_from_H2_17);
  const real rows_from_H2_33 = fma(c_11, w_e2_O, rows_from_H2_18);
  const real c_12 = all(h2o2_viscosity_real_bank[32]);
  const real rows_from_H2_34 = fma(c_12, w_O, rows_from_H2_19);
  const real rows_from_H2_35 = fma(c_12, w_e_O, rows_from_H2_20);
  const real rows_from_H2_36 = fma(c_12, w_e2_O, rows_from_H2_21);
  const real c_13 = all(h2o2_viscosity_real_bank[34]);
  const real rows_from_H2_37 = fma(c_13, w_O, rows_from_H2_22);
  const real rows_from_H2_38 = fma(c_13, w_e_O, rows_from_H2_23);
  const real rows_from_H2_39 = fma(c_13, w_e2_O, rows_from_H2_24);
  const real c_14 = all(h2o2_viscosity_real_bank[35]);
  const real rows_from_H2_40 = fma(c_14, w_O, rows_from_H2_25);
  const real rows_from_H2_41 = fma(c_14, w_e_O, rows_from_H2_26);
  const real rows_from_H2_42 = fma(c_14, w_e2_O, rows_from_H2_27);
  const real c_15 = all(h2o2_viscosity_real_bank[33]);
  const real rows_from_H2_43 = fma(c_15, w_O, rows_from_H2_28);
  const real rows_from_H2_44 = fma(c_15, w_e_O, rows_from_H2_29);
  const real rows_from_H2_45 = fma(c_15, w_e2_O, rows_from_H2_30);
  const real c_16 = all(h2o2_viscosity_real_bank[29]);
  const real rows_from_H2_46 = fma(c_16, w_O2, rows_from_H2_31);
  const real rows_from_H2_47 = fma(c_16, w_e_O2, rows_from_H2_32);
  const real rows_from_H2_48 = fma(c_16, w_e2_O2, rows_from_H2_33);
  const real c_17 = all(h2o2_viscosity_real_bank[33]);
  const real rows_from_H2_49 = fma(c_17, w_O2, rows_from_H2_34);
  const real rows_from_H2_50 = fma(c_17, w_e_O2, rows_from_H2_35);
  const real rows_from_H2_51 = fma(c_17, w_e2_O2, rows_from_H2_36);
  const real c_18 = all(h2o2_viscosity_real_bank[35]);
  const real rows_from_H2_52 = fma(c_18, w_O2, rows_from_H2_37);
  const real rows_from_H2_53 = fma(c_18, w_e_O2, rows_from_H2_38);
  const real rows_from_H2_54 = fma(c_18, w_e2_O2, rows_from_H2_39);
  const real c_19 = all(h2o2_viscosity_real_bank[36]);
  const real rows_from_H2_55 = fma(c_19, w_O2, rows_from_H2_40);
  const real rows_from_H2_56 = fma(c_19, w_e_O2, rows_from_H2_41);
  const real rows_from_H2_57 = fma(c_19, w_e2_O2, rows_from_H2_42);
  const real c_20 = all(h2o2_viscosity_real_bank[37]);
  const real rows_from_H2_58 = fma(c_20, w_O2, rows_from_H2_43);
  const real rows_from_H2_59 = fma(c_20, w_e_O2, rows_from_H2_44);
  const real rows_from_H2_60 = fma(c_20, w_e2_O2, rows_from_H2_45);
  const real c_21 = all(h2o2_viscosity_real_bank[30]);
  const real rows_from_H2_61 = fma(c_21, w_OH, rows_from_H2_46);
  const real rows_from_H2_62 = fma(c_21, w_e_OH, rows_from_H2_47);
  const real rows_from_H2_63 = fma(c_21, w_e2_OH, rows_from_H2_48);
  const real c_22 = all(h2o2_viscosity_real_bank[28]);
  const real rows_from_H2_64 = fma(c_22, w_OH, rows_from_H2_49);
  const real rows_from_H2_65 = fma(c_22, w_e_OH, rows_from_H2_50);
  const real rows_from_H2_66 = fma(c_22, w_e2_OH, rows_from_H2_51);
  const real c_23 = all(h2o2_viscosity_real_bank[33]);
  const real rows_from_H2_67 = fma(c_23, w_OH, rows_from_H2_52);
  const real rows_from_H2_68 = fma(c_23, w_e_OH, rows_from_H2_53);
  const real rows_from_H2_69 = fma(c_23, w_e2_OH, rows_from_H2_54);
  const real c_24 = all(h2o2_viscosity_real_bank[37]);
  const real rows_from_H2_70 = fma(c_24, w_OH, rows_from_H2_55);
  const real rows_from_H2_71 = fma(c_24, w_e_OH, rows_from_H2_56);
  const real rows_from_H2_72 = fma(c_24, w_e2_OH, rows_from_H2_57);
  const real c_25 = all(h2o2_viscosity_real_bank[29]);
  const real rows_from_H2_73 = fma(c_25, w_OH, rows_from_H2_58);
  const real rows_from_H2_74 = fma(c_25, w_e_OH, rows_from_H2_59);
  const real rows_from_H2_75 = fma(c_25, w_e2_OH, rows_from_H2_60);
  // rows from H2O
  const real c_26 = all(h2o2_viscosity_real_bank[38]);
  const real rows_from_H2O = c_26 * w_H2;
  const real rows_from_H2O_2 = c_26 * w_e_H2;
  const real rows_from_H2O_3 = c_26 * w_e2_H2;
  const real c_27 = all(h2o2_viscosity_real_bank[39]);
  const real rows_from_H2O_4 = c_27 * w_H2;
  const real rows_from_H2O_5 = c_27 * w_e_H2;
  const real rows_from_H2O_6 = c_27 * w_e2_H2;
  const real c_28 = all(h2o2_viscosity_real_bank[40]);
  const real rows_from_H2O_7 = c_28 * w_H2;
  const real rows_from_H2O_8 = c_28 * w_e_H2;
  const real rows_from_H2O_9 = c_28 * w_e2_H2;
  const real c_29 = all(h2o2_viscosity_real_bank[41]);
  const real rows_from_H2O_10 = c_29 * w_H2;
  const real rows_from_H2O_11 = c_29 * w_e_H2;
  const real rows_from_H2O_12 = c_29 * w_e2_H2;
  const real c_30 = all(h2o2_viscosity_real_bank[42]);
  const real rows_from_H2O_13 = c_30 * w_H2;
  const real rows_from_H2O_14 = c_30 * w_e_H2;
  const real rows_from_H2O_15 = c_30 * w_e2_H2;
  const real c_31 = all(h2o2_viscosity_real_bank[43]);
  const real rows_from_H2O_16 = fma(c_31, w_H, rows_from_H2O);
  const real rows_from_H2O_17 = fma(c_31, w_e_H, rows_from_H2O_2);
  const real rows_from_H2O_18 = fma(c_31, w_e2_H, rows_from_H2O_3);
  const real c_32 = all(h2o2_viscosity_real_bank[29]);
  const real rows_from_H2O_19 = fma(c_32, w_H, rows_from_H2O_4);
  const real rows_from_H2O_20 = fma(c_32, w_e_H, rows_from_H2O_5);
  const real rows_from_H2O_21 = fma(c_32, w_e2_H, rows_from_H2O_6);
  const real c_33 = all(h2o2_viscosity_real_bank[39]);
  const real rows_from_H2O_22 = fma(c_33, w_H, rows_from_H2O_7);
  const real rows_from_H2O_23 = fma(c_33, w_e_H, rows_from_H2O_8);
  const real rows_from_H2O_24 = fma(c_33, w_e2_H, rows_from_H2O_9);
  const real c_34 = all(h2o2_viscosity_real_bank[44]);
  const real rows_from_H2O_25 = fma(c_34, w_H, rows_from_H2O_10);
  const real rows_from_H2O_26 = fma(c_34, w_e_H, rows_from_H2O_11);
  const real rows_from_H2O_27 = fma(c_34, w_e2_H, rows_from_H2O_12);
  const real c_35 = all(h2o2_viscosity_real_bank[45]);
  const real rows_from_H2O_28 = fma(c_35, w_H, rows_from_H2O_13);
  const real rows_from_H2O_29 = fma(c_35, w_e_H, rows_from_H2O_14);
  const real rows_from_H2O_30 = fma(c_35, w_e2_H, rows_from_H2O_15);
  const real c_36 = all(h2o2_viscosity_real_bank[29]);
  const real rows_from_H2O_31 = fma(c_36, w_O, rows_from_H2O_16);
  const real rows_from_H2O_32 = fma(c_36, w_e_O, rows_from_H2O_17);
  const real rows_from_H2O_33 = fma(c_36, w_e2_O, rows_from_H2O_18);
  const real c_37 = all(h2o2_viscosity_real_bank[37]);
  const real rows_from_H2O_34 = fma(c_37, w_O, rows_from_H2O_19);
  const real rows_from_H2O_35 = fma(c_37, w_e_O, rows_from_H2O_20);
  const real rows_from_H2O_36 = fma(c_37, w_e2_O, rows_from_H2O_21);
  const real c_38 = all(h2o2_viscosity_real_bank[46]);
  const real rows_from_H2O_37 = fma(c_38, w_O, rows_from_H2O_22);
  const real rows_from_H2O_38 = fma(c_38, w_e_O, rows_from_H2O_23);
  const real rows_from_H2O_39 = fma(c_38, w_e2_O, rows_from_H2O_24);
  const real c_39 = all(h2o2_viscosity_real_bank[47]);
  const real rows_from_H2O_40 = fma(c_39, w_O, rows_from_H2O_25);
  const real rows_from_H2O_41 = fma(c_39, w_e_O, rows_from_H2O_26);
  const real rows_from_H2O_42 = fma(c_39, w_e2_O, rows_from_H2O_27);
  const real c_40 = all(h2o2_viscosity_real_bank[48]);
  const real rows_from_H2O_43 = fma(c_40, w_O, rows_from_H2O_28);
  const real rows_from_H2O_44 = fma(c_40, w_e_O, rows_from_H2O_29);
  const real rows_from_H2O_45 = fma(c_40, w_e2_O, rows_from_H2O_30);
  const real c_41 = all(h2o2_viscosity_real_bank[46]);
  const real rows_from_H2O_46 = fma(c_41, w_O2, rows_from_H2O_31);
  const real rows_from_H2O_47 = fma(c_41, w_e_O2, rows_from_H2O_32);
  const real rows_from_H2O_48 = fma(c_41, w_e2_O2, rows_from_H2O_33);
  const real c_42 = all(h2o2_viscosity_real_bank[49]);
  const real rows_from_H2O_49 = fma(c_42, w_O2, rows_from_H2O_34);
  const real rows_from_H2O_50 = fma(c_42, w_e_O2, rows_from_H2O_35);
  const real rows_from_H2O_51 = fma(c_42, w_e2_O2, rows_from_H2O_36);
  const real c_43 = all(h2o2_viscosity_real_bank[50]);
  const real rows_from_H2O_52 = fma(c_43, w_O2, rows_from_H2O_37);
  const real rows_from_H2O_53 = fma(c_43, w_e_O2, rows_from_H2O_38);
  const real rows_from_H2O_54 = fma(c_43, w_e2_O2, rows_from_H2O_39);
  const real c_44 = all(h2o2_viscosity_real_bank[51]);
  const real rows_from_H2O_55 = fma(c_44, w_O2, rows_from_H2O_40);
  const real rows_from_H2O_56 = fma(c_44, w_e_O2, rows_from_H2O_41);
  const real rows_from_H2O_57 = fma(c_44, w_e2_O2, rows_from_H2O_42);
  const real c_45 = all(h2o2_viscosity_real_bank[52]);
  const real rows_from_H2O_58 = fma(c_45, w_O2, rows_from_H2O_43);
  const real rows_from_H2O_59 = fma(c_45, w_e_O2, rows_from_H2O_44);
  const real rows_from_H2O_60 = fma(c_45, w_e2_O2, rows_from_H2O_45);
  const real c_46 = all(h2o2_viscosity_real_bank[39]);
  const real rows_from_H2O_61 = fma(c_46, w_OH, rows_from_H2O_46);
  const real rows_from_H2O_62 = fma(c_46, w_e_OH, rows_from_H2O_47);
  const real rows_from_H2O_63 = fma(c_46, w_e2_OH, rows_from_H2O_48);
  const real c_47 = all(h2o2_viscosity_real_bank[46]);
  const real rows_from_H2O_64 = fma(c_47, w_OH, rows_from_H2O_49);
  const real rows_from_H2O_65 = fma(c_47, w_e_OH, rows_from_H2O_50);
  const real rows_from_H2O_66 = fma(c_47, w_e2_OH, rows_from_H2O_51);
  const real c_48 = all(h2o2_viscosity_real_bank[53]);
  const real rows_from_H2O_67 = fma(c_48, w_OH, rows_from_H2O_52);
  const real rows_from_H2O_68 = fma(c_48, w_e_OH, rows_from_H2O_53);
  const real rows_from_H2O_69 = fma(c_48, w_e2_OH, rows_from_H2O_54);
  const real c_49 = all(h2o2_viscosity_real_bank[54]);
  const real rows_from_H2O_70 = fma(c_49, w_OH, rows_from_H2O_55);
  const real rows_from_H2O_71 = fma(c_49, w_e_OH, rows_from_H2O_56);
  const real rows_from_H2O_72 = fma(c_49, w_e2_OH, rows_from_H2O_57);
  const real c_50 = all(h2o2_viscosity_real_bank[55]);
  const real rows_from_H2O_73 = fma(c_50, w_OH, rows_from_H2O_58);
  const real rows_from_H2O_74 = fma(c_50, w_e_OH, rows_from_H2O_59);
  const real rows_from_H2O_75 = fma(c_50, w_e2_OH, rows_from_H2O_60);
  // species from H2O
  const real field_7 = load(mole_fractions + 5 * in_stride);
  const real w_H2O = positive(field_7) * h2o2_viscosity_real_bank[56];
  const real t_19 = fma(fma(all(h2o2_viscosity_real_bank[57]), ln_t, all(h2o2_viscosity_real_bank[58])), ln_t, all(h2o2_viscosity_real_bank[59]));
  const real e_H2O = singe_exp2_within(fma(t_19, ln_t, all(h2o2_viscosity_real_bank[60])));
  const real t_20 = fma(fma(all(h2o2_viscosity_real_bank[61]), ln_t, all(h2o2_viscosity_real_bank[62])), ln_t, all(h2o2_viscosity_real_bank[63]));
  const real e_HO2 = singe_exp2_within(fma(t_20, ln_t, all(h2o2_viscosity_real_bank[64])));
  const real t_21 = fma(fma(all(h2o2_viscosity_real_bank[65]), ln_t, all(h2o2_viscosity_real_bank[66])), ln_t, all(h2o2_viscosity_real_bank[67]));
  const real e_H2O2 = singe_exp2_within(fma(t_21, ln_t, all(h2o2_viscosity_real_bank[68])));
  const real t_22 = fma(fma(all(h2o2_viscosity_real_bank[69]), ln_t, all(h2o2_viscosity_real_bank[70])), ln_t, all(h2o2_viscosity_real_bank[71]));
  const real e_AR = singe_exp2_within(fma(t_22, ln_t, all(h2o2_viscosity_real_bank[72])));
  const real t_23 = fma(fma(all(h2o2_viscosity_real_bank[73]), ln_t, all(h2o2_viscosity_real_bank[74])), ln_t, all(h2o2_viscosity_real_bank[75]));
  const real e_N2 = singe_exp2_within(fma(t_23, ln_t, all(h2o2_viscosity_real_bank[76])));
  const real t_24 = e_H2O * e_HO2;
  const real t_25 = t_24 * e_H2O2;
  const real t_26 = t_25 * e_AR;
  const real t_27 = 1.0 / (t_26 * e_N2);
  const real t_28 = t_27 * e_N2;
  const real t_29 = t_28 * e_AR;
  const real t_30 = t_29 * e_H2O2;
  const real t_31 = t_30 * e_HO2;
  const real w_e_H2O = w_H2O * t_31;
  const real w_e2_H2O = w_e_H2O * t_31;
  const real field_8 = load(mole_fractions + 6 * in_stride);
  const real w_HO2 = positive(field_8) * h2o2_viscosity_real_bank[77];
  const real t_32 = t_30 * e_H2O;
  const real w_e_HO2 = w_HO2 * t_32;
  const real w_e2_HO2 = w_e_HO2 * t_32;
  const real field_9 = load(mole_fractions + 7 * in_stride);
  const real w_H2O2 = positive(field_9) * h2o2_viscosity_real_bank[78];
  const real t_33 = t_29 * t_24;
  const real w_e_H2O2 = w_H2O2 * t_33;
  const real w_e2_H2O2 = w_e_H2O2 * t_33;
  const real field_10 = load(mole_fractions + 8 * in_stride);
  const real w_AR = positive(field_10) * h2o2_viscosity_real_bank[79];
  const real t_34 = t_28 * t_25;
  const real w_e_AR = w_AR * t_34;
  const real w_e2_AR = w_e_AR * t_34;
  const real field_11 = load(mole_fractions + 9 * in_stride);
  const real w_N2 = positive(field_11) * h2o2_viscosity_real_bank[80];
  const real t_35 = t_27 * t_26;
  const real w_e_N2 = w_N2 * t_35;
  const real w_e2_N2 = w_e_N2 * t_35;
  // rows from H2
  const real c_51 = all(h2o2_viscosity_real_bank[38]);
  const real rows_from_H2_76 = fma(c_51, w_H2O, rows_from_H2_61);
  const real rows_from_H2_77 = fma(c_51, w_e_H2O, rows_from_H2_62);
  const real rows_from_H2_78 = fma(c_51, w_e2_H2O, rows_from_H2_63);
  const real c_52 = all(h2o2_viscosity_real_bank[43]);
  const real rows_from_H2_79 = fma(c_52, w_H2O, rows_from_H2_64);
  const real rows_from_H2_80 = fma(c_52, w_e_H2O, rows_from_H2_65);
  const real rows_from_H2_81 = fma(c_52, w_e2_H2O, rows_from_H2_66);
  const real c_53 = all(h2o2_viscosity_real_bank[29]);
  const real rows_from_H2_82 = fma(c_53, w_H2O, rows_from_H2_67);
  const real rows_from_H2_83 = fma(c_53, w_e_H2O, rows_from_H2_68);
  const real rows_from_H2_84 = fma(c_53, w_e2_H2O, rows_from_H2_69);
  const real c_54 = all(h2o2_viscosity_real_bank[46]);
  const real rows_from_H2_85 = fma(c_54, w_H2O, rows_from_H2_70);
  const real rows_from_H2_86 = fma(c_54, w_e_H2O, rows_from_H2_71);
  const real rows_from_H2_87 = fma(c_54, w_e2_H2O, rows_from_H2_72);
  const real c_55 = all(h2o2_viscosity_real_bank[39]);
  const real rows_from_H2_88 = fma(c_55, w_H2O, rows_from_H2_73);
  const real rows_from_H2_89 = fma(c_55, w_e_H2O, rows_from_H2_74);
  const real rows_from_H2_90 = fma(c_55, w_e2_H2O, rows_from_H2_75);
  // rows from H2O
  const real c_56 = all(h2o2_viscosity_real_bank[40]);
  const real rows_from_H2O_76 = fma(c_56, w_H2O, rows_from_H2O_61);
  const real rows_from_H2O_77 = fma(c_56, w_e_H2O, rows_from_H2O_62);
  const real rows_from_H2O_78 = fma(c_56, w_e2_H2O, rows_from_H2O_63);
  const real c_57 = all(h2o2_viscosity_real_bank[53]);
  const real rows_from_H2O_79 = fma(c_57, w_H2O, rows_from_H2O_64);
  const real rows_from_H2O_80 = fma(c_57, w_e_H2O, rows_from_H2O_65);
  const real rows_from_H2O_81 = fma(c_57, w_e2_H2O, rows_from_H2O_66);
  const real c_58 = all(h2o2_viscosity_real_bank[81]);
  const real rows_from_H2O_82 = fma(c_58, w_H2O, rows_from_H2O_67);
  const real rows_from_H2O_83 = fma(c_58, w_e_H2O, rows_from_H2O_68);
  const real rows_from_H2O_84 = fma(c_58, w_e2_H2O, rows_from_H2O_69);
  const real c_59 = all(h2o2_viscosity_real_bank[82]);
  const real rows_from_H2O_85 = fma(c_59, w_H2O, rows_from_H2O_70);
  const real rows_from_H2O_86 = fma(c_59, w_e_H2O, rows_from_H2O_71);
  const real rows_from_H2O_87 = fma(c_59, w_e2_H2O, rows_from_H2O_72);
  const real c_60 = all(h2o2_viscosity_real_bank[83]);
  const real rows_from_H2O_88 = fma(c_60, w_H2O, rows_from_H2O_73);
  const real rows_from_H2O_89 = fma(c_60, w_e_H2O, rows_from_H2O_74);
  const real rows_from_H2O_90 = fma(c_60, w_e2_H2O, rows_from_H2O_75);
  // rows from H2
  const real c_61 = all(h2o2_viscosity_real_bank[39]);
  const real rows_from_H2_91 = fma(c_61, w_HO2, rows_from_H2_76);
  const real rows_from_H2_92 = fma(c_61, w_e_HO2, rows_from_H2_77);
  const real rows_from_H2_93 = fma(c_61, w_e2_HO2, rows_from_H2_78);
  const real c_62 = all(h2o2_viscosity_real_bank[29]);
  const real rows_from_H2_94 = fma(c_62, w_HO2, rows_from_H2_79);
  const real rows_from_H2_95 = fma(c_62, w_e_HO2, rows_from_H2_80);
  const real rows_from_H2_96 = fma(c_62, w_e2_HO2, rows_from_H2_81);
  const real c_63 = all(h2o2_viscosity_real_bank[37]);
  const real rows_from_H2_97 = fma(c_63, w_HO2, rows_from_H2_82);
  const real rows_from_H2_98 = fma(c_63, w_e_HO2, rows_from_H2_83);
  const real rows_from_H2_99 = fma(c_63, w_e2_HO2, rows_from_H2_84);
  const real c_64 = all(h2o2_viscosity_real_bank[49]);
  const real rows_from_H2_100 = fma(c_64, w_HO2, rows_from_H2_85);
  const real rows_from_H2_101 = fma(c_64, w_e_HO2, rows_from_H2_86);
  const real rows_from_H2_102 = fma(c_64, w_e2_HO2, rows_from_H2_87);
  const real c_65 = all(h2o2_viscosity_real_bank[46]);
  const real rows_from_H2_103 = fma(c_65, w_HO2, rows_from_H2_88);
  const real rows_from_H2_104 = fma(c_65, w_e_HO2, rows_from_H2_89);
  const real rows_from_H2_105 = fma(c_65, w_e2_HO2, rows_from_H2_90);
  // rows from H2O
  const real c_66 = all(h2o2_viscosity_real_bank[53]);
  const real rows_from_H2O_91 = fma(c_66, w_HO2, rows_from_H2O_76);
  const real rows_from_H2O_92 = fma(c_66, w_e_HO2, rows_from_H2O_77);
  const real rows_from_H2O_93 = fma(c_66, w_e2_HO2, rows_from_H2O_78);
  const real c_67 = all(h2o2_viscosity_real_bank[50]);
  const real rows_from_H2O_94 = fma(c_67, w_HO2, rows_from_H2O_79);
  const real rows_from_H2O_95 = fma(c_67, w_e_HO2, rows_from_H2O_80);
  const real rows_from_H2O_96 = fma(c_67, w_e2_HO2, rows_from_H2O_81);
  const real c_68 = all(h2o2_viscosity_real_bank[84]);
  const real rows_from_H2O_97 = fma(c_68, w_HO2, rows_from_H2O_82);
  const real rows_from_H2O_98 = fma(c_68, w_e_HO2, rows_from_H2O_83);
  const real rows_from_H2O_99 = fma(c_68, w_e2_HO2, rows_from_H2O_84);
  const real c_69 = all(h2o2_viscosity_real_bank[85]);
  const real rows_from_H2O_100 = fma(c_69, w_HO2, rows_from_H2O_85);
  const real rows_from_H2O_101 = fma(c_69, w_e_HO2, rows_from_H2O_86);
  const real rows_from_H2O_102 = fma(c_69, w_e2_HO2, rows_from_H2O_87);
  const real c_70 = all(h2o2_viscosity_real_bank[86]);
  const real rows_from_H2O_103 = fma(c_70, w_HO2, rows_from_H2O_88);
  const real rows_from_H2O_104 = fma(c_70, w_e_HO2, rows_from_H2O_89);
  const real rows_from_H2O_105 = fma(c_70, w_e2_HO2, rows_from_H2O_90);
  // rows from H2
  const real c_71 = all(h2o2_viscosity_real_bank[40]);
  const real rows_from_H2_106 = fma(c_71, w_H2O2, rows_from_H2_91);
  const real rows_from_H2_107 = fma(c_71, w_e_H2O2, rows_from_H2_92);
  const real rows_from_H2_108 = fma(c_71, w_e2_H2O2, rows_from_H2_93);
  const real c_72 = all(h2o2_viscosity_real_bank[39]);
  const real rows_from_H2_109 = fma(c_72, w_H2O2, rows_from_H2_94);
  const real rows_from_H2_110 = fma(c_72, w_e_H2O2, rows_from_H2_95);
  const real rows_from_H2_111 = fma(c_72, w_e2_H2O2, rows_from_H2_96);
  const real c_73 = all(h2o2_viscosity_real_bank[46]);
  const real rows_from_H2_112 = fma(c_73, w_H2O2, rows_from_H2_97);
  const real rows_from_H2_113 = fma(c_73, w_e_H2O2, rows_from_H2_98);
  const real rows_from_H2_114 = fma(c_73, w_e2_H2O2, rows_from_H2_99);
  const real c_74 = all(h2o2_viscosity_real_bank[50]);
  const real rows_from_H2_115 = fma(c_74, w_H2O2, rows_from_H2_100);
  const real rows_from_H2_116 = fma(c_74, w_e_H2O2, rows_from_H2_101);
  const real rows_from_H2_117 = fma(c_74, w_e2_H2O2, rows_from_H2_102);
  const real c_75 = all(h2o2_viscosity_real_bank[53]);
  const real rows_from_H2_118 = fma(c_75, w_H2O2, rows_from_H2_103);
  const real rows_from_H2_119 = fma(c_75, w_e_H2O2, rows_from_H2_104);
  const real rows_from_H2_120 = fma(c_75, w_e2_H2O2, rows_from_H2_105);
  // rows from H2O
  const real c_76 = all(h2o2_viscosity_real_bank[81]);
  const real rows_from_H2O_106 = fma(c_76, w_H2O2, rows_from_H2O_91);
  const real rows_from_H2O_107 = fma(c_76, w_e_H2O2, rows_from_H2O_92);
  const real rows_from_H2O_108 = fma(c_76, w_e2_H2O2, rows_from_H2O_93);
  const real c_77 = all(h2o2_viscosity_real_bank[84]);
  const real rows_from_H2O_109 = fma(c_77, w_H2O2, rows_from_H2O_94);
  const real rows_from_H2O_110 = fma(c_77, w_e_H2O2, rows_from_H2O_95);
  const real rows_from_H2O_111 = fma(c_77, w_e2_H2O2, rows_from_H2O_96);
  const real c_78 = all(h2o2_viscosity_real_bank[87]);
  const real rows_from_H2O_112 = fma(c_78, w_H2O2, rows_from_H2O_97);
  const real rows_from_H2O_113 = fma(c_78, w_e_H2O2, rows_from_H2O_98);
  const real rows_from_H2O_114 = fma(c_78, w_e2_H2O2, rows_from_H2O_99);
  const real c_79 = all(h2o2_viscosity_real_bank[88]);
  const real rows_from_H2O_115 = fma(c_79, w_H2O2, rows_from_H2O_100);
  const real rows_from_H2O_116 = fma(c_79, w_e_H2O2, rows_from_H2O_101);
  const real rows_from_H2O_117 = fma(c_79, w_e2_H2O2, rows_from_H2O_102);
  const real c_80 = all(h2o2_viscosity_real_bank[89]);
  const real rows_from_H2O_118 = fma(c_80, w_H2O2, rows_from_H2O_103);
  const real rows_from_H2O_119 = fma(c_80, w_e_H2O2, rows_from_H2O_104);
  const real rows_from_H2O_120 = fma(c_80, w_e2_H2O2, rows_from_H2O_105);
  // rows from H2
  const real c_81 = all(h2o2_viscosity_real_bank[41]);
  const real rows_from_H2_121 = fma(c_81, w_AR, rows_from_H2_106);
  const real rows_from_H2_122 = fma(c_81, w_e_AR, rows_from_H2_107);
  const real rows_from_H2_123 = fma(c_81, w_e2_AR, rows_from_H2_108);
  const real c_82 = all(h2o2_viscosity_real_bank[44]);
  const real rows_from_H2_124 = fma(c_82, w_AR, rows_from_H2_109);
  const real rows_from_H2_125 = fma(c_82, w_e_AR, rows_from_H2_110);
  const real rows_from_H2_126 = fma(c_82, w_e2_AR, rows_from_H2_111);
  const real c_83 = all(h2o2_viscosity_real_bank[47]);
  const real rows_from_H2_127 = fma(c_83, w_AR, rows_from_H2_112);
  const real rows_from_H2_128 = fma(c_83, w_e_AR, rows_from_H2_113);
  const real rows_from_H2_129 = fma(c_83, w_e2_AR, rows_from_H2_114);
  const real c_84 = all(h2o2_viscosity_real_bank[51]);
  const real rows_from_H2_130 = fma(c_84, w_AR, rows_from_H2_115);
  const real rows_from_H2_131 = fma(c_84, w_e_AR, rows_from_H2_116);
  const real rows_from_H2_132 = fma(c_84, w_e2_AR, rows_from_H2_117);
  const real c_85 = all(h2o2_viscosity_real_bank[54]);
  const real rows_from_H2_133 = fma(c_85, w_AR, rows_from_H2_118);
  const real rows_from_H2_134 = fma(c_85, w_e_AR, rows_from_H2_119);
  const real rows_from_H2_135 = fma(c_85, w_e2_AR, rows_from_H2_120);
  // rows from H2O
  const real c_86 = all(h2o2_viscosity_real_bank[82]);
  const real rows_from_H2O_121 = fma(c_86, w_AR, rows_from_H2O_106);
  const real rows_from_H2O_122 = fma(c_86, w_e_AR, rows_from_H2O_107);
  const real rows_from_H2O_123 = fma(c_86, w_e2_AR, rows_from_H2O_108);
  const real c_87 = all(h2o2_viscosity_real_bank[85]);
  const real rows_from_H2O_124 = fma(c_87, w_AR, rows_from_H2O_109);
  const real rows_from_H2O_125 = fma(c_87, w_e_AR, rows_from_H2O_110);
  const real rows_from_H2O_126 = fma(c_87, w_e2_AR, rows_from_H2O_111);
  const real c_88 = all(h2o2_viscosity_real_bank[88]);
  const real rows_from_H2O_127 = fma(c_88, w_AR, rows_from_H2O_112);
  const real rows_from_H2O_128 = fma(c_88, w_e_AR, rows_from_H2O_113);
  const real rows_from_H2O_129 = fma(c_88, w_e2_AR, rows_from_H2O_114);
  const real c_89 = all(h2o2_viscosity_real_bank[90]);
  const real rows_from_H2O_130 = fma(c_89, w_AR, rows_from_H2O_115);
  const real rows_from_H2O_131 = fma(c_89, w_e_AR, rows_from_H2O_116);
  const real rows_from_H2O_132 = fma(c_89, w_e2_AR, rows_from_H2O_117);
  const real c_90 = all(h2o2_viscosity_real_bank[91]);
  const real rows_from_H2O_133 = fma(c_90, w_AR, rows_from_H2O_118);
  const real rows_from_H2O_134 = fma(c_90, w_e_AR, rows_from_H2O_119);
  const real rows_from_H2O_135 = fma(c_90, w_e2_AR, rows_from_H2O_120);
  // rows from H2
  const real c_91 = all(h2o2_viscosity_real_bank[42]);
  const real rows_from_H2_136 = fma(c_91, w_N2, rows_from_H2_121);
  const real rows_from_H2_137 = fma(c_91, w_e_N2, rows_from_H2_122);
  const real rows_from_H2_138 = fma(c_91, w_e2_N2, rows_from_H2_123);
  const real c_92 = all(h2o2_viscosity_real_bank[45]);
  const real rows_from_H2_139 = fma(c_92, w_N2, rows_from_H2_124);
  const real rows_from_H2_140 = fma(c_92, w_e_N2, rows_from_H2_125);
  const real rows_from_H2_141 = fma(c_92, w_e2_N2, rows_from_H2_126);
  const real c_93 = all(h2o2_viscosity_real_bank[48]);
  const real rows_from_H2_142 = fma(c_93, w_N2, rows_from_H2_127);
  const real rows_from_H2_143 = fma(c_93, w_e_N2, rows_from_H2_128);
  const real rows_from_H2_144 = fma(c_93, w_e2_N2, rows_from_H2_129);
  const real c_94 = all(h2o2_viscosity_real_bank[52]);
  const real rows_from_H2_145 = fma(c_94, w_N2, rows_from_H2_130);
  const real rows_from_H2_146 = fma(c_94, w_e_N2, rows_from_H2_131);
  const real rows_from_H2_147 = fma(c_94, w_e2_N2, rows_from_H2_132);
  const real c_95 = all(h2o2_viscosity_real_bank[55]);
  const real rows_from_H2_148 = fma(c_95, w_N2, rows_from_H2_133);
  const real rows_from_H2_149 = fma(c_95, w_e_N2, rows_from_H2_134);
  const real rows_from_H2_150 = fma(c_95, w_e2_N2, rows_from_H2_135);
  const real t_36 = rows_from_H2_137 + rows_from_H2_137;
  const real t_37 = rows_from_H2_140 + rows_from_H2_140;
  const real t_38 = rows_from_H2_143 + rows_from_H2_143;
  const real t_39 = rows_from_H2_146 + rows_from_H2_146;
  const real t_40 = rows_from_H2_149 + rows_from_H2_149;
  const real t_41 = fma(e_H2, fma(e_H2, rows_from_H2_138, t_36), rows_from_H2_136);
  const real field_12 = load(mole_fractions + 0 * in_stride);
  const real t_42 = e_H2 * e_H2;
  const real t_43 = positive(field_12) * h2o2_viscosity_real_bank[1] * t_42;
  const real t_44 = fma(e_H, fma(e_H, rows_from_H2_141, t_37), rows_from_H2_139);
  const real field_13 = load(mole_fractions + 1 * in_stride);
  const real t_45 = e_H * e_H;
  const real t_46 = fma(t_43, t_44, positive(field_13) * h2o2_viscosity_real_bank[22] * t_45 * t_41);
  const real t_47 = t_41 * t_44;
  const real t_48 = fma(e_O, fma(e_O, rows_from_H2_144, t_38), rows_from_H2_142);
  const real field_14 = load(mole_fractions + 2 * in_stride);
  const real t_49 = e_O * e_O;
  const real t_50 = fma(t_46, t_48, positive(field_14) * h2o2_viscosity_real_bank[23] * t_49 * t_47);
  const real t_51 = t_47 * t_48;
  const real t_52 = fma(e_O2, fma(e_O2, rows_from_H2_147, t_39), rows_from_H2_145);
  const real field_15 = load(mole_fractions + 3 * in_stride);
  const real t_53 = e_O2 * e_O2;
  const real t_54 = fma(t_50, t_52, positive(field_15) * h2o2_viscosity_real_bank[24] * t_53 * t_51);
  const real t_55 = t_51 * t_52;
  const real t_56 = fma(e_OH, fma(e_OH, rows_from_H2_150, t_40), rows_from_H2_148);
  const real field_16 = load(mole_fractions + 4 * in_stride);
  const real t_57 = e_OH * e_OH;
  const real t_58 = fma(t_54, t_56, positive(field_16) * h2o2_viscosity_real_bank[25] * t_57 * t_55);
  const real share_of_rows_from_H2 = t_58 / (t_55 * t_56);
  // rows from H2O
  const real c_96 = all(h2o2_viscosity_real_bank[83]);
  const real rows_from_H2O_136 = fma(c_96, w_N2, rows_from_H2O_121);
  const real rows_from_H2O_137 = fma(c_96, w_e_N2, rows_from_H2O_122);
  const real rows_from_H2O_138 = fma(c_96, w_e2_N2, rows_from_H2O_123);
  const real c_97 = all(h2o2_viscosity_real_bank[86]);
  const real rows_from_H2O_139 = fma(c_97, w_N2, rows_from_H2O_124);
  const real rows_from_H2O_140 = fma(c_97, w_e_N2, rows_from_H2O_125);
  const real rows_from_H2O_141 = fma(c_97, w_e2_N2, rows_from_H2O_126);
  const real c_98 = all(h2o2_viscosity_real_bank[89]);
  const real rows_from_H2O_142 = fma(c_98, w_N2, rows_from_H2O_127);
  const real rows_from_H2O_143 = fma(c_98, w_e_N2, rows_from_H2O_128);
  const real rows_from_H2O_144 = fma(c_98, w_e2_N2, rows_from_H2O_129);
  const real c_99 = all(h2o2_viscosity_real_bank[91]);
  const real rows_from_H2O_145 = fma(c_99, w_N2, rows_from_H2O_130);
  const real rows_from_H2O_146 = fma(c_99, w_e_N2, rows_from_H2O_131);
  const real rows_from_H2O_147 = fma(c_99, w_e2_N2, rows_from_H2O_132);
  const real c_100 = all(h2o2_viscosity_real_bank[92]);
  const real rows_from_H2O_148 = fma(c_100, w_N2, rows_from_H2O_133);
  const real rows_from_H2O_149 = fma(c_100, w_e_N2, rows_from_H2O_134);
  const real rows_from_H2O_150 = fma(c_100, w_e2_N2, rows_from_H2O_135);
  const real t_59 = rows_from_H2O_137 + rows_from_H2O_137;
  const real t_60 = rows_from_H2O_140 + rows_from_H2O_140;
  const real t_61 = rows_from_H2O_143 + rows_from_H2O_143;
  const real t_62 = rows_from_H2O_146 + rows_from_H2O_146;
  const real t_63 = rows_from_H2O_149 + rows_from_H2O_149;
  const real t_64 = fma(e_H2O, fma(e_H2O, rows_from_H2O_138, t_59), rows_from_H2O_136);
  const real field_17 = load(mole_fractions + 5 * in_stride);
  const real t_65 = e_H2O * e_H2O;
  const real t_66 = positive(field_17) * h2o2_viscosity_real_bank[56] * t_65;
  const real t_67 = fma(e_HO2, fma(e_HO2, rows_from_H2O_141, t_60), rows_from_H2O_139);
  const real field_18 = load(mole_fractions + 6 * in_stride);
  const real t_68 = e_HO2 * e_HO2;
  const real t_69 = fma(t_66, t_67, positive(field_18) * h2o2_viscosity_real_bank[77] * t_68 * t_64);
  const real t_70 = t_64 * t_67;
  const real t_71 = fma(e_H2O2, fma(e_H2O2, rows_from_H2O_144, t_61), rows_from_H2O_142);
  const real field_19 = load(mole_fractions + 7 * in_stride);
  const real t_72 = e_H2O2 * e_H2O2;
  const real t_73 = fma(t_69, t_71, positive(field_19) * h2o2_viscosity_real_bank[78] * t_72 * t_70);
  const real t_74 = t_70 * t_71;
  const real t_75 = fma(e_AR, fma(e_AR, rows_from_H2O_147, t_62), rows_from_H2O_145);
  const real field_20 = load(mole_fractions + 8 * in_stride);
  const real t_76 = e_AR * e_AR;
  const real t_77 = fma(t_73, t_75, positive(field_20) * h2o2_viscosity_real_bank[79] * t_76 * t_74);
  const real t_78 = t_74 * t_75;
  const real t_79 = fma(e_N2, fma(e_N2, rows_from_H2O_150, t_63), rows_from_H2O_148);
  const real field_21 = load(mole_fractions + 9 * in_stride);
  const real t_80 = e_N2 * e_N2;
  const real t_81 = fma(t_77, t_79, positive(field_21) * h2o2_viscosity_real_bank[80] * t_80 * t_78);
  // mixture
  const real mixture = t_81 / (t_78 * t_79) + share_of_rows_from_H2;
  store(viscosity + 0 * out_stride, fma(mixture, all(h2o2_viscosity_real_bank[93]), ln_t - ln_t));
}

} // namespace h2o2_device

#if defined(__FAST_MATH__) && defined(__clang__)
#pragma float_control(pop)
#elif defined(__FAST_MATH__) && defined(__GNUC__)
#pragma GCC pop_options
#endif

#endif
