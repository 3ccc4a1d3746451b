//! The security exit: a program that may refuse or change a start.
//!
//! It is LINKed with this COMMAREA:
//!
//! ```text
//!    0          4             44            48     50            56
//!    +----------+-------------+-------------+------+-------------+--------+
//!    | transid  | client data | start type  | 0    | hhmmss      | family |
//!    | 4        | 40          | 4           | 2    | 6           | u16    |
//!    +----------+-------------+-------------+------+-------------+--------+
//!    58       60          64        65        66        70         72
//!    +--------+-----------+---------+---------+---------+----------+--------+
//!    | port   | address   | switch 1| switch 2| termid  | socket   | userid |
//!    | u16    | u32       |         |         | 4       | u16      | 8      |
//!    +--------+-----------+---------+---------+---------+----------+--------+
//!    80                   84             86
//!    +--------------------+--------------+
//!    | listener's address | and its port |
//!    | u32                | u16          |
//!    +--------------------+--------------+
//! ```
//!
//! Switch 1 is `1` to permit the start. Switch 2 is `1` to have the listener
//! tell the client of a refusal, anything else when the exit does that itself.
//! Transaction, data, start type, time and userid may be changed.
//!
//! Reference: IP CICS Sockets Guide, "Writing your own security or transaction
//! link modules for the listener".

use std::net::{IpAddr, SocketAddr};

use region::{Handle, Outcome, Port, ProgramName, StartCode, TaskRequest, TransId, UserId};

use super::refusal::Refused;
use crate::config::{StartType, delay_ms};

/// Bytes of the COMMAREA.
pub const BYTES: usize = 86;

/// What is about to be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// The transaction.
    pub transid: String,
    /// Client-in-data.
    pub data: Vec<u8>,
    /// How.
    pub start: StartType,
    /// When.
    pub delay_ms: u64,
    /// For whom.
    pub userid: UserId,
}

/// Who asks, and where.
#[derive(Debug, Clone, Copy)]
pub struct Ends {
    /// The client.
    pub client: SocketAddr,
    /// The listener.
    pub listener: SocketAddr,
    /// The socket's number.
    pub socket: i64,
}

impl Wanted {
    /// The COMMAREA.
    pub fn emit(&self, ends: &Ends) -> [u8; BYTES] {
        let mut out = [b' '; BYTES];
        let mut put = |at: usize, bytes: &[u8]| out[at..at + bytes.len()].copy_from_slice(bytes);
        put(
            0,
            self.transid
                .as_bytes()
                .get(..4)
                .unwrap_or(self.transid.as_bytes()),
        );
        put(4, &self.data[..self.data.len().min(40)]);
        put(44, start_name(self.start));
        put(48, &[0, 0]);
        let seconds = self.delay_ms / 1000;
        let time = format!(
            "{:02}{:02}{:02}",
            seconds / 3600 % 100,
            seconds / 60 % 60,
            seconds % 60
        );
        put(50, time.as_bytes());
        let family = if ends.client.is_ipv4() { 2u16 } else { 19 };
        put(56, &family.to_be_bytes());
        put(58, &ends.client.port().to_be_bytes());
        put(60, &v4(ends.client));
        put(70, &(ends.socket as u16).to_be_bytes());
        put(72, self.userid.as_bytes());
        put(80, &v4(ends.listener));
        put(84, &ends.listener.port().to_be_bytes());
        out
    }

    /// What the exit left in the COMMAREA.
    pub fn parse(bytes: &[u8]) -> Result<Wanted, Refused> {
        let bytes: &[u8; BYTES] = bytes.first_chunk().ok_or(Refused::ExitFailed)?;
        match (bytes[64], bytes[65]) {
            (b'1', _) => {}
            (_, b'1') => return Err(Refused::Exit),
            _ => return Err(Refused::ExitSilent),
        }
        let text = |from: usize, to: usize| String::from_utf8_lossy(&bytes[from..to]).into_owned();
        let start = match &bytes[44..46] {
            b"IC" => StartType::Ic,
            b"TD" => StartType::Td,
            _ => StartType::Kc,
        };
        let end = bytes[4..44]
            .iter()
            .rposition(|b| *b != b' ')
            .map_or(0, |n| n + 1);
        let mut userid = [b' '; 8];
        userid.copy_from_slice(&bytes[72..80]);
        Ok(Wanted {
            transid: text(0, 4).trim_end().to_owned(),
            data: bytes[4..4 + end].to_vec(),
            start,
            delay_ms: match start {
                StartType::Ic => delay_ms(&text(50, 56)).unwrap_or(0),
                _ => 0,
            },
            userid: UserId::from_bytes(userid),
        })
    }
}

/// Runs the exit under the listener's transaction.
pub async fn run(
    region: &Handle,
    port: &Port,
    (transid, program): (TransId, ProgramName),
    wanted: Wanted,
    ends: &Ends,
) -> Result<Wanted, Refused> {
    let request = TaskRequest {
        transid,
        program,
        userid: wanted.userid,
        start_code: StartCode::Start,
        ..TaskRequest::default()
    };
    let failed = |why: &dyn std::fmt::Display| {
        tracing::error!(listener = %transid, exit = %program, "the security exit: {why}");
        Refused::ExitFailed
    };
    let mut task = region.begin(port, request).await.map_err(|e| failed(&e))?;
    let area = wanted.emit(ends);
    let filled = task.set_commarea(BYTES, |into| {
        into.copy_from_slice(&area);
        Ok::<(), std::convert::Infallible>(())
    });
    filled.map_err(|e| failed(&e))?;
    let reply = task.run().await;
    match reply.outcome() {
        Outcome::Ok => Wanted::parse(reply.commarea()),
        Outcome::Abend(abend) => Err(failed(&abend.message)),
    }
}

fn start_name(start: StartType) -> &'static [u8; 4] {
    match start {
        StartType::Kc => b"KC  ",
        StartType::Ic => b"IC  ",
        StartType::Td => b"TD  ",
    }
}

fn v4(address: SocketAddr) -> [u8; 4] {
    match address.ip() {
        IpAddr::V4(v4) => v4.octets(),
        IpAddr::V6(_) => [0; 4],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_an_exit_permits_unchanged_is_what_was_wanted() {
        let wanted = Wanted {
            transid: "ECHO".into(),
            data: b"secret".to_vec(),
            start: StartType::Ic,
            delay_ms: 3000,
            userid: UserId::from_bytes(*b"CICSUSER"),
        };
        let ends = Ends {
            client: "127.0.0.1:4000".parse().unwrap(),
            listener: "127.0.0.1:3010".parse().unwrap(),
            socket: 7,
        };
        let mut area = wanted.emit(&ends);
        assert_eq!(Wanted::parse(&area), Err(Refused::ExitSilent));
        area[65] = b'1';
        assert_eq!(Wanted::parse(&area), Err(Refused::Exit));
        area[64] = b'1';
        assert_eq!(Wanted::parse(&area), Ok(wanted));
        assert_eq!(&area[58..64], [0x0F, 0xA0, 127, 0, 0, 1]);
        assert_eq!(&area[70..72], [0, 7]);
    }

    proptest! {
        #[test]
        fn no_area_makes_the_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..120)) {
            let _ = Wanted::parse(&bytes);
        }
    }
}
