//! Parsers of the values of arguments; errors are what people read.

use machine::target::Target;

pub fn target(text: &str) -> Result<&'static Target, String> {
    Target::by_name(text).map_err(|e| e.to_string())
}

/// A target that PTX and machine code of NVIDIA are for.
pub fn nvidia(text: &str) -> Result<&'static Target, String> {
    match target(text)? {
        target if target.is_amd() => Err(format!("{} is AMD's, and this command reads code of NVIDIA", target.name)),
        target => Ok(target),
    }
}

/// Width, height and depth of a CTA; missing ones are 1.
pub fn shape(text: &str) -> Result<[u32; 3], String> {
    let extents: Vec<u32> = text.split(',').map_while(|part| part.parse().ok()).collect();
    let whole = extents.len() == text.split(',').count() && extents.len() <= 3;
    match whole && extents.iter().all(|extent| (1..=1024).contains(extent)) {
        true => Ok(std::array::from_fn(|i| extents.get(i).copied().unwrap_or(1))),
        false => Err("give one to three numbers from 1 to 1024, such as 16,16".into()),
    }
}

/// A name and what is given to it.
pub fn assignment(text: &str) -> Result<(String, String), String> {
    let parts = text.split_once('=').filter(|(name, value)| !name.is_empty() && !value.is_empty());
    parts
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .ok_or_else(|| "give NAME=VALUE, such as n=1000".into())
}
