// Context of gri30, made by singe 0.1.0
//
// command     singe mechanisms/gri30/chem.inp --warps 8 --target kepler --codegen overlay --emit cuda,picture --compilers off
// input       mechanisms/gri30/chem.inp sha256 c44043e30d74e609c5d3615146fe0bb563ee2d4df99d2e60a48092fa5edda871
// input       mechanisms/gri30/therm.dat sha256 bb9637ea52f0ab3cf9e91ccb3c60c80f66b99342f276ed2d7175d519c6bc812b
// input       mechanisms/gri30/tran.dat sha256 e3695b982e4dc3f4aeb8c41f3b76a8de6c9945bc8345b91e7e004c79fbdc44e8

#include "gri30.h"
#include <cuda_runtime.h>
#include <stdlib.h>

extern "C" int gri30_viscosity_prepare(int multiprocessors, int *ctas);
extern "C" int gri30_conductivity_prepare(int multiprocessors, int *ctas);
extern "C" int gri30_diffusion_prepare(int multiprocessors, int *ctas);
extern "C" int gri30_chemistry_prepare(int multiprocessors, int *ctas);

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

extern "C" int gri30_context_create(struct gri30_context **context)
{
  if (!context) return SINGE_NULL_POINTER;
  *context = NULL;
  int devices = 0, device = 0, multiprocessors = 0;
  int error = (int)cudaGetDeviceCount(&devices);
  if (!error) error = (int)cudaGetDevice(&device);
  if (!error) error = (int)cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  if (error) return status_of(error);
  struct gri30_context *made = (struct gri30_context *)calloc(1, sizeof *made);
  if (!made) return SINGE_OUT_OF_MEMORY;
  made->device = device;
  made->multiprocessors = multiprocessors;
  if (!error) error = gri30_viscosity_prepare(multiprocessors, &made->viscosity_ctas);
  if (!error) error = gri30_conductivity_prepare(multiprocessors, &made->conductivity_ctas);
  if (!error) error = gri30_diffusion_prepare(multiprocessors, &made->diffusion_ctas);
  if (!error) error = gri30_chemistry_prepare(multiprocessors, &made->chemistry_ctas);
  if (error) {
    free(made);
    return status_of(error);
  }
  *context = made;
  return SINGE_SUCCESS;
}

extern "C" int gri30_context_destroy(struct gri30_context *context)
{
  free(context);
  return SINGE_SUCCESS;
}

extern "C" const char *gri30_status_text(int status)
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
  default:
    return status > 0 ? cudaGetErrorString((cudaError_t)status) : "unknown status";
  }
}
