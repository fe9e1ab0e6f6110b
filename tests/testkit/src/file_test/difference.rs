//! Changes between two texts.

/// The lines that differ, `-` from the first text and `+` from the second, each run of them with the number of its first line.
pub fn lines(old: &str, new: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    // longest[i][j]: the most lines that old[i..] and new[j..] have in common, in order.
    let mut longest = vec![vec![0usize; new.len() + 1]; old.len() + 1];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            let skipped = longest[i + 1][j].max(longest[i][j + 1]);
            longest[i][j] = if old[i] == new[j] { longest[i + 1][j + 1] + 1 } else { skipped };
        }
    }
    let (mut i, mut j, mut text, mut same) = (0, 0, String::new(), true);
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            (i, j, same) = (i + 1, j + 1, true);
            continue;
        }
        if std::mem::replace(&mut same, false) {
            text.push_str(&format!("  line {}\n", j + 1));
        }
        if j == new.len() || i < old.len() && longest[i + 1][j] >= longest[i][j + 1] {
            text.push_str(&format!("- {}\n", old[i]));
            i += 1;
        } else {
            text.push_str(&format!("+ {}\n", new[j]));
            j += 1;
        }
    }
    text
}
