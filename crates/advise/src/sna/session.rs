//! What BIND negotiation leaves of two nodes' modes.
//!
//! The initiator of a session sends the BIND with its own sizes and windows,
//! the receiver lowers what is too large for it, and nothing is ever raised.
//! A host that initiates takes its values from the mode table of its
//! application, and defaults of 256 bytes where the table has no such mode;
//! a host that receives a BIND only applies the limits of its application.
//! So the two kinds of session between the same nodes can differ, and a
//! conversation is as fast as the session it happens to get.
//!
//! Invariant: pure arithmetic over [`super::model`]; nothing here knows rules.

use std::fmt;

use super::model::{self, HostMode, Mode, Product, Ru};
use super::ru;
use crate::cicsts::Definition;
use crate::document::{Document, Documents, Place};
use crate::sna::Statement;
use crate::sna::kinds::vtam;

/// Bytes of transmission and request header before an RU in a frame.
pub const HEADERS: u32 = 9;
/// Bytes of headers before an RU between subareas.
pub const SUBAREA_HEADERS: u32 = 29;
/// The RU size that VTAM takes where the mode table has no entry of the name.
pub const DEFAULT_RU: u32 = 256;
/// The largest RU that VTAM takes.
const HOST_RU: u32 = 65_536;

/// What one end of a session asks for or allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terms {
    /// The largest RU it sends; `None` where it sets no limit.
    pub send_ru: Option<u32>,
    /// The largest RU it receives.
    pub receive_ru: Option<u32>,
    /// RUs it sends before a pacing response must come; 0 for no limit.
    pub send_window: u32,
    /// RUs it takes before it sends a pacing response; 0 for no limit.
    pub receive_window: u32,
    /// Whether it paces adaptively with a partner that does too.
    pub adaptive: bool,
}

/// The pacing of one direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Window {
    /// So many RUs, always.
    Fixed(u32),
    /// The receiver opens and closes it; it begins with so many.
    Adaptive(u32),
    /// No pacing.
    Unpaced,
}

impl fmt::Display for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Window::Fixed(n) => write!(f, "fixed window {n}"),
            Window::Adaptive(n) => write!(f, "adaptive window from {n}"),
            Window::Unpaced => f.write_str("no pacing"),
        }
    }
}

/// One direction of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Flow {
    /// The largest RU in bytes; `None` where neither end sets a limit.
    pub ru: Option<u32>,
    /// How it is paced.
    pub window: Window,
}

impl Flow {
    /// Bytes that the receiver may have to hold: RU × window, and up to
    /// 2N − 1 RUs under fixed pacing, because the next window may be granted
    /// when the first of a window has come.
    pub fn in_flight_bytes(&self) -> Option<u64> {
        let ru = u64::from(self.ru?);
        match self.window {
            Window::Fixed(n) => Some(ru.saturating_mul((2 * u64::from(n)).saturating_sub(1))),
            Window::Adaptive(n) => Some(ru.saturating_mul(u64::from(n))),
            Window::Unpaced => None,
        }
    }
}

impl fmt::Display for Flow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.ru {
            Some(ru) => write!(f, "RU {ru}, {}", self.window),
            None => write!(f, "RU without limit, {}", self.window),
        }
    }
}

/// The flows of a session: what the initiator sends, and what it receives.
pub fn negotiate(initiator: &Terms, receiver: &Terms) -> (Flow, Flow) {
    let adaptive = initiator.adaptive && receiver.adaptive;
    let flow = |from: &Terms, to: &Terms| Flow {
        ru: lesser(from.send_ru, to.receive_ru).map(ru::floor),
        window: window(from.send_window, to.receive_window, adaptive),
    };
    (flow(initiator, receiver), flow(receiver, initiator))
}

fn lesser(a: Option<u32>, b: Option<u32>) -> Option<u32> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

/// Adaptive windows are the receiver's; of fixed ones the smaller counts, and
/// 0 is the largest of all.
fn window(send: u32, receive: u32, adaptive: bool) -> Window {
    let least = [send, receive].into_iter().filter(|n| *n > 0).min();
    match (adaptive, receive, least) {
        (true, 1.., _) => Window::Adaptive(receive),
        (_, _, Some(n)) => Window::Fixed(n),
        (_, _, None) => Window::Unpaced,
    }
}

/// Which mode entry and which definition a host would use towards a station.
#[derive(Debug, Clone)]
pub struct Host<'a> {
    /// CICS SESSIONS of the mode, where there are any.
    pub sessions: Option<(&'a Document, &'a Definition)>,
    /// The application's APPL statement.
    pub appl: Option<(&'a Document, &'a Statement)>,
    /// The mode entry; `None` where the table has none of the name.
    pub entry: Option<HostMode<'a>>,
    /// Whether the application's mode table is in the set.
    pub table_known: bool,
}

