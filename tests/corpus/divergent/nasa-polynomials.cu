// Heat capacities of four species by polynomials in temperature, with other coefficients above 1000 K than below: the branch of
// every thermodynamic routine, on lanes with different temperatures.
extern "C" __global__ void nasa_polynomials(const unsigned *input, const double *coefficients, double *output) {
  const unsigned t = threadIdx.x;
  const double temperature = input[t] * 2 + 300; // from 300 to 2300 K
  double sum = 0.0;
  for (unsigned species = 0; species < 4; species++) {
    const double *c = coefficients + 10 * species;
    if (temperature > 1000.0)
      sum += fma(fma(fma(fma(c[4], temperature, c[3]), temperature, c[2]), temperature, c[1]), temperature, c[0]);
    else
      sum += fma(fma(fma(fma(c[9], temperature, c[8]), temperature, c[7]), temperature, c[6]), temperature, c[5]);
  }
  output[t] = sum;
}
