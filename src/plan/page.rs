//! The table of what goes with what as a section of the guide.

use super::conditions::members;
use super::goes_with::{FLAGS, Flag, Need, REFUSALS, Refusal};

/// Flags by which the columns of the section are headed.
const COLUMNS: [&str; 5] = ["--kernel", "--target", "--precision", "--codegen", "--emit"];

/// The keys of `--layout`, what has an effect with what, and what is refused, as tables of Markdown.
pub fn combinations() -> String {
    let key =
        |row: &Flag| Some(format!("| `{}={}` | {} |\n", row.asked[0], cell(row.of_layout?[0]), row.of_layout?[1]));
    let keys: String = FLAGS.iter().filter_map(key).collect();
    let concerns = |row: &Flag| (!row.needs.is_empty()).then(|| format!("{}\n", columns(row.asked, row.needs)));
    let concerns: String = FLAGS.iter().filter_map(concerns).collect();
    let refused = |row: &Refusal| format!("{} `{}`: {} |\n", columns(row.asked, row.needs), row.id, row.why);
    let refused: String = REFUSALS.iter().map(refused).collect();
    let head = COLUMNS.map(|flag| format!(" `{flag}` |")).concat();
    format!(
        "| `--layout` | meaning |\n|---|---|\n{keys}\n\
         A flag or key on the left has an effect only with what stands beside it, and a warning says where it has none:\n\n\
         | flag |{head} other flags |\n|---|---|---|---|---|---|---|\n{concerns}\n\
         What stands on the left is refused without what stands beside it:\n\n\
         | asked for |{head} other flags | why |\n|---|---|---|---|---|---|---|---|\n{refused}"
    )
}

/// Cells of a row: what is asked for, then its needs, each under the flag that it is of.
fn columns(asked: &[&str], needs: &[Need]) -> String {
    let mut cells = vec![Vec::new(); COLUMNS.len() + 1];
    for text in needs.iter().map(members) {
        let column = COLUMNS.iter().position(|flag| text.split(' ').any(|word| word == *flag));
        let flag = column.map_or(String::new(), |column| format!("{} ", COLUMNS[column]));
        cells[column.unwrap_or(COLUMNS.len())].push(cell(&text.replacen(&flag, "", 1)));
    }
    let cells: String = cells.iter().map(|cell| format!(" {} |", cell.join("; "))).collect();
    format!("| `{}` |{cells}", cell(&asked.join("` with `")))
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}
