//! Getters and setters of single fields, on QuickJS's own functions: a field is
//! read in place, and only the bytes are looked up by name.
//!
//! A function has its record's number among those of this thread and its
//! field's as data. The function is the property's getter or setter itself, so `this` is
//! the record object, which has its bytes in its property `_b`.
//!
//! Invariant: a number that scripts make up names no record, and no bytes
//! outside of the array are touched.

use std::cell::RefCell;
use std::ffi::c_int;
use std::io::Write;
use std::ptr::NonNull;
use std::sync::Arc;

use rquickjs::{Array, Ctx, Exception, Function, Result, Value, qjs};

use crate::overdue;
use crate::records::Record;

thread_local! {
    /// Records whose accessors live on this thread.
    static RECORDS: RefCell<Vec<Option<Arc<Record>>>> = const { RefCell::new(Vec::new()) };
    static TEXT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Makes a record known to the accessors of this thread. Returns its number.
pub fn enlist(record: Arc<Record>) -> usize {
    RECORDS.with_borrow_mut(|records| {
        let free = records.iter().position(Option::is_none);
        let at = free.unwrap_or_else(|| {
            records.push(None);
            records.len() - 1
        });
        records[at] = Some(record);
        at
    })
}

/// Forgets a record.
pub fn dismiss(number: usize) {
    // A thread that ends may have no records any more.
    let _ = RECORDS.try_with(|records| {
        if let Some(record) = records.borrow_mut().get_mut(number) {
            *record = None;
        }
    });
}

/// A field's getter and setter. The record's bytes are under a symbol.
pub fn of_field<'js>(
    ctx: &Ctx<'js>,
    number: usize,
    field: usize,
    symbol: &Value<'js>,
) -> Result<Array<'js>> {
    let made = Array::new(ctx.clone())?;
    // SAFETY: a value of the context; the atom lives as long as the runtime.
    let atom = unsafe { qjs::JS_ValueToAtom(ctx.as_raw().as_ptr(), symbol.as_raw()) };
    let data = [number as i32, atom as i32].map(|n| Value::new_int(ctx.clone(), n));
    let functions: [(qjs::JSCFunctionData, c_int); 2] = [(Some(get), 0), (Some(set), 1)];
    for (i, (function, length)) in functions.into_iter().enumerate() {
        let mut raw = data.clone().map(|v| v.as_raw());
        // SAFETY: the data are integers, which nothing owns; the result is a
        // new value, or an exception that the next line takes.
        let value = unsafe {
            let made = qjs::JS_NewCFunctionData(
                ctx.as_raw().as_ptr(),
                function,
                length,
                field as c_int,
                2,
                raw.as_mut_ptr(),
            );
            Value::from_raw(ctx.clone(), made)
        };
        let function = Function::from_value(value)?;
        made.set(i, function)?;
    }
    Ok(made)
}

unsafe extern "C" fn get(
    ctx: *mut qjs::JSContext,
    this: qjs::JSValue,
    _: c_int,
    _: *mut qjs::JSValue,
    field: c_int,
    data: *mut qjs::JSValue,
) -> qjs::JSValue {
    // SAFETY: QuickJS calls with its context and the data of `of_field`.
    unsafe {
        serve(ctx, this, data, |ctx, record, bytes| {
            let read = record.read(ctx, field as usize, bytes, &[])?;
            match read
                .as_object()
                .map(|o| o.get::<_, Option<String>>("wrong"))
            {
                Some(Ok(Some(wrong))) => Err(Exception::throw_range(ctx, &wrong)),
                _ => Ok(read),
            }
        })
    }
}

unsafe extern "C" fn set(
    ctx: *mut qjs::JSContext,
    this: qjs::JSValue,
    count: c_int,
    given: *mut qjs::JSValue,
    field: c_int,
    data: *mut qjs::JSValue,
) -> qjs::JSValue {
    // SAFETY: QuickJS calls with its context, so many arguments, and the data
    // of `of_field`. The argument is the caller's, so it is held, not owned.
    unsafe {
        let context = Ctx::from_raw(NonNull::new_unchecked(ctx));
        let value = if count > 0 {
            Value::from_raw(context.clone(), qjs::JS_DupValue(ctx, *given))
        } else {
            Value::new_undefined(context)
        };
        serve(ctx, this, data, |ctx, record, bytes| {
            let wrong = TEXT.with_borrow_mut(|text| {
                text.clear();
                match (value.as_int(), value.as_float(), value.as_string()) {
                    (Some(n), ..) => drop(write!(text, "{n}")),
                    (_, Some(n), _) if n.is_finite() => drop(write!(text, "{n}")),
                    (_, Some(n), _) => {
                        let why = format!("{n} is not a number that a field can contain");
                        return Ok(Some(record.wrong(field as usize, &why)));
                    }
                    (.., Some(string)) => text.extend_from_slice(string.to_string()?.as_bytes()),
                    _ => {
                        let why = format!("a field cannot contain {}", value.type_name());
                        return Ok(Some(record.wrong(field as usize, &why)));
                    }
                }
                let text = std::str::from_utf8(text).unwrap_or_default();
                Ok::<_, rquickjs::Error>(record.write(field as usize, bytes, text, &[]))
            })?;
            match wrong {
                Some(wrong) => Err(Exception::throw_range(ctx, &wrong)),
                None => Ok(Value::new_undefined(ctx.clone())),
            }
        })
    }
}

/// Finds record and bytes and returns what the accessor makes of them.
///
/// # Safety
/// `ctx` is a context, `this` a value of it, `data` those of [`of_field`].
unsafe fn serve<'js>(
    ctx: *mut qjs::JSContext,
    this: qjs::JSValue,
    data: *mut qjs::JSValue,
    act: impl FnOnce(&Ctx<'js>, &Record, &mut [u8]) -> Result<Value<'js>>,
) -> qjs::JSValue {
    let _native = overdue::native();
    // SAFETY: the caller guarantees the pointers. The array is borrowed while
    // its bytes are used, and no script runs meanwhile that could detach it.
    unsafe {
        let context: Ctx<'js> = Ctx::from_raw(NonNull::new_unchecked(ctx));
        let [number, atom] = [0, 1].map(|i| qjs::JS_VALUE_GET_INT(*data.add(i)));
        let bytes = qjs::JS_GetProperty(ctx, this, atom as qjs::JSAtom);
        let bytes = Value::from_raw(context.clone(), bytes);
        let mut length = 0;
        let at = qjs::JS_GetUint8Array(ctx, &mut length, bytes.as_raw());
        let result = match NonNull::new(at) {
            // An exception is pending: it was not an array of bytes.
            None => Err(rquickjs::Error::Exception),
            Some(at) => RECORDS.with_borrow(|records| {
                let record = records.get(number as usize).and_then(Option::as_ref);
                let slice = std::slice::from_raw_parts_mut(at.as_ptr(), length as usize);
                match record {
                    Some(record) => act(&context, record, slice),
                    None => Ok(Value::new_undefined(context.clone())),
                }
            }),
        };
        match result {
            Ok(value) => {
                let raw = value.as_raw();
                // The caller owns it from now on.
                std::mem::forget(value);
                raw
            }
            Err(error) => {
                if !error.is_exception() {
                    let _ = Exception::throw_type(&context, &error.to_string());
                }
                qjs::JS_EXCEPTION
            }
        }
    }
}
