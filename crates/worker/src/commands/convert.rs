//! Code pages of CHAR containers.
//!
//! A container keeps the bytes that were put and the page they are in; they
//! are converted when a program wants another page. The region's own page is
//! ISO 8859-1, of which ASCII is the lower half.
//! Reference: CICS API reference, GET CONTAINER (CHANNEL), CCSIDERR.

use std::borrow::Cow;

use cics::resp::Condition;
use copybook::codepage::CodePage;

use crate::exec::{Call, Stop};

/// CCSID of the region's code page, ISO 8859-1.
pub const LOCAL_CCSID: u16 = 819;

/// The code page that a command names by number or name; none when it names
/// none.
pub fn named_page(call: &Call<'_>, ccsid: u8, name: u8) -> Result<Option<u16>, Stop> {
    if let Some(number) = call.int(ccsid) {
        let Ok(number @ 1..) = u16::try_from(number) else {
            return Err(Stop::Condition(Condition::CcsidErr, 1));
        };
        CodePage::by_ccsid(number).map_err(|_| Stop::Condition(Condition::CcsidErr, 2))?;
        return Ok(Some(number));
    }
    let Some(name) = call.arg(name) else {
        return Ok(None);
    };
    let name = String::from_utf8_lossy(name.bytes());
    let page = CodePage::by_name(name.trim_matches([' ', '\0']));
    page.map(|p| Some(p.ccsid()))
        .map_err(|_| Stop::Condition(Condition::CodepageErr, 1))
}

/// Bytes of one page in another; 0 is the region's. A character that the
/// other page does not have becomes its substitute.
pub fn convert(bytes: &[u8], from: u16, to: u16) -> Result<Cow<'_, [u8]>, Stop> {
    let own = |ccsid| if ccsid == 0 { LOCAL_CCSID } else { ccsid };
    if own(from) == own(to) {
        return Ok(Cow::Borrowed(bytes));
    }
    let page =
        |ccsid| CodePage::by_ccsid(own(ccsid)).map_err(|_| Stop::Condition(Condition::CcsidErr, 2));
    let (from, to) = (page(from)?, page(to)?);
    let text = from
        .decode(bytes)
        .ok_or(Stop::Condition(Condition::CcsidErr, 4))?;
    Ok(Cow::Owned(to.encode(&text).unwrap_or_else(|_| {
        text.chars()
            .map(|c| to.byte_of(c).unwrap_or(to.substitute()))
            .collect()
    })))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_goes_to_ebcdic_and_back() {
        let there = convert(b"HELLO 1", 0, 37).unwrap();
        assert_eq!(&*there, [0xC8, 0xC5, 0xD3, 0xD3, 0xD6, 0x40, 0xF1]);
        assert_eq!(&*convert(&there, 37, 819).unwrap(), b"HELLO 1");
        assert!(matches!(
            convert(b"same", 0, LOCAL_CCSID),
            Ok(Cow::Borrowed(_))
        ));
    }
}
