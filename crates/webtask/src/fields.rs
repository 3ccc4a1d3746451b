//! Names and values: query strings, and forms in a body.
//!
//! Bytes come back unescaped. A form is `application/x-www-form-urlencoded`,
//! or `multipart/form-data` between its boundaries.
//!
//! Reference: WHATWG URL, application/x-www-form-urlencoded parsing; RFC 7578.
//! Invariant: no bytes make these readers panic, and their output is no larger
//! than their input.

use crate::pages;

/// A name and its value.
pub type Field = (Vec<u8>, Vec<u8>);

/// Most fields that are read of a form or a query.
pub const MOST: usize = 4096;

/// Why a form cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormError {
    /// The body is of a type that is not a form.
    Type,
    /// A boundary is not where it must be.
    Boundary,
}

/// The fields of a query string or of an urlencoded body.
pub fn parse_query(bytes: &[u8]) -> Vec<Field> {
    let pairs = bytes.split(|b| *b == b'&').filter(|pair| !pair.is_empty());
    let fields = pairs.take(MOST).map(|pair| {
        let at = memchr::memchr(b'=', pair).unwrap_or(pair.len());
        let value = pair.get(at + 1..).unwrap_or_default();
        (unescaped(&pair[..at]), unescaped(value))
    });
    fields.collect()
}

/// The fields of a form in a body of this media type.
pub fn parse_form(media: &str, body: &[u8]) -> Result<Vec<Field>, FormError> {
    let kind = media.split(';').next().unwrap_or_default().trim();
    match kind.to_ascii_lowercase().as_str() {
        "application/x-www-form-urlencoded" => Ok(parse_query(body)),
        "multipart/form-data" => {
            let boundary = pages::parameter(media, "boundary").ok_or(FormError::Boundary)?;
            parse_multipart(boundary, body)
        }
        _ => Err(FormError::Type),
    }
}

fn parse_multipart(boundary: &str, body: &[u8]) -> Result<Vec<Field>, FormError> {
    if boundary.is_empty() || boundary.len() > 70 {
        return Err(FormError::Boundary);
    }
    let mark = format!("--{boundary}").into_bytes();
    let finder = memchr::memmem::Finder::new(&mark);
    let first = finder.find(body).ok_or(FormError::Boundary)?;
    let mut rest = &body[first + mark.len()..];
    let mut fields = Vec::new();
    loop {
        if rest.starts_with(b"--") {
            return Ok(fields);
        }
        rest = line_end(rest).ok_or(FormError::Boundary)?;
        let end = finder.find(rest).ok_or(FormError::Boundary)?;
        let part = &rest[..end];
        let part = part
            .strip_suffix(b"\r\n")
            .or_else(|| part.strip_suffix(b"\n"));
        let part = part.unwrap_or_default();
        if let Some(field) = field_of(part)
            && fields.len() < MOST
        {
            fields.push(field);
        }
        rest = &rest[end + mark.len()..];
    }
}

fn line_end(bytes: &[u8]) -> Option<&[u8]> {
    bytes
        .strip_prefix(b"\r\n")
        .or_else(|| bytes.strip_prefix(b"\n"))
}

/// The field of one part; none without a name.
fn field_of(part: &[u8]) -> Option<Field> {
    let (headers, value) = match memchr::memmem::find(part, b"\r\n\r\n") {
        Some(at) => (&part[..at], &part[at + 4..]),
        None => {
            let at = memchr::memmem::find(part, b"\n\n")?;
            (&part[..at], &part[at + 2..])
        }
    };
    let headers = String::from_utf8_lossy(headers);
    let line = headers.lines().find_map(|line| {
        let (name, rest) = line.split_once(':')?;
        let is = name.trim().eq_ignore_ascii_case("content-disposition");
        is.then_some(rest)
    })?;
    let name = pages::parameter(line, "name")?;
    Some((name.as_bytes().to_vec(), value.to_vec()))
}

/// Bytes with `+` and `%XX` taken back.
pub fn unescaped(bytes: &[u8]) -> Vec<u8> {
    let spaced: Vec<u8> = bytes
        .iter()
        .map(|b| if *b == b'+' { b' ' } else { *b })
        .collect();
    percent_encoding::percent_decode(&spaced).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(fields: &[Field]) -> Vec<(String, String)> {
        let text = |bytes: &Vec<u8>| String::from_utf8_lossy(bytes).into_owned();
        fields.iter().map(|(n, v)| (text(n), text(v))).collect()
    }

    #[test]
    fn queries_are_unescaped() {
        let fields = parse_query(b"a=1&b=x+y%21&empty&&c=%zz&a=2");
        let expected = [
            ("a", "1"),
            ("b", "x y!"),
            ("empty", ""),
            ("c", "%zz"),
            ("a", "2"),
        ];
        let expected: Vec<_> = expected
            .iter()
            .map(|(n, v)| ((*n).to_owned(), (*v).to_owned()))
            .collect();
        assert_eq!(shown(&fields), expected);
    }

    #[test]
    fn parts_of_a_form_are_found_between_their_boundaries() {
        let body = b"--XX\r\nContent-Disposition: form-data; name=\"who\"\r\n\r\nAnn\r\n\
            --XX\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\nx\r\ny\r\n--XX--\r\n";
        let fields = parse_form("multipart/form-data; boundary=XX", body).unwrap();
        assert_eq!(
            shown(&fields),
            [
                ("who".into(), "Ann".into()),
                ("file".into(), "x\r\ny".into())
            ]
        );
        let open = &body[..60];
        let read = parse_form("multipart/form-data; boundary=XX", open);
        assert_eq!(read, Err(FormError::Boundary));
        assert_eq!(parse_form("text/plain", b"a=1"), Err(FormError::Type));
    }

    proptest! {
        #[test]
        fn no_bytes_make_the_readers_panic(
            body in prop::collection::vec(any::<u8>(), 0..200),
            media in "(multipart/form-data; boundary=[-a]{0,3}|application/x-www-form-urlencoded|.{0,20})",
        ) {
            if let Ok(fields) = parse_form(&media, &body) {
                let size: usize = fields.iter().map(|(n, v)| n.len() + v.len()).sum();
                prop_assert!(size <= body.len() * 3 + 3);
            }
            parse_query(&body);
        }
    }
}
