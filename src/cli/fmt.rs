//! `singe fmt`: a mechanism in the canonical form of CHEMKIN files or of Cantera YAML.

use super::args::{FmtArguments, Format};
use super::compile;
use command::Failure;
use command::files;
use command::print;
use diagnostics::Diagnostic;
use mechanism::{self, Files, Input, Mechanism};

pub fn run(arguments: &FmtArguments) -> Result<(), Failure> {
    let files = compile::files(&arguments.input);
    let read = mechanism::read_with(&files, compile::options(&arguments.input));
    let (mechanism, warnings) = read.map_err(Failure::input)?;
    compile::warn(&warnings);
    let (texts, rounded) = texts(&mechanism, arguments.to).map_err(Failure::input)?;
    compile::warn(&rounded);
    if arguments.check {
        let others = not_canonical(&files, &mechanism, &texts);
        return if others.is_empty() { Ok(()) } else { Err(Failure::input(others)) };
    }
    let Some(folder) = &arguments.output else {
        return print(format_args!("{}", texts[0].text));
    };
    let files: Vec<(String, String)> =
        texts.into_iter().map(|Text { file, text, .. }| (file.to_owned(), text)).collect();
    files::write(folder, &files, arguments.force).map_err(Failure::input)
}

/// A file in canonical form.
struct Text {
    what: &'static str,
    file: &'static str,
    text: String,
}

/// The texts, the mechanism first, and warnings of what they do not say exactly.
fn texts(mechanism: &Mechanism, to: Format) -> Result<(Vec<Text>, Vec<Diagnostic>), Vec<Diagnostic>> {
    if to == Format::Yaml {
        let text = mechanism::write_yaml(mechanism);
        let refused = mechanism::without_cantera_form(mechanism);
        return Ok((vec![Text { what: "mechanism", file: "chem.yaml", text }], refused));
    }
    let written = mechanism::write(mechanism)?;
    let transport = written.transport.map(|text| Text { what: "transport file", file: "tran.dat", text });
    let mut texts = vec![
        Text { what: "mechanism", file: "chem.inp", text: written.mechanism },
        Text { what: "thermo file", file: "therm.dat", text: written.thermo },
    ];
    texts.extend(transport);
    Ok((texts, written.warnings))
}

/// One error for each file that differs from its canonical text, or does not exist because its data stand elsewhere.
fn not_canonical(files: &Files, mechanism: &Mechanism, texts: &[Text]) -> Vec<Diagnostic> {
    let is_read = |text: &String| {
        let sha256 = Input::new(String::new(), text.as_bytes()).sha256;
        mechanism.inputs.iter().any(|input| input.sha256 == sha256)
    };
    let others = texts.iter().filter(|Text { text, .. }| !is_read(text));
    let error = |Text { what, .. }: &Text| {
        let message = format!("the {what} of '{}' is not in canonical form", files.mechanism.display());
        Diagnostic::error("fmt::not-canonical", message).help("write it anew with singe fmt MECHANISM -o FOLDER")
    };
    others.map(error).collect()
}
