// Branches, loops, barriers, and the work of warps.

#define K extern "C" __global__ void

template <int steps> __device__ double work(double x, double a) {
#pragma unroll
    for (int i = 0; i < steps; i++) x = x * a + 0.5;
    return x;
}

K together(const double *in, double *out, int n) {
    double x = in[threadIdx.x], a = in[64];
    for (int i = 0; i < n; i++) x = threadIdx.x / 32 % 2 ? work<16>(x, a) : work<16>(x, -a) + 1;
    out[threadIdx.x] = x;
}

K apart(const double *in, double *out, int n) {
    double x = in[threadIdx.x], a = in[64];
    for (int i = 0; i < n; i++) x = threadIdx.x % 2 ? work<16>(x, a) : work<16>(x, -a) + 1;
    out[threadIdx.x] = x;
}

__device__ double side(int which, double x, double a) {
    switch (which) {
    case 0: return work<12>(x, a);
    case 1: return work<12>(x, a + 1) - 1;
    case 2: return work<12>(x + 1, a) - 2;
    default: return work<12>(x - 1, a - 1) - 3;
    }
}

K switch_of_warps(const double *in, double *out, int n) {
    double x = in[threadIdx.x], a = in[64];
    for (int i = 0; i < n; i++) x = side(threadIdx.x / 32 % 4, x, a);
    out[threadIdx.x] = x;
}

K switch_of_lanes(const double *in, double *out, int n) {
    double x = in[threadIdx.x], a = in[64];
    for (int i = 0; i < n; i++) x = side(threadIdx.x % 4, x, a);
    out[threadIdx.x] = x;
}

K rolled(const double *in, double *out, int n) {
    float x = in[threadIdx.x], y = x + 1, a = in[64];
#pragma unroll 1
    for (int i = 0; i < 16 * n; i++) x = x * a + 0.5f, y = y * a + 0.25f;
    out[threadIdx.x] = x + y;
}

K unrolled(const double *in, double *out, int n) {
    float x = in[threadIdx.x], y = x + 1, a = in[64];
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int j = 0; j < 16; j++) x = x * a + 0.5f, y = y * a + 0.25f;
    out[threadIdx.x] = x + y;
}

// The same steps with a barrier after each, and with one at the end.
K barrier_often(const double *in, double *out, int n) {
    double x = in[threadIdx.x], a = in[64];
    for (int i = 0; i < n; i++) {
        x = work<8>(x, a);
        __syncthreads();
    }
    out[threadIdx.x] = x;
}

K barrier_once(const double *in, double *out, int n) {
    double x = in[threadIdx.x], a = in[64];
    for (int i = 0; i < n; i++) x = work<8>(x, a);
    __syncthreads();
    out[threadIdx.x] = x;
}

K barriers_alone(const double *in, double *out, int n) {
    for (int i = 0; i < n; i++) __syncthreads();
    out[threadIdx.x] = n;
}

// Lanes of one warp wait for each other.
K warp_barriers_alone(const double *in, double *out, int n) {
    for (int i = 0; i < n; i++) __syncwarp();
    out[threadIdx.x] = n;
}

// A warp announces what it has done, and does not wait; or it waits, too. The even warps have more to do. What a warp has
// before a barrier passes through memory, so that no step moves across it.
#define MEET(kind, barrier)                                                       \
    own[threadIdx.x] = x;                                                         \
    asm volatile("bar." #kind " " #barrier ", %0;" ::"r"(blockDim.x) : "memory"); \
    x = own[threadIdx.x];

__shared__ volatile double own[1024];

K arrives(const double *in, double *out, int n) {
    double x = in[threadIdx.x], a = in[64];
    for (int i = 0; i < n; i++) {
        if (threadIdx.x / 32 % 2) {
            x = work<8>(x, a);
            MEET(arrive, 1)
            x = work<24>(x, a);
            MEET(sync, 3)
        } else {
            x = work<32>(x, a);
            MEET(sync, 1)
            x = work<8>(x, a);
            MEET(sync, 3)
        }
    }
    out[threadIdx.x] = x;
}

K waits(const double *in, double *out, int n) {
    double x = in[threadIdx.x], a = in[64];
    for (int i = 0; i < n; i++) {
        if (threadIdx.x / 32 % 2) {
            x = work<8>(x, a);
            MEET(sync, 1)
            x = work<24>(x, a);
            MEET(sync, 3)
        } else {
            x = work<32>(x, a);
            MEET(sync, 1)
            x = work<8>(x, a);
            MEET(sync, 3)
        }
    }
    out[threadIdx.x] = x;
}

// 16 steps of work for each of 8 warps between barriers: even, and half of it with one warp.
K even(const double *in, double *out, int n) {
    double x = in[threadIdx.x], a = in[64];
    for (int i = 0; i < n; i++) {
        x = work<16>(x, a);
        __syncthreads();
    }
    out[threadIdx.x] = x;
}

K uneven(const double *in, double *out, int n) {
    double x = in[threadIdx.x], a = in[64];
    for (int i = 0; i < n; i++) {
        if (threadIdx.x < 32) x = work<64>(x, a);
        else x = work<8>(x, a);
        __syncthreads();
    }
    out[threadIdx.x] = x;
}

// The same sums, with and without instructions beside them.
K bare(const double *in, double *out, int n) {
    double x[4], a = in[64];
    for (int j = 0; j < 4; j++) x[j] = in[threadIdx.x + j];
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) x[j] = x[j] * a + 0.5;
    out[threadIdx.x] = x[0] + x[1] + x[2] + x[3];
}

K laden(const double *in, double *out, int n) {
    double x[4], a = in[64];
    unsigned hash = threadIdx.x;
    for (int j = 0; j < 4; j++) x[j] = in[threadIdx.x + j];
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) {
            x[j] = x[j] * a + 0.5;
#pragma unroll
            for (int k = 0; k < 6; k++) hash = (hash ^ (hash >> 7)) + 0x9e3779b9u;
        }
    out[threadIdx.x] = x[0] + x[1] + x[2] + x[3] + hash;
}

// One chain per warp: what a warp alone cannot fill, others do.
K lonely(const double *in, double *out, int n) {
    double x = in[threadIdx.x], a = in[64];
    for (int i = 0; i < n; i++) x = work<8>(x, a);
    out[threadIdx.x] = x;
}
