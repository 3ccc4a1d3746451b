//! The sink by which a door takes the output and the events of its facilities.
//!
//! A facility outlives its tasks; its door registers it with
//! [`crate::Handle::register_facility`].

use std::fmt::Debug;

use kernel::{FacilityEvent, FacilityId};

/// The door's end of a facility.
pub trait FacilitySink: Debug + Send + Sync {
    /// Takes an event. Called from the region's threads without any lock; it
    /// must not wait. Events of one facility come in their order.
    fn event(&self, facility: FacilityId, event: FacilityEvent);
}
