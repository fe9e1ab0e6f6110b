//! Files of somebody's folder: written all or not at all, and known again by the next run.

mod manifest;
mod transaction;
mod write;

pub use write::{lies_within, write, write_file, write_project};
