//! Path, query, header and cookie parameters.
//!
//! Values stay text: a path parameter is text to every mapping, and the target
//! field determines its meaning.

use super::schema::{SchemaId, SchemaSet, SchemaType};
use crate::json::write_string;
use crate::problem::Fault;
use percent_encoding::percent_decode_str;
use smallvec::SmallVec;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The place of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ParameterPlace {
    Path,
    Query,
    Header,
    Cookie,
}

/// One parameter of an operation.
#[derive(Debug)]
pub(crate) struct OperationParameter {
    pub name: String,
    pub place: ParameterPlace,
    pub required: bool,
    pub schema: Option<SchemaId>,
    /// Its values may come as `a=1&a=2` (or `a=1,2` without `explode`).
    pub list: bool,
    pub explode: bool,
    /// Used when the client sends none: one text, or those of a list.
    pub default: Option<Vec<String>>,
}

/// The value of one parameter.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ParameterValue<'a> {
    Missing,
    One(Cow<'a, str>),
    Many(Vec<Cow<'a, str>>),
}

/// The values of an operation's parameters, in their order.
pub(crate) type ParameterValues<'a> = SmallVec<[ParameterValue<'a>; 2]>;

impl ParameterValue<'_> {
    /// Appends the value as JSON: a string or an array of strings.
    pub fn write(&self, out: &mut Vec<u8>) {
        match self {
            ParameterValue::Missing => out.extend_from_slice(b"null"),
            ParameterValue::One(text) => write_string(text, out),
            ParameterValue::Many(items) => {
                out.push(b'[');
                for (i, item) in items.iter().enumerate() {
                    if i > 0 {
                        out.push(b',');
                    }
                    write_string(item, out);
                }
                out.push(b']');
            }
        }
    }
}

/// The parts of a request that hold parameters.
pub(crate) struct ParameterSources<'a> {
    /// Values of the path template's variables, in its order, not decoded.
    pub path: &'a [(&'a str, &'a str)],
    pub query: Option<&'a str>,
    pub headers: &'a http::HeaderMap,
}

/// Finds and checks the parameters of a request, in the order of `params`.
pub(crate) fn read<'a>(
    params: &[OperationParameter],
    set: &SchemaSet,
    sources: &ParameterSources<'a>,
    faults: &mut Vec<Fault>,
) -> ParameterValues<'a> {
    let mut values = ParameterValues::with_capacity(params.len());
    for param in params {
        let value = find(param, sources, faults);
        if value == ParameterValue::Missing {
            if let Some(default) = &param.default {
                values.push(match (param.list, default.as_slice()) {
                    (false, [text]) => ParameterValue::One(Cow::Owned(text.clone())),
                    (_, texts) => {
                        ParameterValue::Many(texts.iter().map(|t| Cow::Owned(t.clone())).collect())
                    }
                });
                continue;
            }
            if param.required {
                fault(
                    param,
                    format!("the {} {} is required", param.place.word(), param.name),
                    faults,
                );
            }
        }
        check(param, set, &value, faults);
        values.push(value);
    }
    values
}

fn find<'a>(
    param: &OperationParameter,
    sources: &ParameterSources<'a>,
    faults: &mut Vec<Fault>,
) -> ParameterValue<'a> {
    let mut found = Found::default();
    match param.place {
        ParameterPlace::Path => {
            let hit = sources.path.iter().find(|(name, _)| *name == param.name);
            if let Some((_, raw)) = hit {
                found.add(decode(raw, false, param, faults));
            }
        }
        ParameterPlace::Query => {
            let pairs = sources.query.unwrap_or("").split('&');
            for pair in pairs.filter(|p| !p.is_empty()) {
                let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
                let same = name == param.name
                    || name.contains(['%', '+']) && lenient(name) == param.name.as_str();
                if same {
                    found.add(decode(value, true, param, faults));
                }
            }
        }
        ParameterPlace::Header => {
            for value in sources.headers.get_all(param.name.as_str()) {
                match std::str::from_utf8(value.as_bytes()) {
                    Ok(text) => found.add(Cow::Borrowed(text.trim())),
                    Err(_) => fault(param, "is not readable text".into(), faults),
                }
            }
        }
        ParameterPlace::Cookie => {
            for (name, value) in raw_cookies(sources.headers) {
                if name == param.name {
                    found.add(decode(value, false, param, faults));
                }
            }
        }
    }
    let Some(first) = found.first else {
        return ParameterValue::Missing;
    };
    if param.list {
        let split = !(param.place == ParameterPlace::Query && param.explode);
        let all = std::iter::once(first).chain(found.more);
        return ParameterValue::Many(all.flat_map(|v| parts(v, split)).collect());
    }
    let is_joined = matches!(param.place, ParameterPlace::Header | ParameterPlace::Cookie);
    if !found.more.is_empty() && is_joined {
        let all = std::iter::once(first).chain(found.more);
        return ParameterValue::One(Cow::Owned(all.collect::<Vec<_>>().join(",")));
    }
    if !found.more.is_empty() {
        fault(
            param,
            format!("{} is given more than once", param.name),
            faults,
        );
    }
    ParameterValue::One(first)
}

