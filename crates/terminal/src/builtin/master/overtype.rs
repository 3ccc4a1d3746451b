//! Typing over what CEMT shows: which values are input fields, and the SET that
//! an overtyped value means.
//!
//! A value can be typed over if SET of its resource takes another one in its
//! place: `Ope` becomes `Clo`, a number another number. What stood where is kept
//! in the COMMAREA, so the lines may have changed meanwhile.
//! Reference: CICS supplied transactions, CEMT, "Overtyping".

use super::command::{SetChange, is_cut};
use super::resources::ResourceKind;

/// What a field of a line stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OvertypeTarget {
    /// One of the values of a row of [`VALUES`].
    Value(u8),
    /// The number of a column.
    Number(u8),
}

/// A line as it was shown: its resource's name, and its input fields with their
/// columns on the screen.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShownLine {
    /// The name.
    pub key: String,
    /// Column of the first character, and what the field stands for.
    pub fields: Vec<(u8, OvertypeTarget)>,
}

/// The values of which one can be typed over another.
const VALUES: &[&[&str]] = &[
    &["OPEN", "CLOSED"],
    &["ENABLED", "DISABLED", "UNENABLED"],
    &["READABLE", "NOTREADABLE"],
    &["UPDATABLE", "NOTUPDATABLE"],
    &["ADDABLE", "NOTADDABLE"],
    &["BROWSABLE", "NOTBROWSABLE"],
    &["DELETABLE", "NOTDELETABLE"],
    &["PURGEABLE", "NOTPURGEABLE"],
    &["UCTRAN", "NOUCTRAN", "TRANIDONLY"],
];

/// What a shown value can be typed over with. Returns `None` if SET of the
/// resource takes nothing in its place.
pub fn target_of_value(resource: &ResourceKind, shown: &str) -> Option<OvertypeTarget> {
    let row = VALUES.iter().position(|values| values.contains(&shown))?;
    let settable = |value: &&str| resource.words.iter().any(|word| word.option == *value);
    let any = VALUES[row].iter().any(settable);
    // The table is short.
    any.then_some(OvertypeTarget::Value(row as u8))
}

/// The target of a number in a column. Returns `None` if SET does not take it.
pub fn target_of_number(resource: &ResourceKind, column: usize) -> Option<OvertypeTarget> {
    let option = resource.columns.get(column)?.option;
    let mut words = resource.words.iter();
    let takes = words.any(|word| word.takes_number && word.option == option);
    takes.then_some(OvertypeTarget::Number(u8::try_from(column).ok()?))
}

/// The change that a typed text means.
///
/// # Errors
/// The text is not a value that can stand there.
pub fn change(
    resource: &ResourceKind,
    target: OvertypeTarget,
    typed: &str,
) -> Result<SetChange, String> {
    let typed = typed.trim().to_ascii_uppercase();
    let unknown = || format!("'{typed}' IS NOT KNOWN HERE");
    match target {
        OvertypeTarget::Value(row) => {
            let values = VALUES.get(usize::from(row)).copied().unwrap_or_default();
            let mut words = resource.words.iter();
            let found = words.find(|word| {
                let named = is_cut(word.word, 2, &typed) || is_cut(word.option, 2, &typed);
                named && values.contains(&word.option)
            });
            let option = found.ok_or_else(unknown)?.option;
            Ok(SetChange {
                option,
                value: None,
            })
        }
        OvertypeTarget::Number(column) => {
            let column = resource.columns.get(usize::from(column));
            let value = typed.parse().map_err(|_| unknown())?;
            Ok(SetChange {
                option: column.ok_or_else(unknown)?.option,
                value: Some(value),
            })
        }
    }
}

