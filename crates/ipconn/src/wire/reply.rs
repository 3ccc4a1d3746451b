//! A reply: a head, words, the data, and the directory of its containers.

use super::directory::{ENTRY, MessageContainerEntry, directory, put_directory};
use super::reader::{MalformedBytes, Reader};
use region::{ChannelName, ContainerName, ContainerType, ProgramName};

/// Bytes of the head.
const REPLY_HEAD: usize = 56;
/// Offset of the state of the caller's unit of work in a reply.
pub const IN_UNIT_AT: usize = 1;
/// Most bytes of the words.
const MAX_TEXT: usize = 4096;

/// The state of the caller's unit of work in a reply.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum InUnit {
    /// It has nothing here.
    #[default]
    Nothing,
    /// It has changes or locks here, and the LINK is one of those that ran.
    Held,
    /// Its changes are backed out, so it cannot be committed.
    Lost,
    /// It is unchanged: the LINK did not run.
    Unchanged,
}

/// The outcome of a request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RequestEnding {
    /// The program ended normally; its unit of work is committed.
    #[default]
    Normal,
    /// It ended with an abend; its unit of work is backed out.
    Abend([u8; 4]),
    /// It did not run, and may later or elsewhere.
    Later,
    /// It did not run, and will not.
    Never,
    /// It did not run, or was undone: RESP and RESP2 for a program.
    Condition(u16, u16),
}

impl RequestEnding {
    /// ROLLEDBACK: a unit of work is backed out.
    pub fn is_rolled_back(self) -> bool {
        matches!(self, RequestEnding::Condition(82, _))
    }
}

/// The head of a reply, before its data.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReplyHead {
    /// The outcome.
    pub ending: RequestEnding,
    /// Program in control at an abend; blank when unknown.
    pub program: ProgramName,
    /// Line of its source, 0 when unknown.
    pub line: u32,
    /// A message about the outcome.
    pub text: String,
    /// Number of the task, 0 for none.
    pub task: u64,
    /// Name of the returned channel; blank for none.
    pub channel_name: ChannelName,
    /// The state of the caller's unit of work here.
    pub in_unit: InUnit,
}

/// A container of a reply: name, data type, code page, bytes.
pub type ReplyContainer<'a> = (ContainerName, ContainerType, u16, &'a [u8]);

/// The bytes of a reply: the head, the COMMAREA, the containers.
pub fn emit_reply(head: &ReplyHead, commarea: &[u8], containers: &[ReplyContainer<'_>]) -> Vec<u8> {
    let text = &head.text.as_bytes()[..head.text.len().min(MAX_TEXT)];
    let data = containers.iter().map(|(.., bytes)| bytes.len() + ENTRY);
    let data: usize = data.sum();
    let mut out = Vec::with_capacity(REPLY_HEAD + text.len() + commarea.len() + data);
    let (ending, code, resp2) = match head.ending {
        RequestEnding::Normal => (0, [0; 4], 0),
        RequestEnding::Abend(code) => (1, code, 0),
        RequestEnding::Later => (2, [0; 4], 0),
        RequestEnding::Never => (3, [0; 4], 0),
        RequestEnding::Condition(resp, resp2) => (4, u32::from(resp).to_be_bytes(), resp2),
    };
    out.extend_from_slice(&[ending, head.in_unit as u8]);
    out.extend_from_slice(&resp2.to_be_bytes());
    out.extend_from_slice(&code);
    out.extend_from_slice(head.program.as_bytes());
    out.extend_from_slice(&head.line.to_be_bytes());
    out.extend_from_slice(&(text.len() as u32).to_be_bytes());
    out.extend_from_slice(&head.task.to_be_bytes());
    out.extend_from_slice(head.channel_name.as_bytes());
    out.extend_from_slice(&(commarea.len() as u32).to_be_bytes());
    out.extend_from_slice(&(containers.len() as u32).to_be_bytes());
    out.extend_from_slice(text);
    out.extend_from_slice(commarea);
    let mut entries = Vec::with_capacity(containers.len());
    for &(name, kind, ccsid, bytes) in containers {
        entries.push(MessageContainerEntry {
            name,
            kind,
            ccsid,
            at: out.len(),
            bytes: bytes.len(),
        });
        out.extend_from_slice(bytes);
    }
    put_directory(&mut out, &entries);
    out
}

/// A received reply, and its parts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReplyMessage {
    message: Vec<u8>,
    /// The outcome and its data.
    pub head: ReplyHead,
    /// The containers.
    pub containers: Vec<MessageContainerEntry>,
    commarea: (usize, usize),
}

impl ReplyMessage {
    /// The meaning of a message.
    pub fn parse(message: Vec<u8>) -> Result<ReplyMessage, MalformedBytes> {
        let mut r = Reader::new(&message);
        let ending = r.u8("the ending is missing")?;
        let in_unit = match r.u8("the state of the unit of work is missing")? {
            0 => InUnit::Nothing,
            1 => InUnit::Held,
            2 => InUnit::Lost,
            3 => InUnit::Unchanged,
            _ => return Err(r.wrong("unknown state of the unit of work")),
        };
        let resp2 = r.u16("the RESP2 is missing")?;
        let code: [u8; 4] = r.array("the code is missing")?;
        let ending = match ending {
            0 => RequestEnding::Normal,
            1 if code.iter().all(u8::is_ascii_graphic) => RequestEnding::Abend(code),
            2 => RequestEnding::Later,
            3 => RequestEnding::Never,
            4 if code[..2] == [0; 2] => {
                RequestEnding::Condition(u16::from_be_bytes([code[2], code[3]]), resp2)
            }
            _ => {
                return Err(MalformedBytes {
                    what: "unknown outcome",
                    at: 0,
                });
            }
        };
        let program = r.name("the program is missing")?;
        let line = r.u32("the line is missing")?;
        let text = r.u32("the length of the message text is missing")? as usize;
        let task = r.u64("the task is missing")?;
        let channel_name = r.name("the name of a channel is missing")?;
        let commarea = r.u32("the length of the COMMAREA is missing")? as usize;
        let count = r.u32("the number of containers is missing")? as usize;
        if text > MAX_TEXT {
            return Err(r.wrong("the message text is longer than a reply may have"));
        }
        let text =
            String::from_utf8_lossy(r.take(text, "the message text is cut off")?).into_owned();
        let at = r.at();
        let containers = directory(&message, at + commarea, count)?;
        Ok(ReplyMessage {
            head: ReplyHead {
                ending,
                program,
                line,
                text,
                task,
                channel_name,
                in_unit,
            },
            containers,
            commarea: (at, commarea),
            message,
        })
    }

    /// The COMMAREA.
    pub fn commarea(&self) -> &[u8] {
        let (at, bytes) = self.commarea;
        &self.message[at..at + bytes]
    }

    /// The bytes of a container. Returns `None` if the reply has no container
    /// of this name.
    pub fn container(&self, name: &str) -> Option<&[u8]> {
        let found = self.containers.iter().find(|e| e.name.as_str() == name)?;
        Some(self.bytes(found))
    }

    /// The same by a name that was parsed.
    pub fn named(&self, name: ContainerName) -> Option<&[u8]> {
        let found = self.containers.iter().find(|e| e.name == name)?;
        Some(self.bytes(found))
    }

    /// A container's bytes.
    pub fn bytes(&self, entry: &MessageContainerEntry) -> &[u8] {
        &self.message[entry.at..entry.at + entry.bytes]
    }
}
