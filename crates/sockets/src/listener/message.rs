//! The transaction initiation message: what a started transaction retrieves.
//!
//! ```text
//!   0     4          12          20               55     56
//!   +-----+----------+-----------+----------------+------+---------------+
//!   | u32 | name (8) | task (8)  | client-in-data | '1'  | sockaddr      |
//!   +-----+----------+-----------+----------------+------+---------------+
//!     socket  of the listener      35               threadsafe   16 or 28
//!
//!   enhanced: up to 152 zeros | length u16 | that many bytes of the message
//! ```
//!
//! The message of a standard listener ends with the address. Integers are
//! big-endian.
//!
//! Reference: IP CICS Sockets Guide, "IBM listener output format".

use ezasoket::{ClientId, SocketName};

/// Bytes of client-in-data that are passed on.
const DATA: usize = 35;
/// The offset of an enhanced listener's data, with their length.
const ENHANCED: usize = 152;

/// Writes the message; `enhanced` are the bytes read by an enhanced listener.
pub fn emit(
    socket: i64,
    listener: &ClientId,
    data: &[u8],
    client: &SocketName,
    enhanced: Option<&[u8]>,
) -> Vec<u8> {
    let mut out = (socket as u32).to_be_bytes().to_vec();
    out.extend_from_slice(&listener.name);
    out.extend_from_slice(&listener.task);
    let mut field = [b' '; DATA];
    let n = data.len().min(DATA);
    field[..n].copy_from_slice(&data[..n]);
    out.extend_from_slice(&field);
    // The interface is threadsafe.
    out.push(b'1');
    out.extend_from_slice(&client.emit());
    if let Some(bytes) = enhanced {
        out.resize(ENHANCED, 0);
        out.extend_from_slice(&(bytes.len() as u16).to_be_bytes());
        out.extend_from_slice(bytes);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_standard_message_has_72_bytes_and_an_enhanced_one_its_data_at_154() {
        let listener = ClientId {
            domain: 2,
            name: *b"REGION  ",
            task: *b"0000001L",
        };
        let client = SocketName("127.0.0.1:4000".parse().unwrap());
        let message = emit(3, &listener, b"hello", &client, None);
        assert_eq!(message.len(), 72);
        assert_eq!(&message[..4], [0, 0, 0, 3]);
        assert_eq!(&message[4..20], b"REGION  0000001L");
        assert_eq!(&message[20..27], b"hello  ");
        assert_eq!(message[55], b'1');
        assert_eq!(&message[56..64], [0, 2, 0x0F, 0xA0, 127, 0, 0, 1]);
        let message = emit(3, &listener, b"", &client, Some(b"abc"));
        assert_eq!(&message[152..], b"\x00\x03abc");
        let six = SocketName("[::1]:1".parse().unwrap());
        assert_eq!(emit(3, &listener, b"", &six, None).len(), 84);
    }
}
