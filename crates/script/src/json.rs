//! Values as JSON text, for answers: what `JSON.stringify` makes of plain data.
//!
//! The language's own function reads texts character by character; most of an
//! answer is text that is copied unchanged. Objects and arrays of texts,
//! numbers, booleans and nulls are written here. Any other value (a `toJSON`, a
//! getter, a BigInt, a cycle, half of a surrogate pair), or too long a one, is
//! left to the language's own function, which reports its errors.
//!
//! Invariant: no code of the script runs here, except an exotic prototype.
//!
//! Reference: ECMA-262, SerializeJSONProperty and QuoteJSONString.

use rquickjs::qjs::{self, JSAtom, JSContext, JSPropertyDescriptor, JSPropertyEnum, JSValue};
use rquickjs::{Ctx, Function, Object, Result, String as JsString, Value};

/// Objects within objects; beyond, the language's own function has its turn.
const MOST_DEEP: usize = 64;
/// Bytes of text after which it has its turn too: it can be stopped.
const MOST_BYTES: usize = 1 << 20;
/// Of the engine's classes, those of plain objects and of arrays.
const OBJECT: u32 = 1;
const ARRAY: u32 = 2;
/// Texts are looked at by so many bytes at a time.
const AT_A_TIME: usize = 32;

/// Puts the native into the object that the own part is given: the text of a
/// value, or undefined when the language's own function must make it.
pub fn install<'js>(ctx: &Ctx<'js>, own: &Object<'js>) -> Result<()> {
    // SAFETY: a living context; the atom stays for as long as the realm does.
    let to_json = unsafe { qjs::JS_NewAtom(ctx.as_raw().as_ptr(), c"toJSON".as_ptr()) };
    let plain = move |ctx: Ctx<'js>, value: Value<'js>| -> Result<Option<JsString<'js>>> {
        let _native = crate::overdue::native();
        let text = text_of(&ctx, &value, to_json);
        text.map(|text| JsString::from_str(ctx, &text)).transpose()
    };
    own.set("plainJson", Function::new(ctx.clone(), plain)?)
}

/// The JSON text of plain data; `None` for anything else.
fn text_of(ctx: &Ctx<'_>, value: &Value<'_>, to_json: JSAtom) -> Option<String> {
    let mut writer = Writer {
        ctx: ctx.as_raw().as_ptr(),
        to_json,
        out: Vec::new(),
        within: Vec::new(),
    };
    // SAFETY: the value lives for as long as it is borrowed.
    let written = unsafe { writer.value(value.as_raw()) };
    match written {
        Some(WriteResult::Text) => String::from_utf8(writer.out).ok(),
        _ => {
            // Asking may have failed; the other function fails again.
            drop(ctx.catch());
            None
        }
    }
}

/// The result of writing a value.
#[derive(PartialEq, Eq)]
enum WriteResult {
    /// Its text was added.
    Text,
    /// JSON has no such value: nothing was.
    Nothing,
}

struct Writer {
    ctx: *mut JSContext,
    to_json: JSAtom,
    out: Vec<u8>,
    /// The enclosing objects, to find cycles.
    within: Vec<*mut std::ffi::c_void>,
}

/// A value that this owns.
struct OwnedValue(*mut JSContext, JSValue);

impl Drop for OwnedValue {
    fn drop(&mut self) {
        // SAFETY: it is freed once, in its own context.
        unsafe { qjs::JS_FreeValue(self.0, self.1) };
    }
}

/// The names of an object's properties.
struct Names(*mut JSContext, *mut JSPropertyEnum, u32);

impl Drop for Names {
    fn drop(&mut self) {
        // SAFETY: as the engine gave them, once.
        unsafe { qjs::JS_FreePropertyEnum(self.0, self.1, self.2) };
    }
}

