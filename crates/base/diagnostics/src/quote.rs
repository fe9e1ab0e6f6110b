//! Quotes of files in messages: no more than a line, and nothing that a terminal would not show as it stands.

/// Bytes of a word that are quoted.
const LONGEST_WORD: usize = 200;

/// Bytes at each end of a longer one.
const END: usize = 60;

/// A message without the middle of words that are longer than a line: a name may be a whole file.
pub fn shortened(message: String) -> String {
    if message.len() <= LONGEST_WORD || message.split_whitespace().all(|word| word.len() <= LONGEST_WORD) {
        return message;
    }
    let short = |word: &str| {
        if word.len() <= LONGEST_WORD {
            return word.to_owned();
        }
        let (first, last) = (word.floor_char_boundary(END), word.ceil_char_boundary(word.len() - END));
        format!("{}...{}", &word[..first], &word[last..])
    };
    message.split(' ').map(short).collect::<Vec<_>>().join(" ")
}

/// Whether a character shows nothing, or turns the direction of what follows, so that a text is not what it looks like.
pub fn is_invisible(c: char) -> bool {
    matches!(c, '\u{AD}' | '\u{61C}' | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}')
}

/// A text with the codes of such characters.
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_invisible(c) { shown.push_str(&format!("<U+{:04X}>", u32::from(c))) } else { shown.push(c) }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_words_lose_their_middle_and_others_nothing() {
        let path = format!("cannot read '/{}/chem.inp'", "folder/".repeat(20));
        assert_eq!(shortened(path.clone()), path);
        let short = shortened(format!("unknown species '{}\u{e9}' in line 3", "X".repeat(1_000_000)));
        assert!(short.len() < 200 && short.starts_with("unknown species 'XX") && short.ends_with("\u{e9}' in line 3"));
    }

    #[test]
    fn what_shows_nothing_is_shown() {
        assert_eq!(visible("H2\u{202E}O\u{200B}"), "H2<U+202E>O<U+200B>");
    }
}
