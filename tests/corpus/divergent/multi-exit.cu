// A loop with three exits, each with code of its own behind it.
extern "C" __global__ void multi_exit(const unsigned *input, unsigned *output) {
  const unsigned t = threadIdx.x, word = input[t];
  unsigned sum = 0, i = 0;
  while (true) {
    sum += word;
    if ((sum & 31) == 7) {
      sum = sum * 11 + i;
      break;
    }
    sum = sum * 3 + t;
    if ((sum & 63) > 50) {
      sum = sum * 13 + i;
      break;
    }
    if (++i >= 12) {
      sum += 1000;
      break;
    }
  }
  output[t] = sum;
}
