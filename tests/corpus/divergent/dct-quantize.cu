// Quantisation of coefficients of a cosine transform: negative values are rounded on a path of their own.
// After the benchmark DCT of "DARM: Control-Flow Melding for SIMT Thread Divergence Reduction".
extern "C" __global__ void dct_quantize(const int *input, int *output) {
  const unsigned t = threadIdx.x;
  const int value = input[t] - 500, quantum = (t & 7) * 6 + 16;
  if (value < 0)
    output[t] = -((quantum / 2 - value) / quantum * quantum);
  else
    output[t] = (value + quantum / 2) / quantum * quantum;
}
