//! Channels and their containers, in the slot's arena.
//!
//! A request's containers are taken over where they lie; a program's are put
//! into the same arena, from where the reply is read. Nothing is copied on
//! the way in or out.
//!
//! Scope: a channel is known to the level that made it and to the program it
//! was passed to, there as the current channel. `DFHTRANSACTION` is known to
//! the whole task.
//! Reference: application development, "Enhanced inter-program data transfer:
//! channels as modern-day COMMAREAs".

use std::collections::HashMap;

use link::{ArenaHeap, ContainerEntry, ContainerName, ContainerType};

use crate::services::Arena;

/// A channel of the task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChannelId(usize);

/// The channels of the task.
#[derive(Debug, Default)]
pub struct TaskChannels {
    list: Vec<Channel>,
    browses: Vec<ContainerBrowse>,
    last_token: u32,
}

#[derive(Debug, Default)]
struct Channel {
    name: [u8; 16],
    /// Level that made the channel; `usize::MAX` when it is deleted.
    level: usize,
    entries: Vec<ContainerEntry>,
    index: HashMap<ContainerName, usize>,
}

#[derive(Debug)]
struct ContainerBrowse {
    token: u32,
    names: Vec<ContainerName>,
    channel: usize,
    at: usize,
}

/// The position of new data in a container.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PutMode {
    /// Instead of the old content.
    Replace,
    /// After its end.
    Append,
    /// Before it.
    Prepend,
}

/// The arena has no room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoRoom;

/// Name of the channel that all programs of a task know.
pub const TRANSACTION: [u8; 16] = *b"DFHTRANSACTION  ";
const GONE: usize = usize::MAX;
/// Up to this many containers a look through the list is as fast as an index.
const INDEX_FROM: usize = 24;

impl TaskChannels {
    /// Forgets everything; the arena belongs to another task by now.
    pub fn clear(&mut self) {
        for channel in &mut self.list {
            channel.level = GONE;
            channel.entries.clear();
            channel.index.clear();
        }
        self.browses.clear();
    }

    /// The request's channel, its containers where they are.
    pub fn adopt(&mut self, name: &[u8; 16], entries: &[ContainerEntry]) -> ChannelId {
        let id = self.make(name, 1);
        let channel = &mut self.list[id.0];
        channel.entries.extend_from_slice(entries);
        channel.reindex();
        id
    }

    /// A new channel of a level.
    pub fn make(&mut self, name: &[u8; 16], level: usize) -> ChannelId {
        let level = if *name == TRANSACTION { 0 } else { level };
        let at = match self.list.iter().position(|c| c.level == GONE) {
            Some(at) => at,
            None => {
                self.list.push(Channel::default());
                self.list.len() - 1
            }
        };
        self.list[at].name = *name;
        self.list[at].level = level;
        ChannelId(at)
    }

    /// The channel of that name as a level sees it.
    pub fn find(
        &self,
        name: &[u8; 16],
        level: usize,
        current: Option<ChannelId>,
    ) -> Option<ChannelId> {
        let current = current.filter(|c| self.list[c.0].name == *name);
        current.or_else(|| {
            let seen = |c: &Channel| c.name == *name && (c.level == level || c.level == 0);
            self.list.iter().position(seen).map(ChannelId)
        })
    }

    /// Drops the channels that a level made and did not get.
    pub fn end_level(&mut self, level: usize, heap: &mut ArenaHeap) {
        if level <= 1 {
            return;
        }
        for channel in self.list.iter_mut().filter(|c| c.level == level) {
            for e in channel.entries.drain(..) {
                heap.free(e.offset, e.bytes);
            }
            channel.index.clear();
            channel.level = GONE;
        }
    }

    /// Drops a channel and its containers.
    pub fn drop_channel(&mut self, channel: ChannelId, heap: &mut ArenaHeap) {
        let channel = &mut self.list[channel.0];
        for e in channel.entries.drain(..) {
            heap.free(e.offset, e.bytes);
        }
        channel.index.clear();
        channel.level = GONE;
    }

