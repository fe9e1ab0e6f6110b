//! Places in the source of a PTX text: `.file` and `.loc`, as nvcc (`-lineinfo`), Triton and Numba (`lineinfo=True`) write them.

use std::collections::BTreeMap;

/// A place in a source text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub file: String,
    pub line: u32,
    pub column: u32,
}

/// The places of all lines of a PTX text.
#[derive(Debug, Clone, Default)]
pub struct Places {
    files: BTreeMap<u32, String>,
    /// Lines of the text at which a new place begins, in order; `None` where a function begins.
    marks: Vec<(u32, Option<Mark>)>,
}

/// File, line and column.
type Point = [u32; 3];

#[derive(Debug, Clone, Copy)]
struct Mark {
    point: Point,
    /// Where the function that this belongs to was inlined.
    inlined_at: Option<Point>,
}

/// Functions that are inlined into one another.
const DEEPEST: usize = 32;

impl Places {
    pub fn read(text: &str) -> Self {
        let mut places = Self::default();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim_start();
            if let Some(rest) = line.strip_prefix(".file") {
                places.files.extend(file(rest));
            } else if let Some(rest) = line.strip_prefix(".loc") {
                places.marks.extend(mark(rest).map(|mark| (number, Some(mark))));
            } else if [".entry", ".func"].iter().any(|word| line.split_whitespace().take(3).any(|w| w == *word)) {
                places.marks.push((number, None));
            }
        }
        places
    }

    /// Returns the place of a line, then the places where its function was inlined, from inside to outside. Empty if the text
    /// does not say.
    pub fn at(&self, line: u32) -> Vec<Place> {
        let end = self.marks.partition_point(|(start, _)| *start <= line);
        let own = self.marks[..end].iter().rposition(|(_, mark)| mark.is_none()).map_or(0, |at| at + 1);
        let marks = || self.marks[own..end].iter().rev().filter_map(|(_, mark)| *mark);
        // the compiler's own instructions have line 0
        let mut next = marks().find(|mark| mark.point[1] != 0);
        let mut found = Vec::new();
        while let Some(Mark { point: point @ [file, line, column], inlined_at }) = next.take() {
            let Some(name) = self.files.get(&file) else { break };
            found.push(Place { file: name.clone(), line, column });
            if found.len() < DEEPEST {
                let outer = |outer: Point| marks().find(|mark| mark.point == outer && mark.point != point);
                next = inlined_at.map(|at| outer(at).unwrap_or(Mark { point: at, inlined_at: None }));
            }
        }
        found
    }
}

/// Reads the number and the name of a file.
fn file(rest: &str) -> Option<(u32, String)> {
    let (number, rest) = rest.trim_start().split_once(char::is_whitespace)?;
    let name = rest.trim_start().strip_prefix('"')?.split('"').next()?;
    Some((number.parse().ok()?, name.replace("\\\\", "\\")))
}

/// Reads a place, and where it was inlined.
fn mark(rest: &str) -> Option<Mark> {
    let rest = rest.split("//").next().unwrap_or_default();
    let (own, outer) = rest.split_once("inlined_at").map_or((rest, None), |(own, outer)| (own, Some(outer)));
    Some(Mark { point: point(own)?, inlined_at: outer.and_then(point) })
}

fn point(text: &str) -> Option<Point> {
    let mut numbers = text.split([' ', '\t', ',']).filter(|word| !word.is_empty()).map_while(|word| word.parse().ok());
    Some([numbers.next()?, numbers.next()?, numbers.next().unwrap_or(0)])
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
.file 1 \"/src/softmax.cu\"
.file\t2 \"/cuda/shuffle.hpp\", 1700000000, 123
.visible .entry k()
{
\t.loc\t1 5 0
mov.u32 %r1, 1;
.loc 1 7 9
mov.u32 %r1, 2;
.loc 1 2 11, function_name $L__info_string0, inlined_at 1 7 9
mov.u32 %r1, 3;
.loc\t2 449 9, function_name $L__info_string1, inlined_at 1 2 11
shfl.sync.idx.b32 %r2, %r1, 0, 31, -1;
.loc 1 0 9
mov.u32 %r1, 4;
ret;
}
.visible .entry other()
{
ret;
}
";

    fn at(line: u32) -> Vec<String> {
        Places::read(TEXT).at(line).iter().map(|p| format!("{}:{}:{}", p.file, p.line, p.column)).collect()
    }

    #[test]
    fn a_line_has_the_last_place_before_it() {
        assert_eq!(at(6), ["/src/softmax.cu:5:0"]);
        assert_eq!(at(8), ["/src/softmax.cu:7:9"]);
        assert_eq!(at(3), [""; 0]);
    }

    #[test]
    fn inlined_functions_are_followed_outwards() {
        assert_eq!(at(10), ["/src/softmax.cu:2:11", "/src/softmax.cu:7:9"]);
        assert_eq!(at(12), ["/cuda/shuffle.hpp:449:9", "/src/softmax.cu:2:11", "/src/softmax.cu:7:9"]);
    }

    #[test]
    fn line_0_counts_for_nothing_and_functions_end() {
        assert_eq!(at(14), at(12));
        assert_eq!(at(19), [""; 0]);
    }

    #[test]
    fn no_text_makes_it_fail() {
        for text in [
            "", ".loc", ".loc 1", ".loc x y", ".file 1", ".file 1 \"", ".loc 1 2 3, inlined_at",
            ".loc 1 5 5, inlined_at 1 5 5",
        ] {
            let text = format!(".file 1 \"a\"\n{text}\nret;\n");
            assert!(Places::read(&text).at(3).len() <= DEEPEST);
        }
    }
}
