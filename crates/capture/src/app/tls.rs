//! TLS without keys: record types, sizes, directions, hellos.
//!
//! The handshake lasts to the last handshake record before application data
//! (TLS 1.2), or to the client's first encrypted record (TLS 1.3, where that
//! is its Finished). After it the exchanges are turns of application data, or,
//! with a key log, what the opened records hold.
//! Reference: RFC 8446 sections 4.1, 5; RFC 5246 section 7.4.

use super::PacketStamp;
use super::feed::{FeedContext, ParseStep, ProtocolParser};
use super::tls_hello::{self, TlsHello};
use super::tls_inner::{InnerParser, PacketOffset};
use super::tls_keys::{ClientRandom, KeyLog};
use super::tls_open::RecordDecryptor;
use crate::{AppProtocol, Connection, ConnectionSide, TlsHandshake};

/// Both directions of a connection.
#[derive(Debug, Default)]
pub(super) struct TlsRecords {
    directions: [TlsDirection; 2],
    established: bool,
    /// The client sent application data after the handshake.
    request_sent: bool,
    offered_session: Vec<u8>,
    keys: KeyLog,
    /// The client random, by which key logs identify connections.
    client_random: Option<ClientRandom>,
    /// Keys that open the records, when the key log has them.
    opener: Option<Box<RecordDecryptor>>,
    inner: InnerParser,
}

#[derive(Debug, Default)]
struct TlsDirection {
    head: [u8; 5],
    have: usize,
    left: usize,
    /// Bytes of the whole record.
    size: usize,
    /// Body of the first handshake record, until its hello is whole.
    hello: Vec<u8>,
    greeted: bool,
    /// TLS 1.2: the following records are encrypted.
    changed: bool,
    /// The body of a sealed record, and which packets brought it.
    sealed: Vec<u8>,
    pieces: Vec<PacketOffset>,
    /// Some of the body is missing.
    torn: bool,
}

impl ProtocolParser for TlsRecords {
    fn step(&mut self, at: &mut FeedContext<'_>, bytes: &[u8]) -> ParseStep {
        let direction = &mut self.directions[at.side.index()];
        if direction.left > 0 {
            let used = direction.left.min(bytes.len());
            direction.left -= used;
            self.record(at, &bytes[..used], used as u64);
            return ParseStep::Used(used);
        }
        let take = (direction.head.len() - direction.have).min(bytes.len());
        direction.head[direction.have..][..take].copy_from_slice(&bytes[..take]);
        direction.have += take;
        if direction.have == direction.head.len() {
            let head = direction.head;
            if at.side == ConnectionSide::Client && !direction.greeted && is_old_hello(&head) {
                // It has no header of a record, only a length before itself.
                let size = u16::from_be_bytes([head[0] & 0x7f, head[1]]);
                direction.size = usize::from(size) + 2;
                direction.left = direction.size - head.len();
                direction.head[0] = HANDSHAKE;
                direction.greeted = true;
            } else if is_record(&head) {
                direction.size = u16::from_be_bytes([head[3], head[4]]) as usize;
                direction.left = direction.size;
            } else {
                return ParseStep::Leave(0);
            }
            direction.have = 0;
            self.begin_record(at.connection, at.side, at.stamp);
        }
        ParseStep::Used(take)
    }

    fn miss(&mut self, at: &mut FeedContext<'_>, missing: u64) -> bool {
        let direction = &mut self.directions[at.side.index()];
        let known = missing <= direction.left as u64;
        if known {
            direction.left -= missing as usize;
            self.record(at, &[], missing);
        }
        known
    }
}

impl TlsRecords {
    /// Nothing was said yet; records are opened with `keys` where they fit.
    pub(super) fn new(keys: &KeyLog) -> TlsRecords {
        TlsRecords {
            keys: keys.clone(),
            ..TlsRecords::default()
        }
    }

    /// Returns `true` if a response that has begun is whole at the connection's
    /// end.
    pub(super) fn ends_at_close(&self) -> bool {
        self.opener.is_none() || self.inner.ends_at_close()
    }

    /// Exchanges of the content are not turns of the records.
    pub(super) fn is_opened(&self) -> bool {
        self.opener.is_some()
    }

