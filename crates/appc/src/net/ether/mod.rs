//! LLC2 over an Ethernet interface, through a raw socket.
//!
//! Processes that share an address have a SAP each ([`own_sap`]).
//!
//! A link to a station comes up by TEST (to the null SAP), a null XID, XID3s and
//! SABME; each command is repeated until it is answered or N2 tries are over.
//! Frames for other stations are ignored.
//!
//! Raw sockets need CAP_NET_RAW; without it, [`Ether::open`] says so.

mod own_sap;

use super::agree::{Admission, Local, Side};
use super::{Broken, Surroundings};
use crate::Error;
use crate::admin::LinkStatus;
use crate::trace::Trace;
use own_sap::OwnSap;
use sna::dlc::llc2::{Config, Event, Reason, State, Station};
use sna::dlc::mac::{self, Frame, Mac};
use sna::dlc::pdu::{Control, I_HEADER_BYTES, Pdu, SAP_NULL, SAP_SNA, Unnumbered};
use sna::dlc::xid3::{Exchange, Step, Xid3};
use sna::{Instant, LinkId, LuName};
use std::collections::BTreeMap;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// The largest information field of an I frame in an 802.3 frame.
pub const MAX_BTU_BYTES: u16 = (mac::MAX_PDU_BYTES - I_HEADER_BYTES) as u16;
/// PIUs given to a station ahead of its window; the rest waits in the node.
const AHEAD: usize = 4;
const RETRY_NS: u64 = 1_000_000_000;
const TRIES: u8 = 8;
const MAX_PEERS: usize = 1024;
const ETH_P_802_2: u16 = 0x0004;
/// In the source SAP: the PDU is a response.
const RESPONSE: u8 = 0x01;

/// Which station, and behind which of its SAPs.
type Key = (Mac, u8);

/// All links of one interface.
pub(crate) struct Ether {
    pub socket: OwnedFd,
    pub interface: String,
    own: Own,
    sap: OwnSap,
    local: Local,
    peers: BTreeMap<Key, Peer>,
    frame: Vec<u8>,
}

/// The addresses of this station.
#[derive(Debug, Clone, Copy)]
struct Own {
    /// What it calls from.
    address: Mac,
    /// What those call who know the logical unit's name alone.
    by_name: Mac,
}

impl Own {
    /// The one of them that a frame is for; none when it is for another
    /// station, or is this one's own.
    fn addressed(self, frame: &Frame<'_>) -> Option<Mac> {
        let both = [self.address, self.by_name];
        let ours = both.contains(&frame.destination) && !both.contains(&frame.source);
        ours.then_some(frame.destination)
    }

    /// Whether a SAP at one of them is this process's: its own SAP, and that of
    /// SNA where nobody else has the address.
    fn serves(self, at: Mac, sap: u8, own_sap: u8) -> bool {
        sap == own_sap || (sap == SAP_SNA && at == self.by_name && at != self.address)
    }
}

struct Peer {
    /// Where it is.
    mac: Mac,
    /// What this station is called there.
    own: Mac,
    /// Which of its SAPs the link is at.
    own_sap: u8,
    station: Station,
    side: Side,
    asked: Option<Asked>,
    out: Vec<u8>,
    /// When it was heard of last.
    heard: Instant,
    /// How the XID goes that waits for the partner's name: as a response, and
    /// with the poll bit.
    held: (bool, bool),
    /// Its identification was refused: it goes when it has been told.
    over: bool,
}

