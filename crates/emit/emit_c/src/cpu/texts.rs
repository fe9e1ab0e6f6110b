//! A program that calls texts for CPUs, so that what they give can be compared.

use crate::base::glue::{Template, render};
use crate::base::names::identifier;
use crate::base::tables::real;
use crate::host::short_name;
use kinetics::integrator::options::Options;
use overlay::program::Array;
use serde::Serialize;

/// A kernel that is called.
pub struct Called<'a> {
    pub symbol: &'a str,
    /// By its function of one point, else by its launch function.
    pub by_points: bool,
    /// The last one is the output.
    pub arrays: &'a [Array],
    pub points: usize,
    pub stride: usize,
}

/// The program's text. It reads the inputs of all calls as doubles, array by array, and writes the output arrays, in which what nothing
/// stores is not a number. `headers` come before the kernels, which lie in files of their symbols' names and include that of `vectors`.
pub fn program(mechanism: &str, vectors: &str, headers: &[String], calls: &[Called<'_>]) -> String {
    let prefix = identifier(mechanism);
    let includes = includes(vectors, headers, calls);
    let calls = calls.iter().map(|call| text(call, &prefix)).collect();
    render(Template::CpuTexts, &Program { includes, prefix, calls })
}

/// The text of a program that times launch functions at so many points, which take turns at the given ones, on one core. It reads as [`program`] does, and writes for each call
/// the median of nine times of a point in ns.
pub fn timing_program(
    mechanism: &str,
    vectors: &str,
    headers: &[String],
    calls: &[Called<'_>],
    points: usize,
) -> String {
    let prefix = identifier(mechanism);
    let includes = "#include <algorithm>\n#include <chrono>\n".to_owned() + &includes(vectors, headers, calls);
    let calls = calls.iter().map(|call| timed(call, points)).collect();
    render(Template::CpuTexts, &Program { includes, prefix, calls })
}

/// A call of reactors without sources.
pub struct CalledReactor<'a> {
    pub species: usize,
    pub points: usize,
    pub stride: usize,
    pub options: &'a Options<'a>,
}

/// The text of a program that advances reactors, all points in one call and then each by itself, and writes the mass fractions, temperatures,
/// statuses and numbers of steps of both. The reactors and their kernels are files that are compiled beside it.
pub fn program_of_reactors(mechanism: &str, call: &CalledReactor<'_>) -> String {
    let prefix = identifier(mechanism);
    let CalledReactor { species, points, stride, options } = call;
    let tolerances = [options.relative_tolerance, options.absolute_tolerance].map(real).join(", ");
    let most = options.most_steps;
    let calls = format!(
        "  const auto told = read<double>({stride}), fixed = read<double>({stride});
  const auto fractions = read<double>({species} * {stride}), time = read<double>({stride});
  const {prefix}_reactor_options options = {{ {tolerances}, 0.0, {most}, nullptr }};
  for (const int together : {{ {points}, 1 }}) {{
    std::vector<double> state({stride}, NAN), temperature({stride}, NAN), ends({species} * {stride}, NAN);
    std::vector<int> done({stride}, -1), steps({stride}, -1);
    for (int p = 0; p < {points}; p += together) {{
      {prefix}_reactor_results results = {{}};
      results.status = done.data() + p;
      results.steps = steps.data() + p;
      results.temperature = temperature.data() + p;
      status |= {prefix}_reactor_advance(context, told.data() + p, fixed.data() + p, fractions.data() + p, time.data() + p,
        state.data() + p, ends.data() + p, nullptr, &results, &options, together, {stride}, nullptr, nullptr);
    }}
    write(ends);
    write(temperature);
    write(done);
    write(steps);
  }}
"
    );
    let includes = format!("#include \"{prefix}_reactor.h\"\n");
    render(Template::CpuTexts, &Program { includes, prefix, calls })
}

#[derive(Serialize)]
struct Program {
    includes: String,
    prefix: String,
    calls: String,
}

/// Includes the headers, and the kernels in namespaces of their own.
fn includes(vectors: &str, headers: &[String], calls: &[Called<'_>]) -> String {
    let include = |file: &str| format!("#include \"{file}\"\n");
    let mut includes = include(vectors) + &headers.iter().map(|header| include(header)).collect::<String>();
    // Each file has functions of the same names, and finds those of the vectors before others beside it.
    let guard = vectors.to_uppercase().replace('.', "_");
    for Called { symbol, .. } in calls.iter().filter(|call| !call.by_points) {
        let (vectors, text) = (include(vectors), include(&format!("{symbol}.cpp")));
        includes += &format!("namespace file_of_{symbol} {{\n#undef {guard}\n{vectors}{text}}}\n");
    }
    includes
}

fn timed(call: &Called<'_>, count: usize) -> String {
    let Called { symbol, arrays, points, stride, .. } = call;
    let (output, inputs) = arrays.split_last().expect("a kernel has an output");
    let mut text = String::from("  {\n");
    for (at, array) in inputs.iter().enumerate() {
        let (number, rows) = (array.io.c_type(), array.rows);
        text += &format!(
            "    const auto given{at} = read<{number}>({rows} * {stride});
    std::vector<{number}> a{at}({rows} * {count});
    for (int n = 0; n < {rows} * {count}; ++n) a{at}[n] = given{at}[n / {count} * {stride} + n % {count} % {points}];\n"
        );
    }
    let given: String = (0..inputs.len()).map(|at| format!("a{at}.data(), ")).collect();
    text + &format!(
        "    std::vector<{}> out({} * {count});
    std::vector<double> times(9);
    for (double &time : times) {{
      const auto began = std::chrono::steady_clock::now();
      int calls = 0;
      std::chrono::duration<double, std::nano> passed(0.0);
      for (; passed.count() < 2e7; ++calls) {{
        status |= {symbol}_launch(context, {given}out.data(), {count}, {count}, nullptr);
        passed = std::chrono::steady_clock::now() - began;
      }}
      time = passed.count() / calls / {count};
    }}
    std::sort(times.begin(), times.end());
    write(std::vector<double>{{times[4]}});
  }}\n",
        output.io.c_type(),
        output.rows
    )
}

fn text(call: &Called<'_>, prefix: &str) -> String {
    let Called { symbol, by_points, arrays, points, stride } = call;
    let (output, inputs) = arrays.split_last().expect("a kernel has an output");
    let mut text = String::from("  {\n");
    for (at, array) in inputs.iter().enumerate() {
        let (number, count) = (array.io.c_type(), array.rows as usize * stride);
        text += &format!("    const auto a{at} = read<{number}>({count});\n");
    }
    let (number, count) = (output.io.c_type(), output.rows as usize * stride);
    text += &format!("    std::vector<{number}> out({count}, ({number})NAN);\n");
    let given = |more: &str| (0..inputs.len()).map(|at| format!("a{at}.data(){more}, ")).collect::<String>();
    text += &if *by_points {
        let (name, given) = (short_name(symbol, prefix), given(" + p"));
        let call = format!("{prefix}_device::{name}({given}{stride}, out.data() + p, {stride})");
        format!("    for (int p = 0; p < {points}; ++p) {call};\n")
    } else {
        let given = given("");
        format!("    status |= {symbol}_launch(context, {given}out.data(), {points}, {stride}, nullptr);\n")
    };
    text + "    write(out);\n  }\n"
}
