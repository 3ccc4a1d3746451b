//! Feedback codes: what a Language Environment service says of itself.
//!
//! ```text
//!  0          2          4            5          8              12
//!  +----------+----------+------------+----------+--------------+
//!  | severity | message  | case, sev, | facility | instance     |
//!  | u16      | u16      | control    | "CEE"    | information  |
//!  +----------+----------+------------+----------+--------------+
//! ```
//!
//! Numbers are big-endian, as COMP items are here. A symbolic code is `CEE`
//! and the message number in base 32: CEE2EB is message 2507.
//! Reference: z/OS Language Environment programming guide, "The condition
//! token"; runtime messages, CEE2500 and following.

/// A feedback code of the facility CEE.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FeedbackCode {
    /// 0 for information to 4 for the worst.
    pub severity: u16,
    /// Number of the message; 0 with success.
    pub number: u16,
}

/// Bytes of a feedback code.
pub const FEEDBACK_BYTES: usize = 12;

macro_rules! codes {
    ($($name:ident $severity:literal $number:literal $text:literal;)*) => {
        $(#[doc = $text] pub(super) const $name: FeedbackCode = FeedbackCode { severity: $severity, number: $number };)*

        /// Message number, severity and text of each code.
        const TEXTS: &[(u16, &str)] = &[$(($number, $text)),*];
    };
}

codes! {
    OK 0 0 "The service completed successfully.";
    TOKEN 3 102 "A condition token is not one that can be decoded.";
    DESTINATION 3 451 "A message was sent to a destination that does not exist.";
    SECONDS_RANGE 3 2505 "The number of seconds given to CEEDATM or CEESECI is not within the supported range.";
    INSUFFICIENT 3 2507 "The text given to CEEDAYS or CEESECS does not hold a whole date.";
    DATE 3 2508 "The date given to CEEDAYS or CEESECS does not exist.";
    HOURS 3 2510 "The hours given to CEEISEC or CEESECS are not valid.";
    DAY 3 2511 "The day given to CEEISEC does not exist.";
    LILIAN_RANGE 3 2512 "The Lilian date given to CEEDATE or CEEDYWK is not within the supported range.";
    OUT_OF_RANGE 3 2513 "The date given to CEEISEC, CEEDAYS or CEESECS is not within the supported range.";
    YEAR 3 2514 "The year given to CEEISEC is not within the supported range.";
    MILLISECONDS 3 2515 "The milliseconds given to CEEISEC are not valid.";
    MINUTES 3 2516 "The minutes given to CEEISEC or CEESECS are not valid.";
    MONTH 3 2517 "The month given to CEEISEC, CEEDAYS or CEESECS is not valid.";
    PICTURE 3 2518 "The picture string given to a date or time service is not valid.";
    SECONDS 3 2519 "The seconds given to CEEISEC or CEESECS are not valid.";
    DATE_TEXT 3 2520 "The text given to CEEDAYS does not fit its picture string.";
    TIMESTAMP_TEXT 3 2525 "The text given to CEESECS does not fit its picture string.";
    DATE_CUT 2 2526 "The date that CEEDATE returned was truncated.";
    TIMESTAMP_CUT 2 2527 "The timestamp that CEEDATM returned was truncated.";
    CENTURY 3 2533 "The value given to CEESCEN is not between 0 and 100.";
}

impl FeedbackCode {
    /// Its bytes.
    pub fn emit(self) -> [u8; FEEDBACK_BYTES] {
        let mut out = [0; FEEDBACK_BYTES];
        if self.number > 0 {
            out[..2].copy_from_slice(&self.severity.to_be_bytes());
            out[2..4].copy_from_slice(&self.number.to_be_bytes());
            out[4] = flags(1, self.severity, 1);
            out[5..8].copy_from_slice(b"CEE");
        }
        out
    }

    /// The code in a condition token of the facility CEE; none for another.
    pub(super) fn parse(token: &[u8]) -> Option<FeedbackCode> {
        let head = token.get(..8)?;
        let half = |at: usize| u16::from_be_bytes([head[at], head[at + 1]]);
        if head.iter().all(|b| *b == 0) {
            Some(OK)
        } else if &head[5..8] == b"CEE" {
            Some(FeedbackCode {
                severity: half(0),
                number: half(2),
            })
        } else {
            None
        }
    }

    /// The message as it is written: number, severity letter and text.
    pub fn message(self) -> String {
        let letter = match self.severity {
            0 => 'I',
            1 => 'W',
            2 => 'E',
            3 => 'S',
            _ => 'C',
        };
        let known = TEXTS.iter().find(|(n, _)| *n == self.number);
        let text = known.map_or("There is no text for this message.", |(_, text)| text);
        format!("CEE{:04}{letter} {text}", self.number)
    }
}

/// The byte of a token that holds case (1 or 2), severity and control.
pub(super) fn flags(case: u16, severity: u16, control: u16) -> u8 {
    ((case & 3) << 6 | (severity & 7) << 3 | control & 7) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_has_the_bytes_of_the_manual() {
        // X'000309CB59C3C5C5' there, with CEE in this code page.
        assert_eq!(INSUFFICIENT.emit()[..5], [0x00, 0x03, 0x09, 0xCB, 0x59]);
        assert_eq!(&INSUFFICIENT.emit()[5..8], b"CEE");
        assert_eq!(OK.emit(), [0; 12]);
        assert_eq!(
            FeedbackCode::parse(&INSUFFICIENT.emit()),
            Some(INSUFFICIENT)
        );
        assert_eq!(FeedbackCode::parse(b"short"), None);
    }

    #[test]
    fn messages_begin_with_number_and_severity() {
        assert!(MONTH.message().starts_with("CEE2517S The month"));
        assert!(DATE_CUT.message().starts_with("CEE2526E"));
    }
}
