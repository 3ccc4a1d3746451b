//! The first message of a client to a standard listener.
//!
//! ```text
//!   tran[,client-in-data][,KC | IC,hhmmss | TD]
//! ```
//!
//! Lower case is converted to upper case, in ASCII or EBCDIC. The client's own
//! data has at most 40 characters and no comma, since a comma ends it. A line
//! end after the message is ignored. Some clients send binary lengths in their
//! data: after a null neither commas nor line ends are recognised.
//!
//! Reference: IP CICS Sockets Guide, "IBM listener input format".
//!
//! Invariant: pure; any bytes can be read.

use copybook::codepage::CodePage;

use crate::config::{StartType, delay_ms};

/// Longest client-in-data.
const MOST_DATA: usize = 40;

/// The start that the message requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// The transaction, 1 to 4 characters in upper case.
    pub transid: String,
    /// The data for the transaction, at most 40 bytes.
    pub data: Vec<u8>,
    /// How the task is started.
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
    /// IC without a comma after it.
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

/// The end of the message in the received bytes: after its line end, in the
/// client's code page. Returns `None` without a line end. After a null no byte
/// is treated as one: clients send binary lengths in their data.
pub fn line_end(seen: &[u8]) -> Option<usize> {
    let ends: &[u8] = if is_ebcdic(seen) {
        // NL and LF.
        &[0x15, 0x25]
    } else {
        b"\n"
    };
    let at = seen.iter().position(|b| *b == 0 || ends.contains(b))?;
    (seen[at] != 0).then_some(at + 1)
}

/// Reads a message. `translate` says whether the name and what follows it may
/// come in EBCDIC (TRANTRN, TRANUSR). The error comes with the name, as far as
/// there is one.
pub fn parse(message: &[u8], translate: (bool, bool)) -> Result<Header, (HeaderError, String)> {
    let ebcdic = is_ebcdic(message);
    let line = match line_end(message) {
        Some(end) => &message[..end - 1],
        None => message,
    };
    let text = if ebcdic && (translate.0 || translate.1) {
        to_ascii(line)
    } else {
        line.to_vec()
    };
    let text = text.strip_suffix(b"\r").unwrap_or(&text);
    let mut parts = split(text, b',');
    let name = trimmed(parts.next().unwrap_or_default());
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
        let raw = split(line, EBCDIC_COMMA).nth(1);
        data = raw.unwrap_or_default().to_vec();
        data.truncate(MOST_DATA);
    }
    let kind = trimmed(parts.next().unwrap_or_default());
    let (start, delay) = match kind.to_ascii_uppercase().as_slice() {
        b"" | b"KC" => (StartType::Kc, 0),
        b"TD" => (StartType::Td, 0),
        b"IC" => {
            let time = parts.next().map(trimmed);
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

/// The parts between the commas. After a null no byte is treated as one.
fn split(text: &[u8], comma: u8) -> impl Iterator<Item = &[u8]> {
    let mut binary = false;
    text.split(move |b| {
        binary |= *b == 0;
        *b == comma && !binary
    })
}

/// A part without the blanks and nulls around it.
fn trimmed(part: &[u8]) -> &[u8] {
    let is_text = |b: &u8| !b.is_ascii_whitespace() && *b != 0;
    match (
        part.iter().position(is_text),
        part.iter().rposition(is_text),
    ) {
        (Some(first), Some(last)) => &part[first..=last],
        _ => &[],
    }
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

    #[test]
    fn a_line_ends_in_the_client_s_characters_and_not_within_binary_data() {
        assert_eq!(line_end(b"ECHO,x\nmore\n"), Some(7));
        assert_eq!(line_end(b"ECHO,x"), None);
        let ebcdic = |end: u8| [&to_ebcdic(b"ECHO")[..], &[b'\n', end, 0]].concat();
        assert_eq!(line_end(&ebcdic(0x15)), Some(6));
        assert_eq!(line_end(&ebcdic(0x25)), Some(6));
        assert_eq!(line_end(&ebcdic(b'\r')), None);
        // A user, a password, a program and the length 10.
        assert_eq!(line_end(b"MSCS,USER1   PASSWORDPROGRAM1\0\n\0"), None);
    }

    #[test]
    fn binary_data_are_passed_on_as_they_came() {
        // A user, a password, a program, the length 44, and nulls.
        let data = b"USER1   PASSWORDPROGRAM1\0,\0\0\0\x0A\0\0\0\0\0";
        let message = [&b"MSCS,"[..], data].concat();
        let read = parse(&message, (true, true)).unwrap();
        assert_eq!(
            (read.data.as_slice(), read.start),
            (&data[..], StartType::Kc)
        );
        // A name and a start type may end with a null.
        assert_eq!(read_of(b"ECHO\0"), ("ECHO".into(), Vec::new()));
        assert_eq!(read_of(b"ECHO,,KC\0"), ("ECHO".into(), Vec::new()));
        assert_eq!(read_of(b"ECHO,x\r\n"), ("ECHO".into(), b"x".to_vec()));
    }

    fn read_of(message: &[u8]) -> (String, Vec<u8>) {
        let header = parse(message, (true, true)).unwrap();
        (header.transid, header.data)
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