/// A header as one text: its values with commas between them, as they would be
/// in one line.
///
/// Reference: RFC 9110, section 5.3; z/OS Connect, "How the z/OS Connect Server
/// JSON object is created for mapping".
pub(crate) fn joined<'a>(headers: &'a http::HeaderMap, name: &str) -> Option<Cow<'a, str>> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?.to_str().ok()?;
    let mut rest = values.filter_map(|value| value.to_str().ok()).peekable();
    if rest.peek().is_none() {
        return Some(Cow::Borrowed(first));
    }
    let all: Vec<&str> = std::iter::once(first).chain(rest).map(str::trim).collect();
    Some(Cow::Owned(all.join(",")))
}

/// The cookies of a request, each name once: values with `%XX` decoded where that is
/// text, those of one name with commas between them.
///
/// Reference: z/OS Connect, "How the z/OS Connect Server JSON object is created for
/// mapping".
pub(crate) fn cookies(headers: &http::HeaderMap) -> Vec<(&str, Cow<'_, str>)> {
    let mut all: Vec<(&str, Cow<'_, str>)> = Vec::new();
    for (name, value) in raw_cookies(headers) {
        let decoded = percent_encoding::percent_decode_str(value).decode_utf8();
        let text = decoded.unwrap_or(Cow::Borrowed(value));
        match all.iter_mut().find(|(known, _)| *known == name) {
            Some((_, texts)) => *texts = Cow::Owned(format!("{texts},{text}")),
            None => all.push((name, text)),
        }
    }
    all
}

fn raw_cookies(headers: &http::HeaderMap) -> impl Iterator<Item = (&str, &str)> {
    let headers = headers.get_all(http::header::COOKIE).into_iter();
    let pairs = headers.flat_map(|header| header.to_str().unwrap_or("").split(';'));
    pairs.filter_map(|pair| pair.trim().split_once('='))
}

/// The texts of a parameter: nearly always one.
#[derive(Default)]
struct Found<'a> {
    first: Option<Cow<'a, str>>,
    more: Vec<Cow<'a, str>>,
}

impl<'a> Found<'a> {
    fn add(&mut self, text: Cow<'a, str>) {
        match &self.first {
            None => self.first = Some(text),
            Some(_) => self.more.push(text),
        }
    }
}

fn parts<'a>(value: Cow<'a, str>, split: bool) -> Vec<Cow<'a, str>> {
    if !split {
        return vec![value];
    }
    match value {
        Cow::Borrowed(text) => text.split(',').map(|p| Cow::Borrowed(p.trim())).collect(),
        Cow::Owned(text) => text
            .split(',')
            .map(|p| Cow::Owned(p.trim().to_string()))
            .collect(),
    }
}

fn decode<'a>(
    raw: &'a str,
    form: bool,
    param: &OperationParameter,
    faults: &mut Vec<Fault>,
) -> Cow<'a, str> {
    let escaped = raw.contains('%') || (form && raw.contains('+'));
    if !escaped {
        return Cow::Borrowed(raw);
    }
    let plus = if form {
        Cow::Owned(raw.replace('+', " "))
    } else {
        Cow::Borrowed(raw)
    };
    match percent_decode_str(&plus).decode_utf8() {
        Ok(text) => Cow::Owned(text.into_owned()),
        Err(_) => {
            fault(param, format!("{} is not UTF-8", param.name), faults);
            Cow::Borrowed("")
        }
    }
}

