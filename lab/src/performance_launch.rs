//! Launches in which the files of a kernel are timed for long, with states of their own.

use std::fmt::Write as _;

use serde_json::Value;

/// Turns of the streaming loop that a launch executes, as the compiler has it: the model repeats them.
pub const EXECUTED: u64 = 4;

/// Returns the warps of a CTA.
pub fn warps(kernel: &Value) -> u64 {
    kernel["warps"].as_u64().unwrap_or(1) * kernel["groups_per_cta"].as_u64().unwrap_or(1)
}

/// Returns the points of the launch: every CTA of a full SM turns its loop as often as is executed.
pub fn points(kernel: &Value) -> u64 {
    let number = |value: &Value| value.as_u64().unwrap_or(1);
    let is_data_parallel = kernel["codegen"].as_str().is_some_and(|code| code.starts_with("data-parallel"));
    let groups = if is_data_parallel { warps(kernel) } else { number(&kernel["groups_per_cta"]) };
    EXECUTED * number(&kernel["machine"]["ctas_per_sm"]) * 32 * number(&kernel["points_per_lane"]) * groups
}

/// Returns the launch, with states like those of a verification: temperatures that rise from point to point, and points with a few species alone, whose
/// divisions take longer.
pub fn launch(kernel: &Value, source: &str) -> String {
    let points = points(kernel);
    let dynamic = source.split_once("dynamic_shared_bytes = ").and_then(|(_, rest)| rest.split_once(';'));
    let shared = dynamic.map_or("0", |(bytes, _)| bytes);
    let mut text =
        format!("ctas = {}\nthreads = {}\nshared = {shared}\n", kernel["machine"]["ctas_per_sm"], 32 * warps(kernel));
    for array in kernel["arrays"].as_array().into_iter().flatten() {
        let rows = array["rows"].as_u64().unwrap_or(1);
        text += "[[arguments]]\n";
        // Writing to a String cannot fail.
        let _ = if array["output"] == true {
            writeln!(text, "output = true\nlength = {}", rows * points)
        } else {
            let name = array["name"].as_str().unwrap_or_default();
            let values: Vec<String> =
                (0..rows * points).map(|at| format!("{:e}", value(name, at / points, at % points, points))).collect();
            writeln!(text, "values = [{}]", values.join(", "))
        };
    }
    // the points, and the distance of two rows
    text + &format!("[[arguments]]\ns32 = {points}\n").repeat(2)
}

/// Returns the value of a row of an array at a point: 300 to 3000 K, 0.5 to 20 bar, steps of 1 to 100 ns, fractions from 0 to 1.
fn value(array: &str, row: u64, point: u64, points: u64) -> f64 {
    let anywhere = ((row * points + point) as f64 * std::f64::consts::SQRT_2).fract();
    match array {
        "temperature" => 300.0 + 2700.0 * point as f64 / points as f64,
        "pressure" => 5e4 + 2e6 * anywhere,
        "time_step" => 10f64.powf(2.0 * anywhere - 9.0),
        _ if matches!(point % 5, 0 | 3) || (row + point).is_multiple_of(4) => anywhere,
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{launch, value};

    #[test]
    fn a_launch_fills_an_sm_for_as_many_turns_as_are_executed() {
        let arrays = json!([{ "name": "temperature", "rows": 1, "output": false }, { "name": "rates", "rows": 3, "output": true }]);
        let kernel = json!({ "codegen": "data-parallel", "warps": 2, "groups_per_cta": 1, "points_per_lane": 1, "arrays": arrays,
            "machine": { "ctas_per_sm": 3 } });
        let text = launch(&kernel, "const int dynamic_shared_bytes = 64;");
        assert!(text.starts_with("ctas = 3\nthreads = 64\nshared = 64\n"));
        assert!(text.contains("length = 2304\n") && text.ends_with("s32 = 768\n"), "{text}");
    }

    #[test]
    fn time_steps_are_of_nanoseconds() {
        let steps = (0..64).map(|point| value("time_step", 0, point, 64));
        assert!(steps.clone().all(|step| (1e-9..1e-7).contains(&step)) && steps.clone().any(|step| step > 5e-8));
        assert_eq!([value("mole_fractions", 1, 1, 64), value("temperature", 0, 0, 64)], [0.0, 300.0]);
    }
}
