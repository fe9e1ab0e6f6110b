//! Why a command ends without result.

use diagnostics::Diagnostic;

#[derive(Debug)]
pub struct Failure {
    pub kind: FailureKind,
    pub diagnostics: Vec<Diagnostic>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// The input is wrong: exit code 1.
    Input,
    /// The command line is wrong: exit code 2.
    Usage,
    /// A kernel failed its proof or its verification: exit code 3.
    Verification,
    /// A kernel is not proven, and the command line gives the exit code.
    Verdict(u8),
    /// Files are written, but machine code that was to be run could not be: exit code 5.
    NotRun,
}

impl Failure {
    pub fn input(diagnostics: impl IntoIterator<Item = Diagnostic>) -> Self {
        Self { kind: FailureKind::Input, diagnostics: diagnostics.into_iter().collect() }
    }

    pub fn usage(diagnostics: impl IntoIterator<Item = Diagnostic>) -> Self {
        Self { kind: FailureKind::Usage, diagnostics: diagnostics.into_iter().collect() }
    }

    pub fn not_run(diagnostics: impl IntoIterator<Item = Diagnostic>) -> Self {
        Self { kind: FailureKind::NotRun, diagnostics: diagnostics.into_iter().collect() }
    }

    /// Turns a bound that nobody can prove, which the search skips like any version that there is not, into what it is for users: a failed
    /// proof.
    pub fn told(self) -> Self {
        let is_unproven = self.diagnostics.iter().any(|diagnostic| diagnostic.id == "precision::not-proven");
        let kind = if is_unproven { FailureKind::Verification } else { self.kind };
        Self { kind, ..self }
    }

    pub fn verification(diagnostics: impl IntoIterator<Item = Diagnostic>) -> Self {
        Self { kind: FailureKind::Verification, diagnostics: diagnostics.into_iter().collect() }
    }
}
