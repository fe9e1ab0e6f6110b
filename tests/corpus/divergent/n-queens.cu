// Solutions of six queens by backtracking, one place of the first queen and one of the second per thread.
// After the benchmark NQU of "DARM: Control-Flow Melding for SIMT Thread Divergence Reduction".
struct Row {
  unsigned free, columns, left, right;
};

__device__ void enter(Row &row, unsigned columns, unsigned left, unsigned right) {
  row.free = ~(columns | left | right) & 63;
  row.columns = columns;
  row.left = left;
  row.right = right;
}

extern "C" __global__ void n_queens(unsigned *output) {
  __shared__ Row rows[4][64];
  const unsigned t = threadIdx.x;
  unsigned solutions = 0;
  if (t < 36) {
    const unsigned first = 1u << t / 6, second = 1u << t % 6;
    if (((first | first << 1 | first >> 1) & second) == 0) {
      enter(rows[0][t], first | second, (first << 1 | second) << 1, (first >> 1 | second) >> 1);
      int row = 0;
      do {
        Row &here = rows[row][t];
        if (here.free == 0) {
          row--;
          continue;
        }
        const unsigned place = here.free & -here.free;
        here.free ^= place;
        if (row == 3) {
          solutions++;
        } else {
          row++;
          enter(rows[row][t], here.columns | place, (here.left | place) << 1, (here.right | place) >> 1);
        }
      } while (row >= 0);
    }
  }
  output[t] = solutions;
}
