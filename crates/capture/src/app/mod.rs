//! The protocol of a connection, and the start and end of each exchange.
//!
//! [`ConnectionApp`] gets the bytes of both directions in order, recognises the
//! protocol by its first bytes (or from the options), and lets that protocol's parser
//! report requests and responses. A protocol that is
//! not recognised, or that stops making sense, is read as turns: a request is
//! what the client writes until the server answers.
//! Invariant: a parser holds at most one message head or one length field.

mod assembler;
mod circuits;
mod dlsw;
mod feed;
mod framed;
mod grpc;
mod hpack;
mod http;
mod http2;
mod http2_heads;
mod llc;
mod sessions;
mod tls;
mod tls_hello;
mod tls_inner;
mod tls_keys;
mod tls_open;
mod unlinked;

use crate::stream::StreamChunk;
use crate::{AnalysisOptions, AppProtocol, Connection, ConnectionSide, Exchange};
pub(crate) use assembler::{ExchangeAssembler, PacketStamp};
pub(crate) use dlsw::{WholeMessage, is_capabilities};
use feed::{FeedContext, feed};
pub(crate) use llc::Frame as LlcFrame;
pub(crate) use sessions::UnitNote;
pub use tls_keys::{KeyLog, KeyLogError};
pub(crate) use unlinked::UnlinkedMessages;

/// The protocol of one connection and its open exchanges.
#[derive(Debug)]
pub(crate) struct ConnectionApp {
    parser: Parser,
    /// The options give the protocol: no other is tried.
    given: bool,
    /// The client's first turn, until it shows a length in front.
    sniff: Option<framed::PrefixProbe>,
    pub(crate) assembler: ExchangeAssembler,
}

/// State of the protocol's parser.
#[derive(Debug)]
enum Parser {
    /// Nothing was said yet.
    Silent,
    Turns,
    Http(Box<http::HttpParser>),
    Http2(Box<http2::Http2Parser>),
    Tls(Box<tls::TlsRecords>),
    Framed(Box<framed::FramedParser>),
    Dlsw(Box<dlsw::DlswParser>),
    Sna(Box<llc::Link>),
}

impl ConnectionApp {
    /// A connection on which nothing was said; `spare` is memory for its
    /// first exchange.
    pub(crate) fn new(connection: u64, spare: Option<Box<Exchange>>) -> ConnectionApp {
        ConnectionApp {
            parser: Parser::Silent,
            given: false,
            sniff: None,
            assembler: ExchangeAssembler::new(connection, spare),
        }
    }

    /// Takes bytes that are in order.
    pub(crate) fn handle_chunk(
        &mut self,
        connection: &mut Connection,
        side: ConnectionSide,
        chunk: StreamChunk<'_>,
        stamp: PacketStamp,
        options: &AnalysisOptions,
    ) {
        if matches!(self.parser, Parser::Silent) {
            self.recognise(connection, side, chunk.bytes, options);
        }
        if matches!(self.parser, Parser::Turns) {
            self.detect_protocol(connection, side, chunk, options);
        }
        let mut at = FeedContext {
            connection,
            side,
            via: 0,
            stamp,
            out: &mut self.assembler,
        };
        let left = match &mut self.parser {
            Parser::Silent | Parser::Turns => {
                let bytes = chunk.bytes.len() as u64 + u64::from(chunk.missing);
                self.assembler.turn(side, bytes, stamp);
                return;
            }
            Parser::Http(http) => feed(&mut **http, &mut at, chunk),
            Parser::Http2(http2) => feed(&mut **http2, &mut at, chunk),
            Parser::Tls(tls) => feed(&mut **tls, &mut at, chunk),
            Parser::Framed(framed) => feed(&mut **framed, &mut at, chunk),
            Parser::Dlsw(dlsw) => feed(&mut **dlsw, &mut at, chunk),
            Parser::Sna(_) => None,
        };
        if let Some(bytes) = left {
            self.leave(connection);
            if bytes > 0 {
                self.assembler.turn(side, bytes, stamp);
            }
        }
    }

