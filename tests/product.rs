//! Generated texts as a product: no comment above nothing, no arithmetic that a reader would cross out, no legend beyond a page, no call
//! that frees memory and looks away.

use std::path::Path;

use testkit::project::generate;
use testkit::shipped;

/// Most lines of a comment.
const PAGE: usize = 60;

const CROSSED_OUT: [&str; 8] = ["-1.0 * ", "-1.0f * ", " * -1.0", " / 1 + 1", " + -", " - -", "? 0 : 0", "? 0.0 : 0.0"];

/// The arguments of each call of a function, in a line that has all of them.
fn calls<'l>(line: &'l str, function: &str) -> Vec<Vec<&'l str>> {
    let starts = line.match_indices(function).map(|(at, _)| at + function.len());
    let arguments = starts.filter_map(|start| {
        let (mut depth, mut from, mut found) = (0, start, Vec::new());
        for (at, letter) in line[start..].char_indices().map(|(at, letter)| (start + at, letter)) {
            match letter {
                ',' | ')' if depth == 0 => {
                    found.push(line[from..at].trim());
                    from = at + 1;
                    if letter == ')' {
                        return Some(found);
                    }
                }
                '(' | '[' => depth += 1,
                ')' | ']' => depth -= 1,
                _ => {}
            }
        }
        None
    });
    arguments.collect()
}

/// Whether an argument is this number, with either sign.
fn is_number(argument: &str, number: &str) -> bool {
    let bare = argument.strip_prefix("all(").and_then(|rest| rest.strip_suffix(')')).unwrap_or(argument);
    bare.trim_start_matches('-').trim_end_matches('f') == number
}

/// A product with 0 or 1, a sum with 0, or a choice between two equal numbers.
fn does_nothing(line: &str) -> bool {
    let is_vain = |call: &Vec<&str>| {
        let factors = &call[..2];
        factors.iter().any(|a| is_number(a, "0.0") || is_number(a, "1.0")) || is_number(call[2], "0.0")
    };
    let fused = ["fma(", "fmaf(", "fmaf_rn("].map(|name| calls(line, name));
    fused.iter().flatten().filter(|call| call.len() == 3).any(is_vain)
        || calls(line, "select_le(").iter().any(|call| call.len() == 4 && call[2] == call[3])
}

fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with("//")
}

/// The faults of a text, each with its line.
fn faults(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    let mut run = 0;
    for (at, line) in lines.iter().enumerate() {
        run = if is_comment(line) { run + 1 } else { 0 };
        let next = lines.get(at + 1).map_or("", |next| next.trim());
        // Inside of a function; paragraphs of a file's head stand alone.
        let is_above_nothing = line.starts_with("  //") && (next.is_empty() || next.starts_with('}'));
        let is_crossed_out =
            !is_comment(line) && (CROSSED_OUT.iter().any(|part| line.contains(part)) || does_nothing(line));
        let frees = ["cudaFree(", "hipFree("].iter().any(|call| line.trim_start().starts_with(call));
        if is_above_nothing || is_crossed_out || frees || run == PAGE + 1 {
            found.push(format!("{}: {line}", at + 1));
        }
    }
    found
}

#[test]
fn faults_are_found() {
    let long = "  // a\n".repeat(PAGE + 1) + "  int a;\n";
    for text in ["  // a\n}\n", "  // a\n\n", "  x = fma(-1.0 * a, b, c);\n", "  cudaFree(pointer);\n", &long] {
        assert_eq!(faults(text).len(), 1, "{text}");
    }
    for text in [
        "fma(0.0, a, b)",
        "__fmaf_rn(-0.0f, f(a, b), c)",
        "fma(a, all(-1.0), b)",
        "fma(f(a, b[0]), b, all(0.0))",
        "g(fma(1.0, a, b))",
        "a + -b",
        "a - -1.5",
        "select_le(a, b, all(0.0), all(0.0))",
        "a <= b ? 0.0 : 0.0",
    ] {
        assert_eq!(faults(&format!("  x = {text};\n")).len(), 1, "{text}");
    }
    for text in ["fma(a, b, all(1.0))", "fma(10.0, a, -b)", "select_le(a, b, 0.0, -0.0)", "a - b", "f(0.0, a, b)"] {
        assert_eq!(faults(&format!("  x = {text};\n")).len(), 0, "{text}");
    }
    assert_eq!(faults("// a\n\n  // b\n  x = fma(a, b, c);\n  (void)cudaFree(pointer);\n"), Vec::<String>::new());
}

fn sources(folder: &Path) -> Vec<(String, String)> {
    let is_source = |name: &str| ["cu", "hip", "cpp", "h", "hpp"].iter().any(|end| name.ends_with(&format!(".{end}")));
    let files = std::fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path());
    let named = files.map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), path));
    named
        .filter(|(name, _)| is_source(name))
        .map(|(name, path)| (name, std::fs::read_to_string(path).unwrap()))
        .collect()
}

#[test]
fn generated_texts_have_none() {
    let kernels = "viscosity,conductivity,diffusion,chemistry,isobaric,thermodynamics";
    for (mechanism, arguments) in [
        (
            "h2o2",
            &["--target", "cpu", "--kernel", "viscosity,conductivity,diffusion,reactor,progress", "--state", "TPY"][..],
        ),
        ("h2o2", &["--target", "hopper", "--codegen", "data-parallel", "--kernel", kernels]),
        ("h2o2", &["--target", "hopper", "--kernel", "isobaric-step,reactor", "--codegen", "data-parallel"]),
        ("gri30", &["--target", "hopper", "--codegen", "overlay", "--kernel", "chemistry"]),
        ("h2o2", &["--target", "mi300x", "--kernel", "viscosity,reactor", "--codegen", "data-parallel"]),
    ] {
        let folder = tempfile::tempdir().unwrap();
        generate(&shipped(mechanism), folder.path(), arguments);
        let texts = sources(folder.path());
        assert!(texts.len() > 5, "{arguments:?}");
        for (name, text) in texts {
            let faults = faults(&text);
            assert!(faults.is_empty(), "{arguments:?}: {name}\n{}", faults.join("\n"));
        }
    }
}
