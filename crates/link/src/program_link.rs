//! Messages of a distributed program link: a LINK to a program of another
//! region, and its answer.
//!
//! Two forms, each with its number in front: with a COMMAREA, and with a
//! channel. A reply has the form of its request. The byte boxes are in
//! `docs/internals/program-link.md`; both ends are Tupelo's own, and the format
//! is not that of other products.
//!
//! Invariant: whatever a peer sends is parsed or refused, and nothing is copied
//! here but into a message that is emitted.

use crate::{ChannelName, ContainerName, ContainerType};

/// Bytes of the records that a message is cut into.
pub const RECORD_BYTES: usize = 32_000;
/// Longest COMMAREA, in bytes.
pub const MAX_COMMAREA: usize = 32_763;
/// Longest message with a channel, in bytes: the containers with 24 bytes for
/// each. The limit bounds the memory that a partner can make this side use.
pub const MAX_CHANNEL: usize = 64 << 20;
/// Most containers of a message.
pub const MAX_CONTAINERS: usize = 4096;
/// The initialisation parameter with which a caller attaches the mirror for a
/// channel. A mirror that knows no channels takes no parameters and refuses the
/// Attach, before anything was run.
pub const CHANNEL_PARAMETER: &[u8] = b"TXDL\x02";

/// The initialisation parameter by which a caller identifies itself to its own
/// region: flags and the user's eight characters follow. The parameter is not sent to
/// other regions.
pub const CALLER_PARAMETER: &[u8] = b"TXCL";
/// The flag of a caller that said SYNCONRETURN.
pub const CALLER_SYNCS: u8 = 1;
/// The flag of one that does not link: its message is the operands of a START,
/// and the answer RESP and RESP2 (u16 each) and the name of the request.
pub const CALLER_STARTS: u8 = 2;

const NAME: &[u8; 4] = b"TXDL";
const COMMAREA_FORM: u8 = 1;
const CHANNEL_FORM: u8 = 2;
/// Kinds of a container in a message.
const BIT: u8 = 0;
const CHAR: u8 = 1;
/// The container is as the request had it; its bytes are left out.
const SAME: u8 = 2;

/// Bytes of a reply with a COMMAREA, without it.
pub const REPLY_BYTES: usize = 5 + 1 + 4 + 4;

/// The data of a LINK, in either direction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkData<'a> {
    /// A COMMAREA, empty for none.
    Commarea(&'a [u8]),
    /// A channel. Its name in a reply is that of the request.
    Channel(ChannelName, Vec<MessageContainer<'a>>),
}

/// A container of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MessageContainer<'a> {
    /// Name.
    pub name: ContainerName,
    /// Data type, and code page of characters (0: the sender's own); none in a
    /// reply where the container is as it was in the request.
    pub data: Option<(ContainerType, u16, &'a [u8])>,
}

/// How the program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProgramEnding {
    /// Normally.
    Normal,
    /// With an abend code.
    Abend([u8; 4]),
    /// The program did not run: RESP and RESP2.
    Condition(u16, u16),
}

/// A LINK.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request<'a> {
    /// The program, blank padded.
    pub program: [u8; 8],
    /// The program's input.
    pub passed: LinkData<'a>,
}

/// The answer to one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkReply<'a> {
    /// How the program ended.
    pub ending: ProgramEnding,
    /// The program's output; empty unless it ended normally.
    pub passed: LinkData<'a>,
}

