// Kernels of gri30, made by singe 0.1.0
//
// command     singe mechanisms/gri30/chem.inp --warps 8 --target kepler --codegen overlay --emit cuda,picture --compilers off
// input       mechanisms/gri30/chem.inp sha256 c44043e30d74e609c5d3615146fe0bb563ee2d4df99d2e60a48092fa5edda871
// input       mechanisms/gri30/therm.dat sha256 bb9637ea52f0ab3cf9e91ccb3c60c80f66b99342f276ed2d7175d519c6bc812b
// input       mechanisms/gri30/tran.dat sha256 e3695b982e4dc3f4aeb8c41f3b76a8de6c9945bc8345b91e7e004c79fbdc44e8

#ifndef SINGE_GRI30_H
#define SINGE_GRI30_H

// What this project was made with, from and for.
#define GRI30_VERSION "0.1.0"
#define GRI30_SPECIES_COUNT 53
#define GRI30_REACTION_COUNT 325
#define GRI30_UNITS "si"
#define GRI30_UNITS_ARE_SI 1
#define GRI30_TARGET "kepler"
#define GRI30_COMPUTE_CAPABILITY 35

#ifdef __cplusplus
extern "C" {
#endif

#ifndef SINGE_STATUS
#define SINGE_STATUS
// What the functions below return; a positive value is a cudaError_t.
enum singe_status {
  // success
  SINGE_SUCCESS = 0,
  // the context or an array is a null pointer
  SINGE_NULL_POINTER = -1,
  // the number of points is negative
  SINGE_INVALID_POINTS = -2,
  // the stride is below the number of points
  SINGE_INVALID_STRIDE = -3,
  // the context was made for another device than the current one
  SINGE_WRONG_DEVICE = -4,
  // there is no CUDA device, or its driver is absent or too old
  SINGE_NO_DEVICE = -5,
  // the kernels were not compiled for this device, or a CTA needs more of it than it has
  SINGE_UNSUPPORTED_DEVICE = -6,
  // out of memory
  SINGE_OUT_OF_MEMORY = -7
};
#endif

// cudaStream_t is a pointer to this.
struct CUstream_st;

// Species in the order of the rows of species arrays.
enum gri30_species {
  GRI30_H2 = 0,
  GRI30_H = 1,
  GRI30_O = 2,
  GRI30_O2 = 3,
  GRI30_OH = 4,
  GRI30_H2O = 5,
  GRI30_HO2 = 6,
  GRI30_H2O2 = 7,
  GRI30_C = 8,
  GRI30_CH = 9,
  GRI30_CH2 = 10,
  GRI30_CH2_S = 11, // CH2(S)
  GRI30_CH3 = 12,
  GRI30_CH4 = 13,
  GRI30_CO = 14,
  GRI30_CO2 = 15,
  GRI30_HCO = 16,
  GRI30_CH2O = 17,
  GRI30_CH2OH = 18,
  GRI30_CH3O = 19,
  GRI30_CH3OH = 20,
  GRI30_C2H = 21,
  GRI30_C2H2 = 22,
  GRI30_C2H3 = 23,
  GRI30_C2H4 = 24,
  GRI30_C2H5 = 25,
  GRI30_C2H6 = 26,
  GRI30_HCCO = 27,
  GRI30_CH2CO = 28,
  GRI30_HCCOH = 29,
  GRI30_N = 30,
  GRI30_NH = 31,
  GRI30_NH2 = 32,
  GRI30_NH3 = 33,
  GRI30_NNH = 34,
  GRI30_NO = 35,
  GRI30_NO2 = 36,
  GRI30_N2O = 37,
  GRI30_HNO = 38,
  GRI30_CN = 39,
  GRI30_HCN = 40,
  GRI30_H2CN = 41,
  GRI30_HCNN = 42,
  GRI30_HCNO = 43,
  GRI30_HOCN = 44,
  GRI30_HNCO = 45,
  GRI30_NCO = 46,
  GRI30_N2 = 47,
  GRI30_AR = 48,
  GRI30_C3H7 = 49,
  GRI30_C3H8 = 50,
  GRI30_CH2CHO = 51,
  GRI30_CH3CHO = 52,
  GRI30_SPECIES = 53
};

static const char *const gri30_species_names[53] = {
  "H2", "H", "O", "O2", "OH", "H2O", "HO2", "H2O2", "C", "CH", "CH2", "CH2(S)", "CH3", "CH4", "CO", "CO2", "HCO",
  "CH2O", "CH2OH", "CH3O", "CH3OH", "C2H", "C2H2", "C2H3", "C2H4", "C2H5", "C2H6", "HCCO", "CH2CO", "HCCOH", "N", "NH",
  "NH2", "NH3", "NNH", "NO", "NO2", "N2O", "HNO", "CN", "HCN", "H2CN", "HCNN", "HCNO", "HOCN", "HNCO", "NCO", "N2",
  "AR", "C3H7", "C3H8", "CH2CHO", "CH3CHO",
};

// kg/kmol
static const double gri30_molecular_weights[53] = {
  2.016, 1.008, 15.999, 31.998, 17.007, 18.015, 33.006, 34.014, 12.011, 13.018999999999998, 14.027, 14.027, 15.035,
  16.043, 28.009999999999998, 44.009, 29.018, 30.026, 31.034, 31.034, 32.042, 25.029999999999998, 26.037999999999997,
  27.046, 28.054, 29.061999999999998, 30.07, 41.028999999999996, 42.037, 42.037, 14.007, 15.015, 16.023, 17.031, 29.022,
  30.006, 46.005, 44.013, 31.014000000000003, 26.018, 27.025999999999996, 28.034, 41.033, 43.025, 43.025, 43.025,
  42.017, 28.014, 39.95, 43.089, 44.097, 43.045, 44.053,
};

// What the launches know of a device. The constants of the kernels are part of the program and come to the device with
// it; a context holds what is found out once: the device and the CTAs of each kernel that it holds at once. Any number
// of threads and streams may share a context.
struct gri30_context {
  int device;
  int multiprocessors;
  int viscosity_ctas;
  int conductivity_ctas;
  int diffusion_ctas;
  int chemistry_ctas;
};

// Makes a context for the current device, and brings the kernels there; null when it fails.
int gri30_context_create(struct gri30_context **context);

// Frees a context, or does nothing with a null pointer.
int gri30_context_destroy(struct gri30_context *context);

// A status in words; the text need not be freed.
const char *gri30_status_text(int status);

// All arrays are in device memory and field-major: field r of point p is at array[r * stride + p],
// 0 <= p < points <= stride.
// Launches return at once; the work is ordered on the stream. With 0 points nothing is done, and arrays may be null.
// Units: SI with kmol.

// Viscosity of the mixture (Wilke).
//   exact to rounding
//   in  temperature[1][stride]: temperature, K
//   in  pressure[1][stride]: pressure, Pa
//   in  mole_fractions[53][stride]: mole fraction of each species, 1
//   out viscosity[1][stride]: viscosity of the mixture, Pa s
int gri30_viscosity_launch(const struct gri30_context *context, const double *temperature, const double *pressure,
    const double *mole_fractions, double *viscosity, int points, int stride, struct CUstream_st *stream);

// Thermal conductivity of the mixture (Mathur et al.).
//   exact to rounding; proven to stay in the range of doubles from 200 to 4000 K
//   in  temperature[1][stride]: temperature, K
//   in  pressure[1][stride]: pressure, Pa
//   in  mole_fractions[53][stride]: mole fraction of each species, 1
//   out conductivity[1][stride]: thermal conductivity of the mixture, W/m/K
int gri30_conductivity_launch(const struct gri30_context *context, const double *temperature, const double *pressure,
    const double *mole_fractions, double *conductivity, int points, int stride, struct CUstream_st *stream);

// Mixture-averaged diffusion coefficient of each species.
//   relative error at most 8.6e-5 from 200 to 4000 K, rounding aside
//   in  temperature[1][stride]: temperature, K
//   in  pressure[1][stride]: pressure, Pa
//   in  mole_fractions[53][stride]: mole fraction of each species, 1
//   out diffusion[53][stride]: diffusion coefficient of each species into the mixture, m^2/s
int gri30_diffusion_launch(const struct gri30_context *context, const double *temperature, const double *pressure,
    const double *mole_fractions, double *diffusion, int points, int stride, struct CUstream_st *stream);

// Net molar production rate of each species.
//   exact to rounding; proven to stay in the range of doubles from 200 to 4000 K
//   in  temperature[1][stride]: temperature, K
//   in  pressure[1][stride]: pressure, Pa
//   in  mole_fractions[53][stride]: mole fraction of each species, 1
//   out production_rates[53][stride]: net production rate of each species, kmol/m^3/s
int gri30_chemistry_launch(const struct gri30_context *context, const double *temperature, const double *pressure,
    const double *mole_fractions, double *production_rates, int points, int stride, struct CUstream_st *stream);

#ifdef __cplusplus
}
#endif

#endif