/// A command that waits for its answer.
#[derive(Clone, Copy)]
struct Asked {
    what: Question,
    again: u64,
    tries: u8,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Question {
    Test,
    NullXid,
}

impl Ether {
    /// Opens a raw socket on `interface`. The station has the address of the
    /// configuration. When none is given it has the interface's own, and answers
    /// also to the one that is made from the logical unit's name.
    pub fn open(interface: &str, local: Local, address: Option<Mac>) -> Result<Ether, Error> {
        let fail = |what: &str| {
            let why = io::Error::last_os_error();
            let hint = match why.raw_os_error() {
                Some(libc::EPERM | libc::EACCES) => {
                    " (a raw socket needs CAP_NET_RAW: run as root, or \
                     `setcap cap_net_raw+ep` the program; DLSw over TCP needs no privilege)"
                }
                _ => "",
            };
            Error::Socket(format!("interface {interface}: {what}{why}{hint}"))
        };
        let flags = libc::SOCK_RAW | libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC;
        // SAFETY: plain system call; the result is checked before it is owned.
        let fd = unsafe { libc::socket(libc::AF_PACKET, flags, i32::from(ETH_P_802_2.to_be())) };
        if fd < 0 {
            return Err(fail("no raw socket: "));
        }
        // SAFETY: `fd` was just opened and nothing else owns it.
        let socket = unsafe { OwnedFd::from_raw_fd(fd) };
        let name = std::ffi::CString::new(interface)
            .map_err(|_| Error::config("interface", interface, "no interface is called so"))?;
        // SAFETY: `name` is a string with a terminating zero.
        let index = unsafe { libc::if_nametoindex(name.as_ptr()) };
        if index == 0 {
            return Err(fail(""));
        }
        // SAFETY: all-zero bytes are a valid value of this plain structure.
        let mut to: libc::sockaddr_ll = unsafe { std::mem::zeroed() };
        to.sll_family = libc::AF_PACKET as u16;
        to.sll_protocol = ETH_P_802_2.to_be();
        to.sll_ifindex = index as i32;
        // SAFETY: the pointer and the length name `to`.
        let bound = unsafe {
            libc::bind(
                socket.as_raw_fd(),
                (&raw const to).cast(),
                size_of::<libc::sockaddr_ll>() as u32,
            )
        };
        if bound != 0 {
            return Err(fail("cannot bind: "));
        }
        let by_name = mac::reversed(local.mac);
        let own = match address {
            Some(address) => Own {
                address,
                by_name: address,
            },
            None => Own {
                address: hardware_address(interface).unwrap_or(by_name),
                by_name,
            },
        };
        promiscuous(&socket, index);
        let sap = OwnSap::take(index, own.address).ok_or_else(|| {
            let address = told(own.address);
            let why = "every SAP belongs to another process";
            Error::Socket(format!("interface {interface}, address {address}: {why}"))
        })?;
        Ok(Ether {
            socket,
            interface: interface.to_owned(),
            own,
            sap,
            local,
            peers: BTreeMap::new(),
            frame: Vec::with_capacity(2048),
        })
    }

    /// Begins to bring a link up.
    pub fn call(&mut self, now: u64, to: Mac, sap: u8, partner: LuName, call: u64) {
        let place = place((to, sap));
        let side = Side::new(&self.local, MAX_BTU_BYTES, place, Some(partner), Some(call));
        let peer = self.peer((to, sap), (self.own.address, self.sap.value()));
        peer.side = side;
        peer.asked = Some(Asked {
            what: Question::Test,
            again: now,
            tries: 0,
        });
    }

    /// Reads every frame that waits.
    pub fn handle_readable(&mut self, around: &mut Surroundings<'_>) -> Result<(), Broken> {
        let mut buffer = [0u8; 2048];
        loop {
            // SAFETY: the pointer and length name `buffer`.
            let read = unsafe {
                libc::recv(
                    self.socket.as_raw_fd(),
                    buffer.as_mut_ptr().cast(),
                    buffer.len(),
                    0,
                )
            };
            let Ok(read) = usize::try_from(read) else {
                let error = io::Error::last_os_error();
                return match error.kind() {
                    io::ErrorKind::WouldBlock => Ok(()),
                    io::ErrorKind::Interrupted => continue,
                    // The interface went down: links time out by themselves.
                    _ if error.raw_os_error() == Some(libc::ENETDOWN) => Ok(()),
                    _ => Err(Broken::ended(error)),
                };
            };
            self.handle_frame(around, &buffer[..read]);
        }
    }

