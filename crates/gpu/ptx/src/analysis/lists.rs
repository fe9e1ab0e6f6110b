//! Tables by entity whose size is known beforehand.

use cranelift_entity::{EntityRef, SecondaryMap};
use std::marker::PhantomData;

/// A list of items for each key, all in one piece of memory.
#[derive(Debug, Clone)]
pub struct Lists<K, T> {
    /// Where the list of each key starts, and where the last one ends.
    starts: Vec<u32>,
    items: Vec<T>,
    keys: PhantomData<K>,
}

impl<K, T> Default for Lists<K, T> {
    fn default() -> Self {
        Self { starts: Vec::new(), items: Vec::new(), keys: PhantomData }
    }
}

impl<K: EntityRef, T: Copy> Lists<K, T> {
    /// The items of each key in the order of the pairs. Keys are below `keys`.
    pub fn new(keys: usize, pairs: &[(K, T)]) -> Self {
        if pairs.is_empty() {
            return Self::default();
        }
        let mut starts: Vec<u32> = vec![0; keys + 1];
        for (key, _) in pairs {
            starts[key.index()] += 1;
        }
        let mut end = 0;
        for start in &mut starts {
            end += *start;
            *start = end;
        }
        let mut items = vec![pairs[0].1; pairs.len()];
        // the last comes first, so that each start sinks to its place
        for (key, item) in pairs.iter().rev() {
            let start = &mut starts[key.index()];
            *start -= 1;
            items[*start as usize] = *item;
        }
        Self { starts, items, keys: PhantomData }
    }

    /// Nothing for keys that no list was made for.
    pub fn get(&self, key: K) -> &[T] {
        match self.starts.get(key.index()..key.index() + 2) {
            Some(&[start, end]) => &self.items[start as usize..end as usize],
            _ => &[],
        }
    }
}

/// A table with an entry for each of the first keys.
pub fn table<K: EntityRef, V: Clone + Default>(keys: usize) -> SecondaryMap<K, V> {
    let mut table = SecondaryMap::with_capacity(keys);
    table.resize(keys);
    table
}
