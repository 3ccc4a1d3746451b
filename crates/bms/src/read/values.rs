//! Values of operands: numbers, choices, and the attributes that DFHMSD, DFHMDI
//! and DFHMDF have in common.
//!
//! Reference: CICS application programming reference, "BMS macros".

use base::suggestion_or_all;

use super::MacroOperands;
use super::operands::{MacroOperand, OperandValue};
use crate::attribute::{AttributeSet, AttributeValues, ExtendedAttribute};
use crate::model::{Control, MapMode};

impl MacroOperands<'_> {
    /// A number between limits; a wrong one is reported and left out.
    pub(super) fn number(&mut self, key: &str, least: u16, most: u16) -> Option<u16> {
        let operand = self.get(key)?;
        let words = operand.value.words();
        let number = words.first().and_then(|word| word.parse::<u16>().ok());
        let number = number.filter(|n| words.len() == 1 && (least..=most).contains(n));
        if number.is_none() {
            let message = format!("{key}={}: expected a number", shown(&operand));
            let help = format!("from {least} to {most}");
            self.error(operand.place, message, Some(help));
        }
        number
    }

    /// One of several words; an unknown one is reported and left out.
    pub(super) fn choice<T: Copy>(&mut self, key: &str, choices: &[(&str, T)]) -> Option<T> {
        let operand = self.get(key)?;
        let word = operand
            .value
            .single()
            .unwrap_or_default()
            .to_ascii_uppercase();
        let found = choices.iter().find(|(name, _)| *name == word);
        if found.is_none() {
            self.unknown_value(&operand, &word, choices.iter().map(|(name, _)| *name));
        }
        found.map(|(_, value)| *value)
    }

    /// YES or NO.
    pub(super) fn yes_no(&mut self, key: &str) -> Option<bool> {
        self.choice(key, &[("YES", true), ("NO", false)])
    }

    /// Reports a value that the operand does not have.
    pub(super) fn unknown_value<'n>(
        &mut self,
        operand: &MacroOperand,
        word: &str,
        names: impl Iterator<Item = &'n str>,
    ) {
        let expected: Vec<&str> = names.collect();
        let help = suggestion_or_all(word, &expected, "expected");
        let message = format!("{}={}: no such value; it is ignored", operand.key, word);
        self.warn(operand.place, message, Some(help));
    }

    /// MODE.
    pub(super) fn mode(&mut self) -> Option<MapMode> {
        let choices = [
            ("IN", MapMode::In),
            ("OUT", MapMode::Out),
            ("INOUT", MapMode::InOut),
        ];
        self.choice("MODE", &choices)
    }

    /// CTRL.
    pub(super) fn control(&mut self) -> Option<Control> {
        let operand = self.get("CTRL")?;
        let mut control = Control::default();
        for word in operand.value.words() {
            match word.to_ascii_uppercase().as_str() {
                "FREEKB" => control.free_keyboard = true,
                "ALARM" => control.alarm = true,
                "FRSET" => control.reset_modified = true,
                "PRINT" => control.print = true,
                "L40" | "L64" | "L80" | "HONEOM" => control.line_length = true,
                "" => {}
                other => {
                    let names = [
                        "FREEKB", "ALARM", "FRSET", "PRINT", "L40", "L64", "L80", "HONEOM",
                    ];
                    self.unknown_value(&operand, other, names.into_iter());
                }
            }
        }
        Some(control)
    }

    /// DSATTS or MAPATTS.
    pub(super) fn attribute_set(&mut self, key: &str) -> Option<AttributeSet> {
        let operand = self.get(key)?;
        let mut set = AttributeSet::NONE;
        for word in operand.value.words() {
            let word = word.to_ascii_uppercase();
            match ExtendedAttribute::by_name(&word) {
                Some(attribute) => set = set.with(attribute),
                None if word.is_empty() => {}
                None => {
                    let names = crate::attribute::EXTENDED_ATTRIBUTES.into_iter();
                    self.unknown_value(&operand, &word, names.map(ExtendedAttribute::name));
                }
            }
        }
        Some(set)
    }

    /// COLOR, PS, HILIGHT, VALIDN, OUTLINE, SOSI and TRANSP, as they are sent.
    pub(super) fn extended(&mut self) -> AttributeValues {
        let mut values = AttributeValues::default();
        if let Some(color) = self.choice("COLOR", COLORS) {
            values.set(ExtendedAttribute::Color, color);
        }
        if let Some(highlight) = self.choice("HILIGHT", HIGHLIGHTS) {
            values.set(ExtendedAttribute::Highlight, highlight);
        }
        if let Some(set) = self.symbol_set() {
            values.set(ExtendedAttribute::ProgrammedSymbols, set);
        }
        if let Some(bits) = self.bits("VALIDN", VALIDATIONS) {
            values.set(ExtendedAttribute::Validation, bits);
        }
        if let Some(bits) = self.bits("OUTLINE", OUTLINES) {
            values.set(ExtendedAttribute::Outline, bits);
        }
        if let Some(yes) = self.yes_no("SOSI") {
            values.set(ExtendedAttribute::ShiftOut, u8::from(yes));
        }
        if let Some(yes) = self.yes_no("TRANSP") {
            let value = if yes { 0xF0 } else { 0xFF };
            values.set(ExtendedAttribute::Transparency, value);
        }
        values
    }

    /// PS: BASE, one character, or X'hh'.
    fn symbol_set(&mut self) -> Option<u8> {
        let operand = self.get("PS")?;
        let word = operand.value.single().unwrap_or_default();
        let hex = word.strip_prefix("X'").and_then(|w| w.strip_suffix('\''));
        let mut chars = word.chars();
        let value = match (hex, chars.next(), chars.next()) {
            _ if word == "BASE" => Some(0),
            (Some(hex), ..) => u8::from_str_radix(hex, 16).ok(),
            (None, Some(letter @ 'A'..='I'), None) => Some(letter as u8 - b'A' + 0xC1),
            (None, Some(letter @ 'J'..='R'), None) => Some(letter as u8 - b'J' + 0xD1),
            (None, Some(letter @ 'S'..='Z'), None) => Some(letter as u8 - b'S' + 0xE2),
            (None, Some(digit @ '0'..='9'), None) => Some(digit as u8 - b'0' + 0xF0),
            _ => None,
        };
        if value.is_none() {
            let message = format!("PS={}: expected BASE, a letter or X'hh'", shown(&operand));
            self.warn(operand.place, message, None);
        }
        value
    }

    /// Values that add up.
    fn bits(&mut self, key: &str, values: &[(&str, u8)]) -> Option<u8> {
        let operand = self.get(key)?;
        let mut bits = 0;
        for word in operand.value.words() {
            let word = word.to_ascii_uppercase();
            match values.iter().find(|(name, _)| *name == word) {
                Some((_, value)) => bits |= value,
                None => self.unknown_value(&operand, &word, values.iter().map(|(name, _)| *name)),
            }
        }
        Some(bits)
    }
}

