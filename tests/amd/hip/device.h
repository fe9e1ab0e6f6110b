// Names of HIP for the device's half of a text, where ROCm's headers are absent: workgroups have 64 threads.
#pragma once

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __constant__ __attribute__((constant))

struct Index {
  unsigned x;
};
#define threadIdx Index{__builtin_amdgcn_workitem_id_x()}
#define blockIdx Index{__builtin_amdgcn_workgroup_id_x()}
#define blockDim Index{64}
