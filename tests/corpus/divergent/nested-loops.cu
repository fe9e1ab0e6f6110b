// A loop in a loop; how often each runs differs from lane to lane, and the inner one can leave both.
extern "C" __global__ void nested_loops(const unsigned *input, unsigned *output) {
  const unsigned t = threadIdx.x, word = input[t];
  unsigned sum = 0;
  for (unsigned outer = 0; outer <= (word & 3); outer++) {
    const unsigned most = sum & 3;
    for (unsigned inner = 0; inner <= most; inner++) {
      sum = sum * 3 + t + 1;
      if ((sum & 127) == 77)
        goto end;
    }
    sum += word;
  }
end:
  output[t] = sum;
}
