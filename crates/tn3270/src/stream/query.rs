//! Query Reply: what a terminal says of itself.
//!
//! ```text
//! length (2) | 81 | code | contents          after the AID X'88'
//! ```
//! A server reads size, colours and code page out of the replies with
//! [`QuerySummary`]; a terminal writes them with [`QueryReply::emit`].
//! Reference: GA23-0059, "Query Reply".

use super::error::StreamError;
use super::structured::{StructuredFields, close_field};

/// One reply, as far as a display's host needs its contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryReply<'a> {
    /// Summary: the codes of the replies.
    Summary(&'a [u8]),
    /// Usable Area: the size of the display.
    UsableArea(UsableArea),
    /// Alphanumeric Partitions: the positions that all partitions share. Only
    /// the implicit partition exists.
    AlphanumericPartitions(u16),
    /// Character Sets: the graphic character set and code page of the base set.
    CharacterSets {
        /// Number of the graphic character set, as 697.
        graphic_set: u16,
        /// Number of the code page, as 37. Some terminals say 37 whatever they
        /// use.
        code_page: u16,
        /// Whether GE is supported.
        graphic_escape: bool,
    },
    /// Colour: pairs of attribute value and colour shown.
    Color(&'a [u8]),
    /// Highlighting: pairs of attribute value and highlighting shown.
    Highlighting(&'a [u8]),
    /// Reply Modes: their numbers.
    ReplyModes(&'a [u8]),
    /// RPQ Names: the name of the emulator, in EBCDIC.
    RpqName(&'a [u8]),
    /// Implicit Partition: default and alternate size, each columns and rows.
    ImplicitPartition {
        /// Columns and rows of the default size.
        default: (u16, u16),
        /// Columns and rows of the alternate size.
        alternate: (u16, u16),
    },
    /// Any other, or one whose contents are too short for its code.
    Other {
        /// The code.
        code: u8,
        /// The contents.
        contents: &'a [u8],
    },
}

/// The size of a display.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsableArea {
    /// Columns.
    pub columns: u16,
    /// Rows.
    pub rows: u16,
    /// Positions of the buffer; 0 if not said.
    pub buffer: u16,
}

impl<'a> QueryReply<'a> {
    /// The meaning of a reply's code and contents.
    pub fn parse(code: u8, contents: &'a [u8]) -> QueryReply<'a> {
        let known = match code {
            SUMMARY => Some(QueryReply::Summary(contents)),
            USABLE_AREA => usable_area(contents),
            ALPHANUMERIC_PARTITIONS => alphanumeric_partitions(contents),
            CHARACTER_SETS => character_sets(contents),
            COLOR => pairs(contents).map(QueryReply::Color),
            HIGHLIGHTING => highlighting(contents),
            REPLY_MODES => Some(QueryReply::ReplyModes(contents)),
            RPQ_NAMES => rpq_name(contents),
            IMPLICIT_PARTITION => implicit_partition(contents),
            _ => None,
        };
        known.unwrap_or(QueryReply::Other { code, contents })
    }

    /// Appends the reply as a structured field.
    pub fn emit(&self, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend([0, 0, QUERY_REPLY, self.code()]);
        match *self {
            QueryReply::Summary(codes) => out.extend(codes),
            QueryReply::UsableArea(area) => {
                out.extend([0x01, 0x00]);
                out.extend(area.columns.to_be_bytes());
                out.extend(area.rows.to_be_bytes());
                // Millimetres; the points are those that emulators send.
                out.extend([0x01, 0x00, 0x0A, 0x02, 0xE5, 0x00, 0x02, 0x00, 0x6F]);
                out.extend(CELL);
                out.extend(area.buffer.to_be_bytes());
            }
            QueryReply::AlphanumericPartitions(buffer) => {
                out.push(0);
                out.extend(buffer.to_be_bytes());
                out.push(0);
            }
            QueryReply::CharacterSets {
                graphic_set,
                code_page,
                graphic_escape,
            } => {
                out.extend([if graphic_escape { 0x82 } else { 0x02 }, 0x00]);
                out.extend(CELL);
                out.extend([0, 0, 0, 0, 7, 0x00, 0x10, 0x00]);
                out.extend(graphic_set.to_be_bytes());
                out.extend(code_page.to_be_bytes());
                if graphic_escape {
                    out.extend([0x01, 0x00, 0xF1, 0x03, 0xC3, 0x01, 0x36]);
                }
            }
            QueryReply::Color(pairs) => {
                out.extend([0, (pairs.len() / 2) as u8]);
                out.extend(pairs);
            }
            QueryReply::Highlighting(pairs) => {
                out.push((pairs.len() / 2) as u8);
                out.extend(pairs);
            }
            QueryReply::ReplyModes(modes) => out.extend(modes),
            QueryReply::RpqName(name) => {
                out.extend([0; 8]);
                // The length counts itself.
                out.push(name.len() as u8 + 1);
                out.extend(name);
            }
            QueryReply::ImplicitPartition { default, alternate } => {
                out.extend([0, 0, 0x0B, 0x01, 0x00]);
                for size in [default, alternate] {
                    out.extend(size.0.to_be_bytes());
                    out.extend(size.1.to_be_bytes());
                }
            }
            QueryReply::Other { contents, .. } => out.extend(contents),
        }
        close_field(start, out);
    }

    /// The code of the reply.
    pub const fn code(&self) -> u8 {
        match self {
            QueryReply::Summary(_) => SUMMARY,
            QueryReply::UsableArea(_) => USABLE_AREA,
            QueryReply::AlphanumericPartitions(_) => ALPHANUMERIC_PARTITIONS,
            QueryReply::CharacterSets { .. } => CHARACTER_SETS,
            QueryReply::Color(_) => COLOR,
            QueryReply::Highlighting(_) => HIGHLIGHTING,
            QueryReply::ReplyModes(_) => REPLY_MODES,
            QueryReply::RpqName(_) => RPQ_NAMES,
            QueryReply::ImplicitPartition { .. } => IMPLICIT_PARTITION,
            QueryReply::Other { code, .. } => *code,
        }
    }
}

/// The Query Replies of an inbound record; other structured fields are
/// skipped.
#[derive(Clone, Debug)]
pub struct QueryReplies<'a> {
    fields: StructuredFields<'a>,
}

impl<'a> QueryReplies<'a> {
    /// Walks over the bytes after the AID X'88'.
    pub const fn new(bytes: &'a [u8]) -> QueryReplies<'a> {
        QueryReplies {
            fields: StructuredFields::new(bytes),
        }
    }
}

impl<'a> Iterator for QueryReplies<'a> {
    type Item = Result<QueryReply<'a>, StreamError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.fields.next()? {
                Ok((QUERY_REPLY, [code, contents @ ..])) => {
                    return Some(Ok(QueryReply::parse(*code, contents)));
                }
                Ok(_) => {}
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

/// What a server keeps of all replies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QuerySummary {
    /// Columns and rows of the display.
    pub usable: Option<(u16, u16)>,
    /// Columns and rows of the default size.
    pub default: Option<(u16, u16)>,
    /// Columns and rows of the alternate size.
    pub alternate: Option<(u16, u16)>,
    /// Whether extended colours are shown.
    pub color: bool,
    /// Whether extended highlighting is shown.
    pub highlight: bool,
    /// The code page that the terminal names.
    pub code_page: Option<u16>,
    /// Whether GE is supported.
    pub graphic_escape: bool,
    /// Whether the terminal can give character attributes back.
    pub character_mode: bool,
    /// The name of the emulator, in EBCDIC, at most 16 bytes.
    pub emulator: Vec<u8>,
}

impl QuerySummary {
    /// Collects the replies of an inbound record, from after the AID X'88'.
    ///
    /// # Errors
    /// A structured field's length is impossible.
    pub fn collect(bytes: &[u8]) -> Result<QuerySummary, StreamError> {
        let mut summary = QuerySummary::default();
        for reply in QueryReplies::new(bytes) {
            summary.add(&reply?);
        }
        Ok(summary)
    }

    fn add(&mut self, reply: &QueryReply<'_>) {
        match *reply {
            QueryReply::UsableArea(area) => self.usable = Some((area.columns, area.rows)),
            QueryReply::CharacterSets {
                code_page,
                graphic_escape,
                ..
            } => {
                self.code_page = Some(code_page).filter(|page| *page != 0);
                self.graphic_escape = graphic_escape;
            }
            // A monochrome display can answer with the default pair only.
            QueryReply::Color(pairs) => self.color = pairs.len() > 2,
            QueryReply::Highlighting(pairs) => self.highlight = pairs.len() > 2,
            QueryReply::ReplyModes(modes) => self.character_mode = modes.contains(&2),
            QueryReply::RpqName(name) => {
                self.emulator = name[..name.len().min(16)].to_vec();
            }
            QueryReply::ImplicitPartition { default, alternate } => {
                self.default = Some(default);
                self.alternate = Some(alternate);
            }
            QueryReply::Summary(_)
            | QueryReply::AlphanumericPartitions(_)
            | QueryReply::Other { .. } => {}
        }
    }
}

fn word(bytes: &[u8], at: usize) -> Option<u16> {
    let bytes = bytes.get(at..at + 2)?;
    Some(u16::from_be_bytes([bytes[0], bytes[1]]))
}

fn usable_area<'a>(contents: &[u8]) -> Option<QueryReply<'a>> {
    Some(QueryReply::UsableArea(UsableArea {
        columns: word(contents, 2)?,
        rows: word(contents, 4)?,
        buffer: word(contents, 17).unwrap_or(0),
    }))
}

/// Replies with other flags or more partitions are kept as they are.
fn alphanumeric_partitions<'a>(contents: &[u8]) -> Option<QueryReply<'a>> {
    match contents {
        [0, high, low, 0] => {
            let buffer = u16::from_be_bytes([*high, *low]);
            Some(QueryReply::AlphanumericPartitions(buffer))
        }
        _ => None,
    }
}

fn character_sets<'a>(contents: &[u8]) -> Option<QueryReply<'a>> {
    let flags = *contents.first()?;
    let length = usize::from(*contents.get(8)?);
    // The identifiers are at the end of each descriptor, if bit 02 says so.
    let has_id = flags & 0x02 != 0 && length >= 7;
    let mut base = None;
    for descriptor in contents[9..].chunks_exact(length.max(1)) {
        if has_id && base.is_none() && descriptor[2] == 0 {
            base = Some((word(descriptor, length - 4)?, word(descriptor, length - 2)?));
        }
    }
    let (graphic_set, code_page) = base.unwrap_or_default();
    Some(QueryReply::CharacterSets {
        graphic_set,
        code_page,
        graphic_escape: flags & 0x80 != 0,
    })
}

/// The pairs of a colour reply: flags, count, pairs.
fn pairs(contents: &[u8]) -> Option<&[u8]> {
    let count = usize::from(*contents.get(1)?);
    contents.get(2..2 + count * 2)
}

/// The pairs of a highlighting reply: count, pairs.
fn highlighting(contents: &[u8]) -> Option<QueryReply<'_>> {
    let count = usize::from(*contents.first()?);
    let pairs = contents.get(1..1 + count * 2)?;
    Some(QueryReply::Highlighting(pairs))
}

fn rpq_name(contents: &[u8]) -> Option<QueryReply<'_>> {
    let length = usize::from(*contents.get(8)?).checked_sub(1)?;
    Some(QueryReply::RpqName(contents.get(9..9 + length)?))
}

fn implicit_partition<'a>(contents: &[u8]) -> Option<QueryReply<'a>> {
    // Only the self-defining parameter of the sizes is known.
    if contents.get(3) != Some(&0x01) {
        return None;
    }
    Some(QueryReply::ImplicitPartition {
        default: (word(contents, 5)?, word(contents, 7)?),
        alternate: (word(contents, 9)?, word(contents, 11)?),
    })
}

pub(crate) const SUMMARY: u8 = 0x80;
pub(crate) const USABLE_AREA: u8 = 0x81;
pub(crate) const ALPHANUMERIC_PARTITIONS: u8 = 0x84;
pub(crate) const CHARACTER_SETS: u8 = 0x85;
pub(crate) const COLOR: u8 = 0x86;
pub(crate) const HIGHLIGHTING: u8 = 0x87;
pub(crate) const REPLY_MODES: u8 = 0x88;
pub(crate) const RPQ_NAMES: u8 = 0xA1;
pub(crate) const IMPLICIT_PARTITION: u8 = 0xA6;
/// The answer to a Query List with no code that is supported.
pub(crate) const NULL: u8 = 0xFF;
const QUERY_REPLY: u8 = 0x81;
/// Width and height of a character cell in points.
const CELL: [u8; 2] = [0x09, 0x0C];

#[cfg(test)]
mod tests {
    use super::*;

    /// The replies of s3270, model 3279-2-E.
    const RECORDED: &str = "000e81808081848586878895a1a60017818101000050001801000a02e50002006f090c0780\
        00088184000780\
        00001b81858200090c000000000700100002b900250100f103c30136\
        00268186001000f4f1f1f2f2f3f3f4f4f5f5f6f6f7f7f8f8f9f9fafafbfbfcfcfdfdfefeffff\
        000f81870500f0f1f1f2f2f4f4f8f8000781880001020\
        00c81950000400040000101001281a1000000000000000006a7f3f2f7f0\
        001181a600000b01000050001800500018";

    fn bytes(hex: &str) -> Vec<u8> {
        let digit = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
        (0..hex.len()).step_by(2).map(digit).collect()
    }

    #[test]
    fn recorded_replies_are_understood() {
        let summary = QuerySummary::collect(&bytes(RECORDED)).unwrap();
        let expected = QuerySummary {
            usable: Some((80, 24)),
            default: Some((80, 24)),
            alternate: Some((80, 24)),
            color: true,
            highlight: true,
            code_page: Some(37),
            graphic_escape: true,
            character_mode: true,
            emulator: vec![0xA7, 0xF3, 0xF2, 0xF7, 0xF0],
        };
        assert_eq!(summary, expected);
    }

    #[test]
    fn recorded_replies_come_back() {
        let recorded = bytes(RECORDED);
        let mut out = Vec::new();
        for reply in QueryReplies::new(&recorded) {
            reply.unwrap().emit(&mut out);
        }
        assert_eq!(out, recorded);
    }

    #[test]
    fn short_replies_are_kept_as_other() {
        for code in 0..=255 {
            let reply = QueryReply::parse(code, &[]);
            assert_eq!(reply.code(), code);
        }
        assert_eq!(
            QueryReply::parse(USABLE_AREA, &[1, 0, 0]),
            QueryReply::Other {
                code: USABLE_AREA,
                contents: &[1, 0, 0]
            }
        );
    }
}
