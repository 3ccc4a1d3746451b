//! Messages that a server sends, as views over the bytes that were received.

use crate::code::ServerError;

/// Longest message that is taken, in bytes.
pub const MAX_MESSAGE_BYTES: usize = 64 * 1024 * 1024;
/// Most columns of a result, and most parameters.
const MAX_COLUMNS: usize = 1664;

/// The server sent what the protocol does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// A message longer than [`MAX_MESSAGE_BYTES`], or of a negative length.
    #[error("the server sent a message of an impossible length")]
    Length,
    /// A message whose parts do not fit its length.
    #[error("the server sent a malformed message")]
    Malformed,
    /// A message that has no place there.
    #[error("the server sent a message that was not expected")]
    Unexpected,
    /// The caller's limit on rows that are kept was reached.
    #[error("the result is larger than the limit")]
    Limit,
}

/// A column of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultColumn {
    /// Its name.
    pub name: String,
    /// Table that it is of; 0 for none.
    pub table: u32,
    /// Its number in the table; 0 for none.
    pub number: i16,
    /// Its type.
    pub oid: u32,
    /// The modifier of the type: a length + 4, a precision and scale; -1 for none.
    pub modifier: i32,
}

/// A message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BackendMessage<'a> {
    /// Authentication request: its code, and what follows.
    Authentication(u32, &'a [u8]),
    /// BackendKeyData.
    KeyData(i32, i32),
    /// ParameterStatus.
    Parameter(String, String),
    /// ReadyForQuery: I, T or E.
    Ready(u8),
    /// ParseComplete.
    Parsed,
    /// BindComplete.
    Bound,
    /// CloseComplete.
    Closed,
    /// NoData.
    NoData,
    /// ParameterDescription.
    Parameters(Vec<u32>),
    /// RowDescription.
    Columns(Vec<ResultColumn>),
    /// DataRow.
    Row(ResultRow<'a>),
    /// CommandComplete: its tag.
    Complete(&'a str),
    /// EmptyQueryResponse.
    Empty,
    /// PortalSuspended.
    Suspended,
    /// ErrorResponse.
    Error(Box<ServerError>),
    /// NoticeResponse.
    Notice(Box<ServerError>),
    /// NotificationResponse.
    Notification,
    /// The server wants to begin a COPY.
    Copy,
}

/// The values of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResultRow<'a> {
    count: usize,
    /// The DataRow's body, its count included.
    body: &'a [u8],
}

impl<'a> ResultRow<'a> {
    /// A row of a DataRow's body, whose lengths are checked.
    pub fn parse(body: &'a [u8]) -> Result<ResultRow<'a>, WireError> {
        let mut reader = Reader(body);
        let count = usize::from(reader.short()?);
        if count > MAX_COLUMNS {
            return Err(WireError::Malformed);
        }
        let row = ResultRow { count, body };
        for _ in 0..count {
            reader.value()?;
        }
        if reader.0.is_empty() {
            Ok(row)
        } else {
            Err(WireError::Malformed)
        }
    }

    /// Number of values.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The body that [`ResultRow::parse`] reads.
    pub fn bytes(&self) -> &'a [u8] {
        self.body
    }

    /// The values in their order; `None` is NULL.
    pub fn values(&self) -> impl Iterator<Item = Option<&'a [u8]>> + use<'a> {
        let mut reader = Reader(self.body.get(2..).unwrap_or_default());
        (0..self.count).map(move |_| reader.value().unwrap_or(None))
    }
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], WireError> {
        let (part, rest) = self
            .0
            .split_at_checked(length)
            .ok_or(WireError::Malformed)?;
        self.0 = rest;
        Ok(part)
    }

    fn byte(&mut self) -> Result<u8, WireError> {
        Ok(self.take(1)?[0])
    }

    fn short(&mut self) -> Result<u16, WireError> {
        let part = self.take(2)?;
        Ok(u16::from_be_bytes([part[0], part[1]]))
    }

    fn long(&mut self) -> Result<u32, WireError> {
        let part = self.take(4)?;
        Ok(u32::from_be_bytes([part[0], part[1], part[2], part[3]]))
    }

    fn signed(&mut self) -> Result<i32, WireError> {
        self.long().map(u32::cast_signed)
    }

    fn text(&mut self) -> Result<&'a str, WireError> {
        let end = self
            .0
            .iter()
            .position(|b| *b == 0)
            .ok_or(WireError::Malformed)?;
        let part = self.take(end)?;
        self.byte()?;
        std::str::from_utf8(part).map_err(|_| WireError::Malformed)
    }

    fn lossy(&mut self) -> Result<String, WireError> {
        let end = self
            .0
            .iter()
            .position(|b| *b == 0)
            .ok_or(WireError::Malformed)?;
        let part = self.take(end)?;
        self.byte()?;
        Ok(String::from_utf8_lossy(part).into_owned())
    }

    fn value(&mut self) -> Result<Option<&'a [u8]>, WireError> {
        match self.signed()? {
            -1 => Ok(None),
            length => {
                let length = usize::try_from(length).map_err(|_| WireError::Malformed)?;
                self.take(length).map(Some)
            }
        }
    }
}

