//! Attribute bytes of fields and their extended attributes.
//!
//! A field attribute travels as a graphic character whose low six bits count.
//! Extended attributes are pairs of type and value. The letters and their order
//! are those of the symbolic map. Reference: 3270 Data Stream Programmer's
//! Reference, "Field attributes"; CICS, "Field attribute values".

/// The byte in front of a field, as it is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FieldAttribute(u8);

impl FieldAttribute {
    /// Protected and numeric: the cursor skips the field.
    pub const AUTOSKIP: FieldAttribute = FieldAttribute(0xF0);
    /// Unprotected, normal intensity.
    pub const UNPROTECTED: FieldAttribute = FieldAttribute(0x40);
    /// Protected, normal intensity.
    pub const PROTECTED: FieldAttribute = FieldAttribute(0x60);

    /// The attribute of six bits; others are ignored.
    pub fn from_bits(bits: u8) -> FieldAttribute {
        FieldAttribute(graphic(bits & !RESERVED))
    }

    /// The byte of the data stream.
    pub fn byte(self) -> u8 {
        self.0
    }

    /// Whether an operator cannot change the field.
    pub fn is_protected(self) -> bool {
        self.0 & PROTECTED != 0
    }

    /// Whether the field takes digits, or the cursor skips it if protected.
    pub fn is_numeric(self) -> bool {
        self.0 & NUMERIC != 0
    }

    /// Whether the field is not displayed.
    pub fn is_hidden(self) -> bool {
        self.0 & INTENSITY == HIDDEN
    }

    /// Whether the field is bright.
    pub fn is_bright(self) -> bool {
        self.0 & INTENSITY == BRIGHT
    }

    /// Whether the modified data tag is set.
    pub fn is_modified(self) -> bool {
        self.0 & MODIFIED != 0
    }
}

/// Bit of a protected field.
pub const PROTECTED: u8 = 0x20;
/// Bit of a numeric field.
pub const NUMERIC: u8 = 0x10;
/// Bits of intensity.
pub const INTENSITY: u8 = 0x0C;
/// Intensity: normal, detectable by a light pen.
pub const DETECTABLE: u8 = 0x04;
/// Intensity: bright.
pub const BRIGHT: u8 = 0x08;
/// Intensity: not displayed.
pub const HIDDEN: u8 = 0x0C;
/// Bit that the data stream reserves as zero.
const RESERVED: u8 = 0x02;
/// Modified data tag.
pub const MODIFIED: u8 = 0x01;

/// The graphic character that carries six bits in a data stream: addresses,
/// attributes and write control characters.
pub fn graphic(bits: u8) -> u8 {
    const TABLE: [u8; 64] = [
        0x40, 0xC1, 0xC2, 0xC3, 0xC4, 0xC5, 0xC6, 0xC7, 0xC8, 0xC9, 0x4A, 0x4B, 0x4C, 0x4D, 0x4E,
        0x4F, 0x50, 0xD1, 0xD2, 0xD3, 0xD4, 0xD5, 0xD6, 0xD7, 0xD8, 0xD9, 0x5A, 0x5B, 0x5C, 0x5D,
        0x5E, 0x5F, 0x60, 0x61, 0xE2, 0xE3, 0xE4, 0xE5, 0xE6, 0xE7, 0xE8, 0xE9, 0x6A, 0x6B, 0x6C,
        0x6D, 0x6E, 0x6F, 0xF0, 0xF1, 0xF2, 0xF3, 0xF4, 0xF5, 0xF6, 0xF7, 0xF8, 0xF9, 0x7A, 0x7B,
        0x7C, 0x7D, 0x7E, 0x7F,
    ];
    TABLE[usize::from(bits & 0x3F)]
}

/// Whether a byte is one of the 64 graphics.
pub fn is_graphic(byte: u8) -> bool {
    graphic(byte) == byte
}

/// An extended attribute, in the order of the symbolic map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ExtendedAttribute {
    /// COLOR.
    Color,
    /// PS: programmed symbols.
    ProgrammedSymbols,
    /// HILIGHT.
    Highlight,
    /// VALIDN.
    Validation,
    /// OUTLINE.
    Outline,
    /// SOSI: shift characters are allowed in input.
    ShiftOut,
    /// TRANSP.
    Transparency,
}

/// All of them, in the order of the symbolic map.
pub const EXTENDED_ATTRIBUTES: [ExtendedAttribute; 7] = [
    ExtendedAttribute::Color,
    ExtendedAttribute::ProgrammedSymbols,
    ExtendedAttribute::Highlight,
    ExtendedAttribute::Validation,
    ExtendedAttribute::Outline,
    ExtendedAttribute::ShiftOut,
    ExtendedAttribute::Transparency,
];

impl ExtendedAttribute {
    /// The letter of its byte in the symbolic map.
    pub fn suffix(self) -> char {
        ['C', 'P', 'H', 'V', 'U', 'M', 'T'][self as usize]
    }