    /// The level that made the channel.
    pub fn level(&self, channel: ChannelId) -> usize {
        self.list[channel.0].level
    }

    /// The channel's name.
    pub fn name(&self, channel: ChannelId) -> [u8; 16] {
        self.list[channel.0].name
    }

    /// The channel's containers.
    pub fn entries(&self, channel: ChannelId) -> &[ContainerEntry] {
        &self.list[channel.0].entries
    }

    /// A container.
    pub fn get(&self, channel: ChannelId, name: &ContainerName) -> Option<ContainerEntry> {
        let channel = &self.list[channel.0];
        channel.position(name).map(|i| channel.entries[i])
    }

    /// Puts data into a container, which is made when it is not there.
    pub fn put(
        &mut self,
        channel: ChannelId,
        name: &ContainerName,
        data: &[u8],
        how: PutMode,
        kind: (ContainerType, u16),
        arena: Arena<'_>,
    ) -> Result<(), NoRoom> {
        let channel = &mut self.list[channel.0];
        let Some(i) = channel.position(name) else {
            let offset = arena.heap.alloc(data.len()).ok_or(NoRoom)?;
            // SAFETY: a block of the arena that was just given to us.
            unsafe { copy(data.as_ptr(), arena.base.add(offset), data.len()) };
            channel.add(ContainerEntry {
                name: *name,
                offset,
                bytes: data.len(),
                kind: kind.0,
                ccsid: kind.1,
            });
            return Ok(());
        };
        let old = channel.entries[i];
        let kept = if how == PutMode::Replace {
            0
        } else {
            old.bytes
        };
        let bytes = kept.checked_add(data.len()).ok_or(NoRoom)?;
        let (kept_at, new_at) = if how == PutMode::Prepend {
            (data.len(), 0)
        } else {
            (0, kept)
        };
        // The data may be in the container itself (GET SET hands that out),
        // so a block that holds them is not touched before they are copied.
        let inside = {
            let (from, base) = (data.as_ptr() as usize, arena.base as usize + old.offset);
            from < base + old.bytes && base < from + data.len()
        };
        if !inside && arena.heap.resize(old.offset, old.bytes, bytes) {
            // SAFETY: the block has room for both parts now; `copy` minds
            // that the kept part moves within it.
            unsafe {
                let block = arena.base.add(old.offset);
                if kept_at > 0 {
                    copy(block, block.add(kept_at), kept);
                }
                copy(data.as_ptr(), block.add(new_at), data.len());
            }
            channel.entries[i] = ContainerEntry {
                bytes,
                kind: kind.0,
                ccsid: kind.1,
                ..old
            };
            return Ok(());
        }
        let offset = arena.heap.alloc(bytes).ok_or(NoRoom)?;
        // SAFETY: a fresh block of that size; the old one is still whole.
        unsafe {
            let block = arena.base.add(offset);
            copy(arena.base.add(old.offset), block.add(kept_at), kept);
            copy(data.as_ptr(), block.add(new_at), data.len());
        }
        arena.heap.free(old.offset, old.bytes);
        channel.entries[i] = ContainerEntry {
            offset,
            bytes,
            kind: kind.0,
            ccsid: kind.1,
            ..old
        };
        Ok(())
    }

    /// Takes a container out of its channel, its data with it.
    pub fn take(&mut self, channel: ChannelId, name: &ContainerName) -> Option<ContainerEntry> {
        let channel = &mut self.list[channel.0];
        let i = channel.position(name)?;
        let entry = channel.entries.remove(i);
        channel.reindex();
        Some(entry)
    }

    /// Puts a container that was taken out into a channel. Returns what stood
    /// under its name.
    pub fn insert(&mut self, channel: ChannelId, entry: ContainerEntry) -> Option<ContainerEntry> {
        let channel = &mut self.list[channel.0];
        match channel.position(&entry.name) {
            Some(i) => Some(std::mem::replace(&mut channel.entries[i], entry)),
            None => {
                channel.add(entry);
                None
            }
        }
    }

