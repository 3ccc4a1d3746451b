//! Format checks of requests on an LU 6.2 session, each with its sense.
//!
//! These are the checks that need no state. Chaining, brackets, turns and
//! sequence numbers are the half-session's.
//! Reference: IBM *SNA LU 6.2 Reference: Peer Protocols* (SC31-6808), data
//! flow control, receive checks.

use crate::wire::Sense;
use crate::wire::rh::{RequestedResponse, Rh, RuCategory};

/// Checks the header of a normal-flow request: FM data, or LUSTAT, which
/// carries the same indicators.
pub fn normal_request(header: Rh, ru: &[u8]) -> Result<RequestedResponse, Sense> {
    let fmd = match header.category() {
        RuCategory::Fmd => true,
        RuCategory::Dfc => false,
        _ => return Err(Sense::NOT_NORMAL_FLOW),
    };
    let answer = match header.answer() {
        None | Some(RequestedResponse::None) => return Err(Sense::RESPONSE_FORM),
        Some(answer) => answer,
    };
    let end = header.end_chain();
    let alone = header.begin_chain() && end;
    if !(fmd || alone) {
        return Err(Sense::CHAINING);
    }
    if answer.is_definite() && !end {
        return Err(Sense::RQD_NOT_END);
    }
    if header.begin_bracket() && !header.begin_chain() {
        return Err(Sense::BBI);
    }
    if header.alternate_code() {
        return Err(Sense::ALTERNATE_CODE);
    }
    if header.end_bracket() {
        return Err(Sense::CEBI);
    }
    let (turn, over) = (header.change_direction(), header.conditional_end());
    if turn && (!end || answer == RequestedResponse::Definite1) {
        return Err(Sense::CDI);
    }
    if over && (!end || turn) {
        return Err(Sense::CEBI);
    }
    if over
        && matches!(
            answer,
            RequestedResponse::Exception2 | RequestedResponse::Exception3
        )
    {
        return Err(Sense::CDI);
    }
    if fmd {
        fm_header(header, ru)?;
        if end && !answer.is_definite() && !turn && !over {
            return Err(Sense::END_WITHOUT_TURN);
        }
    }
    Ok(answer)
}

fn fm_header(header: Rh, ru: &[u8]) -> Result<(), Sense> {
    let kind = ru.get(1).map(|b| b & 0x7F);
    if header.begin_bracket() && !(header.format() && kind == Some(5)) {
        return Err(Sense::BBI_WITHOUT_ATTACH);
    }
    if !header.format() {
        return Ok(());
    }
    match kind {
        Some(5 | 7 | 12) => Ok(()),
        Some(_) => Err(Sense::FMH_TYPE),
        None => Err(Sense::RU_LENGTH),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: [u8; 3], ru: &[u8]) -> Result<RequestedResponse, Sense> {
        normal_request(Rh(bytes), ru)
    }

    #[test]
    fn headers_of_published_traces_pass() {
        let attach = [0x0D, 0x05, 0x02, 0xFF];
        assert_eq!(
            check([0x0A, 0x91, 0x80], &attach),
            Ok(RequestedResponse::Exception1)
        );
        assert!(check([0x01, 0x90, 0x20], &[]).is_ok());
        assert!(check([0x03, 0x91, 0x01], &[]).is_ok());
        assert!(check([0x4B, 0x90, 0x20], &[4, 0, 6, 0, 0]).is_ok());
    }

    #[test]
    fn each_breach_has_its_sense() {
        let cases: [([u8; 3], &[u8], Sense); 12] = [
            ([0x6B, 0x80, 0x00], &[], Sense::NOT_NORMAL_FLOW),
            ([0x03, 0x00, 0x00], &[], Sense::RESPONSE_FORM),
            ([0x02, 0x80, 0x00], &[], Sense::RQD_NOT_END),
            ([0x01, 0x80, 0x80], &[], Sense::BBI),
            ([0x03, 0x80, 0x80], &[], Sense::BBI_WITHOUT_ATTACH),
            ([0x03, 0x80, 0x08], &[], Sense::ALTERNATE_CODE),
            ([0x03, 0x80, 0x40], &[], Sense::CEBI),
            ([0x02, 0x90, 0x20], &[], Sense::CDI),
            ([0x03, 0x80, 0x20], &[], Sense::CDI),
            ([0x03, 0x20, 0x21], &[], Sense::CEBI),
            ([0x03, 0x90, 0x00], &[], Sense::END_WITHOUT_TURN),
            ([0x0B, 0x80, 0x00], &[3, 6, 0], Sense::FMH_TYPE),
        ];
        for (header, ru, sense) in cases {
            assert_eq!(check(header, ru), Err(sense), "{header:02X?}");
        }
    }
}
