//! Every choice of the model except its costs, as data: the choice, the
//! alternative, and the published figures that were known when it was made.
//!
//! All figures of the guide were published before the model was made. So a choice
//! names the figures that were compared when it was made, and `sensitivity` shows
//! the predictions with the alternative.

use super::model::ModelStructure;
use super::sensitivity::GuideAppendix;
use crate::ring::{AcknowledgePoint, Pacing};

/// One choice.
#[derive(Clone, Copy, Debug)]
pub struct ModelChoice {
    /// The network that it is about.
    pub appendix: GuideAppendix,
    /// The subject of the choice.
    pub what: &'static str,
    /// The choice.
    pub taken: &'static str,
    /// The alternative; empty if the model has only one.
    pub other: &'static str,
    /// The published figures that were looked at when it was made.
    pub seen: &'static str,
    /// The reason.
    pub why: &'static str,
    /// Applies the alternative to the model. `None` if the model has only one.
    pub change: Option<fn(&mut ModelStructure)>,
}

/// All choices of the model.
pub const CHOICES: &[ModelChoice] = &[
    ModelChoice {
        appendix: GuideAppendix::A,
        what: "pacing of SNA Services/6000",
        taken: "adaptive",
        other: "fixed",
        seen: "RS/6000 before",
        why: "no public text describes it; fixed windows of 3 that wait for DELAY take minutes, \
              and 8.66 s are published",
        change: Some(|s| s.default_pacing = Pacing::Fixed),
    },
    ModelChoice {
        appendix: GuideAppendix::A,
        what: "the front end acknowledges a frame",
        taken: "as it comes",
        other: "when it has passed it on",
        seen: "OS/2 before, RS/6000 before",
        why: "no public text describes it; it was chosen when other costs brought the RS/6000 nearer this \
              way, and now no published figure distinguishes the two",
        change: Some(|s| s.acknowledges = AcknowledgePoint::WhenPassedOn),
    },
    ModelChoice {
        appendix: GuideAppendix::A,
        what: "window in which NS/DOS sends, tuned",
        taken: "32, VPACING",
        other: "8, which Figure 7 has for receiving",
        seen: "NS/DOS after",
        why: "the host's mode and VPACING pace what a client sends, as advise works it out",
        change: Some(|s| s.dos_most_window = 8),
    },
    ModelChoice {
        appendix: GuideAppendix::A,
        what: "a verb, a dispatch, an RU, a frame on clients and host",
        taken: "no time",
        other: "1 ms each",
        seen: "all after: they end near one rate",
        why: "the path after the ring is the limit, and no figure depends on these costs",
        change: Some(|s| s.step_ns = 1_000_000),
    },
    ModelChoice {
        appendix: GuideAppendix::A,
        what: "a segment of an RU in the front end, in addition to its PIU",
        taken: "no time",
        other: "1 ms",
        seen: "OS/2 and RS/6000 reductions",
        why: "1 ms would bring the RS/6000 nearer, but no public text has a \
              value, so it was taken out",
        change: Some(|s| s.segment_ns = 1_000_000),
    },
    ModelChoice {
        appendix: GuideAppendix::A,
        what: "a frame at the front end's link level",
        taken: "no time",
        other: "0.2 ms",
        seen: "none",
        why: "no figure depends on it",
        change: Some(|s| s.link_ns = 200_000),
    },
    ModelChoice {
        appendix: GuideAppendix::A,
        what: "the front end's card moves a frame in",
        taken: "50 µs and 0.125 µs a byte",
        other: "100 µs and 0.25 µs a byte",
        seen: "none",
        why: "of the order of a bus of 8 MB/s; no figure depends on it",
        change: Some(|s| (s.card_frame_ns, s.card_byte_ps) = (100_000, 250_000)),
    },
    ModelChoice {
        appendix: GuideAppendix::A,
        what: "the front end keeps an acknowledgement back for at most",
        taken: "100 ms",
        other: "500 ms",
        seen: "none",
        why: "T2TIMER is coded (1,1.8): tenths of a second",
        change: Some(|s| s.t2_ns = 500_000_000),
    },
    ModelChoice {
        appendix: GuideAppendix::A,
        what: "DOS waits until a frame has left",
        taken: "yes",
        other: "no",
        seen: "B DOS client and DOS server file transfers",
        why: "the two directions of Appendix B differ by half",
        change: Some(|s| s.dos_waits_for_send = false),
    },
    ModelChoice {
        appendix: GuideAppendix::A,
        what: "largest RU where a product sizes it by the frame",
        taken: "the largest that a BIND can express",
        other: "",
        seen: "Figure 6: 960 negotiated",
        why: "Figure 6 has 960 for a frame of 987",
        change: None,
    },
    ModelChoice {
        appendix: GuideAppendix::B,
        what: "DOS waits until a frame has left",
        taken: "yes",
        other: "no",
        seen: "DOS client and DOS server file transfers",
        why: "the two directions differ by half",
        change: Some(|s| s.dos_waits_for_send = false),
    },
    ModelChoice {
        appendix: GuideAppendix::B,
        what: "an RU and a frame under OS/2",
        taken: "what a verb costs",
        other: "0.1 ms each, a verb more",
        seen: "Turbo and Busmaster gains",
        why: "one figure cannot distinguish the two, \
              so they became one cost",
        change: Some(|s| s.os2_ru_ns = Some(100_000)),
    },
    ModelChoice {
        appendix: GuideAppendix::B,
        what: "a byte costs NS/DOS up to the program and down from it",
        taken: "as much",
        other: "",
        seen: "DOS client file transfer",
        why: "a cost of its own for each direction would be calibrated on the one figure that \
              it is for",
        change: None,
    },
    ModelChoice {
        appendix: GuideAppendix::B,
        what: "a receive buffer of the OS/2 driver",
        taken: "no time",
        other: "5 µs",
        seen: "none",
        why: "no figure depends on it",
        change: Some(|s| s.driver_buffer_ns = 5_000),
    },
    ModelChoice {
        appendix: GuideAppendix::B,
        what: "the Busmaster card moves a frame in",
        taken: "50 µs and 0.125 µs a byte",
        other: "100 µs and 0.25 µs a byte",
        seen: "none",
        why: "as the front end's",
        change: Some(|s| (s.card_frame_ns, s.card_byte_ps) = (100_000, 250_000)),
    },
    ModelChoice {
        appendix: GuideAppendix::B,
        what: "session work has a lower priority than link work",
        taken: "yes",
        other: "",
        seen: "the four gains of file transfers over OS/2 defaults",
        why: "RUs and copies became a layer of their own while these gains were looked at",
        change: None,
    },
];
