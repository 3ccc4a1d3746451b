//! Numbers with more digits than the evaluator holds.
//!
//! The evaluator's numbers are doubles: 123456789012345678 becomes
//! 123456789012345680. A number that only passes through an expression, as a branch of
//! a conditional or an element of a list, or that becomes text, has its own digits in the
//! result. What is computed or compared has the precision of a double.
//!
//! Invariant: no result has digits that neither the data nor the evaluator has.

use std::borrow::Cow;
use std::collections::HashMap;

use jsonata_core::value::JValue;

/// Significant digits that every double holds.
const HELD_DIGITS: usize = 15;

/// The numbers of an evaluation's data that doubles round: by the text that the evaluator
/// writes for a number, its digits in the data, or `None` if other data has the same
/// rounded text.
#[derive(Debug, Default)]
pub(super) struct LongNumbers(HashMap<String, Option<String>>);

impl LongNumbers {
    /// The long numbers of JSON texts.
    pub fn of(texts: &[&str]) -> LongNumbers {
        let mut found = LongNumbers::default();
        for text in texts {
            for_each_run(text, |_, run, in_string| {
                if !in_string {
                    found.note(run);
                }
            });
        }
        if found.0.is_empty() {
            return found;
        }
        for text in texts {
            for_each_run(text, |_, run, in_string| {
                for rounded in spellings(run, in_string) {
                    if let Some(own) = found.0.get_mut(&*rounded) {
                        *own = None;
                    }
                }
            });
        }
        found
    }

    fn note(&mut self, run: &str) {
        if run.len() <= HELD_DIGITS {
            return;
        }
        // The evaluator's own reader, which may miss the nearest double.
        let Ok(Ok(rounded)) = JValue::from_json_str(run).map(|value| value.to_json_string()) else {
            return;
        };
        if decimal(&rounded) == decimal(run) {
            return;
        }
        let known = self.0.entry(rounded);
        let own = known.or_insert_with(|| Some(run.to_owned()));
        if own
            .as_deref()
            .is_some_and(|own| decimal(own) != decimal(run))
        {
            *own = None;
        }
    }

    /// The digits that a number of a result has in the data; `None` if it is not a long one.
    ///
    /// # Errors
    /// It stands for several numbers.
    fn own_digits(&self, run: &str, in_string: bool) -> Result<Option<String>, ()> {
        let mut found: Option<String> = None;
        for rounded in spellings(run, in_string) {
            let Some(own) = self.0.get(&*rounded) else {
                continue;
            };
            let own = own.as_deref().ok_or(())?;
            let own = if in_string {
                own.trim_start_matches('-')
            } else {
                own
            };
            if found.as_deref().is_some_and(|other| other != own) {
                return Err(());
            }
            found = Some(own.to_owned());
        }
        Ok(found)
    }

    /// A result with the digits of the data.
    ///
    /// # Errors
    /// A number of the result stands for several numbers of the data.
    pub fn restore(&self, text: String) -> Result<String, String> {
        if self.0.is_empty() {
            return Ok(text);
        }
        let mut out = String::with_capacity(text.len() + 8);
        let (mut copied, mut several) = (0, None);
        for_each_run(&text, |at, run, in_string| {
            match self.own_digits(run, in_string) {
                Ok(None) => {}
                Ok(Some(own)) => {
                    out += &text[copied..at];
                    out += &own;
                    copied = at + run.len();
                }
                Err(()) => {
                    several.get_or_insert_with(|| run.to_owned());
                }
            }
        });
        if let Some(run) = several {
            return Err(format!(
                "{run} stands for several numbers, which differ only in digits that an expression \
                 does not hold; map them by plain paths"
            ));
        }
        out += &text[copied..];
        Ok(out)
    }
}

/// The texts that the evaluator may have written for a number; in a string its sign is not
/// part of it.
fn spellings(run: &str, in_string: bool) -> impl Iterator<Item = Cow<'_, str>> {
    let negative = in_string.then(|| Cow::Owned(format!("-{run}")));
    std::iter::once(Cow::Borrowed(run)).chain(negative)
}

/// Calls `found` with offset and text of each number of a JSON text, and of each number in
/// its strings, there without a sign; the last parameter says which.
fn for_each_run<'t>(text: &'t str, mut found: impl FnMut(usize, &'t str, bool)) {
    let bytes = text.as_bytes();
    let (mut at, mut in_string) = (0, false);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' if in_string => at += 2,
            b'"' => {
                in_string = !in_string;
                at += 1;
            }
            b'-' if !in_string => {
                let end = end_of_number(bytes, at + 1);
                found(at, &text[at..end], false);
                at = end;
            }
            b'0'..=b'9' => {
                let end = end_of_number(bytes, at);
                found(at, &text[at..end], in_string);
                at = end;
            }
            _ => at += 1,
        }
    }
}

