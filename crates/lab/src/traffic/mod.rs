//! Real traffic between the two ends of a wire: the load driver as client, and as
//! server either threads on the kernel's sockets or a TCP endpoint in user space
//! whose acknowledgements wait as long as they are reported to.

mod client;
mod http;
mod peer;
mod relay;
mod server;
mod trial;

pub use client::{ClientPlan, ResponseTimes};
pub use peer::{PeerPlan, UserPeer};
pub use relay::TcpRelay;
pub use server::{Server, ServerPlan};
pub use trial::{TrafficTrial, TrialEndpoint, TrialMeasurement, TrialResult};
