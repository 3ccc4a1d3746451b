//! The two hellos of TLS, for version, cipher, name and resumption.
//!
//! Reference: RFC 8446 section 4.1; RFC 5077 for tickets; RFC 6066 for names.

use super::tls_keys::ClientRandom;

/// The fields of a hello.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct TlsHello {
    /// Version chosen (ServerHello) or 0.
    pub(super) version: u16,
    pub(super) random: Option<ClientRandom>,
    /// Cipher suite chosen (ServerHello) or 0.
    pub(super) suite: u16,
    pub(super) session: Vec<u8>,
    pub(super) server_name: Option<String>,
    pub(super) pre_shared_key: bool,
    /// A ticket that is not empty.
    pub(super) ticket: bool,
    /// The same record holds a Certificate.
    pub(super) certificate_follows: bool,
}

/// Parses the body of the first handshake record. Fields that cannot be parsed have
/// their default.
pub(super) fn parse(record: &[u8]) -> TlsHello {
    let mut hello = TlsHello::default();
    let mut cursor = Cursor(record);
    let _ = read(&mut cursor, &mut hello);
    hello
}

fn read(record: &mut Cursor<'_>, hello: &mut TlsHello) -> Option<()> {
    let kind = record.byte()?;
    let length = record.number(3)?;
    let body = record.take(length.min(record.0.len()))?;
    hello.certificate_follows = record.0.first() == Some(&CERTIFICATE);
    let mut body = Cursor(body);
    let version = body.number(2)? as u16;
    hello.random = body.take(32)?.try_into().ok();
    let session = body.number(1)?;
    hello.session = body.take(session)?.to_vec();
    match kind {
        CLIENT_HELLO => {
            let ciphers = body.number(2)?;
            body.take(ciphers)?;
            let compressions = body.number(1)?;
            body.take(compressions)?;
        }
        SERVER_HELLO => {
            hello.version = version;
            hello.suite = body.number(2)? as u16;
            body.take(1)?;
        }
        _ => return None,
    }
    let extensions = body.number(2)?;
    let mut extensions = Cursor(body.take(extensions.min(body.0.len()))?);
    loop {
        let kind_of = extensions.number(2)?;
        let length = extensions.number(2)?;
        let mut value = Cursor(extensions.take(length)?);
        match kind_of {
            0 if kind == CLIENT_HELLO => {
                value.take(3)?;
                let length = value.number(2)?;
                let name = String::from_utf8_lossy(value.take(length.min(256))?);
                hello.server_name = Some(name.into_owned());
            }
            35 => hello.ticket = length > 0,
            41 => hello.pre_shared_key = true,
            43 if kind == SERVER_HELLO => hello.version = value.number(2)? as u16,
            _ => {}
        }
    }
}

/// Bytes taken from the front.
struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|bytes| bytes[0])
    }

    /// A big-endian number of at most four bytes.
    fn number(&mut self, bytes: usize) -> Option<usize> {
        let taken = self.take(bytes)?;
        Some(taken.iter().fold(0, |sum, byte| sum << 8 | *byte as usize))
    }
}

const CLIENT_HELLO: u8 = 1;
const SERVER_HELLO: u8 = 2;
const CERTIFICATE: u8 = 11;
