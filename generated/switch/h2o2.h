// Kernels of h2o2, made by singe 0.2.0
//
// command     singe mechanisms/h2o2/chem.inp --kernel viscosity --warps 4 --target hopper --codegen switch --emit cuda --verify no-compilers
// input       mechanisms/h2o2/chem.inp sha256 b672951e65e781496dc3dbac71cc1188a40605a11f20f8f00b734de95f70ecc7
// input       mechanisms/h2o2/therm.dat sha256 c0e83a2f1255ee15ce3ffdf5db49e1813d580f7632d8b60c80df5cc9023ad45b
// input       mechanisms/h2o2/tran.dat sha256 377ed79c9f704d6c49a316134f171ad180a1cfde27eadec992dce85edf624272

#ifndef SINGE_H2O2_H
#define SINGE_H2O2_H

// What this project was made with, from and for.
#define H2O2_VERSION "0.2.0"
#define H2O2_ABI 210740436
#define H2O2_SPECIES_COUNT 10
#define H2O2_REACTION_COUNT 29
#define H2O2_UNITS "si"
#define H2O2_UNITS_ARE_SI 1
#define H2O2_TARGET "hopper"
#define H2O2_GAS_CONSTANT 8314.46261815324
#define H2O2_REFERENCE_PRESSURE 101325.0
#define H2O2_COMPUTE_CAPABILITY 90

#include <stddef.h>

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
  SINGE_OUT_OF_MEMORY = -7,
  // a tolerance or the largest number of steps is not positive, or the first step is negative or not a number
  SINGE_INVALID_OPTIONS = -8,
  // an output shares numbers with an input
  SINGE_OVERLAPPING_ARRAYS = -9,
  // the library is of another mechanism, of other options or of another version of singe than the header or module
  SINGE_OTHER_LIBRARY = -10
};
#endif

// cudaStream_t is a pointer to this.
struct CUstream_st;

// Species in the order of the rows of species arrays.
enum h2o2_species {
  H2O2_H2 = 0,
  H2O2_H = 1,
  H2O2_O = 2,
  H2O2_O2 = 3,
  H2O2_OH = 4,
  H2O2_H2O = 5,
  H2O2_HO2 = 6,
  H2O2_H2O2 = 7,
  H2O2_AR = 8,
  H2O2_N2 = 9,
  H2O2_SPECIES = 10
};

static const char *const h2o2_species_names[10] = {
  "H2", "H", "O", "O2", "OH", "H2O", "HO2", "H2O2", "AR", "N2",
};

// kg/kmol
static const double h2o2_molecular_weights[10] = {
  2.016, 1.008, 15.999, 31.998, 17.007, 18.015, 33.006, 34.014, 39.95, 28.014,
};

// Mole fractions of mass fractions, on the host: field-major as all arrays below, points <= stride.
// The two arrays may be one. Negative fractions stay negative, and a sum other than 1 counts.
static inline void h2o2_mole_from_mass(const double *mass_fractions, double *mole_fractions, int points, int stride)
{
  for (int p = 0; p < points; ++p) {
    double amount = 0.0;
    for (int k = 0; k < 10; ++k) amount += mass_fractions[(size_t)k * stride + p] / h2o2_molecular_weights[k];
    for (int k = 0; k < 10; ++k) {
      mole_fractions[(size_t)k * stride + p] = mass_fractions[(size_t)k * stride + p] / h2o2_molecular_weights[k] /
          amount;
    }
  }
}

// Mass fractions of mole fractions likewise.
static inline void h2o2_mass_from_mole(const double *mole_fractions, double *mass_fractions, int points, int stride)
{
  for (int p = 0; p < points; ++p) {
    double mass = 0.0;
    for (int k = 0; k < 10; ++k) mass += mole_fractions[(size_t)k * stride + p] * h2o2_molecular_weights[k];
    for (int k = 0; k < 10; ++k) {
      mass_fractions[(size_t)k * stride + p] = mole_fractions[(size_t)k * stride + p] * h2o2_molecular_weights[k] /
          mass;
    }
  }
}

static const char *const h2o2_element_names[4] = {
  "O", "H", "AR", "N",
};

// Atoms of element e in species k at [4 * k + e]
static const double h2o2_atoms[10 * 4] = {
  0.0, 2.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 2.0, 0.0,
  0.0, 2.0, 1.0, 0.0, 0.0, 2.0, 2.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 2.0,
};

// What the launches know of a device. The constants of the kernels are part of the program and come to the device with
// it; a context holds what is found out once: the device and the CTAs of each kernel that it holds at once. Any number
// of threads and streams may share a context.
struct h2o2_context {
  int device;
  int multiprocessors;
  int viscosity_ctas;
};

// Number of the run of singe that made the library. That of this header is H2O2_ABI.
int h2o2_abi(void);

// Makes a context for the current device, and brings the kernels there; null when it fails.
int h2o2_context_create(struct h2o2_context **context);

// The same, which a program with this header calls: SINGE_OTHER_LIBRARY where the library is of another run.
static inline int h2o2_context_create_checked(struct h2o2_context **context)
{
  if (h2o2_abi() == H2O2_ABI) return h2o2_context_create(context);
  if (context) *context = 0;
  return SINGE_OTHER_LIBRARY;
}
#define h2o2_context_create(context) h2o2_context_create_checked(context)

// Frees a context, or does nothing with a null pointer.
int h2o2_context_destroy(struct h2o2_context *context);

// A status in words; the text need not be freed.
const char *h2o2_status_text(int status);

// All arrays are in device memory and field-major: field r of point p is at array[r * stride + p],
// 0 <= p < points <= stride.
// Launches return at once; the work is ordered on the stream. With 0 points nothing is done, and arrays may be null.
// Outputs are stored while inputs are read: where they share numbers the function returns SINGE_OVERLAPPING_ARRAYS and
//   stores nothing.
// Units: SI with kmol.

// Viscosity of the mixture (Wilke).
//   exact to rounding; transport data fitted from 300 to 3500 K
//   in  temperature[1][stride]: temperature, K
//   in  pressure[1][stride]: pressure, Pa
//   in  mole_fractions[10][stride]: mole fraction of each species, 1
//   out viscosity[1][stride]: viscosity of the mixture, Pa s
int h2o2_viscosity_launch(const struct h2o2_context *context, const double *temperature, const double *pressure,
    const double *mole_fractions, double *viscosity, int points, int stride, struct CUstream_st *stream);

#ifdef __cplusplus
}
#endif

#endif
