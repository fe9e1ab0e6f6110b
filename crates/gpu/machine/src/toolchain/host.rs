//! Compilers for this machine's own CPU, of C++ and of Fortran, which make a program of generated text and run it.

use super::{Absent, Failure};
use cache::tool;
use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

/// GCC or Clang, which know the vectors of the generated text, or GCC's compiler of Fortran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostCompiler {
    /// The program and its leading arguments.
    words: Vec<String>,
    /// Name with its version, such as `g++ 12.2.0`.
    pub name: String,
    /// Full output of its version.
    pub says: String,
    language: Language,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Language {
    Cpp,
    Fortran,
}

impl Language {
    fn name(self) -> &'static str {
        match self {
            Self::Cpp => "C++",
            Self::Fortran => "Fortran",
        }
    }

    /// The environment variable that names the compiler.
    fn variable(self) -> &'static str {
        match self {
            Self::Cpp => "CXX",
            Self::Fortran => "FC",
        }
    }

    /// Compilers to look for if the variable is not set.
    fn usual(self) -> &'static [&'static str] {
        match self {
            Self::Cpp => &["c++", "g++", "clang++"],
            Self::Fortran => &["gfortran"],
        }
    }

    /// Options without optimisation, as each program runs once. In C++, products and sums are fused where the text says so, by the library if the
    /// machine cannot; in Fortran nothing is fused. There all directives are read, and no warning is let through.
    fn options(self) -> &'static [&'static str] {
        match self {
            Self::Cpp => &["-std=c++17", "-O0", "-w", "-ffp-contract=off", "-DSINGE_WIDTH=2", "-D__FP_FAST_FMA"],
            Self::Fortran => &["-std=f2018", "-O0", "-Wall", "-Werror", "-ffp-contract=off", "-fopenacc", "-fopenmp"],
        }
    }

    /// Returns the name of a compiler from its version text; `None` if it is none that is known.
    fn compiler(self, says: &str) -> Option<String> {
        match self {
            Self::Cpp => name(says),
            Self::Fortran => name_of_fortran(says),
        }
    }
}

/// The options that a project's CMakeLists.txt sets, without warnings.
pub const FAST_OPTIONS: [&str; 5] = ["-std=c++17", "-O3", "-march=native", "-fno-math-errno", "-w"];

/// Returns the compiler that `CXX` names, otherwise the first of the usual ones. It is looked for once.
pub fn host_compiler() -> Result<&'static HostCompiler, Absent> {
    static FOUND: LazyLock<Result<HostCompiler, Absent>> = LazyLock::new(|| HostCompiler::of(Language::Cpp));
    FOUND.as_ref().map_err(Clone::clone)
}

/// Returns the compiler of Fortran that `FC` names, otherwise gfortran. It is looked for once.
pub fn fortran_compiler() -> Result<&'static HostCompiler, Absent> {
    static FOUND: LazyLock<Result<HostCompiler, Absent>> = LazyLock::new(|| HostCompiler::of(Language::Fortran));
    FOUND.as_ref().map_err(Clone::clone)
}

impl HostCompiler {
    fn of(language: Language) -> Result<Self, Absent> {
        let (name, variable, usual) = (language.name(), language.variable(), language.usual());
        let absent = |named: &str| Absent(format!("no {name} compiler is found ({named})"));
        if let Some(named) = std::env::var(variable).ok().filter(|named| !named.trim().is_empty()) {
            return Self::called(&named, language).ok_or_else(|| absent(&format!("{variable} is {named}")));
        }
        usual.iter().find_map(|usual| Self::called(usual, language)).ok_or_else(|| absent(&usual.join(", ")))
    }

    fn called(command: &str, language: Language) -> Option<Self> {
        let words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
        let (program, rest) = words.split_first()?;
        let output = Command::new(program).args(rest).arg("--version").output().ok()?;
        let says = String::from_utf8_lossy(&output.stdout).into_owned();
        let name = language.compiler(&says).filter(|_| output.status.success())?;
        Some(Self { words, name, says, language })
    }

    /// Returns the options, on which the compilation depends beside the text.
    pub fn options(&self) -> String {
        self.language.options().join(" ")
    }

