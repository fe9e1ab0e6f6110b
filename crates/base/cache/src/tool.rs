//! Outputs of compilers that are kept between runs of the project's tests, most of whose time they took.

use std::fs;
use std::path::Path;
use std::time::UNIX_EPOCH;

use super::{Cache, key};

/// The environment variable that names the folder of these outputs. Without it every tool is run.
pub const VARIABLE: &str = "SINGE_TOOL_OUTPUTS";

/// Returns the texts that a tool makes, now or in an earlier run. `parts` are all that decides them: the [`identity`] of the tool, its options,
/// and its input. What it refuses is not kept.
///
/// # Errors
/// Those of `run`.
pub fn output<E>(parts: &[&str], run: impl FnOnce() -> Result<Vec<String>, E>) -> Result<Vec<String>, E> {
    let folder = std::env::var_os(VARIABLE).filter(|folder| !folder.is_empty());
    output_in(folder.map(Cache::at).as_ref(), parts, run)
}

fn output_in<E>(
    cache: Option<&Cache>,
    parts: &[&str],
    run: impl FnOnce() -> Result<Vec<String>, E>,
) -> Result<Vec<String>, E> {
    let Some(cache) = cache else { return run() };
    let key = key(parts);
    if let Some(known) = cache.read(&key) {
        return Ok(known);
    }
    let made = run()?;
    cache.write(&key, &made);
    Ok(made)
}

/// Returns the place, size and age of a tool's file, which another version of it does not share.
pub fn identity(path: &Path) -> String {
    let about = fs::metadata(path).ok();
    let age = about.as_ref().and_then(|about| about.modified().ok()?.duration_since(UNIX_EPOCH).ok());
    format!("{} {:?} {age:?}", path.display(), about.map(|about| about.len()))
}

/// Returns a program without the comment at its head, which tells of the run that printed it.
pub fn code(text: &str) -> &str {
    let lines = text.split_inclusive('\n');
    let is_comment = |line: &&str| line.starts_with("//") && !line.trim_end().ends_with('\\');
    &text[lines.take_while(is_comment).map(str::len).sum()..]
}

/// Returns bytes as a text, one character each.
pub fn text(bytes: &[u8]) -> String {
    bytes.iter().map(|&byte| char::from(byte)).collect()
}

/// Returns the bytes of such a text.
pub fn bytes(text: &str) -> Vec<u8> {
    text.chars().map(|one| u8::try_from(one).expect("a text of bytes")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_runs_once_for_the_same_parts_and_again_where_it_refused() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path());
        let run = |parts: &[&str], made: Result<&str, u8>| {
            output_in(Some(&cache), parts, || made.map(|text| vec![text.to_owned()]))
        };
        assert_eq!(run(&["tool 1", "input"], Err(1)), Err(1));
        assert_eq!(run(&["tool 1", "input"], Ok("made")), Ok(vec!["made".to_owned()]));
        assert_eq!(run(&["tool 1", "input"], Ok("another")), Ok(vec!["made".to_owned()]));
        assert_eq!(run(&["tool 2", "input"], Ok("another")), Ok(vec!["another".to_owned()]));
        assert_eq!(run(&["tool 1", "input", ""], Err(2)), Err(2), "parts are not run together");
        assert_eq!(output_in::<u8>(None, &["tool 1", "input"], || Ok(Vec::new())), Ok(Vec::new()));
    }

    #[test]
    fn another_version_of_a_tool_has_another_identity() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let first = identity(file.path());
        fs::write(file.path(), "more").unwrap();
        assert_ne!(identity(file.path()), first);
    }

    #[test]
    fn a_comment_at_the_head_tells_nothing_and_any_other_does() {
        assert_eq!(code("// one\n//\nint x; // two\n// three\n"), "int x; // two\n// three\n");
        assert_eq!(code("// one\n// goes on \\\nint x;\n"), "// goes on \\\nint x;\n");
        assert_eq!([code("// all"), code(""), code("\n//\n")], ["", "", "\n//\n"]);
    }

    #[test]
    fn bytes_come_back() {
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(bytes(&text(&all)), all);
    }
}