impl<'a> Request<'a> {
    /// Reads a message. Returns `None` when it is not a request.
    pub fn parse(message: &'a [u8]) -> Option<Request<'a>> {
        let mut r = Reader(message);
        let form = r.form()?;
        let program = *r.array::<8>()?;
        let passed = r.passed(form)?;
        let plain = match &passed {
            LinkData::Commarea(area) => area.len() <= MAX_COMMAREA,
            // There is no earlier state that a container could be as.
            LinkData::Channel(_, sent) => sent.iter().all(|s| s.data.is_some()),
        };
        plain.then_some(Request { program, passed })
    }

    /// The message's bytes.
    pub fn emit(&self) -> Vec<u8> {
        let mut out = begin(&self.passed);
        out.extend_from_slice(&self.program);
        put_passed(&mut out, &self.passed);
        out
    }
}

impl<'a> LinkReply<'a> {
    /// Reads a message. Returns `None` when it is not a reply.
    pub fn parse(message: &'a [u8]) -> Option<LinkReply<'a>> {
        let mut r = Reader(message);
        let form = r.form()?;
        let [ending] = *r.array()?;
        let code = *r.array::<4>()?;
        let [c0, c1, c2, c3] = code;
        let ending = match ending {
            0 => ProgramEnding::Normal,
            1 => ProgramEnding::Abend(code),
            2 => {
                ProgramEnding::Condition(u16::from_be_bytes([c0, c1]), u16::from_be_bytes([c2, c3]))
            }
            _ => return None,
        };
        let passed = r.passed(form)?;
        Some(LinkReply { ending, passed })
    }

    /// The message's bytes.
    pub fn emit(&self) -> Vec<u8> {
        let mut out = begin(&self.passed);
        let (kind, code) = match self.ending {
            ProgramEnding::Normal => (0, [0; 4]),
            ProgramEnding::Abend(code) => (1, code),
            ProgramEnding::Condition(resp, resp2) => {
                let ([r0, r1], [s0, s1]) = (resp.to_be_bytes(), resp2.to_be_bytes());
                (2, [r0, r1, s0, s1])
            }
        };
        out.push(kind);
        out.extend_from_slice(&code);
        put_passed(&mut out, &self.passed);
        out
    }
}

/// Bytes of a channel's message with these containers.
pub fn channel_bytes(data: impl IntoIterator<Item = usize>) -> usize {
    let heads = 5 + 8 + 16 + 4;
    data.into_iter().fold(heads, |sum, bytes| {
        sum.saturating_add(CONTAINER_BYTES).saturating_add(bytes)
    })
}

/// Bytes of a container in a message, without its data.
const CONTAINER_BYTES: usize = 16 + 1 + 1 + 2 + 4;

fn begin(passed: &LinkData<'_>) -> Vec<u8> {
    let (form, bytes) = match passed {
        LinkData::Commarea(area) => (COMMAREA_FORM, area.len() + 17),
        LinkData::Channel(_, sent) => {
            let data = sent.iter().map(|s| s.data.map_or(0, |(_, _, d)| d.len()));
            (CHANNEL_FORM, channel_bytes(data))
        }
    };
    let mut out = Vec::with_capacity(bytes);
    out.extend_from_slice(NAME);
    out.push(form);
    out
}

fn put_passed(out: &mut Vec<u8>, passed: &LinkData<'_>) {
    match passed {
        LinkData::Commarea(area) => {
            out.extend_from_slice(&(area.len() as u32).to_be_bytes());
            out.extend_from_slice(area);
        }
        LinkData::Channel(name, sent) => {
            out.extend_from_slice(name.as_bytes());
            out.extend_from_slice(&(sent.len() as u32).to_be_bytes());
            for container in sent {
                let (kind, ccsid, data) = match container.data {
                    None => (SAME, 0, &[][..]),
                    Some((ContainerType::Bit, _, data)) => (BIT, 0, data),
                    Some((ContainerType::Char, ccsid, data)) => (CHAR, ccsid, data),
                };
                out.extend_from_slice(container.name.as_bytes());
                out.extend_from_slice(&[kind, 0]);
                out.extend_from_slice(&ccsid.to_be_bytes());
                out.extend_from_slice(&(data.len() as u32).to_be_bytes());
                out.extend_from_slice(data);
            }
        }
    }
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, bytes: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(bytes)?;
        self.0 = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<&'a [u8; N]> {
        self.take(N)?.try_into().ok()
    }

    fn number(&mut self) -> Option<usize> {
        Some(u32::from_be_bytes(*self.array()?) as usize)
    }

    fn form(&mut self) -> Option<u8> {
        let &[n0, n1, n2, n3, form] = self.array()?;
        ([n0, n1, n2, n3] == *NAME).then_some(form)
    }

    /// The passed data: the rest of the message, to its last byte.
    fn passed(&mut self, form: u8) -> Option<LinkData<'a>> {
        let passed = match form {
            COMMAREA_FORM => {
                let bytes = self.number()?;
                LinkData::Commarea(self.take(bytes)?)
            }
            CHANNEL_FORM => {
                let channel = ChannelName::from_bytes(*self.array()?);
                let count = self.number()?;
                if count > MAX_CONTAINERS {
                    return None;
                }
                let mut sent: Vec<MessageContainer<'a>> = Vec::new();
                let mut names = std::collections::HashSet::new();
                for _ in 0..count {
                    let container = self.container()?;
                    if !names.insert(container.name) {
                        return None;
                    }
                    sent.push(container);
                }
                LinkData::Channel(channel, sent)
            }
            _ => return None,
        };
        self.0.is_empty().then_some(passed)
    }

    fn container(&mut self) -> Option<MessageContainer<'a>> {
        let name = self.array::<16>()?;
        let &[kind, _, c0, c1] = self.array()?;
        let bytes = self.number()?;
        let data = self.take(bytes)?;
        let ccsid = u16::from_be_bytes([c0, c1]);
        let data = match kind {
            BIT => Some((ContainerType::Bit, 0, data)),
            CHAR => Some((ContainerType::Char, ccsid, data)),
            SAME if bytes == 0 => None,
            _ => return None,
        };
        let name = ContainerName::from_bytes(*name);
        valid_name(name.as_bytes()).then_some(MessageContainer { name, data })
    }
}

/// Whether a channel or container may have this name.
pub fn valid_name(name: &[u8; 16]) -> bool {
    let len = name.iter().rposition(|b| *b != b' ').map_or(0, |i| i + 1);
    len > 0 && name[..len].iter().all(|b| IN_NAMES[usize::from(*b)])
}

