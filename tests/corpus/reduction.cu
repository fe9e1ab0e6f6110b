// The sum of each block: by halves in shared memory, and by shuffles with one word per warp.
extern "C" __global__ void reduce_shared(const float *values, float *sums, unsigned n) {
  __shared__ float part[128];
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  part[t] = i < n ? values[i] : 0.0f;
  __syncthreads();
  for (unsigned half = 64; half > 0; half /= 2) {
    if (t < half)
      part[t] += part[t + half];
    __syncthreads();
  }
  if (t == 0)
    sums[blockIdx.x] = part[0];
}

__device__ float over_lanes(float x) {
  for (int step = 16; step > 0; step /= 2)
    x += __shfl_down_sync(0xffffffffu, x, step);
  return x;
}

extern "C" __global__ void reduce_shuffles(const float *values, float *sums, unsigned n) {
  __shared__ float part[4];
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  const float sum = over_lanes(i < n ? values[i] : 0.0f);
  if (t % 32 == 0)
    part[t / 32] = sum;
  __syncthreads();
  if (t < 32) {
    const float all = over_lanes(t < 4 ? part[t] : 0.0f);
    if (t == 0)
      sums[blockIdx.x] = all;
  }
}
