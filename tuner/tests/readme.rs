//! What the README says that the tuner finds is what it found.

use std::path::Path;

#[test]
fn the_example_is_the_one_of_the_page() {
    let text =
        |name: &str| std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name)).unwrap();
    let page = text("docs/lab/tuned.md");
    let (_, best) = page.split_once("```toml\n").expect("the page has a best.toml");
    let (best, _) = best.split_once("```").expect("it ends");
    let indented: String =
        best.lines().map(|line| if line.is_empty() { "\n".into() } else { format!("    {line}\n") }).collect();
    assert!(best.contains("[viscosity]\ncodegen = "), "{best}");
    assert!(
        text("README.md").contains(&indented),
        "the README has another best.toml than docs/lab/tuned.md:\n{indented}"
    );
}
