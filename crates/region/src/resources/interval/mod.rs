//! Interval control: DELAY, START, RETRIEVE, CANCEL.
//!
//! Reference: CICS API reference, the commands' pages, and CICS application
//! programming, "Interval control".

mod delay;
mod start;
mod when;

use std::collections::HashMap;

use cics::command::commands::{delay as delay_row, retrieve as retrieve_row, start as start_row};

use super::Manager;
use crate::core::TaskKey;
use crate::kernel::{Start, TimerId};

/// What this manager serves and hears of.
pub const MANAGER: Manager = Manager {
    commands: &[
        (delay_row::NUMBER, delay::delay),
        (start_row::NUMBER, start::start),
        (retrieve_row::NUMBER, start::retrieve),
    ],
    task_ended: |resources, _, caller| {
        if let Some(start) = caller.start {
            resources.interval.data.remove(&start);
        }
    },
    alarm: start::due,
    start_ended: start::ended,
    ..Manager::IDLE
};

/// Requests that wait for their time, and what was sent to tasks begun.
#[derive(Debug, Default)]
pub struct Intervals {
    /// STARTs whose time has not come, by their number.
    waiting: HashMap<u64, Pending>,
    /// What RETRIEVE gives the task of a START, by the START's number.
    data: HashMap<u64, StartData>,
}

/// A START whose time has not come.
#[derive(Debug)]
struct Pending {
    start: Start,
    data: StartData,
    timer: TimerId,
    /// Who asked.
    by: TaskKey,
}

/// What a START sends along.
#[derive(Debug, Clone, Default)]
struct StartData {
    from: Option<Vec<u8>>,
    retrieved: bool,
}
