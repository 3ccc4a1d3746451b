//! What each option of INQUIRE tells of a resource, seen at one moment.

mod others;
mod queues;
mod tasks;
mod values;

pub use others::numbered_class;
pub use values::{OptionValue, RegionView};
