//! The forms of values, and the messages for wrong ones.
//!
//! A form has three functions: to check a value, to describe itself in errors and
//! on the reference page, and to return a few candidates for an invalid value
//! ([`ValueForm::samples`]).

use crate::sna::ru;
use crate::sna::syntax::statement::{number, split, unquote};

/// The form of a keyword's value.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ValueForm {
    /// A whole number between two bounds, both allowed.
    Number(u32, u32),
    /// A number in a range, or one of some words.
    NumberOr(u32, u32, &'static [&'static str]),
    /// Seconds with a decimal point, up to so many.
    Seconds(u32),
    /// One of some words.
    Words(&'static [&'static str]),
    /// A byte, as `X'13'` or decimal.
    Byte,
    /// A pacing count of a mode entry: 0 to 63, or a byte without its second bit.
    PacingCount,
    /// Two size bytes, as `X'8787'`.
    RuSizes,
    /// Positional values, separated by commas. Each may be omitted. `None` is a
    /// position that no rule reads.
    Places(&'static [Option<ValueForm>]),
    /// Sessions up to so many, and after a comma those of them that this side
    /// wins; the second number may be left out.
    Sessions(u32),
    /// At most this many values of one form, separated by blanks.
    Row(usize, &'static ValueForm),
}

impl ValueForm {
    /// The error of a value, as text that follows it. Returns `None` if it is
    /// valid.
    pub(crate) fn fault(&self, value: &str) -> Option<String> {
        let value = unquote(value);
        match self {
            ValueForm::Places(forms) => self.fault_in_places(forms, value),
            ValueForm::Row(most, form) => {
                let all: Vec<&str> = value.split_whitespace().collect();
                let fits = all.iter().all(|v| form.has(v)) && (1..=*most).contains(&all.len());
                (!fits).then(|| format!(" is not {}", self.expected()))
            }
            _ if self.has(value) => None,
            _ if value.is_empty() => Some(format!(" has no value: expected {}", self.expected())),
            _ => Some(format!(" is not {}", self.expected())),
        }
    }

    fn fault_in_places(&self, forms: &[Option<ValueForm>], value: &str) -> Option<String> {
        let parts = match listed(value) {
            Some(parts) if parts.len() > forms.len() => {
                let (most, found) = (forms.len(), parts.len());
                return Some(format!(" has {found} values, {most} at most are due"));
            }
            Some(parts) => parts,
            None if value.is_empty() => {
                return Some(format!(" has no value: expected {}", self.expected()));
            }
            None => return Some(format!(" is not {}", self.expected())),
        };
        let wrong = |(i, (part, form)): (usize, (&&str, &Option<ValueForm>))| {
            let form = form.filter(|f| !part.is_empty() && !f.has(part))?;
            Some(format!(
                "value {}, {}, is not {}",
                i + 1,
                shown(part),
                form.expected()
            ))
        };
        let reported: Vec<String> = parts
            .iter()
            .zip(forms)
            .enumerate()
            .filter_map(wrong)
            .collect();
        (!reported.is_empty()).then(|| format!(": {}", reported.join("; ")))
    }

    /// Whether a single value has the form.
    fn has(&self, value: &str) -> bool {
        let among = |words: &[&str]| words.iter().any(|w| w.eq_ignore_ascii_case(value));
        let within =
            |least: u32, most: u32| number(value).is_some_and(|n| (least..=most).contains(&n));
        match *self {
            ValueForm::Number(least, most) => within(least, most),
            ValueForm::NumberOr(least, most, words) => within(least, most) || among(words),
            ValueForm::Seconds(most) => seconds(value).is_some_and(|s| s <= f64::from(most)),
            ValueForm::Words(words) => among(words),
            ValueForm::Byte => ru::byte(value).is_some(),
            ValueForm::PacingCount => ru::pacing(value).is_some(),
            ValueForm::RuSizes => ru::rusizes(value).is_ok(),
            ValueForm::Sessions(most) => {
                let mut counts = value.splitn(2, ',').map(|v| number(v.trim()));
                let (all, won) = (counts.next().flatten(), counts.next());
                let right = |won: Option<u32>| won.is_some_and(|w| all.is_some_and(|a| w <= a));
                all.is_some_and(|a| (1..=most).contains(&a)) && won.is_none_or(right)
            }
            ValueForm::Places(_) | ValueForm::Row(..) => self.fault(value).is_none(),
        }
    }

    /// The form as text: `a whole number from 0 to 63`.
    pub(crate) fn expected(&self) -> String {
        let range = |least: u32, most: u32| format!("a whole number from {least} to {most}");
        match *self {
            ValueForm::Number(least, most) => range(least, most),
            ValueForm::NumberOr(least, most, words) => {
                let (last, others) = words.split_last().unwrap_or((&"", &[]));
                let begin = others
                    .iter()
                    .fold(range(least, most), |b, w| format!("{b}, {w}"));
                format!("{begin} or {last}")
            }
            ValueForm::Seconds(most) => format!("a number of seconds from 0 to {most}, as 0.2"),
            ValueForm::Words([word]) => (*word).to_owned(),
            ValueForm::Words(words) => format!("one of {}", words.join(", ")),
            ValueForm::Byte => "a whole number from 0 to 255 or X'00' to X'FF'".to_owned(),
            ValueForm::PacingCount => {
                "a whole number from 0 to 63, X'00' to X'3F' or X'80' to X'BF'".to_owned()
            }
            ValueForm::RuSizes => {
                "two size bytes, as X'8787': each 00, or a mantissa from 8 to F and an exponent"
                    .to_owned()
            }
            ValueForm::Places(forms) => {
                let each = forms.iter().enumerate();
                let read = each
                    .filter_map(|(i, f)| Some(format!("{}: {}", i + 1, f.as_ref()?.expected())));
                format!(
                    "values in their places ({})",
                    read.collect::<Vec<_>>().join("; ")
                )
            }
            ValueForm::Sessions(most) => format!(
                "one or two whole numbers: sessions from 1 to {most}, and from 0 to as many winners among them"
            ),
            ValueForm::Row(most, form) => {
                format!(
                    "up to {most} values separated by blanks, each {}",
                    form.expected()
                )
            }
        }
    }

    /// Candidates for an invalid value: the bounds and their neighbours, a
    /// value between, and every word. If a finding is the same for all of them,
    /// it does not depend on the value. Always [`WORLDS`] of them.
    pub(crate) fn samples(&self, value: &str) -> Vec<String> {
        let numbers = |least: u32, most: u32| {
            let between = least + (most - least) / 2;
            let next = least.saturating_add(1).min(most);
            [
                least,
                most,
                next,
                between,
                most.saturating_sub(1).max(least),
            ]
            .map(|n| n.to_string())
        };
        let all: Vec<String> = match *self {
            ValueForm::Number(least, most) => numbers(least, most).into(),
            ValueForm::NumberOr(least, most, words) => {
                let words = words.iter().map(|w| (*w).to_owned());
                numbers(least, most)[..3]
                    .iter()
                    .cloned()
                    .chain(words)
                    .collect()
            }
            ValueForm::Seconds(most) => numbers(0, most).into(),
            ValueForm::Words(words) => words.iter().map(|w| (*w).to_owned()).collect(),
            ValueForm::Byte => ["X'00'", "X'FF'", "X'07'", "X'13'", "X'80'"]
                .map(str::to_owned)
                .into(),
            ValueForm::PacingCount => numbers(0, 63).into(),
            ValueForm::RuSizes => ["X'0000'", "X'8D8D'", "X'8080'", "X'8785'", "X'8587'"]
                .map(str::to_owned)
                .into(),
            ValueForm::Places(forms) => (0..WORLDS)
                .map(|world| places(forms, value, world))
                .collect(),
            ValueForm::Sessions(most) => [
                "1,0".to_owned(),
                format!("{most},{most}"),
                "1,1".to_owned(),
                format!("{most},0"),
                format!("{},{}", most / 2, most / 4),
            ]
            .into(),
            ValueForm::Row(most, form) => {
                let all = form.samples("").into_iter();
                all.map(|s| vec![s; most].join(" ")).collect()
            }
        };
        // If there are too few, they are repeated.
        all.iter().cycle().take(WORLDS).cloned().collect()
    }
}

/// The values of a list in parentheses, or a single value without them. Returns
/// `None` if there is no value, or if a parenthesis is missing.
fn listed(value: &str) -> Option<Vec<&str>> {
    let inner = match value.strip_prefix('(') {
        Some(rest) => rest.strip_suffix(')')?,
        None => value,
    };
    (!inner.trim().is_empty()).then(|| split(inner))
}

/// The list for one candidate: valid values unchanged, invalid ones replaced. If it
/// is not a list, all are replaced.
fn places(forms: &[Option<ValueForm>], value: &str, world: usize) -> String {
    let parts = listed(unquote(value)).filter(|parts| parts.len() <= forms.len());
    let sample = |form: &Option<ValueForm>| {
        form.as_ref()
            .map_or(String::new(), |f| f.samples("").swap_remove(world))
    };
    let all: Vec<String> = match parts {
        Some(parts) => {
            let one = |(part, form): (&&str, &Option<ValueForm>)| match form {
                Some(f) if !part.is_empty() && !f.has(part) => sample(form),
                _ => (*part).to_owned(),
            };
            parts.iter().zip(forms).map(one).collect()
        }
        None => forms.iter().map(sample).collect(),
    };
    match &all[..] {
        [one] => one.clone(),
        _ => format!("({})", all.join(",")),
    }
}

/// The number of candidates of each form.
pub(crate) const WORLDS: usize = 6;

/// Digits with at most one point among them.
fn seconds(value: &str) -> Option<f64> {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let points = value.bytes().filter(|b| *b == b'.').count();
    let plain = digits > 0 && points < 2 && digits + points == value.len();
    value.parse().ok().filter(|_| plain)
}

/// A value as an error quotes it: shortened, without control characters.
pub(crate) fn shown(value: &str) -> String {
    let plain = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    let mut out: String = value.chars().take(QUOTED).map(plain).collect();
    if value.chars().nth(QUOTED).is_some() {
        out.push('…');
    }
    out
}

/// Characters of a value that an error quotes.
const QUOTED: usize = 60;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_at_the_bounds_have_the_form_and_those_beyond_have_not() {
        let form = ValueForm::Number(1, 63);
        for (value, right) in [
            ("1", true),
            ("63", true),
            ("'8'", true),
            ("0", false),
            ("64", false),
        ] {
            assert_eq!(form.fault(value).is_none(), right, "{value}");
        }
        for value in [
            "",
            "abc",
            "-1",
            "+5",
            "8,1",
            "0x10",
            "1e3",
            "８",
            "99999999999999999999",
        ] {
            assert!(form.fault(value).is_some(), "{value}");
        }
    }

    #[test]
    fn winners_are_among_the_sessions() {
        let form = ValueForm::Sessions(999);
        for right in ["1", "1,0", "999,999", "250 , 125", "008,004", "100,000"] {
            assert_eq!(form.fault(right), None, "{right}");
        }
        for wrong in [
            "a,b", "2,4", "0", "0,0", "1000,1", "8,", ",4", "8,-1", "8,4,2", "100,1x",
        ] {
            assert!(form.fault(wrong).is_some(), "{wrong}");
        }
    }

    #[test]
    fn every_wrong_place_of_a_list_is_named() {
        const FORM: ValueForm = ValueForm::Places(&[
            Some(ValueForm::Seconds(30)),
            None,
            Some(ValueForm::Number(1, 127)),
        ]);
        assert_eq!(FORM.fault("(1,x,2)"), None);
        assert_eq!(FORM.fault("(1.8,,)"), None);
        assert_eq!(
            FORM.fault("(a,b,0)").as_deref(),
            Some(
                ": value 1, a, is not a number of seconds from 0 to 30, as 0.2; value 3, 0, is not a whole number from 1 to 127"
            )
        );
        assert_eq!(
            FORM.fault("(1,2,3,4)").as_deref(),
            Some(" has 4 values, 3 at most are due")
        );
        assert!(FORM.fault("()").is_some() && FORM.fault("(1,2").is_some());
    }

    #[test]
    fn samples_have_the_form_and_keep_the_places_that_are_right() {
        for form in [
            ValueForm::Number(0, 63),
            ValueForm::NumberOr(241, 32_767, &["*CALC"]),
            ValueForm::Seconds(30),
            ValueForm::Words(&["4", "16"]),
            ValueForm::Byte,
            ValueForm::PacingCount,
            ValueForm::RuSizes,
            ValueForm::Row(2, &ValueForm::Number(64, 4096)),
            ValueForm::Sessions(999),
        ] {
            let samples = form.samples("?");
            assert_eq!(samples.len(), WORLDS);
            assert!(
                samples.iter().all(|s| form.fault(s).is_none()),
                "{samples:?}"
            );
        }
        const LIST: ValueForm =
            ValueForm::Places(&[Some(ValueForm::Number(0, 9)), Some(ValueForm::Number(1, 4))]);
        assert_eq!(LIST.samples("(7,x)")[..2], ["(7,1)", "(7,4)"]);
    }
}
