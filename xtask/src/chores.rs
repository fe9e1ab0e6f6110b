//! Chores by name: the frame of `cargo xtask` and of `cargo lab`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// A chore: its name, its arguments, its effect, and the function that does it in the folder of the workspace.
pub type Chore = (&'static str, &'static str, &'static str, fn(&Path, &[String]) -> Result<(), String>);

/// Runs the chore that the first argument names; without one, or with `help`, lists them. With `--help` behind it, says what it
/// does and does nothing. `alias`: the word behind `cargo`.
pub fn run(alias: &str, chores: &[Chore]) -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let chore = words.first().and_then(|name| chores.iter().find(|(known, ..)| known == name));
    let Some(chore @ (.., run)) = chore else {
        if words.first().is_some_and(|word| word == "help" || asks_for_help(word)) {
            println!("{}", usage(alias, chores));
            return ExitCode::SUCCESS;
        }
        eprintln!("{}", usage(alias, chores));
        return ExitCode::from(2);
    };
    if words[1..].iter().any(|word| asks_for_help(word)) {
        println!("{}", usage(alias, &[*chore]));
        return ExitCode::SUCCESS;
    }
    match run(&root(), &words[1..]) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("{reason}");
            ExitCode::FAILURE
        }
    }
}

fn asks_for_help(word: &str) -> bool {
    word == "--help" || word == "-h"
}

/// An argument, or what stands for it where it is absent.
pub fn word<'a>(words: &'a [String], place: usize, otherwise: &'a str) -> &'a str {
    words.get(place).map_or(otherwise, String::as_str)
}

fn usage(alias: &str, chores: &[Chore]) -> String {
    let lines = chores.iter().map(|(name, arguments, what, _)| {
        let command = format!("{name} {arguments}");
        format!("\n  cargo {alias} {command:42} {what}")
    });
    format!("Pages are those of docs/lab.{}", lines.collect::<String>())
}

/// The folder of the workspace.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is a folder of the workspace").to_owned()
}
