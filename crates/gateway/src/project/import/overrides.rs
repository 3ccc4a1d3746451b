//! Meanings of fields that COBOL has no type for: a boolean written as `Y` and
//! `N`, a date written as digits, a table of which the last rows are empty.
//!
//! The fields become plain JSONata expressions, so that the project means the same in
//! z/OS Connect.

use super::member::{BodyMember, MemberKind, ValueLimits};
use super::write::quoted;
use copybook::{FieldKind, RecordLayout};
use serde_json::{Value, json};

/// The fields that mean something else than their type, and what becomes of
/// tables.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FieldOverrides {
    /// Fields that are truths.
    pub booleans: Vec<BooleanField>,
    /// Fields that are dates.
    pub dates: Vec<DateField>,
    /// Tables of a fixed size come without the empty rows at their end.
    pub trim_tables: bool,
    /// The values of level 88 are the only ones that a request gives their fields.
    pub enums: bool,
    /// Fields and groups that the program sets itself, upper case: no request has
    /// them.
    pub outputs: Vec<String>,
}

/// A field that is a JSON boolean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BooleanField {
    field: String,
    yes: String,
    no: String,
}

/// A field that is a date of ISO 8601 in JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DateField {
    field: String,
    format: String,
}

/// The meaning of a member.
#[derive(Debug, Clone)]
pub(super) enum MemberMeaning {
    Truth(BooleanField),
    Day(DateField),
}

/// The first year that two digits do not mean of this century.
const CENTURY: u32 = 70;

impl BooleanField {
    /// Reads `FIELD=Y/N`. Returns `None` when the text has another form.
    pub fn parse(text: &str) -> Option<BooleanField> {
        let (field, values) = text.split_once('=')?;
        let (yes, no) = values.split_once('/')?;
        (!field.is_empty() && yes != no && !no.contains(['/', ',']) && !yes.contains(',')).then(
            || BooleanField {
                field: field.to_ascii_uppercase(),
                yes: yes.trim_end().to_owned(),
                no: no.trim_end().to_owned(),
            },
        )
    }
}

impl DateField {
    /// Reads `FIELD=YYYYMMDD`: any order of `YYYY` (or `CCYY`) or `YY`, `MM` and `DD`, or of
    /// the year and `DDD`, the day of the year, with or without characters
    /// between them. Returns `None` when the text has another form.
    pub fn parse(text: &str) -> Option<DateField> {
        let (field, format) = text.split_once('=')?;
        let day = DateField {
            field: field.to_ascii_uppercase(),
            format: format.to_ascii_uppercase().replace("CCYY", "YYYY"),
        };
        let (_, digits) = day.year()?;
        let rest = match day.of_year() {
            Some(_) => 3,
            None => day.at("MM").and(day.at("DD")).map(|_| 4)?,
        };
        let letters = day.format.chars().filter(char::is_ascii_alphabetic).count();
        let plain = |c: char| c.is_ascii_alphabetic() || "-/. :".contains(c);
        let whole = letters == digits + rest && day.format.chars().all(plain);
        (!field.is_empty() && whole).then_some(day)
    }

    /// The offset of the day of the year, in dates that have no month.
    fn of_year(&self) -> Option<usize> {
        self.at("DDD")
    }

    /// The offset of the year, and its number of digits.
    fn year(&self) -> Option<(usize, usize)> {
        let long = self.at("YYYY").map(|at| (at, 4));
        long.or_else(|| self.at("YY").map(|at| (at, 2)))
    }

    fn at(&self, part: &str) -> Option<usize> {
        self.format.find(part)
    }

    /// The bytes of a field as a date of ISO 8601; a value of zeros only is no
    /// date.
    fn shown(&self, path: &str, numeric: bool) -> String {
        let length = self.format.len();
        let text = if numeric {
            format!("$pad($string({path}), -{length}, \"0\")")
        } else {
            format!("$string({path})")
        };
        let part = |at: usize, length: usize| format!("$substring($t, {at}, {length})");
        let (at, digits) = self.year().unwrap_or_default();
        let year = match digits {
            4 => part(at, 4),
            _ => {
                let two = part(at, 2);
                format!("($number({two}) < {CENTURY} ? \"20\" : \"19\") & {two}")
            }
        };
        let date = match self.of_year() {
            Some(at) => of_year_shown(&year, &part(at, 3)),
            None => {
                let month = part(self.at("MM").unwrap_or_default(), 2);
                let day = part(self.at("DD").unwrap_or_default(), 2);
                format!("{year} & \"-\" & {month} & \"-\" & {day}")
            }
        };
        format!("($t := {text}; $contains($t, /[1-9]/) ? {date})")
    }

