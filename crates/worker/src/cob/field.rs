//! Operands: COBOL items as libcob describes them, read and written in place.
//!
//! Halfwords, fullwords and characters are what commands mostly meet and are
//! short paths; zoned, packed and floating-point items go the general way.
//! Reference: GnuCOBOL, `common.h` (`cob_field`, `cob_field_attr`). The values
//! below have not changed between 3.1 and 3.2.
//!
//! Invariant: nothing here trusts the item's contents; a digit that is none
//! counts as 0, as libcob's own conversion has it.

use std::marker::PhantomData;

/// libcob's description of an item.
#[repr(C)]
pub struct Field {
    size: usize,
    data: *mut u8,
    attr: *const FieldAttr,
}

/// An item with storage of its own, for a command that no program gives.
pub struct OwnedField {
    data: Vec<u8>,
    field: Field,
}

impl OwnedField {
    /// Characters.
    pub fn characters(data: Vec<u8>) -> Self {
        const CHARACTERS: &FieldAttr = &FieldAttr::of(ALPHANUMERIC, 0);
        OwnedField::new(data, CHARACTERS)
    }

    /// A signed number in the machine's byte order, of 2, 4 or 8 bytes.
    pub fn binary(data: Vec<u8>) -> Self {
        const BINARY: &FieldAttr = &FieldAttr::of(NUMERIC_COMP5, HAVE_SIGN);
        OwnedField::new(data, BINARY)
    }

    fn new(mut data: Vec<u8>, attr: &'static FieldAttr) -> Self {
        // The storage stays where it is when the vector moves.
        let field = Field {
            size: data.len(),
            data: data.as_mut_ptr(),
            attr,
        };
        OwnedField { data, field }
    }

    /// libcob's description of the field, valid as long as `self`. Returns null, which
    /// counts as omitted, if it has no bytes.
    pub fn field_or_null(&self) -> *const Field {
        if self.data.is_empty() {
            return std::ptr::null();
        }
        &self.field
    }

    /// An item of fewer bytes than its storage has.
    pub fn of_size(mut self, size: usize) -> Self {
        self.field.size = size.min(self.data.len());
        self
    }

    /// Its storage.
    pub fn into_data(self) -> Vec<u8> {
        self.data
    }
}

#[repr(C)]
struct FieldAttr {
    kind: u16,
    digits: u16,
    scale: i16,
    flags: u16,
    picture: *const u8,
}

impl FieldAttr {
    const fn of(kind: u16, flags: u16) -> FieldAttr {
        FieldAttr {
            kind,
            digits: 0,
            scale: 0,
            flags,
            picture: std::ptr::null(),
        }
    }
}

const ALPHANUMERIC: u16 = 0x21;
const NUMERIC_DISPLAY: u16 = 0x10;
const NUMERIC_BINARY: u16 = 0x11;
const NUMERIC_PACKED: u16 = 0x12;
const NUMERIC_FLOAT: u16 = 0x13;
const NUMERIC_DOUBLE: u16 = 0x14;
const NUMERIC_COMP5: u16 = 0x1B;

const HAVE_SIGN: u16 = 1 << 0;
const SIGN_SEPARATE: u16 = 1 << 1;
const SIGN_LEADING: u16 = 1 << 2;
const BINARY_SWAP: u16 = 1 << 5;
const NO_SIGN_NIBBLE: u16 = 1 << 8;

/// One operand of a command, alive as long as the command.
#[derive(Clone, Copy)]
pub struct CommandOperand<'c> {
    data: *mut u8,
    size: usize,
    attr: *const FieldAttr,
    life: PhantomData<&'c Field>,
}

impl<'c> CommandOperand<'c> {
    /// The operand of a field; `None` for one that was omitted.
    ///
    /// # Safety
    /// `field` is null or a field of the calling program whose data stays
    /// where it is while the command runs.
    pub unsafe fn new(field: *const Field) -> Option<Self> {
        // SAFETY: by the contract.
        let field = unsafe { field.as_ref()? };
        (!field.data.is_null()).then_some(CommandOperand {
            data: field.data,
            size: field.size,
            attr: field.attr,
            life: PhantomData,
        })
    }

    /// Bytes of the item.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The address of the item.
    pub fn data(&self) -> *mut u8 {
        self.data
    }

