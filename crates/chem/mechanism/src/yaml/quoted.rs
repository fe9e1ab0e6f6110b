//! Quoted text over several lines. YAML wants each line deeper than the key; Cantera's reader, which is more lenient, has
//! let files into circulation where it is not.

/// The text with each line break inside quotes made a blank, which is what it stands for: all else keeps its place. The
/// error is where a quote begins that has no end.
pub fn joined(text: &str) -> Result<String, usize> {
    let mut bytes = text.as_bytes().to_vec();
    let mut scan = Scan { text: text.as_bytes(), at: 0, depth: 0 };
    while scan.at < bytes.len() {
        let from = scan.at;
        let end = scan.line()?;
        for byte in bytes[from..end].iter_mut().filter(|byte| **byte == b'\n') {
            *byte = b' ';
        }
    }
    // Only bytes that are characters of their own were replaced.
    String::from_utf8(bytes).map_err(|_| 0)
}

struct Scan<'a> {
    text: &'a [u8],
    at: usize,
    /// Brackets that are open.
    depth: usize,
}

impl Scan<'_> {
    /// Goes behind the line break outside quotes that comes next, and behind the block of text that may follow. Returns
    /// where that line break is.
    fn line(&mut self) -> Result<usize, usize> {
        let start = self.at;
        let mut before = b'\n';
        let mut was_blank = true;
        while let Some(&byte) = self.text.get(self.at) {
            let begins = match before {
                b'\n' => true,
                b':' | b'-' | b'?' => was_blank,
                b',' | b'[' | b'{' => self.depth > 0,
                _ => false,
            };
            match byte {
                b'\n' => break,
                b'#' if was_blank => {
                    self.at += self.rest_of_line();
                    break;
                }
                b'"' | b'\'' if begins => {
                    let open = self.at;
                    self.at = self.close(byte).ok_or(open)?;
                }
                b'[' | b'{' if begins => self.depth += 1,
                b']' | b'}' => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
            was_blank = byte == b' ' || byte == b'\t';
            if !was_blank {
                before = byte;
            }
            self.at += 1;
        }
        let end = self.at;
        self.at = (end + 1).min(self.text.len());
        if matches!(before, b'|' | b'>') {
            self.skip_block(start);
        }
        Ok(end)
    }

    /// Finds where the quote that opens here closes.
    fn close(&self, quote: u8) -> Option<usize> {
        let mut at = self.at + 1;
        loop {
            match *self.text.get(at)? {
                b'\\' if quote == b'"' => at += 2,
                byte if byte != quote => at += 1,
                _ if quote == b'\'' && self.text.get(at + 1) == Some(&quote) => at += 2,
                _ => return Some(at),
            }
        }
    }

    /// Goes behind the lines that are deeper than the one from `start`: they are text as it stands.
    fn skip_block(&mut self, start: usize) {
        let indentation = |from: usize| self.text[from..].iter().take_while(|byte| **byte == b' ').count();
        let own = indentation(start);
        let mut at = self.at;
        while at < self.text.len() {
            let blanks = indentation(at);
            if blanks <= own && self.text.get(at + blanks) != Some(&b'\n') {
                break;
            }
            at += 1 + self.text[at..].iter().take_while(|byte| **byte != b'\n').count();
        }
        self.at = at.min(self.text.len());
    }

    fn rest_of_line(&self) -> usize {
        self.text[self.at..].iter().take_while(|byte| **byte != b'\n').count()
    }
}

#[cfg(test)]
mod tests {
    use super::joined;

    #[test]
    fn lines_are_joined_inside_quotes_only() {
        for (text, expected) in [
            ("a: \"b\nc\"\nd: e\n", Ok("a: \"b c\"\nd: e\n")),
            ("a: 'b''\nc'\nd: \"\\\"\n\"", Ok("a: 'b'' c'\nd: \"\\\" \"")),
            ("a: {b: \"c\nd\", e: [\"f\ng\"]}", Ok("a: {b: \"c d\", e: [\"f g\"]}")),
            ("a: it's \"so\nb: 5' # \"\n", Ok("a: it's \"so\nb: 5' # \"\n")),
            ("- a: |\n  \"b\n\n  c\n- d: \"e\nf\"\n", Ok("- a: |\n  \"b\n\n  c\n- d: \"e f\"\n")),
            ("a: b\nc: \"d\n", Err(8)),
        ] {
            assert_eq!(joined(text), expected.map(str::to_owned), "{text}");
        }
    }
}
