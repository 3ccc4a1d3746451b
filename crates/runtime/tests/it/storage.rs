//! A record and the operands of a statement, without a program around them.

use copybook::{FieldId, FieldKind, ParseOptions, RecordLayout};
use runtime::markup::descriptor::{Node, Statement, Table, Verb};
use runtime::markup::{CallOperands, Fault, StatementCache};

/// An operand.
#[derive(Debug, Clone)]
pub enum OperandArea {
    Bytes(Vec<u8>),
    Int(i64),
    Omitted,
}

pub struct OperandStorage(pub Vec<OperandArea>);

impl CallOperands for OperandStorage {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn size(&self, at: usize) -> usize {
        self.bytes(at).len()
    }

    fn address(&self, at: usize) -> usize {
        at
    }

    fn bytes(&self, at: usize) -> Vec<u8> {
        match self.0.get(at) {
            Some(OperandArea::Bytes(bytes)) => bytes.clone(),
            _ => Vec::new(),
        }
    }

    fn write(&mut self, at: usize, offset: usize, bytes: &[u8], _room: usize) {
        if let Some(OperandArea::Bytes(area)) = self.0.get_mut(at) {
            area[offset..offset + bytes.len()].copy_from_slice(bytes);
        }
    }

    fn int(&self, at: usize) -> i64 {
        match self.0.get(at) {
            Some(OperandArea::Int(value)) => *value,
            _ => 0,
        }
    }

    fn set_int(&mut self, at: usize, value: i64) {
        if let Some(OperandArea::Int(area)) = self.0.get_mut(at) {
            *area = value;
        }
    }

    fn has_ebcdic_sign(&self) -> bool {
        false
    }
}

/// The nodes of a copybook's record, named as `names` has them, in their order.
/// All counters are the first.
pub fn nodes(copybook: &str) -> Vec<Node> {
    let layouts = copybook::parse(copybook, &ParseOptions::default()).expect("a copybook");
    let mut found = Vec::new();
    add(&layouts[0], FieldId(0), 0, &mut found);
    found
}

fn add(layout: &RecordLayout, id: FieldId, depth: u16, nodes: &mut Vec<Node>) {
    let field = &layout[id];
    if field.redefines.is_some() {
        return;
    }
    let name = field.name.as_deref().unwrap_or_default();
    let mut node = Node::new(depth, name, field.offset, field.length, field.kind.clone());
    node.is_hidden = name.is_empty() && field.kind != FieldKind::Group;
    node.is_justified = field.justified;
    node.picture = field.picture.clone().unwrap_or_default();
    node.table = field.occurs.as_ref().map(|o| Table {
        max: o.max,
        stride: o.stride,
        counter: (o.min != o.max).then_some(0),
    });
    nodes.push(node);
    for &child in &field.children {
        add(layout, child, depth + 1, nodes);
    }
}

/// The node of a name.
pub fn node<'a>(nodes: &'a mut [Node], name: &str) -> &'a mut Node {
    let found = nodes.iter_mut().find(|n| n.item == name);
    found.unwrap_or_else(|| panic!("no {name}"))
}

/// What a GENERATE left: the text, the count and the code.
#[derive(Debug, PartialEq, Eq)]
pub struct GenerateResult {
    pub text: String,
    pub count: i64,
    pub code: i64,
}

/// Runs a GENERATE into a receiver of so many dots.
pub fn generate(
    statement: &Statement,
    record: &[u8],
    room: usize,
    counter: i64,
) -> Result<GenerateResult, Fault> {
    let mut storage = OperandStorage(vec![
        OperandArea::Bytes(statement.emit()),
        OperandArea::Bytes(vec![b'.'; room]),
        OperandArea::Bytes(record.to_vec()),
        OperandArea::Int(-7),
        OperandArea::Int(99),
        OperandArea::Omitted,
        OperandArea::Omitted,
        OperandArea::Int(counter),
    ]);
    StatementCache::default().serve(&mut storage)?;
    Ok(GenerateResult {
        text: String::from_utf8_lossy(&storage.bytes(1)).into_owned(),
        count: storage.int(4),
        code: storage.int(3),
    })
}

/// The whole text of a GENERATE.
pub fn text(verb: Verb, nodes: Vec<Node>, record: &[u8]) -> String {
    let done = generate(&Statement::new(verb, nodes), record, 2000, 2).expect("no fault");
    assert_eq!(done.code, 0, "{done:?}");
    done.text[..done.count as usize].to_owned()
}
