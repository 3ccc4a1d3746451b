//! Calls that send and receive several buffers.
//!
//! ```text
//!   an entry of IOV    address of a buffer | 4 bytes, reserved | length u32
//!   MSG                addresses of: NAME | length of NAME | IOV | IOVCNT
//!                                    | ACCRIGHTS | length of ACCRIGHTS
//! ```
//!
//! Addresses are as long as a pointer of the program. The manual's example of
//! SENDMSG has the length of NAME itself, a fullword, where its address would
//! be; on z/OS both have four bytes, here the size of MSG distinguishes them. The
//! buffers are put together for the region and taken apart here.
//!
//! Reference: IP CICS Sockets Guide, READV, RECVMSG, SENDMSG, WRITEV.

use ezasoket::{Errno, Function, MAX_DATA_BYTES, SOCKADDR6_BYTES};

use super::parameters::{CallParameters, CallResult, ask};
use crate::cob::CommandOperand;
use crate::timer::is_readable;
use crate::worker::Worker;

const POINTER: usize = size_of::<*mut u8>();
/// Bytes of an entry of IOV.
const ENTRY_BYTES: usize = POINTER + 8;
/// Most entries.
const MOST: i64 = 120;

/// A buffer of the program.
struct ProgramBuffer {
    at: *mut u8,
    bytes: usize,
}

/// The buffers and the address item that a call names.
struct BufferList {
    buffers: Vec<ProgramBuffer>,
    name: Option<ProgramBuffer>,
    flags: i64,
}

/// READV: S, IOV, IOVCNT. RECVMSG: S, MSG, FLAGS.
pub(super) fn receive(w: &mut Worker, p: &CallParameters<'_, '_>) -> CallResult {
    let lists = lists(p)?;
    let wanted: usize = lists.buffers.iter().map(|b| b.bytes).sum();
    if wanted == 0 {
        return Err(match p.function {
            Function::ReadV => Errno::READ_LENGTH,
            _ => Errno::RECEIVE_LENGTH,
        }
        .into());
    }
    let mut request = p.request()?;
    request.function = Function::RecvFrom;
    request.args = [lists.flags, wanted.min(MAX_DATA_BYTES) as i64, 0, 0];
    let reply = ask(w, &request)?;
    let count = usize::try_from(reply.retcode)
        .unwrap_or(0)
        .min(reply.data.len());
    let (mut rest, name) = reply.data.split_at(count);
    for buffer in &lists.buffers {
        let (part, following) = rest.split_at(rest.len().min(buffer.bytes));
        // SAFETY: the program's storage, which `ProgramBuffer::at` looked at.
        unsafe { std::ptr::copy(part.as_ptr(), buffer.at, part.len()) };
        rest = following;
    }
    if let Some(place) = lists.name {
        let n = name.len().min(place.bytes);
        // SAFETY: as above.
        unsafe { std::ptr::copy(name.as_ptr(), place.at, n) };
    }
    Ok(reply.retcode)
}

/// WRITEV: S, IOV, IOVCNT. SENDMSG: S, MSG, FLAGS.
pub(super) fn send(w: &mut Worker, p: &CallParameters<'_, '_>) -> CallResult {
    let lists = lists(p)?;
    let mut request = p.request()?;
    let name = lists.name.as_ref().map_or(0, |name| name.bytes);
    request.function = match name {
        0 => Function::Send,
        _ => Function::SendTo,
    };
    request.args = [lists.flags, name as i64, 0, 0];
    for buffer in lists.name.iter().chain(&lists.buffers) {
        if request.data.len() + buffer.bytes > MAX_DATA_BYTES {
            return Err(Errno::EMSGSIZE.into());
        }
        // SAFETY: the program's storage, which `ProgramBuffer::at` looked at.
        let bytes = unsafe { std::slice::from_raw_parts(buffer.at, buffer.bytes) };
        request.data.extend_from_slice(bytes);
    }
    if request.data.len() == name {
        return Err(match p.function {
            Function::WriteV => Errno::WRITE_NEGATIVE,
            _ => Errno::SEND_LENGTH,
        }
        .into());
    }
    Ok(ask(w, &request)?.retcode)
}

fn lists(p: &CallParameters<'_, '_>) -> Result<BufferList, Errno> {
    let second = p.get(2)?;
    if matches!(p.function, Function::ReadV | Function::WriteV) {
        return Ok(BufferList {
            buffers: buffers(second.data(), second.size(), p.int(3)?)?,
            name: None,
            flags: 0,
        });
    }
    let name_bytes = NameLengthForm::of(second.size());
    let count = word(pointer(&second, name_bytes.end() + POINTER)?)?;
    let at = pointer(&second, name_bytes.end())?;
    let room = usize::try_from(count)
        .unwrap_or(0)
        .saturating_mul(ENTRY_BYTES);
    Ok(BufferList {
        buffers: buffers(at, room, count)?,
        name: name(pointer(&second, 0)?, name_bytes.read(&second)?)?,
        flags: p.int(3)?,
    })
}

