//! The order of the house: which room may take names from which, which files take names from each other in a circle, and whether the
//! places that docs/architecture.md names are there. `cargo test --release --test house -- --nocapture` prints the figures.

mod functions;
mod imports;
mod modules;
mod named_places;
mod words;

use std::collections::BTreeSet;
use std::path::Path;

use functions::functions;
use imports::{Import, imports};
use modules::modules;

/// The rooms of `src`: each takes names from those before it alone. Between crates cargo sees to that.
const ROOMS: [&str; 13] = [
    "identity", "backend", "compilers", "observer", "fault", "forms", "plan", "search", "verify", "report", "output",
    "driver", "cli",
];

/// The floors of `crates/ir/kernels/src`, in the same way.
const FLOORS: [&str; 8] =
    ["options", "build", "thermodynamics", "rates", "transport", "chemistry", "slopes", "integration"];

/// Lines of the longest function.
const LONGEST_FUNCTION: usize = 80;

/// As many files may take names from each other in a circle, in any crate.
const LARGEST_CIRCLE: usize = 3;

fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn of_crate(root: &str) -> BTreeSet<Import> {
    imports(&modules(project(), root))
}

#[test]
fn rooms_take_names_from_those_before_them() {
    let imports = of_crate("src/lib.rs");
    assert!(imports.len() > 300, "the imports of src are found");
    assert_eq!(against_the_order(&imports, "src/", &ROOMS), Vec::<String>::new());
}

#[test]
fn floors_of_kernels_take_names_from_those_below() {
    let folder = "crates/ir/kernels/src/";
    let imports = of_crate("crates/ir/kernels/src/lib.rs");
    let floor =
        |file: &str| file.strip_prefix(folder).and_then(|file| file.split(['/', '.']).next().map(str::to_owned));
    let is_on_a_floor = |file: &str| floor(file).is_some_and(|floor| FLOORS.contains(&floor.as_str()));
    let inside = |import: &&Import| {
        is_on_a_floor(&import.from) && (is_on_a_floor(&import.to) || import.to == format!("{folder}lib.rs"))
    };
    let inside: BTreeSet<Import> = imports.iter().filter(inside).cloned().collect();
    assert!(inside.len() > 100, "the imports of kernels are found");
    let floors: Vec<&str> = FLOORS.into_iter().chain(["lib"]).collect();
    assert_eq!(against_the_order(&inside, folder, &floors), Vec::<String>::new());
}

/// The imports from a room behind the own one, or between rooms of which the list lacks one. A room is a folder or a file in `folder`.
fn against_the_order(imports: &BTreeSet<Import>, folder: &str, rooms: &[&str]) -> Vec<String> {
    let place = |file: &str| {
        let room = file.strip_prefix(folder)?.split(['/', '.']).next()?;
        rooms.iter().position(|known| *known == room)
    };
    let is_wrong = |import: &&Import| match (place(&import.from), place(&import.to)) {
        (Some(from), Some(to)) => to > from,
        _ => true,
    };
    imports.iter().filter(is_wrong).map(|Import { from, to, name }| format!("{from} takes {name} from {to}")).collect()
}

#[test]
fn the_page_has_the_order_of_the_rooms() {
    let page = page();
    for order in [&ROOMS[..], &FLOORS[..]] {
        let order = order.join(" ← ");
        assert!(page.contains(&order), "docs/architecture.md lacks: {order}");
    }
}

#[test]
fn circles_are_small() {
    let mut larger = Vec::new();
    for root in roots() {
        let modules = modules(project(), &root);
        let files: BTreeSet<&str> = modules.iter().map(|module| module.file.as_str()).collect();
        let imports = imports(&modules);
        let circles = circles(&imports);
        let largest = circles.iter().map(Vec::len).max().unwrap_or(0);
        let of_crate: Vec<&Vec<String>> = circles.iter().filter(|circle| circle.len() > LARGEST_CIRCLE).collect();
        println!(
            "{root}: {} files, {} imports between them, {} circles, {} of more than {LARGEST_CIRCLE} files, the largest of {largest}",
            files.len(),
            pairs(&imports).len(),
            circles.len(),
            of_crate.len()
        );
        larger.extend(of_crate.into_iter().map(|circle| circle.join(" ")));
    }
    assert_eq!(larger, Vec::<String>::new(), "circles of more than {LARGEST_CIRCLE} files");
}

#[test]
fn functions_fit_a_page() {
    let modules = roots().into_iter().flat_map(|root| modules(project(), &root));
    let files: BTreeSet<String> = modules.map(|module| module.file).collect();
    let mut longer = Vec::new();
    let mut count = 0;
    for file in files {
        let text = std::fs::read_to_string(project().join(&file)).expect("a module has a text");
        let of_file = functions(&text);
        count += of_file.len();
        let of_file = of_file.into_iter().filter(|(_, lines)| *lines > LONGEST_FUNCTION);
        longer.extend(of_file.map(|(name, lines)| format!("{file}: {name} has {lines} lines")));
    }
    assert!(count > 5000, "the functions are found: {count}");
    assert_eq!(longer, Vec::<String>::new(), "functions of more than {LONGEST_FUNCTION} lines");
}

/// The files that the crates begin with.
fn roots() -> Vec<String> {
    let names = |folder: &str| -> Vec<String> {
        let entries = std::fs::read_dir(project().join(folder)).expect("there are crates");
        entries
            .map(|entry| format!("{folder}{}/", entry.expect("a folder is read").file_name().to_string_lossy()))
            .collect()
    };
    let mut folders: Vec<String> = names("crates/").iter().flat_map(|house| names(house)).collect();
    folders.extend(["", "tuner/", "xtask/"].map(str::to_owned));
    folders.sort();
    let root = |folder: &String| {
        let files = ["lib", "main"].map(|name| format!("{folder}src/{name}.rs"));
        files.into_iter().find(|file| project().join(file).exists()).expect("a crate has a file that it begins with")
    };
    folders.iter().map(root).collect()
}

/// Returns the pairs of files of which the first takes any name from the second.
fn pairs(imports: &BTreeSet<Import>) -> BTreeSet<(&str, &str)> {
    imports.iter().map(|import| (import.from.as_str(), import.to.as_str())).collect()
}

/// Files each of which takes names from each other one, if through others.
fn circles(imports: &BTreeSet<Import>) -> Vec<Vec<String>> {
    let graph = petgraph::graphmap::DiGraphMap::<&str, ()>::from_edges(pairs(imports));
    let mut circles: Vec<Vec<String>> = petgraph::algo::tarjan_scc(&graph)
        .into_iter()
        .filter(|files| files.len() > 1)
        .map(|files| files.into_iter().map(str::to_owned).collect())
        .collect();
    circles.iter_mut().for_each(|files| files.sort());
    circles.sort();
    circles
}

#[test]
fn the_page_names_places_that_are_there() {
    let (named, missing) = named_places::missing(project(), &page());
    println!("docs/architecture.md names {named} places");
    assert!(named > 80, "the places on the page are found");
    assert_eq!(missing, Vec::<String>::new());
}

fn page() -> String {
    std::fs::read_to_string(project().join("docs/architecture.md")).expect("the page is there")
}
