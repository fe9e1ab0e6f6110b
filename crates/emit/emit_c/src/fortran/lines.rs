//! Lines of Fortran in free form: continued statements, comments, and tables.

/// Fortran 2018 allows 132 characters; the sign of a continued line is one of them.
const WIDTH: usize = 118;

/// Entries of a statement: Fortran 2018 allows 255 continuation lines.
const MOST_ENTRIES: usize = 400;

/// The statement with a line break behind a blank wherever a line would be too long. Statements with texts in quotes are left as they are.
pub fn statement(depth: usize, text: &str) -> String {
    let indent = "  ".repeat(depth);
    let mut out = String::new();
    let mut line = indent.clone();
    for word in text.split(' ') {
        if line.len() + word.len() > WIDTH && line.trim_start().len() > 4 {
            out += &format!("{} &\n", line.trim_end());
            line = format!("{indent}    ");
        }
        line += word;
        line.push(' ');
    }
    out + line.trim_end() + "\n"
}

/// A comment: no line of the text can become code.
pub fn comment(depth: usize, text: &str) -> String {
    let line = |line: &str| {
        let plain: String = line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        format!("{}! {plain}", "  ".repeat(depth)).trim_end().to_owned() + "\n"
    };
    text.lines().map(line).collect()
}

/// Declarations of variables of one type.
pub fn declarations(depth: usize, ty: &str, names: &[String]) -> String {
    names.chunks(60).map(|names| statement(depth, &format!("{ty} :: {}", names.join(", ")))).collect()
}

/// An array that is a parameter, counted from 0. The compilers' limit of continuation lines makes several of a long one.
pub fn table(depth: usize, ty: &str, name: &str, items: &[String]) -> String {
    let one = |name: &str, items: &[String]| {
        let last = items.len().saturating_sub(1);
        statement(depth, &format!("{ty}, parameter :: {name}(0:{last}) = [ {} ]", items.join(", ")))
    };
    if items.len() <= MOST_ENTRIES {
        return one(name, items);
    }
    let parts: Vec<(String, &[String])> =
        items.chunks(MOST_ENTRIES).enumerate().map(|(at, part)| (format!("{name}_part_{at}"), part)).collect();
    let names: Vec<String> = parts.iter().map(|(name, _)| name.clone()).collect();
    let last = items.len() - 1;
    let whole = format!("{ty}, parameter :: {name}(0:{last}) = [ {} ]", names.join(", "));
    parts.iter().map(|(name, part)| one(name, part)).collect::<String>() + &statement(depth, &whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_statements_go_on_behind_blanks() {
        let terms: Vec<String> = (0..40).map(|at| format!("term_{at}")).collect();
        let text = statement(2, &format!("sum = {}", terms.join(" + ")));
        assert!(text.lines().count() > 1 && text.lines().all(|line| line.len() < 132), "{text}");
        assert_eq!(text.replace(" &\n        ", " "), format!("    sum = {}\n", terms.join(" + ")));
        assert_eq!(statement(0, "x = 1"), "x = 1\n");
    }

    #[test]
    fn long_tables_are_made_of_parts() {
        let items: Vec<String> = (0..MOST_ENTRIES + 1).map(|at| at.to_string()).collect();
        let text = table(1, "integer", "t", &items);
        assert!(text.contains("t_part_0(0:399) = [") && text.contains("t_part_1(0:0) = [ 400 ]"), "{text}");
        assert!(text.ends_with("  integer, parameter :: t(0:400) = [ t_part_0, t_part_1 ]\n"), "{text}");
    }

    #[test]
    fn comments_stay_comments() {
        assert_eq!(comment(1, "a\rb\nc"), "  ! a b\n  ! c\n");
    }
}
