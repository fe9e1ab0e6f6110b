int main()
{
  static Block b;
  unsigned state = 1;
  const auto random = [&] { return (state = state * 1664525u + 1013904223u) / 4294967296.0 - 0.5; };
  for (double &x : b.jacobian) x = random();
  double x[unknowns + 1], right[unknowns], worst = 0.0;
  for (int i = 0; i < unknowns; ++i) x[i] = right[i] = random();
  factorize(b, 20.0);
  solve(b, x);
  x[unknowns] = 0.0;
  for (int k = 0; k < species; ++k) x[unknowns] += inverse_weights[k] * x[k];
  for (int j = 0; j < rows; ++j) {
    for (int p = first_of(j); p < first_of(j + 1); ++p) right[entry_rows[p]] += b.jacobian[p] * x[j];
  }
  for (int i = 0; i < unknowns; ++i) worst = std::fmax(worst, std::fabs(right[i] - 20.0 * x[i]));
  std::printf("%g\n", worst);
}
