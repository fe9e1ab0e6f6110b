//! How long functions are.

/// The functions of a text as `cargo fmt` leaves it, with their lines: from the line that names it to the brace below it.
pub fn functions(text: &str) -> Vec<(&str, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    lines
        .iter()
        .enumerate()
        .filter_map(|(at, line)| {
            let inner = line.trim_start();
            let (before, rest) = inner.split_once("fn ")?;
            let name = rest.split(['(', '<']).next().filter(|_| before.split(' ').all(is_modifier))?;
            let end = format!("{}}}", &line[..line.len() - inner.len()]);
            let ends_here = line.ends_with(['}', ';']);
            let length = if ends_here { 1 } else { 1 + lines[at..].iter().position(|line| *line == end)? };
            Some((name, length))
        })
        .collect()
}

fn is_modifier(word: &str) -> bool {
    matches!(word, "" | "const" | "async" | "in") || word.starts_with("pub") || word.ends_with(')')
}

#[test]
fn functions_are_measured() {
    let text = "pub fn a() {\n    b();\n}\n\nimpl A {\n    pub(in super::super) fn c<T>(\n        t: T,\n    ) {\n        let f = |x| {\n            x\n        };\n    }\n\n    fn d() {}\n}\n";
    assert_eq!(functions(text), [("a", 3), ("c", 7), ("d", 1)]);
}
