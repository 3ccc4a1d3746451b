//! The state of a host that its threads share under one lock: the node, its
//! transports, and the waiting threads.

use super::pump::{WaitingThreads, WakeEvent};
use super::{FIRST_TRANSPORT, IncomingAttach, PeerFaultLog, Program, SharedHost};
use crate::net::{
    DlswTransport, LinkEvent, LinkTransport, LocalNode, NameClaims, PipeId, TransportContext,
    way_back,
};
use crate::trace::CaptureWriter;
use mio::net::{TcpListener, TcpStream};
use mio::{Interest, Registry, Token};
use sna::conversation::ConversationId;
use sna::wire::Sense;
use sna::{LinkId, LuName, MonotonicTime, Node, NodeEvent, RefusedAttach, SessionOutage, TpName};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::net::SocketAddr;
use std::os::fd::AsRawFd;
use std::time::Duration;

/// Everything under the lock.
pub(crate) struct HostState {
    pub node: Node,
    pub local: LocalNode,
    pub registry: Registry,
    pub transports: BTreeMap<usize, LinkTransport>,
    /// Tokens of second connections, and the transports they belong to.
    seconds: HashMap<usize, usize>,
    /// Partners' switches that this node may call.
    switches: Vec<SocketAddr>,
    /// Where this node listens itself.
    pub listening: Option<SocketAddr>,
    pub trace: Option<CaptureWriter>,
    pub calls: HashMap<u64, CallState>,
    pub programs: HashMap<TpName, Program>,
    pub ready: HashSet<WakeEvent>,
    pub waiting: WaitingThreads,
    pub next_token: usize,
    pub next_call: u64,
    pub attached: u64,
    /// Partners that have another address now, and the links to the former
    /// one. A link ends when no session over it is left.
    pub leaving: BTreeSet<(LuName, LinkId)>,
    /// How often a partner got another address.
    pub moves: u64,
    /// Whether there may be something to send that a program left for its next
    /// verb.
    pub owes: bool,
    /// Whether a send has left it a second time.
    pub joined: bool,
    /// Whether the last connection was one too many.
    full: bool,
    link_events: Vec<LinkEvent>,
    pub names: NameClaims,
    peer_faults: PeerFaultLog,
    /// Why the last link to each partner ended, if it is not active again.
    lost: BTreeMap<LuName, String>,
}

/// The state of a request for a link.
#[derive(Debug, Clone)]
pub(crate) enum CallState {
    /// Outstanding; it fails if no answer arrives until this time.
    Pending(MonotonicTime),
    Up,
    Failed(String),
}

/// TCP connections at most; one more is closed at once.
const MAX_TRANSPORTS: usize = 4096;

impl HostState {
    pub fn new(
        node: Node,
        local: LocalNode,
        registry: Registry,
        trace: Option<CaptureWriter>,
    ) -> HostState {
        HostState {
            node,
            local,
            registry,
            transports: BTreeMap::new(),
            seconds: HashMap::new(),
            switches: Vec::new(),
            listening: None,
            trace,
            calls: HashMap::new(),
            programs: HashMap::new(),
            ready: HashSet::new(),
            waiting: WaitingThreads::new(),
            next_token: FIRST_TRANSPORT,
            next_call: 1,
            attached: 0,
            leaving: BTreeSet::new(),
            moves: 0,
            owes: false,
            joined: false,
            full: false,
            link_events: Vec::new(),
            names: NameClaims::default(),
            peer_faults: PeerFaultLog::default(),
            lost: BTreeMap::new(),
        }
    }

    /// Whether a link that is up leads to `partner`, at the address that it has
    /// now.
    pub fn leads_to(&self, partner: &LuName) -> bool {
        let former = |link| {
            let mut leaving = self.leaving.iter();
            leaving.any(|(moved, over)| moved == partner && *over == link)
        };
        let mut transports = self.transports.values();
        transports.any(|transport| transport.leads_to(partner, &|link| !former(link)))
    }

