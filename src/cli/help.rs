//! Contents of `--help`: the options that most need, and with `singe help all` the others under their headings.

use clap::{Arg, Command, CommandFactory};

use super::Arguments;
use crate::plan;

/// Options of plain help in this order, without a heading of their own.
const COMMON: [&str; 9] = ["target", "kernel", "emit", "output", "effort", "thermo", "transport", "report", "json"];

/// The others, which plain help leaves out.
const HEADINGS: [(&str, &[&str]); 5] = [
    ("Mechanism", &["lewis_numbers", "reduction", "phase", "permissive", "single_intermediate_temperature"]),
    (
        "What kernels compute",
        &[
            "state",
            "outputs",
            "set",
            "units",
            "soret",
            "jacobian_storage",
            "precision",
            "error",
            "stiffness",
            "integrator",
            "name",
        ],
    ),
    ("What makes them faster", &["codegen", "config", "warps", "groups_per_cta", "ctas_per_sm", "form", "layout"]),
    ("Checks", &["verify"]),
    ("What is printed and kept", &["quiet", "color", "clean", "force", "no_cache", "print_after", "time_passes"]),
];

const EXAMPLES: &str = "\
Examples:
  singe gri30.yaml                                  kernels for an A100, in the folder singe-gri30
  singe chem.inp --target h100 --kernel chemistry   one kernel, for an H100
  singe chem.inp --target cpu --emit host           C++ for CPUs with a CMake project, C, C++ and Fortran interfaces
  singe chem.inp --target cpu --kernel reactor      reactors that are advanced in time
  singe check chem.inp                              all that is wrong with a mechanism
  singe ptx verify k.ptx --threads 256              proof of the synchronisation of a kernel of your own

`singe help all` has all options, `singe help COMMAND` those of a command, and `singe man` the manual page.";

/// The whole command: its options under headings.
pub fn whole() -> Command {
    let order =
        |arg: &Arg| COMMON.iter().chain(HEADINGS.iter().flat_map(|(_, names)| *names)).position(|n| arg.get_id() == n);
    let heading =
        |arg: &Arg| HEADINGS.iter().find(|(_, names)| names.iter().any(|n| arg.get_id() == n)).map(|(h, _)| *h);
    let arranged = |arg: Arg| match order(&arg) {
        Some(order) => {
            let (heading, concerns) = (heading(&arg), arg.get_long().and_then(plan::concerns));
            let help = arg.get_help().map(|help| help.to_string()).zip(concerns);
            let arg = arg.display_order(order).help_heading(heading);
            match help {
                Some((help, concerns)) => arg.help(format!("{help} [it concerns {concerns}]")),
                None => arg,
            }
        }
        None => arg,
    };
    Arguments::command().mut_args(arranged).after_help(EXAMPLES).arg_required_else_help(true)
}

/// Returns the command with the contents of plain help: it understands the other options all the same.
pub fn plain() -> Command {
    whole().mut_args(|arg| {
        let is_rare = arg.get_help_heading().is_some() || arg.is_hide_set();
        arg.hide(is_rare)
    })
}

/// Whether the words ask for the help with all options.
pub fn asks_for_all(words: &[std::ffi::OsString]) -> bool {
    matches!(words, [_, help, all] if help == "help" && all == "all")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_has_its_place() {
        let command = Arguments::command();
        let options = command.get_arguments().filter(|arg| arg.get_long().is_some() && !arg.is_hide_set());
        let known: Vec<&str> =
            COMMON.iter().copied().chain(HEADINGS.iter().flat_map(|(_, n)| n.iter().copied())).collect();
        let names: Vec<String> = options.map(|arg| arg.get_id().to_string()).collect();
        for name in names.iter().filter(|name| !["help", "version"].contains(&name.as_str())) {
            assert_eq!(known.iter().filter(|known| *known == name).count(), 1, "{name}");
        }
        assert!(names.len() <= 40 + ["help", "version"].len(), "{}: {names:?}", names.len());
        for name in known {
            assert!(names.iter().any(|other| other == name), "there is no option {name}");
        }
    }

    #[test]
    fn plain_help_is_short_and_the_other_has_all() {
        let [plain, whole] = [plain(), whole()].map(|mut command| command.render_long_help().to_string());
        let lines = plain.lines().count();
        assert!(lines < 150 && plain.contains("--target") && plain.contains("Examples:"), "{lines}\n{plain}");
        assert!(!plain.contains("--jacobian-storage") && !plain.contains("--inject-fault"));
        assert!(whole.contains("--jacobian-storage") && whole.contains("Checks:") && !whole.contains("--inject-fault"));
        let at = |text: &str| plain.find(text).unwrap_or_else(|| panic!("no {text}"));
        assert!(at("--target") < at("--kernel") && at("--kernel") < at("--output") && at("--output") < at("--json"));
    }
}
