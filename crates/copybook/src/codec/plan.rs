//! The compiled form of a layout: a flat array of nodes in the order of the record,
//! with everything that decoding and encoding need available.
//!
//! A node's subtree is the nodes after it up to [`Node::end`]. A table is its own
//! node followed by one element node; redefined storage is a [`NodeKind::Choice`]
//! followed by its descriptions. Offsets are those of the layout: first occurrence,
//! every OCCURS DEPENDING ON at its maximum. While a record is walked, `delta` is
//! what the enclosing tables' subscripts add and what shorter tables before take
//! away, in wrapping arithmetic.
//!
//! Invariant: nothing here refers to the layout it was made from.

use super::error::FieldPlace;
use super::options::CodecOptions;
use crate::SignPlace;
use crate::number::EditedPicture;

/// A compiled layout.
#[derive(Debug)]
pub(super) struct CodecPlan {
    pub options: CodecOptions,
    pub nodes: Vec<Node>,
    /// `"NAME":` of every member, one after the other, then [`KEY_SLACK`] bytes
    /// that may be read.
    pub keys: Vec<u8>,
    pub objects: Vec<ObjectPlan>,
    pub sets: Vec<RedefinesSet>,
    /// Tables of varying length, inner before outer.
    pub vars: Vec<VarTable>,
    /// Those not inside another one, nor inside a REDEFINES, in the order of
    /// the record.
    pub top_vars: Vec<u16>,
    pub counters: Vec<TableCounter>,
    /// Lists of [`CodecPlan::vars`] that nodes refer to.
    pub var_lists: Vec<u16>,
    pub pictures: Vec<EditedPicture>,
    /// Initial contents: the record first, then the REDEFINES.
    pub images: Vec<InitialImage>,
    /// Names by field of the layout, for messages.
    pub names: Vec<FieldName>,
    /// Node of each field of the layout; `u32::MAX` for those without one.
    pub node_of: Vec<u32>,
    /// Varying tables before each field of the layout: runs of
    /// [`CodecPlan::var_lists`].
    pub before: Vec<(u16, u16)>,
    /// Bytes of the longest record.
    pub length: usize,
}

/// One step.
#[derive(Debug, Clone)]
pub(super) struct Node {
    /// Index of the field in the layout.
    pub field: u32,
    pub offset: u32,
    /// Bytes of one occurrence.
    pub len: u32,
    /// Index after the subtree.
    pub end: u32,
    /// Place of `"NAME":` in [`CodecPlan::keys`].
    pub key_at: u32,
    /// Length of that; 0 for elements of tables and for the record.
    pub key_len: u16,
    /// Which of [`CodecPlan::images`] holds its initial contents.
    pub image: u16,
    /// Tables of varying length in it: a run of [`CodecPlan::var_lists`].
    pub slide: (u16, u16),
    /// Left out when empty, by option.
    pub omit: bool,
    pub kind: NodeKind,
}

/// What a step does.
#[derive(Debug, Clone, Copy)]
pub(super) enum NodeKind {
    Leaf(LeafKind),
    /// Index into [`CodecPlan::objects`].
    Group(u32),
    Table(Table),
    /// Index into [`CodecPlan::sets`].
    Choice(u32),
    /// Nothing to show: FILLER that varies in length.
    Skip,
}

/// A table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Table {
    pub min: u32,
    pub max: u32,
    pub stride: u32,
    /// Index into [`CodecPlan::vars`], or [`NO_VAR`].
    pub var: u16,
}

/// What the bytes of an elementary item mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LeafKind {
    Text {
        justified: bool,
    },
    National {
        justified: bool,
    },
    Zoned {
        digits: u8,
        scale: i16,
        sign: SignPlace,
        blank: bool,
    },
    Packed {
        digits: u8,
        scale: i16,
        signed: bool,
    },
    PackedUnsigned {
        digits: u8,
        scale: i16,
    },
    /// `digits` is 0 when the bytes alone limit the value.
    Binary {
        digits: u8,
        scale: i16,
        signed: bool,
        little: bool,
    },
    Float {
        hex: bool,
    },
    Double {
        hex: bool,
    },
    DecimalFloat {
        little: bool,
    },
    /// Index into [`CodecPlan::pictures`].
    Edited(u16),
    /// Bytes without their own meaning, as hexadecimal digits.
    Bytes,
}

/// The members of a JSON object.
#[derive(Debug)]
pub(super) struct ObjectPlan {
    pub members: Vec<ObjectMember>,
    /// Open-addressing table of member numbers plus one, a power of two long.
    pub index: Vec<u16>,
    /// Number of redefined items among the members.
    pub sets: u16,
}

/// One member.
#[derive(Debug, Clone, Copy)]
pub(super) struct ObjectMember {
    pub key_at: u32,
    pub key_len: u16,
    pub node: u32,
    /// Which redefined item of the object it describes, from 1; 0 for none.
    pub set: u16,
}

