//! Work with one result that several tests of a program ask for: it is done once.

use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock};

/// Results by what was asked for.
#[derive(Default)]
pub struct Once<T: 'static>(Mutex<BTreeMap<String, &'static OnceLock<T>>>);

impl<T> Once<T> {
    pub const fn new() -> Self {
        Self(Mutex::new(BTreeMap::new()))
    }

    /// Returns the result for a key. The first that asks makes it, and others wait.
    pub fn get(&self, key: String, make: impl FnOnce() -> T) -> &'static T {
        let result = *self.0.lock().expect("nobody panics").entry(key).or_insert_with(|| Box::leak(Box::default()));
        result.get_or_init(make)
    }
}
