//! One end of the benchmark's conversation: a node with its logical unit, and
//! the program above it.
//!
//! The programs do what the guide's benchmarks do: the conversation is
//! allocated once, a file is sent in buffers and confirmed, an inquiry is sent
//! and answered. The nodes are real; their modes come from [`Session`].
//! Invariant: the two ends share nothing; all that one knows of the other came
//! in PIUs.

use super::config::{Pacing, Session, Transaction};
use bytes::Bytes;
use sna::conversation::code::{Fill, ReturnCode, StatusReceived};
use sna::conversation::{ConversationId, ReceiveStatus, SendResult};
use sna::mode::{Mode, PacingMode, TransmissionPriority};
use sna::name::{LuName, ModeName, TpName};
use sna::time::MonotonicTime;
use sna::{
    AllocateParameters, LinkConfig, LinkId, LinkRole, Node, NodeConfig, NodeEvent, PartnerLu,
    TpDefinition,
};
use std::task::Poll;

/// The progress of a verb.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VerbProgress {
    /// The conversation is there; the first transaction begins.
    Began,
    /// Another verb follows.
    Next,
    /// The program waits.
    Wait,
    /// A transaction has ended; the next begins.
    Over,
}

/// One end.
pub(super) struct RingEnd {
    node: Node,
    client: bool,
    transaction: Transaction,
    btu_bytes: usize,
    link: Option<LinkId>,
    conversation: Option<ConversationId>,
    doing: ProgramState,
    /// Bytes of the file still to be sent.
    left: usize,
    /// The result of a receive before the program had the processor.
    taken: Option<ReceiveStatus>,
    buffer: Vec<u8>,
    waits: bool,
    /// Something happened that the program waits for.
    called: bool,
    timer_at: Option<u64>,
    sent_bytes: usize,
    received_bytes: usize,
    faults: u64,
    failure: Option<String>,
}

/// The next verb.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ProgramState {
    Allocating,
    Accepting,
    Sending,
    Receiving,
}

impl RingEnd {
    /// Client and server of a transaction, over a link whose frames carry
    /// `btu_bytes`.
    pub(super) fn pair(
        client: &Session,
        server: &Session,
        btu_bytes: usize,
        transaction: Transaction,
    ) -> Result<[RingEnd; 2], String> {
        Ok([
            RingEnd::new(client, btu_bytes, transaction, true)?,
            RingEnd::new(server, btu_bytes, transaction, false)?,
        ])
    }

    fn new(
        session: &Session,
        btu_bytes: usize,
        transaction: Transaction,
        client: bool,
    ) -> Result<RingEnd, String> {
        let names = NodeNames::new()?;
        let mut node = Node::new(NodeConfig {
            // As many RUs as the largest window, so that only pacing limits.
            receive_backlog_bytes: (session.ru_bytes * 128).max(64 * 1024),
            ..NodeConfig::default()
        });
        let (own, other) = if client {
            (names.client, names.server)
        } else {
            (names.server, names.client)
        };
        node.define_lu(own);
        node.define_partner(PartnerLu {
            parallel: false,
            ..PartnerLu::new(other)
        });
        node.define_tp(TpDefinition::new(names.program));
        node.modes_mut().define(mode(names.mode, session));
        Ok(RingEnd {
            node,
            client,
            transaction,
            btu_bytes,
            link: None,
            conversation: None,
            doing: if client {
                ProgramState::Allocating
            } else {
                ProgramState::Accepting
            },
            left: 0,
            taken: None,
            buffer: vec![0; MOST_BYTES],
            waits: true,
            called: false,
            timer_at: None,
            sent_bytes: 0,
            received_bytes: 0,
            faults: 0,
            failure: None,
        })
    }

    /// The link is up; the client allocates.
    pub(super) fn link_up(&mut self, now: u64) {
        if self.link.is_some() {
            return;
        }
        let now = MonotonicTime::from_nanos(now);
        let role = if self.client {
            LinkRole::Primary
        } else {
            LinkRole::Secondary
        };
        let link = self
            .node
            .link_up(LinkConfig::new(role, self.btu_bytes), now);
        self.link = Some(link);
        if !self.client {
            return;
        }
        match NodeNames::new() {
            Ok(names) => {
                self.node.define_route(names.server.clone(), link);
                let wish =
                    AllocateParameters::new(names.client, names.server, names.mode, names.program);
                self.conversation = Some(self.node.allocate(wish, now));
                self.called = true;
            }
            Err(error) => self.failure = Some(error),
        }
    }

