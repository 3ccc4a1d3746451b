//! JSON and XML statements of batch programs, on the operands that libcob
//! describes.
//!
//! What the statements do is the `runtime` crate's; here are the operands. The
//! C side calls in and ends the program with the text that it gets back.
//!
//! Invariant: no panic crosses the C side.

use std::cell::{Cell, RefCell};
use std::ffi::{CString, c_char, c_int, c_longlong, c_void};

use runtime::markup::{Operands, Statements};

/// libcob's description of an item, as far as it is read.
#[repr(C)]
pub(crate) struct Field {
    size: usize,
    data: *mut u8,
}

impl Field {
    /// Its storage: address and bytes.
    pub(crate) fn storage(&self) -> (*mut u8, usize) {
        (self.data, self.size)
    }
}

/// What the C side calls for a statement.
pub(crate) type Statement = unsafe extern "C" fn(*const *mut Field, c_int, c_int) -> *const c_char;

type GetInt = unsafe extern "C" fn(*mut Field) -> c_longlong;
type SetInt = unsafe extern "C" fn(*mut Field, c_int);

thread_local! {
    static STATEMENTS: RefCell<Statements> = RefCell::default();
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
struct BatchOperands<'a> {
    fields: &'a [*mut Field],
    has_ebcdic_sign: bool,
}

impl BatchOperands<'_> {
    fn field(&self, at: usize) -> Option<&Field> {
        let field = self.fields.get(at).copied()?;
        // SAFETY: libcob's fields of this CALL, null for those omitted.
        let field = unsafe { field.as_ref() }?;
        (!field.data.is_null()).then_some(field)
    }
}

impl Operands for BatchOperands<'_> {
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
        let Some(field) = self.field(at) else {
            return Vec::new();
        };
        // SAFETY: the program's storage of that size; the program waits.
        unsafe { std::slice::from_raw_parts(field.data, field.size) }.to_vec()
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
        let count = usize::try_from(count).unwrap_or(0);
        let fields = if params.is_null() {
            &[]
        } else {
            // SAFETY: so many operands, by the contract.
            unsafe { std::slice::from_raw_parts(params, count) }
        };
        let mut operands = BatchOperands {
            fields,
            has_ebcdic_sign: ebcdic_sign != 0,
        };
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