impl Writer {
    /// Adds the text of a value. Returns `None` for a value that JavaScript's
    /// own function must write.
    ///
    /// # Safety
    /// The value lives.
    unsafe fn value(&mut self, value: JSValue) -> Option<WriteResult> {
        // SAFETY: tags are read of a living value, and what belongs to a tag
        // is read only where it is the value's.
        unsafe {
            match qjs::JS_VALUE_GET_NORM_TAG(value) {
                qjs::JS_TAG_STRING | qjs::JS_TAG_STRING_ROPE => self.quoted(value)?,
                qjs::JS_TAG_INT => {
                    use std::io::Write;
                    // Into memory, which takes all.
                    let _ = write!(self.out, "{}", qjs::JS_VALUE_GET_INT(value));
                }
                qjs::JS_TAG_FLOAT64 => {
                    if qjs::JS_VALUE_GET_FLOAT64(value).is_finite() {
                        self.text(value, |out, digits| out.extend_from_slice(digits))?
                    } else {
                        self.out.extend_from_slice(b"null")
                    }
                }
                qjs::JS_TAG_BOOL => {
                    if qjs::JS_VALUE_GET_BOOL(value) {
                        self.out.extend_from_slice(b"true")
                    } else {
                        self.out.extend_from_slice(b"false")
                    }
                }
                qjs::JS_TAG_NULL => self.out.extend_from_slice(b"null"),
                qjs::JS_TAG_UNDEFINED => return Some(WriteResult::Nothing),
                qjs::JS_TAG_OBJECT => self.object(value)?,
                _ => return None,
            }
        }
        (self.out.len() <= MOST_BYTES).then_some(WriteResult::Text)
    }

    /// Adds an object or an array.
    ///
    /// # Safety
    /// The value is an object that lives.
    unsafe fn object(&mut self, value: JSValue) -> Option<()> {
        // SAFETY: the caller guarantees that the value lives.
        let (at, class) = unsafe { (qjs::JS_VALUE_GET_PTR(value), qjs::JS_GetClassID(value)) };
        if self.within.len() >= MOST_DEEP || self.within.contains(&at) {
            return None;
        }
        // SAFETY: the same.
        if unsafe { qjs::JS_HasProperty(self.ctx, value, self.to_json) } != 0 {
            return None;
        }
        self.within.push(at);
        // SAFETY: the same.
        unsafe {
            match class {
                OBJECT => self.members(value)?,
                ARRAY => self.elements(value)?,
                _ => return None,
            }
        }
        self.within.pop();
        Some(())
    }

    /// Adds a plain object.
    ///
    /// # Safety
    /// As [`Writer::object`].
    unsafe fn members(&mut self, value: JSValue) -> Option<()> {
        let (mut names, mut count) = (std::ptr::null_mut(), 0);
        let flags = (qjs::JS_GPN_STRING_MASK | qjs::JS_GPN_ENUM_ONLY) as i32;
        // SAFETY: room for both results, which are read where there are some.
        let names = unsafe {
            let rc = qjs::JS_GetOwnPropertyNames(self.ctx, &mut names, &mut count, value, flags);
            if rc != 0 {
                return None;
            }
            Names(self.ctx, names, count)
        };
        self.out.push(b'{');
        let begun = self.out.len();
        for i in 0..count as usize {
            // SAFETY: there are `count` of them.
            let name = unsafe { (*names.1.add(i)).atom };
            let before = self.out.len();
            if before > begun {
                self.out.push(b',');
            }
            // SAFETY: names of the object, which lives.
            unsafe {
                self.name(name)?;
                let member = self.own(value, name)?;
                if self.value(member.1)? == WriteResult::Nothing {
                    self.out.truncate(before);
                }
            }
        }
        self.out.push(b'}');
        Some(())
    }

    /// The value of a property that is not a getter.
    ///
    /// # Safety
    /// As [`Writer::object`], with a name of its properties.
    unsafe fn own(&self, value: JSValue, name: JSAtom) -> Option<OwnedValue> {
        let mut found = JSPropertyDescriptor {
            flags: 0,
            value: qjs::JS_UNDEFINED,
            getter: qjs::JS_UNDEFINED,
            setter: qjs::JS_UNDEFINED,
        };
        // SAFETY: room for the result.
        let rc = unsafe { qjs::JS_GetOwnProperty(self.ctx, &mut found, value, name) };
        if rc != 1 {
            return None;
        }
        let held = [found.value, found.getter, found.setter].map(|v| OwnedValue(self.ctx, v));
        let [value, ..] = held;
        (found.flags & qjs::JS_PROP_GETSET as i32 == 0).then_some(value)
    }