    /// The item's bytes. Not to be held over a write to another operand.
    pub fn bytes(&self) -> &'c [u8] {
        // SAFETY: the program's storage of that size, by `new`'s contract.
        unsafe { std::slice::from_raw_parts(self.data, self.size) }
    }

    /// The item as a blank-padded name.
    pub fn name<const N: usize>(&self) -> [u8; N] {
        let mut name = [b' '; N];
        let from = self.bytes();
        let n = from.len().min(N);
        name[..n].copy_from_slice(&from[..n]);
        for b in &mut name {
            if *b == 0 {
                *b = b' ';
            }
        }
        name
    }

    /// Writes characters: cut, or padded with blanks, to the item's size.
    pub fn set_chars(&self, text: &[u8]) {
        let n = text.len().min(self.size);
        // SAFETY: inside the item; `text` may overlap it.
        unsafe {
            std::ptr::copy(text.as_ptr(), self.data, n);
            std::ptr::write_bytes(self.data.add(n), b' ', self.size - n);
        }
    }

    /// Fills the item with binary zeros.
    pub fn set_zeros(&self) {
        // SAFETY: the item's own bytes.
        unsafe { std::ptr::write_bytes(self.data, 0, self.size) };
    }

    /// Writes at most `limit` bytes from `from` on, without padding.
    pub fn set_bytes(&self, from: &[u8], limit: usize) {
        let n = from.len().min(self.size).min(limit);
        // SAFETY: inside the item; `from` may overlap it.
        unsafe { std::ptr::copy(from.as_ptr(), self.data, n) };
    }

    /// Writes bytes from an offset on; bytes beyond the item are left out. An
    /// item of varying length has `room` bytes at its greatest.
    pub fn write_at(&self, offset: usize, from: &[u8], room: usize) {
        let Some(room) = self.size.max(room).checked_sub(offset) else {
            return;
        };
        let n = from.len().min(room);
        // SAFETY: inside the item; `from` may overlap it.
        unsafe { std::ptr::copy(from.as_ptr(), self.data.add(offset), n) };
    }

    /// The bytes that a command may write into this area: the length that the program
    /// gives, as on CICS, else the item's own. An item of varying length can be longer
    /// than its counter says at the moment.
    pub fn room(&self, length: Option<i64>) -> usize {
        length.map_or(self.size, |l| usize::try_from(l).unwrap_or(0))
    }

    /// Fills the area with as many bytes as fit into `room`.
    pub fn fill(&self, from: &[u8], room: usize) {
        self.write_at(0, &from[..from.len().min(room)], room);
    }

    /// The item as a pointer.
    pub fn pointer(&self) -> *mut u8 {
        if self.size < size_of::<*mut u8>() {
            return std::ptr::null_mut();
        }
        // SAFETY: the item holds a pointer's bytes, at any alignment.
        unsafe { self.data.cast::<*mut u8>().read_unaligned() }
    }

    /// Stores a pointer; an item that is too small is left alone.
    pub fn set_pointer(&self, to: *mut u8) {
        if self.size >= size_of::<*mut u8>() {
            // SAFETY: inside the item.
            unsafe { self.data.cast::<*mut u8>().write_unaligned(to) };
        }
    }

    /// Whether the command operand is a number, not characters or a group.
    pub fn is_number(&self) -> bool {
        (NUMERIC_DISPLAY..=NUMERIC_COMP5).contains(&self.shape().0)
    }

    /// The item's integer value.
    pub fn int(&self) -> i64 {
        let (kind, flags) = self.shape();
        match kind {
            NUMERIC_BINARY | NUMERIC_COMP5 => self.binary(flags),
            NUMERIC_PACKED => self.packed(flags),
            NUMERIC_FLOAT => self
                .array::<4>()
                .map_or(0, |b| f32::from_ne_bytes(b) as i64),
            NUMERIC_DOUBLE => self
                .array::<8>()
                .map_or(0, |b| f64::from_ne_bytes(b) as i64),
            NUMERIC_DISPLAY => self.zoned(flags),
            // A group or characters where a number is wanted: binary bytes.
            _ => match self.size {
                1 | 2 | 4 | 8 => self.binary(BINARY_SWAP | HAVE_SIGN),
                _ => self.zoned(flags),
            },
        }
    }

    /// Stores an integer; high-order digits that do not fit are lost.
    pub fn set_int(&self, value: i64) {
        let (kind, flags) = self.shape();
        match kind {
            NUMERIC_BINARY | NUMERIC_COMP5 => self.set_binary(value, flags),
            NUMERIC_PACKED => self.set_packed(value, flags),
            NUMERIC_FLOAT => self.set_bytes(&(value as f32).to_ne_bytes(), 4),
            NUMERIC_DOUBLE => self.set_bytes(&(value as f64).to_ne_bytes(), 8),
            NUMERIC_DISPLAY => self.set_zoned(value, flags),
            _ => match self.size {
                1 | 2 | 4 | 8 => self.set_binary(value, BINARY_SWAP | HAVE_SIGN),
                _ => self.set_zoned(value, flags),
            },
        }
    }

    /// The item as a floating-point number.
    pub fn double(&self) -> f64 {
        let value = match self.shape().0 {
            NUMERIC_FLOAT => self.array::<4>().map(|b| f64::from(f32::from_ne_bytes(b))),
            NUMERIC_DOUBLE => self.array::<8>().map(f64::from_ne_bytes),
            _ => None,
        };
        value.unwrap_or_else(|| self.int() as f64)
    }

    /// Stores a floating-point number; an item of another kind gets its
    /// integer part.
    pub fn set_double(&self, value: f64) {
        match self.shape().0 {
            NUMERIC_FLOAT => self.set_bytes(&(value as f32).to_ne_bytes(), 4),
            NUMERIC_DOUBLE => self.set_bytes(&value.to_ne_bytes(), 8),
            _ => self.set_int(value as i64),
        }
    }

    fn shape(&self) -> (u16, u16) {
        // SAFETY: libcob gives every field a description; constants have one
        // that is in the module.
        unsafe { self.attr.as_ref() }.map_or((0, 0), |a| (a.kind, a.flags))
    }

    fn array<const N: usize>(&self) -> Option<[u8; N]> {
        self.bytes().get(..N)?.try_into().ok()
    }

    fn binary(&self, flags: u16) -> i64 {
        let size = self.size.min(8);
        let mut wide = [0; 8];
        // The most significant byte last, as a little-endian number has it.
        wide[..size].copy_from_slice(&self.bytes()[..size]);
        if flags & BINARY_SWAP != 0 || cfg!(target_endian = "big") {
            wide[..size].reverse();
        }
        if flags & HAVE_SIGN != 0 && size > 0 && wide[size - 1] & 0x80 != 0 {
            wide[size..].fill(0xFF);
        }
        i64::from_le_bytes(wide)
    }

    fn set_binary(&self, value: i64, flags: u16) {
        let size = self.size.min(8);
        let mut wide = value.to_le_bytes();
        if flags & BINARY_SWAP != 0 || cfg!(target_endian = "big") {
            wide[..size].reverse();
        }
        self.set_bytes(&wide[..size], size);
    }

    fn packed(&self, flags: u16) -> i64 {
        let bytes = self.bytes();
        let unsigned = flags & NO_SIGN_NIBBLE != 0;
        let nibbles = bytes.len() * 2 - usize::from(!unsigned && !bytes.is_empty());
        let nibble = |i: usize| {
            if i & 1 == 0 {
                bytes[i / 2] >> 4
            } else {
                bytes[i / 2] & 15
            }
        };
        let value = (0..nibbles).map(nibble).fold(0i64, add_digit);
        if !unsigned && bytes.last().is_some_and(|b| matches!(b & 15, 0xB | 0xD)) {
            return -value;
        }
        value
    }

    fn set_packed(&self, value: i64, flags: u16) {
        let unsigned = flags & NO_SIGN_NIBBLE != 0;
        let mut rest = value.unsigned_abs();
        let mut next = || {
            let digit = (rest % 10) as u8;
            rest /= 10;
            digit
        };
        for at in (0..self.size).rev() {
            let low = match (at + 1 == self.size, unsigned) {
                (true, false) if flags & HAVE_SIGN == 0 => 0xF,
                (true, false) if value < 0 => 0xD,
                (true, false) => 0xC,
                _ => next(),
            };
            let byte = low | next() << 4;
            // SAFETY: inside the item.
            unsafe { self.data.add(at).write(byte) };
        }
    }

    fn zoned(&self, flags: u16) -> i64 {
        let mut bytes = self.bytes();
        let mut negative = false;
        if flags & SIGN_SEPARATE != 0 && !bytes.is_empty() {
            let at = if flags & SIGN_LEADING != 0 {
                0
            } else {
                bytes.len() - 1
            };
            negative = bytes[at] == b'-';
            bytes = if at == 0 { &bytes[1..] } else { &bytes[..at] };
        }
        let mut value = 0;
        for (i, &b) in bytes.iter().enumerate() {
            let signed = flags & HAVE_SIGN != 0
                && flags & SIGN_SEPARATE == 0
                && i == if flags & SIGN_LEADING != 0 {
                    0
                } else {
                    bytes.len() - 1
                };
            let digit = match b {
                b'0'..=b'9' => b - b'0',
                // An overpunched sign as GnuCOBOL keeps it in ASCII.
                b'p'..=b'y' if signed => {
                    negative = true;
                    b - b'p'
                }
                // The characters of EBCDIC's: `zoned_sign = "ebcdic"`.
                b'}' | b'J'..=b'R' if signed => {
                    negative = true;
                    if b == b'}' { 0 } else { b - b'I' }
                }
                b'A'..=b'I' if signed => b - b'@',
                _ => 0,
            };
            value = add_digit(value, digit);
        }
        if negative { -value } else { value }
    }

    fn set_zoned(&self, value: i64, flags: u16) {
        let (mut from, mut to) = (0, self.size);
        let negative = value < 0 && flags & HAVE_SIGN != 0;
        let put = |at: usize, byte: u8| {
            if at < self.size {
                // SAFETY: inside the item.
                unsafe { self.data.add(at).write(byte) };
            }
        };
        if flags & SIGN_SEPARATE != 0 && to > 0 {
            let at = if flags & SIGN_LEADING != 0 { 0 } else { to - 1 };
            put(at, if negative { b'-' } else { b'+' });
            if at == 0 { from = 1 } else { to -= 1 }
        }
        let mut rest = value.unsigned_abs();
        for at in (from..to).rev() {
            let punched = negative
                && flags & SIGN_SEPARATE == 0
                && at
                    == if flags & SIGN_LEADING != 0 {
                        from
                    } else {
                        to - 1
                    };
            put(at, (rest % 10) as u8 + if punched { b'p' } else { b'0' });
            rest /= 10;
        }
    }
}