    fn handle_frame(&mut self, around: &mut Surroundings<'_>, bytes: &[u8]) {
        let Ok(frame) = Frame::parse(bytes) else {
            return;
        };
        let Some(own) = self.own.addressed(&frame) else {
            return;
        };
        around.trace(|trace| trace_frame(trace, bytes, frame.pdu));
        let Ok(pdu) = Pdu::parse(frame.pdu) else {
            if let [dsap, ssap, ..] = *frame.pdu
                && self.own.serves(own, dsap, self.sap.value())
            {
                let key = (frame.source, ssap & !RESPONSE);
                self.hand_to_station(around, (own, dsap), key, frame.pdu);
            }
            return;
        };
        if pdu.dsap == SAP_NULL && !pdu.response {
            return self.answer_null_sap(around, [own, frame.source], &pdu);
        }
        if !self.own.serves(own, pdu.dsap, self.sap.value()) {
            return;
        }
        if pdu.ssap == SAP_NULL {
            return self.test_answered(around, frame.source);
        }
        let key = (frame.source, pdu.ssap);
        self.hand_to_station(around, (own, pdu.dsap), key, frame.pdu);
    }

    /// TEST for the null SAP, which answers before any link exists.
    fn answer_null_sap(&mut self, around: &mut Surroundings<'_>, ends: [Mac; 2], pdu: &Pdu<'_>) {
        if let Control::U {
            kind: kind @ Unnumbered::Test,
            pf,
        } = pdu.control
        {
            let mut answer = Vec::new();
            Pdu {
                dsap: pdu.ssap,
                ssap: SAP_NULL,
                response: true,
                control: Control::U { kind, pf },
                info: pdu.info,
            }
            .emit(&mut answer);
            self.send(around, ends, &answer);
        }
    }

    fn test_answered(&mut self, around: &mut Surroundings<'_>, from: Mac) {
        for (_, peer) in self.peers.iter_mut().filter(|(key, _)| key.0 == from) {
            if let Some(asked) = peer
                .asked
                .as_mut()
                .filter(|asked| asked.what == Question::Test)
            {
                *asked = Asked {
                    what: Question::NullXid,
                    again: around.now.as_nanos(),
                    tries: 0,
                };
            }
        }
    }

    /// A PDU for this station, which is called `own` there.
    fn hand_to_station(
        &mut self,
        around: &mut Surroundings<'_>,
        own: (Mac, u8),
        key: Key,
        pdu: &[u8],
    ) {
        // A link begins with an XID; nothing else makes this node remember a
        // station, and there is a bound to how many.
        let begins = matches!(Pdu::parse(pdu), Ok(pdu) if is_xid(&pdu));
        if !self.peers.contains_key(&key) && (!begins || self.peers.len() >= MAX_PEERS) {
            return;
        }
        if begins_anew(pdu)
            && let Some(peer) = self.peers.get_mut(&key)
            && peer.side.link.is_some()
        {
            // Its side of the link is gone, and nobody told this one.
            peer.side.down(around, "the partner sets the link up anew");
            self.peers.remove(&key);
        }
        let now = around.now.as_nanos();
        let peer = self.peer(key, own);
        if peer.side.link.is_none() {
            peer.own = own.0;
        }
        peer.heard = around.now;
        peer.station.handle_pdu(now, pdu);
        let mut gone = false;
        while let Some(event) = peer.station.poll_event() {
            gone |= peer.handle_event(around, event);
        }
        if gone || peer.over {
            self.transmit_peer(around, key);
            self.peers.remove(&key);
        }
    }

    /// The station there; a new one is linked to this one under `own`.
    fn peer(&mut self, key: Key, own: (Mac, u8)) -> &mut Peer {
        let local = &self.local;
        self.peers
            .entry(key)
            .or_insert_with(|| Peer::new(key, own, local))
    }

