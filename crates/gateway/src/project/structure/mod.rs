//! API-first assets: structures that are derived from JSON schemas.
//!
//! A program of an API-first asset gets one container `BAQBASE` with a
//! structure, and one more container for each part of it that is optional or
//! repeated: a field of sixteen bytes in the structure names that container,
//! and a count next to it has the number of its instances. The answer has the
//! same form.
//!
//! ```text
//! responseCode200-existence  PIC S9(9) COMP-5   0 or 1
//! responseCode200-cont       PIC X(16)          a container with one RBK00P01-responseCode200
//! authors-num                PIC S9(9) COMP-5   how many
//! authors-cont               PIC X(16)          a container with so many RBK00P01-authors
//! title-length               PIC S9999 COMP-5   bytes of the text that follows
//! title                      PIC X(80)
//! ```
//!
//! The API requester's structures follow the same rules except for two: a data
//! area replaces a container, and an optional object is part of the structure.
//! The structures of its old stub have arrays in the structure too. The body of a patch
//! has a byte before each property for the operation on it, and for a list of
//! operations the items that an array's instances are:
//!
//! ```text
//! authors-patch-item         PIC X(50)          3,5-7,+ or DELETE or REPLACE
//! title-patch-operation      PIC X(1)           U update, D delete, blank: leave it
//! title-length               PIC S9999 COMP-5
//! title                      PIC X(80)
//! ```
//!
//! Reference: CICS Transaction Server, "JSON schema to COBOL mapping" and
//! "Variable arrays of elements in DFHJS2LS", mapping level 5.0; the generated
//! copybooks of public samples.
//!
//! Invariant: no layout is guessed. A schema that the rules say nothing about
//! is refused, with its name.

mod derive;
mod generate;
mod patch;
mod read;
mod write;

pub use derive::GeneratedCopybook;
pub(crate) use derive::{DynamicStyle, Limits, MAX_TEXT, derive, derive_in, refusal};
pub use generate::structures;

use super::record::Record;
use copybook::FieldId;

/// Never panics on any bytes: for the fuzz target.
#[doc(hidden)]
pub fn fuzz_derived(schema: &[u8], answer: &[u8]) {
    let Ok(schema) = serde_json::from_slice(schema) else {
        return;
    };
    let Ok((structures, _)) = derive(&schema, "X", Limits::default()) else {
        return;
    };
    // Every container has the same bytes.
    let container = |_: &str| Some(answer);
    let mut out = Vec::new();
    if let Ok(true) = structures.read(&container, &mut out) {
        let mut tape = crate::json::JsonTape::default();
        let json = tape.parse(&out).expect("what is written is JSON");
        let _ = structures.write(Some(json));
    }
}

/// Name of the container with the structure that names the others.
pub(crate) const BASE: &str = "BAQBASE";
/// Bytes of a container's name.
const NAME_BYTES: usize = 16;
/// Most instances of one container, for every count.
const MAX_INSTANCES: usize = 1 << 20;

/// The structures of one direction; the first is that of [`BASE`]. `None` if
/// nothing is passed.
#[derive(Debug)]
pub(crate) struct DirectionStructures {
    pub parts: Vec<StructurePart>,
}

/// One 01 structure.
#[derive(Debug)]
pub(crate) struct StructurePart {
    pub record: Record,
    pub shape: ValueShape,
    /// The schema of an instance lets it be null.
    pub nullable: bool,
}

/// A value with its name, and how it is known to be there.
#[derive(Debug)]
pub(crate) struct Node {
    /// Its name in JSON.
    pub name: String,
    /// The field with the existence flag; `None` for a part that always exists.
    pub existence: Option<FieldId>,
    /// The schema requires it.
    pub required: bool,
    /// The schema lets it be null.
    pub nullable: bool,
    /// The field with the patch operation on it; `None` outside of patches.
    pub patch: Option<PatchField>,
    pub shape: ValueShape,
}

/// How a body changes what a server has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PatchStyle {
    /// RFC 7396.
    Merge,
    /// RFC 6902: a list of operations.
    Operations,
}

/// The field with the patch operation on a member.
#[derive(Debug, Clone, Copy)]
pub(crate) enum PatchField {
    /// U, D or a blank, in a merge patch.
    Merge(FieldId),
    /// As above in a list of operations.
    Operation(FieldId),
    /// Which items of an array, in a list of operations.
    Items(FieldId),
}

/// The place of a value.
#[derive(Debug)]
pub(crate) enum ValueShape {
    /// Text, with a length field or of a fixed length.
    Text {
        field: FieldId,
        length: Option<FieldId>,
        /// A date, of which only the day counts.
        date: bool,
    },
    /// A number.
    Number(FieldId),
    /// One byte, 0 or 1.
    Truth(FieldId),
    /// Members of the same structure.
    Object(Vec<Node>),
    /// One instance in a container of its own, or none.
    Optional(ContainerInstances),
    /// Instances in a container of their own.
    Array(ContainerInstances),
    /// Instances in the structure itself.
    Table {
        /// How many there are.
        count: FieldId,
        /// The table.
        table: FieldId,
        /// Which part an instance is.
        part: usize,
        /// How many there is room for.
        most: usize,
    },
}

/// Instances in a container.
#[derive(Debug)]
pub(crate) struct ContainerInstances {
    /// How many there are.
    pub count: FieldId,
    /// The container's name.
    pub container: FieldId,
    /// Which part an instance is.
    pub part: usize,
    /// Most instances.
    pub most: Option<u64>,
}

impl DirectionStructures {
    /// The names below `names`, to check a mapping by; `None` if they lead
    /// nowhere.
    pub fn names_below(&self, names: &[String]) -> Option<Vec<&str>> {
        let mut shape = &self.parts.first()?.shape;
        for name in names {
            shape = match self.settled(shape) {
                ValueShape::Object(members) => {
                    &members.iter().find(|member| member.name == *name)?.shape
                }
                _ => return None,
            };
        }
        Some(match self.settled(shape) {
            ValueShape::Object(members) => members.iter().map(|m| m.name.as_str()).collect(),
            _ => Vec::new(),
        })
    }

    /// Resolves a shape: an array's name means its instances.
    fn settled<'s>(&'s self, mut shape: &'s ValueShape) -> &'s ValueShape {
        loop {
            shape = match shape {
                ValueShape::Optional(contained) | ValueShape::Array(contained) => {
                    &self.parts[contained.part].shape
                }
                ValueShape::Table { part, .. } => &self.parts[*part].shape,
                _ => return shape,
            };
        }
    }

    /// Bytes of the structure in [`BASE`].
    pub fn base_bytes(&self) -> usize {
        self.parts.first().map_or(0, |part| part.record.max_len())
    }
}