/// The query's parameters that the document does not name, by name; one that
/// comes more than once has all its values.
pub(crate) fn undeclared(
    query: Option<&str>,
    params: &[OperationParameter],
) -> BTreeMap<String, ParameterValue<'static>> {
    let known = |name: &str| {
        let mut all = params.iter();
        all.any(|p| p.place == ParameterPlace::Query && p.name == name)
    };
    let mut found: BTreeMap<String, ParameterValue<'static>> = BTreeMap::new();
    for pair in query.unwrap_or("").split('&').filter(|p| !p.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let (name, value) = (lenient(name), Cow::Owned(lenient(value)));
        if known(&name) {
            continue;
        }
        let so_far = found.entry(name).or_insert(ParameterValue::Missing);
        *so_far = match std::mem::replace(so_far, ParameterValue::Missing) {
            ParameterValue::Missing => ParameterValue::One(value),
            ParameterValue::One(first) => ParameterValue::Many(vec![first, value]),
            ParameterValue::Many(mut all) => {
                all.push(value);
                ParameterValue::Many(all)
            }
        };
    }
    found
}

fn lenient(name: &str) -> String {
    percent_decode_str(&name.replace('+', " "))
        .decode_utf8_lossy()
        .into_owned()
}

fn check(
    param: &OperationParameter,
    set: &SchemaSet,
    value: &ParameterValue<'_>,
    faults: &mut Vec<Fault>,
) {
    let Some(schema) = param.schema else { return };
    let (schema, texts) = match value {
        ParameterValue::Missing => return,
        ParameterValue::One(text) => (schema, std::slice::from_ref(text)),
        ParameterValue::Many(items) => {
            for message in set.check_list(schema, items) {
                fault(param, format!("{} {message}", param.name), faults);
            }
            let Some(schema) = set.items_of(schema) else {
                return;
            };
            (schema, items.as_slice())
        }
    };
    for text in texts {
        for message in set.check_text(schema, text) {
            fault(param, format!("{} {message}", param.name), faults);
        }
    }
}

#[cold]
fn fault(param: &OperationParameter, message: String, faults: &mut Vec<Fault>) {
    if faults.len() < super::schema::MAX_FAULTS {
        faults.push(Fault {
            parameter: Some(param.name.clone()),
            message,
            ..Fault::default()
        });
    }
}

impl ParameterPlace {
    fn word(self) -> &'static str {
        match self {
            ParameterPlace::Path => "path parameter",
            ParameterPlace::Query => "query parameter",
            ParameterPlace::Header => "header",
            ParameterPlace::Cookie => "cookie",
        }
    }
}

/// Compiles a Parameter Object whose references are resolved; `None` if its
/// place or name is missing.
pub(crate) fn compile(
    document: &serde_json::Value,
    object: &serde_json::Value,
    set: &mut SchemaSet,
) -> Option<OperationParameter> {
    let place = match object.get("in")?.as_str()? {
        "path" => ParameterPlace::Path,
        "query" => ParameterPlace::Query,
        "header" => ParameterPlace::Header,
        "cookie" => ParameterPlace::Cookie,
        _ => return None,
    };
    let schema = object
        .get("schema")
        .map(|schema| set.compile(document, schema));
    let list = schema.is_some_and(|id| set.kind_of(id) == Some(SchemaType::Array));
    let style = object.get("style").and_then(serde_json::Value::as_str);
    let explode = object.get("explode").and_then(serde_json::Value::as_bool);
    let default = schema
        .and_then(|id| set.default_of(id, 0))
        .map(|text| texts_of(text, list));
    Some(OperationParameter {
        name: object.get("name")?.as_str()?.to_string(),
        place,
        required: place == ParameterPlace::Path
            || object.get("required").and_then(serde_json::Value::as_bool) == Some(true),
        schema,
        list,
        explode: explode.unwrap_or(style.is_none_or(|s| s == "form")),
        default,
    })
}