    /// The time until the next timer expires.
    pub fn next_timeout(&self, now: MonotonicTime) -> Option<Duration> {
        let node = self.node.poll_timeout().map(MonotonicTime::as_nanos);
        let transports = self
            .transports
            .values()
            .filter_map(LinkTransport::next_timeout);
        let calls = self.calls.values().filter_map(|call| match call {
            CallState::Pending(until) => Some(until.as_nanos()),
            _ => None,
        });
        let names = self.names.next_timeout().map(MonotonicTime::as_nanos);
        let at = transports.chain(node).chain(calls).chain(names).min()?;
        Some(match at.saturating_sub(now.as_nanos()) {
            0 => Duration::ZERO,
            // Rounded up, so that the wait does not end a moment too early.
            ahead => Duration::from_nanos(ahead + 1_000_000),
        })
    }

    /// Whether there is a place for another transport. When there are too many,
    /// the oldest that has not exchanged capabilities gives way; partners that
    /// have keep their links.
    fn has_place(&mut self, now: MonotonicTime) -> bool {
        if self.transports.len() < MAX_TRANSPORTS {
            return true;
        }
        let mut all = self.transports.iter();
        let half_open = all.find_map(|(token, transport)| match transport {
            LinkTransport::Dlsw(dlsw) => dlsw.is_half_open().then_some(*token),
            LinkTransport::Ether(_) => None,
        });
        if let Some(oldest) = half_open {
            self.close(oldest, now, "another partner connects, and it sent nothing");
        }
        half_open.is_some()
    }

    /// Takes new connections.
    pub fn accept(&mut self, listener: &TcpListener, now: MonotonicTime) {
        loop {
            match listener.accept() {
                Ok((stream, peer)) if self.has_place(now) => {
                    self.full = false;
                    if let Err(error) = self.take_connection(stream, peer, now) {
                        tracing::warn!("{peer}: {error}");
                    }
                }
                Ok((_, peer)) => {
                    // LinkEvent once, not for each connection of a flood.
                    if !std::mem::replace(&mut self.full, true) {
                        tracing::warn!("{peer}: more than {MAX_TRANSPORTS} connections");
                    }
                }
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => return,
                Err(error) => {
                    tracing::warn!("a connection could not be accepted: {error}");
                    return;
                }
            }
        }
    }

    /// A partner's connection: its own one of two that this node waits for, or
    /// the first of a new transport.
    fn take_connection(
        &mut self,
        mut stream: TcpStream,
        peer: SocketAddr,
        now: MonotonicTime,
    ) -> std::io::Result<()> {
        let waits = self
            .transports
            .iter()
            .find_map(|(token, transport)| match transport {
                LinkTransport::Dlsw(dlsw) => {
                    let same = dlsw.peer().ip() == peer.ip() && dlsw.pipes.awaits_partner();
                    same.then_some(*token)
                }
                LinkTransport::Ether(_) => None,
            });
        let Some(first) = waits else {
            let known = self.switches.iter().any(|at| at.ip() == peer.ip());
            let at = now.as_nanos();
            let dlsw = DlswTransport::accepted(stream, peer, self.local.clone(), known, at);
            return self.add_dlsw(dlsw, now);
        };
        self.register_second(first, &mut stream)?;
        if let Some(LinkTransport::Dlsw(dlsw)) = self.transports.get_mut(&first) {
            dlsw.pipes.take_partner(stream);
        }
        self.transmit(first, now);
        Ok(())
    }

    /// Adds a transport with its first connection.
    pub fn add_dlsw(&mut self, mut dlsw: DlswTransport, now: MonotonicTime) -> std::io::Result<()> {
        let token = self.fresh_token();
        if let Some(stream) = dlsw.pipes.stream(PipeId::First) {
            tune(stream);
            self.registry.register(stream, Token(token), both())?;
        }
        self.transports
            .insert(token, LinkTransport::Dlsw(Box::new(dlsw)));
        self.transmit(token, now);
        Ok(())
    }

    fn register_second(&mut self, first: usize, stream: &mut TcpStream) -> std::io::Result<()> {
        tune(stream);
        let token = self.fresh_token();
        self.registry.register(stream, Token(token), both())?;
        self.seconds.insert(token, first);
        Ok(())
    }

    /// Notes where a partner's switch listens.
    pub fn note_switch(&mut self, at: SocketAddr) {
        if !self.switches.contains(&at) {
            self.switches.push(at);
        }
    }

