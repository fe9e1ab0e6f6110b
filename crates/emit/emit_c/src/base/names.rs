//! The one maker of identifiers in emitted text.

use std::collections::{BTreeMap, BTreeSet};

/// Hands out identifiers that are valid in C and C++ and that it has not handed out before.
#[derive(Debug, Default)]
pub struct Namer {
    taken: BTreeSet<String>,
    /// By identifier, the number that was last tried behind it: all lower ones are taken.
    numbers: BTreeMap<String, u32>,
}

impl Namer {
    /// A namer that never gives one of these names.
    pub fn reserving<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        Self { taken: names.into_iter().map(str::to_owned).collect(), numbers: BTreeMap::new() }
    }

    /// A new identifier that resembles the hint: other characters become `_`, and a number makes it unique.
    pub fn name(&mut self, hint: &str) -> String {
        let base = identifier(hint);
        if self.taken.insert(base.clone()) {
            return base;
        }
        let number = self.numbers.entry(base.clone()).or_insert(1);
        loop {
            *number += 1;
            let name = format!("{base}_{number}");
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }
}

/// The hint as an identifier, not necessarily a unique one.
pub fn identifier(hint: &str) -> String {
    let mut name = String::with_capacity(hint.len());
    for c in hint.chars() {
        // Two underscores in a row are reserved for the compiler.
        let c = if c.is_ascii_alphanumeric() { c } else { '_' };
        if c != '_' || !name.ends_with('_') {
            name.push(c);
        }
    }
    let name = name.trim_matches('_');
    match name.chars().next() {
        None => "v".to_owned(),
        Some(c) if c.is_ascii_digit() || KEYWORDS.split(' ').any(|word| word == name) => format!("v_{name}"),
        Some(_) => name.to_owned(),
    }
}

/// Keywords of C and C++, names that compilers and CMake keep to themselves, and macros that the usual headers define.
const KEYWORDS: &str = "\
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t class \
    co_await co_return co_yield compl complex concept const const_cast consteval constexpr constinit continue \
    decltype default delete do double dynamic_cast else enum explicit export extern false float for friend goto I if \
    inline int linux long main mutable namespace new noexcept not not_eq nullptr NAN NULL operator or or_eq private \
    protected public register reinterpret_cast requires restrict return short signed sizeof static static_assert \
    static_cast struct switch template this thread_local throw true try typedef typeid typename union unix unsigned \
    using virtual void volatile wchar_t while xor xor_eq INFINITY M_PI M_E EOF RAND_MAX BUFSIZ errno stdin stdout \
    std all clean help install";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_identifiers_and_unique() {
        let mut namer = Namer::reserving(["lane"]);
        let names: Vec<String> =
            ["CH2(S)", "CH2[S]", "lane", "2-butene", "int", "", "a__b", "_x", "μ"].map(|hint| namer.name(hint)).into();
        assert_eq!(names, ["CH2_S", "CH2_S_2", "lane_2", "v_2_butene", "v_int", "v", "a_b", "x", "v_2"]);
        let names: Vec<String> = ["lane_4", "lane", "lane", "lane", "CH2_S_2"].map(|hint| namer.name(hint)).into();
        assert_eq!(names, ["lane_4", "lane_3", "lane_5", "lane_6", "CH2_S_2_2"]);
    }
}
