//! From a schema's element to a copybook and the elements of its message.
//!
//! | schema | COBOL |
//! |---|---|
//! | `string` of at most n | `PIC X(n)`; 255 without a limit |
//! | `short`, `int`, `long`, unsigned ones | `PIC S9(4)`, `S9(9)`, `S9(18)` COMP-5, `9` |
//! | `decimal` with t and f digits | `PIC S9(t-f)V9(f)` COMP-3; 15 and 3 without |
//! | `integer` of t digits | `PIC S9(t)` COMP-3; 18 without |
//! | `float`, `double` | COMP-1, COMP-2 |
//! | `boolean` | `PIC X`, X'00' or X'01' |
//! | dates and times, `anyURI`, lists | `PIC X(32)`, text |
//! | `hexBinary`, `base64Binary` | `PIC X(n)`, the bytes |
//! | once or not at all, ways of a choice | `name-num` 0 or 1 before it |
//! | always n times | `OCCURS n` |
//! | up to n times, n within the limit | `name-num`, `OCCURS n` |
//! | more often | `name-num`, `name-cont`: a container of records |

use super::draft::CopybookDraft;
use super::simple::{self, ContentType, Limits, Occurs, SimpleItem, occurs, truth};
use super::types::{Schema, XsdSchemaSet};
use crate::binding::{MessageLayout, Node};
use crate::xml::{XML, XSD, XmlElement};
use base::Diagnostic;
use copybook::generated;

/// The copybook and elements of a message.
pub(super) fn structure<'a>(
    schemas: &'a XsdSchemaSet,
    schema: &'a Schema,
    declaration: &'a XmlElement,
    what: &str,
    limits: Limits,
) -> Result<MessageLayout, Diagnostic> {
    let name = declaration.attribute("name").unwrap_or("message");
    let mut builder = Builder {
        schemas,
        limits,
        drafts: vec![CopybookDraft::new(title(name, what, 0))],
        what,
        open: Vec::new(),
        items: 0,
    };
    let mut root = Node {
        name: name.to_owned(),
        namespace: schema.namespace.clone(),
        min: 1,
        max: Some(1),
        ..Node::default()
    };
    match simple::kind(schemas, limits, schema, declaration)? {
        ContentType::Complex(of, complex) => {
            root.children = builder.complex(of, complex, 0, 3)?;
            if builder.drafts[0].is_empty() {
                builder.drafts[0].emit(3, "filler", "PIC X");
            }
        }
        ContentType::Simple(simple) => {
            root.field = builder.leaf(0, 3, &cobol(name), &simple, "");
            root.form = simple.form;
        }
    }
    Ok(MessageLayout {
        copybook: builder.drafts.iter().map(CopybookDraft::text).collect(),
        root,
    })
}

/// As above for a message of parts with types: an element of the operation's
/// name with an element for each part.
pub(super) fn parts<'a>(
    schemas: &'a XsdSchemaSet,
    own: &'a Schema,
    parts: &[&'a XmlElement],
    (namespace, name): (&str, &str),
    what: &str,
    limits: Limits,
) -> Result<MessageLayout, Diagnostic> {
    let mut builder = Builder {
        schemas,
        limits,
        drafts: vec![CopybookDraft::new(title(name, what, 0))],
        what,
        open: Vec::new(),
        items: 0,
    };
    let mut children = Vec::new();
    for part in parts {
        let once = Occurs {
            min: 1,
            max: Some(1),
        };
        children.extend(builder.element(own, part, once, 0, 3)?);
    }
    if builder.drafts[0].is_empty() {
        builder.drafts[0].emit(3, "filler", "PIC X");
    }
    Ok(MessageLayout {
        copybook: builder.drafts.iter().map(CopybookDraft::text).collect(),
        root: Node {
            name: name.to_owned(),
            namespace: namespace.to_owned(),
            min: 1,
            max: Some(1),
            children,
            ..Node::default()
        },
    })
}