    /// Opens this side's own connection where a partner that opened one wants
    /// or awaits it.
    fn connect_back(&mut self, token: usize, now: MonotonicTime) {
        let Some(LinkTransport::Dlsw(dlsw)) = self.transports.get(&token) else {
            return;
        };
        if !dlsw.pipes.wants_back() {
            return;
        }
        let at = way_back(dlsw.peer(), &self.switches);
        let own = self.listening.is_some_and(|own| reaches(own, at));
        let opened = if own {
            Err(std::io::Error::other("this is the node itself"))
        } else {
            TcpStream::connect(at)
        };
        let opened = opened.and_then(|mut stream| {
            self.register_second(token, &mut stream)?;
            Ok(stream)
        });
        let Some(LinkTransport::Dlsw(dlsw)) = self.transports.get_mut(&token) else {
            return;
        };
        match opened {
            Ok(stream) => dlsw.pipes.take_back(stream, now.as_nanos()),
            Err(error) => {
                tracing::info!("{at}: cannot connect back: {error}");
                dlsw.pipes.no_way_back();
            }
        }
    }

    pub fn fresh_token(&mut self) -> usize {
        self.next_token += 1;
        self.next_token - 1
    }

    /// A socket is ready.
    pub fn handle_ready(
        &mut self,
        token: Token,
        now: MonotonicTime,
        readable: bool,
        closing: bool,
    ) {
        let (first, which) = match self.seconds.get(&token.0) {
            Some(first) => (*first, PipeId::Second),
            None => (token.0, PipeId::First),
        };
        self.with(first, now, |transport, around| {
            transport.handle_ready(around, which, readable, closing)
        });
    }

    /// Runs expired timers.
    pub fn handle_timeouts(&mut self, now: MonotonicTime) {
        if self.node.poll_timeout().is_some_and(|at| at <= now) {
            self.node.handle_timeout(now);
        }
        for (call, state) in &self.calls {
            if matches!(state, CallState::Pending(until) if *until <= now) {
                self.link_events.push(LinkEvent::Down {
                    call: Some(*call),
                    partners: Vec::new(),
                    why: "the partner's switch did not answer in time".to_owned(),
                });
            }
        }
        self.settle_name_conflicts(now);
        let due: Vec<usize> = self
            .transports
            .iter()
            .filter(|(_, transport)| {
                transport
                    .next_timeout()
                    .is_some_and(|at| at <= now.as_nanos())
            })
            .map(|(token, _)| *token)
            .collect();
        for token in due {
            self.with(token, now, |transport, around| {
                transport.handle_timeout(around)
            });
        }
    }

    fn transmit(&mut self, token: usize, now: MonotonicTime) {
        self.connect_back(token, now);
        self.with(token, now, |transport, around| transport.transmit(around));
    }

    /// Writes on every transport.
    fn transmit_all(&mut self, now: MonotonicTime) {
        let mut from = 0;
        while let Some((&token, _)) = self.transports.range(from..).next() {
            self.transmit(token, now);
            from = token + 1;
        }
    }

    /// Calls a transport, and removes it when it has ended.
    pub(super) fn with(
        &mut self,
        token: usize,
        now: MonotonicTime,
        work: impl FnOnce(
            &mut LinkTransport,
            &mut TransportContext<'_>,
        ) -> Result<(), crate::net::TransportFailure>,
    ) {
        let Some(transport) = self.transports.get_mut(&token) else {
            return;
        };
        let mut around = TransportContext {
            node: &mut self.node,
            now,
            trace: self.trace.as_mut(),
            link_events: &mut self.link_events,
            peer_faults: &mut self.peer_faults,
            names: &mut self.names,
        };
        if let Err(broken) = work(transport, &mut around) {
            transport.broken(&mut around, &broken);
            // A rejection of its capabilities is still sent to the
            // partner.
            let _ = transport.transmit(&mut around);
            self.remove(token);
        }
    }