/// The end of digits with a fraction and an exponent.
fn end_of_number(bytes: &[u8], from: usize) -> usize {
    let digits = |from: usize| {
        let rest = bytes.get(from..).unwrap_or_default();
        from + rest.iter().take_while(|b| b.is_ascii_digit()).count()
    };
    let mut end = digits(from);
    if bytes.get(end) == Some(&b'.') && digits(end + 1) > end + 1 {
        end = digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = end + 1 + sign;
        if digits(exponent) > exponent {
            end = digits(exponent);
        }
    }
    end
}

/// Sign, digits without zeros at either end, and the power of ten of the last one.
fn decimal(number: &str) -> (bool, String, i64) {
    let (is_negative, rest) = match number.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, number),
    };
    let (mantissa, exponent) = rest.split_once(['e', 'E']).unwrap_or((rest, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{fraction}");
    let digits = all.trim_end_matches('0');
    let zeros = (all.len() - digits.len()) as i64;
    let exponent: i64 = exponent.parse().unwrap_or(0);
    let power = exponent - fraction.len() as i64 + zeros;
    (
        is_negative,
        digits.trim_start_matches('0').to_owned(),
        power,
    )
}

#[cfg(test)]
mod tests {
    use crate::mapping::expr::{PathRoot, general};

    fn of(source: &str, body: &str) -> Result<String, String> {
        let expression = general(source).expect("an expression");
        let bound = |root| (root == PathRoot::Body).then(|| body.to_owned());
        let result = expression.evaluate(bound)?;
        Ok(result.unwrap_or_else(|| "nothing".to_owned()))
    }

    #[test]
    fn numbers_that_pass_through_keep_their_digits() {
        let body = r#"{"n":123456789012345678,"m":-1234567890123456789012345678901,
            "d":0.12345678901234567891,"k":"x","l":[9007199254740993,7]}"#;
        for (source, wanted) in [
            ("$body.k = \"x\" ? $body.n : 0", "123456789012345678"),
            ("[$body.n, 1]", "[123456789012345678,1]"),
            (
                "{\"a\": $body.m}",
                "{\"a\":-1234567890123456789012345678901}",
            ),
            ("$string($body.n)", "\"123456789012345678\""),
            ("\"No-\" & $body.n & \"e\"", "\"No-123456789012345678e\""),
            ("$max($body.l)", "9007199254740993"),
            ("[$body.d]", "[0.12345678901234567891]"),
            ("$body.l[1] + 1", "8"),
            ("$count($body.l)", "2"),
        ] {
            assert_eq!(of(source, body).as_deref(), Ok(wanted), "{source}");
        }
    }

    #[test]
    fn a_number_that_stands_for_several_is_an_error() {
        let two = r#"{"a":123456789012345678,"b":123456789012345679}"#;
        let why = of("[$body.a]", two).expect_err("two numbers");
        assert!(why.contains("stands for several"), "{why}");
        assert_eq!(of("$count([$body.a, $body.b])", two).as_deref(), Ok("2"));
        let same = r#"{"a":123456789012345678,"b":123456789012345678.0}"#;
        assert_eq!(of("[$body.a]", same).as_deref(), Ok("[123456789012345678]"));
        let text = r#"{"a":123456789012345678,"b":"123456789012345680"}"#;
        assert!(of("[$body.b]", text).is_err());
    }

    #[test]
    fn a_number_without_its_sign_in_a_text_may_stand_for_two() {
        let signs = r#"{"a":123456789012345678,"b":-123456789012345679}"#;
        assert!(of("$string($body.a)", signs).is_err());
        assert_eq!(of("$body.b", signs).as_deref(), Ok("-123456789012345679"));
    }

    #[test]
    fn a_body_of_many_long_numbers_is_searched_once() {
        let numbers = (0..30_000_u64).map(|n| (9_007_199_254_740_993 + 2 * n).to_string());
        let list: Vec<String> = numbers.collect();
        let body = format!(r#"{{"l":[{}],"n":123456789012345678}}"#, list.join(","));
        assert_eq!(
            of("[$body.n]", &body).as_deref(),
            Ok("[123456789012345678]")
        );
    }
}