impl Host<'_> {
    /// The application's name.
    pub fn name(&self) -> &str {
        match (self.sessions, self.appl) {
            (Some((_, s)), _) => &s.name,
            (None, Some((_, appl))) => &appl.name,
            (None, None) => "VTAM",
        }
    }

    /// The application's mode table, for people.
    pub fn table(&self) -> String {
        let named = self.appl.and_then(|(_, a)| a.operand("MODETAB"));
        match named {
            Some(table) => format!("mode table {}", table.value),
            None => "the mode table".to_owned(),
        }
    }

    /// The place that decides the host's own proposal.
    pub fn place(&self) -> Option<Place> {
        if let Some(entry) = &self.entry {
            return Some(entry.place("RUSIZES"));
        }
        if let Some((document, appl)) = self.appl {
            let at = appl.operand("MODETAB").map_or(appl.at, |o| o.at);
            return Some(document.place(at));
        }
        self.sessions
            .map(|(document, s)| document.place(s.at("MODENAME")))
    }

    fn limits(&self) -> (Option<u32>, Option<u32>) {
        let size = |name| {
            let (_, s) = self.sessions?;
            u32::try_from(s.number(name)?.0).ok()
        };
        (size("SENDSIZE"), size("RECEIVESIZE"))
    }

    fn initiating(&self) -> Terms {
        let (send, receive) = self.limits();
        let table = |half: fn(&HostMode<'_>) -> Option<u32>| match &self.entry {
            Some(entry) => half(entry).or(Some(HOST_RU)),
            None if self.table_known => Some(DEFAULT_RU),
            None => None,
        };
        Terms {
            send_ru: lesser(send, table(|e| e.primary)),
            receive_ru: lesser(receive, table(|e| e.secondary)),
            ..self.receiving()
        }
    }

    fn receiving(&self) -> Terms {
        let (send, receive) = self.limits();
        let pacing = |name| self.entry.as_ref().and_then(|e| e.pacing(name));
        let vpacing = self.appl.and_then(|(_, a)| a.operand("VPACING")?.number());
        Terms {
            send_ru: lesser(send, Some(HOST_RU)),
            receive_ru: lesser(receive, Some(HOST_RU)),
            send_window: pacing("PSNDPAC").unwrap_or(0),
            receive_window: vpacing.or(pacing("SSNDPAC")).unwrap_or(0),
            adaptive: true,
        }
    }
}

/// The sessions of one mode between a host or a station and a station.
#[derive(Debug, Clone)]
pub struct Pair<'a> {
    /// The station's mode.
    pub mode: Mode<'a>,
    /// The partner.
    pub partner: Partner<'a>,
    /// Sessions that the station initiates: what it sends, what it receives.
    pub won: (Flow, Flow),
    /// Sessions that the partner initiates, seen from the station too: what
    /// the station sends, what it receives.
    pub lost: (Flow, Flow),
}

/// Who is at the other end.
#[derive(Debug, Clone)]
pub enum Partner<'a> {
    /// An application of the host.
    Host(Host<'a>),
    /// Another station, with its mode of the same name.
    Station(Mode<'a>),
}

impl Partner<'_> {
    /// Its name for people.
    pub fn name(&self) -> String {
        match self {
            Partner::Host(host) => match host.sessions {
                Some(_) => format!("CICS {}", host.name()),
                None => host.name().to_owned(),
            },
            Partner::Station(mode) => format!("{} ({})", mode.product.name(), mode.document.name),
        }
    }
}

impl Pair<'_> {
    /// Sessions that the station wins and loses, where its mode says so.
    pub fn counts(&self) -> Option<(u32, u32)> {
        let (limit, won) = (self.mode.limit?, self.mode.winners?);
        Some((won, limit.saturating_sub(won)))
    }
}

/// Every pair of the set: each station's modes with the host, or the
/// stations with each other where there is no host.
pub fn pairs(documents: &Documents) -> Vec<Pair<'_>> {
    let modes = model::modes(documents);
    if model::has_host(documents) {
        let of_host = |mode| host_pair(documents, mode);
        return modes.iter().map(of_host).collect();
    }
    let mut found = Vec::new();
    for (i, mode) in modes.iter().enumerate() {
        for other in &modes[i + 1..] {
            let apart = other.document.name != mode.document.name;
            let speak = mode.product != Product::NsDos || other.product != Product::NsDos;
            if apart && speak && other.name == mode.name {
                found.push(station_pair(documents, mode, other));
            }
        }
    }
    found
}

fn host_pair<'a>(documents: &'a Documents, mode: &Mode<'a>) -> Pair<'a> {
    let host = host_of(documents, mode);
    let frame = lesser(
        model::link(documents, mode.product).frame,
        model::ncp_frame(documents),
    );
    let mut station = terms(mode, frame);
    // What VTAM's mode says of the secondary holds for the station too.
    if let (Some(entry), 0) = (&host.entry, station.send_window) {
        station.send_window = entry.pacing("SSNDPAC").unwrap_or(0);
    }
    let won = negotiate(&station, &host.receiving());
    let (received, sent) = negotiate(&host.initiating(), &station);
    Pair {
        mode: mode.clone(),
        partner: Partner::Host(host),
        won,
        lost: (sent, received),
    }
}