    /// Removes a transport, which closes its socket.
    pub fn remove(&mut self, token: usize) {
        match self.transports.remove(&token) {
            Some(LinkTransport::Dlsw(mut dlsw)) => {
                for which in [PipeId::First, PipeId::Second] {
                    if let Some(stream) = dlsw.pipes.stream(which) {
                        let _ = self.registry.deregister(stream);
                    }
                }
                self.seconds.retain(|_, first| *first != token);
            }
            Some(LinkTransport::Ether(ether)) => {
                let fd = ether.socket.as_raw_fd();
                let _ = self.registry.deregister(&mut mio::unix::SourceFd(&fd));
            }
            None => {}
        }
    }

    /// Closes a transport with all its links.
    pub fn close(&mut self, token: usize, now: MonotonicTime, why: &str) {
        self.with(token, now, |transport, around| {
            let _ = transport.transmit(around);
            transport.close(around, why);
            let _ = transport.transmit(around);
            Ok(())
        });
        self.remove(token);
    }

    /// Closes every transport in good order.
    pub fn close_all(&mut self, now: MonotonicTime) {
        let tokens: Vec<usize> = self.transports.keys().copied().collect();
        for token in tokens {
            self.close(token, now, "the host stops");
        }
        self.flush_trace();
    }

    fn flush_trace(&mut self) {
        if let Some(trace) = &mut self.trace {
            trace.flush();
        }
    }

    /// The known reason why the last verb of this conversation failed.
    pub fn outage(&self, conversation: ConversationId, partner: &LuName) -> Option<String> {
        let outage = self.node.outage(conversation)?;
        Some(match self.lost.get(partner) {
            Some(why) if outage == SessionOutage::Link => format!("{outage}: {why}"),
            _ => outage.to_string(),
        })
    }

    /// Stores why a link ended, or clears it.
    fn note_lost(&mut self, partners: Vec<LuName>, why: Option<&str>) {
        for partner in partners {
            match why {
                None => self.lost.remove(&partner),
                Some(why) => self.lost.insert(partner, why.to_owned()),
            };
            if self.lost.len() > MAX_TRANSPORTS {
                self.lost.pop_first();
            }
        }
    }

    /// Logs an error of a peer, at a limited rate.
    pub fn complain(&mut self, peer: &LuName, why: &str, now: MonotonicTime) {
        self.peer_faults.log_fault(now, peer, &why);
    }

    /// Logs an error of a partner on a link.
    fn complain_of(
        &mut self,
        link: LinkId,
        sense: Sense,
        attach: Option<&RefusedAttach>,
        now: MonotonicTime,
    ) {
        let peer = self.transports.values().find_map(|t| t.peer_of(link));
        let peer = peer.or_else(|| self.peer_faults.place_of_gone(link));
        let peer = peer.unwrap_or_else(|| "a partner whose link has ended".to_owned());
        let what = match (attach, sense.code()) {
            (Some(attach), _) => super::peer_faults::refused(attach),
            (None, 0x0801 | 0x0805 | 0x0806 | 0x0835) => "a BIND was rejected".to_owned(),
            _ => "it violated the protocol".to_owned(),
        };
        self.peer_faults
            .log_fault(now, &peer, &format_args!("{what}: {sense}"));
    }
}

impl SharedHost {
    /// Sends the node's output and passes on its events. `by_pump` says whether
    /// the caller has the pump.
    pub(crate) fn drain(&self, inner: &mut HostState, by_pump: bool) {
        loop {
            inner.transmit_all(self.now());
            inner.owes = false;
            inner.joined = false;
            let news = self.take_events(inner, by_pump) || !inner.link_events.is_empty();
            if !news && !self.leave(inner) {
                break;
            }
        }
        // A reader of the trace, or the end of this process, finds the events
        // so far.
        inner.flush_trace();
    }

    /// Passes on the node's events, and leaves its output to the next caller
    /// that drains.
    pub(crate) fn settle(&self, inner: &mut HostState, by_pump: bool) {
        self.take_events(inner, by_pump);
        inner.owes = true;
    }

    /// Handles all events. Returns `true` if there were any.
    fn take_events(&self, inner: &mut HostState, by_pump: bool) -> bool {
        let mut wake_pump = false;
        for event in std::mem::take(&mut inner.link_events) {
            wake_pump |= take_link_event(inner, event);
        }
        let mut changed = false;
        while let Some(event) = inner.node.poll_event() {
            changed = true;
            wake_pump |= self.take_event(inner, event);
        }
        if wake_pump && !by_pump {
            self.wake_pump();
        }
        changed
    }

