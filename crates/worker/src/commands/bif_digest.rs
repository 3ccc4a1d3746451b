//! BIF DIGEST: the SHA-1 digest of data, in one of three forms.
//!
//! Reference: CICS API reference, BIF DIGEST; FIPS 180-4 for the digest.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use cics::command::commands::bif_digest as row;
use cics::cvda;
use cics::resp::Condition;
use ring::digest::{SHA1_FOR_LEGACY_USE_ONLY as SHA1, digest};

use crate::exec::{CommandCall, CommandResult, CommandStop, condition};
use crate::worker::Worker;

pub fn serve(_w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    let form = form(call)?;
    let (Some(record), Some(result)) = (call.arg(row::RECORD), call.arg(row::RESULT)) else {
        return condition(Condition::LengErr, 2);
    };
    let length = call
        .int(row::RECORDLEN)
        .and_then(|n| usize::try_from(n).ok());
    let Some(length @ 1..) = length else {
        return condition(Condition::LengErr, 2);
    };
    // SAFETY: the program's storage; a length beyond the item is the program's
    // error and can harm only its own process.
    let data = unsafe { std::slice::from_raw_parts(record.data(), length) };
    let text = form.of(digest(&SHA1, data).as_ref());
    let fits = text.len().min(result.size());
    result.set_bytes(&text[..fits], fits);
    Ok(())
}

/// How a digest is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DigestForm {
    Hex,
    Binary,
    Base64,
}

fn form(call: &CommandCall<'_>) -> Result<DigestForm, CommandStop> {
    let forms = [
        (row::HEX, "HEX", DigestForm::Hex),
        (row::BINARY, "BINARY", DigestForm::Binary),
        (row::BASE64, "BASE64", DigestForm::Base64),
    ];
    if let Some((.., form)) = forms.iter().find(|(flag, ..)| call.has(*flag)) {
        return Ok(*form);
    }
    let Some(named) = call.int(row::DIGESTTYPE) else {
        return Ok(DigestForm::Hex);
    };
    let found = (forms.iter()).find(|(_, name, _)| cvda::value(name).map(i64::from) == Some(named));
    match found {
        Some((.., form)) => Ok(*form),
        None => Err(CommandStop::Condition(Condition::InvReq, 1)),
    }
}

impl DigestForm {
    fn of(self, digest: &[u8]) -> Vec<u8> {
        match self {
            DigestForm::Binary => digest.to_vec(),
            DigestForm::Hex => digest
                .iter()
                .flat_map(|b| [HEX[usize::from(b >> 4)], HEX[usize::from(b & 15)]])
                .collect(),
            DigestForm::Base64 => BASE64_STANDARD.encode(digest).into_bytes(),
        }
    }
}

const HEX: &[u8; 16] = b"0123456789ABCDEF";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_standards_example_in_its_three_forms() {
        let digest = digest(&SHA1, b"abc");
        let digest = digest.as_ref();
        assert_eq!(
            DigestForm::Hex.of(digest),
            b"A9993E364706816ABA3E25717850C26C9CD0D89D"
        );
        assert_eq!(
            DigestForm::Base64.of(digest),
            b"qZk+NkcGgWq6PiVxeFDCbJzQ2J0="
        );
        assert_eq!(DigestForm::Binary.of(digest).len(), 20);
    }
}
