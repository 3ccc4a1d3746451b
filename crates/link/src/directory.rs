//! Directories of containers in an arena.
//!
//! A directory is an array of 40-byte entries. The reader copies the entries
//! and checks every bound against the arena before it uses one; what the
//! entries point at is never copied here.

use crate::ContainerName;
use crate::layout::MAX_CONTAINERS;

/// Bytes of an entry in the arena.
pub const ENTRY_BYTES: usize = 40;

/// Data type of a container, as PUT CONTAINER's DATATYPE has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ContainerType {
    /// Bytes that are never converted.
    #[default]
    Bit,
    /// Characters in the container's code page.
    Char,
}

/// One container: its name, type and place in the arena.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContainerEntry {
    /// Name of the container.
    pub name: ContainerName,
    /// Offset of its bytes in the arena.
    pub offset: usize,
    /// Number of its bytes.
    pub bytes: usize,
    /// Data type.
    pub kind: ContainerType,
    /// Code page of its characters, 0 for the region's.
    pub ccsid: u16,
}

/// An error in data that the other side wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ProtocolViolation {
    /// A directory that does not fit its arena.
    #[error("a directory of {count} containers at {offset} is outside the arena")]
    Directory {
        /// The stated offset.
        offset: u64,
        /// How many entries it was said to have.
        count: u64,
    },
    /// A container's or COMMAREA's bytes outside of the arena.
    #[error("{bytes} bytes at {offset} are outside the arena")]
    Extent {
        /// The stated offset.
        offset: u64,
        /// How many were said to be there.
        bytes: u64,
    },
    /// A container type that does not exist.
    #[error("container type {0} does not exist")]
    Kind(u8),
    /// A call with an unknown operation, slot or length.
    #[error("a call names operation {op}, slot {slot} and {bytes} bytes")]
    Call {
        /// Operation number.
        op: u16,
        /// Slot number.
        slot: u16,
        /// Bytes of data.
        bytes: u32,
    },
    /// Operands or a channel that are cut short or have an unknown shape.
    #[error("a call's operands are not valid")]
    Operands,
    /// A state word that no sequence of steps leads to.
    #[error("a state word holds {0:#x}")]
    State(u64),
}

/// Checks that a range is within an arena of `arena` bytes.
pub fn check_extent(
    offset: u64,
    bytes: u64,
    arena: usize,
) -> Result<(usize, usize), ProtocolViolation> {
    match offset.checked_add(bytes) {
        Some(end) if end <= arena as u64 => Ok((offset as usize, bytes as usize)),
        _ => Err(ProtocolViolation::Extent { offset, bytes }),
    }
}

impl ContainerEntry {
    fn emit(&self, to: &mut [u8; ENTRY_BYTES]) {
        to[..16].copy_from_slice(self.name.as_bytes());
        to[16..24].copy_from_slice(&(self.offset as u64).to_le_bytes());
        to[24..32].copy_from_slice(&(self.bytes as u64).to_le_bytes());
        to[32] = match self.kind {
            ContainerType::Bit => 0,
            ContainerType::Char => 1,
        };
        to[33] = 0;
        to[34..36].copy_from_slice(&self.ccsid.to_le_bytes());
        to[36..40].fill(0);
    }

    fn parse(from: &[u8; ENTRY_BYTES], arena: usize) -> Result<Self, ProtocolViolation> {
        let mut name = [0; 16];
        name.copy_from_slice(&from[..16]);
        let (offset, bytes) = check_extent(u64_at(from, 16), u64_at(from, 24), arena)?;
        let kind = match from[32] {
            0 => ContainerType::Bit,
            1 => ContainerType::Char,
            other => return Err(ProtocolViolation::Kind(other)),
        };
        Ok(ContainerEntry {
            name: ContainerName::from_bytes(name),
            offset,
            bytes,
            kind,
            ccsid: u16::from_le_bytes([from[34], from[35]]),
        })
    }
}

/// Writes entries to the arena at `offset`.
///
/// # Safety
/// `arena` must point at `arena_bytes` writable bytes that this side owns now.
/// Panics when the entries do not fit.
pub unsafe fn write(arena: *mut u8, arena_bytes: usize, offset: usize, entries: &[ContainerEntry]) {
    assert!(offset + entries.len() * ENTRY_BYTES <= arena_bytes);
    for (i, entry) in entries.iter().enumerate() {
        let mut bytes = [0; ENTRY_BYTES];
        entry.emit(&mut bytes);
        // SAFETY: inside the arena by the check above.
        unsafe {
            arena
                .add(offset + i * ENTRY_BYTES)
                .cast::<[u8; ENTRY_BYTES]>()
                .write_unaligned(bytes);
        }
    }
}

/// Copies and checks the `count` entries that the other side left at `offset`.
/// `into` is cleared first and holds the entries before the violation on an error.
///
/// # Safety
/// `arena` must point at `arena_bytes` readable bytes.
pub unsafe fn read(
    arena: *const u8,
    arena_bytes: usize,
    offset: u64,
    count: u64,
    into: &mut Vec<ContainerEntry>,
) -> Result<(), ProtocolViolation> {
    into.clear();
    if count == 0 {
        return Ok(());
    }
    let violation = ProtocolViolation::Directory { offset, count };
    if count > MAX_CONTAINERS as u64 {
        return Err(violation);
    }
    let (start, _) =
        check_extent(offset, count * ENTRY_BYTES as u64, arena_bytes).map_err(|_| violation)?;
    for i in 0..count as usize {
        // SAFETY: inside the arena by the check above.
        let bytes = unsafe {
            arena
                .add(start + i * ENTRY_BYTES)
                .cast::<[u8; ENTRY_BYTES]>()
                .read_unaligned()
        };
        into.push(ContainerEntry::parse(&bytes, arena_bytes)?);
    }
    Ok(())
}

fn u64_at(from: &[u8; ENTRY_BYTES], at: usize) -> u64 {
    let mut b = [0; 8];
    b.copy_from_slice(&from[at..at + 8]);
    u64::from_le_bytes(b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_directory_reads_back_as_it_was_written() {
        let mut arena = vec![0u8; 4096];
        let entries = [
            ContainerEntry {
                name: ContainerName::new("REQUEST").unwrap(),
                offset: 0,
                bytes: 100,
                kind: ContainerType::Char,
                ccsid: 819,
            },
            ContainerEntry {
                name: ContainerName::new("EMPTY").unwrap(),
                offset: 4096,
                bytes: 0,
                kind: ContainerType::Bit,
                ccsid: 0,
            },
        ];
        let mut back = Vec::new();
        // SAFETY: the vector is the arena.
        unsafe {
            write(arena.as_mut_ptr(), arena.len(), 1000, &entries);
            read(arena.as_ptr(), arena.len(), 1000, 2, &mut back).unwrap();
        }
        assert_eq!(back, entries);
    }

    proptest! {
        #[test]
        fn any_bytes_give_entries_in_bounds_or_a_violation(
            arena in proptest::collection::vec(any::<u8>(), 1..400),
            offset in any::<u64>(), count in 0u64..20, near in any::<bool>(),
        ) {
            let offset = if near { offset % 512 } else { offset };
            let mut into = Vec::new();
            // SAFETY: the vector is the arena.
            let result = unsafe { read(arena.as_ptr(), arena.len(), offset, count, &mut into) };
            if result.is_ok() { prop_assert_eq!(into.len() as u64, count); }
            for e in into { prop_assert!(e.offset + e.bytes <= arena.len()); }
        }
    }
}
