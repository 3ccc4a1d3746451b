//! The names of kinds of evidence, their reasons, and the owners of time.
//!
//! A kind is the content of a verdict; a reason is what the packets show of it. A
//! reason belongs to one kind. Its order here is its priority when several
//! exchanges wait at the same instant.

use serde::{Serialize, Serializer};

/// A kind of evidence; its name is stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EvidenceKind {
    /// A name was looked up.
    NameLookup,
    /// A connection was not answered, refused or reset.
    ConnectFailed,
    /// Segments above a size did not arrive.
    MtuBlackHole,
    /// The receiver's window was closed.
    WindowClosed,
    /// Data was lost or late, and sent again.
    Retransmission,
    /// A small write waited for an acknowledgement.
    WaitedForAck,
    /// The path's round trip.
    SlowPath,
    /// Many round trips in sequence.
    Chatty,
    /// A transfer waited for a window, or used up the path's rate.
    TransferLimited,
    /// An end did not send although it could.
    HostWait,
    /// No kind explains it.
    Unexplained,
}

impl EvidenceKind {
    /// The number of kinds.
    pub const COUNT: usize = 11;

    /// Every kind, the most specific first.
    pub const ALL: [EvidenceKind; EvidenceKind::COUNT] = [
        EvidenceKind::NameLookup,
        EvidenceKind::ConnectFailed,
        EvidenceKind::MtuBlackHole,
        EvidenceKind::WindowClosed,
        EvidenceKind::Retransmission,
        EvidenceKind::WaitedForAck,
        EvidenceKind::SlowPath,
        EvidenceKind::Chatty,
        EvidenceKind::TransferLimited,
        EvidenceKind::HostWait,
        EvidenceKind::Unexplained,
    ];

    /// Its name in JSON and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            EvidenceKind::NameLookup => "name-lookup",
            EvidenceKind::ConnectFailed => "connect-failed",
            EvidenceKind::MtuBlackHole => "mtu-black-hole",
            EvidenceKind::WindowClosed => "window-closed",
            EvidenceKind::Retransmission => "retransmission",
            EvidenceKind::WaitedForAck => "waited-for-ack",
            EvidenceKind::SlowPath => "slow-path",
            EvidenceKind::Chatty => "chatty",
            EvidenceKind::TransferLimited => "transfer-limited",
            EvidenceKind::HostWait => "host-wait",
            EvidenceKind::Unexplained => "unexplained",
        }
    }

    /// Its name in tables and pictures.
    pub fn title(self) -> &'static str {
        match self {
            EvidenceKind::NameLookup => "name lookup",
            EvidenceKind::ConnectFailed => "connection failed",
            EvidenceKind::MtuBlackHole => "path MTU black hole",
            EvidenceKind::WindowClosed => "window closed",
            EvidenceKind::Retransmission => "sent again",
            EvidenceKind::WaitedForAck => "waited for an acknowledgement",
            EvidenceKind::SlowPath => "round trip",
            EvidenceKind::Chatty => "round trips in sequence",
            EvidenceKind::TransferLimited => "transfer",
            EvidenceKind::HostWait => "waited for an end",
            EvidenceKind::Unexplained => "unexplained",
        }
    }

    /// Its place in the palette of pictures, the same in every picture.
    pub fn colour(self) -> usize {
        match self {
            EvidenceKind::Retransmission | EvidenceKind::MtuBlackHole => 3,
            EvidenceKind::WaitedForAck => 1,
            EvidenceKind::HostWait => 2,
            EvidenceKind::WindowClosed => 4,
            EvidenceKind::NameLookup => 5,
            EvidenceKind::TransferLimited => 6,
            EvidenceKind::ConnectFailed => 7,
            EvidenceKind::SlowPath | EvidenceKind::Chatty | EvidenceKind::Unexplained => 0,
        }
    }
}

impl Serialize for EvidenceKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// The system that can shorten the time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DelayOwner {
    /// The path between the two ends.
    Network,
    /// The end that was called.
    Server,
    /// The end that called.
    Client,
    /// The person at the client.
    User,
    /// The packets do not show it.
    #[default]
    Unknown,
}

impl DelayOwner {
    /// The number of owners.
    pub const COUNT: usize = 5;

    /// Every owner, in the order of their numbers.
    pub const ALL: [DelayOwner; DelayOwner::COUNT] = [
        DelayOwner::Network,
        DelayOwner::Server,
        DelayOwner::Client,
        DelayOwner::User,
        DelayOwner::Unknown,
    ];

    /// Its name in JSON and in sentences.
    pub fn name(self) -> &'static str {
        match self {
            DelayOwner::Network => "network",
            DelayOwner::Server => "server",
            DelayOwner::Client => "client",
            DelayOwner::User => "user",
            DelayOwner::Unknown => "unknown",
        }
    }

    /// The owner of an end's time.
    pub(crate) fn of(side: crate::ConnectionSide) -> DelayOwner {
        match side {
            crate::ConnectionSide::Client => DelayOwner::Client,
            crate::ConnectionSide::Server => DelayOwner::Server,
        }
    }
}