    /// A date of ISO 8601 as the field has it.
    fn stored(&self, path: &str) -> String {
        let (_, digits) = self.year().unwrap_or_default();
        let mut parts: Vec<String> = Vec::new();
        let mut rest = self.format.as_str();
        while let Some(first) = rest.chars().next() {
            let (piece, length) = match first {
                'Y' => (
                    format!("$substring({path}, {}, {digits})", 4 - digits),
                    digits,
                ),
                'M' => (format!("$substring({path}, 5, 2)"), 2),
                'D' if self.of_year().is_some() => (of_year_stored(path), 3),
                'D' => (format!("$substring({path}, 8, 2)"), 2),
                other => (format!("\"{other}\""), 1),
            };
            parts.push(piece);
            rest = &rest[length..];
        }
        let value = parts.join(" & ");
        match digits {
            4 => format!("$exists({path}) ? {value}"),
            // Another century would come back as this one.
            _ => {
                let known = format!(
                    "$substring({path}, 0, 2) = ($number($substring({path}, 2, 2)) < {CENTURY} ? \
                     \"20\" : \"19\")"
                );
                let wrong = "\"a year that two digits cannot represent\"";
                format!("$exists({path}) ? ({known} ? {value} : $error({wrong}))")
            }
        }
    }
}

/// A date of ISO 8601 from its year and its day of the year. A day that the year
/// does not have is not a date, and the answer is refused as a wrong one.
fn of_year_shown(year: &str, day: &str) -> String {
    format!(
        "($y := {year}; $n := $toMillis($y & \"-01-01\") + ($number({day}) - 1) * 86400000; \
         $d := $substring($fromMillis($n), 0, 10); \
         $substring($d, 0, 4) = $y ? $d : $error(\"the day \" & {day} & \" of \" & $y & \" is none\"))"
    )
}

/// The three digits of a date's day of the year.
fn of_year_stored(path: &str) -> String {
    let first = format!("$toMillis($substring({path}, 0, 4) & \"-01-01\")");
    format!(
        "$pad($string(($toMillis($substring({path}, 0, 10)) - {first}) / 86400000 + 1), -3, \"0\")"
    )
}

impl MemberMeaning {
    /// JSON Schema of the member.
    pub fn schema(&self) -> Value {
        match self {
            MemberMeaning::Truth(_) => json!({"type": "boolean"}),
            MemberMeaning::Day(_) => json!({"type": "string", "format": "date"}),
        }
    }

    /// A value that fits.
    pub fn sample(&self) -> Value {
        match self {
            MemberMeaning::Truth(_) => json!(true),
            MemberMeaning::Day(_) => json!("2026-01-31"),
        }
    }

    /// The JSONata expression that converts the field at `path` for a response.
    pub fn response(&self, path: &str, numeric: bool) -> String {
        match self {
            MemberMeaning::Truth(BooleanField { yes, no, .. }) => {
                let is = |value: &str| {
                    if numeric {
                        format!("{path} = {value}")
                    } else {
                        format!("$trim({path}) = {}", json!(value))
                    }
                };
                format!("{} ? true : {} ? false", is(yes), is(no))
            }
            MemberMeaning::Day(day) => day.shown(path, numeric),
        }
    }

    /// The JSONata expression that converts the member at `path` of a request for the
    /// record.
    pub fn request(&self, path: &str, numeric: bool) -> String {
        match self {
            MemberMeaning::Truth(BooleanField { yes, no, .. }) => {
                let value = |value: &str| {
                    if numeric {
                        value.to_owned()
                    } else {
                        json!(value).to_string()
                    }
                };
                format!(
                    "$exists({path}) ? ({path} ? {} : {})",
                    value(yes),
                    value(no)
                )
            }
            MemberMeaning::Day(day) => day.stored(path),
        }
    }
}

impl FieldOverrides {
    /// The meaning of a field, if it is named.
    pub(super) fn of(&self, name: &str) -> Option<MemberMeaning> {
        let truth = self.booleans.iter().find(|t| t.field == name);
        let day = || self.dates.iter().find(|d| d.field == name);
        let truth = truth.cloned().map(MemberMeaning::Truth);
        truth.or_else(|| day().cloned().map(MemberMeaning::Day))
    }

    /// Which conditions limit the fields of a request, or of a response.
    pub(super) fn value_limits(&self, request: bool) -> ValueLimits {
        if !request {
            ValueLimits::Never
        } else if self.enums {
            ValueLimits::Always
        } else {
            ValueLimits::NamedSets
        }
    }

    /// The same as texts, for `sources.yaml`.
    pub(super) fn words(&self) -> [String; 5] {
        let truth = |t: &BooleanField| format!("{}={}/{}", t.field, t.yes, t.no);
        let booleans: Vec<String> = self.booleans.iter().map(truth).collect();
        let day = |d: &DateField| format!("{}={}", d.field, d.format);
        let dates: Vec<String> = self.dates.iter().map(day).collect();
        let yes = |flag: bool| {
            if flag {
                "yes".to_owned()
            } else {
                String::new()
            }
        };
        let (trim, enums) = (yes(self.trim_tables), yes(self.enums));
        let outputs = self.outputs.join(",");
        [booleans.join(","), dates.join(","), trim, enums, outputs]
    }

