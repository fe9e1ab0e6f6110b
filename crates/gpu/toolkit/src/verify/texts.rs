//! The PTX texts of the files that are verified.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::kernel::{bytes, checked};
use diagnostics::{Diagnostic, Source};
use ptx::Module;
use ptx::places::Places;
use sass::fatbin::{self, Image};

/// One PTX text.
pub struct Text {
    /// The file that has it.
    pub file: PathBuf,
    /// Whether the file is the text, so that lines are those of the file.
    pub is_file: bool,
    pub source: Arc<Source>,
    pub module: Module,
    /// Places in the source that the text was compiled from.
    pub places: Places,
}

/// Reads the texts of a file.
///
/// # Errors
/// The file cannot be read, has no PTX, or PTX that is wrong.
pub fn read(file: &Path) -> Result<Vec<Text>, Vec<Diagnostic>> {
    let bytes = bytes(file).map_err(|failure| failure.diagnostics)?;
    let name = file.display().to_string();
    if !fatbin::is_binary(&bytes) {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        return Ok(vec![text_of(file, Source { name, text }, true)?]);
    }
    let refuse = |message: String| {
        let help = "nvcc keeps PTX with -gencode arch=compute_NN,code=compute_NN, and a cubin has it with -lineinfo or -g; or give the PTX itself";
        vec![Diagnostic::error("verify::no-ptx", format!("{name}: {message}")).help(help)]
    };
    let images = fatbin::texts(&bytes).map_err(refuse)?;
    if images.is_empty() {
        return Err(refuse("the file has machine code at most, and no PTX".to_owned()));
    }
    let many = images.len() > 1;
    let image = |(number, Image { sm, text }): (usize, Image)| {
        let sm = sm.map_or(String::new(), |sm| format!(" for sm_{sm}"));
        let number = if many { format!(" {}", number + 1) } else { String::new() };
        let name = format!("{name} (PTX{number}{sm})");
        text_of(file, Source { name, text }, false)
    };
    images.into_iter().enumerate().map(image).collect()
}

fn text_of(file: &Path, source: Source, is_file: bool) -> Result<Text, Vec<Diagnostic>> {
    let source = Arc::new(source);
    let module = checked(&source)?;
    let places = Places::read(&source.text);
    Ok(Text { file: file.to_owned(), is_file, source, module, places })
}