    /// A record's header is whole.
    fn begin_record(
        &mut self,
        connection: &mut Connection,
        side: ConnectionSide,
        stamp: PacketStamp,
    ) {
        let kind = self.directions[side.index()].head[0];
        if self.established {
            return;
        }
        match kind {
            HANDSHAKE | CHANGE_CIPHER => {
                let tls = connection.tls.get_or_insert_with(|| TlsHandshake {
                    start_ns: stamp.time_ns,
                    ..TlsHandshake::default()
                });
                tls.handshake_records += (kind == HANDSHAKE) as u32;
            }
            ALERT => {
                if let Some(tls) = &mut connection.tls {
                    tls.alerts += 1;
                }
            }
            _ => {
                // The first application data ends a handshake of TLS 1.2; a
                // capture that began after the handshake has none.
                let version = connection.tls.as_ref().map(|tls| tls.version);
                self.established = version != Some(TLS_1_3);
            }
        }
    }

    /// Handles bytes of a record's body: `count` of them, of which `bytes` are
    /// known.
    fn record(&mut self, at: &mut FeedContext<'_>, bytes: &[u8], mut count: u64) {
        let mut opens = self.opener.is_some() && self.is_sealed(at.side);
        if opens {
            self.gather(at, bytes, count);
            if self.opener.is_none() {
                // No key fits: the whole record is one of a closed connection.
                opens = false;
                count = self.directions[at.side.index()].size as u64;
            }
        }
        let FeedContext {
            connection,
            side,
            stamp,
            out,
            ..
        } = at;
        let (side, stamp) = (*side, *stamp);
        let direction = &mut self.directions[side.index()];
        let kind = direction.head[0];
        if direction.left == 0 && kind == CHANGE_CIPHER {
            direction.changed = true;
            let first = !self.directions[side.other().index()].changed;
            if let Some(tls) = &mut connection.tls {
                // Up to TLS 1.2 the server's is first only if a
                // session is resumed.
                let known = tls.version != 0 && tls.version < TLS_1_3;
                tls.resumed |= side == ConnectionSide::Server && first && known;
            }
        }
        let direction = &mut self.directions[side.index()];
        if self.established {
            if kind == APPLICATION && !opens {
                // TLS 1.3 sends tickets after the handshake without
                // a request.
                let farewell = connection
                    .tls
                    .as_ref()
                    .is_some_and(|t| t.version == TLS_1_3)
                    && direction.size == SEALED_ALERT_BYTES
                    && out.is_turn_over();
                if side == ConnectionSide::Client {
                    self.request_sent = true;
                }
                if self.request_sent && !farewell {
                    out.turn(side, count, stamp);
                }
            }
            return;
        }
        let Some(tls) = &mut connection.tls else {
            return;
        };
        if kind != ALERT {
            tls.end_ns = Some(stamp.time_ns);
        }
        if kind == HANDSHAKE && !direction.greeted {
            direction.hello.extend_from_slice(bytes);
            let whole = direction.left == 0 || direction.hello.len() > MAX_HELLO_BYTES;
            if whole {
                direction.greeted = true;
                let hello = std::mem::take(&mut direction.hello);
                self.greet(tls, side, &tls_hello::parse(&hello));
            }
        } else if kind == APPLICATION && side == ConnectionSide::Client && direction.left == 0 {
            self.established = true;
        }
    }

    /// Whether records of this side, including the current one, are encrypted.
    fn is_sealed(&self, side: ConnectionSide) -> bool {
        let direction = &self.directions[side.index()];
        let kind = direction.head[0];
        match &self.opener {
            Some(opener) if opener.is_tls_1_3() => kind == APPLICATION,
            _ => direction.changed && kind != CHANGE_CIPHER,
        }
    }

    /// Handles bytes of an encrypted record's body: `count` of them, of which
    /// `bytes` are known. A complete record is decrypted.
    fn gather(&mut self, at: &mut FeedContext<'_>, bytes: &[u8], count: u64) {
        let direction = &mut self.directions[at.side.index()];
        if bytes.len() as u64 == count {
            direction.pieces.push((direction.sealed.len(), at.stamp));
            direction.sealed.extend_from_slice(bytes);
        } else {
            direction.torn = true;
        }
        if direction.left > 0 {
            return;
        }
        let mut body = std::mem::take(&mut direction.sealed);
        let mut pieces = std::mem::take(&mut direction.pieces);
        if std::mem::take(&mut direction.torn) {
            self.miss_record(at)
        } else {
            self.open(at, &mut body, &pieces)
        }
        // Their memory serves the next record.
        body.clear();
        pieces.clear();
        let direction = &mut self.directions[at.side.index()];
        (direction.sealed, direction.pieces) = (body, pieces);
    }

