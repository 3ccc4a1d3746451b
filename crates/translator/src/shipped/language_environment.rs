//! CEEIGZCT: condition names for the feedback codes of Language Environment.
//!
//! A name is CEE and the message number in base 32, its value the first eight
//! bytes of the feedback code. Reference: z/OS Language Environment
//! programming guide, "Symbolic feedback codes".

use std::fmt::Write;

/// Message numbers and severities of the services that programs can CALL
/// here, and of the storage and condition services.
const CODES: &[(u16, u16)] = &[
    (1, 1),
    (2, 2),
    (3, 3),
    (4, 4),
    (102, 3),
    (199, 1),
    (451, 3),
    (455, 1),
    (802, 1),
    (803, 4),
    (808, 3),
    (809, 4),
    (810, 3),
    (811, 3),
    (812, 3),
    (813, 3),
    (814, 1),
    (815, 3),
    (816, 3),
    (2502, 3),
    (2503, 3),
    (2505, 3),
    (2506, 3),
    (2507, 3),
    (2508, 3),
    (2509, 3),
    (2510, 3),
    (2511, 3),
    (2512, 3),
    (2513, 3),
    (2514, 3),
    (2515, 3),
    (2516, 3),
    (2517, 3),
    (2518, 3),
    (2519, 3),
    (2520, 3),
    (2521, 3),
    (2522, 3),
    (2525, 3),
    (2526, 2),
    (2527, 2),
    (2529, 3),
    (2531, 3),
    (2533, 3),
    (2534, 1),
];

/// The member's text.
pub(super) fn conditions() -> String {
    let mut text = "           88  CEE000 VALUE X'0000000000000000'.\n".to_owned();
    for (number, severity) in CODES {
        let flags = 0x41 | severity << 3;
        // CEE in the code page of programs here.
        let _ = writeln!(
            text,
            "           88  CEE{} VALUE X'{severity:04X}{number:04X}{flags:02X}434545'.",
            base_32(*number)
        );
    }
    text
}

fn base_32(number: u16) -> String {
    let digit = |shift: u16| {
        let value = number >> shift & 31;
        char::from_digit(u32::from(value), 32)
            .unwrap_or('0')
            .to_ascii_uppercase()
    };
    [10, 5, 0].map(digit).iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_message_numbers_in_base_32() {
        let text = conditions();
        // The manual has X'000309CB59C3C5C5', with CEE in EBCDIC.
        assert!(text.contains("88  CEE2EB VALUE X'000309CB59434545'."));
        assert!(text.contains("88  CEE0E7 VALUE X'000101C749434545'."));
        assert!(text.contains("88  CEE2EL VALUE X'000309D559434545'."));
    }
}
