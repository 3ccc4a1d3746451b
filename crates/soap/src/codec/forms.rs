//! Bytes that are not characters: boolean values, hexadecimal digits, base64.
//!
//! Reference: XML Schema part 2, boolean, hexBinary, base64Binary; RFC 4648.

use base64::alphabet;
use base64::engine::general_purpose::{GeneralPurpose, PAD};
use base64::prelude::{BASE64_STANDARD, Engine as _};

use crate::binding::TextForm;

/// Appends the text of bytes.
///
/// # Errors
/// Bytes that mean nothing.
pub(super) fn write(form: TextForm, bytes: &[u8], out: &mut Vec<u8>) -> Result<(), String> {
    match form {
        TextForm::Boolean => match bytes {
            [0, ..] => out.extend_from_slice(b"false"),
            [1, ..] => out.extend_from_slice(b"true"),
            _ => return Err(format!("bytes {bytes:02x?}: expected X'00' or X'01'")),
        },
        TextForm::Hex => out.extend(bytes.iter().flat_map(|b| [digit(b >> 4), digit(b & 15)])),
        TextForm::Base64 | TextForm::Item => base64(bytes, out),
    }
    Ok(())
}

/// Puts text into a field; the rest becomes low-values.
///
/// # Errors
/// Text that is not of the form, or longer than the field.
pub(super) fn read(form: TextForm, text: &str, field: &mut [u8]) -> Result<(), String> {
    let text = text.trim_ascii();
    let bytes = match form {
        TextForm::Boolean => match text {
            "true" | "1" => vec![1],
            "false" | "0" => vec![0],
            other => return Err(format!("{other:?}: expected true, false, 1 or 0")),
        },
        TextForm::Hex => base::hex::bytes(text).ok_or("expected hexadecimal digits in pairs")?,
        TextForm::Base64 | TextForm::Item => from_base64(text).ok_or("not valid base64")?,
    };
    if bytes.len() > field.len() {
        let (length, max) = (bytes.len(), field.len());
        return Err(format!(
            "the value has {length} bytes, the field only {max}"
        ));
    }
    let (head, tail) = field.split_at_mut(bytes.len());
    head.copy_from_slice(&bytes);
    tail.fill(0);
    Ok(())
}

fn digit(nibble: u8) -> u8 {
    b"0123456789ABCDEF"[usize::from(nibble)]
}

/// As writers of base64Binary have it: meaningless bits are ignored.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    PAD.with_decode_allow_trailing_bits(true),
);

fn base64(bytes: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(BASE64_STANDARD.encode(bytes).as_bytes());
}

fn from_base64(text: &str) -> Option<Vec<u8>> {
    let text: Vec<u8> = text.bytes().filter(|b| !b.is_ascii_whitespace()).collect();
    LENIENT.decode(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_read_back() {
        for bytes in [&b""[..], b"f", b"fo", b"foo", &[0, 255, 7, 1]] {
            for form in [TextForm::Hex, TextForm::Base64] {
                let mut text = Vec::new();
                write(form, bytes, &mut text).unwrap();
                let mut field = vec![9; bytes.len()];
                read(form, std::str::from_utf8(&text).unwrap(), &mut field).unwrap();
                assert_eq!(field, bytes);
            }
        }
        let mut field = [9; 3];
        read(TextForm::Base64, " Zm8= ", &mut field).unwrap();
        assert_eq!(&field, b"fo\0");
        read(TextForm::Boolean, "1", &mut field[..1]).unwrap();
        assert_eq!(field[0], 1);
    }

    #[test]
    fn what_is_not_of_the_form_is_refused() {
        let mut field = [0; 2];
        for (form, text) in [
            (TextForm::Hex, "abc"),
            (TextForm::Hex, "zz"),
            (TextForm::Hex, "010203"),
            (TextForm::Base64, "Zg="),
            (TextForm::Base64, "Z==="),
            (TextForm::Base64, "Z g=a"),
            (TextForm::Base64, "Zm9v"),
            (TextForm::Boolean, "yes"),
        ] {
            assert!(read(form, text, &mut field).is_err(), "{text}");
        }
        assert!(write(TextForm::Boolean, b" ", &mut Vec::new()).is_err());
    }
}
