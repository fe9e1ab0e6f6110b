//! Values of flags that are lists of words: the precisions, the error, the CTAs of an SM.

use std::fmt;
use std::str::FromStr;

use clap::ValueEnum;
use kernels::{ErrorBound, Factors, Io, Precision};

/// Largest error that fits are made for.
pub const MOST_OF_FORM: f64 = 1e-2;

/// Precisions of the kernels' arithmetic, of the arrays of single and mixed precision, and of the factors of reactors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Precisions {
    pub kernels: Precision,
    pub io: Io,
    pub factors: Factors,
}

/// Largest relative error, and how it is known.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ErrorLimit {
    /// Error of the form in double precision, else of arithmetic and form together; `None` takes that of the precision.
    pub largest: Option<f64>,
    /// Error of the form alone.
    pub form: FormError,
    pub bound: ErrorBound,
}

/// Largest error of a form.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum FormError {
    /// As the error of the kernel allows.
    #[default]
    Allowed,
    Largest(f64),
    /// Exact forms only.
    Exact,
}

/// CTAs that an SM is to hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CtasPerSm {
    pub count: u32,
    /// Whether more are tried, as long as they take no longer.
    pub tries_more: bool,
}

impl CtasPerSm {
    pub const fn fixed(count: u32) -> Self {
        Self { count, tries_more: false }
    }
}

impl FromStr for Precisions {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text}: give double, single or mixed, and behind it io=single or factors=single");
        let mut all = Self::default();
        for word in text.split(',') {
            let read = match word.split_once('=') {
                None => Precision::from_str(word, true).map(|kernels| all.kernels = kernels),
                Some(("io", value)) => Io::from_str(value, true).map(|io| all.io = io),
                Some(("factors", value)) => Factors::from_str(value, true).map(|factors| all.factors = factors),
                Some(_) => Err(String::new()),
            };
            read.map_err(|_| wrong())?;
        }
        Ok(all)
    }
}

impl fmt::Display for Precisions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.kernels {
            Precision::Double => "double",
            Precision::Mixed => "mixed",
            Precision::Single => "single",
        })?;
        f.write_str(if self.io == Io::Single { ",io=single" } else { "" })?;
        f.write_str(if self.factors == Factors::Single { ",factors=single" } else { "" })
    }
}

impl FromStr for ErrorLimit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text}: give an error from 1e-9 to 0.1, form=X up to 0.01, form=exact, or measured");
        let mut all = Self::default();
        for word in text.split(',') {
            let number = |text: &str, most: f64| text.parse().ok().filter(|x| (1e-9..=most).contains(x));
            match word.split_once('=') {
                None if word == "default" => all.largest = None,
                None if word == "measured" => all.bound = ErrorBound::Measured,
                Some(("form", "exact")) => all.form = FormError::Exact,
                Some(("form", text)) => all.form = FormError::Largest(number(text, MOST_OF_FORM).ok_or_else(wrong)?),
                _ => all.largest = Some(number(word, 0.1).ok_or_else(wrong)?),
            }
        }
        Ok(all)
    }
}

impl fmt::Display for ErrorLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let largest = self.largest.map(|largest| format!("{largest:e}"));
        let measured = self.bound == ErrorBound::Measured;
        let form = match self.form {
            FormError::Allowed => None,
            FormError::Largest(error) => Some(format!("form={error:e}")),
            FormError::Exact => Some("form=exact".into()),
        };
        let words = [largest, form, measured.then(|| "measured".into())];
        let words: Vec<String> = words.into_iter().flatten().collect();
        f.write_str(&if words.is_empty() { "default".into() } else { words.join(",") })
    }
}

impl FromStr for CtasPerSm {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (count, tries_more) = match text {
            "auto" => ("1", true),
            _ => text.strip_suffix(",auto").map_or((text, false), |count| (count, true)),
        };
        let count = count.parse().ok().filter(|count| (1..=32).contains(count));
        count
            .map(|count| Self { count, tries_more })
            .ok_or_else(|| "give a number from 1 to 32, auto, or N,auto".into())
    }
}

impl fmt::Display for CtasPerSm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.count, if self.tries_more { ",auto" } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip<T: FromStr<Err = String> + fmt::Display + PartialEq + fmt::Debug>(texts: &[&str], wrong: &[&str]) {
        for text in texts {
            let value: T = text.parse().unwrap();
            assert_eq!(value.to_string().parse::<T>(), Ok(value), "{text}");
        }
        for text in wrong {
            assert!(text.parse::<T>().is_err(), "{text}");
        }
    }

    #[test]
    fn lists_are_read_and_printed() {
        round_trip::<Precisions>(
            &["double", "single", "mixed,io=single", "factors=single", "single,io=single"],
            &["", "half", "io=half", "size=2", "single,,io=single"],
        );
        round_trip::<ErrorLimit>(
            &["1e-6", "form=exact", "measured", "default", "1e-3,measured", "1e-2,form=1e-5,measured"],
            &["", "0", "1e-10", "1", "nan", "proven", "exact", "form=0.1", "form="],
        );
        round_trip::<CtasPerSm>(&["1", "32", "auto", "2,auto"], &["", "0", "33", "auto,2", "2,more", "2,"]);
        assert_eq!("auto".parse(), Ok(CtasPerSm { count: 1, tries_more: true }));
        let [plain, arrays] = ["single", "single,io=single"].map(|text| text.parse::<Precisions>().unwrap());
        assert_eq!((plain.io, arrays.io, arrays.kernels), (Io::Double, Io::Single, Precision::Single));
    }
}