/// Declares the reasons once: variant, kind, name, meaning.
macro_rules! reasons {
    ($($(#[doc = $doc:literal])+ $name:ident = $kind:ident, $text:literal;)+) => {
        /// Why an instant was waited.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Reason {
            $($(#[doc = $doc])+ $name,)+
        }

        impl Reason {
            /// Every reason, the most specific first.
            pub const ALL: &'static [Reason] = &[$(Reason::$name),+];

            /// The kind of evidence that it belongs to.
            pub fn kind(self) -> EvidenceKind {
                match self {
                    $(Reason::$name => EvidenceKind::$kind,)+
                }
            }

            /// Its stable name.
            pub fn name(self) -> &'static str {
                match self {
                    $(Reason::$name => $text,)+
                }
            }

            /// What it means, in one sentence.
            pub fn meaning(self) -> &'static str {
                match self {
                    $(Reason::$name => concat!($($doc),+).trim_ascii_start(),)+
                }
            }
        }
    };
}

reasons! {
    /// A query was retransmitted before an answer arrived.
    LookupRetried = NameLookup, "lookup.retried";
    /// A query got no answer.
    LookupUnanswered = NameLookup, "lookup.unanswered";
    /// The resolver answered with an error.
    LookupFailed = NameLookup, "lookup.failed";
    /// The resolver was slow.
    LookupSlow = NameLookup, "lookup.slow";
    /// A SYN got no answer.
    SynUnanswered = ConnectFailed, "connect.unanswered";
    /// A SYN had to be sent again before it was answered.
    SynLate = ConnectFailed, "connect.late";
    /// The server answered the SYN, but did not take the connection: it acknowledged no data.
    NotAccepted = ConnectFailed, "connect.not-accepted";
    /// The SYN was answered with a reset.
    Refused = ConnectFailed, "connect.refused";
    /// A router or host reported that the destination cannot be reached.
    Unreachable = ConnectFailed, "connect.unreachable";
    /// The connection was reset before the answer was complete.
    Reset = ConnectFailed, "connect.reset";
    /// The server closed the connection without an answer.
    ClosedUnanswered = ConnectFailed, "connect.closed";
    /// Full segments are sent again and never acknowledged; small ones are.
    LargeUnacknowledged = MtuBlackHole, "mtu.sender";
    /// Full segments never arrive; small ones do.
    LargeMissing = MtuBlackHole, "mtu.receiver";
    /// The receiver advertised a window of zero.
    ZeroWindow = WindowClosed, "window.zero";
    /// The window was full, and the receiver did not open it.
    WindowFull = WindowClosed, "window.full";
    /// An SNA sender waited for a pacing response.
    SnaPacing = WindowClosed, "sna.pacing";
    /// A sender waited for a DLSw window.
    DlswWindow = WindowClosed, "dlsw.window";
    /// An 802.2 station was not ready to receive.
    LlcNotReady = WindowClosed, "llc.not-ready";
    /// Data was sent again and never acknowledged.
    NeverAcknowledged = Retransmission, "retransmission.unanswered";
    /// A timer ran out before the data was sent again.
    Timeout = Retransmission, "retransmission.timeout";
    /// Duplicate acknowledgements led to the copy.
    FastRetransmit = Retransmission, "retransmission.fast";
    /// The sender's window was still reduced after a loss.
    LossRecovery = Retransmission, "retransmission.recovery";
    /// Segments arrived out of order.
    Reordered = Retransmission, "retransmission.reordered";
    /// A pause inside a write, as long as a timer.
    SuspectedLoss = Retransmission, "retransmission.suspected";
    /// A small write waited for a delayed acknowledgement (Nagle's algorithm).
    NagleDelayedAck = WaitedForAck, "ack.nagle-delayed";
    /// A small write waited for an acknowledgement one round trip away.
    NagleRoundTrip = WaitedForAck, "ack.nagle";
    /// The sender's window was used up, and the acknowledgement was delayed.
    DelayedAck = WaitedForAck, "ack.delayed";
    /// The path was slower than its own best time.
    DelaySpike = SlowPath, "path.delay";
    /// The round trip of setting up a connection.
    HandshakeRoundTrip = SlowPath, "path.handshake";
    /// The round trip between a request and its answer.
    TurnRoundTrip = SlowPath, "path.turn";
    /// Round trips of many turns in sequence.
    ManyTurns = Chatty, "turns.many";
    /// The receiver's window is smaller than the path holds.
    ReceiverWindow = TransferLimited, "transfer.receiver-window";
    /// The sender keeps a constant amount in flight, below the window.
    SenderBuffer = TransferLimited, "transfer.sender-buffer";
    /// The congestion window grows after the start.
    SlowStart = TransferLimited, "transfer.slow-start";
    /// The congestion window grows again after idle time.
    IdleRestart = TransferLimited, "transfer.idle-restart";
    /// Data arrives at the rate of the path.
    PathRate = TransferLimited, "transfer.path-rate";
    /// The client waited for `100 Continue`.
    ContinueWait = HostWait, "host.continue";
    /// An end was slow within the TLS handshake.
    TlsWait = HostWait, "host.tls";
    /// No answer was sent, although the request had arrived.
    NeverAnswered = HostWait, "host.unanswered";
    /// The client did not ask, although the connection was open.
    BeforeRequest = HostWait, "host.before-request";
    /// The time between a request and the first byte of its answer.
    AnswerWait = HostWait, "host.answer";
    /// A pause within an answer.
    AnswerPause = HostWait, "host.pause";
    /// A pause within a request.
    RequestPause = HostWait, "host.request-pause";
    /// No kind explains it.
    Unexplained = Unexplained, "unexplained";
}

impl Reason {
    /// The number of reasons.
    pub const COUNT: usize = Reason::ALL.len();
}

impl Serialize for Reason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_of_one_kind_stand_together_in_the_order_of_kinds() {
        let kinds: Vec<EvidenceKind> = Reason::ALL.iter().map(|one| one.kind()).collect();
        assert!(kinds.is_sorted());
        assert!(EvidenceKind::ALL.is_sorted());
    }

    #[test]
    fn every_kind_has_its_module() {
        for kind in EvidenceKind::ALL {
            assert_eq!(super::super::evidence(kind).kind(), kind);
        }
    }
}
