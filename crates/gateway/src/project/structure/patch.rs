//! From the structures of a patch to its JSON: a merge patch, or a list of
//! operations.
//!
//! Reference: RFC 7396; RFC 6902; z/OS Connect, "Using the PATCH HTTP method in an
//! application"; the generated copybooks of its samples.

use super::read::{MAX_JSON, Reader, fault};
use super::{BASE, ContainerInstances, Node, PatchField, ValueShape};
use crate::json::write_string;
use crate::problem::Fault;
use copybook::FieldId;

/// The operation of a patch on a property.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operation {
    Update,
    Delete,
    Leave,
}

/// The target of an array's instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Item {
    /// In the place of this item, from 1.
    At(usize),
    /// After the last one.
    New,
}

/// Operations, each except the first after a comma.
struct List<'o>(&'o mut Vec<u8>);

impl List<'_> {
    fn begin(&mut self, operation: &str, path: &str) -> Result<(), Box<Fault>> {
        if self.0.len() > MAX_JSON {
            let message = format!("the patch is longer than {MAX_JSON} bytes");
            return Err(fault(BASE, message));
        }
        if !self.0.ends_with(b"[") {
            self.0.push(b',');
        }
        self.0.extend_from_slice(b"{\"op\":");
        write_string(operation, self.0);
        self.0.extend_from_slice(b",\"path\":");
        write_string(path, self.0);
        Ok(())
    }

    fn remove(&mut self, path: &str) -> Result<(), Box<Fault>> {
        self.begin("remove", path)?;
        self.0.push(b'}');
        Ok(())
    }
}

