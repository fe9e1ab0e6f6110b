// A short-circuit condition: the block behind `a || b` is shared by two tests. Lanes that come from either test run it one
// after the other where they meet behind it, and once where it has a guard.
extern "C" __global__ void short_circuit(const unsigned *input, unsigned *output) {
  const unsigned t = threadIdx.x, word = input[t];
  unsigned sum = 1;
  if ((word & 3) == 0 || (sum += word, (word & 12) == 4)) {
    sum = word * 5 + sum;
    sum ^= t;
    sum = sum * 3 + word;
  }
  output[t] = sum + 7;
}
