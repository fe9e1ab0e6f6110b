// Bottom-up merge sort of a block in shared memory; which side an element comes from depends on data.
// After the benchmark MS of "DARM: Control-Flow Melding for SIMT Thread Divergence Reduction".
extern "C" __global__ void merge_sort(const unsigned *input, unsigned *output) {
  __shared__ unsigned keys[2][256];
  const unsigned t = threadIdx.x, count = blockDim.x;
  unsigned *from = keys[0], *to = keys[1];
  from[t] = input[t];
  __syncthreads();
  for (unsigned width = 1; width < count; width *= 2) {
    const unsigned begin = 2 * t * width;
    if (begin < count) {
      const unsigned middle = begin + width, end = middle + width;
      unsigned left = begin, right = middle;
      for (unsigned place = begin; place < end; place++) {
        if (left < middle && (right >= end || from[left] <= from[right]))
          to[place] = from[left++];
        else
          to[place] = from[right++];
      }
    }
    __syncthreads();
    unsigned *const other = from;
    from = to;
    to = other;
  }
  output[t] = from[t];
}
