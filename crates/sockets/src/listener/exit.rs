//! The security exit: a program that may refuse or change a start.
//!
//! The program is LINKed with this COMMAREA:
//!
//! ```text
//!    0          4             44       46            52       54
//!    +----------+-------------+--------+-------------+--------+--------+
//!    | transid  | client data | action | hhmmss      | family | port   |
//!    | 4        | 40          | 2      | 6           | u16    | u16    |
//!    +----------+-------------+--------+-------------+--------+--------+
//!    56         60         61         62        66        68
//!    +----------+----------+----------+---------+---------+----------+
//!    | client's | switch 1 | switch 2 | termid  | socket  | userid   |
//!    | u32      |          |          | 4       | u16     | 8        |
//!    +----------+----------+----------+---------+---------+----------+
//!    76           80        82           98      102         118     122
//!    +------------+---------+------------+-------+-----------+-------+
//!    | listener's | port    | listener's | scope | client's  | scope |
//!    | u32        | u16     | IPv6, 16   | u32   | IPv6, 16  | u32   |
//!    +------------+---------+------------+-------+-----------+-------+
//!    122        162      164
//!    +----------+--------+----------------------------------+
//!    | reserved | length | what an enhanced listener read   |
//!    | 40       | u16    |                                  |
//!    +----------+--------+----------------------------------+
//! ```
//!
//! Action is `KC`, `IC` or `TD`. An address of the other family is zeros.
//! Switch 1 is `1` to permit the start. Switch 2 is `1` if the listener is to
//! send the client the refusal, any other value if the exit does that itself.
//! Transaction, data, action, time and userid may be changed.
//!
//! Reference: IP CICS Sockets Guide, "Writing your own security or transaction
//! link modules for the listener".

use std::net::{IpAddr, SocketAddr};

use region::{Handle, Port, ProgramName, StartCode, TaskOutcome, TaskRequest, TransId, UserId};

use super::refusal::ClientRefusal;
use crate::config::{StartType, delay_ms};

/// Bytes of the COMMAREA before what an enhanced listener read.
pub const BYTES: usize = 164;

/// The start that the exit may change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerTaskStart {
    /// The transaction.
    pub transid: String,
    /// Client-in-data.
    pub data: Vec<u8>,
    /// How.
    pub start: StartType,
    /// When.
    pub delay_ms: u64,
    /// The user.
    pub userid: UserId,
}

/// The client's and the listener's address.
#[derive(Debug, Clone, Copy)]
pub struct ConnectionAddresses {
    /// The client.
    pub client: SocketAddr,
    /// The listener.
    pub listener: SocketAddr,
    /// The socket's number.
    pub socket: i64,
}

impl ServerTaskStart {
    /// The COMMAREA; `message` is what an enhanced listener read.
    pub fn emit(&self, ends: &ConnectionAddresses, message: &[u8]) -> Vec<u8> {
        let mut out = vec![0; BYTES];
        let mut put = |at: usize, bytes: &[u8]| out[at..at + bytes.len()].copy_from_slice(bytes);
        put(0, &[b' '; 44]);
        let transid = self.transid.as_bytes();
        put(0, &transid[..transid.len().min(4)]);
        put(4, &self.data[..self.data.len().min(40)]);
        put(44, action(self.start));
        let seconds = self.delay_ms / 1000;
        let time = format!(
            "{:02}{:02}{:02}",
            seconds / 3600 % 100,
            seconds / 60 % 60,
            seconds % 60
        );
        put(46, time.as_bytes());
        let family = if ends.client.is_ipv4() { 2u16 } else { 19 };
        put(52, &family.to_be_bytes());
        put(54, &ends.client.port().to_be_bytes());
        put(56, &v4(ends.client));
        put(60, b"      ");
        put(66, &(ends.socket as u16).to_be_bytes());
        put(68, self.userid.as_bytes());
        put(76, &v4(ends.listener));
        put(80, &ends.listener.port().to_be_bytes());
        put(82, &v6(ends.listener));
        put(102, &v6(ends.client));
        let length = u16::try_from(message.len()).unwrap_or(u16::MAX);
        put(162, &length.to_be_bytes());
        out.extend_from_slice(&message[..usize::from(length)]);
        out
    }