    /// Its name in DSATTS and MAPATTS.
    pub fn name(self) -> &'static str {
        [
            "COLOR", "PS", "HILIGHT", "VALIDN", "OUTLINE", "SOSI", "TRANSP",
        ][self as usize]
    }

    /// The attribute of a name in DSATTS and MAPATTS.
    pub fn by_name(name: &str) -> Option<ExtendedAttribute> {
        EXTENDED_ATTRIBUTES.into_iter().find(|a| a.name() == name)
    }

    /// Whether the data stream has this value for it.
    pub fn is_valid(self, value: u8) -> bool {
        match self {
            ExtendedAttribute::Color => matches!(value, 0x00 | 0xF0..),
            ExtendedAttribute::ProgrammedSymbols => matches!(value, 0x00 | 0x41..=0xFE),
            ExtendedAttribute::Highlight => {
                matches!(value, 0x00 | 0xF0 | 0xF1 | 0xF2 | 0xF4 | 0xF8)
            }
            ExtendedAttribute::Validation => value <= 0x07,
            ExtendedAttribute::Outline => value <= 0x0F,
            ExtendedAttribute::ShiftOut => value <= 0x01,
            ExtendedAttribute::Transparency => matches!(value, 0x00 | 0xF0 | 0xF1 | 0xF2 | 0xFF),
        }
    }

    /// Its type in the data stream.
    pub fn type_code(self) -> u8 {
        [0x42, 0x43, 0x41, 0xC1, 0xC2, 0xFE, 0x46][self as usize]
    }
}

/// A set of extended attributes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AttributeSet(u8);

impl AttributeSet {
    /// None.
    pub const NONE: AttributeSet = AttributeSet(0);
    /// All seven.
    pub const ALL: AttributeSet = AttributeSet(0x7F);
    /// What EXTATT=YES and EXTATT=MAPONLY stand for.
    pub const EXTATT: AttributeSet = AttributeSet(0x0F);

    /// The set with one more.
    #[must_use]
    pub fn with(self, attribute: ExtendedAttribute) -> AttributeSet {
        AttributeSet(self.0 | 1 << attribute as u8)
    }

    /// The attributes of either.
    #[must_use]
    pub fn union(self, other: AttributeSet) -> AttributeSet {
        AttributeSet(self.0 | other.0)
    }

    /// The attributes of both.
    #[must_use]
    pub fn intersection(self, other: AttributeSet) -> AttributeSet {
        AttributeSet(self.0 & other.0)
    }

    /// Whether it is in the set.
    pub fn contains(self, attribute: ExtendedAttribute) -> bool {
        self.0 & (1 << attribute as u8) != 0
    }

    /// How many.
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// In the order of the symbolic map.
    pub fn iter(self) -> impl Iterator<Item = ExtendedAttribute> {
        EXTENDED_ATTRIBUTES
            .into_iter()
            .filter(move |a| self.contains(*a))
    }
}

impl FromIterator<ExtendedAttribute> for AttributeSet {
    fn from_iter<I: IntoIterator<Item = ExtendedAttribute>>(all: I) -> AttributeSet {
        all.into_iter().fold(AttributeSet::NONE, AttributeSet::with)
    }
}

/// Values of extended attributes; absent ones were not coded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AttributeValues([Option<u8>; 7]);

impl AttributeValues {
    /// The value of one, as it is sent.
    pub fn get(&self, attribute: ExtendedAttribute) -> Option<u8> {
        self.0[attribute as usize]
    }

    /// Sets one.
    pub fn set(&mut self, attribute: ExtendedAttribute, value: u8) {
        self.0[attribute as usize] = Some(value);
    }

    /// These, and those of `other` where these have none.
    #[must_use]
    pub fn or(&self, other: &AttributeValues) -> AttributeValues {
        let mut values = *self;
        for (value, default) in values.0.iter_mut().zip(other.0) {
            *value = value.or(default);
        }
        values
    }

    /// The attributes that have a value.
    pub fn attributes(&self) -> AttributeSet {
        let coded = EXTENDED_ATTRIBUTES.into_iter();
        coded.filter(|a| self.get(*a).is_some()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_attributes_of_the_manual_are_made_of_their_bits() {
        assert_eq!(FieldAttribute::from_bits(0).byte(), 0x40);
        assert_eq!(FieldAttribute::from_bits(PROTECTED | NUMERIC).byte(), 0xF0);
        assert_eq!(FieldAttribute::from_bits(MODIFIED).byte(), 0xC1);
        assert_eq!(FieldAttribute::from_bits(PROTECTED | HIDDEN).byte(), 0x6C);
        assert_eq!(FieldAttribute::from_bits(PROTECTED | BRIGHT).byte(), 0xE8);
        assert_eq!(FieldAttribute::from_bits(0xFF).byte(), 0x7D);
    }

    #[test]
    fn the_order_of_the_symbolic_map_is_c_p_h_v_u_m_t() {
        let letters: String = AttributeSet::ALL.iter().map(|a| a.suffix()).collect();
        assert_eq!(letters, "CPHVUMT");
        let extatt: String = AttributeSet::EXTATT.iter().map(|a| a.suffix()).collect();
        assert_eq!(extatt, "CPHV");
    }
}
