//! The partners of sessions, and the result of negotiation of their modes.
//!
//! The initiator of a session sends the BIND with its own sizes and windows. The
//! receiver lowers values that are too large for it; no value is ever raised. A
//! host that initiates takes its values from the mode table of its application,
//! with defaults of 256 bytes if the table has no such mode. A host that receives a
//! BIND only applies the limits of its application. So the two kinds of session
//! between the same nodes can differ, and the speed of a conversation depends on
//! its session.
//!
//! Invariant: this module does not depend on rules.

use std::collections::{HashMap, HashSet};

use super::applications::applications;
use super::model::{self, HostMode, Link, Mode, Ru, SessionProduct};
use super::negotiate::{Flow, SessionTerms, lesser, negotiate};
use crate::cicsts::CsdDefinition;
use crate::document::{Document, DocumentSet, FilePlace};
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

/// SENDSIZE and RECEIVESIZE of CICS sessions that do not code them.
const CICS_RU: u32 = 4096;

/// Which mode entry and which definition a host would use towards a station.
#[derive(Debug, Clone)]
pub struct HostDefinitions<'a> {
    /// CICS SESSIONS of the mode, where there are any.
    pub sessions: Option<(&'a Document, &'a CsdDefinition)>,
    /// The application's APPL statement.
    pub appl: Option<(&'a Document, &'a Statement)>,
    /// The mode entry; `None` if the table has no entry of this name.
    pub entry: Option<HostMode<'a>>,
    /// Whether the application's mode table is in the set.
    pub table_known: bool,
}

impl HostDefinitions<'_> {
    /// The application's name.
    pub fn name(&self) -> &str {
        match (self.sessions, self.appl) {
            (Some((_, s)), _) => &s.name,
            (None, Some((_, appl))) => &appl.name,
            (None, None) => "VTAM",
        }
    }

    /// The application's mode table, as text for findings.
    pub fn table(&self) -> String {
        let named = self.appl.and_then(|(_, a)| a.operand("MODETAB"));
        match named {
            Some(table) => format!("mode table {}", table.value),
            None => "the mode table".to_owned(),
        }
    }

    /// The place that decides the host's own proposal.
    pub fn place(&self) -> Option<FilePlace> {
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
            match s.number(name) {
                // 0 means no limit.
                Some((bytes, _)) => u32::try_from(bytes).ok().filter(|n| *n > 0),
                None => Some(CICS_RU),
            }
        };
        (size("SENDSIZE"), size("RECEIVESIZE"))
    }

    fn initiating(&self) -> SessionTerms {
        let (send, receive) = self.limits();
        let table = |half: fn(&HostMode<'_>) -> Option<u32>| match &self.entry {
            Some(entry) => half(entry).or(Some(HOST_RU)),
            None if self.table_known => Some(DEFAULT_RU),
            None => None,
        };
        SessionTerms {
            send_ru: lesser(send, table(|e| e.primary)),
            receive_ru: lesser(receive, table(|e| e.secondary)),
            ..self.receiving()
        }
    }

    fn receiving(&self) -> SessionTerms {
        let (send, receive) = self.limits();
        let pacing = |name| self.entry.as_ref().and_then(|e| e.pacing(name));
        let vpacing = self.appl.and_then(|(_, a)| a.operand("VPACING")?.number());
        SessionTerms {
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
pub struct SessionPair<'a> {
    /// The station's mode.
    pub mode: Mode<'a>,
    /// The partner.
    pub partner: SessionPartner<'a>,
    /// The smallest and the largest MAXTSL, if they differ and the RU of the
    /// mode follows the frame. The station's ring is not known then, and the
    /// smallest is used.
    pub ring: Option<(u32, u32)>,
    /// Sessions that the station initiates: sending, receiving.
    pub won: (Flow, Flow),
    /// Sessions that the partner initiates, also from the station's side:
    /// sending, receiving.
    pub lost: (Flow, Flow),
}

/// The partner at the other end.
#[derive(Debug, Clone)]
pub enum SessionPartner<'a> {
    /// An application of the host.
    Host(HostDefinitions<'a>),
    /// Another station, with its mode of the same name.
    Station(Mode<'a>),
}

impl SessionPartner<'_> {
    /// The partner's name in reports.
    pub fn name(&self) -> String {
        match self {
            SessionPartner::Host(host) => match host.sessions {
                Some(_) => format!("CICS {}", host.name()),
                None => host.name().to_owned(),
            },
            SessionPartner::Station(mode) => {
                format!("{} ({})", mode.product.name(), mode.document.name)
            }
        }
    }
}

impl SessionPair<'_> {
    /// The assumption about the station's ring, as text.
    pub fn ring_taken(&self) -> Option<String> {
        let (first, last) = self.ring?;
        Some(format!(
            "the station on a ring of MAXTSL={first}: NCP's rings go up to {last}, and the \
             station's ring is not known"
        ))
    }

    /// Sessions that the station wins and loses, where its mode says so.
    pub fn counts(&self) -> Option<(u32, u32)> {
        let (limit, won) = (self.mode.limit?, self.mode.winners?);
        Some((won, limit.saturating_sub(won)))
    }
}

