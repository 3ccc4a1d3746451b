//! Field attributes and extended attributes.
//!
//! ```text
//! field attribute:  x x P N D D 0 M
//!   P protected, N numeric (PN = autoskip), DD 00 normal, 01 normal and
//!   detectable, 10 bright and detectable, 11 hidden, M modified data tag
//! ```
//! The first two bits make the byte a graphic character and carry nothing.
//! Reference: GA23-0059, "Field attributes", "Extended field attributes".

use std::num::NonZeroU8;

use super::address::graphic;

/// The attribute of a field: protection, kind of data, intensity and MDT.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FieldAttribute(NonZeroU8);

/// How the characters of a field are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Intensity {
    /// Normal intensity.
    Normal,
    /// Normal intensity, detectable by the cursor select key.
    Detectable,
    /// Bright, detectable by the cursor select key.
    Bright,
    /// Not shown.
    Hidden,
}

impl FieldAttribute {
    /// Unprotected, normal, not modified.
    pub const UNPROTECTED: FieldAttribute = FieldAttribute::parse(0);
    /// Protected, normal, not modified.
    pub const PROTECTED: FieldAttribute = FieldAttribute::parse(PROTECTED);
    /// Autoskip: protected and numeric.
    pub const AUTOSKIP: FieldAttribute = FieldAttribute::parse(PROTECTED | NUMERIC);

    /// The attribute of a byte, of which the low six bits count.
    pub const fn parse(byte: u8) -> FieldAttribute {
        // The two high bits are kept on, so that the value is never zero.
        match NonZeroU8::new(0xC0 | byte) {
            Some(value) => FieldAttribute(value),
            None => FieldAttribute(NonZeroU8::MAX),
        }
    }

    /// The graphic character that carries the attribute.
    pub const fn emit(self) -> u8 {
        graphic(self.bits())
    }

    /// The six bits.
    pub const fn bits(self) -> u8 {
        self.0.get() & 0x3F
    }

    /// Whether the operator cannot type here.
    pub const fn is_protected(self) -> bool {
        self.bits() & PROTECTED != 0
    }

    /// Whether the numeric bit is on.
    pub const fn is_numeric(self) -> bool {
        self.bits() & NUMERIC != 0
    }

    /// Whether the cursor skips the field: protected and numeric.
    pub const fn is_autoskip(self) -> bool {
        self.is_protected() && self.is_numeric()
    }

    /// Whether the modified data tag is on.
    pub const fn is_modified(self) -> bool {
        self.bits() & MODIFIED != 0
    }

    /// How the field is shown.
    pub const fn intensity(self) -> Intensity {
        match self.bits() >> 2 & 3 {
            0 => Intensity::Normal,
            1 => Intensity::Detectable,
            2 => Intensity::Bright,
            _ => Intensity::Hidden,
        }
    }

    /// The same attribute with the modified data tag on or off.
    #[must_use]
    pub const fn with_modified(self, modified: bool) -> FieldAttribute {
        if modified {
            FieldAttribute::parse(self.bits() | MODIFIED)
        } else {
            FieldAttribute::parse(self.bits() & !MODIFIED)
        }
    }

    /// The colour that a terminal shows without an extended colour.
    pub const fn base_color(self) -> Color {
        let bright = matches!(self.intensity(), Intensity::Bright);
        if self.is_protected() {
            if bright { Color::WHITE } else { Color::BLUE }
        } else if bright {
            Color::RED
        } else {
            Color::GREEN
        }
    }
}

/// A colour code, as types X'42' and X'45' carry it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Color(pub u8);

impl Color {
    /// The colour of the field, or the base colour.
    pub const DEFAULT: Color = Color(0);
    /// Blue.
    pub const BLUE: Color = Color(0xF1);
    /// Red.
    pub const RED: Color = Color(0xF2);
    /// Pink.
    pub const PINK: Color = Color(0xF3);
    /// Green.
    pub const GREEN: Color = Color(0xF4);
    /// Turquoise.
    pub const TURQUOISE: Color = Color(0xF5);
    /// Yellow.
    pub const YELLOW: Color = Color(0xF6);
    /// White, the neutral colour.
    pub const WHITE: Color = Color(0xF7);

    /// The colour's name for style sheets and traces. Returns `default` for
    /// X'00' and for codes without a name.
    pub const fn name(self) -> &'static str {
        match self.0 {
            0xF0 | 0xF8 => "black",
            0xF1 => "blue",
            0xF2 => "red",
            0xF3 => "pink",
            0xF4 => "green",
            0xF5 => "turquoise",
            0xF6 => "yellow",
            0xF7 | 0xFF => "white",
            0xF9 => "deep-blue",
            0xFA => "orange",
            0xFB => "purple",
            0xFC => "pale-green",
            0xFD => "pale-turquoise",
            0xFE => "grey",
            _ => "default",
        }
    }
}

/// A highlighting code, as type X'41' carries it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Highlight(pub u8);

impl Highlight {
    /// That of the field.
    pub const DEFAULT: Highlight = Highlight(0);
    /// Blinking.
    pub const BLINK: Highlight = Highlight(0xF1);
    /// Reverse video.
    pub const REVERSE: Highlight = Highlight(0xF2);
    /// Underscore.
    pub const UNDERSCORE: Highlight = Highlight(0xF4);
    /// Intensified.
    pub const INTENSIFY: Highlight = Highlight(0xF8);
}

/// A character set code, as type X'43' carries it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CharacterSet(pub u8);

