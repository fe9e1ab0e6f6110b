// Shared, local, global and constant memory, and shuffles.

#define K extern "C" __global__ void

__shared__ float words[8192];

template <int stride> __device__ void strided(const double *in, double *out, int n) {
    float sum = 0;
    for (int i = threadIdx.x; i < 8192; i += blockDim.x) words[i] = in[i % 1024];
    __syncthreads();
    for (int i = 0; i < n; i++) {
#pragma unroll
        for (int j = 0; j < 8; j++) sum += *(volatile float *)&words[(threadIdx.x * stride + 32 * j + i) % 8192];
    }
    out[threadIdx.x] = sum;
}

K stride_1(const double *in, double *out, int n) { strided<1>(in, out, n); }
K stride_2(const double *in, double *out, int n) { strided<2>(in, out, n); }
K stride_8(const double *in, double *out, int n) { strided<8>(in, out, n); }
K stride_32(const double *in, double *out, int n) { strided<32>(in, out, n); }
K stride_33(const double *in, double *out, int n) { strided<33>(in, out, n); }
K stride_0(const double *in, double *out, int n) { strided<0>(in, out, n); }

// Each load needs the one before.
K chase_shared(const double *in, double *out, int n) {
    for (int i = threadIdx.x; i < 256; i += blockDim.x) ((volatile int *)words)[i] = (int)in[i] & 255;
    __syncthreads();
    int at = threadIdx.x;
    for (int i = 0; i < n; i++) at = ((volatile int *)words)[at];
    out[threadIdx.x] = at;
}

K chase_global(const double *in, double *out, int n) {
    int at = threadIdx.x;
    for (int i = 0; i < n; i++) at = (int)((volatile const double *)in)[at] & 255;
    out[threadIdx.x] = at;
}

// The same loads, of which none needs another.
K loads_together(const double *in, double *out, int n) {
    double sum = 0;
    for (int i = 0; i < n; i += 8) {
        double x[8];
#pragma unroll
        for (int j = 0; j < 8; j++) x[j] = ((volatile const double *)in)[threadIdx.x + 8 * j + i];
#pragma unroll
        for (int j = 0; j < 8; j++) sum += x[j];
    }
    out[threadIdx.x] = sum;
}

K loads_in_turn(const double *in, double *out, int n) {
    double sum = 0;
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        double x = ((volatile const double *)in)[threadIdx.x + i];
        sum = sum * x + x;
    }
    out[threadIdx.x] = sum;
}

// The next value is loaded while this one is worked on.
K loads_ahead(const double *in, double *out, int n) {
    double sum = 0, next = ((volatile const double *)in)[threadIdx.x];
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        double x = next;
        next = ((volatile const double *)in)[threadIdx.x + i + 1];
#pragma unroll
        for (int j = 0; j < 16; j++) sum = sum * x + x;
    }
    out[threadIdx.x] = sum;
}

K loads_behind(const double *in, double *out, int n) {
    double sum = 0;
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        double x = ((volatile const double *)in)[threadIdx.x + i];
#pragma unroll
        for (int j = 0; j < 16; j++) sum = sum * x + x;
    }
    out[threadIdx.x] = sum;
}

template <int stride> __device__ void rows(const double *in, double *out, int n) {
    double sum = 0;
    for (int i = 0; i < n; i += 4) {
        double x[4];
#pragma unroll
        for (int j = 0; j < 4; j++) x[j] = ((volatile const double *)in)[(threadIdx.x * stride + i + j) % 2048];
#pragma unroll
        for (int j = 0; j < 4; j++) sum += x[j];
    }
    out[threadIdx.x] = sum;
}

K coalesced(const double *in, double *out, int n) { rows<1>(in, out, n); }
K scattered(const double *in, double *out, int n) { rows<32>(in, out, n); }
K every_fourth(const double *in, double *out, int n) { rows<4>(in, out, n); }

// One warp hands a value to all lanes.
K broadcast_shuffle(const double *in, double *out, int n) {
    double x = in[threadIdx.x], sum = 0;
    for (int i = 0; i < n; i++) sum = sum * x + __shfl_sync(~0u, x + sum, i & 31);
    out[threadIdx.x] = sum;
}