    /// Reads the COMMAREA after the exit.
    pub fn parse(bytes: &[u8]) -> Result<ServerTaskStart, ClientRefusal> {
        let bytes: &[u8; BYTES] = bytes.first_chunk().ok_or(ClientRefusal::ExitFailed)?;
        match (bytes[60], bytes[61]) {
            (b'1', _) => {}
            (_, b'1') => return Err(ClientRefusal::Exit),
            _ => return Err(ClientRefusal::ExitSilent),
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
        userid.copy_from_slice(&bytes[68..76]);
        Ok(ServerTaskStart {
            transid: text(0, 4).trim_end().to_owned(),
            data: bytes[4..4 + end].to_vec(),
            start,
            delay_ms: match start {
                StartType::Ic => delay_ms(&text(46, 52)).unwrap_or(0),
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
    (wanted, message): (ServerTaskStart, &[u8]),
    ends: &ConnectionAddresses,
) -> Result<ServerTaskStart, ClientRefusal> {
    let request = TaskRequest {
        transid,
        program,
        userid: wanted.userid,
        start_code: StartCode::Start,
        ..TaskRequest::default()
    };
    let failed = |why: &dyn std::fmt::Display| {
        tracing::error!(listener = %transid, exit = %program, "the security exit: {why}");
        ClientRefusal::ExitFailed
    };
    let mut task = region.begin(port, request).await.map_err(|e| failed(&e))?;
    let area = wanted.emit(ends, message);
    let filled = task.set_commarea(area.len(), |into| {
        into.copy_from_slice(&area);
        Ok::<(), std::convert::Infallible>(())
    });
    filled.map_err(|e| failed(&e))?;
    let reply = task.run().await;
    match reply.outcome() {
        TaskOutcome::Ok => ServerTaskStart::parse(reply.commarea()),
        TaskOutcome::Abend(abend) => Err(failed(&abend.message)),
    }
}

fn action(start: StartType) -> &'static [u8; 2] {
    match start {
        StartType::Kc => b"KC",
        StartType::Ic => b"IC",
        StartType::Td => b"TD",
    }
}

fn v4(address: SocketAddr) -> [u8; 4] {
    match address.ip() {
        IpAddr::V4(v4) => v4.octets(),
        IpAddr::V6(_) => [0; 4],
    }
}

/// Its address and its scope.
fn v6(address: SocketAddr) -> [u8; 20] {
    let mut out = [0; 20];
    if let SocketAddr::V6(v6) = address {
        out[..16].copy_from_slice(&v6.ip().octets());
        out[16..].copy_from_slice(&v6.scope_id().to_be_bytes());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_an_exit_permits_unchanged_is_what_was_wanted() {
        let wanted = ServerTaskStart {
            transid: "ECHO".into(),
            data: b"secret".to_vec(),
            start: StartType::Ic,
            delay_ms: 3000,
            userid: UserId::from_bytes(*b"CICSUSER"),
        };
        let ends = ConnectionAddresses {
            client: "127.0.0.1:4000".parse().unwrap(),
            listener: "127.0.0.1:3010".parse().unwrap(),
            socket: 7,
        };
        let mut area = wanted.emit(&ends, b"what it said");
        assert_eq!(
            ServerTaskStart::parse(&area),
            Err(ClientRefusal::ExitSilent)
        );
        area[61] = b'1';
        assert_eq!(ServerTaskStart::parse(&area), Err(ClientRefusal::Exit));
        area[60] = b'1';
        assert_eq!(ServerTaskStart::parse(&area), Ok(wanted));
        assert_eq!(&area[44..52], b"IC000003");
        assert_eq!(&area[52..60], [0, 2, 0x0F, 0xA0, 127, 0, 0, 1]);
        assert_eq!(&area[66..76], b"\x00\x07CICSUSER");
        assert_eq!(&area[76..82], [127, 0, 0, 1, 0x0B, 0xC2]);
        assert_eq!(&area[82..162], [0; 80]);
        assert_eq!(&area[162..], b"\x00\x0Cwhat it said");
    }

    #[test]
    fn the_addresses_of_an_ipv6_client_are_where_the_exit_reads_them() {
        let wanted = ServerTaskStart {
            transid: "ECHO".into(),
            data: Vec::new(),
            start: StartType::Kc,
            delay_ms: 0,
            userid: UserId::from_bytes(*b"CICSUSER"),
        };
        let ends = ConnectionAddresses {
            client: "[fe80::7%5]:4000".parse().unwrap(),
            listener: "[::1]:3010".parse().unwrap(),
            socket: 0,
        };
        let area = wanted.emit(&ends, b"");
        assert_eq!(area.len(), BYTES);
        assert_eq!(&area[52..60], [0, 19, 0x0F, 0xA0, 0, 0, 0, 0]);
        assert_eq!((area[82], area[97], &area[98..102]), (0, 1, &[0; 4][..]));
        assert_eq!((area[102], area[103], area[117]), (0xFE, 0x80, 7));
        assert_eq!(&area[118..122], [0, 0, 0, 5]);
    }

    proptest! {
        #[test]
        fn no_area_makes_the_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = ServerTaskStart::parse(&bytes);
        }
    }
}