/// Every pair of the set: each station's modes with the host, or the stations with
/// each other if there is no host.
pub fn pairs(documents: &DocumentSet) -> Vec<SessionPair<'_>> {
    let modes = model::modes(documents);
    let network = SessionNetwork::of(documents, &modes);
    if model::has_host(documents) {
        return modes.iter().map(|mode| network.host_pair(mode)).collect();
    }
    let mut by_name: HashMap<&str, Vec<&Mode<'_>>> = HashMap::new();
    let mut found = Vec::new();
    for mode in &modes {
        let others = by_name.entry(&mode.name).or_default();
        for other in others.iter().take(PARTNERS) {
            let apart = other.document.name != mode.document.name;
            // Two DOS machines have no link with each other.
            let speak =
                mode.product != SessionProduct::NsDos || other.product != SessionProduct::NsDos;
            if apart && speak {
                found.push(network.station_pair(other, mode));
            }
        }
        others.push(mode);
    }
    found
}

/// Partners of a station that are paired with it at most: with each further
/// one, the same is said again.
const PARTNERS: usize = 32;

/// The common data of all pairs of a set, looked up once.
struct SessionNetwork<'a> {
    links: HashMap<SessionProduct, Link>,
    /// The frame sizes of its rings, each once and the smallest first.
    ncp_frames: Vec<u32>,
    appl: Option<(&'a Document, &'a Statement)>,
    table_known: bool,
    entries: HashMap<String, HostMode<'a>>,
    /// SESSIONS with the name of the partner in upper case.
    sessions: Vec<(&'a Document, &'a CsdDefinition, String)>,
    /// The first SESSIONS of each mode; of [`EVERY_MODE`], those without a mode name.
    first: HashMap<String, usize>,
    /// Like `first`, for SESSIONS in a file of modes by the partner's name.
    partners: HashMap<&'a str, HashMap<String, usize>>,
}

impl<'a> SessionNetwork<'a> {
    fn of(documents: &'a DocumentSet, modes: &[Mode<'a>]) -> Self {
        let products = [
            SessionProduct::Cm2,
            SessionProduct::NsDos,
            SessionProduct::SnaServices,
            SessionProduct::As400,
        ];
        let appl = applications(documents).first().copied();
        let table = appl.and_then(|(_, s)| s.operand("MODETAB"));
        let fits = |name: &str| table.is_none_or(|t| name.is_empty() || t.is(name));
        let mut entries = HashMap::new();
        for entry in model::host_modes(documents)
            .into_iter()
            .filter(|e| fits(e.table))
        {
            entries.entry(entry.name.clone()).or_insert(entry);
        }
        let sessions = cics_sessions(documents);
        let mut partners = HashMap::new();
        for mode in modes {
            let file = &*mode.document.name;
            if !sessions.is_empty() && !partners.contains_key(file) {
                let lus = model::lu_names(documents, mode).into_iter().collect();
                partners.insert(file, first_of_modes(&sessions, Some(&lus)));
            }
        }
        SessionNetwork {
            links: products.map(|p| (p, model::link(documents, p))).into(),
            ncp_frames: model::ncp_frames(documents),
            appl,
            table_known: documents
                .stated(&vtam::MODES, "MODETAB")
                .any(|(_, s)| fits(&s.name)),
            entries,
            first: first_of_modes(&sessions, None),
            partners,
            sessions,
        }
    }

    fn frame(&self, product: SessionProduct) -> Option<u32> {
        self.links.get(&product).and_then(|l| l.frame)
    }

    fn host_pair(&self, mode: &Mode<'a>) -> SessionPair<'a> {
        let host = self.host(mode);
        let own = self.frame(mode.product);
        let mut station = terms(mode, lesser(own, self.ncp_frames.first().copied()));
        // VTAM's value for the secondary applies to the station too.
        if let (Some(entry), 0) = (&host.entry, station.send_window) {
            station.send_window = entry.pacing("SSNDPAC").unwrap_or(0);
        }
        let won = negotiate(&station, &host.receiving());
        let (received, sent) = negotiate(&host.initiating(), &station);
        SessionPair {
            mode: mode.clone(),
            partner: SessionPartner::Host(host),
            ring: self.open_ring(mode, own),
            won,
            lost: (sent, received),
        }
    }

    /// The frames between which nothing chooses.
    fn open_ring(&self, mode: &Mode<'_>, own: Option<u32>) -> Option<(u32, u32)> {
        let (first, last) = (*self.ncp_frames.first()?, *self.ncp_frames.last()?);
        let fits = |bytes: u32| bytes <= first.saturating_sub(HEADERS);
        let follows = match mode.ru {
            Ru::Bytes(bytes) => mode.product == SessionProduct::NsDos && !fits(bytes),
            Ru::Frame => true,
            Ru::Open => false,
        };
        let counts = follows && first != last && own.is_none_or(|own| own > first);
        counts.then_some((first, last))
    }

    fn station_pair(&self, mode: &Mode<'a>, other: &Mode<'a>) -> SessionPair<'a> {
        let frame = lesser(self.frame(mode.product), self.frame(other.product));
        let (one, two) = (terms(mode, frame), terms(other, frame));
        let won = negotiate(&one, &two);
        let (received, sent) = negotiate(&two, &one);
        SessionPair {
            mode: mode.clone(),
            partner: SessionPartner::Station(other.clone()),
            ring: None,
            won,
            lost: (sent, received),
        }
    }

    /// The definitions that the host uses towards a station in a mode.
    fn host(&self, mode: &Mode<'a>) -> HostDefinitions<'a> {
        HostDefinitions {
            sessions: self.sessions_of(mode),
            appl: self.appl,
            entry: self.entries.get(&mode.name).cloned(),
            table_known: self.table_known,
        }
    }

    /// SESSIONS of the mode whose connection names the station; the first of
    /// the mode where no connection does.
    fn sessions_of(&self, mode: &Mode<'a>) -> Option<(&'a Document, &'a CsdDefinition)> {
        // Those without a mode name, and those of this one.
        let of_mode = |first: &HashMap<String, usize>| {
            let any = first.get(EVERY_MODE);
            let own = first.get(&mode.name);
            any.into_iter().chain(own).min().copied()
        };
        let named = self.partners.get(&*mode.document.name).and_then(of_mode);
        let (document, d, _) = self.sessions.get(named.or(of_mode(&self.first))?)?;
        Some((document, d))
    }
}

