// A step of speckle reducing anisotropic diffusion on blocks of 16 by 16: chains of branches by the place in the block, and three
// ways by data with accesses to shared memory.
// After the benchmark SRAD of "DARM: Control-Flow Melding for SIMT Thread Divergence Reduction".
extern "C" __global__ void srad(const float *input, float *output) {
  __shared__ float image[16][16], coefficient[16][16];
  const unsigned x = threadIdx.x, y = threadIdx.y, place = 16 * y + x;
  const float own = fmaf(input[place], 0.001f, 1.0f);
  image[y][x] = own;
  __syncthreads();
  // the differences to the neighbours; outside the block they are 0
  const float north = (y == 0 ? image[y][x] : image[y - 1][x]) - own;
  const float south = (y == 15 ? image[y][x] : image[y + 1][x]) - own;
  const float west = (x == 0 ? image[y][x] : image[y][x - 1]) - own;
  const float east = (x == 15 ? image[y][x] : image[y][x + 1]) - own;
  const float square = fmaf(east, east, fmaf(west, west, fmaf(south, south, north * north)));
  float c = __frcp_rn(square / (own * own) + 1.0f), bounded;
  if (c < 0.95f) {
    c *= 0.5f;
    coefficient[y][x] = c;
    bounded = c * own - north;
  } else if (c > 2.0f) {
    c = 1.0f;
    coefficient[y][x] = c;
    bounded = c * own + west;
  } else {
    coefficient[y][x] = c;
    bounded = c * own + north;
  }
  __syncthreads();
  float below, beside;
  if (y == 15) {
    below = coefficient[y][x];
    beside = x == 15 ? coefficient[y][x] : coefficient[y][x + 1];
  } else if (x == 15) {
    below = coefficient[y + 1][x];
    beside = coefficient[y][x];
  } else {
    below = coefficient[y + 1][x];
    beside = coefficient[y][x + 1];
  }
  const float divergence = fmaf(c, bounded, fmaf(beside, east, below * south));
  output[place] = fmaf(divergence, 0.125f, own);
}
