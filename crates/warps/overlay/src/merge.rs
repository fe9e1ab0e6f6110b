//! Alignment of any number of sequences whose elements either match or do not, for code that the warps of a CTA share.

/// Elements of one kind, at most one from each sequence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn<K> {
    pub kind: K,
    /// Whether each sequence takes part.
    pub takes: Vec<bool>,
}

/// Merges the sequences into turns. The order of every sequence is kept.
///
/// Each turn takes a kind that is at the head of some sequences. If there is a choice, this kind does not come again
/// later in a sequence that has another kind at its head, as taking it now would split what could be one turn.
pub fn merge<K: Copy + PartialEq>(sequences: &[Vec<K>]) -> Vec<Turn<K>> {
    let mut rest: Vec<&[K]> = sequences.iter().map(Vec::as_slice).collect();
    let mut turns = Vec::new();
    while let Some(kind) = next(&rest) {
        let take = |rest: &mut &[K]| match rest.split_first() {
            Some((head, tail)) if *head == kind => {
                *rest = tail;
                true
            }
            _ => false,
        };
        turns.push(Turn { kind, takes: rest.iter_mut().map(take).collect() });
    }
    turns
}

fn next<K: Copy + PartialEq>(rest: &[&[K]]) -> Option<K> {
    let heads: Vec<K> = rest.iter().filter_map(|rest| rest.first().copied()).collect();
    let comes_later = |kind: K| {
        let others = rest.iter().filter(|rest| rest.first().is_some_and(|head| *head != kind));
        others.copied().flatten().any(|other| *other == kind)
    };
    heads.iter().copied().find(|kind| !comes_later(*kind)).or_else(|| {
        // every choice splits something: take what most sequences have
        heads.iter().copied().rev().max_by_key(|kind| heads.iter().filter(|head| *head == kind).count())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(sequences: &[&str]) -> String {
        let sequences: Vec<Vec<char>> = sequences.iter().map(|sequence| sequence.chars().collect()).collect();
        merge(&sequences).iter().map(|turn| turn.kind).collect()
    }

    #[test]
    fn what_all_have_is_one_turn() {
        assert_eq!(merged(&["abc", "abc", "abc"]), "abc");
        assert_eq!(merged(&["ac", "abc", "c"]), "abc");
        assert_eq!(merged(&["xb", "b", ""]), "xb");
    }

    #[test]
    fn where_every_choice_splits_most_sequences_decide() {
        assert_eq!(merged(&["ab", "ba", "ba"]), "bab");
        assert_eq!(merge::<char>(&[]), []);
    }

    /// Every sequence is what its turns give, in order.
    #[test]
    fn the_order_of_every_sequence_is_kept() {
        for seed in 0u64..300 {
            let random =
                |i: u64| (seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ i.wrapping_mul(0x94d0_49bb_1331_11eb)) >> 40;
            let sequences: Vec<Vec<u64>> = (0..1 + random(1) % 5)
                .map(|s| (0..random(2 + s) % 7).map(|i| random(100 + 10 * s + i) % 4).collect())
                .collect();
            let turns = merge(&sequences);
            for (number, sequence) in sequences.iter().enumerate() {
                let taken: Vec<u64> = turns.iter().filter(|turn| turn.takes[number]).map(|turn| turn.kind).collect();
                assert_eq!(taken, *sequence, "seed {seed}");
            }
        }
    }
}