    /// Takes the node's PIUs as the windows allow, and sends every frame.
    pub fn transmit(&mut self, around: &mut Surroundings<'_>) -> Result<(), Broken> {
        let keys: Vec<Key> = self.peers.keys().copied().collect();
        for key in keys {
            self.put_question(around, key);
            if let Some(peer) = self.peers.get_mut(&key) {
                peer.look_at_name(around);
            }
            self.transmit_peer(around, key);
            if self.peers.get(&key).is_some_and(|peer| peer.over) {
                self.peers.remove(&key);
            }
        }
        Ok(())
    }

    fn transmit_peer(&mut self, around: &mut Surroundings<'_>, key: Key) {
        loop {
            let now = around.now.as_nanos();
            let Some(peer) = self.peers.get_mut(&key) else {
                return;
            };
            // What a link that is going down would send waits for its end.
            let connected = peer.station.state() == State::Connected;
            if let Some(link) = peer.side.link.filter(|_| connected) {
                while peer.station.waiting() < AHEAD
                    && let Some(piu) = around.node.poll_transmit_on(link)
                {
                    around.trace(|trace| trace.piu(&piu));
                    if let Err(refused) = peer.station.send(piu) {
                        tracing::warn!("a PIU cannot be sent: {refused}");
                    }
                }
            }
            let mut pdu = std::mem::take(&mut peer.out);
            pdu.clear();
            let more = peer.station.poll_transmit(now, &mut pdu);
            let ends = [peer.own, peer.mac];
            if more {
                self.send(around, ends, &pdu);
            }
            if let Some(peer) = self.peers.get_mut(&key) {
                peer.out = pdu;
            }
            if !more {
                return;
            }
        }
    }

    /// Sends the question that is due.
    fn put_question(&mut self, around: &mut Surroundings<'_>, key: Key) {
        let now = around.now.as_nanos();
        let Some(peer) = self.peers.get_mut(&key) else {
            return;
        };
        let Some(asked) = peer.asked.as_mut().filter(|asked| asked.again <= now) else {
            return;
        };
        asked.tries += 1;
        asked.again = now + RETRY_NS;
        let what = asked.what;
        if asked.tries > TRIES {
            peer.asked = None;
            peer.side.down(around, "the station does not answer");
            return;
        }
        match what {
            Question::NullXid => {
                let _ = peer
                    .station
                    .send_xid(false, true, peer.side.negotiation.begin());
            }
            Question::Test => {
                let mut test = Vec::new();
                let control = Control::U {
                    kind: Unnumbered::Test,
                    pf: true,
                };
                Pdu {
                    dsap: SAP_NULL,
                    ssap: peer.own_sap,
                    response: false,
                    control,
                    info: &[],
                }
                .emit(&mut test);
                let ends = [peer.own, peer.mac];
                self.send(around, ends, &test);
            }
        }
    }

    /// Sends a PDU from the first address to the second.
    fn send(&mut self, around: &mut Surroundings<'_>, [from, to]: [Mac; 2], pdu: &[u8]) {
        self.frame.clear();
        let frame = Frame {
            destination: to,
            source: from,
            pdu,
        };
        frame.emit(&mut self.frame);
        // SAFETY: the pointer and length name `self.frame`.
        let sent = unsafe {
            libc::send(
                self.socket.as_raw_fd(),
                self.frame.as_ptr().cast(),
                self.frame.len(),
                0,
            )
        };
        // A frame that the interface cannot take is lost; LLC2 sends it again.
        if sent < 0 {
            tracing::debug!("{}: {}", self.interface, io::Error::last_os_error());
        }
        let bytes = &self.frame;
        around.trace(|trace| trace_frame(trace, bytes, pdu));
    }

    pub fn handle_timeout(&mut self, around: &mut Surroundings<'_>) {
        let now = around.now.as_nanos();
        let mut gone = Vec::new();
        for (key, peer) in &mut self.peers {
            peer.station.handle_timeout(now);
            while let Some(event) = peer.station.poll_event() {
                if peer.handle_event(around, event) {
                    gone.push(*key);
                }
            }
        }
        for key in gone {
            self.peers.remove(&key);
        }
    }

