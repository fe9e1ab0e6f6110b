//! Launches of many kernels in one TOML file, by the names of the kernels.
//!
//! ```toml
//! [[launch]]
//! kernel = "softmax*"           # a name with * for any characters; of mangled names the function's alone will do; default *
//! block = [256]                 # threads per CTA: one, two or three numbers; default: the kernel's .reqntid
//! grid = [64, 1, 1]             # CTAs; default 1
//! cluster = [2, 1]              # CTAs of a cluster; default: the kernel's .reqnctapercluster, or 1
//! shared = 1024                 # bytes of shared memory that the launch adds; default 0
//! integer = 96                  # every number without a value of its own; default 96
//! names = ["out", "in", "n"]    # names of the parameters in order, where the PTX has others
//! parameters = { n = 1024, 0 = "pointer" }   # by name or by position; or a list: ["pointer", "pointer", 1024]
//!
//! [[launch]]
//! kernel = "debug_*"
//! skip = true                   # these are left alone
//! ```
//!
//! A parameter is a number, `"pointer"` (an array of its own), `"ANY"` (no value), or `"hex:"` and the bytes of a structure.
//! For a kernel the launches with the longest matching name hold; several with one name are several launches. The file of one
//! launch that [`setup`] describes is taken as well.

use crate::setup::{self, Extent};
use crate::{Argument, Launch, prove};
use ptx::ir::{Func, ParamKind};
use serde::Deserialize;
use std::path::Path;

/// A launch of the kernels with a matching name.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Name of the kernels, with `*` for any characters.
    pub kernel: String,
    /// Whether these kernels are left out.
    pub skip: bool,
    /// Threads per CTA; `None` takes those of `.reqntid`.
    pub threads: Option<[u32; 3]>,
    pub ctas: [u32; 3],
    /// CTAs of a cluster; `None` takes those of `.reqnctapercluster`.
    pub cluster: Option<[u32; 3]>,
    pub shared: u64,
    pub values: Values,
}

/// Values of the parameters.
#[derive(Debug, Clone)]
pub enum Values {
    /// All of them.
    All(Vec<Argument>),
    Some {
        /// The value of each parameter that is a number and has none of its own.
        integer: u32,
        /// Names of the parameters, in order.
        names: Vec<String>,
        /// Names or positions, and values.
        given: Vec<(String, String)>,
    },
}

/// Value of numbers: loops over groups of points run a few times.
pub const INTEGER: u32 = 96;

/// Reads the launches of a file; `folder` is that of the files of values.
///
/// # Errors
/// The text holds no launches.
pub fn read(text: &str, folder: &Path) -> Result<Vec<Entry>, String> {
    let table: toml::Table = toml::from_str(text).map_err(|e| e.to_string())?;
    if !table.contains_key("launch") {
        let setup = setup::read(text, folder)?;
        let Launch { ctas, threads, cluster, shared, arguments } = setup.launch;
        let kernel = setup.kernel.unwrap_or_else(|| "*".to_owned());
        return Ok(vec![Entry {
            kernel,
            skip: false,
            threads: Some(threads),
            ctas,
            cluster,
            shared,
            values: Values::All(arguments),
        }]);
    }
    let file: File = toml::from_str(text).map_err(|e| e.to_string())?;
    file.launch.into_iter().enumerate().map(|(at, raw)| raw.entry().map_err(|e| format!("launch {at}: {e}"))).collect()
}

/// Returns the launches of a kernel: those whose name matches with most characters.
pub fn of_kernel<'e>(entries: &'e [Entry], kernel: &str) -> Vec<&'e Entry> {
    let matching: Vec<&Entry> = entries.iter().filter(|entry| is_match(&entry.kernel, kernel)).collect();
    let rank = |entry: &Entry| (!entry.kernel.contains('*'), entry.kernel.len());
    let most = matching.iter().map(|entry| rank(entry)).max();
    matching.into_iter().filter(|entry| Some(rank(entry)) == most).collect()
}

/// Whether a pattern is a kernel's name, or that of the function that the name was mangled from.
pub fn is_match(pattern: &str, kernel: &str) -> bool {
    matches(pattern, kernel) || function(kernel).is_some_and(|name| matches(pattern, name))
}

