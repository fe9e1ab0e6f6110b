//! The modules of a crate, as its text declares them: what each defines, what it brings into scope, and what its code names.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::words::words;

/// A module, which is a file or stands in one.
#[derive(Debug, Default)]
pub struct Module {
    /// From the root of the project.
    pub file: String,
    pub parent: Option<usize>,
    pub children: BTreeMap<String, usize>,
    /// Names of functions, types, constants.
    pub items: BTreeSet<String>,
    pub uses: Vec<Use>,
    /// Every path of two words or more that is no `use`.
    pub paths: Vec<Vec<String>>,
}

/// A name that `use` brings into scope; `*` for all names of a module.
#[derive(Debug, Clone, PartialEq)]
pub struct Use {
    /// It ends with `self` where the module itself is meant.
    pub path: Vec<String>,
    pub name: String,
    pub is_public: bool,
}

/// All modules of a crate without its tests, the root first.
pub fn modules(project: &Path, root: &str) -> Vec<Module> {
    let mut all = vec![Module { file: root.to_owned(), ..Module::default() }];
    file(project, &mut all, 0, root.rsplit_once('/').expect("a crate's root lies in a folder").0);
    all
}

/// Reads the file of a module, whose own modules lie in a folder.
fn file(project: &Path, all: &mut Vec<Module>, module: usize, folder: &str) {
    let path = project.join(&all[module].file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    scan(project, all, module, folder, &words(&text));
}

/// Takes in the words of a module.
fn scan(project: &Path, all: &mut Vec<Module>, module: usize, folder: &str, words: &[String]) {
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let (mut at, mut depth, mut is_test) = (0, 0, false);
    while at < words.len() {
        match (word(at), word(at + 1), word(at + 2)) {
            ("#", "[", _) => {
                let end = closing(words, at + 1);
                is_test |= words[at..end].concat().starts_with("#[cfg(test)");
                at = end;
                continue;
            }
            ("mod", name, ";" | "{") => {
                let end = if word(at + 2) == "{" { closing(words, at + 2) } else { at + 3 };
                if !std::mem::take(&mut is_test) {
                    let inner = (word(at + 2) == "{").then(|| &words[at + 3..end - 1]);
                    child(project, all, module, folder, name, inner);
                }
                at = end;
                continue;
            }
            // `use<>` of a type captures lifetimes.
            ("use", next, _) if next != "<" => {
                let is_public = at > 0 && matches!(word(at - 1), "pub" | ")");
                let mut found = Vec::new();
                at = tree(words, at + 1, &[], &mut found);
                let found = found.into_iter().map(|(path, name)| Use { path, name, is_public });
                all[module].uses.extend(found);
                is_test = false;
                continue;
            }
            ("fn" | "struct" | "enum" | "trait" | "const" | "static" | "type" | "union", name, _) if depth == 0 => {
                all[module].items.insert(name.to_owned());
                is_test = false;
            }
            ("{", ..) => depth += 1,
            ("}", ..) => depth -= 1,
            (_, "::", _) if at == 0 || !matches!(word(at - 1), "." | "::") => {
                let is_name = |at: usize| word(at).starts_with(|c: char| c.is_alphabetic() || c == '_');
                let mut path = vec![word(at).to_owned()];
                while word(at + 1) == "::" && is_name(at + 2) {
                    path.push(word(at + 2).to_owned());
                    at += 2;
                }
                all[module].paths.extend((path.len() > 1).then_some(path));
            }
            _ => {}
        }
        at += 1;
    }
}

/// Adds a module that is declared; `inner` has the words of one that stands in its parent's file.
fn child(project: &Path, all: &mut Vec<Module>, parent: usize, folder: &str, name: &str, inner: Option<&[String]>) {
    let index = all.len();
    let own = format!("{folder}/{name}");
    let place = match inner {
        Some(_) => all[parent].file.clone(),
        None => {
            let places = [format!("{own}.rs"), format!("{own}/mod.rs")];
            let there = places.iter().find(|place| project.join(place).exists());
            there.unwrap_or_else(|| panic!("{}: no file of the module {name}", all[parent].file)).clone()
        }
    };
    all.push(Module { file: place, parent: Some(parent), ..Module::default() });
    all[parent].children.insert(name.to_owned(), index);
    match inner {
        Some(words) => scan(project, all, index, &own, words),
        None => file(project, all, index, &own),
    }
}

/// The place behind what closes the bracket at a place.
fn closing(words: &[String], open: usize) -> usize {
    let mut depth = 0;
    for (at, word) in words.iter().enumerate().skip(open) {
        match word.as_str() {
            "{" | "[" | "(" => depth += 1,
            "}" | "]" | ")" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    words.len()
}

/// The paths of a tree of imports behind a prefix, with their names; returns the place behind the tree.
fn tree(words: &[String], mut at: usize, prefix: &[String], found: &mut Vec<(Vec<String>, String)>) -> usize {
    let mut path = prefix.to_vec();
    while let Some(word) = words.get(at) {
        match word.as_str() {
            "::" => at += 1,
            "{" => {
                at += 1;
                while words.get(at).is_some_and(|word| word != "}") {
                    at = if words[at] == "," { at + 1 } else { tree(words, at, &path, found) };
                }
                return at + 1;
            }
            "*" => {
                found.push((path, "*".to_owned()));
                return at + 1;
            }
            "as" => {
                found.push((path, words[at + 1].clone()));
                return at + 2;
            }
            "," | "}" | ";" => break,
            _ => {
                path.push(word.clone());
                at += 1;
            }
        }
    }
    let name = path.iter().rev().find(|word| *word != "self").cloned();
    found.extend(name.map(|name| (path, name)));
    at
}

#[test]
fn a_tree_of_imports_is_taken_apart() {
    let mut found = Vec::new();
    tree(&words("a::{self, b::{C, D as E}, f::*};"), 0, &[], &mut found);
    let shown: Vec<String> = found.iter().map(|(path, name)| format!("{} as {name}", path.join("::"))).collect();
    assert_eq!(shown, ["a::self as a", "a::b::C as C", "a::b::D as E", "a::f as *"]);
}
