// Warp 0 loads, warp 1 computes; two slots, each with a barrier for "full" and one for "empty".
extern "C" __global__ void pipeline(const float *in, float *out, unsigned rows) {
  __shared__ volatile float slots[2][32];
  const unsigned lane = threadIdx.x % 32;
#define WAIT(id) asm volatile("bar.sync %0, 64;" : : "n"(id) : "memory")
#define TELL(id) asm volatile("bar.arrive %0, 64;" : : "n"(id) : "memory")
  if (threadIdx.x < 32) {
    for (unsigned row = 0; row < rows; row += 2) {
      const float first = in[32 * row + lane], second = in[32 * row + 32 + lane];
      WAIT(3);
      slots[0][lane] = first;
      TELL(1);
      WAIT(4);
      slots[1][lane] = second;
      TELL(2);
    }
  } else {
    TELL(3);
    TELL(4);
    for (unsigned row = 0; row < rows; row += 2) {
      WAIT(1);
      const float first = slots[0][lane];
      if (row + 2 < rows)
        TELL(3);
      out[32 * row + lane] = __fadd_rn(__fmul_rn(first, first), 1.0f);
      WAIT(2);
      const float second = slots[1][lane];
      if (row + 2 < rows)
        TELL(4);
      out[32 * row + 32 + lane] = __fadd_rn(__fmul_rn(second, second), 1.0f);
    }
  }
}