/// The value of an operand as written.
pub(super) fn shown(operand: &MacroOperand) -> String {
    match &operand.value {
        OperandValue::Word(word) => word.clone(),
        OperandValue::Text(text) => format!("'{text}'"),
        OperandValue::List(words) => format!("({})", words.join(",")),
    }
}

const COLORS: &[(&str, u8)] = &[
    ("DEFAULT", 0x00),
    ("BLUE", 0xF1),
    ("RED", 0xF2),
    ("PINK", 0xF3),
    ("GREEN", 0xF4),
    ("TURQUOISE", 0xF5),
    ("YELLOW", 0xF6),
    ("NEUTRAL", 0xF7),
];

const HIGHLIGHTS: &[(&str, u8)] = &[
    ("OFF", 0x00),
    ("BLINK", 0xF1),
    ("REVERSE", 0xF2),
    ("UNDERLINE", 0xF4),
];

const VALIDATIONS: &[(&str, u8)] = &[
    ("MUSTFILL", 0x04),
    ("MUSTENTER", 0x02),
    ("TRIGGER", 0x01),
    ("USEREXIT", 0x00),
];

const OUTLINES: &[(&str, u8)] = &[
    ("BOX", 0x0F),
    ("UNDER", 0x01),
    ("RIGHT", 0x02),
    ("OVER", 0x04),
    ("LEFT", 0x08),
];
