//! Verdicts that fail a run, and the exit code.

use command::{Failure, FailureKind};
use warpsim::prove::Status;

/// Exit codes of the verdicts that fail, the worst verdict first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailOn(Vec<(Status, u8)>);

/// Exit code of a verdict that fails, where the user gives none.
const CODE: u8 = 3;

/// The verdicts by name, the worst first.
const NAMES: [(&str, Status); 3] =
    [("wrong", Status::Wrong), ("open", Status::Open), ("conditional", Status::ProvenIf)];

impl Default for FailOn {
    fn default() -> Self {
        Self(NAMES.map(|(_, status)| (status, CODE)).into())
    }
}

impl FailOn {
    /// Returns the choice of `--assume`: conditions do not fail.
    pub fn assuming() -> Self {
        Self(NAMES[..2].iter().map(|(_, status)| (*status, CODE)).collect())
    }

    /// Reads a list such as `wrong=1,open=2`, or `none`.
    ///
    /// # Errors
    /// A word is no verdict, or stands there twice, or its code is none from 1 to 255.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut chosen = Vec::new();
        for word in text.split(',').filter(|word| *word != "none" || text != "none") {
            let (name, code) = word.split_once('=').map_or((word, None), |(name, code)| (name, Some(code)));
            let known = NAMES.iter().position(|(known, _)| *known == name);
            let at = known.ok_or_else(|| format!("{name} is none of wrong, open, conditional, none"))?;
            let code = code.map_or(Ok(CODE), |code| code.parse().ok().filter(|code| *code > 0).ok_or(code));
            let code = code.map_err(|code| format!("{code} is no exit code from 1 to 255"))?;
            if chosen.iter().any(|(other, _)| *other == at) {
                return Err(format!("{name} stands there twice"));
            }
            chosen.push((at, code));
        }
        chosen.sort_unstable();
        Ok(Self(chosen.into_iter().map(|(at, code)| (NAMES[at].1, code)).collect()))
    }

    /// Whether the verdict fails.
    pub fn fails(&self, status: Status) -> bool {
        self.0.iter().any(|(failing, _)| *failing == status)
    }

    /// Returns the failure for these verdicts: that of the worst one.
    pub fn failure(&self, statuses: &[Status]) -> Option<Failure> {
        let (_, code) = self.0.iter().find(|(failing, _)| statuses.contains(failing))?;
        let kind = if *code == CODE { FailureKind::Verification } else { FailureKind::Verdict(*code) };
        Some(Failure { kind, diagnostics: Vec::new() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_verdict_decides() {
        let code = |list: &str, statuses: &[Status]| {
            FailOn::parse(list).unwrap().failure(statuses).map(|failure| failure.kind)
        };
        let all = [Status::Proven, Status::ProvenIf, Status::Open, Status::Wrong];
        assert_eq!(code("open=2,wrong=1", &all), Some(FailureKind::Verdict(1)));
        assert_eq!(code("open=2,wrong=1", &all[..3]), Some(FailureKind::Verdict(2)));
        assert_eq!(code("open=2,wrong=1", &all[..2]), None);
        assert_eq!(code("conditional", &all[..2]), Some(FailureKind::Verification));
        assert_eq!(code("none", &all), None);
        assert_eq!(FailOn::parse("wrong,open,conditional").unwrap(), FailOn::default());
        assert_eq!(FailOn::parse("open,wrong").unwrap(), FailOn::assuming());
    }

    #[test]
    fn other_words_are_refused() {
        for list in ["", "proven", "wrong=0", "wrong=256", "wrong=", "wrong,wrong=1", "wrong,none"] {
            assert!(FailOn::parse(list).is_err(), "{list}");
        }
    }
}
