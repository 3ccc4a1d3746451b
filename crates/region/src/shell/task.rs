//! A task that is admitted: its input is written, then it runs.

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Poll, ready};

use link::layout::{REQUEST_CHANGED, REQUEST_CHANNEL, REQUEST_PIPELINE, REQUEST_STEPPED};
use link::terminal::TerminalData;
use link::{
    ArenaHeap, ChannelData, ChannelName, ContainerEntry, ContainerName, ContainerType, ENTRY_BYTES,
    Name, Request, TransId,
};

use super::lease::SlotLease;
use super::reply::TaskReply;
use crate::api::{CallFailure, PrincipalFacility, ProgramTask, PutError, StartCode};

/// An admitted task. Dropping it before [`Task::run`] gives its place up.
pub struct Task {
    pub(crate) lease: SlotLease,
    heap: ArenaHeap,
    commarea: (usize, usize),
    /// The web request that it serves.
    web: (usize, usize),
    /// Size of the terminal that the worker gets.
    terminal: (usize, usize),
    channel: ChannelName,
    start_code: StartCode,
    facility: Name<4>,
    /// Its unit of work has changes that only the region sees.
    changed: bool,
    /// Transaction that the program sees; blank for the task's own.
    seen: TransId,
}

impl Task {
    pub(crate) fn new(mut lease: SlotLease, start_code: StartCode) -> Self {
        lease.entries.clear();
        Task {
            heap: ArenaHeap::new(lease.arena_bytes()),
            lease,
            commarea: (0, 0),
            web: (0, 0),
            terminal: (0, 0),
            channel: ChannelName::BLANK,
            start_code,
            facility: Name::BLANK,
            changed: false,
            seen: TransId::BLANK,
        }
    }

    /// The program is to see what its unit of work has changed before.
    pub(crate) fn sees_changes(&mut self, changed: bool) {
        self.changed = changed;
    }

    /// Has the program see another transaction in EIBTRNID than the one that
    /// the task was admitted and is accounted under.
    pub fn set_eib_transid(&mut self, transid: TransId) {
        self.seen = transid;
    }

    /// The task's number.
    pub fn number(&self) -> u64 {
        self.lease.task()
    }

    /// Names the channel; without it a task with containers has `TUPELO`.
    pub fn set_channel(&mut self, name: ChannelName) {
        self.channel = name;
    }

    /// Gives the task its principal facility. False when the system has no
    /// thread left for a conversation; the conversation is then ended.
    pub fn set_facility(&mut self, facility: PrincipalFacility) -> bool {
        match facility {
            PrincipalFacility::None => self.facility = Name::BLANK,
            PrincipalFacility::Terminal(name) => self.facility = name,
            PrincipalFacility::Conversation(conversation) => {
                match self.lease.attach(conversation) {
                    Some(name) => self.facility = name,
                    None => return false,
                }
            }
        }
        true
    }

    pub(crate) fn set_facility_name(&mut self, name: Name<4>) {
        self.facility = name;
    }

    /// The task has a terminal.
    pub(crate) fn set_terminal(
        &mut self,
        terminal: &TerminalData,
        input: Option<&(Vec<u8>, Vec<u8>)>,
    ) -> Result<(), PutError<Infallible>> {
        let whole = input.map(|(input, prepared)| terminal.emit_with(input, prepared));
        let placed = whole.and_then(|bytes| Some((self.alloc(bytes.len())?, bytes)));
        let (offset, bytes) = match placed {
            Some(placed) => placed,
            // RECEIVE asks the region for an input that has no room.
            None => {
                let bytes = terminal.emit().to_vec();
                let offset = self.alloc(bytes.len()).ok_or(PutError::TooLarge)?;
                (offset, bytes)
            }
        };
        self.lease
            .bytes_mut(offset, bytes.len())
            .copy_from_slice(&bytes);
        self.terminal = (offset, bytes.len());
        Ok(())
    }

