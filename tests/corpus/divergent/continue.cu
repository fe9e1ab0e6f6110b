// A loop whose body goes on to the next round early, at two places. The PTX kernel is called `continue`, which is a keyword here.
extern "C" __global__ void goes_on(const unsigned *input, unsigned *output) {
  const unsigned t = threadIdx.x, word = input[t];
  unsigned sum = 0, i = 0;
  do {
    const unsigned x = word + i;
    if ((x & 1) == 0)
      continue;
    sum = sum * 5 + x;
    if ((sum & 4) == 0)
      continue;
    sum ^= t;
    sum = sum * 7 + 1;
  } while (++i <= (word & 7));
  output[t] = sum;
}
