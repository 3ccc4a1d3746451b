//! A request: a head, the data, and the directory of its containers. A COMMAREA
//! precedes the containers' data.

use super::directory::{ENTRY, MAX_CONTAINERS, MessageContainerEntry, directory, put_directory};
use super::reader::{MalformedBytes, Reader};
use super::unit::{OfUnit, UnitStep};
use region::{ChannelName, ContainerName, ContainerType, Name, ProgramName, TransId, UserId};

/// Bytes of the head.
const REQUEST_HEAD: usize = 92;
const LINK: u8 = 1;
const SYNCONRETURN: u8 = 2;
const CHANNEL: u8 = 4;
const START: u8 = 8;
const UNIT: u8 = 16;
const ORDER: u8 = 32;

/// Whether a message is an order on a unit of work, which must not queue after
/// requests that wait for the unit's end.
pub fn is_order(message: &[u8]) -> bool {
    message.first().is_some_and(|flags| flags & ORDER != 0)
}

/// The head of a request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RequestHead {
    /// It is a program's LINK, not a client's request.
    pub link: bool,
    /// A program's START: the caller does not wait for its task.
    pub start: bool,
    /// The task commits when the program returns.
    pub sync_on_return: bool,
    /// It has a channel, not a COMMAREA.
    pub channel: bool,
    /// Milliseconds after which the task is ended; 0 for none.
    pub timeout_ms: u32,
    /// W3C trace id, zeros for none.
    pub trace_id: [u8; 16],
    /// Transaction to run under.
    pub transid: TransId,
    /// Transaction that the program sees; blank for the same.
    pub eib_transid: TransId,
    /// Program to run.
    pub program: ProgramName,
    /// The user; blank for the default user.
    pub user: UserId,
    /// Name of the channel; blank for the usual one.
    pub channel_name: ChannelName,
    /// Bytes of the COMMAREA.
    pub commarea_bytes: usize,
    /// The caller's unit of work that it belongs to, or is about.
    pub unit: Option<OfUnit>,
}

/// A request that is being written.
#[derive(Debug)]
pub struct RequestBuilder {
    head: RequestHead,
    message: Vec<u8>,
    directory: Vec<MessageContainerEntry>,
}

impl RequestBuilder {
    /// One with room for so many bytes of data.
    pub fn new(head: RequestHead, expected_bytes: usize) -> RequestBuilder {
        let mut message = Vec::with_capacity(REQUEST_HEAD + expected_bytes + 4 * ENTRY);
        message.resize(REQUEST_HEAD, 0);
        RequestBuilder {
            head,
            message,
            directory: Vec::new(),
        }
    }

    /// Bytes so far.
    pub fn len(&self) -> usize {
        self.message.len() + self.directory.len() * ENTRY
    }

    /// Whether nothing was put.
    pub fn is_empty(&self) -> bool {
        self.message.len() == REQUEST_HEAD
    }

    /// Adds a container of at most `most` bytes, which `fill` writes in place.
    /// It replaces one of the same name. Returns `None` if there are too many.
    pub fn put<E>(
        &mut self,
        (name, kind, ccsid): (ContainerName, ContainerType, u16),
        most: usize,
        fill: impl FnOnce(&mut [u8]) -> Result<usize, E>,
    ) -> Option<Result<(), E>> {
        if self.directory.len() >= MAX_CONTAINERS {
            return None;
        }
        self.head.channel = true;
        let at = self.message.len();
        self.message.resize(at + most, 0);
        let bytes = match fill(&mut self.message[at..]) {
            Ok(bytes) => bytes.min(most),
            Err(error) => {
                self.message.truncate(at);
                return Some(Err(error));
            }
        };
        self.message.truncate(at + bytes);
        if let Some(i) = self.directory.iter().position(|e| e.name == name) {
            self.remove(i);
        }
        let at = self.message.len() - bytes;
        self.directory.push(MessageContainerEntry {
            name,
            kind,
            ccsid,
            at,
            bytes,
        });
        Some(Ok(()))
    }

    fn remove(&mut self, index: usize) {
        let old = self.directory.remove(index);
        self.message.drain(old.at..old.at + old.bytes);
        for entry in &mut self.directory[index..] {
            entry.at -= old.bytes;
        }
    }

