#pragma once
#include <cmath>
#include <cstdlib>
#include <cstring>
#define __global__
#define __device__
using std::isfinite;
enum { cudaSuccess, cudaErrorMemoryAllocation };
enum { cudaMemcpyDefault, cudaMemcpyDeviceToDevice };
static const struct { int x; } blockIdx = {0}, blockDim = {0}, threadIdx = {0};
template <class T> int cudaMallocManaged(T **memory, size_t bytes)
{
  return (*memory = (T *)std::malloc(bytes)) ? cudaSuccess : cudaErrorMemoryAllocation;
}
inline int cudaFree(void *memory) { return std::free(memory), cudaSuccess; }
inline int cudaMemset(void *memory, int value, size_t bytes) { return std::memset(memory, value, bytes), cudaSuccess; }
inline int cudaMemcpy(void *to, const void *from, size_t bytes, int) { return std::memcpy(to, from, bytes), cudaSuccess; }
inline int cudaDeviceSynchronize() { return cudaSuccess; }
inline int cudaGetLastError() { return cudaSuccess; }