/// A default's JSON as the texts that a client would have sent.
fn texts_of(json: &str, list: bool) -> Vec<String> {
    let plain = |value: &serde_json::Value| match value.as_str() {
        Some(text) => text.to_owned(),
        None => value.to_string(),
    };
    match serde_json::from_str(json) {
        Ok(serde_json::Value::Array(items)) if list => items.iter().map(plain).collect(),
        Ok(value) => vec![plain(&value)],
        Err(_) => vec![json.to_owned()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(object: serde_json::Value, query: &str) -> (String, Vec<String>) {
        let mut set = SchemaSet::default();
        let params = [compile(&json!({}), &object, &mut set).unwrap()];
        let headers = http::HeaderMap::new();
        let path = [("id", "a%20b")];
        let sources = ParameterSources {
            path: &path,
            query: Some(query),
            headers: &headers,
        };
        let mut faults = Vec::new();
        let values = read(&params, &set, &sources, &mut faults);
        let mut out = Vec::new();
        values[0].write(&mut out);
        (
            String::from_utf8(out).unwrap(),
            faults.into_iter().map(|f| f.message).collect(),
        )
    }

    #[test]
    fn parameters_that_the_document_does_not_name_are_found_by_name() {
        let found = |query| {
            let mut out = Vec::new();
            for (name, value) in undeclared(Some(query), &[]) {
                out.extend_from_slice(name.as_bytes());
                value.write(&mut out);
            }
            String::from_utf8(out).unwrap()
        };
        let reported = found("b=x+y&a=1&b=%C3%A4&&c");
        assert_eq!(reported, "a\"1\"b[\"x y\",\"ä\"]c\"\"");
        assert_eq!(found("a=1&a=2&a=3"), "a[\"1\",\"2\",\"3\"]");
        assert_eq!(found(""), "");
    }

    #[test]
    fn a_query_parameter_is_decoded_and_checked() {
        let limit = json!({"name": "limit", "in": "query",
            "schema": {"type": "integer", "minimum": 1, "maximum": 200, "default": 50}});
        assert_eq!(check(limit.clone(), "limit=7"), ("\"7\"".into(), vec![]));
        assert_eq!(check(limit.clone(), ""), ("\"50\"".into(), vec![]));
        assert_eq!(
            check(limit.clone(), "limit=x").1,
            ["limit must be an integer"]
        );
        assert_eq!(
            check(limit.clone(), "limit=201").1,
            ["limit must be at most 200"]
        );
        assert_eq!(
            check(limit, "limit=1&limit=2").1,
            ["limit is given more than once"]
        );
        let name = json!({"name": "a b", "in": "query", "schema": {"type": "string"}});
        assert_eq!(check(name, "a%20b=x+y%2b").0, "\"x y+\"");
    }

    #[test]
    fn lists_come_exploded_or_with_commas() {
        let mut ids = json!({"name": "id", "in": "query",
            "schema": {"type": "array", "items": {"type": "integer"}}});
        assert_eq!(check(ids.clone(), "id=1&id=2").0, "[\"1\",\"2\"]");
        ids["explode"] = json!(false);
        assert_eq!(
            check(ids, "id=1,x"),
            ("[\"1\",\"x\"]".into(), vec!["id must be an integer".into()])
        );
    }

    #[test]
    fn a_list_has_its_default_and_its_limits() {
        let ids = json!({"name": "id", "in": "query", "schema": {"type": "array",
            "items": {"type": "integer"}, "default": [1, 2], "maxItems": 2, "uniqueItems": true}});
        assert_eq!(check(ids.clone(), "").0, "[\"1\",\"2\"]");
        assert_eq!(
            check(ids.clone(), "id=1&id=2&id=3").1,
            ["id must have at most 2 items"]
        );
        assert_eq!(
            check(ids, "id=1&id=1").1,
            ["id must not have two equal items"]
        );
    }

    #[test]
    fn a_path_parameter_is_decoded() {
        let id =
            json!({"name": "id", "in": "path", "required": true, "schema": {"type": "string"}});
        assert_eq!(check(id, "").0, "\"a b\"");
    }
}