    /// Puts a container of at most `max_len` bytes. `fill` writes it in place,
    /// where the program will read it and returns how many bytes it wrote; what
    /// it finds there is arbitrary. A container of the same name is replaced.
    pub fn put_container<E>(
        &mut self,
        name: &str,
        kind: ContainerType,
        max_len: usize,
        fill: impl FnOnce(&mut [u8]) -> Result<usize, E>,
    ) -> Result<(), PutError<E>> {
        self.put(ContainerName::new(name)?, kind, max_len, fill)
    }

    fn put<E>(
        &mut self,
        name: ContainerName,
        kind: ContainerType,
        max_len: usize,
        fill: impl FnOnce(&mut [u8]) -> Result<usize, E>,
    ) -> Result<(), PutError<E>> {
        let offset = self.alloc(max_len).ok_or(PutError::TooLarge)?;
        let filled = fill(self.lease.bytes_mut(offset, max_len));
        let bytes = match filled {
            Ok(bytes) => bytes.min(max_len),
            Err(error) => {
                self.heap.free(offset, max_len);
                return Err(PutError::Fill(error));
            }
        };
        self.heap.resize(offset, max_len, bytes);
        let entry = ContainerEntry {
            name,
            offset,
            bytes,
            kind,
            ccsid: 0,
        };
        match self.lease.entries.iter_mut().find(|e| e.name == name) {
            Some(old) => {
                let old = std::mem::replace(old, entry);
                self.heap.free(old.offset, old.bytes);
            }
            None => self.lease.entries.push(entry),
        }
        Ok(())
    }

    /// Says in which code page the characters of a container are that was put;
    /// without it they are in the region's.
    pub fn set_code_page(&mut self, name: &str, ccsid: u16) {
        let mut entries = self.lease.entries.iter_mut();
        if let Some(entry) = entries.find(|e| e.name.as_str() == name) {
            entry.ccsid = ccsid;
        }
    }

    /// Gives the task a channel with a copy of these containers.
    pub fn put_channel(&mut self, channel: &ChannelData) -> Result<(), PutError<Infallible>> {
        self.set_channel(channel.name);
        for container in &channel.containers {
            let (name, bytes) = (container.name.as_str(), &container.bytes);
            self.put_container(name, container.kind, bytes.len(), |area| {
                area.copy_from_slice(bytes);
                Ok(bytes.len())
            })?;
            if container.ccsid != 0 {
                self.set_code_page(name, container.ccsid);
            }
        }
        Ok(())
    }

    /// Sets the COMMAREA to `len` bytes that `fill` writes in place. The bytes are
    /// zeros before.
    pub fn set_commarea<E>(
        &mut self,
        len: usize,
        fill: impl FnOnce(&mut [u8]) -> Result<(), E>,
    ) -> Result<(), PutError<E>> {
        self.set_whole_commarea(len, |area| {
            area.fill(0);
            fill(area)
        })
    }

    /// The same for a `fill` that writes all bytes: their contents before are
    /// arbitrary.
    pub fn set_whole_commarea<E>(
        &mut self,
        len: usize,
        fill: impl FnOnce(&mut [u8]) -> Result<(), E>,
    ) -> Result<(), PutError<E>> {
        let offset = self.alloc(len).ok_or(PutError::TooLarge)?;
        let area = self.lease.bytes_mut(offset, len);
        if let Err(error) = fill(area) {
            self.heap.free(offset, len);
            return Err(PutError::Fill(error));
        }
        let (old, old_len) = std::mem::replace(&mut self.commarea, (offset, len));
        if old_len > 0 {
            self.heap.free(old, old_len);
        }
        Ok(())
    }

    /// The task serves a web request: these bytes, as the crate `webtask` has
    /// them, one part after the other.
    ///
    /// # Errors
    /// The parts do not fit into the task's memory.
    pub fn set_web_request(&mut self, parts: [&[u8]; 2]) -> Result<(), PutError<Infallible>> {
        let [head, body] = parts;
        let bytes = head.len() + body.len();
        let offset = self.alloc(bytes).ok_or(PutError::TooLarge)?;
        let (to_head, to_body) = self.lease.bytes_mut(offset, bytes).split_at_mut(head.len());
        to_head.copy_from_slice(head);
        to_body.copy_from_slice(body);
        self.web = (offset, bytes);
        Ok(())
    }

