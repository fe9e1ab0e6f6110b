//! Flags of the version before that have other names now: each is understood for one version, and told.

use std::ffi::OsString;

use crate::plan;

/// A flag of the version before, the flag in its place, and a value of that; `{}` stands for the value that was given.
const RENAMED: [(&str, &str, &str); 13] = [
    ("--fit-tolerance", "--error", "form={}"),
    ("--error-bound", "--error", "{}"),
    ("--io", "--precision", "io={}"),
    ("--factors", "--precision", "factors={}"),
    ("--occupancy", "--ctas-per-sm", "{}"),
    ("--compilers", "--verify", "no-compilers"),
    ("--verify-machine-code", "--verify", "no-machine-code"),
    ("--predict-time", "--verify", "no-time"),
    ("--floor", "", ""),
    ("--mapper", "", ""),
    ("--weights", "", ""),
    ("--passes", "", ""),
    ("--buffer", "", ""),
];

/// Values that were the default: without them the flag in their place says the same.
const DEFAULTS: [&str; 4] = ["fixed", "proven", "default", "double"];

/// The words with the flags of today, and a warning for each that has another name.
pub fn renamed(words: &[OsString]) -> (Vec<OsString>, Vec<String>) {
    let (mut kept, mut added, mut warnings) = (Vec::new(), Vec::new(), Vec::new());
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let text = word.to_string_lossy();
        let (old, own) = text.split_once('=').map_or((&*text, None), |(old, own)| (old, Some(own.to_owned())));
        let Some((flag, template)) = of_today(old) else {
            kept.push(word.clone());
            continue;
        };
        let next = || rest.next().map(|next| next.to_string_lossy().into_owned());
        let value = own.or_else(next).unwrap_or_default();
        let is_default = DEFAULTS.contains(&value.as_str()) || flag == "--verify" && value == "auto";
        let instead = template.replace("{}", &value);
        warnings.push(match () {
            () if flag.is_empty() => format!("{old} has no effect any more"),
            () if is_default => format!("leave out {old} {value}, the default: {flag} is in its place"),
            () => {
                format!("{old} {value} is {flag} {instead} from now on, and no longer understood by the next version")
            }
        });
        if !(flag.is_empty() || is_default) {
            added.push((flag, instead));
        }
    }
    added.into_iter().for_each(|(flag, value)| add(&mut kept, flag, &value));
    (kept, warnings)
}

/// Flag and value in the place of an old flag.
fn of_today(old: &str) -> Option<(&'static str, String)> {
    let renamed = RENAMED.iter().find(|(name, ..)| *name == old);
    let of_layout = || {
        let key = old.strip_prefix("--")?;
        plan::is_layout_key(key).then(|| ("--layout", format!("{key}={{}}")))
    };
    renamed.map(|(_, flag, template)| (*flag, (*template).to_owned())).or_else(of_layout)
}

/// Adds a value to a flag, behind the one that is there where the flag takes a list once.
fn add(words: &mut Vec<OsString>, flag: &str, value: &str) {
    let is_list = !["--layout", "--verify"].contains(&flag);
    let at = words.iter().position(|word| word == flag).map(|at| at + 1);
    let at = at.or_else(|| words.iter().position(|word| word.to_string_lossy().starts_with(&format!("{flag}="))));
    match at.and_then(|at| words.get_mut(at)).filter(|_| is_list) {
        Some(word) => word.push(format!(",{value}")),
        None => words.extend([flag, value].map(OsString::from)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_flags_say_what_they_said() {
        for (old, new, warnings) in [
            (
                "m.inp --compilers off --io=single --precision single",
                "m.inp --precision single,io=single --verify no-compilers",
                2,
            ),
            ("m.inp --compilers auto --verify 8", "m.inp --verify 8", 1),
            ("--occupancy auto --ctas-per-sm=2", "--ctas-per-sm=2,auto", 1),
            ("--mapper ilp --placement mixed --slots=global", "--layout placement=mixed --layout slots=global", 3),
            ("--error 1e-3 --error-bound measured --fit-tolerance exact", "--error 1e-3,measured,form=exact", 2),
            ("--floor 1e-9 --warps 8 --kernel chemistry", "--warps 8 --kernel chemistry", 1),
            ("--error-bound proven --layout slots=global", "--layout slots=global", 1),
        ] {
            let words: Vec<OsString> = old.split(' ').map(OsString::from).collect();
            let (now, told) = renamed(&words);
            let now: Vec<_> = now.iter().map(|word| word.to_string_lossy()).collect();
            assert!(now.join(" ").split(' ').eq(new.split(' ')) && told.len() == warnings, "{old}: {now:?} {told:?}");
        }
    }
}
