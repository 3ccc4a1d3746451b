//! Calls that send and receive one buffer.

use ezasoket::{Errno, Function, MAX_DATA_BYTES, SOCKADDR_BYTES, SOCKADDR6_BYTES};

use super::parameters::{CallParameters, CallResult, ask};
use crate::worker::Worker;

/// READ: S, NBYTE, BUF. RECV: S, FLAGS, NBYTE, BUF. RECVFROM: NAME after these.
pub(super) fn receive(w: &mut Worker, p: &CallParameters<'_, '_>) -> CallResult {
    let mut request = p.request()?;
    let (flags, nbyte, buffer) = match p.function {
        Function::Read => (0, p.int(2)?, 3),
        _ => (p.int(2)?, p.int(3)?, 4),
    };
    if nbyte <= 0 {
        return Err(match p.function {
            Function::Read => Errno::READ_LENGTH,
            _ => Errno::RECEIVE_LENGTH,
        }
        .into());
    }
    let room = p.get(buffer)?;
    if nbyte > room.size() as i64 {
        return Err(Errno::EFAULT.into());
    }
    request.args = [flags, nbyte.min(MAX_DATA_BYTES as i64), 0, 0];
    let reply = ask(w, &request)?;
    let count = usize::try_from(reply.retcode)
        .unwrap_or(0)
        .min(reply.data.len());
    let (data, name) = reply.data.split_at(count);
    room.set_bytes(data, data.len());
    if p.function == Function::RecvFrom && !name.is_empty() {
        p.put(5, name);
    }
    Ok(reply.retcode)
}

/// WRITE: S, NBYTE, BUF. SEND: S, FLAGS, NBYTE, BUF. SENDTO: NAME after these.
pub(super) fn send(w: &mut Worker, p: &CallParameters<'_, '_>) -> CallResult {
    let mut request = p.request()?;
    let (flags, nbyte, buffer) = match p.function {
        Function::Write => (0, p.int(2)?, 3),
        _ => (p.int(2)?, p.int(3)?, 4),
    };
    let length = usize::try_from(nbyte).ok().filter(|n| *n > 0);
    let Some(length) = length else {
        return Err(match p.function {
            Function::Write if nbyte == 0 => Errno::WRITE_LENGTH,
            Function::Write => Errno::WRITE_NEGATIVE,
            Function::SendTo => Errno::SENDTO_LENGTH,
            _ => Errno::SEND_LENGTH,
        }
        .into());
    };
    let data = p.bytes(buffer, length)?;
    let name = match p.function {
        Function::SendTo => address(p, 5)?,
        _ => Vec::new(),
    };
    request.args = [flags, name.len() as i64, 0, 0];
    request.data = name;
    let taken = data.len().min(MAX_DATA_BYTES);
    request.data.extend_from_slice(&data[..taken]);
    Ok(ask(w, &request)?.retcode)
}

/// An address of the length that its family has.
fn address(p: &CallParameters<'_, '_>, at: usize) -> Result<Vec<u8>, Errno> {
    let mut name = p.name(at)?;
    let length = match name.get(..2) {
        Some([0, 19]) => SOCKADDR6_BYTES,
        _ => SOCKADDR_BYTES,
    };
    name.truncate(length);
    Ok(name)
}
