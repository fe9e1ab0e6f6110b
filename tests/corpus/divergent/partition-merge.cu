// Odd-even merging of sorted buckets of four elements, one per thread: in every phase a thread keeps the lower or the upper
// half of its bucket and its neighbour's, each half by a loop of its own with branches that depend on data.
// After the benchmark PCM of "DARM: Control-Flow Melding for SIMT Thread Divergence Reduction".
extern "C" __global__ void partition_merge(const unsigned *input, unsigned *output) {
  __shared__ unsigned buckets[128][4];
  const unsigned t = threadIdx.x, count = blockDim.x;
  buckets[t][0] = input[t];
  buckets[t][1] = buckets[t][0] + 7;
  buckets[t][2] = buckets[t][1] + 150;
  buckets[t][3] = buckets[t][2] + 33;
  __syncthreads();
  for (unsigned phase = 0; phase < count; phase++) {
    const bool low = ((t ^ phase) & 1) == 0;
    const unsigned neighbour = low ? t + 1 : t - 1;
    const bool alone = neighbour >= count;
    unsigned kept[4];
    if (!alone) {
      const unsigned *own = buckets[t], *other = buckets[neighbour];
      if (low) {
        for (unsigned i = 0, a = 0, b = 0; i < 4; i++) {
          if (own[a] > other[b])
            kept[i] = other[b++];
          else
            kept[i] = own[a++];
        }
      } else {
        for (int i = 3, a = 3, b = 3; i >= 0; i--) {
          if (own[a] < other[b])
            kept[i] = other[b--];
          else
            kept[i] = own[a--];
        }
      }
    }
    __syncthreads();
    if (!alone)
      for (unsigned i = 0; i < 4; i++)
        buckets[t][i] = kept[i];
    __syncthreads();
  }
  for (unsigned i = 0; i < 4; i++)
    output[4 * t + i] = buckets[t][i];
}
