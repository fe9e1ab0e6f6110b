//! Names are matched exactly first, then without regard to case (CHEMKIN folds case, Cantera does not).

use std::cell::Cell;
use std::collections::HashMap;

/// A table of names. Of several equal names the first one counts.
#[derive(Debug)]
pub struct Names {
    exact: HashMap<String, usize>,
    folded: HashMap<String, usize>,
    /// Second names that differ in case alone, where they make a folded name ambiguous.
    twins: HashMap<String, usize>,
    listed: Vec<String>,
    longest: usize,
    suggestions_left: Cell<usize>,
}

/// Each suggestion compares with every name; the limit keeps a file full of unknown names linear.
const MOST_SUGGESTIONS: usize = 100;

impl Names {
    pub fn new<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let listed: Vec<String> = names.into_iter().map(str::to_owned).collect();
        let (mut exact, mut folded) = (HashMap::new(), HashMap::new());
        for (index, name) in listed.iter().enumerate() {
            exact.entry(name.clone()).or_insert(index);
            folded.entry(name.to_uppercase()).or_insert(index);
        }
        let longest = listed.iter().map(String::len).max().unwrap_or(0);
        let twins = HashMap::new();
        Self { exact, folded, twins, listed, longest, suggestions_left: Cell::new(MOST_SUGGESTIONS) }
    }

    /// Names of species, as reactions have them: what could be two of them by the case of its letters is none.
    pub fn of_species<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let mut all = Self::new(names);
        for (index, name) in all.listed.iter().enumerate() {
            let folded = name.to_uppercase();
            let first = all.folded.get(&folded).map_or(name, |first| &all.listed[*first]);
            if first != name {
                all.twins.entry(folded).or_insert(index);
            }
        }
        all
    }

    pub fn find(&self, name: &str) -> Option<usize> {
        if name.len() > 2 * self.longest {
            return None;
        }
        if let Some(exact) = self.exact.get(name) {
            return Some(*exact);
        }
        let folded = name.to_uppercase();
        self.folded.get(&folded).filter(|_| !self.twins.contains_key(&folded)).copied()
    }

    /// A hint that names both species that a name may stand for.
    fn ambiguity(&self, name: &str) -> Option<String> {
        let folded = name.to_uppercase();
        let (first, second) = (self.folded.get(&folded)?, self.twins.get(&folded)?);
        Some(format!("it may be '{}' or '{}': write the one that is meant", self.listed[*first], self.listed[*second]))
    }

    /// The first name that differs from this one at most in the case of its letters.
    pub fn find_folded(&self, name: &str) -> Option<usize> {
        self.folded.get(&name.to_uppercase()).copied()
    }

    pub fn any_contains(&self, character: char) -> bool {
        self.listed.iter().any(|name| name.contains(character))
    }

    /// The name with this index.
    pub fn name(&self, index: usize) -> &str {
        &self.listed[index]
    }

    /// Number of names.
    pub fn len(&self) -> usize {
        self.listed.len()
    }

    /// Length in bytes of the longest name.
    pub fn longest(&self) -> usize {
        self.longest
    }

    /// A hint that names the most similar name, when one is similar enough.
    pub fn suggestion(&self, name: &str, otherwise: &str) -> String {
        if let Some(both) = self.ambiguity(name) {
            return both;
        }
        match self.nearest(name) {
            Some(near) => format!("did you mean '{near}'?"),
            None => otherwise.to_owned(),
        }
    }

    /// Whether a word is one of the names, or nearly so.
    pub fn is_near(&self, word: &str) -> bool {
        self.nearest(word).is_some()
    }

    /// The name that resembles a word most; none where none does.
    pub fn nearest(&self, name: &str) -> Option<&str> {
        let left = self.suggestions_left.get().checked_sub(1)?;
        self.suggestions_left.set(left);
        // Short formulas are all alike, so they match only as a whole.
        let name: Vec<char> = folded(name).take(40).collect();
        let limit = name.len() / 4;
        let (distance, nearest) = self
            .listed
            .iter()
            .map(|listed| (edit_distance(&name, &folded(listed).collect::<Vec<_>>()), listed))
            .min_by_key(|(distance, _)| *distance)?;
        (distance <= limit).then_some(nearest)
    }
}

/// Upper case, and the digit 0 as the letter O, for which it is often mistaken.
fn folded(name: &str) -> impl Iterator<Item = char> {
    name.chars().flat_map(char::to_uppercase).map(|c| if c == '0' { 'O' } else { c })
}

/// Levenshtein's distance.
fn edit_distance(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_names_come_before_folded_ones() {
        let names = Names::new(["CO", "Co", "h2"]);
        assert_eq!(names.find("Co"), Some(1));
        assert_eq!(names.find("co"), Some(0));
        assert_eq!(names.find("H2"), Some(2));
        assert_eq!(names.find("O2"), None);
    }

    #[test]
    fn species_are_not_guessed_between_two_cases() {
        let names = Names::of_species(["CO", "Co", "H2"]);
        assert_eq!((names.find("CO"), names.find("Co"), names.find("co")), (Some(0), Some(1), None));
        assert_eq!(names.find("h2"), Some(2));
        assert_eq!(names.suggestion("co", "-"), "it may be 'CO' or 'Co': write the one that is meant");
    }

    #[test]
    fn a_near_name_is_suggested_and_a_far_one_is_not() {
        let names = Names::new(["CH3CHO", "H2O2", "N2"]);
        assert_eq!(names.suggestion("CH3CHCO", "-"), "did you mean 'CH3CHO'?");
        assert_eq!(names.suggestion("h202", "-"), "did you mean 'H2O2'?");
        assert_eq!(names.suggestion("O2", "-"), "-");
        assert_eq!(names.suggestion("XYZZY", "-"), "-");
    }
}