    /// Starts a browse. Returns its token.
    pub fn start_browse(&mut self, channel: ChannelId) -> u32 {
        self.last_token += 1;
        let names = self.entries(channel).iter().map(|e| e.name).collect();
        self.browses.push(ContainerBrowse {
            token: self.last_token,
            names,
            channel: channel.0,
            at: 0,
        });
        self.last_token
    }

    /// The next container of a browse: `None` for an unknown token, an inner
    /// none at the end. A container that was deleted is passed by.
    pub fn next_of_browse(&mut self, token: u32) -> Option<Option<ContainerName>> {
        let browse = self.browses.iter_mut().find(|b| b.token == token)?;
        let channel = &self.list[browse.channel];
        while let Some(name) = browse.names.get(browse.at) {
            browse.at += 1;
            if channel.position(name).is_some() {
                return Some(Some(*name));
            }
        }
        Some(None)
    }

    /// Ends a browse; false for an unknown token.
    pub fn end_browse(&mut self, token: u32) -> bool {
        let before = self.browses.len();
        self.browses.retain(|b| b.token != token);
        self.browses.len() < before
    }
}

impl Channel {
    fn position(&self, name: &ContainerName) -> Option<usize> {
        if self.entries.len() < INDEX_FROM {
            return self.entries.iter().position(|e| e.name == *name);
        }
        self.index.get(name).copied()
    }

    fn add(&mut self, entry: ContainerEntry) {
        self.entries.push(entry);
        match self.entries.len() {
            INDEX_FROM => self.reindex(),
            n if n > INDEX_FROM => {
                self.index.insert(entry.name, n - 1);
            }
            _ => {}
        }
    }

    fn reindex(&mut self) {
        self.index.clear();
        if self.entries.len() >= INDEX_FROM {
            self.index
                .extend(self.entries.iter().enumerate().map(|(i, e)| (e.name, i)));
        }
    }
}

/// # Safety
/// As `std::ptr::copy`.
unsafe fn copy(from: *const u8, to: *mut u8, bytes: usize) {
    // SAFETY: by the contract.
    unsafe { std::ptr::copy(from, to, bytes) };
}

#[cfg(test)]
mod tests {
    use super::*;

    struct ChannelMemory {
        bytes: Vec<u8>,
        heap: ArenaHeap,
    }