    /// Leaves the protocol: the following bytes are read as turns.
    fn leave(&mut self, connection: &mut Connection) {
        if let Parser::Dlsw(dlsw) = &mut self.parser {
            dlsw.settle(&mut self.assembler);
            // Sessions end here: turns have only the two ends.
            self.assembler.close(false);
        } else if matches!(self.parser, Parser::Http2(_))
            || matches!(&self.parser, Parser::Tls(tls) if tls.is_opened())
        {
            self.assembler.close(false);
        }
        self.parser = Parser::Turns;
        connection.protocol = AppProtocol::Turns;
    }

    /// Takes bytes in order of the second TCP connection of a DLSw link; `side`
    /// is the end of the link that sent them.
    pub(crate) fn handle_second(
        &mut self,
        connection: &mut Connection,
        side: ConnectionSide,
        chunk: StreamChunk<'_>,
        stamp: PacketStamp,
    ) {
        let Parser::Dlsw(dlsw) = &mut self.parser else {
            return;
        };
        let mut at = FeedContext {
            connection,
            side,
            via: 1,
            stamp,
            out: &mut self.assembler,
        };
        if feed(&mut **dlsw, &mut at, chunk).is_some() {
            self.leave(connection);
        }
    }

    /// Messages of a DLSw connection before its link is known. Returns `None`
    /// for other connections.
    #[inline]
    pub(crate) fn unlinked_messages(&self) -> Option<&UnlinkedMessages> {
        match &self.parser {
            Parser::Dlsw(dlsw) => dlsw.unlinked_messages(),
            _ => None,
        }
    }

    /// The messages that waited. The link is known from now on.
    pub(crate) fn take_waiting(&mut self) -> Vec<WholeMessage> {
        match &mut self.parser {
            Parser::Dlsw(dlsw) => dlsw.take_waiting(),
            _ => Vec::new(),
        }
    }

    /// Takes a message that waited.
    pub(crate) fn replay(&mut self, whole: &WholeMessage) {
        if let Parser::Dlsw(dlsw) = &mut self.parser {
            dlsw.handle_whole(whole, &mut self.assembler);
        }
    }

    /// Takes over the incomplete messages of `second`, which carries the link's
    /// other direction. With `turned` its ends are exchanged.
    pub(crate) fn join(&mut self, second: &mut ConnectionApp, turned: bool) {
        if let (Parser::Dlsw(own), Parser::Dlsw(other)) = (&mut self.parser, &mut second.parser) {
            own.join(other, turned);
        }
    }

    /// Takes a frame of an 802.2 link.
    pub(crate) fn handle_llc(
        &mut self,
        side: ConnectionSide,
        frame: llc::Frame<'_>,
        stamp: PacketStamp,
    ) {
        if matches!(self.parser, Parser::Silent) {
            self.parser = Parser::Sna(Box::default());
        }
        if let Parser::Sna(link) = &mut self.parser {
            link.handle_frame(side, frame, stamp, &mut self.assembler);
        }
    }

    /// The notes of the SNA units since the last call, for their packet.
    #[inline]
    pub(crate) fn take_note(&mut self) -> Option<UnitNote> {
        match &mut self.parser {
            Parser::Dlsw(dlsw) => Some(dlsw.sessions.take_note()),
            Parser::Sna(link) => Some(link.sessions.take_note()),
            _ => None,
        }
    }

    /// The connection has ended, or is given up.
    pub(crate) fn close(&mut self, unfinished: bool) {
        if let Parser::Dlsw(dlsw) = &mut self.parser {
            dlsw.settle(&mut self.assembler);
        }
        let whole = match &self.parser {
            Parser::Http(http) => http.ends_at_close(),
            Parser::Tls(tls) => tls.ends_at_close(),
            _ => true,
        };
        self.assembler.close(whole && !unfinished);
    }

