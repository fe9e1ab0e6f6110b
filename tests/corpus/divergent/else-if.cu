// A block on one side, and on the other a region with a block that does the same on other data.
// After "DARM: Control-Flow Melding for SIMT Thread Divergence Reduction", section IV-C, case 2.
// What every path does, on an array of its own.
__device__ void work(unsigned *place, unsigned who, unsigned inner, unsigned t) {
  unsigned x = (*place * 13 + who) ^ inner;
  x += x >> 3;
  x += x * 7 & 1023;
  x = max(x, 5u);
  *place = x * x + t;
}

extern "C" __global__ void else_if(const unsigned *input, unsigned *output, unsigned rounds) {
  __shared__ unsigned first[128], second[128], third[128];
  const unsigned t = threadIdx.x;
  first[t] = input[t];
  second[t] = first[t] + 17;
  third[t] = second[t] + 29;
  unsigned outer = 0;
  do {
    for (unsigned inner = 0; inner < 4; inner++) {
      // who takes which path changes from round to round
      const unsigned who = inner * 5 + t + outer;
      if ((who & 1) == 0)
        work(&first[t], who, inner, t);
      else if ((who & 6) != 0)
        work(&second[t], who, inner, t);
    }
  } while (++outer < rounds);
  output[t] = first[t] + second[t] ^ third[t];
}