/// Storage with several descriptions.
#[derive(Debug)]
pub(super) struct RedefinesSet {
    pub rule: DescriptionRule,
    /// Nodes of the descriptions, the redefined item first if it shows.
    pub variants: Vec<u32>,
}

/// Which description counts.
#[derive(Debug)]
pub(super) enum DescriptionRule {
    /// A node, or none.
    Fixed(Option<u32>),
    ByValue {
        /// Node of the deciding field.
        node: u32,
        /// The field is in the same table elements as the storage.
        same_tables: bool,
        /// Tables before the storage and before the field: runs of
        /// [`CodecPlan::var_lists`].
        plus: (u16, u16),
        minus: (u16, u16),
        /// Value as JSON text without quotes, and node.
        cases: Vec<(Box<[u8]>, u32)>,
        otherwise: Option<u32>,
    },
    AllValid,
}

/// A table whose bytes vary: by its own counter, or because its elements do.
#[derive(Debug)]
pub(super) struct VarTable {
    pub field: u32,
    pub offset: u32,
    pub min: u32,
    pub max: u32,
    pub stride: u32,
    /// Index into [`CodecPlan::counters`], or [`NO_VAR`] for a fixed count.
    pub counter: u16,
    /// Those directly inside its elements.
    pub inner: Vec<u16>,
}

/// The counter of one or more tables.
#[derive(Debug)]
pub(super) struct TableCounter {
    pub node: u32,
    /// Tables before it: a run of [`CodecPlan::var_lists`].
    pub before: (u16, u16),
    /// Tables it counts.
    pub tables: Vec<u16>,
}

/// Initial contents of a stretch of the record.
#[derive(Debug)]
pub(super) struct InitialImage {
    pub offset: u32,
    pub bytes: Vec<u8>,
}

/// What messages call a field.
#[derive(Debug)]
pub(super) struct FieldName {
    pub cobol: Box<str>,
    pub json: Box<str>,
    pub picture: Box<str>,
    pub parent: Option<u32>,
    pub table: bool,
}

/// What is wrong where, before names are looked up.
#[derive(Debug)]
pub(super) struct ErrorSpot {
    pub field: u32,
    pub offset: usize,
    pub length: usize,
    /// Subscripts from 0, innermost first.
    pub subscripts: Vec<u32>,
}

impl CodecPlan {
    /// The tables of a run of [`CodecPlan::var_lists`].
    pub(super) fn var_run(&self, run: (u16, u16)) -> &[u16] {
        &self.var_lists[usize::from(run.0)..][..usize::from(run.1)]
    }

    /// The initial bytes of `len` bytes at a node, `delta` as in a record of
    /// the longest form.
    pub(super) fn initial(&self, node: &Node, delta: usize, len: usize) -> &[u8] {
        let image = &self.images[usize::from(node.image)];
        let at = (node.offset as usize - image.offset as usize).wrapping_add(delta);
        image.bytes.get(at..at.wrapping_add(len)).unwrap_or(&[])
    }

    /// Bytes from the start of the first to the end of the last occurrence.
    pub(super) fn span(&self, node: &Node) -> usize {
        match node.kind {
            NodeKind::Table(table) if table.max > 0 => {
                (table.max as usize - 1) * table.stride as usize + node.len as usize
            }
            NodeKind::Table(_) => 0,
            _ => node.len as usize,
        }
    }

    /// Looks up the names of a spot.
    pub(super) fn place(&self, spot: &ErrorSpot) -> Box<FieldPlace> {
        let mut chain = Vec::new();
        let mut at = Some(spot.field);
        while let Some(field) = at {
            let name = &self.names[field as usize];
            chain.push(name);
            at = name.parent;
        }
        // A spot on a table as a whole has one subscript fewer: the outer
        // tables come first.
        let mut subscripts = spot.subscripts.iter().rev();
        let mut path = String::new();
        let mut pointer = String::new();
        for (depth, name) in chain.iter().rev().enumerate() {
            if depth > 0 {
                path.push('.');
                pointer.push('/');
                pointer.push_str(&name.json.replace('~', "~0").replace('/', "~1"));
            }
            path.push_str(&name.cobol);
            if name.table
                && let Some(k) = subscripts.next()
            {
                path.push_str(&format!("({})", u64::from(*k) + 1));
                pointer.push_str(&format!("/{k}"));
            }
        }
        Box::new(FieldPlace {
            path,
            pointer,
            offset: spot.offset,
            length: spot.length,
            picture: self.names[spot.field as usize].picture.to_string(),
        })
    }

    /// A spot at a node.
    pub(super) fn spot(&self, node: &Node, delta: usize) -> ErrorSpot {
        ErrorSpot {
            field: node.field,
            offset: (node.offset as usize).wrapping_add(delta),
            length: node.len as usize,
            subscripts: Vec::new(),
        }
    }
}

/// [`Table::var`] of a table of fixed length.
pub(super) const NO_VAR: u16 = u16::MAX;
/// Readable bytes after the last key.
pub(super) const KEY_SLACK: usize = 32;