    fn open(&mut self, at: &mut FeedContext<'_>, body: &mut Vec<u8>, pieces: &[PacketOffset]) {
        let side = at.side.index();
        let head = self.directions[side].head;
        let Some(opener) = &mut self.opener else {
            return;
        };
        match opener.open(side, &head, body) {
            Some(opened) => {
                if let Some(tls) = &mut at.connection.tls {
                    tls.opened = true;
                }
                if opened.kind == APPLICATION && !opened.content.is_empty() {
                    let from = opened.content.start;
                    self.inner.take(at, from, &body[opened.content], pieces);
                }
            }
            // A handshake whose secrets are not in the log.
            None if !self.established && !opener.has_opened(side) => {}
            None => {
                self.opener = None;
                at.out.close(false);
                at.connection.protocol = AppProtocol::Tls;
            }
        }
    }

    /// Handles an encrypted record with missing bytes.
    fn miss_record(&mut self, at: &mut FeedContext<'_>) {
        let side = at.side.index();
        let direction = &self.directions[side];
        let (kind, size) = (direction.head[0], direction.size);
        let Some(opener) = self.opener.as_mut().filter(|o| o.has_opened(side)) else {
            return;
        };
        opener.skip(side);
        let content = size.saturating_sub(opener.overhead(side));
        if kind == APPLICATION && content > 0 {
            self.inner.miss(at, content as u32);
        }
    }

    fn greet(&mut self, tls: &mut TlsHandshake, side: ConnectionSide, hello: &TlsHello) {
        match side {
            ConnectionSide::Client => {
                self.client_random = hello.random;
                tls.server_name = hello.server_name.clone();
                tls.resumption_offered = hello.pre_shared_key || hello.ticket;
                self.offered_session = hello.session.clone();
            }
            ConnectionSide::Server => {
                tls.version = hello.version;
                tls.resumed = match hello.version {
                    TLS_1_3 => hello.pre_shared_key,
                    _ => {
                        !hello.certificate_follows
                            && !hello.session.is_empty()
                            && hello.session == self.offered_session
                    }
                };
                tls.resumption_offered |= tls.resumed;
                self.offered_session = Vec::new();
                if let (Some(client), Some(server)) = (self.client_random, hello.random)
                    && !self.keys.is_empty()
                {
                    let randoms = (&client, &server);
                    self.opener =
                        RecordDecryptor::new(&self.keys, hello.version, hello.suite, randoms)
                            .map(Box::new);
                }
            }
        }
    }
}

/// Returns `true` if `bytes` begin with a record header.
pub(super) fn is_record(bytes: &[u8]) -> bool {
    let [kind @ 20..=23, 3, minor @ 0..=4, high, low, ..] = bytes else {
        return false;
    };
    let length = u16::from_be_bytes([*high, *low]);
    let _ = (kind, minor);
    (1..=MAX_RECORD_BYTES).contains(&length)
}

/// Returns `true` if `bytes` begin with a client's hello of TLS in the format of
/// SSL 2 (RFC 5246, appendix E.2).
pub(super) fn is_old_hello(bytes: &[u8]) -> bool {
    matches!(bytes, [high, low, 1, 3, 0..=3, ..] if high & 0x80 != 0 && (high & 0x7f, *low) >= (0, 9))
}

const CHANGE_CIPHER: u8 = 20;
const ALERT: u8 = 21;
const HANDSHAKE: u8 = 22;
const APPLICATION: u8 = 23;
const TLS_1_3: u16 = 0x0304;

/// 2^14 plus the allowance of TLS 1.2 for compression and encryption.
const MAX_RECORD_BYTES: u16 = 16_384 + 2_048;
/// An alert of TLS 1.3 looks like data of two bytes: content, type, tag. The one
/// that says goodbye comes when nothing is open, and is not a message.
const SEALED_ALERT_BYTES: usize = 19;

/// Of a longer hello only the beginning is read.
const MAX_HELLO_BYTES: usize = 16 * 1024;