    /// Adds an array.
    ///
    /// # Safety
    /// As [`Writer::object`].
    unsafe fn elements(&mut self, value: JSValue) -> Option<()> {
        let mut length = 0i64;
        // SAFETY: room for the result.
        if unsafe { qjs::JS_GetLength(self.ctx, value, &mut length) } != 0 {
            return None;
        }
        // Each takes a byte at least.
        if length as usize > MOST_BYTES {
            return None;
        }
        self.out.push(b'[');
        for i in 0..length {
            if i > 0 {
                self.out.push(b',');
            }
            // SAFETY: the array lives; an exception has a tag that is not
            // written here.
            let written = unsafe {
                let element = qjs::JS_GetPropertyInt64(self.ctx, value, i);
                let element = OwnedValue(self.ctx, element);
                self.value(element.1)?
            };
            if written == WriteResult::Nothing {
                self.out.extend_from_slice(b"null");
            }
        }
        self.out.push(b']');
        Some(())
    }

    /// Adds the name of a property and a colon.
    ///
    /// # Safety
    /// The name lives.
    unsafe fn name(&mut self, name: JSAtom) -> Option<()> {
        let mut bytes = 0;
        // SAFETY: text of that many bytes until it is freed.
        unsafe {
            let text = qjs::JS_AtomToCStringLen(self.ctx, &mut bytes, name);
            if text.is_null() {
                return None;
            }
            quote(
                &mut self.out,
                std::slice::from_raw_parts(text.cast(), bytes as usize),
            );
            qjs::JS_FreeCString(self.ctx, text);
        }
        self.out.push(b':');
        Some(())
    }

    /// Adds a text in quotes.
    ///
    /// # Safety
    /// The value is a text that lives.
    unsafe fn quoted(&mut self, value: JSValue) -> Option<()> {
        // SAFETY: the caller guarantees that the value lives.
        unsafe { self.text(value, quote) }
    }

    /// Gives the text of a primitive value.
    ///
    /// # Safety
    /// The value is not an object, and lives.
    unsafe fn text(&mut self, value: JSValue, act: fn(&mut Vec<u8>, &[u8])) -> Option<()> {
        let mut bytes = 0;
        // SAFETY: text of that many bytes until it is freed.
        unsafe {
            let text = qjs::JS_ToCStringLen2(self.ctx, &mut bytes, value, false);
            if text.is_null() {
                return None;
            }
            let fits = bytes as usize <= MOST_BYTES;
            if fits {
                act(
                    &mut self.out,
                    std::slice::from_raw_parts(text.cast(), bytes as usize),
                );
            }
            qjs::JS_FreeCString(self.ctx, text);
            fits.then_some(())
        }
    }
}

