//! The greeting of a connection: versions, names, and limits of each end.
//!
//! ```text
//! 0       4        6         8          10      12          16        20
//! +-------+--------+---------+----------+-------+-----------+---------+------
//! | TXIP  | lowest | highest | sessions | lanes | keepalive | unasked | ...
//! | 4     | u16    | u16     | u16      | u16   | u32 ms    | u32     |
//! +-------+--------+---------+----------+-------+-----------+---------+------
//!      20            24         32       40      44
//!   ---+-------------+----------+--------+-------+
//!      | max message | instance | applid | sysid |
//!      | u32         | u64      | 8      | 4     |
//!   ---+-------------+----------+--------+-------+
//! ```

use std::hash::{BuildHasher, RandomState};

use super::WireName;
use super::reader::{MalformedBytes, Reader};

/// The version of the format that this side uses.
pub const VERSION: u16 = 3;
/// Most sessions of a connection.
pub const MAX_SESSIONS: u16 = 999;
const MAGIC: &[u8; 4] = b"TXIP";

/// The greeting of one end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HelloMessage {
    /// The lowest and highest supported version; in a welcome both are the
    /// selected one.
    pub versions: (u16, u16),
    /// Requests that it wants, or takes, at once; 1 to 999.
    pub sessions: u16,
    /// Connections of its process to this peer. They share the peer's limit for
    /// one partner.
    pub lanes: u16,
    /// Milliseconds of silence after which it sends a ping.
    pub keepalive_ms: u32,
    /// Bytes of a message that it takes before it has granted the rest.
    pub unasked_bytes: u32,
    /// Longest message that it takes, in bytes.
    pub max_message_bytes: u32,
    /// A number that no other process has.
    pub instance: u64,
    /// Its name.
    pub applid: WireName,
    /// Its short name, blank for none.
    pub sysid: region::Name<4>,
}

impl HelloMessage {
    /// A greeting with this name and default limits. Returns `None` if the name
    /// is invalid.
    pub fn named(applid: &str) -> Option<HelloMessage> {
        Some(HelloMessage {
            versions: (VERSION, VERSION),
            sessions: 100,
            lanes: 1,
            keepalive_ms: 5000,
            unasked_bytes: 256 << 10,
            max_message_bytes: 64 << 20,
            instance: RandomState::new().hash_one(applid),
            applid: WireName::new(applid).ok()?,
            sysid: region::Name::BLANK,
        })
    }

    /// The meaning of a payload.
    pub fn parse(bytes: &[u8]) -> Result<HelloMessage, MalformedBytes> {
        let mut r = Reader::new(bytes);
        if r.array::<4>("not a greeting of this protocol")? != *MAGIC {
            return Err(MalformedBytes {
                what: "not a greeting of this protocol",
                at: 0,
            });
        }
        let versions = (
            r.u16("the version is missing")?,
            r.u16("the version is missing")?,
        );
        let sessions = r.u16("the number of sessions is missing")?;
        let lanes = r.u16("the number of lanes is missing")?;
        if !(1..=MAX_SESSIONS).contains(&sessions) || lanes == 0 {
            return Err(MalformedBytes {
                what: "invalid number of sessions or lanes",
                at: 8,
            });
        }
        let hello = HelloMessage {
            versions,
            sessions,
            lanes,
            keepalive_ms: r.u32("the keepalive is missing")?,
            unasked_bytes: r.u32("the window is missing")?,
            max_message_bytes: r.u32("the length of the longest message is missing")?,
            instance: r.u64("the instance is missing")?,
            applid: r.name("invalid name")?,
            sysid: r.name("invalid short name")?,
        };
        if hello.applid.is_blank() {
            return Err(MalformedBytes {
                what: "a blank name",
                at: 32,
            });
        }
        // Fields of later versions follow.
        Ok(hello)
    }

    /// The payload.
    pub fn emit(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(44);
        out.extend_from_slice(MAGIC);
        for number in [self.versions.0, self.versions.1, self.sessions, self.lanes] {
            out.extend_from_slice(&number.to_be_bytes());
        }
        for number in [
            self.keepalive_ms,
            self.unasked_bytes,
            self.max_message_bytes,
        ] {
            out.extend_from_slice(&number.to_be_bytes());
        }
        out.extend_from_slice(&self.instance.to_be_bytes());
        out.extend_from_slice(self.applid.as_bytes());
        out.extend_from_slice(self.sysid.as_bytes());
        out
    }
}

/// The reason of a connection's end as it is sent: a code and a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EndNotice {
    /// The peer violated the format.
    Violation(String),
    /// The two ends have no version in common.
    Version(String),
    /// The peer is not accepted.
    Refused(String),
    /// The peer was silent, or did not read, for too long.
    Silent(String),
}

impl EndNotice {
    /// The words.
    pub fn text(&self) -> &str {
        match self {
            EndNotice::Violation(text)
            | EndNotice::Version(text)
            | EndNotice::Refused(text)
            | EndNotice::Silent(text) => text,
        }
    }

    /// The meaning of a payload. Characters that cannot be shown are replaced.
    pub fn parse(bytes: &[u8]) -> Result<EndNotice, MalformedBytes> {
        let mut r = Reader::new(bytes);
        let code = r.u16("the code is missing")?;
        let text = String::from_utf8_lossy(r.take(r.remaining(), "the message text is missing")?);
        let text: String = text
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect();
        Ok(match code {
            2 => EndNotice::Version(text),
            3 => EndNotice::Refused(text),
            4 => EndNotice::Silent(text),
            _ => EndNotice::Violation(text),
        })
    }

    /// The payload; long words are cut.
    pub fn emit(&self) -> Vec<u8> {
        let code: u16 = match self {
            EndNotice::Violation(_) => 1,
            EndNotice::Version(_) => 2,
            EndNotice::Refused(_) => 3,
            EndNotice::Silent(_) => 4,
        };
        let mut out = code.to_be_bytes().to_vec();
        let text = self.text().as_bytes();
        out.extend_from_slice(&text[..text.len().min(super::MAX_CONTROL - 2)]);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_greeting_means_what_was_emitted() {
        let hello = HelloMessage::named("GATE1").unwrap();
        assert_eq!(HelloMessage::parse(&hello.emit()), Ok(hello.clone()));
        let longer = [hello.emit(), vec![1, 2, 3]].concat();
        assert_eq!(HelloMessage::parse(&longer), Ok(hello));
        let notice = EndNotice::Refused("GATE1 is there already".into());
        assert_eq!(EndNotice::parse(&notice.emit()), Ok(notice));
    }

    #[test]
    fn no_session_or_more_than_there_can_be_is_refused() {
        for sessions in [0, 1000] {
            let hello = HelloMessage {
                sessions,
                ..HelloMessage::named("GATE1").unwrap()
            };
            assert_eq!(HelloMessage::parse(&hello.emit()).unwrap_err().at, 8);
        }
    }

    proptest! {
        #[test]
        fn any_greeting_and_notice_is_parsed_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
            let _ = EndNotice::parse(&bytes);
            if let Ok(hello) = HelloMessage::parse(&[&MAGIC[..], &bytes].concat()) {
                prop_assert_eq!(HelloMessage::parse(&hello.emit()), Ok(hello));
            }
        }
    }
}