fn title(name: &str, what: &str, number: usize) -> String {
    let mut base = cobol(name);
    base.truncate(16);
    let base = base.trim_end_matches('-');
    match number {
        0 => format!("{base}-{what}"),
        n => format!("{base}-{}{n}", &what[..3]),
    }
}

struct Builder<'a> {
    schemas: &'a XsdSchemaSet,
    limits: Limits,
    /// The record, then those in containers.
    drafts: Vec<CopybookDraft>,
    what: &'a str,
    /// Types and elements that are being made, to find recursion.
    open: Vec<&'a XmlElement>,
    items: usize,
}

impl<'a> Builder<'a> {
    /// Attributes, then elements of a complex type, as items from `level` on.
    fn complex(
        &mut self,
        schema: &'a Schema,
        complex: &'a XmlElement,
        part: usize,
        level: u32,
    ) -> Result<Vec<Node>, Diagnostic> {
        if self.open.iter().any(|e| std::ptr::eq(*e, complex)) {
            let fix = "A record cannot contain itself; take the element out of the message.";
            return Err(schema.refused(complex, "the type contains itself", fix));
        }
        if level > MAX_LEVEL {
            let fix = "COBOL has level numbers up to 49.";
            return Err(schema.refused(complex, "elements nest too deeply", fix));
        }
        if truth(complex.attribute("mixed")) {
            let fix = "A record has no place for text between elements.";
            return Err(schema.refused(complex, "mixed content is not supported", fix));
        }
        self.open.push(complex);
        let nodes = self.content(schema, complex, part, level)?;
        self.open.pop();
        let (mut nodes, elements): (Vec<Node>, Vec<Node>) =
            nodes.into_iter().partition(|n| n.attribute);
        nodes.extend(elements);
        Ok(nodes)
    }

    fn content(
        &mut self,
        schema: &'a Schema,
        complex: &'a XmlElement,
        part: usize,
        level: u32,
    ) -> Result<Vec<Node>, Diagnostic> {
        let mut nodes = Vec::new();
        for child in complex.children.iter().filter(|c| c.namespace == XSD) {
            match child.name.as_str() {
                "simpleContent" => {
                    for derived in &child.children {
                        nodes.extend(self.text_content(schema, derived, part, level)?);
                    }
                }
                "complexContent" => {
                    if truth(child.attribute("mixed")) {
                        let fix = "A record has no place for text between elements.";
                        return Err(schema.refused(child, "mixed content is not supported", fix));
                    }
                    for derived in &child.children {
                        nodes.extend(self.derived(schema, derived, part, level)?);
                    }
                }
                "attribute" => nodes.extend(self.attribute(schema, child, part, level)?),
                "attributeGroup" => {
                    let (of, group) = self.named(schema, child, "attributeGroup", "ref")?;
                    nodes.extend(self.guarded(of, group, part, level)?);
                }
                _ => nodes.extend(self.particle(schema, child, false, part, level)?),
            }
        }
        Ok(nodes)
    }

    /// Attributes and text of a type with simple content.
    fn text_content(
        &mut self,
        schema: &'a Schema,
        derived: &'a XmlElement,
        part: usize,
        level: u32,
    ) -> Result<Vec<Node>, Diagnostic> {
        if !matches!(derived.name.as_str(), "extension" | "restriction") {
            return Ok(Vec::new());
        }
        let base = derived.attribute("base").unwrap_or_default();
        let name = schema.resolve(derived, base)?;
        let mut nodes = match self.schemas.get("complexType", &name) {
            Some((of, complex)) => self.complex(of, complex, part, level)?,
            None => {
                let simple = simple::named(self.schemas, self.limits, schema, derived, name)?;
                vec![Node {
                    min: 1,
                    max: Some(1),
                    field: self.leaf(part, level, "text", &simple, ""),
                    form: simple.form,
                    ..Node::default()
                }]
            }
        };
        if derived.name == "extension" {
            for child in &derived.children {
                match child.name.as_str() {
                    "attribute" => nodes.extend(self.attribute(schema, child, part, level)?),
                    "attributeGroup" => {
                        let (of, group) = self.named(schema, child, "attributeGroup", "ref")?;
                        nodes.extend(self.guarded(of, group, part, level)?);
                    }
                    _ => {}
                }
            }
        }
        Ok(nodes)
    }