    /// A PIU arrived.
    pub(super) fn handle_piu(&mut self, piu: Vec<u8>, now: u64) {
        if let Some(link) = self.link {
            let now = MonotonicTime::from_nanos(now);
            self.node.handle_piu(link, Bytes::from(piu), now);
        }
        self.learn();
    }

    /// The next PIU, if one may go.
    pub(super) fn poll_piu(&mut self) -> Option<Vec<u8>> {
        let piu = self.node.poll_transmit_on(self.link?);
        self.learn();
        piu
    }

    /// Whether the program waits for an event that has occurred.
    pub(super) fn may_go_on(&mut self) -> bool {
        if !self.waits || !self.called {
            return false;
        }
        self.called = false;
        if self.doing == ProgramState::Receiving && self.conversation.is_some() {
            // Part of a record is not a reason to give the program the processor.
            self.taken = self.try_receive();
            self.waits = self.taken.is_none();
        } else {
            self.waits = false;
        }
        !self.waits
    }

    /// When the node wants to be called, if that is news.
    pub(super) fn plan_timer(&mut self) -> Option<u64> {
        let at = self.node.poll_timeout()?.as_nanos();
        if self.timer_at.is_some_and(|planned| planned <= at) {
            return None;
        }
        self.timer_at = Some(at);
        Some(at)
    }

    /// The planned time is reached.
    pub(super) fn handle_timer(&mut self, now: u64) {
        self.timer_at = None;
        self.node.handle_timeout(MonotonicTime::from_nanos(now));
        self.learn();
    }

    /// Issues the next verb.
    pub(super) fn step(&mut self) -> VerbProgress {
        let Some(conversation) = self.conversation else {
            return self.wait();
        };
        let step = match self.doing {
            ProgramState::Allocating => self.allocating(conversation),
            ProgramState::Accepting => self.accepting(conversation),
            ProgramState::Sending => self.sending(conversation),
            ProgramState::Receiving => self.receiving(conversation),
        };
        self.learn();
        step
    }

    /// User bytes sent.
    pub(super) fn sent_bytes(&self) -> usize {
        self.sent_bytes
    }

    /// User bytes received.
    pub(super) fn received_bytes(&self) -> usize {
        self.received_bytes
    }

    /// PIUs against the rules.
    pub(super) fn faults(&self) -> u64 {
        self.faults
    }

    /// Why the conversation cannot continue.
    pub(super) fn take_failure(&mut self) -> Option<String> {
        self.failure.take()
    }

    fn allocating(&mut self, conversation: ConversationId) -> VerbProgress {
        match self.node.allocated(conversation) {
            Poll::Pending => self.wait(),
            Poll::Ready(code) => {
                self.expect(code);
                self.doing = ProgramState::Sending;
                self.begin();
                VerbProgress::Began
            }
        }
    }

    fn accepting(&mut self, conversation: ConversationId) -> VerbProgress {
        let code = self.node.accept(conversation);
        self.expect(code);
        self.doing = ProgramState::Receiving;
        VerbProgress::Next
    }

    fn sending(&mut self, conversation: ConversationId) -> VerbProgress {
        if self.left == 0 {
            return match self.node.confirm(conversation) {
                Poll::Pending => self.wait(),
                Poll::Ready(SendResult { code, .. }) => {
                    self.expect(code);
                    self.begin();
                    VerbProgress::Over
                }
            };
        }
        let bytes = self.left.min(self.piece_bytes());
        match self.node.send(conversation, &self.buffer[..bytes]) {
            Poll::Pending => self.wait(),
            Poll::Ready(SendResult { code, .. }) => {
                self.expect(code);
                self.sent_bytes += bytes;
                self.left -= bytes;
                if matches!(self.transaction, Transaction::Inquiry { .. }) && self.left == 0 {
                    self.doing = ProgramState::Receiving;
                }
                VerbProgress::Next
            }
        }
    }

