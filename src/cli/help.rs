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
        "Kernels",
        &[
            "state", "outputs", "set", "units", "soret", "jacobian_storage", "precision", "error", "stiffness",
            "integrator", "name",
        ],
    ),
    ("Speed", &["codegen", "config", "warps", "groups_per_cta", "ctas_per_sm", "form", "layout"]),
    ("Checks", &["verify"]),
    ("Output", &["quiet", "color", "clean", "force", "no_cache", "print_after", "time_passes"]),
];

const EXAMPLES: &str = "\
Examples:
  singe gri30.yaml                                  kernels for an A100, in the folder singe-gri30
  singe chem.inp --target h100 --kernel chemistry   one kernel, for an H100
  singe chem.inp --target cpu --emit host           C++ for CPUs with a CMake project, C, C++ and Fortran interfaces
  singe chem.inp --target cpu --kernel reactor      reactors, advanced in time
  singe check chem.inp                              every error of a mechanism
  singe ptx verify k.ptx --threads 256              proof of the synchronisation of your own kernel

`singe help all` has all options, `singe help COMMAND` those of a command, `singe help report` the words of the report, and `singe man` the manual page.";

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

/// Words of the report.
const REPORT: &str = "\
proven            free of deadlocks, races and unsafe reuse of barriers, for every order in which warps run;
                  of an error: a bound for every state of the given ranges
verified          run on states, compared with the graph in bits and with the reference evaluator
measured          of an error: found in the states of the run, not claimed for others;
                  of a time: taken on this machine by --verify measure
simulated         only Singe's own PTX was run: neither the text nor its machine code
text run          a compiler's PTX of the text was run, its machine code was not
own PTX           PTX printed by Singe, used if no compiler for the target is found

data-parallel     a thread for each point
overlay           warps that work together on 32 points and share code where they agree
partial           overlay, with code of its own for a warp where copies cost less than look-ups
straight          warps that work together, each with its own code and sums in its registers
switch            warps that work together, each with a copy of the code
undecided         another version is faster if an assumed figure of the GPU is wrong
left out          not compiled: its estimate is far from the fastest time

estimated         from counts of PTX             predicted   from a model of the GPU that runs the machine code
floor             time of memory traffic or double precision at peak rates; nothing can be faster
slot              issue slot of double precision: a fused multiply-add takes one, a division nine

issued            a warp issues an instruction
fixed latency     it waits for the result of its previous instruction, a constant number of clocks
shared, shuffles, local, global, constants, special
                  it waits for the result of such an instruction
pipe              it waits for a busy pipe
barrier           it waits for other warps       fetch       it waits for instructions to be fetched
not selected      it could go on, but another warp issues

docs/report-rows.md has every row of `--report full`.
";

/// Whether the words ask for the terms of the report.
pub fn asks_for_report(words: &[std::ffi::OsString]) -> bool {
    matches!(words, [_, help, report] if help == "help" && report == "report")
}

/// Returns the terms of the report with their meanings.
pub fn report() -> &'static str {
    REPORT
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
