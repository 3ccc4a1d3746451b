//! The ways in which sockets are served.

/// One way to serve sockets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CycleCase {
    /// Its name in reports.
    pub name: &'static str,
    /// `served` in `[sockets]`.
    pub served: &'static str,
    /// The infrastructure has processors of its own.
    pub offload: bool,
}

/// All cases; the others are compared with the first.
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
    /// CPU in nanoseconds of general engines: all CPU if there are no offload
    /// engines.
    pub fn general(&self, general_s: f64, offload_s: f64) -> f64 {
        if self.offload {
            general_s
        } else {
            general_s + offload_s
        }
    }
}