    impl ChannelMemory {
        fn new() -> Self {
            ChannelMemory {
                bytes: vec![0; 4096],
                heap: ArenaHeap::new(4096),
            }
        }
        fn arena(&mut self) -> Arena<'_> {
            Arena {
                base: self.bytes.as_mut_ptr(),
                heap: &mut self.heap,
            }
        }
        fn text(&self, e: ContainerEntry) -> String {
            String::from_utf8_lossy(&self.bytes[e.offset..e.offset + e.bytes]).into_owned()
        }
    }

    const CHAR: (ContainerType, u16) = (ContainerType::Char, 0);

    fn name(text: &str) -> ContainerName {
        ContainerName::new(text).unwrap()
    }

    #[test]
    fn data_are_replaced_appended_and_prepended() {
        let (mut m, mut c) = (ChannelMemory::new(), TaskChannels::default());
        let ch = c.make(b"CH              ", 1);
        let n = name("A");
        c.put(ch, &n, b"middle", PutMode::Append, CHAR, m.arena())
            .unwrap();
        c.put(ch, &name("B"), b"wall", PutMode::Replace, CHAR, m.arena())
            .unwrap();
        c.put(
            ch,
            &n,
            b" end of the text",
            PutMode::Append,
            CHAR,
            m.arena(),
        )
        .unwrap();
        c.put(ch, &n, b"start ", PutMode::Prepend, CHAR, m.arena())
            .unwrap();
        assert_eq!(
            m.text(c.get(ch, &n).unwrap()),
            "start middle end of the text"
        );
        c.put(ch, &n, b"new", PutMode::Replace, CHAR, m.arena())
            .unwrap();
        assert_eq!(m.text(c.get(ch, &n).unwrap()), "new");
        assert_eq!(m.text(c.get(ch, &name("B")).unwrap()), "wall");
    }

    #[test]
    fn a_container_may_be_put_into_itself() {
        let (mut m, mut c) = (ChannelMemory::new(), TaskChannels::default());
        let ch = c.make(b"CH              ", 1);
        let n = name("A");
        c.put(ch, &n, b"abcdef", PutMode::Replace, CHAR, m.arena())
            .unwrap();
        let e = c.get(ch, &n).unwrap();
        // SAFETY: the container's own bytes.
        let part = unsafe { std::slice::from_raw_parts(m.bytes.as_ptr().add(e.offset + 2), 3) };
        c.put(ch, &n, part, PutMode::Append, CHAR, m.arena())
            .unwrap();
        assert_eq!(m.text(c.get(ch, &n).unwrap()), "abcdefcde");
    }

    #[test]
    fn a_full_arena_leaves_the_container_as_it_was() {
        let (mut m, mut c) = (ChannelMemory::new(), TaskChannels::default());
        let ch = c.make(b"CH              ", 1);
        c.put(ch, &name("A"), b"old", PutMode::Replace, CHAR, m.arena())
            .unwrap();
        let big = vec![b'x'; 5000];
        assert_eq!(
            c.put(ch, &name("A"), &big, PutMode::Replace, CHAR, m.arena()),
            Err(NoRoom)
        );
        assert_eq!(m.text(c.get(ch, &name("A")).unwrap()), "old");
    }

    #[test]
    fn many_containers_are_found_by_name_after_deletes() {
        let (mut m, mut c) = (ChannelMemory::new(), TaskChannels::default());
        let ch = c.make(b"CH              ", 1);
        for i in 0..60 {
            let text = format!("C{i}");
            c.put(
                ch,
                &name(&text),
                text.as_bytes(),
                PutMode::Replace,
                CHAR,
                m.arena(),
            )
            .unwrap();
        }
        for i in 0..50 {
            assert!(c.take(ch, &name(&format!("C{i}"))).is_some());
        }
        for i in 50..60 {
            let text = format!("C{i}");
            assert_eq!(m.text(c.get(ch, &name(&text)).unwrap()), text);
        }
        assert!(c.get(ch, &name("C3")).is_none());
    }

    #[test]
    fn a_level_sees_its_own_channels_and_the_current_one() {
        let mut c = TaskChannels::default();
        let first = c.make(b"CH              ", 1);
        assert_eq!(c.find(b"CH              ", 2, None), None);
        assert_eq!(c.find(b"CH              ", 2, Some(first)), Some(first));
        let second = c.make(b"CH              ", 2);
        assert_eq!(c.find(b"CH              ", 2, None), Some(second));
        c.end_level(2, &mut ArenaHeap::new(10));
        assert_eq!(c.find(b"CH              ", 2, None), None);
        let all = c.make(&TRANSACTION, 3);
        assert_eq!(c.find(&TRANSACTION, 1, None), Some(all));
    }

    #[test]
    fn a_browse_passes_deleted_containers_by() {
        let (mut m, mut c) = (ChannelMemory::new(), TaskChannels::default());
        let ch = c.make(b"CH              ", 1);
        for n in ["A", "B", "C"] {
            c.put(ch, &name(n), b"x", PutMode::Replace, CHAR, m.arena())
                .unwrap();
        }
        let token = c.start_browse(ch);
        c.take(ch, &name("B"));
        assert_eq!(c.next_of_browse(token), Some(Some(name("A"))));
        assert_eq!(c.next_of_browse(token), Some(Some(name("C"))));
        assert_eq!(c.next_of_browse(token), Some(None));
        assert!(c.end_browse(token));
        assert_eq!(c.next_of_browse(token), None);
    }
}
