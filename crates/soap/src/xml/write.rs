//! Text into documents.

/// Appends text with `<`, `&`, `>` and carriage returns escaped; `Err` carries
/// a character that no document may have, and then `out` is as it was.
pub fn escape(out: &mut Vec<u8>, text: &str) -> Result<(), char> {
    let start = out.len();
    out.extend_from_slice(text.as_bytes());
    escape_tail(out, start)
}

/// As above for text already at the end of `out`, from `start` on.
#[inline]
pub fn escape_tail(out: &mut Vec<u8>, start: usize) -> Result<(), char> {
    // Without a branch a byte, so that many are looked at in one step.
    if out[start..]
        .iter()
        .fold(false, |any, b| any | is_special(*b))
    {
        rewrite(out, start)
    } else {
        Ok(())
    }
}

#[cold]
fn rewrite(out: &mut Vec<u8>, start: usize) -> Result<(), char> {
    let tail = out.split_off(start);
    out.reserve(2 * tail.len());
    for byte in tail {
        match byte {
            b'<' => out.extend_from_slice(b"&lt;"),
            b'>' => out.extend_from_slice(b"&gt;"),
            b'&' => out.extend_from_slice(b"&amp;"),
            b'\r' => out.extend_from_slice(b"&#13;"),
            byte if is_special(byte) => {
                out.truncate(start);
                return Err(char::from(byte));
            }
            byte => out.push(byte),
        }
    }
    Ok(())
}

/// Appends `="value"` with everything escaped that must be.
pub fn push_attribute(out: &mut Vec<u8>, value: &str) {
    out.extend_from_slice(b"=\"");
    for byte in value.bytes() {
        match byte {
            b'<' => out.extend_from_slice(b"&lt;"),
            b'&' => out.extend_from_slice(b"&amp;"),
            b'"' => out.extend_from_slice(b"&quot;"),
            b'\t' | b'\n' | b'\r' => out.extend_from_slice(format!("&#{byte};").as_bytes()),
            0..0x20 => out.push(b'?'),
            byte => out.push(byte),
        }
    }
    out.push(b'"');
}

/// Bytes that text may not hold as they are.
#[inline(always)]
fn is_special(b: u8) -> bool {
    ((b < 0x20) & (b != b'\t') & (b != b'\n')) | (b == b'<') | (b == b'>') | (b == b'&')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_escaped_and_control_characters_are_refused() {
        let mut out = b"<a>".to_vec();
        escape(&mut out, "x < y & z > 0\r\n").unwrap();
        assert_eq!(out, b"<a>x &lt; y &amp; z &gt; 0&#13;\n");
        assert_eq!(escape(&mut out, "a\0b"), Err('\0'));
        assert!(out.ends_with(b"&#13;\n"));
        let mut out = Vec::new();
        push_attribute(&mut out, "a\"<&>\n");
        assert_eq!(out, b"=\"a&quot;&lt;&amp;>&#10;\"");
    }
}
