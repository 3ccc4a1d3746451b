//! Defaults of the API's document, filled into a body.
//!
//! A property that the client left out gets the `default` of its schema before
//! the request is mapped, so that an expression and a pass-through field see
//! the same body. Defaults are looked for in `properties`, `items` and
//! `allOf`; not in `anyOf`, `oneOf` and `not`, where it would be a guess which
//! of them applies. An object that is left out is not made for the sake of the
//! defaults inside it: only a `default` of its own makes it.
//!
//! Reference: OpenAPI 3.0.3, Schema Object, "default".

use super::schema::{MAX_NESTING, SchemaId, SchemaSet};
use crate::json::{JsonKind, TapeValue, write_string};

impl SchemaSet {
    /// Notes for every schema whether a default can be found from it. Called
    /// once, when all schemas are compiled.
    pub fn close(&mut self) {
        let direct = |set: &SchemaSet, id: SchemaId| {
            let schema = set.get(id);
            let own = schema.properties.iter();
            own.clone().any(|(_, p)| set.default_of(*p, 0).is_some())
                || own
                    .map(|(_, p)| p)
                    .chain(&schema.items)
                    .chain(&schema.all_of)
                    .any(|below| set.get(*below).fills)
        };
        // Schemas may be recursive: repeat until nothing changes.
        loop {
            let mut changed = false;
            for id in 0..self.len() {
                if !self.get(id).fills && direct(self, id) {
                    self.set_fills(id);
                    changed = true;
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// A request's body with the document's defaults; `None` when it stays as
    /// it is. No body at all has the default of its whole schema.
    pub fn completed(&self, id: SchemaId, value: Option<TapeValue<'_>>) -> Option<Vec<u8>> {
        match value {
            Some(value) => self.filled(id, value),
            None => self.default_of(id, 0).map(|text| text.as_bytes().to_vec()),
        }
    }

    /// The body with its defaults; `None` when nothing is to be filled in.
    fn filled(&self, id: SchemaId, value: TapeValue<'_>) -> Option<Vec<u8>> {
        if !self.get(id).fills || !self.lacks(&[id], value) {
            return None;
        }
        let mut out = Vec::with_capacity(value.raw().len() + 64);
        self.write(&[id], value, &mut out);
        Some(out)
    }

    /// The default of a schema, `allOf` looked through.
    pub fn default_of(&self, id: SchemaId, depth: usize) -> Option<&str> {
        let schema = self.get(id);
        if let Some(text) = &schema.default {
            return Some(text);
        }
        let below = schema.all_of.iter().filter(|_| depth < MAX_NESTING);
        below
            .into_iter()
            .find_map(|id| self.default_of(*id, depth + 1))
    }

    /// A schema and what `allOf` adds to it, without those that fill nothing.
    fn merged(&self, ids: &[SchemaId]) -> Vec<SchemaId> {
        let mut all: Vec<SchemaId> = Vec::new();
        let mut open = ids.to_vec();
        while let Some(id) = open.pop() {
            if self.get(id).fills && !all.contains(&id) {
                all.push(id);
                open.extend(&self.get(id).all_of);
            }
        }
        all
    }

    fn below(&self, merged: &[SchemaId], name: &str) -> Vec<SchemaId> {
        let properties = merged.iter().flat_map(|id| &self.get(*id).properties);
        let same = properties.filter(|(n, _)| n == name);
        same.map(|(_, id)| *id).collect()
    }

    fn items(&self, merged: &[SchemaId]) -> Vec<SchemaId> {
        merged.iter().filter_map(|id| self.get(*id).items).collect()
    }

    /// Properties with a default, each once.
    fn with_default(&self, merged: &[SchemaId]) -> impl Iterator<Item = (&str, &str)> {
        let mut names: Vec<&str> = Vec::new();
        let properties = merged.iter().flat_map(|id| &self.get(*id).properties);
        properties
            .filter_map(move |(name, id)| {
                let default = self.default_of(*id, 0)?;
                let new = !names.contains(&name.as_str());
                names.push(name);
                new.then_some((name.as_str(), default))
            })
            .collect::<Vec<_>>()
            .into_iter()
    }

    fn lacks(&self, ids: &[SchemaId], value: TapeValue<'_>) -> bool {
        let merged = self.merged(ids);
        if merged.is_empty() {
            return false;
        }
        match value.kind() {
            JsonKind::Object => {
                self.with_default(&merged)
                    .any(|(name, _)| value.get(name).is_none())
                    || value
                        .members()
                        .any(|(name, member)| self.lacks(&self.below(&merged, &name), member))
            }
            JsonKind::Array => {
                let items = self.items(&merged);
                value.items().any(|item| self.lacks(&items, item))
            }
            _ => false,
        }
    }

    fn write(&self, ids: &[SchemaId], value: TapeValue<'_>, out: &mut Vec<u8>) {
        let merged = self.merged(ids);
        match value.kind() {
            JsonKind::Object if !merged.is_empty() => {
                out.push(b'{');
                let mut comma = false;
                for (name, member) in value.members() {
                    separate(&mut comma, out);
                    write_string(&name, out);
                    out.push(b':');
                    self.write(&self.below(&merged, &name), member, out);
                }
                for (name, default) in self.with_default(&merged) {
                    if value.get(name).is_none() {
                        separate(&mut comma, out);
                        write_string(name, out);
                        out.push(b':');
                        out.extend_from_slice(default.as_bytes());
                    }
                }
                out.push(b'}');
            }
            JsonKind::Array if !merged.is_empty() => {
                let items = self.items(&merged);
                out.push(b'[');
                let mut comma = false;
                for item in value.items() {
                    separate(&mut comma, out);
                    self.write(&items, item, out);
                }
                out.push(b']');
            }
            _ => out.extend_from_slice(value.raw().as_bytes()),
        }
    }
}

fn separate(comma: &mut bool, out: &mut Vec<u8>) {
    if std::mem::replace(comma, true) {
        out.push(b',');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::JsonTape;
    use serde_json::{Value, json};

    fn filled(schema: Value, body: &str) -> Option<String> {
        let mut set = SchemaSet::default();
        let id = set.compile(&schema, &schema);
        set.close();
        let mut tape = JsonTape::default();
        let out = set.filled(id, tape.parse(body.as_bytes()).unwrap());
        out.map(|bytes| String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn missing_properties_get_their_defaults_at_any_depth() {
        let schema = json!({"type": "object", "properties": {
            "kind": {"type": "string", "default": "CURRENT"},
            "rows": {"type": "array", "items": {"type": "object", "properties": {
                "n": {"type": "integer", "default": 1}}}},
            "none": {"type": "object", "properties": {"x": {"default": 1}}}}});
        assert_eq!(
            filled(schema.clone(), r#"{"rows":[{"n":2},{}], "a": 1.50}"#).unwrap(),
            r#"{"rows":[{"n":2},{"n":1}],"a":1.50,"kind":"CURRENT"}"#
        );
        assert_eq!(filled(schema, r#"{"kind":null,"rows":[]}"#), None);
    }

    #[test]
    fn defaults_come_through_references_and_all_of() {
        let schema = json!({"$ref": "#/a", "a": {"allOf": [{"$ref": "#/b"},
            {"properties": {"y": {"allOf": [{"$ref": "#/c"}]}}}]},
            "b": {"type": "object", "properties": {"x": {"$ref": "#/c"}}},
            "c": {"type": "string", "default": "z"}});
        assert_eq!(filled(schema, "{}").unwrap(), r#"{"y":"z","x":"z"}"#);
    }

    #[test]
    fn a_schema_that_contains_itself_is_filled_as_deep_as_the_body_goes() {
        let schema = json!({"$ref": "#/n", "n": {"type": "object", "allOf": [{"$ref": "#/n"}],
            "properties": {"next": {"$ref": "#/n"}, "v": {"type": "integer", "default": 7}}}});
        assert_eq!(
            filled(schema, r#"{"next":{"next":{"v":1}}}"#).unwrap(),
            r#"{"next":{"next":{"v":1},"v":7},"v":7}"#
        );
    }

    #[test]
    fn a_schema_without_defaults_is_never_walked() {
        let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}});
        assert_eq!(filled(schema, "{}"), None);
    }
}