    /// The contents of something with a name, which may not be within itself.
    fn guarded(
        &mut self,
        schema: &'a Schema,
        of: &'a XmlElement,
        part: usize,
        level: u32,
    ) -> Result<Vec<Node>, Diagnostic> {
        if self.open.iter().any(|e| std::ptr::eq(*e, of)) {
            let fix = "A record cannot contain itself.";
            return Err(schema.refused(of, "it contains itself", fix));
        }
        self.open.push(of);
        let nodes = self.content(schema, of, part, level)?;
        self.open.pop();
        Ok(nodes)
    }

    fn derived(
        &mut self,
        schema: &'a Schema,
        derived: &'a XmlElement,
        part: usize,
        level: u32,
    ) -> Result<Vec<Node>, Diagnostic> {
        let base = derived.attribute("base").unwrap_or_default();
        let name = schema.resolve(derived, base)?;
        if name.0 == SOAP_ENCODING {
            let fix = "Make it a sequence with an element that repeats.";
            return Err(schema.refused(derived, "SOAP arrays are not supported", fix));
        }
        let mut nodes = Vec::new();
        if derived.name == "extension" && name.0 != XSD {
            let (of, complex) = self.named(schema, derived, "complexType", "base")?;
            nodes = self.complex(of, complex, part, level)?;
        }
        nodes.extend(self.content(schema, derived, part, level)?);
        Ok(nodes)
    }

    /// The schema component that an attribute of `at` names.
    fn named(
        &self,
        schema: &'a Schema,
        at: &'a XmlElement,
        kind: &'static str,
        attribute: &str,
    ) -> Result<(&'a Schema, &'a XmlElement), Diagnostic> {
        let Some(written) = at.attribute(attribute) else {
            return Err(schema.broken(at, format!("it has no {attribute}")));
        };
        let name = schema.resolve(at, written)?;
        let found = self.schemas.get(kind, &name);
        found.ok_or_else(|| {
            let reason = format!("no {kind} {written:?} in the given schemas");
            schema.broken(at, reason)
        })
    }

    fn particle(
        &mut self,
        schema: &'a Schema,
        child: &'a XmlElement,
        optional: bool,
        part: usize,
        level: u32,
    ) -> Result<Vec<Node>, Diagnostic> {
        if child.namespace != XSD {
            return Ok(Vec::new());
        }
        let occurs = occurs(schema, child)?;
        match child.name.as_str() {
            "element" => {
                let min = if optional { 0 } else { occurs.min };
                let occurs = Occurs { min, ..occurs };
                return Ok(self
                    .element(schema, child, occurs, part, level)?
                    .into_iter()
                    .collect());
            }
            "sequence" | "all" | "choice" | "group" => {}
            "any" => {
                let fix = "Declare the elements that the program expects instead.";
                return Err(schema.refused(child, "xsd:any is not supported", fix));
            }
            "annotation" | "anyAttribute" => return Ok(Vec::new()),
            other => {
                let reason = format!("xsd:{other} is not allowed here");
                return Err(schema.broken(child, reason));
            }
        }
        if occurs.max != Some(1) && occurs.max != Some(0) {
            let what = format!("a {} with maxOccurs above 1 is not supported", child.name);
            let fix = "Put its elements into an element that repeats.";
            return Err(schema.refused(child, what, fix));
        }
        if occurs.max == Some(0) {
            return Ok(Vec::new());
        }
        let optional = optional || occurs.min == 0 || child.name == "choice";
        let (of, inside) = match child.name.as_str() {
            "group" => self.named(schema, child, "group", "ref")?,
            _ => (schema, child),
        };
        if self.open.iter().any(|e| std::ptr::eq(*e, inside)) {
            let fix = "A record cannot contain itself.";
            return Err(schema.refused(child, "the group contains itself", fix));
        }
        self.open.push(inside);
        let mut nodes = Vec::new();
        for member in &inside.children {
            nodes.extend(self.particle(of, member, optional, part, level)?);
        }
        self.open.pop();
        Ok(nodes)
    }

