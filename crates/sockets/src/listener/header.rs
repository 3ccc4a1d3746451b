//! What a client says first to a standard listener.
//!
//! ```text
//!   tran[,client-in-data][,KC | IC,hhmmss | TD]
//! ```
//!
//! Lower case is upper case, ASCII or EBCDIC. The client's own data are at most
//! 40 characters and have no comma, since that would end them. A line end
//! behind the message is none of it.
//!
//! Reference: IP CICS Sockets Guide, "IBM listener input format".
//!
//! Invariant: pure; any bytes can be read.

use copybook::codepage::CodePage;

use crate::config::{StartType, delay_ms};

/// Longest client-in-data.
const MOST_DATA: usize = 40;

/// What is to be started, and with what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// The transaction, 1 to 4 characters in upper case.
    pub transid: String,
    /// What the transaction is passed, at most 40 bytes.
    pub data: Vec<u8>,
    /// How it is started.
    pub start: StartType,
    /// Milliseconds before it is, with IC.
    pub delay_ms: u64,
    /// The client speaks EBCDIC.
    pub ebcdic: bool,
}

/// Why nothing is started.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HeaderError {
    /// No transaction's name.
    #[error("INVALID TRANID")]
    TransId,
    /// More than 40 characters of data.
    #[error("CLIENT IN DATA IS LONGER THAN 40 CHARACTERS")]
    Data,
    /// Neither KC, IC nor TD.
    #[error("INVALID START TYPE")]
    StartType,
    /// IC without a comma behind it.
    #[error("COMMA MISSING AFTER IC")]
    Comma,
    /// IC with something that is no time.
    #[error("INVALID INTERVAL TIME")]
    Time,
}

/// Whether a client speaks EBCDIC: its first character is one that no name has
/// in ASCII.
pub fn is_ebcdic(message: &[u8]) -> bool {
    message.first().is_some_and(|b| *b >= 0x80)
}

/// Reads a message. `translate` says whether the name and what follows it may
/// come in EBCDIC (TRANTRN, TRANUSR). The error comes with the name, as far as
/// there is one.
pub fn parse(message: &[u8], translate: (bool, bool)) -> Result<Header, (HeaderError, String)> {
    let ebcdic = is_ebcdic(message);
    let text = match ebcdic && (translate.0 || translate.1) {
        true => to_ascii(message),
        false => message.to_vec(),
    };
    let end = text.iter().rposition(|b| !matches!(b, b'\r' | b'\n' | 0));
    let text = &text[..end.map_or(0, |end| end + 1)];
    let mut parts = text.split(|b| *b == b',');
    let name = parts.next().unwrap_or_default().trim_ascii();
    let transid = name.to_ascii_uppercase();
    let shown: String = transid.iter().take(8).map(|b| printable(*b)).collect();
    let fail = |error: HeaderError| Err((error, shown.clone()));
    let known = |b: &u8| b.is_ascii_alphanumeric() || b"$@#./-_%&?!:|\"=\\,;<>".contains(b);
    if !(1..=4).contains(&transid.len()) || !transid.iter().all(known) || ebcdic && !translate.0 {
        return fail(HeaderError::TransId);
    }
    let data = parts.next().unwrap_or_default();
    if data.len() > MOST_DATA {
        return fail(HeaderError::Data);
    }
    let mut data = data.to_vec();
    if ebcdic && !translate.1 {
        // As it came: the comma of EBCDIC parts it.
        let raw = message.split(|b| *b == EBCDIC_COMMA).nth(1);
        data = raw.unwrap_or_default().to_vec();
        data.truncate(MOST_DATA);
    }
    let kind = parts.next().unwrap_or_default().trim_ascii();
    let (start, delay) = match kind.to_ascii_uppercase().as_slice() {
        b"" | b"KC" => (StartType::Kc, 0),
        b"TD" => (StartType::Td, 0),
        b"IC" => {
            let time = parts.next().map(<[u8]>::trim_ascii);
            let Some(time) = time.and_then(|t| std::str::from_utf8(t).ok()) else {
                return fail(HeaderError::Comma);
            };
            match delay_ms(time) {
                Some(delay) => (StartType::Ic, delay),
                None => return fail(HeaderError::Time),
            }
        }
        other if other.starts_with(b"IC") => return fail(HeaderError::Comma),
        _ => return fail(HeaderError::StartType),
    };
    Ok(Header {
        transid: shown,
        data,
        start,
        delay_ms: delay,
        ebcdic,
    })
}

