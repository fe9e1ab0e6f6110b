//! How files came about, and comments that say it.

/// How a kernel came about; told in the comment at the top of its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provenance {
    /// The command that makes the file again.
    pub command_line: String,
    /// The files that the command read.
    pub inputs: Vec<Input>,
    /// The mechanism's name, such as `gri30`.
    pub mechanism: String,
    /// CTAs that are to be resident on one SM: the second number of `__launch_bounds__`.
    pub ctas_per_sm: u32,
    /// The algebra, and how far it may be from the exact one; nothing for a program that no form led to.
    pub form: Option<String>,
    /// Error of single precision, if the text has it.
    pub precision: Option<String>,
}

/// An input file as the header comment names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    pub name: String,
    /// SHA-256 of its bytes, in hexadecimal.
    pub sha256: String,
}

impl Provenance {
    /// A number that files of one run share, and files of other mechanisms, options or versions do not.
    pub(crate) fn number(&self) -> u32 {
        let head = format!("{} {}\n", env!("CARGO_PKG_VERSION"), self.mechanism);
        let text = self.lines().fold(head, |text, line| text + &line + "\n");
        // FNV-1a, in 31 bits, which an int of C and of Fortran has.
        let hash = text.bytes().fold(0x811c_9dc5, |hash: u32, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
        hash & 0x7fff_ffff
    }

    /// The lines that the comment at the top of every file has.
    pub(crate) fn lines(&self) -> impl Iterator<Item = String> {
        let inputs = self.inputs.iter().map(|input| format!("input       {} sha256 {}", input.name, input.sha256));
        std::iter::once(format!("command     {}", self.command_line)).chain(inputs)
    }
}

/// Comment lines of any text: no line of it can end the comment or continue it onto the next line.
pub fn comment(indent: &str, text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let line: String = line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let line = line.trim_end_matches([' ', '\\']);
        out.push_str(format!("{indent}// {line}").trim_end());
        out.push('\n');
    }
    out
}
