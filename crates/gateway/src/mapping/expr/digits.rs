//! Numbers with more digits than the evaluator holds.
//!
//! The evaluator's numbers are doubles: 123456789012345678 becomes
//! 123456789012345680. A number that only passes through an expression, as a branch of
//! a conditional or an element of a list, or that becomes text, has its own digits in the
//! result. What is computed or compared has the precision of a double.
//!
//! Invariant: no result has digits that neither the data nor the evaluator has.

use jsonata_core::value::JValue;

/// Significant digits that every double holds.
const HELD_DIGITS: usize = 15;

/// The numbers of an evaluation's data that doubles round.
#[derive(Debug, Default)]
pub(super) struct LongNumbers(Vec<LongNumber>);

#[derive(Debug)]
struct LongNumber {
    /// The text that the evaluator writes for it.
    rounded: String,
    /// Its digits in the data; `None` if other data has the same rounded text.
    own: Option<String>,
}

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
        for number in &mut found.0 {
            if texts.iter().any(|text| text.contains(&number.rounded)) {
                number.own = None;
            }
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
        match self.0.iter_mut().find(|known| known.rounded == rounded) {
            None => self.0.push(LongNumber {
                rounded,
                own: Some(run.to_owned()),
            }),
            Some(known) => known.own = known.own.take().filter(|own| decimal(own) == decimal(run)),
        }
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
            let unsigned = |text: &'_ str| text.trim_start_matches('-').to_owned();
            let is_same = |number: &&LongNumber| {
                number.rounded == run || (in_string && unsigned(&number.rounded) == run)
            };
            let Some(number) = self.0.iter().find(is_same) else {
                return;
            };
            let Some(own) = &number.own else {
                several.get_or_insert_with(|| run.to_owned());
                return;
            };
            out += &text[copied..at];
            out += &if in_string {
                unsigned(own)
            } else {
                own.clone()
            };
            copied = at + run.len();
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
}