    fn attribute(
        &mut self,
        schema: &'a Schema,
        declaration: &'a XmlElement,
        part: usize,
        level: u32,
    ) -> Result<Option<Node>, Diagnostic> {
        let usage = declaration.attribute("use");
        if usage == Some("prohibited") {
            return Ok(None);
        }
        let (of, target, namespace) = match declaration.attribute("ref") {
            Some(name) => {
                let resolved = schema.resolve(declaration, name)?;
                if resolved.0 == XML || resolved.0 == SOAP_ENCODING {
                    return Ok(None);
                }
                let (of, target) = self.named(schema, declaration, "attribute", "ref")?;
                (of, target, of.namespace.clone())
            }
            None => {
                let namespace = schema.local_namespace(declaration, "attributeFormDefault");
                (schema, declaration, namespace)
            }
        };
        let name = target.attribute("name").unwrap_or_default();
        let simple = if target.attribute("type").is_some() || !target.children.is_empty() {
            match simple::kind(self.schemas, self.limits, of, target)? {
                ContentType::Simple(simple) => simple,
                ContentType::Complex(..) => {
                    return Err(of.broken(
                        target,
                        "an attribute cannot be used as \
                    an element",
                    ));
                }
            }
        } else {
            simple::text(self.limits.text)
        };
        let required = usage == Some("required");
        let base = cobol(&format!("attr-{name}"));
        let count = (!required).then(|| self.count(part, level, &base));
        let field = self.leaf(part, level, &base, &simple, "");
        Ok(Some(Node {
            name: name.to_owned(),
            namespace,
            attribute: true,
            min: u32::from(required),
            max: Some(1),
            field,
            count,
            form: simple.form,
            ..Node::default()
        }))
    }

    fn element(
        &mut self,
        schema: &'a Schema,
        declaration: &'a XmlElement,
        occurs: Occurs,
        part: usize,
        level: u32,
    ) -> Result<Option<Node>, Diagnostic> {
        if occurs.max == Some(0) {
            return Ok(None);
        }
        self.items += 1;
        if self.items > MAX_ITEMS {
            let fix = "Choose an operation whose message is smaller.";
            return Err(schema.refused(declaration, "the message has too many elements", fix));
        }
        let (of, target, namespace) = match declaration.attribute("ref") {
            Some(_) => {
                let (of, target) = self.named(schema, declaration, "element", "ref")?;
                (of, target, of.namespace.clone())
            }
            None => {
                let namespace = schema.local_namespace(declaration, "elementFormDefault");
                (schema, declaration, namespace)
            }
        };
        if truth(target.attribute("abstract")) {
            let fix = "Name a concrete element of the substitution group instead.";
            return Err(of.refused(target, "the element is abstract", fix));
        }
        let Some(name) = target.attribute("name") else {
            return Err(of.broken(target, "it has no name"));
        };
        let kind = simple::kind(self.schemas, self.limits, of, target)?;
        let mut node = Node {
            name: name.to_owned(),
            namespace,
            min: occurs.min,
            max: occurs.max,
            ..Node::default()
        };
        let base = cobol(name);
        let fixed = occurs.max == Some(occurs.min);
        match occurs.max {
            Some(max) if max == 1 || max <= self.limits.inline || (fixed && max <= MAX_FIXED) => {
                if !fixed {
                    node.count = Some(self.count(part, level, &base));
                }
                let table = if max > 1 {
                    format!("OCCURS {max} TIMES")
                } else {
                    String::new()
                };
                self.inline(&mut node, kind, part, level, &base, &table)?;
            }
            _ => self.contained(&mut node, kind, part, level, &base)?,
        }
        Ok(Some(node))
    }

