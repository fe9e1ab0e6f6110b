// Bitonic sort of a block: each direction compares and swaps on a path of its own.
// After "DARM: Control-Flow Melding for SIMT Thread Divergence Reduction", Figure 1.
extern "C" __global__ void bitonic(const unsigned *input, unsigned *output) {
  __shared__ unsigned keys[256];
  const unsigned t = threadIdx.x;
  keys[t] = input[t];
  __syncthreads();
  for (unsigned length = 2; length <= blockDim.x; length *= 2) {
    for (unsigned stride = length / 2; stride != 0; stride /= 2) {
      const unsigned other = t ^ stride;
      if (other > t) {
        if ((t & length) == 0) {
          if (keys[other] < keys[t]) {
            const unsigned key = keys[t];
            keys[t] = keys[other];
            keys[other] = key;
          }
        } else {
          if (keys[other] > keys[t]) {
            const unsigned key = keys[t];
            keys[t] = keys[other];
            keys[other] = key;
          }
        }
      }
      __syncthreads();
    }
  }
  output[t] = keys[t];
}