    pub(super) fn by_words([booleans, dates, trim, enums, outputs]: [&str; 5]) -> FieldOverrides {
        FieldOverrides {
            booleans: booleans
                .split(',')
                .filter_map(BooleanField::parse)
                .collect(),
            dates: dates.split(',').filter_map(DateField::parse).collect(),
            trim_tables: trim == "yes",
            enums: enums == "yes",
            outputs: outputs.split_terminator(',').map(str::to_owned).collect(),
        }
    }

    /// Their problems for these layouts.
    pub(super) fn faults(&self, layouts: &[&RecordLayout]) -> Vec<String> {
        let found = |name: &str| {
            let mut all = layouts.iter().flat_map(|layout| layout.iter());
            all.find(|(_, f)| f.name.as_deref() == Some(name))
                .map(|(_, f)| f.clone())
        };
        let mut wrong = Vec::new();
        for field in self.outputs.iter().filter(|field| found(field).is_none()) {
            wrong.push(format!("there is no field {field}"));
        }
        for BooleanField { field, yes, no } in &self.booleans {
            let Some(found) = found(field) else {
                wrong.push(format!("no field {field}"));
                continue;
            };
            let number = |value: &String| value.parse::<i64>().is_ok();
            let fits = match found.kind {
                FieldKind::Group => false,
                FieldKind::Numeric(_) => number(yes) && number(no),
                _ => [yes, no].iter().all(|v| v.len() <= found.length as usize),
            };
            if !fits {
                wrong.push(format!("{field} cannot contain {yes:?} and {no:?}"));
            }
        }
        for DateField { field, format } in &self.dates {
            let Some(found) = found(field) else {
                wrong.push(format!("no field {field}"));
                continue;
            };
            let digits = format.bytes().all(|b| b.is_ascii_alphabetic());
            let fits = match &found.kind {
                FieldKind::Numeric(numeric) => {
                    digits && numeric.digits as usize >= format.len() && numeric.scale == 0
                }
                FieldKind::Group => false,
                _ => found.length as usize >= format.len(),
            };
            if !fits {
                wrong.push(format!(
                    "{field} cannot contain a date in the format {format}"
                ));
            }
        }
        wrong
    }
}

/// A table's rows up to the last that is not empty: text that is all blanks and
/// numbers that are zero are empty.
pub(super) fn trimmed(member: &BodyMember, path: &str) -> String {
    let tests = tests(&member.kind, "$e");
    format!(
        "($t := [{path}]; $n := $max($map($t, function($e, $i) {{ {} ? $i + 1 : 0 }})); \
         $n > 0 ? $t[[0..$n - 1]] : [])",
        tests.join(" or ")
    )
}

/// Whether anything below `at` is not empty.
fn tests(kind: &MemberKind, at: &str) -> Vec<String> {
    match kind {
        MemberKind::Object(members) => {
            let below = |m: &BodyMember| tests(&m.kind, &format!("{at}.{}", quoted(&m.cobol)));
            let all: Vec<String> = members.iter().flat_map(below).collect();
            if all.is_empty() {
                vec!["true".to_owned()]
            } else {
                all
            }
        }
        kind if kind.is_number() => vec![format!("$exists({at}[$ != 0])")],
        _ => vec![format!("$exists({at}[$trim($) != \"\"])")],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overrides_are_read_as_they_are_written() {
        let words = [
            "ACTIVE=Y/N",
            "DONE=1/",
            "BORN=YYYYMMDD",
            "SEEN=dd.mm.yy",
            "MADE=YYYYDDD",
            "GONE=yy/ddd",
            "SENT=CCYYDDD",
        ];
        let overrides = FieldOverrides {
            booleans: words[..2]
                .iter()
                .filter_map(|w| BooleanField::parse(w))
                .collect(),
            dates: words[2..]
                .iter()
                .filter_map(|w| DateField::parse(w))
                .collect(),
            trim_tables: true,
            enums: true,
            outputs: vec!["TOTAL".to_owned(), "STATE".to_owned()],
        };
        let words = overrides.words();
        let [booleans, dates, trim, enums, outputs] = words.each_ref().map(String::as_str);
        assert_eq!(booleans, "ACTIVE=Y/N,DONE=1/");
        assert_eq!(
            dates,
            "BORN=YYYYMMDD,SEEN=DD.MM.YY,MADE=YYYYDDD,GONE=YY/DDD,SENT=YYYYDDD"
        );
        assert_eq!(
            FieldOverrides::by_words([booleans, dates, trim, enums, outputs]),
            overrides
        );
        for wrong in ["A", "A=Y", "=Y/N", "A=Y/Y", "A=Y/N/M"] {
            assert_eq!(BooleanField::parse(wrong), None, "{wrong}");
        }
        for wrong in [
            "A",
            "A=YYYYMMDDD",
            "A=DDD",
            "A=YYDD",
            "A=YYYY",
            "A=YYYYMMDDHH",
            "=YYMMDD",
            "A=MMDD",
            "A=YYÄMMDD",
        ] {
            assert_eq!(DateField::parse(wrong), None, "{wrong}");
        }
    }
}
