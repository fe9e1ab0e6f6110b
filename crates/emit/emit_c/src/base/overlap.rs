//! Outputs in the place of inputs, which launch functions refuse: kernels read their inputs while they store, by pointers that are restricted.

use overlay::program::Array;

/// The function of a kernel's file that finds numbers that two arrays share.
pub fn function(symbol: &str) -> String {
    let text = "// Whether two arrays share numbers. Rows may lie between each other's.
static bool SYMBOL_share(const void *a, int a_rows, const void *b, int b_rows, size_t number, int points, int stride)
{
  const long long apart = (long long)((size_t)b - (size_t)a), row = (long long)(number * stride), length = (long long)(number * points);
  // Row i + n of b begins apart + n row bytes behind row i of a.
  for (long long n = -apart / row - 1; n <= -apart / row + 1; ++n) {
    const long long distance = apart + n * row;
    if (n > -a_rows && n < b_rows && distance < length && distance > -length) return true;
  }
  return false;
}
";
    text.replace("SYMBOL", symbol)
}

/// The statement of its launch function that refuses them; `names` are those of the arrays.
pub fn refusal(symbol: &str, arrays: &[Array], names: &[String]) -> String {
    let all = || arrays.iter().zip(names);
    let pairs = all().filter(|(array, _)| array.output).flat_map(|(output, to)| {
        let inputs = all().filter(|(array, _)| !array.output);
        inputs.map(move |(input, from)| {
            let rows = (output.rows, input.rows);
            format!("  if ({symbol}_share({to}, {}, {from}, {}, sizeof *{to}, points, stride)) return SINGE_OVERLAPPING_ARRAYS;\n", rows.0, rows.1)
        })
    });
    pairs.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernels::Io;

    #[test]
    fn each_output_is_compared_with_each_input() {
        let array = |name: &str, rows, output| Array { name: name.into(), rows, output, io: Io::Double };
        let arrays = [array("t", 1, false), array("y", 9, false), array("out", 10, true)];
        let names = ["t", "y", "out"].map(str::to_owned);
        let text = refusal("k", &arrays, &names);
        assert_eq!(text.lines().count(), 2);
        assert!(text.contains("k_share(out, 10, y, 9, sizeof *out, points, stride)"), "{text}");
    }
}