    fn count(&mut self, part: usize, level: u32, base: &str) -> u32 {
        let draft = &mut self.drafts[part];
        let name = draft.name(&format!("{}-num", shortened(base)));
        draft.emit(level, &name, COUNT)
    }

    fn inline(
        &mut self,
        node: &mut Node,
        kind: ContentType<'a>,
        part: usize,
        level: u32,
        base: &str,
        table: &str,
    ) -> Result<(), Diagnostic> {
        match kind {
            ContentType::Simple(simple) => {
                node.form = simple.form;
                node.field = self.leaf(part, level, base, &simple, table);
            }
            ContentType::Complex(of, complex) => {
                let draft = &mut self.drafts[part];
                let name = draft.name(base);
                node.field = draft.emit(level, &name, table);
                node.children = self.complex(of, complex, part, level + LEVELS)?;
                let draft = &mut self.drafts[part];
                if draft.last() == node.field {
                    draft.emit(level + LEVELS, "filler", "PIC X");
                }
            }
        }
        Ok(())
    }

    /// Occurrences in a container, each its own record.
    fn contained(
        &mut self,
        node: &mut Node,
        kind: ContentType<'a>,
        part: usize,
        level: u32,
        base: &str,
    ) -> Result<(), Diagnostic> {
        node.count = Some(self.count(part, level, base));
        let draft = &mut self.drafts[part];
        let name = draft.name(&format!("{}-cont", shortened(base)));
        node.field = draft.emit(level, &name, "PIC X(16)");
        let record = self.drafts.len();
        node.record = Some(record as u32);
        self.drafts
            .push(CopybookDraft::new(title(base, self.what, record)));
        match kind {
            ContentType::Simple(simple) => {
                node.form = simple.form;
                self.leaf(record, 3, base, &simple, "");
            }
            ContentType::Complex(of, complex) => {
                node.children = self.complex(of, complex, record, 3)?;
                let draft = &mut self.drafts[record];
                if draft.is_empty() {
                    draft.emit(3, "filler", "PIC X");
                }
            }
        }
        Ok(())
    }

    fn leaf(
        &mut self,
        part: usize,
        level: u32,
        base: &str,
        simple: &SimpleItem,
        table: &str,
    ) -> u32 {
        let draft = &mut self.drafts[part];
        let name = draft.name(base);
        let clause = match table {
            "" => simple.clause.clone(),
            table => format!("{} {table}", simple.clause),
        };
        let field = draft.emit(level, &name, &clause);
        for (number, value) in simple.values.iter().enumerate() {
            let condition = draft.name(&format!("{}-{}", shortened(&name), number + 1));
            draft.emit(
                88,
                &condition,
                &format!("VALUE '{}'", value.replace('\'', "''")),
            );
        }
        field
    }
}

/// The COBOL name of an element or attribute, as yet without a number.
fn cobol(name: &str) -> String {
    let name = generated::cobol(&name.replace('_', "-"));
    // GnuCOBOL takes these for a USAGE; no other compiler reserves them.
    if ["DOUBLE", "FLOAT", "HANDLE"].contains(&&*name.to_ascii_uppercase()) {
        format!("X{name}")
    } else {
        name
    }
}

/// A name with room for a suffix.
fn shortened(base: &str) -> &str {
    let end = base.len().min(18);
    base[..end].trim_end_matches('-')
}

/// Picture of a count.
const COUNT: &str = "PIC S9(9) COMP-5";
/// Deepest level that still has room beneath.
const MAX_LEVEL: u32 = 47;
/// Between a group's level and that of its items.
const LEVELS: u32 = 2;
/// Elements of a message.
const MAX_ITEMS: usize = 20_000;
/// Occurrences of a table.
const MAX_FIXED: u32 = 10_000;
/// Namespace of the types of SOAP encoding.
const SOAP_ENCODING: &str = "http://schemas.xmlsoap.org/soap/encoding/";
