//! The ways in which sockets are served.

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CycleCase {
    /// What reports call it.
    pub name: &'static str,
    /// `served` in `[sockets]`.
    pub served: &'static str,
    /// The infrastructure has processors of its own.
    pub offload: bool,
}

/// All of them; the first is what the others are compared with.
pub const CASES: [CycleCase; 4] = [
    CycleCase {
        name: "classic",
        served: "region",
        offload: false,
    },
    CycleCase {
        name: "Solution One",
        served: "worker",
        offload: false,
    },
    CycleCase {
        name: "Solution Two",
        served: "native",
        offload: false,
    },
    CycleCase {
        name: "Solution Two, offload",
        served: "native",
        offload: true,
    },
];

impl CycleCase {
    /// CPU in nanoseconds that counts as that of general engines: all of it
    /// where there are no others.
    pub fn general(&self, general_s: f64, offload_s: f64) -> f64 {
        if self.offload {
            general_s
        } else {
            general_s + offload_s
        }
    }
}
