//! Completions load in the shells that are there and know the commands and flags; manual pages tell every flag.

use std::path::Path;
use std::process::{Command, Output};

use clap::CommandFactory;
use singe::cli::Arguments;
use testkit::skip;

fn singe(words: &[&str]) -> String {
    let Output { status, stdout, stderr } =
        Command::new(env!("CARGO_BIN_EXE_singe")).args(words).output().expect("singe runs");
    assert!(status.success(), "{words:?}: {}", String::from_utf8_lossy(&stderr));
    String::from_utf8(stdout).expect("a text")
}

/// Returns the answer of a shell to a script that loads the completions of `singe` from the first argument; `None` if it is absent.
fn answer(shell: &str, words: &[&str], script: &str) -> Option<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("completions");
    std::fs::write(&file, singe(&["completions", shell])).expect("a file");
    let mut command = Command::new(shell);
    command.args(words).arg(script.replace("FILE", &file.display().to_string())).env("HOME", folder.path());
    let Ok(Output { status, stdout, stderr }) = command.output() else {
        skip::skip(format!("{shell} is absent"));
        return None;
    };
    let (text, errors) = (String::from_utf8_lossy(&stdout).into_owned(), String::from_utf8_lossy(&stderr).into_owned());
    assert!(status.success() && errors.is_empty(), "{shell}: {text}{errors}");
    Some(text)
}

fn has(words: &str, word: &str) -> bool {
    words.split_whitespace().any(|found| found == word)
}

#[test]
fn bash_completes_commands_flags_and_values() {
    let script = "source FILE; complete -p singe; COMP_WORDS=(singe ptx oc); COMP_CWORD=2; _singe singe oc ptx; \
                  echo \"${COMPREPLY[@]}\"; COMP_WORDS=(singe chem.inp --effort ''); COMP_CWORD=3; _singe singe '' --effort; \
                  echo \"${COMPREPLY[@]}\"";
    let Some(text) = answer("bash", &["--norc", "-c"], script) else { return };
    assert!(text.contains("-F _singe singe") && has(&text, "occupancy"), "{text}");
    assert!(has(&text, "quick") && has(&text, "thorough"), "{text}");
}

#[test]
fn zsh_loads_the_completions() {
    let script = "autoload -U compinit && compinit -u -D && source FILE && print $_comps[singe] && whence -w _singe";
    let Some(text) = answer("zsh", &["-f", "-c"], script) else { return };
    assert_eq!(text, "_singe\n_singe: function\n");
}

#[test]
fn fish_completes_commands_flags_and_values() {
    let script = "source FILE; complete -C 'singe ptx occ'; complete -C 'singe ptx verify --thr'; complete -C 'singe --effort='; complete -C 'singe fmt --to '";
    let Some(text) = answer("fish", &["--no-config", "-c"], script) else { return };
    for word in ["occupancy", "--threads", "--effort=quick", "--effort=thorough", "yaml"] {
        assert!(has(&text, word), "{word}: {text}");
    }
}

#[test]
fn the_manual_has_a_page_for_each_command_with_all_its_flags() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("man");
    singe(&["man", "--output", path.to_str().expect("a plain path")]);
    let page = |name: &str| {
        std::fs::read_to_string(path.join(format!("{name}.1"))).unwrap_or_else(|e| panic!("{name}.1: {e}"))
    };
    let command = Arguments::command();
    let mut seen = 0;
    let below = command.get_subcommands().flat_map(|one| {
        let nested = one.get_subcommands().map(|two| (format!("singe-{}-{}", one.get_name(), two.get_name()), two));
        std::iter::once((format!("singe-{}", one.get_name()), one)).chain(nested)
    });
    for (name, command) in std::iter::once(("singe".to_owned(), &command)).chain(below) {
        let text = page(&name).replace("\\-", "-");
        assert!(text.contains(&format!(".TH {name} 1")), "{text}");
        for flag in command.get_arguments().filter(|a| !a.is_hide_set()).filter_map(|a| a.get_long()) {
            assert!(text.contains(&format!("--{flag}")), "{name}: --{flag}");
            seen += 1;
        }
        lints(&path.join(format!("{name}.1")));
    }
    assert!(seen > 60, "{seen}");
    assert_eq!(singe(&["man"]), page("singe"));
}

/// Checks a page with a reader of manual pages.
fn lints(page: &Path) {
    let Ok(Output { stdout, .. }) = Command::new("man").args(["--warnings", "-l"]).arg(page).output() else {
        return skip::skip("man is absent");
    };
    let shown = String::from_utf8_lossy(&stdout);
    assert!(shown.contains("SYNOPSIS") || shown.contains("Synopsis"), "{}: {shown}", page.display());
}