/// The tag and the length of the message that bytes begin with, tag included;
/// `None` if more bytes are needed.
pub fn frame(bytes: &[u8]) -> Result<Option<(u8, usize)>, WireError> {
    let Some(head) = bytes.first_chunk::<5>() else {
        return Ok(None);
    };
    let length = i32::from_be_bytes([head[1], head[2], head[3], head[4]]);
    let length = usize::try_from(length).map_err(|_| WireError::Length)?;
    if !(4..=MAX_MESSAGE_BYTES).contains(&length) {
        return Err(WireError::Length);
    }
    Ok(Some((head[0], length + 1)))
}

/// Reads the message of a tag.
pub fn parse(tag: u8, body: &[u8]) -> Result<BackendMessage<'_>, WireError> {
    let mut r = Reader(body);
    Ok(match tag {
        b'R' => {
            let code = r.long()?;
            BackendMessage::Authentication(code, r.0)
        }
        b'K' => BackendMessage::KeyData(r.signed()?, r.signed()?),
        b'S' => BackendMessage::Parameter(r.lossy()?, r.lossy()?),
        b'Z' => match r.byte()? {
            state @ (b'I' | b'T' | b'E') => BackendMessage::Ready(state),
            _ => return Err(WireError::Malformed),
        },
        b'1' => BackendMessage::Parsed,
        b'2' => BackendMessage::Bound,
        b'3' => BackendMessage::Closed,
        b'n' => BackendMessage::NoData,
        b't' => {
            let count = usize::from(r.short()?);
            let mut types = Vec::with_capacity(count.min(MAX_COLUMNS));
            for _ in 0..count {
                types.push(r.long()?);
            }
            BackendMessage::Parameters(types)
        }
        b'T' => {
            let count = usize::from(r.short()?);
            if count > MAX_COLUMNS {
                return Err(WireError::Malformed);
            }
            let mut columns = Vec::with_capacity(count);
            for _ in 0..count {
                let name = r.lossy()?;
                let table = r.long()?;
                let number = r.short()?.cast_signed();
                let oid = r.long()?;
                r.short()?;
                let modifier = r.signed()?;
                r.short()?;
                columns.push(ResultColumn {
                    name,
                    table,
                    number,
                    oid,
                    modifier,
                });
            }
            BackendMessage::Columns(columns)
        }
        b'D' => BackendMessage::Row(ResultRow::parse(body)?),
        b'C' => BackendMessage::Complete(r.text()?),
        b'I' => BackendMessage::Empty,
        b's' => BackendMessage::Suspended,
        b'E' => BackendMessage::Error(Box::new(error(r)?)),
        b'N' => BackendMessage::Notice(Box::new(error(r)?)),
        b'A' => BackendMessage::Notification,
        b'G' | b'H' | b'W' => BackendMessage::Copy,
        _ => return Err(WireError::Unexpected),
    })
}

/// Rows of a CommandComplete's tag: `UPDATE 3`, `INSERT 0 1`.
pub fn tag_rows(tag: &str) -> u64 {
    tag.rsplit(' ')
        .next()
        .and_then(|n| n.parse().ok())
        .unwrap_or(0)
}

fn error(mut r: Reader<'_>) -> Result<ServerError, WireError> {
    let mut error = ServerError::default();
    loop {
        let field = r.byte()?;
        if field == 0 {
            return Ok(error);
        }
        let value = r.lossy()?;
        match field {
            b'C' => error.sqlstate = value,
            b'M' => error.message = value,
            b'D' => error.detail = value,
            b'H' => error.hint = value,
            b'P' => error.position = value.parse().unwrap_or(0),
            b's' => error.schema = value,
            b't' => error.table = value,
            b'c' => error.column = value,
            b'd' => error.data_type = value,
            b'n' => error.constraint = value,
            b'V' => error.fatal = matches!(value.as_str(), "FATAL" | "PANIC"),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_has_its_fields() {
        let body = b"SERROR\0VERROR\0C23505\0Mduplicate key\0nXACCT\0\0";
        let Ok(BackendMessage::Error(error)) = parse(b'E', body) else {
            panic!();
        };
        assert_eq!(
            (error.sqlstate.as_str(), error.constraint.as_str()),
            ("23505", "XACCT")
        );
        assert!(!error.fatal);
    }

    #[test]
    fn a_row_has_values_and_nulls() {
        let row = ResultRow::parse(b"\0\x02\0\0\0\x02AB\xff\xff\xff\xff").unwrap();
        let values: Vec<_> = row.values().collect();
        assert_eq!(values, [Some(&b"AB"[..]), None]);
        assert_eq!(
            ResultRow::parse(b"\0\x01\0\0\0\x09AB"),
            Err(WireError::Malformed)
        );
        assert_eq!(tag_rows("INSERT 0 12"), 12);
        assert_eq!(tag_rows("BEGIN"), 0);
    }

    #[test]
    fn impossible_lengths_are_refused() {
        assert_eq!(frame(b"D\0\0\0\x03"), Err(WireError::Length));
        assert_eq!(frame(b"D\xff\0\0\x03"), Err(WireError::Length));
        assert_eq!(frame(b"D\0\0"), Ok(None));
        assert_eq!(frame(b"Z\0\0\0\x05"), Ok(Some((b'Z', 6))));
    }

    proptest::proptest! {
        #[test]
        fn no_message_makes_it_panic(
            tag in proptest::sample::select(b"RKSZ123ntTDCIsENAGHW?".to_vec()),
            body in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..64),
        ) {
            if let Ok(BackendMessage::Row(row)) = parse(tag, &body) {
                row.values().count();
            }
        }
    }
}