/// The bytes that such a name may have.
const IN_NAMES: [bool; 256] = {
    let mut allowed = [false; 256];
    let others = b"$@#./-_%&?!:|\"=,;<>^";
    let mut i = 0;
    while i < others.len() {
        allowed[others[i] as usize] = true;
        i += 1;
    }
    let mut byte = 0;
    while byte < 256 {
        allowed[byte] |= (byte as u8).is_ascii_alphanumeric();
        byte += 1;
    }
    allowed
};

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn name(text: &str) -> ContainerName {
        ContainerName::new(text).unwrap()
    }

    fn request() -> Vec<u8> {
        Request {
            program: *b"PROG    ",
            passed: LinkData::Channel(
                name("CHAN"),
                vec![
                    MessageContainer {
                        name: name("BYTES"),
                        data: Some((ContainerType::Bit, 0, b"\0\xFF")),
                    },
                    MessageContainer {
                        name: name("TEXT"),
                        data: Some((ContainerType::Char, 37, b"")),
                    },
                ],
            ),
        }
        .emit()
    }

    #[test]
    fn names_follow_the_manuals_alphabet() {
        assert!(valid_name(b"LEN-TO-RETURN   "));
        assert!(valid_name(b"a.b/c_d#16chars!"));
        assert!(!valid_name(b"                "));
        assert!(!valid_name(b" LEADING        "));
        assert!(!valid_name(b"A B             "));
        assert!(!valid_name(b"A\xC4              "));
    }

    #[test]
    fn messages_mean_what_was_emitted() {
        for passed in [
            LinkData::Commarea(b""),
            LinkData::Commarea(b"abc"),
            LinkData::Channel(name("CHAN"), vec![]),
        ] {
            let request = Request {
                program: *b"PROG    ",
                passed: passed.clone(),
            };
            assert_eq!(Request::parse(&request.emit()), Some(request));
            for ending in [
                ProgramEnding::Normal,
                ProgramEnding::Abend(*b"OOPS"),
                ProgramEnding::Condition(27, 1),
            ] {
                let passed = passed.clone();
                let reply = LinkReply { ending, passed };
                assert_eq!(LinkReply::parse(&reply.emit()), Some(reply));
            }
        }
        let message = request();
        let Some(LinkData::Channel(_, sent)) = Request::parse(&message).map(|r| r.passed) else {
            panic!("a channel")
        };
        assert_eq!(sent[1].data, Some((ContainerType::Char, 37, &b""[..])));
        assert_eq!(message.len(), channel_bytes([2, 0]));
    }

    #[test]
    fn the_commarea_form_is_as_drawn() {
        let request = Request {
            program: *b"PROG    ",
            passed: LinkData::Commarea(b"ab"),
        };
        assert_eq!(request.emit(), b"TXDL\x01PROG    \0\0\0\x02ab");
        let reply = LinkReply {
            ending: ProgramEnding::Condition(27, 1),
            passed: LinkData::Commarea(b""),
        };
        assert_eq!(reply.emit(), b"TXDL\x01\x02\0\x1B\0\x01\0\0\0\0");
        assert_eq!(reply.emit().len(), REPLY_BYTES);
    }

    #[test]
    fn messages_that_lie_are_none() {
        let whole = request();
        for end in 0..whole.len() {
            assert_eq!(Request::parse(&whole[..end]), None, "{end}");
        }
        assert_eq!(Request::parse(&[&whole[..], b"c"].concat()), None);
        // Two containers of one name, an unknown kind, a name with a blank in
        // it, a container as it was before the request, a form of a later version.
        let first = 5 + 8 + 16 + 4;
        let second = first + 24 + 2;
        let changed = |at: usize, with: &[u8]| {
            let mut wrong = whole.clone();
            wrong[at..at + with.len()].copy_from_slice(with);
            wrong
        };
        for wrong in [
            changed(second, &whole[first..first + 16]),
            changed(first + 16, &[3]),
            changed(first + 1, b" "),
            changed(second + 16, &[SAME]),
            changed(4, &[3]),
            changed(29, &[0xFF; 4]),
        ] {
            assert_eq!(Request::parse(&wrong), None, "{wrong:?}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_message_or_none(bytes in proptest::collection::vec(any::<u8>(), 0..120), form in 1u8..3) {
            let bytes = [&NAME[..], &[form], &bytes].concat();
            if let Some(request) = Request::parse(&bytes) {
                prop_assert_eq!(request.emit().len(), bytes.len());
            }
            if let Some(reply) = LinkReply::parse(&bytes) {
                prop_assert_eq!(reply.emit().len(), bytes.len());
            }
        }

        #[test]
        fn a_changed_byte_never_panics(at in 0usize..80, byte in any::<u8>()) {
            let mut bytes = request();
            let at = at % bytes.len();
            bytes[at] = byte;
            let _ = Request::parse(&bytes);
        }
    }
}