/// Returns the name of the function in a name as C++ compilers and Numba mangle it: `_Z7softmaxPf` or `_ZN6cudapy4stepE…`.
pub fn function(mangled: &str) -> Option<&str> {
    let rest = mangled.strip_prefix("_Z")?;
    let (nested, mut rest) = rest.strip_prefix('N').map_or((false, rest), |rest| (true, rest));
    let mut last = None;
    loop {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let Ok(length) = rest[..digits].parse::<usize>() else { return last };
        let end = digits.checked_add(length)?;
        last = Some(rest.get(digits..end)?);
        rest = &rest[end..];
        if !nested {
            return last;
        }
    }
}

/// Whether `*` in the pattern may stand for characters that make it the name.
fn matches(pattern: &str, name: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut left) = name.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        let Some(at) = left.find(part) else { return false };
        left = &left[at + part.len()..];
    }
    left.ends_with(last)
}

impl Entry {
    /// Returns the launch of a kernel.
    ///
    /// # Errors
    /// The kernel has no such parameter, or a value does not fit it, or nothing tells the number of threads.
    pub fn launch(&self, func: &Func) -> Result<Launch, Unfit> {
        let threads = self.threads.or(func.threads).ok_or(Unfit::NoThreads)?;
        let arguments = match &self.values {
            Values::All(arguments) => arguments.clone(),
            Values::Some { integer, names, given } => arguments(func, *integer, names, given)?,
        };
        let expected = func.params_of(ParamKind::Input).count();
        if arguments.len() != expected {
            return Err(Unfit::Parameter(format!("{} arguments for {expected} parameters", arguments.len())));
        }
        Ok(Launch { ctas: self.ctas, threads, cluster: self.cluster, shared: self.shared, arguments })
    }
}

/// Why an entry is no launch of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unfit {
    /// Neither the entry nor the kernel tells the threads per CTA.
    NoThreads,
    Parameter(String),
}