/// The comma of EBCDIC.
const EBCDIC_COMMA: u8 = 0x6B;

/// Characters of code page 1047 in ASCII; others become SUB.
pub fn to_ascii(bytes: &[u8]) -> Vec<u8> {
    const SUB: u8 = 0x1A;
    let page = CodePage::by_ccsid(1047).ok();
    let one = |b: &u8| match page.and_then(|p| p.char_of(*b)) {
        Some('\u{85}') => b'\n',
        Some(c) if c.is_ascii() => c as u8,
        _ => SUB,
    };
    bytes.iter().map(one).collect()
}

/// ASCII in code page 1047.
pub fn to_ebcdic(bytes: &[u8]) -> Vec<u8> {
    const SUB: u8 = 0x3F;
    let page = CodePage::by_ccsid(1047).ok();
    let one = |b: &u8| page.and_then(|p| p.byte_of(char::from(*b))).unwrap_or(SUB);
    bytes.iter().map(one).collect()
}

fn printable(byte: u8) -> char {
    match byte {
        b' '..=b'~' => char::from(byte),
        _ => '.',
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Result<Header, HeaderError> {
        parse(text.as_bytes(), (true, true)).map_err(|(error, _)| error)
    }

    fn header(transid: &str, data: &str, start: StartType, delay_ms: u64) -> Header {
        Header {
            transid: transid.into(),
            data: data.into(),
            start,
            delay_ms,
            ebcdic: false,
        }
    }

    #[test]
    fn the_guides_examples_are_read() {
        let (kc, ic, td) = (StartType::Kc, StartType::Ic, StartType::Td);
        for (text, expected) in [
            (
                "TRN1,userdataishere",
                header("TRN1", "userdataishere", kc, 0),
            ),
            ("TRN2,,IC,000003", header("TRN2", "", ic, 3000)),
            (
                "TRN3,userdataishere,TD",
                header("TRN3", "userdataishere", td, 0),
            ),
            ("TRN3,,TD", header("TRN3", "", td, 0)),
            ("TRN4", header("TRN4", "", kc, 0)),
            ("trn4,x,kc,\r\n", header("TRN4", "x", kc, 0)),
        ] {
            assert_eq!(read(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_its_reason() {
        for (text, error) in [
            ("", HeaderError::TransId),
            ("TOOLONG", HeaderError::TransId),
            ("GET / HTTP/1.1\r\n", HeaderError::TransId),
            ("\u{1}\u{2}\u{3}\u{4}", HeaderError::TransId),
            ("SCCS,DATA,IC000010", HeaderError::Comma),
            ("SCCS,DATA,IC", HeaderError::Comma),
            ("SCCS,DATA,IC,000099", HeaderError::Time),
            ("SCCS,DATA,XX", HeaderError::StartType),
            (
                "SCCS,12345678901234567890123456789012345678901",
                HeaderError::Data,
            ),
        ] {
            assert_eq!(read(text), Err(error), "{text}");
        }
    }

    #[test]
    fn a_client_may_speak_ebcdic() {
        let message = to_ebcdic(b"echo,hello,ic,000001");
        let read = parse(&message, (true, true)).unwrap();
        assert_eq!(
            (read.transid.as_str(), &*read.data),
            ("ECHO", &b"hello"[..])
        );
        assert!(read.ebcdic);
        let as_it_came = parse(&message, (true, false)).unwrap();
        assert_eq!(as_it_came.data, to_ebcdic(b"hello"));
        assert!(parse(&message, (false, true)).is_err());
        assert_eq!(to_ascii(&message), b"echo,hello,ic,000001");
    }

    proptest! {
        #[test]
        fn no_message_makes_the_reader_panic(
            message in prop::collection::vec(any::<u8>(), 0..80),
            name in any::<bool>(),
            data in any::<bool>(),
        ) {
            if let Ok(header) = parse(&message, (name, data)) {
                prop_assert!((1..=4).contains(&header.transid.len()));
                prop_assert!(header.data.len() <= MOST_DATA);
            }
        }

        #[test]
        fn a_message_reads_back(
            tran in "[A-Z0-9]{1,4}",
            data in "[a-z ]{0,40}",
            hours in 0u64..24, minutes in 0u64..60, seconds in 0u64..60,
        ) {
            let text = format!("{tran},{data},IC,{hours:02}{minutes:02}{seconds:02}");
            let delay = (hours * 3600 + minutes * 60 + seconds) * 1000;
            prop_assert_eq!(read(&text), Ok(header(&tran, &data, StartType::Ic, delay)));
        }
    }
}