/// Appends lines to a COMMAREA.
pub fn emit(lines: &[ShownLine], out: &mut Vec<u8>) {
    for line in lines {
        let key = &line.key.as_bytes()[..line.key.len().min(u8::MAX.into())];
        out.extend([key.len() as u8, line.fields.len() as u8]);
        out.extend(key);
        for (column, target) in &line.fields {
            let code = match target {
                OvertypeTarget::Value(row) => *row,
                OvertypeTarget::Number(column) => NUMBERS + column,
            };
            out.extend([*column, code]);
        }
    }
}

/// Reads the lines of a COMMAREA. What is cut off is left out.
pub fn parse(mut bytes: &[u8]) -> Vec<ShownLine> {
    let mut lines = Vec::new();
    while let [key_length, count, rest @ ..] = bytes {
        let key_length = usize::from(*key_length);
        let field_bytes = 2 * usize::from(*count);
        let Some((line, after)) = rest.split_at_checked(key_length + field_bytes) else {
            break;
        };
        let (key, fields) = line.split_at(key_length);
        let fields = fields.as_chunks::<2>().0.iter().map(|[column, code]| {
            let target = match code.checked_sub(NUMBERS) {
                Some(number) => OvertypeTarget::Number(number),
                None => OvertypeTarget::Value(*code),
            };
            (*column, target)
        });
        lines.push(ShownLine {
            key: String::from_utf8_lossy(key).into_owned(),
            fields: fields.collect(),
        });
        bytes = after;
    }
    lines
}

/// Codes of numbers begin here.
const NUMBERS: u8 = 0x80;

#[cfg(test)]
mod tests {
    use super::super::resources::RESOURCES;
    use super::*;

    fn resource(name: &str) -> &'static ResourceKind {
        RESOURCES.iter().find(|r| r.name == name).unwrap()
    }

    #[test]
    fn a_value_is_typed_over_with_one_that_set_takes() {
        let file = resource("FILE");
        let open = target_of_value(file, "OPEN").unwrap();
        for typed in ["CLO", "clo", "Cl", "CLOSED"] {
            assert_eq!(
                change(file, open, typed).unwrap().option,
                "CLOSED",
                "{typed}"
            );
        }
        let read = target_of_value(file, "READABLE").unwrap();
        // Both the word of SET and the value itself are known.
        for typed in ["NOR", "NOT"] {
            assert_eq!(change(file, read, typed).unwrap().option, "NOTREADABLE");
        }
        assert!(change(file, read, "CLO").unwrap_err().contains("'CLO'"));
        assert!(change(file, open, "").is_err());
        assert_eq!(target_of_value(file, "VSAM"), None);
        assert_eq!(target_of_value(resource("TSQUEUE"), "ENABLED"), None);
    }

    #[test]
    fn a_number_is_typed_over_where_set_takes_one() {
        let classes = resource("TCLASS");
        let most = target_of_number(classes, 0).unwrap();
        let wanted = SetChange {
            option: "MAXACTIVE",
            value: Some(7),
        };
        assert_eq!(change(classes, most, " 007").unwrap(), wanted);
        assert!(change(classes, most, "x").is_err());
        assert_eq!(target_of_number(classes, 1), None);
    }

    #[test]
    fn shown_lines_come_back_from_a_commarea() {
        let lines = vec![
            ShownLine {
                key: "ACCTS".into(),
                fields: vec![
                    (20, OvertypeTarget::Value(0)),
                    (24, OvertypeTarget::Number(1)),
                ],
            },
            ShownLine::default(),
        ];
        let mut bytes = Vec::new();
        emit(&lines, &mut bytes);
        assert_eq!(parse(&bytes), lines);
        for end in 0..bytes.len() {
            parse(&bytes[..end]);
        }
    }

    #[test]
    fn every_option_of_a_row_belongs_to_some_set() {
        for value in VALUES.iter().flat_map(|values| values.iter()) {
            let set = RESOURCES.iter().flat_map(|r| r.words.iter());
            let known = set.map(|word| word.option).any(|option| option == *value);
            assert!(known || *value == "UNENABLED", "{value}");
        }
    }
}