impl Reader<'_, '_> {
    /// Appends a patch.
    pub(super) fn patch(
        &self,
        part: usize,
        members: &[Node],
        bytes: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(), Box<Fault>> {
        let merges = |m: &Node| matches!(m.patch, Some(PatchField::Merge(_)));
        let whole = self.whole.get();
        if whole || members.iter().all(merges) {
            return self.merge(part, members, bytes, whole, out).map(|_| ());
        }
        out.push(b'[');
        self.operations(part, members, bytes, "", &mut List(out))?;
        out.push(b']');
        Ok(())
    }

    /// Appends what a merge patch says of an object: members that are updated,
    /// and null for those that are deleted; all of one that is updated as a
    /// whole. False when it says nothing.
    fn merge(
        &self,
        part: usize,
        members: &[Node],
        bytes: &[u8],
        whole: bool,
        out: &mut Vec<u8>,
    ) -> Result<bool, Box<Fault>> {
        out.push(b'{');
        let mut said = false;
        for member in members {
            let start = out.len();
            if said {
                out.push(b',');
            }
            write_string(&member.name, out);
            out.push(b':');
            let says = match (self.operation(part, member, bytes)?, &member.shape) {
                (Operation::Delete, _) => {
                    out.extend_from_slice(b"null");
                    matches!(member.patch, Some(PatchField::Merge(_)))
                }
                (operation, ValueShape::Object(inner)) => {
                    let whole = whole || operation == Operation::Update;
                    self.merge(part, inner, bytes, whole, out)?
                }
                (Operation::Update, ValueShape::Array(array))
                    if self.count(part, array.count, bytes)? == 0 =>
                {
                    out.extend_from_slice(b"[]");
                    true
                }
                (Operation::Leave, _) if !whole => false,
                (_, shape) => self.value(part, shape, bytes, out)?,
            };
            if says {
                said = true
            } else {
                out.truncate(start)
            }
        }
        out.push(b'}');
        Ok(said)
    }

    /// Appends the operations on the members of an object.
    fn operations(
        &self,
        part: usize,
        members: &[Node],
        bytes: &[u8],
        at: &str,
        list: &mut List<'_>,
    ) -> Result<(), Box<Fault>> {
        for member in members {
            let token = member.name.replace('~', "~0").replace('/', "~1");
            let path = format!("{at}/{token}");
            if let (Some(PatchField::Items(field)), ValueShape::Array(array)) =
                (member.patch, &member.shape)
            {
                self.item_operations(part, (field, array), bytes, &path, list)?;
                continue;
            }
            match (self.operation(part, member, bytes)?, &member.shape) {
                (Operation::Delete, _) => list.remove(&path)?,
                // "add" also replaces an existing value.
                (Operation::Update, shape) => self.put("add", &path, (part, shape), bytes, list)?,
                (Operation::Leave, ValueShape::Object(inner)) => {
                    self.operations(part, inner, bytes, &path, list)?;
                }
                (Operation::Leave, _) => {}
            }
        }
        Ok(())
    }

    /// Appends the operations on the items of an array.
    fn item_operations(
        &self,
        part: usize,
        (field, array): (FieldId, &ContainerInstances),
        bytes: &[u8],
        path: &str,
        list: &mut List<'_>,
    ) -> Result<(), Box<Fault>> {
        let layout = self.structures.parts[part].record.layout();
        let wrong = |message: String| fault(&layout.path(field), message);
        let from = layout[field].offset as usize;
        let text = &bytes[from..from + layout[field].length as usize];
        let text = String::from_utf8_lossy(text);
        let count = self.count(part, array.count, bytes)?;
        let items = match text.trim_matches([' ', '\0']) {
            "" => return Ok(()),
            "DELETE" => return list.remove(path),
            "REPLACE" if count == 0 => {
                list.begin("add", path)?;
                list.0.extend_from_slice(b",\"value\":[]}");
                return Ok(());
            }
            "REPLACE" => None,
            text => Some(items(text, count).ok_or_else(|| {
                wrong(format!(
                    "'{text}' is not a list of {count} items such as 1,3-5,+"
                ))
            })?),
        };
        let (name, there) = self.named(part, array, bytes)?;
        let all = self.instances(&name, there, array.part, count)?;
        let Some(items) = items else {
            list.begin("add", path)?;
            list.0.extend_from_slice(b",\"value\":");
            self.as_a_whole(|| self.items(array.part, all, &name, list.0))?;
            list.0.push(b'}');
            return Ok(());
        };
        let inner = &self.structures.parts[array.part];
        let mut removed = Vec::new();
        let instances = all.chunks_exact(inner.record.max_len());
        for (item, instance) in items.into_iter().zip(instances) {
            let shape = (array.part, &inner.shape);
            match (item, &inner.shape) {
                (Item::New, _) => self.put("add", &format!("{path}/-"), shape, instance, list)?,
                (Item::At(n), ValueShape::Object(members)) => {
                    let mut deleted = true;
                    for member in members {
                        let operation = self.operation(array.part, member, instance)?;
                        deleted &= operation == Operation::Delete;
                    }
                    if deleted {
                        removed.push(n)
                    } else {
                        let path = format!("{path}/{}", n - 1);
                        self.operations(array.part, members, instance, &path, list)?;
                    }
                }
                (Item::At(n), _) => {
                    let path = format!("{path}/{}", n - 1);
                    self.put("replace", &path, shape, instance, list)?;
                }
            }
        }
        // From the last one, so that the others keep their numbers.
        removed.sort_unstable_by(|a, b| b.cmp(a));
        removed.dedup();
        for n in removed {
            list.remove(&format!("{path}/{}", n - 1))?;
        }
        Ok(())
    }

    /// Appends an operation with a value.
    fn put(
        &self,
        operation: &str,
        path: &str,
        (part, shape): (usize, &ValueShape),
        bytes: &[u8],
        list: &mut List<'_>,
    ) -> Result<(), Box<Fault>> {
        list.begin(operation, path)?;
        list.0.extend_from_slice(b",\"value\":");
        if !self.as_a_whole(|| self.value(part, shape, bytes, list.0))? {
            list.0.extend_from_slice(b"null");
        }
        list.0.push(b'}');
        Ok(())
    }

    /// Reads values with all of their members.
    fn as_a_whole<T>(&self, read: impl FnOnce() -> T) -> T {
        let before = self.whole.replace(true);
        let made = read();
        self.whole.set(before);
        made
    }

    /// The operation of a patch on a member; `None` for an array whose items it
    /// names.
    fn operation(&self, part: usize, member: &Node, bytes: &[u8]) -> Result<Operation, Box<Fault>> {
        let Some(PatchField::Merge(field) | PatchField::Operation(field)) = member.patch else {
            return Ok(Operation::Leave);
        };
        let layout = self.structures.parts[part].record.layout();
        match bytes[layout[field].offset as usize] {
            b'U' => Ok(Operation::Update),
            b'D' => Ok(Operation::Delete),
            b' ' | 0 => Ok(Operation::Leave),
            other => {
                let message = format!("is U, D or a blank, not X'{other:02X}'");
                Err(fault(&layout.path(field), message))
            }
        }
    }
}

/// The items of a list such as `3,5-7,+`, when there are so many.
fn items(text: &str, count: usize) -> Option<Vec<Item>> {
    let mut all = Vec::new();
    for one in text.split(',').map(str::trim) {
        if one == "+" {
            all.push(Item::New);
            continue;
        }
        let (first, last) = one.split_once('-').unwrap_or((one, one));
        let first: usize = first.trim().parse().ok()?;
        let last: usize = last.trim().parse().ok()?;
        // New items come last, and at most as many as exist.
        let fits = first >= 1 && last >= first && last - first < count;
        if !fits || all.last() == Some(&Item::New) || all.len() > count {
            return None;
        }
        all.extend((first..=last).map(Item::At));
    }
    (all.len() == count).then_some(all)
}
