//! The value that each option of INQUIRE returns for a resource, at one moment.

mod others;
mod queues;
mod tasks;
mod values;

pub use others::numbered_class;
pub use values::{OptionValue, RegionView};
