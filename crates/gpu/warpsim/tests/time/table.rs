//! Tables of published beside modelled values, in docs/lab/time.md.

use std::fmt::Write;
use std::sync::Mutex;

/// A row of the table.
#[derive(Clone)]
pub struct Row {
    pub what: String,
    pub target: &'static str,
    pub published: f64,
    pub source: &'static str,
    pub modelled: f64,
}

pub fn table<'a>(rows: impl IntoIterator<Item = &'a Row>) -> String {
    let mut text = "| what | target | published | modelled | ratio | source |\n|---|---|---|---|---|---|\n".to_owned();
    for Row { what, target, published, source, modelled } in rows {
        let ratio = if *published == 0.0 { "–".to_owned() } else { format!("{:.2}", modelled / published) };
        let _ = writeln!(text, "| {what} | {target} | {published} | {modelled:.1} | {ratio} | {source} |");
    }
    text
}

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/lab/time.md");
const END: &str = "<!-- end -->";

/// Checks that the page has this table behind the mark; with `SINGE_BLESS=1` it is written there.
pub fn written(begin: &str, rows: &[Row]) {
    placed(begin, &table(rows));
}

/// As [`written`], of any text.
pub fn placed(begin: &str, made: &str) {
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap();
    let page = std::fs::read_to_string(PAGE).unwrap();
    let (head, rest) = page.split_once(begin).expect("the page has a place for the table");
    let (before, tail) = rest.split_once(END).expect("the place ends");
    if std::env::var_os("SINGE_BLESS").is_some() {
        std::fs::write(PAGE, format!("{head}{begin}{made}{END}{tail}")).unwrap();
    } else {
        assert_eq!(before, made, "SINGE_BLESS=1 writes the table");
    }
}
