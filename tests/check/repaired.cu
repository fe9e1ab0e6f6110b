// One row of a softmax for each CTA of up to 1,024 threads. Compiled with nvcc -arch=sm_80 -lineinfo -ptx.

__device__ float warp_max(float x)
{
    for (int d = 16; d > 0; d /= 2) x = fmaxf(x, __shfl_xor_sync(~0u, x, d));
    return x;
}

__device__ float warp_sum(float x)
{
    for (int d = 16; d > 0; d /= 2) x += __shfl_xor_sync(~0u, x, d);
    return x;
}

extern "C" __global__ void softmax(float *out, const float *in, int n)
{
    __shared__ float part[32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    const float *x = in + (size_t)blockIdx.x * n;

    float most = -INFINITY;
    for (int i = threadIdx.x; i < n; i += blockDim.x) most = fmaxf(most, x[i]);
    most = warp_max(most);
    if (lane == 0) part[warp] = most;
    __syncthreads();
    most = part[0];
    for (int w = 1; w < warps; ++w) most = fmaxf(most, part[w]);

    float sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) sum += __expf(x[i] - most);
    sum = warp_sum(sum);
    __syncthreads(); // all have read the maximum
    if (lane == 0) part[warp] = sum;
    __syncthreads();
    sum = part[0];
    for (int w = 1; w < warps; ++w) sum += part[w];

    for (int i = threadIdx.x; i < n; i += blockDim.x) out[(size_t)blockIdx.x * n + i] = __expf(x[i] - most) / sum;
}
