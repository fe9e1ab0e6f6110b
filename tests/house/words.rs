//! The words of Rust text: names, `::` and single signs, without comments and literals.

/// The words in their order. A literal of text leaves nothing behind.
pub fn words(source: &str) -> Vec<String> {
    let mut rest = source;
    let mut words = Vec::new();
    while let Some(first) = rest.chars().next() {
        let length = match literal(rest) {
            Some(length) => length,
            None if is_of_name(first) => {
                let length = rest.find(|c| !is_of_name(c)).unwrap_or(rest.len());
                words.push(rest[..length].to_owned());
                length
            }
            None if rest.starts_with("::") => {
                words.push("::".to_owned());
                2
            }
            None => {
                words.extend((!first.is_whitespace()).then(|| first.to_string()));
                first.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    words
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The length of the comment, text, character or lifetime that the source begins with.
fn literal(source: &str) -> Option<usize> {
    if source.starts_with("//") {
        return Some(source.find('\n').unwrap_or(source.len()));
    }
    if source.starts_with("/*") {
        return Some(block_comment(source));
    }
    let unprefixed = source.trim_start_matches(['b', 'c']);
    let prefix = source.len() - unprefixed.len();
    if let Some(raw) = unprefixed.strip_prefix('r') {
        let hashes = raw.len() - raw.trim_start_matches('#').len();
        if raw[hashes..].starts_with('"') {
            let end = format!("\"{}", "#".repeat(hashes));
            let begin = prefix + 1 + hashes + 1;
            return Some(source[begin..].find(&end).map_or(source.len(), |at| begin + at + end.len()));
        }
    }
    if prefix <= 1 && unprefixed.starts_with('"') {
        return Some(prefix + quoted(unprefixed, '"'));
    }
    let inner = source.strip_prefix('\'')?;
    let is_character = inner.starts_with('\\') || inner.chars().nth(1) == Some('\'');
    // A lifetime is a quote and a name.
    Some(if is_character { quoted(source, '\'') } else { 1 })
}

/// From one quote to the next that is not escaped.
fn quoted(source: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, c) in source.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    source.len()
}

/// Comments of this kind stand in each other.
fn block_comment(source: &str) -> usize {
    let (mut at, mut open) = (2, 1);
    while open > 0 {
        let Some(next) = source[at..].find(['/', '*']) else { return source.len() };
        at += next;
        let change = if source[at..].starts_with("/*") {
            1
        } else if source[at..].starts_with("*/") {
            -1
        } else {
            0
        };
        open += change;
        at += if change == 0 { 1 } else { 2 };
    }
    at
}

#[test]
fn words_are_told_from_comments_and_literals() {
    let source = r##"use a::b; // use c;
        /* use d; /* use e; */ use f; */ let x = "use g;\""; let y = r#"use "h"; "#; let z: &'a str = b"use i"; '"' '\'' j"##;
    let expected = "use a :: b ; let x = ; let y = ; let z : & a str = ; j";
    assert_eq!(words(source).join(" "), expected);
}