    pub fn next_timeout(&self) -> Option<u64> {
        let timers = self.peers.values().flat_map(|peer| {
            [
                peer.station.next_timeout(),
                peer.asked.map(|asked| asked.again),
            ]
        });
        timers.flatten().min()
    }

    pub fn close(&mut self, around: &mut Surroundings<'_>, why: &str) {
        let now = around.now.as_nanos();
        for peer in self.peers.values_mut() {
            peer.side.down(around, why);
            peer.station.disconnect(now);
        }
        let _ = self.transmit(around);
    }

    pub fn leads_to(&self, partner: &LuName) -> bool {
        self.peers.values().any(|peer| peer.side.leads_to(partner))
    }

    fn at(&mut self, place: &str) -> Option<(Key, &mut Peer)> {
        let mut peers = self.peers.iter_mut();
        let found = peers.find(|(key, _)| self::place(**key) == place);
        found.map(|(key, peer)| (*key, peer))
    }

    /// Asks the station at `place` for a sign of life; false when there is none.
    pub fn ask(&mut self, place: &str, now: Instant) -> bool {
        let found = self.at(place);
        found
            .map(|(_, peer)| peer.station.enquire(now.as_nanos()))
            .is_some()
    }

    /// Whether it has given one since then.
    pub fn answered(&mut self, place: &str, since: Instant) -> Option<bool> {
        self.at(place).map(|(_, peer)| peer.heard > since)
    }

    /// Takes the station at `place` for gone.
    pub fn give_up(&mut self, around: &mut Surroundings<'_>, place: &str, why: &str) {
        if let Some((key, peer)) = self.at(place) {
            peer.side.down(around, why);
            self.peers.remove(&key);
        }
    }

    /// The station at the other end of a link.
    pub fn peer_of(&self, link: LinkId) -> Option<String> {
        let mut peers = self.peers.iter();
        let found = peers.find(|(_, peer)| peer.side.link == Some(link));
        found.map(|(key, _)| place(*key))
    }

    pub fn describe(&self, out: &mut Vec<LinkStatus>) {
        for (key, peer) in &self.peers {
            out.push(LinkStatus {
                kind: format!("llc2 {}", self.interface),
                peer: place(*key),
                partner: peer.side.partner_name(),
                role: peer.side.role(),
                max_btu_bytes: peer
                    .side
                    .agreed
                    .as_ref()
                    .map_or(0, |agreed| agreed.peer.max_btu_bytes),
                up: peer.side.link.is_some(),
            });
        }
    }
}

/// A station, for people and for its name.
fn place((mac, sap): Key) -> String {
    match sap {
        SAP_SNA => told(mac),
        other => format!("{} SAP {other:02X}", told(mac)),
    }
}

/// An address, for people.
fn told(mac: [u8; 6]) -> String {
    mac.map(|byte| format!("{byte:02x}")).join(":")
}

impl Peer {
    fn new(key: Key, own: (Mac, u8), local: &Local) -> Peer {
        let mut station = Station::new(Config {
            local_sap: own.1,
            remote_sap: key.1,
            max_info_bytes: usize::from(MAX_BTU_BYTES),
            t1_ns: 200_000_000,
            t2_ns: 10_000_000,
            // A host that is held up for some seconds keeps its links.
            retries: 40,
            ..Config::default()
        });
        station.set_listening(true);
        Peer {
            mac: key.0,
            own: own.0,
            own_sap: own.1,
            station,
            side: Side::new(local, MAX_BTU_BYTES, place(key), None, None),
            asked: None,
            out: Vec::new(),
            heard: Instant::ZERO,
            held: (false, false),
            over: false,
        }
    }