impl CharacterSet {
    /// The code page of the terminal.
    pub const BASE: CharacterSet = CharacterSet(0);
    /// APL and line graphics, which GE chooses for one character.
    pub const APL: CharacterSet = CharacterSet(0xF1);
    /// One character of the graphic set, which GE chose. No terminal sends this
    /// code.
    pub const GRAPHIC_ESCAPE: CharacterSet = CharacterSet(0x01);
    /// Double-byte characters.
    pub const DOUBLE_BYTE: CharacterSet = CharacterSet(0xF8);
}

/// The extended attributes of a field or of a character.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ExtendedAttributes {
    /// Foreground colour.
    pub color: Color,
    /// Background colour.
    pub background: Color,
    /// Highlighting.
    pub highlight: Highlight,
    /// Character set.
    pub character_set: CharacterSet,
    /// Field validation bits: 04 mandatory fill, 02 mandatory enter, 01 trigger.
    pub validation: u8,
    /// Field outline bits: 01 under, 02 right, 04 over, 08 left.
    pub outline: u8,
}

impl ExtendedAttributes {
    /// Sets the attribute of this type; unknown types are ignored, type X'00'
    /// resets all.
    pub fn set(&mut self, kind: u8, value: u8) {
        match kind {
            AttributeType::ALL => *self = ExtendedAttributes::default(),
            AttributeType::HIGHLIGHT => self.highlight = Highlight(normal_as_default(value)),
            AttributeType::COLOR => self.color = Color(value),
            AttributeType::CHARACTER_SET => self.character_set = CharacterSet(value),
            AttributeType::BACKGROUND => self.background = Color(value),
            AttributeType::VALIDATION => self.validation = value & 0x07,
            AttributeType::OUTLINE => self.outline = value & 0x0F,
            _ => {}
        }
    }

    /// These attributes, with those of `field` where these are default.
    #[must_use]
    pub const fn over(self, field: &ExtendedAttributes) -> ExtendedAttributes {
        const fn first(own: u8, field: u8) -> u8 {
            if own == 0 { field } else { own }
        }
        ExtendedAttributes {
            color: Color(first(self.color.0, field.color.0)),
            background: Color(first(self.background.0, field.background.0)),
            highlight: Highlight(first(self.highlight.0, field.highlight.0)),
            character_set: CharacterSet(first(self.character_set.0, field.character_set.0)),
            validation: first(self.validation, field.validation),
            outline: first(self.outline, field.outline),
        }
    }

    /// Type and value of each attribute that is not default, in the order in
    /// which terminals send them.
    pub fn pairs(&self) -> impl Iterator<Item = (u8, u8)> {
        [
            (AttributeType::COLOR, self.color.0),
            (AttributeType::BACKGROUND, self.background.0),
            (AttributeType::HIGHLIGHT, self.highlight.0),
            (AttributeType::CHARACTER_SET, self.character_set.0),
            (AttributeType::VALIDATION, self.validation),
            (AttributeType::OUTLINE, self.outline),
        ]
        .into_iter()
        .filter(|(_, value)| *value != 0)
    }
}

/// The types of extended attributes.
pub struct AttributeType;

impl AttributeType {
    /// All of them, to their defaults.
    pub const ALL: u8 = 0x00;
    /// Highlighting.
    pub const HIGHLIGHT: u8 = 0x41;
    /// Foreground colour.
    pub const COLOR: u8 = 0x42;
    /// Character set.
    pub const CHARACTER_SET: u8 = 0x43;
    /// Background colour.
    pub const BACKGROUND: u8 = 0x45;
    /// Transparency.
    pub const TRANSPARENCY: u8 = 0x46;
    /// The field attribute.
    pub const FIELD: u8 = 0xC0;
    /// Field validation.
    pub const VALIDATION: u8 = 0xC1;
    /// Field outlining.
    pub const OUTLINE: u8 = 0xC2;
    /// Input control of double-byte fields.
    pub const INPUT_CONTROL: u8 = 0xFE;
}

const PROTECTED: u8 = 0x20;
const NUMERIC: u8 = 0x10;
const MODIFIED: u8 = 0x01;

/// X'F0' is highlighting "normal": for a field the same as the default.
const fn normal_as_default(value: u8) -> u8 {
    if value == 0xF0 { 0 } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_sent_as_the_reference_has_them() {
        let cases = [
            (0x00, 0x40),
            (0x10, 0x50),
            (0x20, 0x60),
            (0x30, 0xF0),
            (0x0C, 0x4C),
            (0x08, 0xC8),
            (0x38, 0xF8),
            (0x28, 0xE8),
            (0x01, 0xC1),
            (0x2C, 0x6C),
        ];
        for (bits, sent) in cases {
            assert_eq!(FieldAttribute::parse(bits).emit(), sent);
            assert_eq!(FieldAttribute::parse(sent).bits(), bits);
        }
    }

    #[test]
    fn base_colours_follow_protection_and_intensity() {
        let color = |byte| FieldAttribute::parse(byte).base_color();
        assert_eq!(color(0x00), Color::GREEN);
        assert_eq!(color(0x08), Color::RED);
        assert_eq!(color(0x20), Color::BLUE);
        assert_eq!(color(0x28), Color::WHITE);
    }

    #[test]
    fn an_unknown_attribute_type_changes_nothing() {
        let mut attributes = ExtendedAttributes::default();
        attributes.set(0x7F, 0xF1);
        assert_eq!(attributes, ExtendedAttributes::default());
    }
}
