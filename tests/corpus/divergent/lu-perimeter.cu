// The perimeter of a block LU decomposition with blocks of 16: half of the warp solves for the row, half for the column.
// After the benchmark LUD of "DARM: Control-Flow Melding for SIMT Thread Divergence Reduction".
extern "C" __global__ void lu_perimeter(const float *input, float *output) {
  __shared__ float diagonal[16][16], row[16][16], column[16][16];
  const unsigned t = threadIdx.x, own = t & 15;
  for (unsigned i = 0; i < 16; i++) {
    if (t < 16) {
      row[i][own] = input[16 * i + own] * 0.0025f;
      diagonal[i][own] = row[i][own] + 2.0f;
    } else {
      column[i][own] = input[16 * i + own] * 0.01f + 0.5f;
    }
  }
  __syncthreads();
  if (t < 16) {
    for (unsigned i = 0; i < 16; i++) {
      float x = row[i][own];
      for (unsigned j = 0; j < i; j++)
        x = fmaf(-diagonal[i][j], row[j][own], x);
      row[i][own] = x;
    }
  } else {
    for (unsigned i = 0; i < 16; i++) {
      float x = column[own][i];
      for (unsigned j = 0; j < i; j++)
        x = fmaf(-column[own][j], diagonal[j][i], x);
      column[own][i] = x / diagonal[i][i];
    }
  }
  __syncthreads();
  for (unsigned i = 0; i < 16; i++) {
    if (t < 16)
      output[16 * i + own] = row[i][own];
    else
      output[256 + 16 * i + own] = column[i][own];
  }
}
