//! Paper 004, the APPC tuning guide, on a token ring in virtual time.
//!
//! | file | what |
//! |---|---|
//! | [`mainframe`] | the network of Appendix A, before and after |
//! | [`micro`] | the network of Appendix B, defaults and tuned |
//! | [`costs`] | costs of the machines, calibrated or given, as data |
//! | [`choices`] | what else was decided, and with which figure in sight |
//! | [`machine`] | the machines made of these costs |
//! | [`model`] | the networks with one set of costs |
//! | [`calibrate`] | the calibrated costs, found from the published figures |
//! | [`sensitivity`] | the figures with other costs and other choices |
//! | [`figures`] | every published figure and what the simulation says of it |
//! | [`attribution`] | one parameter at a time, and its share over all orders |
//! | [`contradiction`] | both readings where the guide contradicts itself |
//! | [`sweep`] | pictures of throughput against one parameter |
//! | [`tables`] | the tables of the report |
//!
//! Invariant: a cost is calibrated on one side of a published pair at most;
//! nothing is fitted to a figure that is then called a prediction, and a figure
//! that was looked at when a choice was made says so.

pub mod attribution;
pub mod calibrate;
pub mod choices;
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
