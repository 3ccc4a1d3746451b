//! Events of the region at a terminal: what its tasks send, and how they end.
//!
//! They come on the thread that receives them, usually that of the terminals, and
//! wait for nothing.

use std::sync::Arc;

use region::{FacilityEvent, FacilityId, FacilitySink};

use crate::commands;
use crate::display::TerminalDisplay;
use crate::messages;

/// The region's way to a terminal.
#[derive(Debug)]
pub struct DisplaySink(pub Arc<TerminalDisplay>);

impl FacilitySink for DisplaySink {
    fn event(&self, facility: FacilityId, event: FacilityEvent) {
        let display = &self.0;
        let Some(shared) = display.shared.upgrade() else {
            return;
        };
        match event {
            FacilityEvent::Begins(transid) => {
                // A START may begin before the door knows the facility's number.
                shared.attach(facility, display);
                let mut state = display.lock();
                state.transid = transid;
                state.unlock_due = false;
            }
            FacilityEvent::Output(output) => display.output(&output),
            FacilityEvent::Command { number, operands } => {
                commands::serve_later(&shared, display, number, &operands);
            }
            FacilityEvent::Waits => {
                display.lock().awaits_input = true;
                display.uncover();
                display.unlock();
            }
            FacilityEvent::Ended {
                abend: Some(abend), ..
            } => {
                let transid = display.lock().transid;
                display.show(&messages::abended(&shared.applid, transid, &abend), false);
            }
            FacilityEvent::Ended { abend: None, .. } => display.task_ended(),
            FacilityEvent::Refused { transid, .. } if transid.is_blank() => {
                // CLEAR, or a key alone, that was pressed while a task ended.
                display.task_ended();
            }
            FacilityEvent::Refused { transid, refusal } => {
                display.show(
                    &messages::refused_task(&shared.applid, transid, refusal),
                    false,
                );
            }
        }
    }
}