/// The form of NAME's length in MSG, after the address of NAME.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NameLengthForm {
    /// The length's address.
    Address,
    /// The length, a fullword.
    Fullword,
}

impl NameLengthForm {
    /// As a MSG of so many bytes has it: six addresses, or one or two of them
    /// fullwords.
    fn of(bytes: usize) -> NameLengthForm {
        const SHORT: usize = 6 * POINTER - 4;
        const SHORTER: usize = SHORT - 4;
        match bytes {
            SHORT | SHORTER => NameLengthForm::Fullword,
            _ => NameLengthForm::Address,
        }
    }

    /// The end of the length, where the address of IOV is.
    fn end(self) -> usize {
        match self {
            NameLengthForm::Address => 2 * POINTER,
            NameLengthForm::Fullword => POINTER + 4,
        }
    }

    /// The length.
    fn read(self, of: &CommandOperand<'_>) -> Result<i64, Errno> {
        match self {
            NameLengthForm::Address => match pointer(of, POINTER)? {
                at if at.is_null() => Ok(0),
                at => word(at),
            },
            NameLengthForm::Fullword => {
                let four = of.bytes().get(POINTER..POINTER + 4);
                Ok(length(four.ok_or(Errno::EFAULT)?) as i64)
            }
        }
    }
}

/// The address that MSG names, when it names one.
fn name(at: *mut u8, length: i64) -> Result<Option<ProgramBuffer>, Errno> {
    if at.is_null() {
        return Ok(None);
    }
    let length = usize::try_from(length).unwrap_or(0);
    match length.min(SOCKADDR6_BYTES) {
        0 => Ok(None),
        bytes => Ok(Some(ProgramBuffer::at(at, bytes)?)),
    }
}

/// The buffers of a list of `count` entries in so many bytes.
fn buffers(at: *mut u8, room: usize, count: i64) -> Result<Vec<ProgramBuffer>, Errno> {
    let count = match count {
        ..=0 => return Err(Errno::VECTOR_EMPTY),
        1..=MOST => count as usize,
        _ => return Err(Errno::VECTOR_LONG),
    };
    if room < count * ENTRY_BYTES || !is_readable(at, count * ENTRY_BYTES) {
        return Err(Errno::EFAULT);
    }
    // SAFETY: so many bytes can be read there.
    let list = unsafe { std::slice::from_raw_parts(at, count * ENTRY_BYTES) };
    let mut found = Vec::with_capacity(count);
    for entry in list.chunks_exact(ENTRY_BYTES) {
        let (address, rest) = entry.split_at(POINTER);
        let address = usize::from_ne_bytes(address.try_into().map_err(|_| Errno::EFAULT)?);
        let bytes = length(&rest[4..]);
        if bytes > 0 {
            found.push(ProgramBuffer::at(address as *mut u8, bytes)?);
        }
    }
    Ok(found)
}

impl ProgramBuffer {
    /// A buffer that can be read; EFAULT for another.
    fn at(at: *mut u8, bytes: usize) -> Result<ProgramBuffer, Errno> {
        if bytes <= MAX_DATA_BYTES && is_readable(at, bytes) {
            Ok(ProgramBuffer { at, bytes })
        } else {
            Err(Errno::EFAULT)
        }
    }
}

/// A length: BINARY items are big-endian, COMP-5 items are not.
fn length(four: &[u8]) -> usize {
    let bytes: [u8; 4] = four.try_into().unwrap_or_default();
    let (big, little) = (u32::from_be_bytes(bytes), u32::from_le_bytes(bytes));
    if big as usize > MAX_DATA_BYTES {
        little as usize
    } else {
        big as usize
    }
}

/// The fullword at an address.
fn word(at: *mut u8) -> Result<i64, Errno> {
    if !is_readable(at, 4) {
        return Err(Errno::EFAULT);
    }
    // SAFETY: four bytes can be read there.
    let four = unsafe { std::slice::from_raw_parts(at, 4) };
    Ok(length(four) as i64)
}

fn pointer(of: &CommandOperand<'_>, offset: usize) -> Result<*mut u8, Errno> {
    let bytes = of.bytes().get(offset..offset + POINTER);
    let bytes = bytes.and_then(|b| b.try_into().ok()).ok_or(Errno::EFAULT)?;
    Ok(usize::from_ne_bytes(bytes) as *mut u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_of_a_message_header_decides_how_its_second_part_is_read() {
        assert_eq!(NameLengthForm::of(48), NameLengthForm::Address);
        assert_eq!(
            (NameLengthForm::of(44), NameLengthForm::of(40)),
            (NameLengthForm::Fullword, NameLengthForm::Fullword)
        );
        assert_eq!(
            (
                NameLengthForm::Address.end(),
                NameLengthForm::Fullword.end()
            ),
            (16, 12)
        );
    }
}
