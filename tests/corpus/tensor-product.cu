// Each warp multiplies a matrix of 8 rows and k columns with one of k rows and 8 columns, on tensor cores.
extern "C" __global__ void tensor_product(const double *a, const double *b, double *c, unsigned k) {
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned row = lane / 4, place = lane % 4;
  a += warp * 8 * k;
  b += warp * 8 * k;
  double c0 = 0.0, c1 = 0.0;
  for (unsigned i = 0; i < k; i += 4)
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                 : "+d"(c0), "+d"(c1)
                 : "d"(a[row * k + i + place]), "d"(b[(i + place) * 8 + row]));
  c += warp * 64 + row * 8 + 2 * place;
  c[0] = c0;
  c[1] = c1;
}