fn station_pair<'a>(documents: &'a Documents, mode: &Mode<'a>, other: &Mode<'a>) -> Pair<'a> {
    let frame = |m: &Mode<'_>| model::link(documents, m.product).frame;
    let frame = lesser(frame(mode), frame(other));
    let (one, two) = (terms(mode, frame), terms(other, frame));
    let won = negotiate(&one, &two);
    let (received, sent) = negotiate(&two, &one);
    Pair {
        mode: mode.clone(),
        partner: Partner::Station(other.clone()),
        won,
        lost: (sent, received),
    }
}

/// What a station asks for over a link whose frames are so large.
fn terms(mode: &Mode<'_>, frame: Option<u32>) -> Terms {
    let one_frame = frame.map(|f| f.saturating_sub(HEADERS));
    let ru = match mode.ru {
        Ru::Bytes(bytes) if mode.product == Product::NsDos => lesser(Some(bytes), one_frame),
        Ru::Bytes(bytes) => Some(bytes),
        Ru::Frame => one_frame,
        Ru::Open => None,
    };
    Terms {
        send_ru: ru,
        receive_ru: ru,
        send_window: mode.send_window.unwrap_or(0),
        receive_window: mode.receive_window.unwrap_or(0),
        adaptive: mode.product.adaptive(),
    }
}

/// The definitions that a host uses towards a station in a mode.
fn host_of<'a>(documents: &'a Documents, mode: &Mode<'a>) -> Host<'a> {
    let sessions = cics_sessions(documents, mode);
    let appls: Vec<_> = documents.stated(&vtam::MAJOR, "APPL").collect();
    let with_table = |(_, s): &&(&Document, &Statement)| s.operand("MODETAB").is_some();
    let appl = appls.iter().find(with_table).or(appls.first()).copied();
    let table = appl.and_then(|(_, s)| s.operand("MODETAB"));
    let fits = |name: &str| table.is_none_or(|t| name.is_empty() || t.is(name));
    let table_known = documents.of(&vtam::MODES).any(|d| {
        d.statements()
            .iter()
            .any(|s| s.verb == "MODETAB" && fits(&s.name))
    });
    let entry = model::host_modes(documents)
        .into_iter()
        .find(|e| e.name == mode.name && fits(e.table));
    Host {
        sessions,
        appl,
        entry,
        table_known,
    }
}

/// SESSIONS of the mode whose connection names the station; those without a
/// match by name where no connection fits.
fn cics_sessions<'a>(
    documents: &'a Documents,
    mode: &Mode<'_>,
) -> Option<(&'a Document, &'a Definition)> {
    let lus = model::lu_names(documents, mode.product);
    let of_mode = |d: &Definition| {
        d.get("MODENAME")
            .is_none_or(|(m, _)| m.trim().eq_ignore_ascii_case(&mode.name))
    };
    let mut fitting = documents
        .definitions("SESSIONS")
        .filter(|(_, d)| of_mode(d))
        .peekable();
    let first = fitting.peek().copied();
    let named = |d: &Definition| {
        let connection = d.get("CONNECTION").map_or("", |(c, _)| c);
        let net = documents
            .definitions("CONNECTION")
            .find(|(_, c)| c.name.eq_ignore_ascii_case(connection))
            .and_then(|(_, c)| c.get("NETNAME"))
            .map_or(connection, |(n, _)| n);
        lus.iter().any(|lu| lu.eq_ignore_ascii_case(net.trim()))
    };
    fitting.find(|(_, d)| named(d)).or(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATION: Terms = Terms {
        send_ru: Some(8192),
        receive_ru: Some(8192),
        send_window: 8,
        receive_window: 63,
        adaptive: false,
    };
    const HOST: Terms = Terms {
        send_ru: Some(256),
        receive_ru: Some(4000),
        send_window: 0,
        receive_window: 3,
        adaptive: true,
    };

    #[test]
    fn each_direction_gets_the_lesser_of_what_the_ends_allow() {
        let (out, back) = negotiate(&STATION, &HOST);
        assert_eq!(
            out,
            Flow {
                ru: Some(3840),
                window: Window::Fixed(3)
            }
        );
        assert_eq!(
            back,
            Flow {
                ru: Some(256),
                window: Window::Fixed(63)
            }
        );
        assert_eq!(out.in_flight_bytes(), Some(5 * 3840));
    }

    #[test]
    fn adaptive_pacing_needs_both_ends_and_no_window_is_no_pacing() {
        let both = Terms {
            adaptive: true,
            ..STATION
        };
        let (out, back) = negotiate(&both, &HOST);
        assert_eq!(
            (out.window, back.window),
            (Window::Adaptive(3), Window::Adaptive(63))
        );
        let open = Terms {
            send_window: 0,
            receive_window: 0,
            send_ru: None,
            receive_ru: None,
            ..STATION
        };
        let (out, _) = negotiate(&open, &open);
        assert_eq!(
            out,
            Flow {
                ru: None,
                window: Window::Unpaced
            }
        );
        assert_eq!(out.in_flight_bytes(), None);
    }
}
