//! Any text as the JSON of JSON PARSE, the document of XML PARSE, and the
//! record of both GENERATE statements.

#![no_main]

use copybook::{FieldId, FieldKind, ParseOptions};
use libfuzzer_sys::fuzz_target;
use runtime::markup::descriptor::{Node, Statement, Verb};
use runtime::markup::{CallOperands, StatementCache};

struct Storage(Vec<Vec<u8>>, [i64; 12]);

impl CallOperands for Storage {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn size(&self, at: usize) -> usize {
        self.0[at].len()
    }

    fn address(&self, at: usize) -> usize {
        at
    }

    fn bytes(&self, at: usize) -> Vec<u8> {
        self.0[at].clone()
    }

    fn write(&mut self, at: usize, offset: usize, bytes: &[u8], _room: usize) {
        self.0[at][offset..offset + bytes.len()].copy_from_slice(bytes);
    }

    fn int(&self, at: usize) -> i64 {
        self.1[at]
    }

    fn set_int(&mut self, at: usize, value: i64) {
        self.1[at] = value;
    }

    fn has_ebcdic_sign(&self) -> bool {
        false
    }
}

fuzz_target!(|data: &[u8]| {
    let copybook = include_str!("../record.cpy");
    let layouts = copybook::parse(copybook, &ParseOptions::default()).expect("it is valid");
    let layout = &layouts[0];
    let nodes = layout.iter().filter(|(_, field)| field.occurs.is_none());
    let nodes: Vec<Node> = nodes
        .filter(|(id, field)| *id == FieldId(0) || field.parent == Some(FieldId(0)))
        .filter(|(id, field)| *id == FieldId(0) || field.kind != FieldKind::Group)
        .map(|(id, field)| {
            let name = field.name.as_deref().unwrap_or("");
            let depth = u16::from(id != FieldId(0));
            Node::new(depth, name, field.offset, field.length, field.kind.clone())
        })
        .collect();
    let mut record = data.to_vec();
    record.resize(layout.length as usize, b'0');
    for verb in [Verb::JsonGenerate, Verb::XmlGenerate, Verb::JsonParse] {
        let descriptor = Statement::new(verb, nodes.clone()).emit();
        let text = if verb == Verb::JsonParse { data.to_vec() } else { vec![0; 256] };
        let mut operands = vec![vec![]; 8];
        (operands[0], operands[1], operands[2]) = (descriptor, text, record.clone());
        let _ = StatementCache::default().serve(&mut Storage(operands, [0; 12]));
    }
    let mut operands = vec![vec![b' '; 64]; 12];
    operands[0] = Statement::new(Verb::XmlParse, Vec::new()).emit();
    operands[1] = data.to_vec();
    let mut storage = Storage(operands, [0; 12]);
    let mut statements = StatementCache::default();
    while statements.serve(&mut storage).is_ok() && storage.1[2] != 0 {}
});
