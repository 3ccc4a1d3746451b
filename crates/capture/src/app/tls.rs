//! TLS by what is in clear: record types, sizes, directions, hellos.
//!
//! The handshake lasts to the last handshake record before application data
//! (TLS 1.2), or to the client's first encrypted record (TLS 1.3, where that
//! is its Finished). Behind it the exchanges are turns of application data.
//! Reference: RFC 8446 sections 4.1, 5; RFC 5246 section 7.4.

use super::Stamp;
use super::feed::{At, Parse, Step};
use super::tls_hello::{self, Hello};
use crate::{Connection, Side, Tls};

/// Both directions of a connection.
#[derive(Debug, Default)]
pub(super) struct TlsRecords {
    directions: [Direction; 2],
    established: bool,
    /// The client sent application data behind the handshake.
    asked: bool,
    offered_session: Vec<u8>,
}

#[derive(Debug, Default)]
struct Direction {
    head: [u8; 5],
    have: usize,
    left: usize,
    /// Bytes of the whole record.
    size: usize,
    /// Body of the first handshake record, until its hello is whole.
    hello: Vec<u8>,
    greeted: bool,
}

impl Parse for TlsRecords {
    fn step(&mut self, at: &mut At<'_>, bytes: &[u8]) -> Step {
        let direction = &mut self.directions[at.side.index()];
        if direction.left > 0 {
            let used = direction.left.min(bytes.len());
            direction.left -= used;
            self.record(at, &bytes[..used], used as u64);
            return Step::Used(used);
        }
        let take = (direction.head.len() - direction.have).min(bytes.len());
        direction.head[direction.have..][..take].copy_from_slice(&bytes[..take]);
        direction.have += take;
        if direction.have == direction.head.len() {
            if !is_record(&direction.head) {
                return Step::Leave(0);
            }
            direction.have = 0;
            direction.size = u16::from_be_bytes([direction.head[3], direction.head[4]]) as usize;
            direction.left = direction.size;
            self.begin_record(at.connection, at.side, at.stamp);
        }
        Step::Used(take)
    }

    fn miss(&mut self, at: &mut At<'_>, missing: u64) -> bool {
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
    /// A record's header is whole.
    fn begin_record(&mut self, connection: &mut Connection, side: Side, stamp: Stamp) {
        let kind = self.directions[side.index()].head[0];
        if self.established {
            return;
        }
        match kind {
            HANDSHAKE | CHANGE_CIPHER => {
                let tls = connection.tls.get_or_insert_with(|| Tls {
                    start_ns: stamp.time_ns,
                    ..Tls::default()
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
                // capture that began behind the handshake has none.
                let version = connection.tls.as_ref().map(|tls| tls.version);
                self.established = version != Some(TLS_1_3);
            }
        }
    }

    /// Bytes of a record's body: `count` of them, of which `bytes` are known.
    fn record(&mut self, at: &mut At<'_>, bytes: &[u8], count: u64) {
        let At {
            connection,
            side,
            stamp,
            out,
            ..
        } = at;
        let (side, stamp) = (*side, *stamp);
        let direction = &mut self.directions[side.index()];
        let kind = direction.head[0];
        if self.established {
            if kind == APPLICATION {
                // Tickets come unasked behind the handshake of TLS 1.3.
                let farewell = connection
                    .tls
                    .as_ref()
                    .is_some_and(|t| t.version == TLS_1_3)
                    && direction.size == SEALED_ALERT_BYTES
                    && out.is_turn_over();
                self.asked |= side == Side::Client;
                if self.asked && !farewell {
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
        } else if kind == APPLICATION && side == Side::Client && direction.left == 0 {
            self.established = true;
        }
    }

    fn greet(&mut self, tls: &mut Tls, side: Side, hello: &Hello) {
        match side {
            Side::Client => {
                tls.server_name = hello.server_name.clone();
                tls.resumption_offered = hello.pre_shared_key || hello.ticket;
                self.offered_session = hello.session.clone();
            }
            Side::Server => {
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
            }
        }
    }
}

/// True when `bytes` begin with a record header.
pub(super) fn is_record(bytes: &[u8]) -> bool {
    let [kind @ 20..=23, 3, minor @ 0..=4, high, low, ..] = bytes else {
        return false;
    };
    let length = u16::from_be_bytes([*high, *low]);
    let _ = (kind, minor);
    (1..=MAX_RECORD_BYTES).contains(&length)
}

const CHANGE_CIPHER: u8 = 20;
const ALERT: u8 = 21;
const HANDSHAKE: u8 = 22;
const APPLICATION: u8 = 23;
const TLS_1_3: u16 = 0x0304;

/// 2^14 plus what TLS 1.2 allows for compression and encryption.
const MAX_RECORD_BYTES: u16 = 16_384 + 2_048;

/// An alert of TLS 1.3 looks like data of two bytes: content, type, tag. The
/// one that says goodbye comes when nothing is open, and is no message.
const SEALED_ALERT_BYTES: usize = 19;

/// A hello longer than this is read as far as it goes.
const MAX_HELLO_BYTES: usize = 16 * 1024;
