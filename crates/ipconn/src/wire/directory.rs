//! The directory of a message: its containers, and where their bytes are.
//!
//! It follows the data, because the data is written directly into the message
//! before its lengths are known.

use super::reader::{MalformedBytes, Reader};
use region::{ContainerName, ContainerType};

/// Most containers of a message.
pub const MAX_CONTAINERS: usize = 4096;
/// Bytes of an entry.
pub const ENTRY: usize = 24;

/// A container of a message, and where its bytes are in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MessageContainerEntry {
    /// Name.
    pub name: ContainerName,
    /// Data type.
    pub kind: ContainerType,
    /// Code page of its characters, 0 for the region's.
    pub ccsid: u16,
    /// Offset of its bytes in the message.
    pub at: usize,
    /// Number of its bytes.
    pub bytes: usize,
}

/// Writes the directory after the data.
pub fn put_directory(out: &mut Vec<u8>, entries: &[MessageContainerEntry]) {
    for entry in entries {
        out.extend_from_slice(entry.name.as_bytes());
        let (kind, ccsid) = match entry.kind {
            ContainerType::Bit => (0, 0),
            ContainerType::Char => (1, entry.ccsid),
        };
        out.extend_from_slice(&[kind, 0]);
        out.extend_from_slice(&ccsid.to_be_bytes());
        out.extend_from_slice(&(entry.bytes as u32).to_be_bytes());
    }
}

/// The directory of a message whose containers' data begins at `at`; data and
/// directory together end at the message's end.
pub fn directory(
    message: &[u8],
    at: usize,
    count: usize,
) -> Result<Vec<MessageContainerEntry>, MalformedBytes> {
    let wrong = |what, at| Err(MalformedBytes { what, at });
    if count > MAX_CONTAINERS {
        return wrong("more containers than a message may have", at);
    }
    let Some(start) = message
        .len()
        .checked_sub(count * ENTRY)
        .filter(|s| *s >= at)
    else {
        return wrong("the message is shorter than its lengths say", message.len());
    };
    let mut r = Reader::new(&message[start..]);
    let mut next = at;
    let mut entries: Vec<MessageContainerEntry> = Vec::with_capacity(count);
    let mut names = std::collections::HashSet::new();
    for _ in 0..count {
        let place = start + r.at();
        let name: ContainerName =
            ContainerName::from_bytes(r.array("the name of a container is missing")?);
        let [kind, zero] = r.array("the kind of a container is missing")?;
        let ccsid = r.u16("the code page is missing")?;
        let bytes = r.u32("the length of a container is missing")? as usize;
        let kind = match (kind, zero, ccsid) {
            (0, 0, 0) => ContainerType::Bit,
            (1, 0, _) => ContainerType::Char,
            _ => return wrong("unknown kind of container", place + 16),
        };
        if !region::program_link::valid_name(name.as_bytes()) {
            return wrong("invalid name of a container", place);
        }
        // Few are looked at one by one.
        let twice = match count {
            0..=8 => entries.iter().any(|e| e.name == name),
            _ => !names.insert(name),
        };
        if twice {
            return wrong("two containers of one name", place);
        }
        entries.push(MessageContainerEntry {
            name,
            kind,
            ccsid,
            at: next,
            bytes,
        });
        next = next.saturating_add(bytes);
    }
    if next == start {
        Ok(entries)
    } else {
        wrong("the lengths do not add up to the message's length", start)
    }
}