fn arguments(func: &Func, integer: u32, names: &[String], given: &[(String, String)]) -> Result<Vec<Argument>, Unfit> {
    let mut values = prove::arguments(func, integer);
    let inputs: Vec<_> = func.params_of(ParamKind::Input).map(|(_, data)| data).collect();
    for (name, text) in given {
        let at = inputs.iter().position(|data| data.name == *name);
        let at = at.or_else(|| names.iter().position(|own| own == name));
        let at = at.or_else(|| name.parse().ok()).filter(|at| *at < inputs.len());
        let at = at.ok_or_else(|| Unfit::Parameter(format!("{} has no parameter {name}", func.name)))?;
        values[at] = prove::argument(inputs[at], at, text).map_err(Unfit::Parameter)?;
    }
    Ok(values)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    launch: Vec<Raw>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    kernel: Option<String>,
    #[serde(default)]
    skip: bool,
    #[serde(alias = "threads")]
    block: Option<Extent>,
    #[serde(alias = "ctas")]
    grid: Option<Extent>,
    cluster: Option<Extent>,
    #[serde(default)]
    shared: u64,
    integer: Option<u32>,
    #[serde(default)]
    names: Vec<String>,
    parameters: Option<Parameters>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Parameters {
    List(Vec<toml::Value>),
    Table(toml::Table),
}

impl Raw {
    fn entry(self) -> Result<Entry, String> {
        let given: Vec<(String, toml::Value)> = match self.parameters {
            None => Vec::new(),
            Some(Parameters::List(list)) => (0..).map(|at: u32| at.to_string()).zip(list).collect(),
            Some(Parameters::Table(table)) => table.into_iter().collect(),
        };
        let given = given.into_iter().map(|(name, value)| match text(&value) {
            Some(text) => Ok((name, text)),
            None => Err(format!("{name} = {value}: give a number or a text")),
        });
        Ok(Entry {
            kernel: self.kernel.unwrap_or_else(|| "*".to_owned()),
            skip: self.skip,
            threads: self.block.map(|block| block.three("block")).transpose()?,
            ctas: self.grid.map_or(Ok([1; 3]), |grid| grid.three("grid"))?,
            cluster: self.cluster.map(|cluster| cluster.three("cluster")).transpose()?,
            shared: self.shared,
            values: Values::Some {
                integer: self.integer.unwrap_or(INTEGER),
                names: self.names,
                given: given.collect::<Result<_, String>>()?,
            },
        })
    }
}

/// Returns the text of a value as `--arg` takes it.
fn text(value: &toml::Value) -> Option<String> {
    match value {
        toml::Value::String(text) => Some(text.clone()),
        toml::Value::Integer(number) => Some(number.to_string()),
        toml::Value::Float(number) => Some(number.to_string()),
        toml::Value::Boolean(flag) => Some(u8::from(*flag).to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(text: &str) -> Vec<Entry> {
        read(text, Path::new("")).unwrap()
    }

    #[test]
    fn names_match_with_stars_and_without_their_mangling() {
        for (pattern, name, is) in [
            ("softmax", "softmax", true),
            ("softmax", "softmax2", false),
            ("soft*", "softmax2", true),
            ("*max*", "softmax2", true),
            ("s*m*x", "softmax", true),
            ("s*m*y", "softmax", false),
            ("*", "", true),
            ("aa*aa", "aaa", false),
            ("softmax_kernel5", "_Z15softmax_kernel5PfPKfii", true),
            ("step", "_ZN6cudapy8__main__4stepB2v1B94cw51cXTLSUE5ArrayIfLi1E1C7mutableE", true),
            ("soft*", "_Z15softmax_kernel5PfPKfii", true),
        ] {
            assert_eq!(is_match(pattern, name), is, "{pattern} {name}");
        }
        for name in ["_Z", "_ZN", "_Z99a", "_Z18446744073709551615a", "_ZN1", "_Z0"] {
            let _ = function(name);
        }
    }

    #[test]
    fn the_longest_name_holds() {
        let text = "[[launch]]\nblock = 32\n[[launch]]\nkernel = \"soft*\"\nblock = [64, 2]\n[[launch]]\nkernel = \"soft*\"\n\
                    block = 128\ngrid = [4, 2]\n[[launch]]\nkernel = \"softmax\"\nskip = true\n";
        let all = entries(text);
        let threads = |name: &str| of_kernel(&all, name).iter().map(|e| e.threads).collect::<Vec<_>>();
        assert_eq!(threads("other"), [Some([32, 1, 1])]);
        assert_eq!(threads("softplus"), [Some([64, 2, 1]), Some([128, 1, 1])]);
        assert!(of_kernel(&all, "softmax")[0].skip && of_kernel(&all, "softmax").len() == 1);
    }

    #[test]
    fn parameters_have_names_and_positions() {
        let source = ".version 7.0\n.target sm_70\n.address_size 64\n.entry k(.param .u64 k_param_0, .param .u32 k_param_1, \
                      .param .f32 k_param_2)\n{\nret;\n}\n";
        let module = ptx::read::text("k.ptx", source).unwrap();
        let func = module.func("k").unwrap();
        let own = |parameters: &str| {
            entries(&format!("[[launch]]\nblock = 32\nnames = [\"x\", \"n\", \"a\"]\n{parameters}"))[0].launch(func)
        };
        let arguments = |parameters: &str| own(parameters).unwrap().arguments;
        let n = Argument::Bytes(7u32.to_le_bytes().to_vec());
        for given in ["parameters = { n = 7 }", "parameters = { 1 = 7 }", "parameters = { k_param_1 = 7 }"] {
            assert_eq!(arguments(given)[1], n, "{given}");
        }
        let a = Argument::Bytes(0.5f32.to_le_bytes().to_vec());
        assert_eq!(arguments("parameters = [\"pointer\", 7, 0.5]"), [Argument::Buffer(0), n, a]);
        assert_eq!(arguments("integer = 5")[1], Argument::U32(5));
        assert_eq!(own("parameters = { m = 7 }"), Err(Unfit::Parameter("k has no parameter m".to_owned())));
        assert!(matches!(own("parameters = { n = \"seven\" }"), Err(Unfit::Parameter(_))));
        assert_eq!(entries("[[launch]]\n")[0].launch(func), Err(Unfit::NoThreads));
        assert!(matches!(entries("threads = 32\n")[0].launch(func), Err(Unfit::Parameter(_))));
    }

    #[test]
    fn what_is_no_launch_is_refused() {
        for text in [
            "[[launch]]\nblok = 3\n",
            "launch = 3\n",
            "[[launch]]\nblock = 0\n",
            "[[launch]]\nparameters = { n = [1] }\n",
            "x",
        ] {
            assert!(read(text, Path::new("")).is_err(), "{text}");
        }
    }
}
