// Context of h2o2, made by singe 0.2.0
//
// command     singe mechanisms/h2o2/chem.inp --kernel viscosity --warps 4 --target hopper --codegen switch --emit cuda --verify no-compilers
// input       mechanisms/h2o2/chem.inp sha256 b672951e65e781496dc3dbac71cc1188a40605a11f20f8f00b734de95f70ecc7
// input       mechanisms/h2o2/therm.dat sha256 c0e83a2f1255ee15ce3ffdf5db49e1813d580f7632d8b60c80df5cc9023ad45b
// input       mechanisms/h2o2/tran.dat sha256 377ed79c9f704d6c49a316134f171ad180a1cfde27eadec992dce85edf624272

#include "h2o2.h"
#include <cuda_runtime.h>
#include <stdlib.h>

#if H2O2_ABI != 210740436
#error "h2o2.h is of another run of singe than this file"
#endif
#undef h2o2_context_create

extern "C" int h2o2_viscosity_prepare(int multiprocessors, int *ctas);

// The errors that have a meaning of their own here.
static int status_of(int error)
{
  switch (error) {
  case cudaSuccess:
    return SINGE_SUCCESS;
  case cudaErrorNoDevice:
  case cudaErrorInsufficientDriver:
    return SINGE_NO_DEVICE;
  case cudaErrorInvalidDeviceFunction:
  case cudaErrorNoKernelImageForDevice:
  case cudaErrorLaunchOutOfResources:
    return SINGE_UNSUPPORTED_DEVICE;
  case cudaErrorMemoryAllocation:
    return SINGE_OUT_OF_MEMORY;
  default:
    return error;
  }
}

extern "C" int h2o2_abi(void)
{
  return 210740436;
}

extern "C" int h2o2_context_create(struct h2o2_context **context)
{
  if (!context) return SINGE_NULL_POINTER;
  *context = NULL;
  int devices = 0, device = 0, multiprocessors = 0;
  int error = (int)cudaGetDeviceCount(&devices);
  if (!error) error = (int)cudaGetDevice(&device);
  if (!error) error = (int)cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  if (error) return status_of(error);
  struct h2o2_context *made = (struct h2o2_context *)calloc(1, sizeof *made);
  if (!made) return SINGE_OUT_OF_MEMORY;
  made->device = device;
  made->multiprocessors = multiprocessors;
  if (!error) error = h2o2_viscosity_prepare(multiprocessors, &made->viscosity_ctas);
  if (error) {
    free(made);
    return status_of(error);
  }
  *context = made;
  return SINGE_SUCCESS;
}

extern "C" int h2o2_context_destroy(struct h2o2_context *context)
{
  free(context);
  return SINGE_SUCCESS;
}

extern "C" const char *h2o2_status_text(int status)
{
  switch (status) {
  case SINGE_SUCCESS:
    return "success";
  case SINGE_NULL_POINTER:
    return "the context or an array is a null pointer";
  case SINGE_INVALID_POINTS:
    return "the number of points is negative";
  case SINGE_INVALID_STRIDE:
    return "the stride is below the number of points";
  case SINGE_WRONG_DEVICE:
    return "the context was made for another device than the current one";
  case SINGE_NO_DEVICE:
    return "there is no CUDA device, or its driver is absent or too old";
  case SINGE_UNSUPPORTED_DEVICE:
    return "the kernels were not compiled for this device, or a CTA needs more of it than it has";
  case SINGE_OUT_OF_MEMORY:
    return "out of memory";
  case SINGE_INVALID_OPTIONS:
    return "a tolerance or the largest number of steps is not positive, or the first step is negative or not a number";
  case SINGE_OVERLAPPING_ARRAYS:
    return "an output shares numbers with an input";
  case SINGE_OTHER_LIBRARY:
    return "the library is of another mechanism, of other options or of another version of singe than the header or module";
  default:
    return status > 0 ? cudaGetErrorString((cudaError_t)status) : "unknown status";
  }
}
