//! Lines of at most 120 columns.

const WIDTH: usize = 120;
/// Extra indentation of lines that continue a statement.
const INDENT: usize = 4;
/// Indentation behind the slashes of lines that continue a comment.
const COMMENT: usize = 3;
/// Column at which the values begin in the head of the file.
const FIELD: usize = 15;

/// The text with its longer lines broken: statements behind a comma or an operator, as far outside of parentheses as can be,
/// comments between words. Lines with strings, lines that go on already, and those that name a file or the command in the head, which
/// scripts read, stay as they are.
pub fn lines(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 16);
    for line in text.lines() {
        wrap(line, &mut out);
    }
    out
}

fn wrap(line: &str, out: &mut String) {
    let mut rest = line.to_owned();
    let indent = line.len() - line.trim_start().len();
    let stays = match is_comment(line) {
        true => is_field(line),
        false => line.contains('"') || line.ends_with('\\') || line.starts_with('#'),
    };
    while !stays && rest.chars().count() > WIDTH {
        let place = if is_comment(&rest) {
            let own = rest.len() - rest.trim_start().len();
            between_words(&rest, own + 2 + COMMENT).map(|at| (at, own, format!("//{:COMMENT$}", "")))
        } else {
            outside(&rest, indent).map(|at| (at, indent, " ".repeat(INDENT)))
        };
        let Some((place, column, head)) = place else { break };
        let next = rest.split_off(place);
        out.push_str(rest.trim_end());
        out.push('\n');
        rest = format!("{:column$}{head}{}", "", next.trim_start());
    }
    out.push_str(&rest);
    out.push('\n');
}

fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with("//")
}

/// Whether it is a comment with a name and a value.
fn is_field(line: &str) -> bool {
    line.get(..FIELD).is_some_and(|head| head.starts_with("// ") && head[3..].contains("  ") && head.ends_with(' '))
}

/// Behind the last space of the text, which begins in this column.
fn between_words(line: &str, text: usize) -> Option<usize> {
    spaces(line).filter(|&at| at > text && at <= WIDTH).last().map(|at| at + 1)
}

/// Behind a comma or an operator: the last one of those in fewest parentheses. A comment behind the code goes on a line of its own if nothing else
/// can be broken.
fn outside(line: &str, indent: usize) -> Option<usize> {
    let comment = line.find(" //").map(|at| at + 1);
    let mut depth = 0;
    let mut best: Option<(i32, usize)> = None;
    let bytes = line.as_bytes();
    for (at, byte) in line.bytes().enumerate().take(comment.unwrap_or(WIDTH).min(WIDTH)) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            b' ' if at > indent + INDENT
                && b",+-*/?:&|".contains(&bytes[at - 1])
                && best.is_none_or(|(least, _)| depth <= least) =>
            {
                best = Some((depth, at + 1));
            }
            _ => {}
        }
    }
    best.map(|(_, at)| at).or(comment)
}

fn spaces(line: &str) -> impl Iterator<Item = usize> + '_ {
    line.match_indices(' ').map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn a_statement_goes_on_behind_the_outermost_comma() {
        let inner = "f(aaaaaaaaaaaaaaaaaaaa, bbbbbbbbbbbbbbbbbbbb, cccccccccccccccccc)";
        let line = format!("    const double x = fma({inner}, {inner}, dddd);");
        let broken = lines(&line);
        assert_eq!(broken, format!("    const double x = fma({inner},\n        {inner}, dddd);\n"));
    }

    #[test]
    fn short_lines_strings_and_macros_stay() {
        let long = "x".repeat(130);
        let text = format!(
            "// input       {long} sha256 1\nint a = 1;\n  asm volatile(\"{long}\", 1);\n#define {long} 1, \\\n"
        );
        assert_eq!(lines(&text), text);
    }

    #[test]
    fn comments_break_between_words() {
        let line = format!("  // {}and {}", "a ".repeat(56), "b".repeat(20));
        assert_eq!(lines(&line), format!("  // {}and\n  //   {}\n", "a ".repeat(56), "b".repeat(20)));
    }

    #[test]
    fn a_comment_behind_code_stays_a_comment() {
        let long = format!("{}- {}", "c ".repeat(60), "d".repeat(20));
        let broken = lines(&format!("  A = 1, // {long}\n  B = 2 // {long}\n"));
        assert!(broken.lines().all(|line| line.len() <= 120), "{broken}");
        let code: Vec<&str> = broken.lines().filter(|line| !super::is_comment(line)).map(str::trim).collect();
        assert_eq!(code, ["A = 1,", "B = 2"]);
    }
}
