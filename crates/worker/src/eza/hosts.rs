//! Names and addresses of hosts, and the structures that programs are given.
//!
//! ```text
//!   HOSTENT    address of the name | of the list of aliases | family u32
//!              | bytes of an address u32 | address of the list of addresses
//!   ADDRINFO   flags u32 | family u32 | type u32 | protocol u32
//!              | bytes of NAME u32 | addresses of: canonical name | NAME | next
//! ```
//!
//! The areas are below two gigabytes, because many programs keep their addresses in
//! fullwords. Integers are big-endian, addresses as long as a pointer. A
//! HOSTENT is good until some calls later, an ADDRINFO too.
//!
//! Reference: IP CICS Sockets Guide, GETHOSTBYNAME, GETADDRINFO, EZACIC08,
//! EZACIC09.

use std::net::IpAddr;

use ezasoket::{AF_INET, AF_INET6, Errno, Function, HostList, Request, SocketName};

use super::parameters::{CallParameters, CallResult, ask};
use crate::cob::CommandOperand;
use crate::le::{LeArguments, LeResult};
use crate::timer::is_readable;
use crate::worker::Worker;

const POINTER: usize = size_of::<*mut u8>();
/// Bytes of the area.
const AREA_BYTES: usize = 256 << 10;
/// The requested address.
const AREA_ADDRESS: usize = 0x1000_0000;
/// Longest name of a host.
const NAME_BYTES: usize = 255;

/// Storage for structures, used from front to end and then again.
#[derive(Debug)]
pub(crate) struct HostArea {
    base: *mut u8,
    used: usize,
}

impl Default for HostArea {
    fn default() -> Self {
        HostArea {
            base: std::ptr::null_mut(),
            used: 0,
        }
    }
}

impl HostArea {
    /// Makes sure of so many bytes in one piece.
    fn reserve(&mut self, bytes: usize) -> Result<(), Errno> {
        if self.base.is_null() {
            // SAFETY: new pages; the address is a wish.
            let base = unsafe {
                libc::mmap(
                    AREA_ADDRESS as *mut _,
                    AREA_BYTES,
                    libc::PROT_READ | libc::PROT_WRITE,
                    libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                    -1,
                    0,
                )
            };
            if base == libc::MAP_FAILED {
                return Err(Errno::ENOMEM);
            }
            self.base = base.cast();
        }
        if bytes > AREA_BYTES {
            return Err(Errno::ENOMEM);
        }
        if self.used + bytes > AREA_BYTES {
            self.used = 0;
        }
        Ok(())
    }

    /// Puts bytes there; [`HostArea::reserve`] made sure of the room.
    fn put(&mut self, bytes: &[u8]) -> usize {
        // SAFETY: inside the area.
        unsafe {
            let at = self.base.add(self.used);
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), at, bytes.len());
            self.used += bytes.len().next_multiple_of(8);
            at as usize
        }
    }
}

/// GETHOSTNAME: NAMELEN, NAME.
pub(super) fn own_name(w: &mut Worker, p: &CallParameters<'_, '_>) -> CallResult {
    let room = p.int(1)?;
    let reply = ask(w, &Request::new(p.function, 0))?;
    let name = p.get(2)?;
    let length = usize::try_from(room).map_err(|_| Errno::EINVAL)?;
    let given = &reply.data[..reply.data.len().min(length).min(name.size())];
    name.set_chars(given);
    p.put_int(1, given.len() as i64);
    Ok(reply.retcode)
}

/// GETHOSTBYNAME: NAMELEN, NAME, HOSTENT. GETHOSTBYADDR: HOSTADDR, HOSTENT.
pub(super) fn lookup(w: &mut Worker, p: &CallParameters<'_, '_>) -> CallResult {
    let mut request = Request::new(p.function, 0);
    let place = match p.function {
        Function::GetHostByName => {
            request.data = p.text(2, p.int(1)?)?.to_vec();
            3
        }
        _ => {
            let address = p.get(1)?;
            request.data = if address.is_number() {
                (address.int() as u32).to_be_bytes().to_vec()
            } else {
                p.bytes(1, 4)?.to_vec()
            };
            2
        }
    };
    let reply = ask(w, &request)?;
    let host = HostList::parse(&reply.data).ok_or(Errno::EIO)?;
    let v4 = |ip: &IpAddr| match ip {
        IpAddr::V4(v4) => Some(v4.octets()),
        IpAddr::V6(_) => None,
    };
    let addresses: Vec<[u8; 4]> = host.addresses.iter().filter_map(v4).collect();
    let area = &mut w.hosts;
    area.reserve(512 + addresses.len() * 24)?;
    let mut name = host.name.into_bytes();
    name.truncate(NAME_BYTES);
    name.push(0);
    let name = area.put(&name);
    let no_aliases = area.put(&[0; POINTER]);
    let mut list = Vec::new();
    for octets in &addresses {
        list.extend_from_slice(&area.put(octets).to_ne_bytes());
    }
    list.extend_from_slice(&[0; POINTER]);
    let list = area.put(&list);
    let mut entry = [name.to_ne_bytes(), no_aliases.to_ne_bytes()].concat();
    entry.extend_from_slice(&u32::from(AF_INET).to_be_bytes());
    entry.extend_from_slice(&4u32.to_be_bytes());
    entry.extend_from_slice(&list.to_ne_bytes());
    let at = area.put(&entry);
    set_address(&p.get(place)?, at);
    Ok(0)
}