/// Adds a text in quotes, with escapes where JSON wants them.
fn quote(out: &mut Vec<u8>, text: &[u8]) {
    let wants = |b: u8| b < 0x20 || b == b'"' || b == b'\\';
    out.reserve(text.len() + 2);
    out.push(b'"');
    for part in text.chunks(AT_A_TIME) {
        if !part.iter().fold(false, |any, &b| any | wants(b)) {
            out.extend_from_slice(part);
            continue;
        }
        for &b in part {
            match b {
                b'"' | b'\\' => out.extend_from_slice(&[b'\\', b]),
                b'\n' => out.extend_from_slice(b"\\n"),
                b'\r' => out.extend_from_slice(b"\\r"),
                b'\t' => out.extend_from_slice(b"\\t"),
                0x08 => out.extend_from_slice(b"\\b"),
                0x0c => out.extend_from_slice(b"\\f"),
                0..0x20 => {
                    let digit = |n: u8| b"0123456789abcdef"[usize::from(n)];
                    out.extend_from_slice(b"\\u00");
                    out.extend_from_slice(&[digit(b >> 4), digit(b & 15)]);
                }
                _ => out.push(b),
            }
        }
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rquickjs::{Context, Runtime};

    /// A script's expression: the result of this writer, and that of the language.
    fn both(expression: &str) -> (Option<String>, Option<String>) {
        let runtime = Runtime::new().unwrap();
        let context = Context::full(&runtime).unwrap();
        context.with(|ctx| {
            let value: Value<'_> = ctx.eval(format!("globalThis.v = ({expression})")).unwrap();
            // SAFETY: as `install`.
            let to_json = unsafe { qjs::JS_NewAtom(ctx.as_raw().as_ptr(), c"toJSON".as_ptr()) };
            let ours = text_of(&ctx, &value, to_json);
            let own = ctx.eval("try { JSON.stringify(v) } catch { undefined }");
            drop(value);
            ctx.eval::<(), _>("delete globalThis.v").unwrap();
            (ours, own.unwrap())
        })
    }

    #[test]
    fn plain_data_is_what_the_language_makes_of_it() {
        for expression in [
            "null",
            "true",
            "-7",
            "0.1 + 0.2",
            "1e300 * 10",
            "-0",
            "NaN",
            "[]",
            "{}",
            "[1, , undefined, 'x']",
            "{ a: 1, b: undefined, c: [null, { d: 'é' }], 7: 'first', [Symbol()]: 1 }",
            r#"'quotes " and \\, \n\r\t\b\f\u0000\u001f\u007f and 😀 \u2028'"#,
            "'x'.repeat(100) + '\"' + 'y'.repeat(31)",
            "Object.create(null, { seen: { value: 1, enumerable: true }, not: { value: 2 } })",
            "new (class Point { x = 1; #y = 2; get z() { return 3; } })()",
        ] {
            let (ours, own) = both(expression);
            assert_eq!(ours, own, "{expression}");
            assert!(ours.is_some(), "{expression}");
        }
    }

    #[test]
    fn what_is_not_plain_is_left_to_the_language() {
        for expression in [
            "undefined",
            "10n",
            "Symbol()",
            "() => 1",
            "{ f() {} }",
            "new Date(0)",
            "{ toJSON: () => 1 }",
            "{ get a() { return 1; } }",
            "new Proxy({}, {})",
            "new Map()",
            "'half of a pair \\ud800'",
            "{ '\\udc00': 1 }",
            "(() => { const a = {}; a.a = a; return a; })()",
            "(() => { let a = []; for (let i = 0; i < 100; i++) a = [a]; return a; })()",
            "'x'.repeat(3 << 20)",
            "(() => { let a = ['x']; for (let i = 0; i < 60; i++) a = [a, a]; return a; })()",
            "(() => { const a = []; a.length = 4294967295; return a; })()",
        ] {
            let left = {
                let runtime = Runtime::new().unwrap();
                let context = Context::full(&runtime).unwrap();
                context.with(|ctx| {
                    let value: Value<'_> = ctx.eval(format!("({expression})")).unwrap();
                    // SAFETY: as `install`.
                    let name =
                        unsafe { qjs::JS_NewAtom(ctx.as_raw().as_ptr(), c"toJSON".as_ptr()) };
                    let left = text_of(&ctx, &value, name).is_none();
                    left && !ctx.has_exception()
                })
            };
            assert!(left, "{expression}");
        }
    }

    fn expression() -> impl Strategy<Value = String> {
        let text = "[a-c\"\\\\\u{0}-\u{20}é\u{7f}\u{2028}😀]{0,70}";
        let leaf = prop_oneof![
            Just("null".to_owned()),
            Just("undefined".to_owned()),
            any::<bool>().prop_map(|b| b.to_string()),
            any::<f64>().prop_map(|n| format!("({n:e})").replace("inf", "Infinity")),
            any::<i32>().prop_map(|n| format!("({n})")),
            text.prop_map(|t| serde_json::to_string(&t).unwrap()),
        ];
        leaf.prop_recursive(4, 40, 6, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6)
                    .prop_map(|parts| format!("[{}]", parts.join(","))),
                prop::collection::vec((text, inner), 0..6).prop_map(|parts| {
                    let pair = |(k, v): &(String, String)| {
                        format!("[{}]:{v}", serde_json::to_string(k).unwrap())
                    };
                    let parts: Vec<String> = parts.iter().map(pair).collect();
                    format!("{{{}}}", parts.join(","))
                }),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn any_plain_data_is_what_the_language_makes_of_it(expression in expression()) {
            let (ours, own) = both(&expression);
            prop_assert_eq!(ours, own);
        }
    }
}
