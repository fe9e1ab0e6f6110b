//! The arithmetic of a kernel's text.

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Precision {
    /// 53 digits to the base 2
    #[default]
    Double,
    /// 24 digits, with a proven bound of what that errs; arrays stay double
    Single,
}