    /// Name of the language.
    pub fn language(&self) -> &'static str {
        self.language.name()
    }

    /// Compiles the first `compiled` files, which may include the others, runs the program on these bytes, and returns its output.
    pub fn run(&self, files: &[(String, String)], compiled: usize, input: &[u8]) -> Result<Vec<u8>, Failure> {
        let options = self.language.options();
        let fixed = [format!("{self:?} {options:?}"), compiled.to_string(), tool::text(input)];
        let texts = files.iter().flat_map(|(name, text)| [name.as_str(), tool::code(text)]);
        let parts: Vec<&str> = fixed.iter().map(String::as_str).chain(texts).collect();
        let run = || self.run_with(options, files, compiled, input).map(|output| vec![tool::text(&output)]);
        tool::output(&parts, run).map(|made| tool::bytes(&made[0]))
    }

    /// Does the same with the options of a project, for a program that takes times.
    pub fn run_fast(&self, files: &[(String, String)], input: &[u8]) -> Result<Vec<u8>, Failure> {
        self.run_with(&FAST_OPTIONS, files, 1, input)
    }

    fn run_with(
        &self,
        options: &[&str],
        files: &[(String, String)],
        compiled: usize,
        input: &[u8],
    ) -> Result<Vec<u8>, Failure> {
        let failed = |log: String| Failure { tool: self.language.name(), log: format!("{}: {log}", self.name) };
        let in_folder = |e: std::io::Error| failed(format!("temporary folder: {e}"));
        let folder = tempfile::tempdir().map_err(in_folder)?;
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).map_err(in_folder)?;
        }
        let sources = files.iter().take(compiled).map(|(name, _)| name);
        let program = folder.path().join("program");
        let mut compile = Command::new(&self.words[0]);
        compile.current_dir(folder.path()).args(&self.words[1..]).args(options).args(sources).arg("-o").arg(&program);
        let made = compile.output().map_err(|e| failed(e.to_string()))?;
        if !made.status.success() {
            return Err(failed(String::from_utf8_lossy(&made.stderr).into_owned()));
        }
        let data = folder.path().join("input");
        std::fs::write(&data, input).map_err(in_folder)?;
        self.output(&program, &data).map_err(failed)
    }

    fn output(&self, program: &Path, data: &Path) -> Result<Vec<u8>, String> {
        let stdin = Stdio::from(File::open(data).map_err(|e| e.to_string())?);
        let run =
            Command::new(program).stdin(stdin).output().map_err(|e| format!("what it made does not start: {e}"))?;
        if run.status.success() {
            Ok(run.stdout)
        } else {
            Err(format!("what it made of the text ends with {}", run.status))
        }
    }
}

/// Returns the name of a compiler from its version text; `None` if it is neither GCC nor Clang.
fn name(says: &str) -> Option<String> {
    if let Some((_, rest)) = says.split_once("clang version ") {
        let version = rest.split(|c: char| c.is_whitespace() || c == '-' || c == '+').next()?;
        return Some(format!("clang++ {version}"));
    }
    if !says.contains("Free Software Foundation") {
        return None;
    }
    let version = says.lines().next()?.split(' ').next_back()?;
    Some(format!("g++ {version}"))
}

/// Returns the name of a compiler of Fortran from its version text; `None` if it is not GCC's.
fn name_of_fortran(says: &str) -> Option<String> {
    let first = says.lines().next().filter(|line| line.starts_with("GNU Fortran"))?;
    Some(format!("gfortran {}", first.split(' ').next_back()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compiler_is_named_after_what_it_is() {
        let gcc = "c++ (Debian 12.2.0-14+deb12u1) 12.2.0\nCopyright (C) 2022 Free Software Foundation, Inc.\n";
        assert_eq!(name(gcc).as_deref(), Some("g++ 12.2.0"));
        assert_eq!(name("Debian clang version 14.0.6\nTarget: x\n").as_deref(), Some("clang++ 14.0.6"));
        assert_eq!(name("Apple clang version 15.0.0 (clang-1500)\n").as_deref(), Some("clang++ 15.0.0"));
        assert_eq!(name("another 1.0\n"), None);
        assert!(HostCompiler::called("no-such-compiler -x", Language::Cpp).is_none());
        let gfortran =
            "GNU Fortran (Debian 12.2.0-14+deb12u1) 12.2.0\nCopyright (C) 2022 Free Software Foundation, Inc.\n";
        assert_eq!(name_of_fortran(gfortran).as_deref(), Some("gfortran 12.2.0"));
        assert_eq!(name_of_fortran(gcc), None);
    }
}