    /// Takes what the station tells; true when the link is over.
    fn handle_event(&mut self, around: &mut Surroundings<'_>, event: Event) -> bool {
        match event {
            Event::Data(piu) => {
                if let Some(link) = self.side.link {
                    around.trace(|trace| trace.piu(&piu));
                    around.node.handle_piu(link, piu.into(), around.now);
                }
            }
            Event::Xid { response, info, pf } => self.xid(around, response, pf, &info),
            Event::Connected => {
                self.asked = None;
                if self.side.link.is_none()
                    && self.side.up(around, usize::from(MAX_BTU_BYTES)).is_none()
                {
                    self.station.disconnect(around.now.as_nanos());
                }
            }
            Event::Reset => {
                let Some(link) = self.side.link.take() else {
                    return false;
                };
                around.node.link_down(link, around.now);
            }
            Event::Closed(reason) => {
                self.side.down(around, &ended(reason));
                return true;
            }
            Event::Tested(_) | Event::Ui(_) => {}
        }
        false
    }

    fn xid(&mut self, around: &mut Surroundings<'_>, response: bool, poll: bool, info: &[u8]) {
        // An answer to a command is a response with its poll bit; what follows
        // a response is the next command.
        self.held = (!response, response || poll);
        if self.side.waits() {
            // It says again what is known.
            return;
        }
        let step = match self.side.negotiation.handle(info) {
            Ok(step) => step,
            Err(why) => {
                self.asked = None;
                self.send_xid(self.side.negotiation.refusal(&why));
                if self.side.call.is_none() {
                    let at = place((self.mac, self.station.config().remote_sap));
                    around.complain(&at, &why);
                }
                let why = self.side.refused(&why);
                self.over = true;
                return self.side.down(around, &why);
            }
        };
        if response {
            self.asked = None;
        }
        let (answer, agreed) = match step {
            Step::Send(xid) => return self.send_xid(Some(xid)),
            Step::SendAndDone(xid, agreed) => (Some(xid), agreed),
            Step::Done(agreed) => (None, agreed),
            Step::Wait => return,
        };
        let admission = self.side.admit(around, answer, agreed);
        self.admit(around, admission);
    }

    fn send_xid(&mut self, xid: Option<Vec<u8>>) {
        let (response, poll) = self.held;
        if let Some(xid) = xid {
            let _ = self.station.send_xid(response, poll, xid);
        }
    }

    fn admit(&mut self, around: &mut Surroundings<'_>, admission: Admission) {
        match admission {
            Admission::Waits => {}
            Admission::Admitted(xid) => {
                self.send_xid(xid);
                if self.side.is_primary() {
                    self.station.connect(around.now.as_nanos());
                }
            }
            Admission::Refused(xid, why) => {
                self.send_xid(xid);
                self.over = true;
                self.side.down(around, &why);
            }
        }
    }