/// The key of SESSIONS without a mode name; no mode has it.
const EVERY_MODE: &str = "*";

/// The first SESSIONS of each mode, among all or those with some partners.
fn first_of_modes(
    sessions: &[(&Document, &CsdDefinition, String)],
    partners: Option<&HashSet<String>>,
) -> HashMap<String, usize> {
    let mut first = HashMap::new();
    for (i, (_, d, partner)) in sessions.iter().enumerate() {
        if partners.is_none_or(|lus| lus.contains(partner)) {
            let mode = d.get("MODENAME").map_or(EVERY_MODE, |(m, _)| m.trim());
            first.entry(mode.to_ascii_uppercase()).or_insert(i);
        }
    }
    first
}

/// Every SESSIONS definition with the partner that its connection names.
fn cics_sessions(documents: &DocumentSet) -> Vec<(&Document, &CsdDefinition, String)> {
    let connections: HashMap<String, &str> = documents
        .definitions("CONNECTION")
        .filter_map(|(_, c)| Some((c.name.to_ascii_uppercase(), c.get("NETNAME")?.0)))
        .collect();
    let partner = |d: &CsdDefinition| {
        let connection = d
            .get("CONNECTION")
            .map_or("", |(c, _)| c)
            .to_ascii_uppercase();
        let net = connections.get(&connection).copied();
        net.unwrap_or(&connection).trim().to_ascii_uppercase()
    };
    let all = documents.definitions("SESSIONS");
    let lu62 = all.filter(|(_, d)| !d.is("PROTOCOL", "LU61") && !d.is("PROTOCOL", "EXCI"));
    lu62.map(|(document, d)| (document, d, partner(d)))
        .collect()
}

/// A station's terms for a link with this frame size.
fn terms(mode: &Mode<'_>, frame: Option<u32>) -> SessionTerms {
    let one_frame = frame.map(|f| f.saturating_sub(HEADERS));
    let ru = match mode.ru {
        Ru::Bytes(bytes) if mode.product == SessionProduct::NsDos => lesser(Some(bytes), one_frame),
        Ru::Bytes(bytes) => Some(bytes),
        Ru::Frame => one_frame,
        Ru::Open => None,
    };
    let (send, receive) = windows(mode.product);
    SessionTerms {
        send_ru: ru,
        receive_ru: ru,
        send_window: mode.send_window.unwrap_or(send),
        receive_window: mode.receive_window.unwrap_or(receive),
        adaptive: mode.product.adaptive(),
    }
}

/// The default windows of a mode, sending and receiving: those of the product as
/// delivered, by the guide's figures 6, 9 and 10 and the defaults of CRTMODD. 0 if
/// a product has no send window: then the partner's window applies.
fn windows(product: SessionProduct) -> (u32, u32) {
    match product {
        SessionProduct::Cm2 => (0, 4),
        SessionProduct::NsDos => (0, 3),
        SessionProduct::SnaServices => (3, 3),
        SessionProduct::As400 => (7, 7),
    }
}
