// A cycle that lanes enter at two places.
extern "C" __global__ void irreducible(const unsigned *input, unsigned *output) {
  const unsigned t = threadIdx.x, word = input[t];
  unsigned sum = 0, i = 0;
  if ((word & 1) == 0)
    goto second;
first:
  sum = sum * 3 + word;
  i += 1;
  if ((sum & 15) == 9)
    goto end;
second:
  sum = sum * 5 + t;
  i += 2;
  if (i < 20)
    goto first;
end:
  output[t] = sum;
}
