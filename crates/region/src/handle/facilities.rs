//! A door's side of facilities that outlive tasks: it registers each, gives it
//! what its user enters, and takes events into its sink.

use std::sync::Arc;

use link::{Name, TransId, UserId};

use super::Handle;
use crate::api::FacilitySink;
use kernel::{
    FacilityDef, FacilityId, FacilityInput, FacilityState, InputRefused, InputTaken,
    RegisterRefused,
};

impl Handle {
    /// Registers a facility.
    ///
    /// # Errors
    /// Its terminal identifier is in use, or there are too many.
    pub fn register_facility(
        &self,
        def: FacilityDef,
        sink: Arc<dyn FacilitySink>,
    ) -> Result<FacilityId, RegisterRefused> {
        self.shared.register_facility(def, sink)
    }

    /// Signs another user on at a facility from the next task on. Data that were saved for
    /// an earlier user are not given to this one.
    pub fn sign_on(&self, facility: FacilityId, userid: UserId) {
        let shared = &self.shared;
        shared.kernel(|kernel, now, out| {
            kernel.with(now, out, |resources, cx| {
                resources.facilities.sign_on(cx, facility, userid);
            });
        });
    }

    /// A user has pressed ATTN: the next SEND, RECEIVE or CONVERSE of the task at
    /// the facility raises SIGNAL, and WAIT SIGNAL ends.
    pub fn attention(&self, facility: FacilityId) {
        self.shared.kernel(|kernel, now, out| {
            kernel.with(now, out, |resources, cx| {
                resources.facilities.attention(cx, facility);
            });
        });
    }

    /// Starts or stops stepping through the tasks of a terminal, from the next task on:
    /// their workers report to the service of [`link::stepping::STEP_COMMAND`].
    pub fn step_terminal(&self, terminal: Name<4>, on: bool) {
        self.shared.stepping.set_terminal(terminal, on);
    }

    /// The same for tasks of a transaction that have no terminal.
    pub fn step_transaction(&self, transid: TransId, on: bool) {
        self.shared.stepping.set_transaction(transid, on);
    }

    /// Passes a user's input to the region.
    ///
    /// # Errors
    /// The input was refused; the door reports why to its user.
    pub fn input(
        &self,
        facility: FacilityId,
        input: FacilityInput,
    ) -> Result<InputTaken, InputRefused> {
        self.shared.kernel(|kernel, now, out| {
            kernel.with(now, out, |resources, cx| {
                kernel::resources::facilities::input(resources, cx, facility, input)
            })
        })
    }

    /// The data that wait for the next input. Returns `None` if no such facility is
    /// registered.
    pub fn facility(&self, facility: FacilityId) -> Option<FacilityState> {
        self.shared.kernel(|kernel, now, out| {
            kernel.with(now, out, |resources, cx| {
                resources.facilities.state(cx, facility)
            })
        })
    }

    /// Removes a facility. A task that waits for its input, or asks for input
    /// or sends later, gets TERMERR, and ends with ATNI if it does not handle
    /// that.
    pub fn close_facility(&self, facility: FacilityId) {
        self.shared.close_facility(facility);
    }
}