    /// Sets the COMMAREA, zeros before `fill`.
    pub fn set_commarea<E>(
        &mut self,
        bytes: usize,
        fill: impl FnOnce(&mut [u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        self.message.truncate(REQUEST_HEAD);
        self.message.resize(REQUEST_HEAD + bytes, 0);
        self.head.commarea_bytes = bytes;
        fill(&mut self.message[REQUEST_HEAD..])
    }

    /// The message.
    pub fn finish(mut self) -> Vec<u8> {
        let head = &self.head;
        let flag = |set: bool, bit: u8| if set { bit } else { 0 };
        let mut bytes = Vec::with_capacity(REQUEST_HEAD);
        bytes.push(
            flag(head.link, LINK)
                | flag(head.sync_on_return, SYNCONRETURN)
                | flag(head.channel, CHANNEL)
                | flag(head.start, START)
                | flag(head.unit.is_some(), UNIT)
                | flag(head.unit.is_some_and(|u| u.step.is_order()), ORDER),
        );
        bytes.extend_from_slice(&[0; 3]);
        bytes.extend_from_slice(&head.timeout_ms.to_be_bytes());
        bytes.extend_from_slice(&head.trace_id);
        bytes.extend_from_slice(head.transid.as_bytes());
        bytes.extend_from_slice(head.eib_transid.as_bytes());
        bytes.extend_from_slice(head.program.as_bytes());
        bytes.extend_from_slice(head.user.as_bytes());
        bytes.extend_from_slice(head.channel_name.as_bytes());
        bytes.extend_from_slice(&(head.commarea_bytes as u32).to_be_bytes());
        bytes.extend_from_slice(&(self.directory.len() as u32).to_be_bytes());
        bytes.extend_from_slice(&[0; 4]);
        let of = head.unit.map(|of| (of.unit, of.step.number(), of.link));
        let (unit, step, link) = of.unwrap_or((0, 0, Name::from_bytes([0; 4])));
        bytes.extend_from_slice(&unit.to_be_bytes());
        bytes.extend_from_slice(&step.to_be_bytes());
        bytes.extend_from_slice(link.as_bytes());
        self.message[..REQUEST_HEAD].copy_from_slice(&bytes);
        put_directory(&mut self.message, &self.directory);
        self.message
    }
}

/// A received request, and its parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request<B> {
    message: B,
    /// The head of the request.
    pub head: RequestHead,
    /// The containers.
    pub containers: Vec<MessageContainerEntry>,
}

impl<B: AsRef<[u8]>> Request<B> {
    /// The meaning of a message.
    pub fn parse(message: B) -> Result<Request<B>, MalformedBytes> {
        let mut r = Reader::new(message.as_ref());
        let flags = r.u8("the flags are missing")?;
        if flags & !(LINK | SYNCONRETURN | CHANNEL | START | UNIT | ORDER) != 0
            || r.array::<3>("the reserved bytes are missing")? != [0; 3]
        {
            return Err(MalformedBytes {
                what: "unknown flags",
                at: 0,
            });
        }
        let mut head = RequestHead {
            link: flags & LINK != 0,
            sync_on_return: flags & SYNCONRETURN != 0,
            channel: flags & CHANNEL != 0,
            start: flags & START != 0,
            timeout_ms: r.u32("the time limit is missing")?,
            trace_id: r.array("the trace id is missing")?,
            transid: r.name("the transaction is missing")?,
            eib_transid: r.name("the transaction is missing")?,
            program: r.name("the program is missing")?,
            user: r.name("the user is missing")?,
            channel_name: r.name("the name of a channel is missing")?,
            commarea_bytes: r.u32("the length of the COMMAREA is missing")? as usize,
            unit: None,
        };
        let count = r.u32("the number of containers is missing")? as usize;
        if r.array::<4>("the reserved bytes are missing")? != [0; 4] {
            return Err(r.wrong("the reserved bytes are not zero"));
        }
        let unit = r.u64("the unit of work is missing")?;
        let step = r.u32("the step of a unit of work is missing")?;
        match flags & (UNIT | ORDER) {
            0 => {
                let link = r.array::<4>("the name of the connection is missing")?;
                if (unit, step, link) != (0, 0, [0; 4]) {
                    return Err(r.wrong("a unit of work is not allowed here"));
                }
            }
            of => {
                let step = match of & ORDER {
                    0 => UnitStep::Link(step),
                    _ => UnitStep::order(step)?,
                };
                if head.start || head.sync_on_return || head.link == step.is_order() {
                    return Err(r.wrong("a unit of work is not allowed here"));
                }
                let link = r.name("the name of the connection is missing")?;
                head.unit = Some(OfUnit { unit, step, link });
            }
        }
        head.channel |= count > 0;
        if head.channel && head.commarea_bytes > 0 {
            return Err(r.wrong("a COMMAREA together with a channel"));
        }
        let at = r.at() + head.commarea_bytes;
        let containers = directory(message.as_ref(), at, count)?;
        Ok(Request {
            message,
            head,
            containers,
        })
    }

    /// The COMMAREA.
    pub fn commarea(&self) -> &[u8] {
        &self.message.as_ref()[REQUEST_HEAD..REQUEST_HEAD + self.head.commarea_bytes]
    }

    /// A container's bytes.
    pub fn bytes(&self, entry: &MessageContainerEntry) -> &[u8] {
        &self.message.as_ref()[entry.at..entry.at + entry.bytes]
    }

    /// Bytes of the whole message.
    pub fn len(&self) -> usize {
        self.message.as_ref().len()
    }

    /// Whether nothing is passed.
    pub fn is_empty(&self) -> bool {
        self.head.commarea_bytes == 0 && self.containers.is_empty()
    }
}