    /// Runs the task to its end, its unit of work committed or backed out.
    /// Dropping the future lets the task end by itself.
    pub fn run(mut self) -> impl Future<Output = TaskReply> + Unpin {
        let request = self.request();
        let mut lease = Some(self.lease);
        // By hand: a function that waits would move all of it once more.
        poll_fn(move |cx| {
            let held = lease.as_mut().expect("it is not polled once it is over");
            let finished = ready!(held.poll_done(&request, cx));
            let held = lease.take().expect("it was there");
            Poll::Ready(held.into_reply(finished))
        })
    }

    /// Takes room, and leaves enough for the directory.
    fn alloc(&mut self, bytes: usize) -> Option<usize> {
        let directory = (self.lease.entries.len() + 2) * ENTRY_BYTES;
        if self.lease.entries.len() >= link::layout::MAX_CONTAINERS {
            return None;
        }
        let offset = self.heap.alloc(bytes)?;
        if self.heap.capacity() - self.heap.top() < directory {
            self.heap.free(offset, bytes);
            return None;
        }
        Some(offset)
    }

    /// Writes the directory and describes the request; the core adds what it
    /// knows of the task.
    pub(crate) fn request(&mut self) -> Request {
        let entries = std::mem::take(&mut self.lease.entries);
        let mut directory = 0;
        if !entries.is_empty() {
            let bytes = entries.len() * ENTRY_BYTES;
            directory = self.heap.alloc(bytes).expect("room was left for it");
            let capacity = self.heap.capacity();
            // SAFETY: the slot is this task's, and its arena has `capacity`
            // bytes.
            unsafe { link::write_directory(self.lease.arena(), capacity, directory, &entries) };
        }
        let channel = match (self.channel.is_blank(), entries.is_empty()) {
            (true, false) => Name::from_bytes(*b"TUPELO          "),
            _ => self.channel,
        };
        let terminal = (self.terminal.1 > 0).then_some(self.facility);
        let stepped = if self.lease.is_stepped(terminal) {
            REQUEST_STEPPED
        } else {
            0
        };
        let request = Request {
            start_code: Name::from_bytes(self.start_code.code()),
            flags: if channel.is_blank() {
                0
            } else {
                REQUEST_CHANNEL
            } | if self.changed { REQUEST_CHANGED } else { 0 }
                | match self.start_code {
                    StartCode::Pipeline => REQUEST_PIPELINE,
                    _ => 0,
                }
                | stepped,
            channel,
            facility: self.facility,
            used: self.heap.top() as u64,
            directory: directory as u64,
            containers: entries.len() as u64,
            commarea: self.commarea.0 as u64,
            commarea_bytes: self.commarea.1 as u64,
            web: self.web.0 as u64,
            web_bytes: self.web.1 as u64,
            terminal: self.terminal.0 as u64,
            terminal_bytes: self.terminal.1 as u64,
            transid: self.seen,
            ..Request::default()
        };
        self.lease.entries = entries;
        request
    }
}

impl ProgramTask for Task {
    type Reply = TaskReply;

    fn put_container<E>(
        &mut self,
        name: ContainerName,
        max: usize,
        fill: impl FnOnce(&mut [u8]) -> Result<usize, E>,
    ) -> Result<(), PutError<E>> {
        self.put(name, ContainerType::Bit, max, fill)
    }

    fn set_commarea<E>(
        &mut self,
        len: usize,
        fill: impl FnOnce(&mut [u8]) -> Result<(), E>,
    ) -> Result<(), PutError<E>> {
        self.set_commarea(len, fill)
    }

    fn run(self) -> impl Future<Output = Result<TaskReply, CallFailure>> {
        let mut run = self.run();
        poll_fn(move |cx| Pin::new(&mut run).poll(cx).map(Ok))
    }
}

/// A task is moved a few times before it runs.
const _: () = assert!(size_of::<Task>() <= 256);
