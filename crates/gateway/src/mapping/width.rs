//! How wide a client's data may have `$pad` make a text.
//!
//! The width is a number of the expression, or of data: a client that sends two
//! thousand million would use as many bytes of the gateway. Widths that an
//! expression writes itself are its author's; all others pass through a
//! function of this module, which returns an invalid width unchanged.
//!
//! Invariant: for widths within the bound an expression has the same value with
//! and without this.

use super::growth::pass_through;
use jsonata_core::evaluator::{Evaluator, EvaluatorError};
use jsonata_core::value::JValue;
use serde_json::Value;

/// Most characters that data may ask for.
const MOST: f64 = 4_096.0;
/// The function's name in the evaluator; no expression can call it, because a
/// variable's name has no blank.
const NAME: &str = "width of data";

/// Makes the function known.
pub(super) fn register(evaluator: &mut Evaluator) -> Result<(), String> {
    let checked = |args: &[JValue]| match args.first() {
        Some(JValue::Number(n)) if n.abs() > MOST => {
            let text = format!("$pad: data asks for {n} characters, and may for {MOST} at most");
            Err(EvaluatorError::EvaluationError(text))
        }
        Some(value) => Ok(value.clone()),
        None => Ok(JValue::Undefined),
    };
    let registered = evaluator.register_fn(NAME, checked);
    registered.map_err(|e| e.message().to_string())
}

/// Bounds the widths of a serialised tree; true where it has any that data gives.
pub(super) fn wrap(json: &mut Value) -> bool {
    let mut any = false;
    match json {
        Value::Array(items) => {
            for item in items {
                any |= wrap(item);
            }
        }
        Value::Object(members) => {
            for value in members.values_mut() {
                any |= wrap(value);
            }
            let called = members.get_mut("Function").filter(|f| f["name"] == "pad");
            let args = called.and_then(|f| f["args"].as_array_mut());
            any |= args.is_some_and(|args| wrap_width(args));
        }
        _ => {}
    }
    any
}

/// Wraps the argument that may be the width: the text precedes it, or the call.
fn wrap_width(args: &mut [Value]) -> bool {
    let number = |arg: &Value| {
        let negated = &arg["Unary"]["operand"]["Number"];
        arg["Number"].is_number() || negated.is_number()
    };
    let candidates = match args {
        [_, width, _] => std::slice::from_mut(width),
        [_, width] if number(width) => return false,
        [width, fill] if fill["String"].is_string() => std::slice::from_mut(width),
        both => both,
    };
    let mut any = false;
    for arg in candidates {
        if !number(arg) && *arg != "Placeholder" && !arg["String"].is_string() {
            pass_through(arg, NAME);
            any = true;
        }
    }
    any
}

#[cfg(test)]
mod tests {
    use super::super::expr::{PathRoot, general};

    fn padded(source: &str, body: &str) -> Result<Option<String>, String> {
        let bind = |root| (root == PathRoot::Body).then(|| body.to_owned());
        general(source).unwrap().evaluate(bind)
    }

    #[test]
    fn data_cannot_request_more_than_its_bound() {
        let sources = [
            "$pad($body.x, $body.w)",
            "$pad($body.x, $body.w, '0')",
            "$pad($body.x, -$body.w)",
            "$body.x.$pad(%.w, '*')",
            "$body.x.$pad($body.w)",
            "$body.x ~> $pad($body.w, '0')",
            "($n := $body.w + 1; $map([1], function($v){$pad($string($v), $n)}))",
            "$pad($pad($body.x, 3), $body.w)",
        ];
        for source in sources {
            let within = padded(source, r#"{"x":"ab","w":5}"#);
            let beyond = padded(source, r#"{"x":"ab","w":2000000000}"#);
            assert!(within.is_ok(), "{source}: {within:?}");
            let why = beyond.expect_err(source);
            assert!(why.contains("4096 at most"), "{source}: {why}");
        }
    }

    #[test]
    fn what_is_within_the_bound_is_as_it_was() {
        let body = r#"{"x":"ab","w":5}"#;
        for (source, value) in [
            ("$pad($body.x, $body.w)", r#""ab   ""#),
            ("$pad($body.x, -$body.w, '0')", r#""000ab""#),
            ("$pad($body.x, $body.none)", r#""ab""#),
            ("$body.x.$pad($body.w, '*')", r#""ab***""#),
            ("$body.x ~> $pad(-$body.w, '0')", r#""000ab""#),
            ("($p := $pad(?, 4); $p($body.x))", r#""ab  ""#),
        ] {
            assert_eq!(padded(source, body), Ok(Some(value.to_owned())), "{source}");
        }
        let long = padded("$pad($body.x, 10000)", body).unwrap().unwrap();
        assert_eq!(long.len(), 10_002, "a width of the expression's own");
    }
}
