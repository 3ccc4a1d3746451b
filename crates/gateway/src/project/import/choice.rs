//! Storage with several descriptions, of which a field's value says which one
//! holds: one response for each value, and a request that gives any of them.

use copybook::{FieldId, FieldKind, RecordLayout};

/// Which description of an item holds, by the value of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedefineChoice {
    /// The item that others redefine.
    pub item: String,
    /// The field that decides.
    pub field: String,
    /// Values and the descriptions that they mean.
    pub cases: Vec<(String, String)>,
    /// The description for any other value.
    pub otherwise: Option<String>,
}

/// One description, and the values of the type code that mean it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ChoiceCase {
    /// The description's name.
    pub name: String,
    /// The values that mean it, or with `others` those that do not.
    pub values: Vec<String>,
    /// Whether any other value means it.
    pub others: bool,
}

impl RedefineChoice {
    /// Each description once, in the order in which they are named.
    pub(super) fn by_description(&self) -> Vec<ChoiceCase> {
        let mut all: Vec<ChoiceCase> = Vec::new();
        for (value, name) in &self.cases {
            match all.iter_mut().find(|case| case.name == *name) {
                Some(case) => case.values.push(value.clone()),
                None => all.push(ChoiceCase {
                    name: name.clone(),
                    values: vec![value.clone()],
                    others: false,
                }),
            }
        }
        if let Some(name) = &self.otherwise {
            // Values that mean it by name are among the others.
            all.retain(|case| case.name != *name);
            let elsewhere = self.cases.iter().filter(|(_, other)| other != name);
            all.push(ChoiceCase {
                name: name.clone(),
                values: elsewhere.map(|(value, _)| value.clone()).collect(),
                others: true,
            });
        }
        all
    }

    /// Reads `ITEM:FIELD:VALUE=NAME,VALUE=NAME,*=NAME`, as `record decode` does.
    /// Returns `None` when the text has another form.
    pub fn parse(text: &str) -> Option<RedefineChoice> {
        let (item, rest) = text.split_once(':')?;
        let (field, list) = rest.split_once(':')?;
        let (mut cases, mut otherwise) = (Vec::new(), None);
        for case in list.split(',') {
            let (value, name) = case.split_once('=')?;
            match value {
                "*" => otherwise = Some(name.to_ascii_uppercase()),
                value => cases.push((value.to_owned(), name.to_ascii_uppercase())),
            }
        }
        Some(RedefineChoice {
            item: item.to_ascii_uppercase(),
            field: field.to_ascii_uppercase(),
            cases,
            otherwise,
        })
    }

    /// The same as text.
    pub(super) fn word(&self) -> String {
        let cases = self
            .cases
            .iter()
            .map(|(value, name)| format!("{value}={name}"));
        let otherwise = self.otherwise.iter().map(|name| format!("*={name}"));
        let list: Vec<String> = cases.chain(otherwise).collect();
        format!("{}:{}:{}", self.item, self.field, list.join(","))
    }

    /// Whether a field is one of the descriptions.
    pub(super) fn covers(&self, layout: &RecordLayout, id: FieldId) -> bool {
        let named = |id: FieldId| layout[id].name.as_deref() == Some(self.item.as_str());
        named(id) || layout[id].redefines.is_some_and(named)
    }

    /// Its problems for these layouts, of which one must have it.
    pub(super) fn faults(&self, layouts: &[&RecordLayout]) -> Option<String> {
        let has = |layout: &RecordLayout, name: &str| {
            layout.iter().any(|(_, f)| f.name.as_deref() == Some(name))
        };
        let Some(layout) = layouts.iter().find(|l| has(l, &self.item)) else {
            return Some(format!("no item {}", self.item));
        };
        if !has(layout, &self.field) {
            return Some(format!("no field {}; there are {}", self.field, self.item));
        }
        let names = self
            .cases
            .iter()
            .map(|(_, name)| name)
            .chain(&self.otherwise);
        let variant = |name: &str| {
            let mut all = layout.iter();
            all.any(|(id, _)| self.covers(layout, id) && is_called(layout, id, name))
        };
        let mut wrong = names.filter(|name| !variant(name));
        wrong
            .next()
            .map(|name| format!("{name} does not describe the storage of {}", self.item))
    }

