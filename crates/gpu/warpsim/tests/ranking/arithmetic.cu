// Chains and pipes. Every kernel reads its operands from memory, so that nothing is known at compile time.

#define K extern "C" __global__ void

// 256 fused multiply-adds: in one chain, and in four.
K double_chain(const double *in, double *out, int n) {
    double x = in[threadIdx.x], a = in[64], b = in[65];
#pragma unroll
    for (int i = 0; i < 256; i++) x = x * a + b;
    out[threadIdx.x] = x;
}

K double_chains(const double *in, double *out, int n) {
    double a = in[64], b = in[65], x[4];
#pragma unroll
    for (int j = 0; j < 4; j++) x[j] = in[threadIdx.x + j];
#pragma unroll
    for (int i = 0; i < 64; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) x[j] = x[j] * a + b;
    out[threadIdx.x] = x[0] + x[1] + x[2] + x[3];
}

K single_chain(const double *in, double *out, int n) {
    float x = in[threadIdx.x], a = in[64], b = in[65];
#pragma unroll
    for (int i = 0; i < 256; i++) x = x * a + b;
    out[threadIdx.x] = x;
}

K single_chains(const double *in, double *out, int n) {
    float a = in[64], b = in[65], x[4];
#pragma unroll
    for (int j = 0; j < 4; j++) x[j] = in[threadIdx.x + j];
#pragma unroll
    for (int i = 0; i < 64; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) x[j] = x[j] * a + b;
    out[threadIdx.x] = x[0] + x[1] + x[2] + x[3];
}

// Half and twice as many in the chain.
K double_chain_half(const double *in, double *out, int n) {
    double x = in[threadIdx.x], a = in[64], b = in[65];
#pragma unroll
    for (int i = 0; i < 128; i++) x = x * a + b;
    out[threadIdx.x] = x;
}

K approximations(const double *in, double *out, int n) {
    float x = in[threadIdx.x];
#pragma unroll
    for (int i = 0; i < 256; i++) asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x));
    out[threadIdx.x] = x;
}

K quotients(const double *in, double *out, int n) {
    double x = in[threadIdx.x], a = in[64];
    for (int i = 0; i < n; i++) x = x / a + 1.0;
    out[threadIdx.x] = x;
}

K products(const double *in, double *out, int n) {
    double x = in[threadIdx.x], a = 1.0 / in[64];
    for (int i = 0; i < n; i++) x = x * a + 1.0;
    out[threadIdx.x] = x;
}

K roots(const double *in, double *out, int n) {
    double x = in[threadIdx.x];
    for (int i = 0; i < n; i++) x = sqrt(x) + 1.0;
    out[threadIdx.x] = x;
}

// The same polynomial, nested and in two halves.
K horner(const double *in, double *out, int n) {
    double x = in[threadIdx.x], y = 0.0;
    for (int i = 0; i < n; i++) {
        double p = in[threadIdx.x + 80];
#pragma unroll
        for (int j = 1; j < 16; j++) p = p * x + in[threadIdx.x + 80 + j];
        y += p, x += 0.125;
    }
    out[threadIdx.x] = y;
}

K estrin(const double *in, double *out, int n) {
    double x = in[threadIdx.x], y = 0.0;
    for (int i = 0; i < n; i++) {
        double even = in[threadIdx.x + 80], odd = in[threadIdx.x + 81], square = x * x;
#pragma unroll
        for (int j = 2; j < 16; j += 2) {
            even = even * square + in[threadIdx.x + 80 + j];
            odd = odd * square + in[threadIdx.x + 81 + j];
        }
        y += even * x + odd, x += 0.125;
    }
    out[threadIdx.x] = y;
}

K remainders(const double *in, double *out, int n) {
    unsigned x = threadIdx.x + 12345, d = n + 2, sum = 0;
    for (int i = 0; i < n; i++) sum += x % d, x = x * 5 + sum;
    out[threadIdx.x] = sum;
}

K masks(const double *in, double *out, int n) {
    unsigned x = threadIdx.x + 12345, d = n + 1, sum = 0;
    for (int i = 0; i < n; i++) sum += x & d, x = x * 5 + sum;
    out[threadIdx.x] = sum;
}
