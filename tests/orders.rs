//! Orders of elimination of the reactors' linear systems: ours has no more products than any of the known ones that are tried here, and
//! the table of the page is what this prints.

use kernels::elimination::{Elimination, Measure, Pattern, in_order, order, plan};
use kernels::{Form, Kernel, Options};
use testkit::{detailed, root, shipped, skip};

/// Entries and products of the factors.
fn counts(elimination: &Elimination) -> String {
    format!("{} / {}", elimination.entries(), elimination.multiply_adds())
}

/// With each entry its mirror image.
fn symmetric(pattern: &Pattern) -> Pattern {
    let mut rows = pattern.rows.clone();
    for (row, columns) in pattern.rows.iter().enumerate() {
        columns.iter().for_each(|&column| _ = rows[column].insert(row));
    }
    Pattern { rows }
}

/// Ours, then those that are known: least degree of A + Aᵀ, least products, least fill-in, and as the unknowns are given. The last two take
/// long for many unknowns, and are left out there.
fn orders(pattern: &Pattern) -> Vec<Elimination> {
    let n = pattern.rows.len();
    let last = [n - 2, n - 1];
    let mut known =
        vec![order(&symmetric(pattern), &last, Measure::Products), order(pattern, &last, Measure::Products)];
    if n < 200 {
        known.extend([order(pattern, &last, Measure::FillIn), (0..n).collect()]);
    }
    let known = known.into_iter().map(|order| in_order(pattern, order));
    std::iter::once(plan(pattern, &last)).chain(known).collect()
}

#[test]
fn ours_has_the_fewest_products_and_the_page_says_so() {
    let page = std::fs::read_to_string(root().join("docs/lab/reactor-method.md")).unwrap();
    let mut paths = vec![("gri30", shipped("gri30"))];
    for name in ["dme", "usc2", "llnl_nheptane"] {
        paths.extend(skip::shared(&format!("mechanisms/{name}/chem.inp")).map(|path| (name, path)));
    }
    for (name, path) in paths {
        let model = detailed(&path);
        let options = Options { form: Form::LogSpace, warps: 1, ..Options::default() };
        let graph = kernels::build(Kernel::IsobaricSparseJacobian, &model, &options).unwrap();
        let pattern = kernels::elimination::matrix(&graph.pattern, model.species().len());
        let entries: usize = pattern.rows.iter().map(|row| row.len()).sum();
        let all = orders(&pattern);
        let cells = (0..5).map(|n| all.get(n).map_or(String::new(), counts)).collect::<Vec<_>>().join(" | ");
        let row = format!("| {name} | {entries} | {cells} |");
        println!("{row}");
        assert!(all.iter().all(|other| all[0].multiply_adds() <= other.multiply_adds()), "{row}");
        assert!(page.contains(&row), "docs/lab/reactor-method.md lacks {row}");
    }
}