    fn take_event(&self, inner: &mut HostState, event: NodeEvent) -> bool {
        match event {
            NodeEvent::Ready(conversation) => {
                let wake = WakeEvent::Conversation(conversation);
                inner.ready.insert(wake);
                return inner.waiting.notify(wake);
            }
            NodeEvent::Attached(attached) => self.start_program(inner, attached),
            NodeEvent::SessionUp {
                partner,
                mode,
                winner,
                ..
            } => {
                tracing::debug!("session with {partner}, mode {mode}, winner {winner}");
            }
            NodeEvent::SessionDown {
                partner,
                mode,
                cause,
                ..
            } => {
                tracing::debug!("session with {partner}, mode {mode} ended: {cause}");
            }
            NodeEvent::Limits {
                partner,
                mode,
                limits,
                outcome,
            } => {
                tracing::debug!("limits with {partner}, mode {mode}: {limits:?} ({outcome})");
            }
            NodeEvent::PeerFault {
                link,
                sense,
                attach,
            } => inner.complain_of(link, sense, attach.as_ref(), self.now()),
        }
        false
    }

    fn start_program(&self, inner: &mut HostState, attached: sna::CheckedAttach) {
        inner.attached += 1;
        let conversation = attached.conversation;
        let refused = RefusedAttach {
            partner: attached.partner.clone(),
            tp: Some(attached.tp.clone()),
        };
        let started = inner
            .programs
            .get(&attached.tp)
            .cloned()
            .is_some_and(|program| {
                let Some(shared) = self.me.upgrade() else {
                    return false;
                };
                // A conversation that is dropped here would take the lock.
                self.jobs.run(|| {
                    let incoming = IncomingAttach::new(shared, attached);
                    Box::new(move || program(incoming))
                })
            });
        if !started {
            let link = inner.node.link_of(conversation);
            inner.node.refuse(conversation, sna::AttachRefusal::Later);
            let sense = Sense::TP_RETRY;
            match link {
                Some(link) => inner.complain_of(link, sense, Some(&refused), self.now()),
                None => {
                    let why = super::peer_faults::refused(&refused);
                    inner.complain(&refused.partner, &format!("{why}: {sense}"), self.now());
                }
            }
        }
    }
}

fn take_link_event(inner: &mut HostState, event: LinkEvent) -> bool {
    let (call, state) = match event {
        LinkEvent::Up { call, partners } => {
            inner.note_lost(partners, None);
            (call, CallState::Up)
        }
        LinkEvent::Down {
            call,
            partners,
            why,
        } => {
            tracing::debug!("a link is down: {why}");
            inner.note_lost(partners, Some(&why));
            (call, CallState::Failed(why))
        }
    };
    // A later loss of the link is not reported to the caller again.
    let Some((call, entry)) = call.and_then(|call| Some((call, inner.calls.get_mut(&call)?)))
    else {
        return false;
    };
    *entry = state;
    let wake = WakeEvent::Call(call);
    inner.ready.insert(wake);
    inner.waiting.notify(wake)
}

fn both() -> Interest {
    Interest::READABLE | Interest::WRITABLE
}

/// Whether a connection to `at` ends at a node that listens at `own`.
fn reaches(own: SocketAddr, at: SocketAddr) -> bool {
    let everywhere = own.ip().is_unspecified() && at.ip().is_loopback();
    own.port() == at.port() && (own.ip() == at.ip() || everywhere)
}

/// Sets options of a connection: TCP_NODELAY, so that small messages are sent at
/// once, and keepalive, which detects a lost partner while nothing is sent to it.
/// TCP's user timeout is not used: it would also end connections to partners that
/// read nothing for a while although their TCP answers.
fn tune(stream: &TcpStream) {
    let socket = socket2::SockRef::from(stream);
    let keepalive = socket2::TcpKeepalive::new()
        .with_time(Duration::from_secs(30))
        .with_interval(Duration::from_secs(10))
        .with_retries(3);
    let tuned = socket
        .set_tcp_nodelay(true)
        .and_then(|()| socket.set_tcp_keepalive(&keepalive));
    if let Err(error) = tuned {
        tracing::warn!("socket options: {error}");
    }
}
