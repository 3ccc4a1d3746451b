//! JSON and XML statements of batch programs, on the operands that libcob
//! describes.
//!
//! The `runtime` crate executes the statements; this module reads their operands.
//! The C side calls it and ends the program with the message that it returns.
//!
//! Invariant: no panic crosses the C side.

use std::cell::{Cell, RefCell};
use std::ffi::{CString, c_char, c_int, c_longlong, c_void};

use runtime::markup::{CallOperands, StatementCache};

/// libcob's description of an item, in part.
#[repr(C)]
pub(crate) struct Field {
    size: usize,
    data: *mut u8,
    attr: *const FieldAttributes,
}

#[repr(C)]
struct FieldAttributes {
    kind: u16,
}

const NUMERIC: u16 = 0x10;
const FLOAT: u16 = 0x13;
const DOUBLE: u16 = 0x14;

impl Field {
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        // SAFETY: the program's storage of that size; the program waits.
        unsafe { std::slice::from_raw_parts(self.data, self.size) }.to_vec()
    }

    /// Writes as many bytes to the item as fit.
    pub(crate) fn set_bytes(&self, bytes: &[u8]) {
        let n = bytes.len().min(self.size);
        // SAFETY: inside the item, as above.
        unsafe { std::ptr::copy(bytes.as_ptr(), self.data, n) };
    }

    /// Its value. A group, or characters of a word's size, count as binary.
    pub(crate) fn int(&self) -> i64 {
        let bytes = self.bytes();
        if self.kind() & NUMERIC == 0 && matches!(bytes.len(), 2 | 4 | 8) {
            let mut wide = [if bytes[0] & 0x80 == 0 { 0 } else { 0xFF }; 8];
            wide[8 - bytes.len()..].copy_from_slice(&bytes);
            return i64::from_be_bytes(wide);
        }
        let get = NUMBERS.get().map(|(get, _)| get);
        // SAFETY: a field of this CALL; the entry reads it.
        get.map_or(0, |get| unsafe { get(std::ptr::from_ref(self).cast_mut()) })
    }

    pub(crate) fn set_int(&self, value: i64) {
        if self.kind() & NUMERIC == 0 && matches!(self.size, 2 | 4 | 8) {
            return self.set_bytes(&value.to_be_bytes()[8 - self.size..]);
        }
        if let Some((_, set)) = NUMBERS.get() {
            let value = c_int::try_from(value).unwrap_or(c_int::MAX);
            // SAFETY: a field of this CALL; the entry writes its data.
            unsafe { set(std::ptr::from_ref(self).cast_mut(), value) };
        }
    }

    pub(crate) fn double(&self) -> f64 {
        let bytes = self.bytes();
        match (self.kind(), bytes.as_slice()) {
            (FLOAT, &[a, b, c, d]) => f64::from(f32::from_ne_bytes([a, b, c, d])),
            (DOUBLE, &[a, b, c, d, e, f, g, h]) => f64::from_ne_bytes([a, b, c, d, e, f, g, h]),
            _ => self.int() as f64,
        }
    }

    pub(crate) fn set_double(&self, value: f64) {
        match self.kind() {
            FLOAT => self.set_bytes(&(value as f32).to_ne_bytes()),
            DOUBLE => self.set_bytes(&value.to_ne_bytes()),
            _ => self.set_int(value as i64),
        }
    }

    fn kind(&self) -> u16 {
        // SAFETY: libcob gives every field a description.
        unsafe { self.attr.as_ref() }.map_or(0, |a| a.kind)
    }
}

impl Field {
    /// Its storage: address and bytes.
    pub(crate) fn storage(&self) -> (*mut u8, usize) {
        (self.data, self.size)
    }
}

/// The function that the C side calls for a statement.
pub(crate) type Statement = unsafe extern "C" fn(*const *mut Field, c_int, c_int) -> *const c_char;

type GetInt = unsafe extern "C" fn(*mut Field) -> c_longlong;
type SetInt = unsafe extern "C" fn(*mut Field, c_int);