    fn receiving(&mut self, conversation: ConversationId) -> VerbProgress {
        let received = self.taken.take().or_else(|| self.try_receive());
        let Some(ReceiveStatus {
            code, len, status, ..
        }) = received
        else {
            return self.wait();
        };
        self.expect(code);
        self.received_bytes += len;
        match status {
            StatusReceived::Confirm => {
                let code = self.node.confirmed(conversation);
                self.expect(code);
                VerbProgress::Next
            }
            StatusReceived::Send => {
                self.doing = ProgramState::Sending;
                self.begin();
                if self.client {
                    VerbProgress::Over
                } else {
                    VerbProgress::Next
                }
            }
            _ => VerbProgress::Next,
        }
    }

    fn try_receive(&mut self) -> Option<ReceiveStatus> {
        let conversation = self.conversation?;
        match self.node.receive(conversation, &mut self.buffer, Fill::Ll) {
            Poll::Ready(received) => Some(received),
            Poll::Pending => None,
        }
    }

    /// A transaction begins, or the server's part of one.
    fn begin(&mut self) {
        self.left = match (self.transaction, self.client) {
            (Transaction::FileTransfer { bytes, .. }, _) => bytes,
            (Transaction::Inquiry { send_bytes, .. }, true) => send_bytes,
            (Transaction::Inquiry { answer_bytes, .. }, false) => answer_bytes,
        };
    }

    fn piece_bytes(&self) -> usize {
        let wanted = match self.transaction {
            Transaction::FileTransfer { buffer_bytes, .. } => buffer_bytes,
            Transaction::Inquiry { .. } => MOST_BYTES,
        };
        wanted.clamp(1, MOST_BYTES)
    }

    fn wait(&mut self) -> VerbProgress {
        self.waits = true;
        VerbProgress::Wait
    }

    fn expect(&mut self, code: ReturnCode) {
        if code != ReturnCode::Ok {
            self.failure = Some(format!("{code:?}"));
        }
    }

    /// Handles the events of the node.
    fn learn(&mut self) {
        while let Some(event) = self.node.poll_event() {
            match event {
                NodeEvent::Ready(conversation) => {
                    self.called |= self.conversation == Some(conversation);
                }
                NodeEvent::Attached(attached) => {
                    self.conversation = Some(attached.conversation);
                    self.called = true;
                }
                NodeEvent::SessionDown { cause, .. } => {
                    self.failure = Some(format!("session down: {cause:?}"));
                }
                NodeEvent::PeerFault { .. } => self.faults += 1,
                NodeEvent::SessionUp { .. } | NodeEvent::Limits { .. } => {}
            }
        }
    }
}

/// The names of the two ends.
struct NodeNames {
    client: LuName,
    server: LuName,
    mode: ModeName,
    program: TpName,
}

impl NodeNames {
    fn new() -> Result<NodeNames, String> {
        fn name<T: std::str::FromStr<Err: std::fmt::Display>>(text: &str) -> Result<T, String> {
            text.parse().map_err(|e: T::Err| format!("{text}: {e}"))
        }
        Ok(NodeNames {
            client: name("RING.CLIENT")?,
            server: name("RING.SERVER")?,
            mode: name("#BATCH")?,
            program: name("FILEXFER")?,
        })
    }
}

/// A node's configuration of its mode.
fn mode(name: ModeName, session: &Session) -> Mode {
    let pacing = match session.pacing {
        Pacing::Fixed => PacingMode::FixedOneStage,
        Pacing::Adaptive => PacingMode::Adaptive,
    };
    let window = |w: u8| w.clamp(1, 63);
    let mut mode = Mode::new(name)
        .with_ru_bytes(session.ru_bytes)
        .with_pacing(pacing, window(session.send_window))
        .with_sessions(1, 1);
    mode.receive_window = window(session.receive_window);
    mode.max_adaptive_window = session.max_adaptive_window.max(1);
    mode.min_ru_bytes = 8;
    mode.priority = TransmissionPriority::Low;
    mode
}

/// The maximum number of bytes of one record of a mapped conversation.
const MOST_BYTES: usize = 32_763;
