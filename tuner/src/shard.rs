//! A part of the candidates, for one of several machines.

/// The `part`-th of `parts`, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    part: usize,
    parts: usize,
}

/// Errors: this is not `i/n` with i from 1 to n; the reason is for people.
pub fn parse(text: &str) -> Result<Shard, String> {
    let numbers = text.split_once('/').and_then(|(part, parts)| Some((part.parse().ok()?, parts.parse().ok()?)));
    match numbers {
        Some((part, parts)) if (1..=parts).contains(&part) => Ok(Shard { part, parts }),
        _ => Err("write i/n, with i from 1 to n".into()),
    }
}

impl Shard {
    /// Every n-th of them: neighbours, which take about as long, go to different machines.
    pub fn select<T>(self, all: Vec<T>) -> Vec<T> {
        all.into_iter().skip(self.part - 1).step_by(self.parts).collect()
    }
}

impl std::fmt::Display for Shard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.part, self.parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_have_everything_once() {
        let all: Vec<u32> = (0..11).collect();
        let parts: Vec<Vec<u32>> = (1..=3).map(|part| Shard { part, parts: 3 }.select(all.clone())).collect();
        assert_eq!(parts[1], [1, 4, 7, 10]);
        let mut together = parts.concat();
        together.sort();
        assert_eq!(together, all);
    }

    #[test]
    fn only_parts_that_there_are() {
        assert_eq!(parse("2/3"), Ok(Shard { part: 2, parts: 3 }));
        for text in ["0/3", "4/3", "3", "a/b", "1/0", "-1/2"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
