//! From a structure to a plan.

use super::{Content, Count, Node, Part, Plan, XmlCodec, XmlError, XmlOptions};
use crate::binding::{self, MessageLayout, TextForm};
use crate::xml::push_attribute;
use copybook::codec::CodecItem;
use copybook::{FieldId, FieldKind, ParseOptions, RecordCodec, RecordLayout};
use std::sync::Arc;

impl XmlCodec {
    /// Compiles a structure.
    ///
    /// # Errors
    /// Faults of its copybook, and elements without a fitting item.
    pub fn build(structure: &MessageLayout, options: &XmlOptions) -> Result<XmlCodec, XmlError> {
        let layouts = copybook::parse(&structure.copybook, &ParseOptions::default())
            .map_err(|e| XmlError::Copybook(e.to_string()))?;
        XmlCodec::with_layouts(&layouts, &structure.root, options)
    }

    /// Compiles elements for layouts that are there already.
    ///
    /// # Errors
    /// Elements without a fitting item.
    pub fn with_layouts(
        layouts: &[RecordLayout],
        root: &binding::Node,
        options: &XmlOptions,
    ) -> Result<XmlCodec, XmlError> {
        let mut parts = Vec::new();
        for layout in layouts {
            let codec = RecordCodec::build(layout, &options.record);
            let codec = codec.map_err(|e| XmlError::Copybook(e.to_string()))?;
            parts.push(Part { codec });
        }
        let mut builder = Builder {
            layouts,
            names: Vec::new(),
            several: false,
            plan: Plan {
                parts,
                nodes: Vec::new(),
                namespaces: Vec::new(),
                options: options.clone(),
            },
        };
        builder.namespaces(root);
        builder.several = mixed(root, &root.namespace);
        if builder.plan.parts.is_empty() {
            return Err(builder.wrong(root, "the copybook has no record"));
        }
        let first = builder.blank();
        builder.node(root, 0, first, 0)?;
        Ok(XmlCodec {
            plan: Arc::new(builder.plan),
        })
    }

    /// Bytes of the longest record.
    pub fn max_len(&self) -> usize {
        self.plan.parts[0].codec.max_len()
    }

    /// Namespace and name of the root element.
    pub fn root(&self) -> (&str, &str) {
        let root = &self.plan.nodes[0];
        let namespace = &self.plan.namespaces[usize::from(root.namespace)];
        (
            namespace,
            std::str::from_utf8(&root.local).unwrap_or_default(),
        )
    }
}

struct Builder<'a> {
    layouts: &'a [RecordLayout],
    /// Names from the root to the current element.
    names: Vec<String>,
    /// More than one namespace: prefixes are written.
    several: bool,
    plan: Plan,
}

