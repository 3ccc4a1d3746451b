//! Paper 004, the APPC tuning guide, on a token ring in virtual time.
//!
//! | file | what |
//! |---|---|
//! | [`mainframe`] | the network of Appendix A, before and after |
//! | [`micro`] | the network of Appendix B, defaults and tuned |
//! | [`costs`] | what the machines cost, calibrated or assumed, as data |
//! | [`machine`] | the machines made of these costs |
//! | [`model`] | the networks with one set of costs |
//! | [`calibrate`] | the calibrated costs, found from the published figures |
//! | [`sensitivity`] | the predictions over the range of each assumed cost |
//! | [`figures`] | every published figure and what the simulation says of it |
//! | [`attribution`] | one parameter at a time, and its share over all orders |
//! | [`contradiction`] | both readings where the guide contradicts itself |
//! | [`sweep`] | pictures of throughput against one parameter |
//! | [`tables`] | the tables of the report |
//!
//! Invariant: a cost is calibrated on one side of a published pair at most;
//! nothing is fitted to a figure that is then called a prediction.

pub mod attribution;
pub mod calibrate;
pub mod contradiction;
pub mod costs;
pub mod figures;
pub mod machine;
pub mod mainframe;
pub mod micro;
pub mod model;
pub mod sensitivity;
pub mod sweep;
pub mod tables;
