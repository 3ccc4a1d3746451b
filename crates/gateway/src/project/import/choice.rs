//! Storage with several descriptions, of which a field's value says which one
//! holds: one response for each value, and a request that gives any of them.

use copybook::{Condition, Field, FieldId, FieldKind, Literal, RecordLayout, shown_value};

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

    /// Its first problem for these layouts, of which one must have it, and what to do.
    pub(super) fn faults(&self, layouts: &[&RecordLayout]) -> Option<(String, String)> {
        let names = || layouts.iter().flat_map(|layout| layout.iter());
        let listed = |wanted: &dyn Fn(&Field) -> bool| {
            let wanted = names().filter(|(_, field)| wanted(field));
            let list: Vec<&str> = wanted.filter_map(|(_, f)| f.name.as_deref()).collect();
            list.join(", ")
        };
        let Some(layout) = layouts.iter().find(|l| named(l, &self.item).is_some()) else {
            let help = "ITEM is an item that others redefine".to_owned();
            return Some((format!("no item {}", self.item), help));
        };
        let Some(field) = named(layout, &self.field) else {
            let elementary = listed(&|field| field.children.is_empty());
            let help = format!("FIELD is one of {elementary}");
            return Some((format!("no field {}", self.field), help));
        };
        self.misplaced(layout)
            .or_else(|| self.wrong_description(layout))
            .or_else(|| self.wrong_value(&layout[field]))
    }

    /// An item whose descriptions cannot be chosen for the whole body.
    fn misplaced(&self, layout: &RecordLayout) -> Option<(String, String)> {
        for name in [&self.item, &self.field] {
            let id = named(layout, name)?;
            let mut at = Some(id);
            while let Some(group) = at.filter(|group| *group != RecordLayout::RECORD) {
                let above = &layout[group];
                let of = above.name.as_deref().unwrap_or("FILLER");
                if above.occurs.is_some() {
                    let help = "--redefines all makes members of all descriptions, and each \
                                row of a request gives one"
                        .to_owned();
                    let message = format!(
                        "{name} is in the table {of}, whose rows may differ: one description of a \
                         body cannot be chosen there"
                    );
                    return Some((message, help));
                }
                if *name == self.item && group != id && above.redefines.is_some() {
                    let help = "choose the description of the outer storage".to_owned();
                    let message = format!(
                        "{name} is in {of}, which redefines other storage and is not in the API"
                    );
                    return Some((message, help));
                }
                at = above.parent;
            }
        }
        None
    }

    fn wrong_description(&self, layout: &RecordLayout) -> Option<(String, String)> {
        let described: Vec<FieldId> = layout
            .iter()
            .map(|(id, _)| id)
            .filter(|id| self.covers(layout, *id))
            .collect();
        let fits = |name: &String| described.iter().any(|id| is_called(layout, *id, name));
        let cases = self.cases.iter().map(|(_, name)| name);
        let wrong = cases.chain(&self.otherwise).find(|name| !fits(name))?;
        let all = described.iter().flat_map(|id| names_of(layout, *id));
        let help = format!("NAME is one of {}", all.collect::<Vec<_>>().join(", "));
        let message = format!("{wrong} does not describe the storage of {}", self.item);
        Some((message, help))
    }

    /// A value that the field cannot have, or that is given twice.
    fn wrong_value(&self, field: &Field) -> Option<(String, String)> {
        let picture = field.picture.as_deref().unwrap_or_default();
        for (i, (value, _)) in self.cases.iter().enumerate() {
            let same = |name: &str| name.eq_ignore_ascii_case(value);
            if let Some(condition) = field.conditions.iter().find(|c| same(&c.name)) {
                let message = format!("{value} is a condition of {}", self.field);
                let list = condition_values(condition);
                return Some((message, format!("write its values: {list}")));
            }
            let Some(shown) = shown_value(field, value) else {
                let message = format!("{} PIC {picture} cannot have the value {value}", self.field);
                return Some((message, "write VALUE as the field holds it".to_owned()));
            };
            let before = &self.cases[..i];
            if before
                .iter()
                .any(|(v, _)| shown_value(field, v).as_ref() == Some(&shown))
            {
                let help = "each value means one description".to_owned();
                return Some((format!("the value {value} is given twice"), help));
            }
        }
        None
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
            let shown = shown_value(field, wanted).filter(|_| number);
            if let Some(wanted) = shown {
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

fn named(layout: &RecordLayout, name: &str) -> Option<FieldId> {
    let mut all = layout.iter();
    all.find(|(_, f)| f.name.as_deref() == Some(name))
        .map(|(id, _)| id)
}

/// The values of a condition as they are written for a choice.
fn condition_values(condition: &Condition) -> String {
    let shown = |literal: &Literal| match literal {
        Literal::Text(text) | Literal::Number(text) => text.clone(),
        Literal::Figurative(word) => word.clone(),
        Literal::Hex(_) | Literal::All(_) => "…".to_owned(),
    };
    let values = condition.values.iter().map(|(from, to)| match to {
        Some(to) => format!("{} to {}", shown(from), shown(to)),
        None => shown(from),
    });
    values.collect::<Vec<_>>().join(", ")
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
        let faults = |text: &str| {
            let choice = RedefineChoice::parse(text).unwrap();
            let fault = choice.faults(&[&layout]);
            fault.map_or("none".to_owned(), |(message, help)| {
                format!("{message}; {help}")
            })
        };
        assert_eq!(faults("BODY:KIND:N=NUM,*=BODY"), "none");
        assert!(faults("NONE:KIND:N=NUM").contains("no item NONE"));
        assert_eq!(
            faults("BODY:WHAT:N=NUM"),
            "no field WHAT; FIELD is one of KIND, BODY, NUM, LAST"
        );
        assert_eq!(
            faults("BODY:KIND:N=LAST"),
            "LAST does not describe the storage of BODY; NAME is one of BODY, NUM"
        );
        assert!(faults("BODY:KIND:NN=NUM").contains("PIC X cannot have the value NN"));
        assert!(faults("BODY:KIND:N=NUM,N=BODY").contains("N is given twice"));
    }

    #[test]
    fn values_are_those_of_the_type_code() {
        let text = "       01  R.\n           05  KIND PIC 9.\n               88  IS-NUM VALUE 1 3.\n           05  BODY PIC X(4).\n           05  NUM REDEFINES BODY PIC 9(4).\n";
        let layout = copybook::parse(text, &copybook::ParseOptions::default())
            .unwrap()
            .remove(0);
        let faults = |text: &str| RedefineChoice::parse(text).unwrap().faults(&[&layout]);
        assert_eq!(faults("BODY:KIND:1=NUM,03=NUM,*=BODY"), None);
        for wrong in ["12", "-1", "1.5", "X", ""] {
            let choice = format!("BODY:KIND:{wrong}=NUM");
            let (message, _) = faults(&choice).expect(wrong);
            assert!(message.contains("cannot have the value"), "{message}");
        }
        assert_eq!(
            faults("BODY:KIND:is-num=NUM").unwrap().1,
            "write its values: 1, 3"
        );
    }

    #[test]
    fn a_choice_in_a_table_or_in_another_description_is_reported() {
        let text = "       01  R.\n           05  KIND PIC X.\n           05  ROW OCCURS 2.\n               10  CODE PIC X.\n               10  BODY PIC X(4).\n               10  NUM REDEFINES BODY PIC 9(4).\n           05  AREA-A PIC X(4).\n           05  AREA-B REDEFINES AREA-A.\n               10  INNER PIC X(4).\n               10  OTHER REDEFINES INNER PIC 9(4).\n";
        let layout = copybook::parse(text, &copybook::ParseOptions::default())
            .unwrap()
            .remove(0);
        let faults = |text: &str| RedefineChoice::parse(text).unwrap().faults(&[&layout]);
        for (choice, wanted) in [
            ("BODY:CODE:N=NUM", "BODY is in the table ROW"),
            ("AREA-A:CODE:N=AREA-B", "CODE is in the table ROW"),
            ("INNER:KIND:N=OTHER", "INNER is in AREA-B, which redefines"),
        ] {
            let (message, _) = faults(choice).expect(choice);
            assert!(message.starts_with(wanted), "{message}");
        }
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
