//! Work that is still to be looked at, the first in order before the rest.

/// A set of numbers.
pub struct Waiting {
    words: Vec<u64>,
    /// No word before it has a member.
    first: usize,
    members: usize,
}

impl Waiting {
    /// Empty, for numbers below this one.
    pub fn new(numbers: usize) -> Self {
        Self { words: vec![0; numbers.div_ceil(64)], first: 0, members: 0 }
    }

    pub fn insert(&mut self, number: usize) {
        let (word, bit) = (number / 64, 1 << (number % 64));
        self.members += usize::from(self.words[word] & bit == 0);
        self.words[word] |= bit;
        self.first = self.first.min(word);
    }

    /// Takes the first member out.
    pub fn pop(&mut self) -> Option<usize> {
        if self.members == 0 {
            return None;
        }
        self.members -= 1;
        self.first += self.words[self.first..].iter().position(|word| *word != 0)?;
        let word = &mut self.words[self.first];
        let bit = word.trailing_zeros() as usize;
        *word &= *word - 1;
        Some(64 * self.first + bit)
    }

    pub fn contains(&self, number: usize) -> bool {
        self.words[number / 64] >> (number % 64) & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_comes_first_also_when_it_came_last() {
        let mut waiting = Waiting::new(130);
        [129, 64, 3, 64].into_iter().for_each(|number| waiting.insert(number));
        assert!(waiting.contains(129) && !waiting.contains(128));
        assert_eq!(waiting.pop(), Some(3));
        assert_eq!(waiting.pop(), Some(64));
        waiting.insert(5);
        assert_eq!([waiting.pop(), waiting.pop(), waiting.pop()], [Some(5), Some(129), None]);
        assert_eq!(Waiting::new(0).pop(), None);
    }
}
