extern "C" __global__ void k(double *a, const double *b, int n) {
    __shared__ double part[128];
    double own = 0.0;
    #pragma unroll 1
    for (int i = 0; i < 5; i++) own += b[i];
    #pragma unroll 1
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x) {
        part[threadIdx.x] = b[i];
        __syncthreads();
        double sum = own;
        #pragma unroll 1
        for (int at = 0; at < 5; at++) sum = sum * part[(threadIdx.x + 8 * at) % 128] + 0.5;
        __syncthreads();
        a[i] = sum;
    }
}
