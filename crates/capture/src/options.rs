//! Options of the analysis: filter, limits, threads.

pub use crate::app::{KeyLog, KeyLogError};
use serde::Serialize;
use std::net::IpAddr;

/// Options of an analysis; the defaults suit a capture of any size.
#[derive(Clone, Debug)]
pub struct AnalysisOptions {
    /// Threads that analyse. With more than one, another one reads.
    pub threads: usize,
    /// Only connections that match.
    pub filter: ConnectionFilter,
    /// Only connections that this address opened.
    pub client: Option<IpAddr>,
    /// Only connections to this address.
    pub server: Option<IpAddr>,
    /// Only the connection that begins with this packet.
    pub connection: Option<u64>,
    /// Only packets from this time on.
    pub from_ns: Option<i64>,
    /// Only packets up to this time.
    pub to_ns: Option<i64>,
    /// Protocols given by server port; they override recognition.
    pub protocols: Vec<(u16, AppProtocol)>,
    /// Secrets to decrypt TLS; those in a pcapng file are added.
    pub key_log: KeyLog,
    /// Shorter waits are summed and not listed.
    pub gap_ns: i64,
    /// Worst exchanges kept with their segments.
    pub keep_exchanges: usize,
    /// Worst connections kept.
    pub keep_connections: usize,
    /// Longest waits kept.
    pub keep_waits: usize,
    /// Segments kept of one exchange.
    pub keep_segments: usize,
    /// The maximum number of live connections. Beyond it the connection with
    /// the longest idle time is closed early, which is a finding.
    pub max_connections: usize,
    /// The maximum number of bytes held for out-of-order segments, per
    /// direction.
    pub max_held_bytes: usize,
    /// Systems that advice is for; those that were seen where it is empty.
    pub advice: Vec<crate::AdvicePlatform>,
    /// The capture or its records are from z/OS: give advice for it, whatever
    /// the packets look like.
    pub from_zos: bool,
}

impl AnalysisOptions {
    /// Whether a connection between these ends, beginning with packet `id`, is
    /// to be analysed.
    pub(crate) fn wants(&self, id: u64, client: IpAddr, server: IpAddr) -> bool {
        self.client.is_none_or(|wanted| wanted == client)
            && self.server.is_none_or(|wanted| wanted == server)
            && self.connection.is_none_or(|wanted| wanted == id)
    }
}

impl Default for AnalysisOptions {
    fn default() -> AnalysisOptions {
        AnalysisOptions {
            threads: 1,
            filter: ConnectionFilter::default(),
            client: None,
            server: None,
            connection: None,
            from_ns: None,
            to_ns: None,
            protocols: Vec::new(),
            key_log: KeyLog::default(),
            gap_ns: 1_000_000,
            keep_exchanges: 50,
            keep_connections: 200,
            keep_waits: 200,
            keep_segments: 400,
            max_connections: 131_072,
            max_held_bytes: 256 * 1024,
            advice: Vec::new(),
            from_zos: false,
        }
    }
}

/// The protocol of a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AppProtocol {
    /// Not recognised: a request is everything that the client sends until the
    /// server answers.
    #[default]
    Turns,
    /// HTTP/1.0 and 1.1.
    Http1,
    /// HTTP/2, in clear or opened: a stream is an exchange.
    Http2,
    /// TLS whose records are closed. One that is opened has its content's protocol.
    Tls,
    /// Messages with a two-byte length in front (big-endian, with or without itself).
    Framed2,
    /// Messages with a four-byte length in front.
    Framed4,
    /// Data-link switching: SNA sessions in SSP messages (RFC 1795, port 2065).
    Dlsw,
    /// SNA sessions on an 802.2 link (LLC2), without TCP.
    Sna,
}

impl AppProtocol {
    /// Every protocol.
    pub const ALL: [AppProtocol; 8] = [
        AppProtocol::Turns,
        AppProtocol::Http1,
        AppProtocol::Http2,
        AppProtocol::Tls,
        AppProtocol::Framed2,
        AppProtocol::Framed4,
        AppProtocol::Dlsw,
        AppProtocol::Sna,
    ];

    /// Its name on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            AppProtocol::Turns => "turns",
            AppProtocol::Http1 => "http",
            AppProtocol::Http2 => "http2",
            AppProtocol::Tls => "tls",
            AppProtocol::Framed2 => "framed2",
            AppProtocol::Framed4 => "framed4",
            AppProtocol::Dlsw => "dlsw",
            AppProtocol::Sna => "sna",
        }
    }

    /// The protocol of this name, if it is a protocol over TCP.
    pub fn named(name: &str) -> Option<AppProtocol> {
        let named = |p: &AppProtocol| !matches!(p, AppProtocol::Sna | AppProtocol::Http2);
        (AppProtocol::ALL.into_iter()).find(|p| p.name() == name && named(p))
    }
}

/// Which connections to analyse: all terms must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConnectionFilter {
    terms: Vec<FilterTerm>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum FilterTerm {
    Host(IpAddr),
    Port(u16),
    Not(Box<FilterTerm>),
}

impl ConnectionFilter {
    /// Parses `host ADDRESS`, `port NUMBER` and `not` before either, joined
    /// by `and`. The error says what was not understood.
    pub fn parse(text: &str) -> Result<ConnectionFilter, String> {
        let mut terms = Vec::new();
        let mut words = text.split_whitespace().peekable();
        while words.peek().is_some() {
            terms.push(FilterTerm::parse(&mut words)?);
            match words.next() {
                None => break,
                Some("and") if words.peek().is_some() => {}
                Some(other) => return Err(format!("expected `and TERM`, found `{other}`")),
            }
        }
        Ok(ConnectionFilter { terms })
    }

    /// Returns `true` if nothing is filtered.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Returns `true` if a connection between these ends is wanted.
    pub fn matches(&self, one: (IpAddr, u16), other: (IpAddr, u16)) -> bool {
        self.terms.iter().all(|term| term.matches(one, other))
    }
}

impl FilterTerm {
    fn parse<'a>(words: &mut impl Iterator<Item = &'a str>) -> Result<FilterTerm, String> {
        let word = words.next().unwrap_or_default();
        if word == "not" {
            return Ok(FilterTerm::Not(Box::new(FilterTerm::parse(words)?)));
        }
        let value = words.next().unwrap_or_default();
        match word {
            "host" => value
                .parse()
                .map(FilterTerm::Host)
                .map_err(|_| format!("`{value}` is not an IP address")),
            "port" => value
                .parse()
                .map(FilterTerm::Port)
                .map_err(|_| format!("`{value}` is not a port")),
            _ => Err(format!("expected `host` or `port`, found `{word}`")),
        }
    }

    fn matches(&self, one: (IpAddr, u16), other: (IpAddr, u16)) -> bool {
        match self {
            FilterTerm::Host(address) => one.0 == *address || other.0 == *address,
            FilterTerm::Port(port) => one.1 == *port || other.1 == *port,
            FilterTerm::Not(term) => !term.matches(one, other),
        }
    }
}

/// Segments of one connection held while its exchange lasts; a longer
/// exchange is judged in pieces of this size.
pub(crate) const TIMELINE: usize = 1024;