    /// Goes on when its name was contested.
    fn look_at_name(&mut self, around: &mut Surroundings<'_>) {
        if self.side.waits() {
            let admission = self.side.look(around);
            self.admit(around, admission);
        }
    }
}

/// Why a link is gone, for people.
fn ended(reason: Reason) -> String {
    match reason {
        Reason::Local => "this side ended the link".to_owned(),
        Reason::Peer => "the partner ended the link".to_owned(),
        Reason::Refused => "the partner's station takes no link".to_owned(),
        Reason::Timeout => "the partner's station does not answer any more".to_owned(),
        Reason::FrameRejected(why) => {
            let bytes = why.map(|byte| format!("{byte:02X}")).concat();
            format!("the partner rejected a frame, FRMR {bytes}")
        }
    }
}

/// Whether these bytes are a command to negotiate a link.
fn begins_anew(bytes: &[u8]) -> bool {
    let Ok(pdu) = Pdu::parse(bytes) else {
        return false;
    };
    // A null XID only asks who is there.
    let told = Xid3::parse(pdu.info).map(|xid| xid.exchange);
    is_xid(&pdu) && !matches!(told, Err(_) | Ok(Exchange::NonActivation))
}

fn is_xid(pdu: &Pdu<'_>) -> bool {
    let kind = Unnumbered::Xid;
    !pdu.response && matches!(pdu.control, Control::U { kind: got, .. } if got == kind)
}

fn trace_frame(trace: &mut Trace, frame: &[u8], pdu: &[u8]) -> io::Result<()> {
    let data = matches!(Pdu::parse(pdu), Ok(pdu) if matches!(pdu.control, Control::I { .. }));
    trace.frame(frame, data.then_some(mac::HEADER_BYTES + I_HEADER_BYTES))
}

/// The interface's own address, as the system tells it.
fn hardware_address(interface: &str) -> Option<Mac> {
    let text = std::fs::read_to_string(format!("/sys/class/net/{interface}/address")).ok()?;
    let mut bytes = text
        .trim()
        .split(':')
        .map(|part| u8::from_str_radix(part, 16));
    let mut mac = [0; 6];
    for byte in &mut mac {
        *byte = bytes.next()?.ok()?;
    }
    (mac != [0; 6]).then_some(mac)
}

/// Asks for frames to an address that is not the interface's own; an interface
/// that cannot is left as it is.
fn promiscuous(socket: &OwnedFd, index: u32) {
    let wish = libc::packet_mreq {
        mr_ifindex: index as i32,
        mr_type: libc::PACKET_MR_PROMISC as u16,
        mr_alen: 0,
        mr_address: [0; 8],
    };
    // SAFETY: the pointer and length name `wish`.
    unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_PACKET,
            libc::PACKET_ADD_MEMBERSHIP,
            (&raw const wish).cast(),
            size_of::<libc::packet_mreq>() as u32,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_station_answers_to_its_own_address_and_to_the_one_of_its_name() {
        let own = Own {
            address: [1; 6],
            by_name: [2; 6],
        };
        let addressed = |source, destination| {
            let pdu = &[];
            own.addressed(&Frame {
                destination,
                source,
                pdu,
            })
        };
        assert_eq!(addressed([9; 6], [1; 6]), Some([1; 6]));
        assert_eq!(addressed([9; 6], [2; 6]), Some([2; 6]));
        assert_eq!(addressed([9; 6], [3; 6]), None);
        assert_eq!(addressed([1; 6], [2; 6]), None, "its own frame");
    }

    #[test]
    fn only_a_command_with_an_xid_that_activates_begins_a_link_anew() {
        let xid = |exchange, response| {
            let mut told = Side::new(&local(), MAX_BTU_BYTES, String::new(), None, None);
            // A null XID has this node tell its own.
            let Ok(Step::Send(ours)) = told.negotiation.handle(&[]) else {
                panic!("a null XID is answered");
            };
            let mut ours = Xid3::parse(&ours).unwrap();
            ours.exchange = exchange;
            unnumbered(response, &ours.emit())
        };
        assert!(begins_anew(&xid(Exchange::Prenegotiation, false)));
        assert!(begins_anew(&xid(Exchange::Proceeding, false)));
        assert!(!begins_anew(&xid(Exchange::Proceeding, true)));
        assert!(!begins_anew(&xid(Exchange::NonActivation, false)));
        assert!(!begins_anew(&unnumbered(false, &[])));
        assert!(!begins_anew(&[4, 4, 0, 0, 0x2C]));
    }

    fn unnumbered(response: bool, info: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        Pdu {
            dsap: SAP_SNA,
            ssap: SAP_SNA,
            response,
            control: Control::U {
                kind: Unnumbered::Xid,
                pf: true,
            },
            info,
        }
        .emit(&mut out);
        out
    }

    fn local() -> Local {
        Local {
            lu: "NET.A".parse().unwrap(),
            mac: [2; 6],
            id_block: 0x05D,
            id_number: 1,
            max_btu_bytes: 1496,
            circuit_window: 8,
            setup_ns: 1,
            connections: crate::config::Connections::One,
        }
    }
}