fn add_digit(value: i64, digit: u8) -> i64 {
    let digit = if digit > 9 { 0 } else { digit };
    value.wrapping_mul(10).wrapping_add(i64::from(digit))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(kind: u16, flags: u16, value: i64, bytes: &[u8]) {
        let mut data = vec![0xAAu8; bytes.len()];
        let attr = FieldAttr {
            kind,
            digits: 0,
            scale: 0,
            flags,
            picture: std::ptr::null(),
        };
        let field = Field {
            size: data.len(),
            data: data.as_mut_ptr(),
            attr: &attr,
        };
        // SAFETY: the field and its data outlive the operand.
        let arg = unsafe { CommandOperand::new(&field) }.unwrap();
        arg.set_int(value);
        assert_eq!(arg.bytes(), bytes);
        assert_eq!(arg.int(), value);
    }

    #[test]
    fn binary_items_are_read_and_written_in_either_order() {
        check(NUMERIC_BINARY, BINARY_SWAP | HAVE_SIGN, -2, &[0xFF, 0xFE]);
        check(NUMERIC_BINARY, BINARY_SWAP | HAVE_SIGN, 258, &[0, 0, 1, 2]);
        check(NUMERIC_BINARY, BINARY_SWAP, 65_534, &[0xFF, 0xFE]);
        check(NUMERIC_COMP5, HAVE_SIGN, -2, &[0xFE, 0xFF, 0xFF, 0xFF]);
        check(NUMERIC_BINARY, BINARY_SWAP, 7, &[0, 0, 0, 0, 0, 0, 0, 7]);
    }

    #[test]
    fn packed_and_zoned_items_keep_their_sign() {
        check(NUMERIC_PACKED, HAVE_SIGN, -123, &[0x12, 0x3D]);
        check(NUMERIC_PACKED, 0, 123, &[0x12, 0x3F]);
        check(NUMERIC_PACKED, NO_SIGN_NIBBLE, 1234, &[0x12, 0x34]);
        check(NUMERIC_DISPLAY, 0, 42, b"0042");
        check(NUMERIC_DISPLAY, HAVE_SIGN, -42, b"004r");
        check(NUMERIC_DISPLAY, HAVE_SIGN | SIGN_SEPARATE, -42, b"042-");
        check(
            NUMERIC_DISPLAY,
            HAVE_SIGN | SIGN_SEPARATE | SIGN_LEADING,
            42,
            b"+042",
        );
    }

    #[test]
    fn a_group_of_a_words_size_counts_as_binary() {
        check(1, 0, 700, &[0, 0, 2, 188]);
    }

    #[test]
    fn names_are_cut_and_padded() {
        let mut data = *b"AB\0";
        let attr = FieldAttr {
            kind: 0x21,
            digits: 0,
            scale: 0,
            flags: 0,
            picture: std::ptr::null(),
        };
        let field = Field {
            size: 3,
            data: data.as_mut_ptr(),
            attr: &attr,
        };
        // SAFETY: the field and its data outlive the operand.
        let arg = unsafe { CommandOperand::new(&field) }.unwrap();
        assert_eq!(arg.name::<4>(), *b"AB  ");
        assert_eq!(arg.name::<1>(), *b"A");
    }
}
