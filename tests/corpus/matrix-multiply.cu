// Tiles of 16 x 16 through shared memory.
extern "C" __global__ void multiply(const float *a, const float *b, float *c, unsigned n) {
  __shared__ float left[16][16], right[16][17];
  const unsigned x = threadIdx.x, y = threadIdx.y;
  const unsigned row = 16 * blockIdx.y + y, column = 16 * blockIdx.x + x;
  float sum = 0.0f;
  for (unsigned tile = 0; tile < n; tile += 16) {
    left[y][x] = a[row * n + tile + x];
    right[y][x] = b[(tile + y) * n + column];
    __syncthreads();
    for (unsigned k = 0; k < 16; ++k)
      sum = fmaf(left[y][k], right[k][x], sum);
    __syncthreads();
  }
  c[row * n + column] = sum;
}
