// The same steps from little and from much code.

#define K extern "C" __global__ void

// 256 multiply-adds in four chains.
__device__ __forceinline__ void block(float *x, float a) {
#pragma unroll
    for (int i = 0; i < 64; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) x[j] = x[j] * a + 0.5f;
}

template <int copies> __device__ __forceinline__ void straight(const double *in, double *out, int n, int turns) {
    float x[4], a = in[64];
#pragma unroll
    for (int j = 0; j < 4; j++) x[j] = in[threadIdx.x + j];
#pragma unroll 1
    for (int i = 0; i < n * turns; i++)
#pragma unroll
        for (int k = 0; k < copies; k++) block(x, a);
    out[threadIdx.x] = x[0] + x[1] + x[2] + x[3];
}

// 4 kB of code, 32 kB, and 192 kB, each 48 blocks a turn.
K code_4(const double *in, double *out, int n) { straight<1>(in, out, n, 48); }
K code_32(const double *in, double *out, int n) { straight<8>(in, out, n, 6); }
K code_192(const double *in, double *out, int n) { straight<48>(in, out, n, 1); }

// Eight warps: all in one path, and each in its own of 32 kB.
K one_path(const double *in, double *out, int n) { straight<8>(in, out, n, 1); }

K own_paths(const double *in, double *out, int n) {
    switch (threadIdx.x / 32) {
    case 0: straight<8>(in, out, n, 1); break;
    case 1: straight<8>(in + 1, out, n, 1); break;
    case 2: straight<8>(in + 2, out, n, 1); break;
    case 3: straight<8>(in + 3, out, n, 1); break;
    case 4: straight<8>(in + 4, out, n, 1); break;
    case 5: straight<8>(in + 5, out, n, 1); break;
    case 6: straight<8>(in + 6, out, n, 1); break;
    default: straight<8>(in + 7, out, n, 1); break;
    }
}
