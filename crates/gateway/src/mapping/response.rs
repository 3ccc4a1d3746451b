//! From what the program gave back to a response.
//!
//! The entries of `response_mapping.yaml` are tried in their order; the first
//! whose condition holds makes the response. An entry without a condition is
//! for documentation and never matches. After an abend only those entries count
//! that expect one: a success that has `condition: true` is not the answer to
//! it.

use super::context::{EvalContext, MappingFailure};
use super::plan::{Condition, ItemScope, MappingCompiler, ValueSlot, ValueSource};
use super::tree::{MapNode, MapValue};
use crate::project::asset::AssetInterface;
use crate::validate::schema::{SchemaId, SchemaType};
use copybook::FieldKind;
use http::{HeaderName, HeaderValue, StatusCode};

/// One entry with its file, compiled.
#[derive(Debug)]
pub(crate) struct ResponsePlan {
    pub condition: Option<Condition>,
    /// The response may answer an abend: its condition asks for `abendCode`, or its
    /// status is a server error.
    pub expects_abend: bool,
    pub status: StatusCode,
    pub content_type: HeaderValue,
    pub headers: Vec<(HeaderName, ValueSlot)>,
    pub body: Option<ValueSlot>,
    /// Areas of the reply that it has to find there.
    pub needs: Vec<usize>,
}

/// Compiles the mappings of one `response_NNN.yaml`.
pub(crate) fn compile(
    nodes: &[MapNode],
    schema: Option<SchemaId>,
    compiler: &mut MappingCompiler<'_>,
) -> (Option<ValueSlot>, Vec<(HeaderName, ValueSlot)>) {
    let (mut body, mut headers) = (None, Vec::new());
    for node in nodes {
        match node.name.as_str() {
            "body" => {
                let mut slot = compiler.slot(node, schema, ItemScope::None, "");
                slot.key.clear();
                body = Some(slot);
            }
            "headers" => {
                let MapValue::Mappings(children) = &node.value else {
                    continue;
                };
                for child in children {
                    match child.name.parse::<HeaderName>() {
                        Ok(name) => {
                            let mut slot = compiler.slot(child, None, ItemScope::None, "");
                            slot.key.clear();
                            slot.want = Some(SchemaType::String);
                            headers.push((name, slot));
                        }
                        Err(_) => {
                            let message = format!("{} is not a valid header name", child.name);
                            compiler.out.error(compiler.file, child.at, message);
                        }
                    }
                }
            }
            other => {
                let help = "a response has a body and headers";
                let message = format!("unknown key {other}");
                compiler
                    .out
                    .error_help(compiler.file, node.at, message, help);
            }
        }
    }
    (body, headers)
}

/// Why a condition never holds, if that can be decided. Text of a field is not
/// trimmed, so it only equals a constant of its own length.
pub(crate) fn never_holds(condition: &Condition, reply: &AssetInterface) -> Option<String> {
    match condition {
        Condition::Constant(false) => Some("it is false".into()),
        Condition::All(all) => all.iter().find_map(|c| never_holds(c, reply)),
        Condition::Any(any) => {
            let mut whys: Vec<String> = Vec::new();
            for one in any {
                whys.push(never_holds(one, reply)?);
            }
            whys.into_iter().next()
        }
        Condition::Compare {
            source: ValueSource::Field { area, id, .. },
            constant,
            negated: false,
        } => {
            let layout = reply.areas[*area].layout();
            let field = &layout[*id];
            let constant: serde_json::Value = serde_json::from_str(constant).ok()?;
            let (path, text) = (layout.path(*id), constant.as_str());
            if field.occurs.is_some() {
                return None;
            }
            match (&field.kind, text) {
                (FieldKind::Alphanumeric, Some(text))
                    if text.chars().count() != field.length as usize =>
                {
                    let (bytes, has) = (field.length, text.chars().count());
                    Some(format!(
                        "{path} always has {bytes} characters and the constant {has}; $trim the field or pad the constant"
                    ))
                }
                (FieldKind::Alphanumeric, None) if constant.is_number() => {
                    Some(format!("{path} is text and the constant is a number"))
                }
                (FieldKind::Numeric(_), Some(_)) => {
                    Some(format!("{path} is a number and the constant is text"))
                }
                _ => None,
            }
        }
        _ => None,
    }
}

impl ResponsePlan {
    /// Whether the entries after this one are never used.
    pub fn is_last(&self) -> bool {
        matches!(self.condition, Some(Condition::Constant(true)))
    }

    /// The first plan whose condition holds.
    pub fn choose<'p>(
        plans: &'p [ResponsePlan],
        context: &mut EvalContext<'_>,
    ) -> Result<Option<&'p ResponsePlan>, MappingFailure> {
        let abended = context.reply.is_some_and(|reply| reply.abend.is_some());
        for plan in plans.iter().filter(|p| p.expects_abend || !abended) {
            if let Some(condition) = &plan.condition
                && context.holds(condition)?
            {
                return Ok(Some(plan));
            }
        }
        Ok(None)
    }

    /// Writes the body; returns false if there is no body.
    pub fn write_body(
        &self,
        context: &mut EvalContext<'_>,
        out: &mut Vec<u8>,
    ) -> Result<bool, MappingFailure> {
        match &self.body {
            Some(slot) => context.slot(slot, out),
            None => Ok(false),
        }
    }

    /// Gives each mapped header that has a value to `add`.
    pub fn each_header(
        &self,
        context: &mut EvalContext<'_>,
        mut add: impl FnMut(&HeaderName, HeaderValue),
    ) -> Result<(), MappingFailure> {
        for (name, slot) in &self.headers {
            let mut out = Vec::new();
            if !context.slot(slot, &mut out)? {
                continue;
            }
            let mut tape = crate::json::JsonTape::default();
            let text = tape.parse(&out).map(|json| json.plain().into_owned());
            if let Ok(value) = text
                .map_err(drop)
                .and_then(|t| HeaderValue::from_str(t.trim_end()).map_err(drop))
            {
                add(name, value);
            }
        }
        Ok(())
    }
}