thread_local! {
    static STATEMENTS: RefCell<StatementCache> = RefCell::default();
    static NUMBERS: Cell<Option<(GetInt, SetInt)>> = const { Cell::new(None) };
    /// The text that the program ends with.
    static FAULT: RefCell<CString> = RefCell::default();
}

/// Takes the entries of the C side that read and set numbers.
pub(crate) fn bind(get: *mut c_void, set: *mut c_void) {
    // SAFETY: batch.c gives these entries these types.
    let numbers = unsafe {
        (
            std::mem::transmute::<*mut c_void, GetInt>(get),
            std::mem::transmute::<*mut c_void, SetInt>(set),
        )
    };
    NUMBERS.set(Some(numbers));
}

/// Operands of the program in control.
pub(crate) struct BatchOperands<'a> {
    fields: &'a [*mut Field],
    has_ebcdic_sign: bool,
}

impl BatchOperands<'_> {
    /// # Safety
    ///
    /// `params` is null or has `count` fields that live as long as the CALL.
    pub(crate) unsafe fn new(params: *const *mut Field, count: c_int, ebcdic_sign: bool) -> Self {
        let count = usize::try_from(count).unwrap_or(0);
        let fields = if params.is_null() {
            &[]
        } else {
            // SAFETY: so many operands, by the contract.
            unsafe { std::slice::from_raw_parts(params, count) }
        };
        BatchOperands {
            fields,
            has_ebcdic_sign: ebcdic_sign,
        }
    }

    pub(crate) fn field(&self, at: usize) -> Option<&Field> {
        let field = self.fields.get(at).copied()?;
        // SAFETY: libcob's fields of this CALL, null for those omitted.
        let field = unsafe { field.as_ref() }?;
        (!field.data.is_null()).then_some(field)
    }
}

impl CallOperands for BatchOperands<'_> {
    fn count(&self) -> usize {
        self.fields.len()
    }

    fn size(&self, at: usize) -> usize {
        self.field(at).map_or(0, |f| f.size)
    }

    fn address(&self, at: usize) -> usize {
        self.field(at).map_or(0, |f| f.data.addr())
    }

    fn bytes(&self, at: usize) -> Vec<u8> {
        self.field(at).map_or(Vec::new(), Field::bytes)
    }

    fn write(&mut self, at: usize, offset: usize, bytes: &[u8], room: usize) {
        let Some(field) = self.field(at) else {
            return;
        };
        if let Some(room) = field.size.max(room).checked_sub(offset) {
            let n = bytes.len().min(room);
            // SAFETY: inside the item, as above.
            unsafe { std::ptr::copy(bytes.as_ptr(), field.data.add(offset), n) };
        }
    }

    fn int(&self, at: usize) -> i64 {
        match (self.field(at), NUMBERS.get()) {
            // SAFETY: a field of this CALL.
            (Some(_), Some((get, _))) => unsafe { get(self.fields[at]) },
            _ => 0,
        }
    }

    fn set_int(&mut self, at: usize, value: i64) {
        if let (Some(_), Some((_, set))) = (self.field(at), NUMBERS.get()) {
            let value = c_int::try_from(value).unwrap_or(c_int::MAX);
            // SAFETY: a field of this CALL.
            unsafe { set(self.fields[at], value) };
        }
    }

    fn has_ebcdic_sign(&self) -> bool {
        self.has_ebcdic_sign
    }
}

/// # Safety
/// Called by the C side with the operands of a CALL of the program in control.
pub(crate) unsafe extern "C" fn statement(
    params: *const *mut Field,
    count: c_int,
    ebcdic_sign: c_int,
) -> *const c_char {
    let served = std::panic::catch_unwind(|| {
        // SAFETY: by the contract.
        let mut operands = unsafe { BatchOperands::new(params, count, ebcdic_sign != 0) };
        STATEMENTS.with_borrow_mut(|statements| statements.serve(&mut operands))
    });
    let text = match served {
        Ok(Ok(())) => return std::ptr::null(),
        Ok(Err(fault)) => fault.0,
        // A panic must not cross the C side.
        Err(_) => std::process::abort(),
    };
    FAULT.with_borrow_mut(|fault| {
        *fault = CString::new(text.replace('\0', "")).unwrap_or_default();
        fault.as_ptr()
    })
}