    /// Each description with the JSONata condition under which it holds; the
    /// one for any other value comes last. `path` leads to the record.
    pub(super) fn conditions(&self, layout: &RecordLayout, path: &str) -> Vec<(String, String)> {
        let Some((id, field)) = layout
            .iter()
            .find(|(_, f)| f.name.as_deref() == Some(self.field.as_str()))
        else {
            return Vec::new();
        };
        let mut names = Vec::new();
        let mut at = Some(id);
        while let Some(id) = at.filter(|id| *id != RecordLayout::RECORD) {
            names.extend(layout[id].name.clone());
            at = layout[id].parent;
        }
        let steps: String = names
            .iter()
            .rev()
            .map(|name| format!(".\"{name}\""))
            .collect();
        let value = format!("{path}{steps}");
        let number = matches!(field.kind, FieldKind::Numeric(_));
        let condition = |wanted: &str| {
            if number && wanted.parse::<f64>().is_ok() {
                format!("{value} = {wanted}")
            } else {
                format!(
                    "$trim({value}) = \"{}\"",
                    wanted.trim().replace('"', "\\\"")
                )
            }
        };
        let cases = self
            .cases
            .iter()
            .map(|(wanted, name)| (name.clone(), condition(wanted)));
        let otherwise = self.otherwise.iter().map(|name| {
            (
                name.clone(),
                "$not($exists($zosAssetResponse.abendCode))".to_owned(),
            )
        });
        cases.chain(otherwise).collect()
    }
}

/// Whether a name selects a description: its own name, or for FILLER that
/// of a field in it.
pub(super) fn is_called(layout: &RecordLayout, id: FieldId, name: &str) -> bool {
    names_of(layout, id).contains(&name)
}

/// The name of a field, or those of the fields in a group that has none.
pub(super) fn names_of(layout: &RecordLayout, id: FieldId) -> Vec<&str> {
    let field = &layout[id];
    match &field.name {
        Some(name) => vec![name],
        None => {
            let inner = field.children.iter();
            inner.flat_map(|child| names_of(layout, *child)).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_read_and_written_the_same() {
        let text = "BODY:KIND:N=NUM,*=BODY";
        assert_eq!(RedefineChoice::parse(text).unwrap().word(), text);
        assert_eq!(RedefineChoice::parse("BODY:KIND"), None);
    }

    #[test]
    fn a_choice_that_does_not_fit_the_record_is_reported() {
        let text = "       01  R.\n           05  KIND PIC X.\n           05  BODY PIC X(4).\n           05  NUM REDEFINES BODY PIC 9(4).\n           05  LAST PIC X.\n";
        let layout = copybook::parse(text, &copybook::ParseOptions::default())
            .unwrap()
            .remove(0);
        let faults = |text: &str| RedefineChoice::parse(text).unwrap().faults(&[&layout]);
        assert_eq!(faults("BODY:KIND:N=NUM,*=BODY"), None);
        assert!(faults("NONE:KIND:N=NUM").unwrap().contains("no item NONE"));
        assert!(faults("BODY:WHAT:N=NUM").unwrap().contains("no field WHAT"));
        assert!(
            faults("BODY:KIND:N=LAST")
                .unwrap()
                .contains("LAST does not describe")
        );
    }

    #[test]
    fn a_description_without_a_name_is_meant_by_its_fields() {
        let text = "       01  R.\n           05  KIND PIC X.\n           05  BODY PIC X(4).\n           05  FILLER REDEFINES BODY.\n               10  NUM PIC 9(2).\n               10  FILLER PIC X.\n               10  CODE PIC X.\n";
        let layout = copybook::parse(text, &copybook::ParseOptions::default())
            .unwrap()
            .remove(0);
        let choice = RedefineChoice::parse("BODY:KIND:N=NUM,*=BODY").unwrap();
        assert_eq!(choice.faults(&[&layout]), None);
        let other = layout.iter().find(|(_, f)| f.redefines.is_some());
        let (id, _) = other.unwrap();
        assert_eq!(names_of(&layout, id), ["NUM", "CODE"]);
    }
}
