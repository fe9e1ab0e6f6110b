//! The model of time: its certain properties, and published measurements of machines.

mod assembly;
mod certain;
mod compiled;
mod exits;
mod limits;
mod measured;
mod others;
mod published;
mod table;
mod turns;
mod whole;
mod withheld;
