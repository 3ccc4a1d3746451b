//! A request or response body: the members of each record.

use super::AreaSource;
use super::choice::{ChoiceCase, RedefineChoice};
use super::member::{BodyMember, MemberContext, MemberKind, leaf, limit, object_schema, sample};
use super::{ImportRequest, usage::Usage};
use copybook::{FieldKind, RecordLayout};
use serde_json::Value;
use std::collections::HashSet;

pub(super) struct Body {
    /// Each area's name and its record as one member.
    pub areas: Vec<(String, BodyMember)>,
    /// Redefinitions without a member.
    pub left_out: Vec<String>,
}

impl Body {
    /// The body of one direction; `shared` if one record is request and response;
    /// `variant` is the description of redefined storage that a response shows.
    pub fn new(
        sources: &[AreaSource],
        import: &ImportRequest,
        request: bool,
        shared: bool,
        variant: Option<&str>,
    ) -> Body {
        let mut taken = HashSet::new();
        let mut left_out = Vec::new();
        let areas = sources.iter().map(|source| {
            let layout = source.record.layout();
            let program = import.program_text.as_deref().filter(|_| shared);
            let usage = program.map_or_else(Usage::default, |text| {
                Usage::of(layout, text, &import.copies)
            });
            let mut making = MemberContext {
                layout,
                names: &import.names,
                redefines: &import.redefines,
                overrides: &import.overrides,
                variant,
                type_code: import
                    .redefines
                    .choice()
                    .map(|choice| choice.field.as_str()),
                usage: &usage,
                request,
                shared,
                left_out: Vec::new(),
            };
            let kind = match layout[RecordLayout::RECORD].kind {
                FieldKind::Group => MemberKind::Object(making.record()),
                _ => leaf(
                    layout,
                    RecordLayout::RECORD,
                    import.overrides.value_limits(request),
                ),
            };
            left_out.append(&mut making.left_out);
            let mut json = import.names.spell(&source.name);
            while !taken.insert(json.clone()) {
                json.push('_');
            }
            let member = BodyMember {
                json,
                cobol: layout.name().to_string(),
                kind,
                table: None,
                required: request && sources.len() > 1,
                about: None,
                alternative: false,
                optional: false,
                storage: None,
            };
            (source.name.clone(), member)
        });
        let areas = areas.collect();
        Body { areas, left_out }
    }

    /// The request that gives one description of redefined storage: its type
    /// code has the values that mean it.
    pub fn of_case(
        sources: &[AreaSource],
        import: &ImportRequest,
        shared: bool,
        choice: &RedefineChoice,
        case: &ChoiceCase,
    ) -> Body {
        let mut body = Body::new(sources, import, true, shared, Some(&case.name));
        for (_, member) in &mut body.areas {
            if let MemberKind::Object(members) = &mut member.kind {
                member.required |= limit(members, &choice.field, &case.values, case.others);
            }
        }
        body
    }

    /// The member that is the type code, if it is at the top of the body.
    pub fn top_member(&self, field: &str) -> Option<&BodyMember> {
        self.lone()?
            .iter()
            .find(|m| m.cobol == field && m.is_shown())
    }

    /// The only record's members are at the top of the body, those of several
    /// each in an object of its own.
    pub fn lone(&self) -> Option<&[BodyMember]> {
        match self.areas.as_slice() {
            [(_, member)] => match &member.kind {
                MemberKind::Object(members) => Some(members),
                _ => None,
            },
            _ => None,
        }
    }

    /// JSON Schema of the body.
    pub fn schema(&self) -> Value {
        match self.lone() {
            Some(members) => object_schema(members),
            None => object_schema(self.areas.iter().map(|(_, member)| member)),
        }
    }

    /// A body that fits the schema.
    pub fn sample(&self) -> Value {
        match self.lone() {
            Some(members) => sample(members),
            None => {
                let areas = self.areas.iter();
                Value::Object(areas.map(|(_, m)| (m.json.clone(), m.sample())).collect())
            }
        }
    }
}