K broadcast_shared(const double *in, double *out, int n) {
    volatile double *all = (volatile double *)words;
    double x = in[threadIdx.x], sum = 0;
    for (int i = 0; i < n; i++) {
        all[threadIdx.x] = x + sum;
        __syncwarp();
        sum = sum * x + all[(threadIdx.x & ~31) + (i & 31)];
        __syncwarp();
    }
    out[threadIdx.x] = sum;
}

__constant__ double table[64] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22,
                                 23, 24, 25, 26, 27, 28, 29, 30, 31, 32};

// 32 constants that all lanes need: as operands, by shuffle, from shared memory.
K constants_bank(const double *in, double *out, int n) {
    double x = in[threadIdx.x], y = 0;
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int j = 0; j < 32; j++) y = y * x + table[j];
    out[threadIdx.x] = y;
}

K constants_shuffle(const double *in, double *out, int n) {
    double x = in[threadIdx.x], y = 0, striped = in[threadIdx.x % 32];
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int j = 0; j < 32; j++) y = y * x + __shfl_sync(~0u, striped, j);
    out[threadIdx.x] = y;
}

K constants_shared(const double *in, double *out, int n) {
    volatile double *all = (volatile double *)words;
    double x = in[threadIdx.x], y = 0;
    if (threadIdx.x < 32) all[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int j = 0; j < 32; j++) y = y * x + all[j];
    out[threadIdx.x] = y;
}

// Four words of a lane: one wide load, and four narrow ones.
K wide(const double *in, double *out, int n) {
    float sum = 0;
    for (int i = threadIdx.x; i < 8192; i += blockDim.x) words[i] = in[i % 1024];
    __syncthreads();
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) {
            float4 x = ((float4 *)words)[(threadIdx.x + 32 * j + i) % 2048];
            sum += x.x + x.y + x.z + x.w;
        }
    out[threadIdx.x] = sum;
}

K narrow(const double *in, double *out, int n) {
    float sum = 0;
    for (int i = threadIdx.x; i < 8192; i += blockDim.x) words[i] = in[i % 1024];
    __syncthreads();
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) {
            int at = 4 * ((threadIdx.x + 32 * j + i) % 2048);
            volatile float *x = words;
            sum += x[at] + x[at + 1] + x[at + 2] + x[at + 3];
        }
    out[threadIdx.x] = sum;
}

// The same array: its indices are known, and they are not.
K array_known(const double *in, double *out, int n) {
    double a[16], sum = 0;
#pragma unroll
    for (int j = 0; j < 16; j++) a[j] = in[threadIdx.x + j];
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int j = 0; j < 16; j++) a[j] = a[j] * 0.5 + a[(j + 5) % 16];
#pragma unroll
    for (int j = 0; j < 16; j++) sum += a[j];
    out[threadIdx.x] = sum;
}

K array_unknown(const double *in, double *out, int n) {
    double a[16], sum = 0;
    for (int j = 0; j < 16; j++) a[j] = in[threadIdx.x + j];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 16; j++) a[(j + n) % 16] = a[(j + n) % 16] * 0.5 + a[(j + n + 5) % 16];
    for (int j = 0; j < 16; j++) sum += a[j];
    out[threadIdx.x] = sum;
}

// 48 doubles that live all the time: with all registers, and with few.
__device__ __forceinline__ void lively(const double *in, double *out, int n) {
    double a[48], sum = 0;
#pragma unroll
    for (int j = 0; j < 48; j++) a[j] = in[threadIdx.x + j];
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int j = 0; j < 48; j++) a[j] = a[j] * a[(j + 7) % 48] + a[(j + 19) % 48];
#pragma unroll
    for (int j = 0; j < 48; j++) sum += a[j];
    out[threadIdx.x] = sum;
}

K registers_all(const double *in, double *out, int n) { lively(in, out, n); }
K __launch_bounds__(1024, 1) registers_64(const double *in, double *out, int n) { lively(in, out, n); }
K __launch_bounds__(1024, 2) registers_32(const double *in, double *out, int n) { lively(in, out, n); }