/// GETADDRINFO: NODE, NODELEN, SERVICE, SERVLEN, HINTS, RES, CANNLEN.
pub(super) fn addresses(w: &mut Worker, p: &CallParameters<'_, '_>) -> CallResult {
    let text = |at: usize| -> Result<&[u8], Errno> {
        match (p.args.get(at), p.args.get(at + 1)) {
            (Some(_), Some(length)) => p.text(at, length.int()),
            _ => Ok(&[]),
        }
    };
    let hints = hints(p)?;
    let mut request = Request::new(p.function, 0);
    request.args = hints.map(i64::from);
    request.data = [text(1)?, &[0], text(3)?].concat();
    let reply = ask(w, &request)?;
    let host = HostList::parse(&reply.data).ok_or(Errno::EIO)?;
    let port = reply.value as u16;
    let kinds: &[(u32, u32)] = match hints[2] {
        0 => &[(1, 6), (2, 17)],
        1 => &[(1, 6)],
        2 => &[(2, 17)],
        _ => return Err(Errno::EAI_SOCKTYPE.into()),
    };
    const CANONICAL: u32 = 2;
    let canonical = match hints[0] & CANONICAL {
        0 => 0,
        _ => host.name.len().min(NAME_BYTES),
    };
    let area = &mut w.hosts;
    area.reserve(512 + host.addresses.len() * kinds.len() * 96)?;
    let name_at = match canonical {
        0 => 0,
        n => area.put(&[&host.name.as_bytes()[..n], &[0]].concat()),
    };
    let mut next = 0usize;
    for ip in host.addresses.iter().rev() {
        for (kind, protocol) in kinds.iter().rev() {
            let name = SocketName((*ip, port).into()).emit();
            let at = area.put(&name);
            let family = u32::from(name[1]);
            let words = [hints[0], family, *kind, *protocol, name.len() as u32];
            let mut entry: Vec<u8> = words.iter().flat_map(|w| w.to_be_bytes()).collect();
            for address in [name_at, at, next] {
                entry.extend_from_slice(&address.to_ne_bytes());
            }
            next = area.put(&entry);
        }
    }
    set_address(&p.get(6)?, next);
    p.put_int(7, canonical as i64);
    Ok(0)
}

/// Flags, family, type and protocol of HINTS, which is the structure itself or
/// its address.
fn hints(p: &CallParameters<'_, '_>) -> Result<[u32; 4], Errno> {
    const BYTES: usize = 16;
    let Some(arg) = p.args.get(5) else {
        return Ok([0; 4]);
    };
    let bytes: &[u8] = match arg.size() {
        BYTES.. => arg.bytes(),
        _ => match address(&arg) {
            0 => return Ok([0; 4]),
            at if is_readable(at as *mut u8, BYTES) => {
                // SAFETY: so many bytes can be read there.
                unsafe { std::slice::from_raw_parts(at as *const u8, BYTES) }
            }
            _ => return Err(Errno::EFAULT),
        },
    };
    let word = |n: usize| {
        let four = bytes[n * 4..n * 4 + 4].try_into().unwrap_or_default();
        u32::from_be_bytes(four)
    };
    Ok([word(0), word(1), word(2), word(3)])
}

/// GETNAMEINFO: NAME, NAMELEN, HOST, HOSTLEN, SERVICE, SERVLEN, FLAGS.
pub(super) fn names(w: &mut Worker, p: &CallParameters<'_, '_>) -> CallResult {
    let mut request = Request::new(p.function, 0);
    let length = usize::try_from(p.int(2)?).map_err(|_| Errno::EINVAL)?;
    let mut name = p.name(1)?;
    name.truncate(length);
    request.args[0] = p.int(7)?;
    request.data = name;
    let reply = ask(w, &request)?;
    let mut parts = reply.data.split(|b| *b == 0);
    for at in [3, 5] {
        let text = parts.next().unwrap_or_default();
        let Some(room) = p.args.get(at) else {
            continue;
        };
        if text.len() as i64 > p.int(at + 1)? || text.len() > room.size() {
            return Err(Errno::EAI_OVERFLOW.into());
        }
        room.set_chars(text);
        p.put_int(at + 1, text.len() as i64);
    }
    Ok(0)
}

