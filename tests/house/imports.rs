//! Import graph of a crate: the files, and the names that they take from each other.

use std::collections::{BTreeMap, BTreeSet};

use super::modules::{Module, Use};

/// A file names what another one defines.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Import {
    pub from: String,
    pub to: String,
    /// Name, such as `Graph` or `units::convert`.
    pub name: String,
}

/// All imports between files. Names are followed through what modules hand on (`pub use`) to the file that defines them; what a module
/// hands on of its own folder is no import of it.
pub fn imports(modules: &[Module]) -> BTreeSet<Import> {
    let crate_ = Crate { modules };
    let mut all = BTreeSet::new();
    for (at, module) in modules.iter().enumerate() {
        let mut add = |path: &[String], to: usize| {
            let (from, to) = (module.file.clone(), modules[to].file.clone());
            if from != to {
                all.insert(Import { from, to, name: path.join("::") });
            }
        };
        for used in &module.uses {
            match crate_.of_use(at, used, &mut Known::new()) {
                Some(Place::Module(to) | Place::Item(to)) if used.is_public && crate_.is_within(to, at) => {}
                Some(Place::Item(to)) => add(&used.path[used.path.len() - 1..], to),
                Some(Place::Module(to)) if used.name == "*" => add(&["*".to_owned()], to),
                // Names taken of the module show in the paths.
                Some(Place::Module(_)) | None => {}
            }
        }
        for path in &module.paths {
            if let Some(Place::Item(to)) = crate_.resolve(at, path, &mut Known::new()) {
                add(path, to);
            }
        }
    }
    all
}

/// Target of a path: a module, or an item by its module.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Place {
    Module(usize),
    Item(usize),
}

struct Crate<'a> {
    modules: &'a [Module],
}

/// Where paths lead that were looked up from a module for one import. One that is still being looked up leads nowhere, as imports may go in
/// circles.
type Known = BTreeMap<(usize, Vec<String>), Option<Place>>;

impl Crate<'_> {
    fn of_use(&self, at: usize, used: &Use, known: &mut Known) -> Option<Place> {
        match &used.path[..] {
            // `use a;` in a module whose child `a` is: the name means itself.
            [only] if *only == used.name => self.modules[at].children.get(only).map(|&child| Place::Module(child)),
            path => self.resolve(at, path, known),
        }
    }

    /// Where a path leads that stands in a module; `None` out of the crate.
    fn resolve(&self, at: usize, path: &[String], known: &mut Known) -> Option<Place> {
        match path[0].as_str() {
            "crate" => self.walk(0, &path[1..], known),
            _ => self.walk(at, path, known),
        }
    }

    /// Goes on from a module.
    fn walk(&self, at: usize, path: &[String], known: &mut Known) -> Option<Place> {
        let Some((first, rest)) = path.split_first() else { return Some(Place::Module(at)) };
        let module = &self.modules[at];
        match first.as_str() {
            "super" => return self.walk(module.parent?, rest, known),
            "self" => return self.walk(at, rest, known),
            _ => {}
        }
        // A function may have the name of a module, which paths go through.
        if rest.is_empty() && module.items.contains(first) {
            return Some(Place::Item(at));
        }
        if let Some(&child) = module.children.get(first) {
            return self.walk(child, rest, known);
        }
        if module.items.contains(first) {
            return Some(Place::Item(at));
        }
        let key = (at, path.to_owned());
        if let Some(&found) = known.get(&key) {
            return found;
        }
        known.insert(key.clone(), None);
        let found = self.through_uses(at, first, rest, path, known);
        known.insert(key, found);
        found
    }

    /// Goes on through what the module brought into scope.
    fn through_uses(
        &self,
        at: usize,
        first: &str,
        rest: &[String],
        path: &[String],
        known: &mut Known,
    ) -> Option<Place> {
        let uses = &self.modules[at].uses;
        if let Some(used) = uses.iter().find(|used| used.name == first) {
            return match self.of_use(at, used, known)? {
                Place::Module(module) => self.walk(module, rest, known),
                item => Some(item),
            };
        }
        uses.iter().filter(|used| used.name == "*").find_map(|used| match self.resolve(at, &used.path, known)? {
            Place::Module(module) => self.walk(module, path, known),
            Place::Item(_) => None,
        })
    }

    fn is_within(&self, inner: usize, outer: usize) -> bool {
        inner == outer || self.modules[inner].parent.is_some_and(|parent| self.is_within(parent, outer))
    }
}