    fn recognise(
        &mut self,
        connection: &mut Connection,
        side: ConnectionSide,
        bytes: &[u8],
        options: &AnalysisOptions,
    ) {
        let port = connection.server.port;
        let given = (options.protocols.iter())
            .find(|(of, _)| *of == port)
            .map(|(_, protocol)| *protocol);
        let protocol = given.unwrap_or_else(|| by_bytes(side, port, bytes));
        self.parser = parser(protocol, options);
        connection.protocol = protocol;
        self.given = given.is_some();
        let guessed = !self.given && !is_dlsw_port(port);
        if protocol == AppProtocol::Turns && guessed && side == ConnectionSide::Client {
            self.sniff = Some(framed::PrefixProbe::default());
        }
    }

    /// A turn may begin with a protocol that is known, or show that its
    /// messages have lengths in front.
    fn detect_protocol(
        &mut self,
        connection: &mut Connection,
        side: ConnectionSide,
        chunk: StreamChunk<'_>,
        options: &AnalysisOptions,
    ) {
        let port = connection.server.port;
        if !self.given && is_dlsw_port(port) && dlsw::begins_message(chunk.bytes) {
            // A capture that began inside a message.
            self.assembler.close(false);
            self.parser = parser(AppProtocol::Dlsw, options);
            connection.protocol = AppProtocol::Dlsw;
            return;
        }
        let open = side == ConnectionSide::Client && self.assembler.is_turn_over();
        if open && !self.given && self.sniff.is_none() {
            // A capture that began inside a message, or a change of protocol:
            // each turn may begin with something known.
            let protocol = by_bytes(side, 0, chunk.bytes);
            if protocol != AppProtocol::Turns {
                self.assembler.close(true);
                self.parser = parser(protocol, options);
                connection.protocol = protocol;
            }
        }
        match (side, &mut self.sniff) {
            (ConnectionSide::Client, Some(sniff)) => sniff.feed(chunk),
            (ConnectionSide::Server, Some(sniff)) => {
                let framed = sniff.framing();
                self.sniff = None;
                if let Some(framed) = framed {
                    connection.protocol = framed.protocol();
                    self.assembler.count_message(ConnectionSide::Client);
                    self.parser = Parser::Framed(Box::new(framed));
                }
            }
            _ => {}
        }
    }
}

fn parser(protocol: AppProtocol, options: &AnalysisOptions) -> Parser {
    match protocol {
        AppProtocol::Turns => Parser::Turns,
        AppProtocol::Http2 => Parser::Http2(Box::default()),
        AppProtocol::Http1 => Parser::Http(Box::default()),
        AppProtocol::Tls => Parser::Tls(Box::new(tls::TlsRecords::new(&options.key_log))),
        AppProtocol::Framed2 => Parser::Framed(Box::new(framed::FramedParser::new(
            framed::LengthPrefix::Two,
        ))),
        AppProtocol::Framed4 => Parser::Framed(Box::new(framed::FramedParser::new(
            framed::LengthPrefix::Four,
        ))),
        AppProtocol::Dlsw => Parser::Dlsw(Box::default()),
        AppProtocol::Sna => Parser::Sna(Box::default()),
    }
}

/// The ports that RFC 1795 gives to data-link switching.
fn is_dlsw_port(port: u16) -> bool {
    matches!(port, 2065 | 2067)
}

/// The protocol that begins with these bytes.
fn by_bytes(side: ConnectionSide, port: u16, bytes: &[u8]) -> AppProtocol {
    let http = match side {
        ConnectionSide::Client => http::is_request(bytes),
        ConnectionSide::Server => http::is_response(bytes),
    };
    if http {
        AppProtocol::Http1
    } else if http::is_http2(bytes) {
        AppProtocol::Http2
    } else if tls::is_record(bytes) || (side == ConnectionSide::Client && tls::is_old_hello(bytes))
    {
        AppProtocol::Tls
    } else if dlsw::is_capabilities(bytes) || (is_dlsw_port(port) && dlsw::is_dlsw(bytes)) {
        AppProtocol::Dlsw
    } else {
        AppProtocol::Turns
    }
}