/// CALL 'EZACIC08': the fields of a HOSTENT, an alias and an address at a time.
pub(crate) fn host_entry(_: &mut Worker, args: &LeArguments<'_>) -> LeResult {
    let retcode = if show_host(args).is_some() { 0 } else { -1 };
    args.set_int(12, retcode);
    Ok(())
}

fn show_host(args: &LeArguments<'_>) -> Option<()> {
    let entry = read(address(&args.get(0)?), POINTER * 3 + 8)?;
    let part = |at: usize| {
        Some(usize::from_ne_bytes(
            entry.get(at..at + POINTER)?.try_into().ok()?,
        ))
    };
    let word = |at: usize| Some(u32::from_be_bytes(entry.get(at..at + 4)?.try_into().ok()?));
    let name = text_at(part(0)?)?;
    args.set_int(1, name.len() as i64);
    args.set_chars(2, name);
    args.set_int(3, 0);
    args.set_int(5, 0);
    args.set_int(7, i64::from(word(POINTER * 2)?));
    args.set_int(8, i64::from(word(POINTER * 2 + 4)?));
    let mut list = Vec::new();
    let base = part(POINTER * 2 + 8)?;
    while let Some(at) = read(base + list.len() * POINTER, POINTER) {
        match usize::from_ne_bytes(at.try_into().ok()?) {
            0 => break,
            at => list.push(at),
        }
    }
    args.set_int(9, list.len() as i64);
    // The one that is asked for; the next call gives the next.
    let number = usize::try_from(args.int(10)).ok()?;
    if let Some(at) = list.get(number) {
        let octets: [u8; 4] = read(*at, 4)?.try_into().ok()?;
        let place = args.get(11)?;
        if place.is_number() {
            place.set_int(i64::from(u32::from_be_bytes(octets)))
        } else {
            place.set_bytes(&octets, 4)
        }
        args.set_int(10, number as i64 + 1);
    }
    Some(())
}

/// CALL 'EZACIC09' USING RES NAME-LEN CANONICAL-NAME NAME NEXT RETCODE.
pub(crate) fn address_entry(_: &mut Worker, args: &LeArguments<'_>) -> LeResult {
    let retcode = if show_address(args).is_some() { 0 } else { -1 };
    args.set_int(5, retcode);
    Ok(())
}

fn show_address(args: &LeArguments<'_>) -> Option<()> {
    const WORDS: usize = 5 * 4;
    let entry = read(address(&args.get(0)?), WORDS + 3 * POINTER)?;
    let length = u32::from_be_bytes(entry[16..20].try_into().ok()?);
    let mut places = entry[WORDS..].chunks_exact(POINTER);
    let mut place = || Some(usize::from_ne_bytes(places.next()?.try_into().ok()?));
    let (canonical, name, next) = (place()?, place()?, place()?);
    args.set_int(1, i64::from(length));
    args.set_chars(2, text_at(canonical).unwrap_or_default());
    set_address(&args.get(3)?, name);
    set_address(&args.get(4)?, next);
    Some(())
}

/// So many bytes of the program's storage; `None` if it has none.
fn read<'p>(at: usize, bytes: usize) -> Option<&'p [u8]> {
    // SAFETY: so many bytes can be read there.
    is_readable(at as *const u8, bytes)
        .then(|| unsafe { std::slice::from_raw_parts(at as *const u8, bytes) })
}

/// A text that ends with a zero.
fn text_at<'p>(at: usize) -> Option<&'p [u8]> {
    let end = (0..=NAME_BYTES).find(|n| read(at + n, 1).is_none_or(|b| b[0] == 0))?;
    match end {
        0 => None,
        end => read(at, end),
    }
}

/// The address that a pointer or a fullword holds.
fn address(arg: &CommandOperand<'_>) -> usize {
    if arg.size() >= POINTER && !arg.is_number() {
        arg.pointer() as usize
    } else {
        usize::try_from(arg.int()).unwrap_or(0)
    }
}

fn set_address(arg: &CommandOperand<'_>, at: usize) {
    if arg.size() >= POINTER && !arg.is_number() {
        arg.set_pointer(at as *mut u8)
    } else {
        arg.set_int(at as i64)
    }
}

const _: () = assert!(AF_INET6 < 256, "a family is one byte of a fullword");