impl Builder<'_> {
    #[cold]
    fn wrong(&self, node: &binding::Node, reason: impl Into<String>) -> XmlError {
        let mut path = self.names.join("/");
        if !path.is_empty() {
            path.push('/');
        }
        XmlError::Structure {
            path: path + &node.name,
            reason: reason.into(),
        }
    }

    /// Every namespace of an element and all within, each once.
    fn namespaces(&mut self, node: &binding::Node) {
        if !self.plan.namespaces.contains(&node.namespace) {
            self.plan.namespaces.push(node.namespace.clone());
        }
        for child in &node.children {
            self.namespaces(child);
        }
    }

    fn blank(&mut self) -> usize {
        self.plan.nodes.push(Node {
            name: String::new(),
            open: Vec::new(),
            close: Vec::new(),
            local: Vec::new(),
            namespace: 0,
            attribute: false,
            min: 1,
            max: 1,
            stride: 0,
            count: None,
            fixed: 1,
            part: 0,
            content: Content::Group {
                members: 0..0,
                attributes: 0,
                text: false,
            },
        });
        self.plan.nodes.len() - 1
    }

    /// Fills the node at `at` and appends those within.
    fn node(
        &mut self,
        from: &binding::Node,
        part: usize,
        at: usize,
        depth: usize,
    ) -> Result<(), XmlError> {
        if depth > MAX_DEPTH {
            return Err(self.wrong(from, "elements nest too deeply"));
        }
        if !is_name(&from.name) && !is_text(from) {
            return Err(self.wrong(from, "not a valid element name"));
        }
        let layout = &self.layouts[part];
        let id = FieldId(from.field);
        let Some(field) = layout.fields.get(from.field as usize) else {
            return Err(self.wrong(from, "the copybook has no such item"));
        };
        let mut node = self.named(from, at == 0);
        node.part = part;
        node.min = from.min;
        node.max = from.max.unwrap_or(u32::MAX);
        if node.min > node.max {
            return Err(self.wrong(from, "minOccurs is greater than maxOccurs"));
        }
        if let Some(count) = from.count {
            let item = self.integer(from, part, count)?;
            node.count = Some(Count {
                item,
                global: false,
            });
        }
        if let Some(record) = from.record {
            return self.contained(from, part, at, node, record, depth);
        }
        match &field.occurs {
            Some(occurs) if at > 0 => {
                node.stride = occurs.stride as usize;
                node.fixed = occurs.max;
                node.max = node.max.min(occurs.max);
                if let (Some(counter), None) = (occurs.depending_on, from.count) {
                    let item = self.integer(from, part, counter.0)?;
                    node.count = Some(Count { item, global: true });
                }
            }
            None if node.max > 1 => {
                return Err(self.wrong(from, "the element repeats, but its item does not"));
            }
            _ => {}
        }
        let codec = &self.plan.parts[part].codec;
        node.content = match (&field.kind, from.form) {
            (FieldKind::Group, TextForm::Item) => self.members(from, part, depth)?,
            (FieldKind::Group, _) => return Err(self.wrong(from, "its item is a group")),
            _ if !from.children.is_empty() => {
                return Err(self.wrong(
                    from,
                    "the element has child elements, but its item is elementary",
                ));
            }
            (_, TextForm::Item) => match codec.item(id) {
                Some(item) => Content::Item(item, codec.is_numeric(item)),
                None => return Err(self.wrong(from, "its item's data is not text")),
            },
            (FieldKind::Alphanumeric, form) => {
                let start = field.offset as usize;
                Content::Bytes(form, start..start + field.length as usize)
            }
            _ => return Err(self.wrong(from, "base64 and hexadecimal data need an item of PIC X")),
        };
        if let Content::Group {
            attributes: 1.., ..
        } = node.content
        {
            node.open.pop();
        }
        self.plan.nodes[at] = node;
        Ok(())
    }

    /// Names and tags.
    fn named(&mut self, from: &binding::Node, root: bool) -> Node {
        let namespace = self
            .plan
            .namespaces
            .iter()
            .position(|n| *n == from.namespace);
        let namespace = namespace.unwrap_or(0);
        let tag = match (self.several && !from.namespace.is_empty(), namespace) {
            (true, number) => format!("n{number}:{}", from.name),
            (false, _) => from.name.clone(),
        };
        let (mut open, mut close) = (Vec::new(), Vec::new());
        if from.attribute {
            open.push(b' ');
            open.extend_from_slice(tag.as_bytes());
            open.extend_from_slice(b"=\"");
            close.push(b'"');
        } else if !is_text(from) {
            open.push(b'<');
            open.extend_from_slice(tag.as_bytes());
            if root {
                for (number, name) in self.plan.namespaces.iter().enumerate() {
                    if name.is_empty() {
                        continue;
                    }
                    if self.several {
                        open.extend_from_slice(format!(" xmlns:n{number}").as_bytes())
                    } else {
                        open.extend_from_slice(b" xmlns")
                    }
                    push_attribute(&mut open, name);
                }
            }
            open.push(b'>');
            close.extend_from_slice(format!("</{tag}>").as_bytes());
        }
        Node {
            name: from.name.clone(),
            open,
            close,
            local: from.name.clone().into_bytes(),
            namespace: namespace as u16,
            attribute: from.attribute,
            min: 1,
            max: 1,
            stride: 0,
            count: None,
            fixed: 1,
            part: 0,
            content: Content::Group {
                members: 0..0,
                attributes: 0,
                text: false,
            },
        }
    }

    fn members(
        &mut self,
        from: &binding::Node,
        part: usize,
        depth: usize,
    ) -> Result<Content, XmlError> {
        let attributes = from.children.iter().take_while(|c| c.attribute).count();
        if from.children[attributes..].iter().any(|c| c.attribute) {
            return Err(self.wrong(from, "attributes must come before elements"));
        }
        let elements = &from.children[attributes..];
        let text = elements.iter().any(is_text);
        if text && (elements.len() > 1 || elements[0].field == 0) {
            return Err(self.wrong(from, "it has both text and child elements"));
        }
        let start = self.plan.nodes.len();
        for _ in &from.children {
            self.blank();
        }
        self.names.push(from.name.clone());
        for (number, child) in from.children.iter().enumerate() {
            let twice = from.children[..number].iter().any(|other| {
                (&other.name, &other.namespace, other.attribute)
                    == (&child.name, &child.namespace, child.attribute)
            });
            if twice {
                return Err(self.wrong(child, "two items have this name"));
            }
            self.node(child, part, start + number, depth + 1)?;
        }
        self.names.pop();
        Ok(Content::Group {
            members: start..start + from.children.len(),
            attributes,
            text,
        })
    }

    /// Occurrences in a container: a node for them all, and one for each.
    fn contained(
        &mut self,
        from: &binding::Node,
        part: usize,
        at: usize,
        mut node: Node,
        record: u32,
        depth: usize,
    ) -> Result<(), XmlError> {
        let name = self.plan.parts[part].codec.item(FieldId(from.field));
        let (Some(name), Some(_)) = (name, node.count) else {
            return Err(self.wrong(from, "a container needs its name and a count"));
        };
        if record == 0 || record as usize >= self.layouts.len() {
            return Err(self.wrong(from, "the copybook has no such record"));
        }
        let element = self.blank();
        // An element with neither elements nor text has a record of no item.
        let text = self.plan.parts[record as usize].codec.item(FieldId(1));
        let is_text = from.children.is_empty() && text.is_some();
        let inner = binding::Node {
            field: u32::from(is_text),
            record: None,
            count: None,
            min: 1,
            max: Some(1),
            ..from.clone()
        };
        self.node(&inner, record as usize, element, depth + 1)?;
        node.content = Content::Contained { name, element };
        self.plan.nodes[at] = node;
        Ok(())
    }

    fn integer(
        &self,
        from: &binding::Node,
        part: usize,
        field: u32,
    ) -> Result<CodecItem, XmlError> {
        let item = self.plan.parts[part].codec.item(FieldId(field));
        let item = item.filter(|item| self.plan.parts[part].codec.is_numeric(*item));
        item.ok_or_else(|| self.wrong(from, "its count is not an integer item"))
    }
}

/// Whether a node is the text of the element around it.
fn is_text(node: &binding::Node) -> bool {
    node.name.is_empty() && !node.attribute && node.children.is_empty() && node.record.is_none()
}

/// Whether names need prefixes: elements of several namespaces, or attributes
/// of one, for which a default does not count.
fn mixed(node: &binding::Node, namespace: &str) -> bool {
    let own = if node.attribute || is_text(node) {
        ""
    } else {
        namespace
    };
    node.namespace != own || node.children.iter().any(|child| mixed(child, namespace))
}

/// A name that elements and attributes may have, without a prefix.
pub(crate) fn is_name(name: &str) -> bool {
    let mut letters = name.chars();
    let first = letters
        .next()
        .is_some_and(|c| c.is_alphabetic() || c == '_');
    first && letters.all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '\u{b7}'))
}

/// Levels of elements in a structure.
const MAX_DEPTH: usize = 90;
