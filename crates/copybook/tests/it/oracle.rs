//! GnuCOBOL as the oracle: probe programs that print where their items are.
//!
//! Many copybooks go into one compilation, each as its own program with the
//! copybook's text in its WORKING-STORAGE. A program calls a C function with its
//! record and one item at a time; libcob knows address, length, type, digits, scale
//! and sign of the argument.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use copybook::{
    CopyFolders, Field, FieldId, FieldKind, NumberStorage, Occurs, ParseOptions, RecordLayout,
    ReferenceFormat, SignPlace,
};

/// A copybook to be compared.
pub struct CopybookSample {
    /// Name for messages.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// The oracle's attributes of one item.
#[derive(Debug, PartialEq, Eq)]
struct ObservedItem {
    offset: i64,
    length: i64,
    attributes: Option<ItemAttributes>,
}

/// Attributes of an elementary item as libcob has them.
#[derive(Debug, PartialEq, Eq)]
struct ItemAttributes {
    kind: i64,
    digits: i64,
    scale: i64,
    signed: i64,
}

/// A line that is expected from a probe program.
struct ExpectedLine {
    what: String,
    observed: ObservedItem,
}

/// Compares every sample with the oracle; panics with all differences.
///
/// Items after tables of varying length slide only with `-fodoslide`, but that
/// option counts redefinitions twice, so it is used where it must be.
pub fn compare(samples: &[CopybookSample], copy_folder: &Path) {
    let (sliding, still): (Vec<&CopybookSample>, Vec<&CopybookSample>) = samples
        .iter()
        .partition(|sample| layouts(sample, copy_folder).iter().any(slides));
    compare_with(&sliding, copy_folder, "-fodoslide");
    compare_with(&still, copy_folder, "-fno-odoslide");
}

/// The layouts of a sample, which must be accepted.
fn layouts(sample: &CopybookSample, copy_folder: &Path) -> Vec<RecordLayout> {
    let copy = CopyFolders::new([copy_folder]);
    let options = ParseOptions {
        copy: &copy,
        source_name: &sample.name,
        ..ParseOptions::default()
    };
    copybook::parse(&sample.text, &options)
        .unwrap_or_else(|faults| panic!("{} is accepted:\n{faults}", sample.name))
}

/// Whether anything in the record moves with a counter.
fn slides(layout: &RecordLayout) -> bool {
    layout.iter().any(|(id, field)| {
        let varies = field.occurs.as_ref().is_some_and(|o| o.min != o.max);
        field.slides || (varies && subscripts(layout, id) > 1)
    })
}

fn compare_with(samples: &[&CopybookSample], copy_folder: &Path, sliding: &str) {
    let folder = tempfile::tempdir().expect("a folder for probe programs");
    let mut source = String::from(">>SOURCE FORMAT IS FREE\n");
    let mut expected: HashMap<String, ExpectedLine> = HashMap::new();
    source.push_str("IDENTIFICATION DIVISION.\nPROGRAM-ID. MAIN.\nPROCEDURE DIVISION.\n");
    for number in 0..samples.len() {
        let _ = writeln!(source, "CALL \"P{number}\".");
    }
    source.push_str("STOP RUN.\nEND PROGRAM MAIN.\n");
    for (number, sample) in samples.iter().enumerate() {
        program(number, sample, copy_folder, &mut source, &mut expected);
    }
    let output = run(folder.path(), &source, copy_folder, sliding);
    let mut differences = Vec::new();
    let mut seen = 0usize;
    for line in output.lines() {
        let (tag, observed) = observation(line);
        let Some(expectation) = expected.get(tag) else {
            differences.push(format!("not asked for: {line}"));
            continue;
        };
        seen += 1;
        let mut observed = observed;
        if expectation.observed.attributes.is_none() {
            observed.attributes = None;
        }
        if observed != expectation.observed {
            differences.push(format!(
                "{}:\n  expected {:?}\n  oracle   {observed:?}",
                expectation.what, expectation.observed
            ));
        }
    }
    assert_eq!(seen, expected.len(), "the oracle answered for every item");
    assert!(
        differences.is_empty(),
        "{} of {seen} items differ from GnuCOBOL:\n{}",
        differences.len(),
        differences.join("\n")
    );
}

fn observation(line: &str) -> (&str, ObservedItem) {
    let (tag, rest) = line.split_at_checked(16).expect("a line of the probe");
    let numbers: Vec<i64> = rest
        .split_whitespace()
        .map(|n| n.parse().expect("a number of the probe"))
        .collect();
    let [offset, length, kind, digits, scale, signed] = numbers[..] else {
        panic!("a line of the probe has six numbers: {line}");
    };
    let attributes = Some(ItemAttributes {
        kind,
        digits,
        scale,
        signed,
    });
    let observed = ObservedItem {
        offset,
        length,
        attributes,
    };
    (tag.trim_end(), observed)
}

/// Compiles and runs the programs, and returns what they printed.
fn run(folder: &Path, source: &str, copy_folder: &Path, sliding: &str) -> String {
    let program = folder.join("probe.cob");
    let binary = folder.join("probe");
    std::fs::write(&program, source).expect("the probe program is written");
    let compiled = Command::new("cobc")
        .args(["-std=ibm", sliding, "-x", "-w", "-free", "-I"])
        .arg(copy_folder)
        .arg("-o")
        .args([&binary, &program])
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/probe.c"))
        .output()
        .expect("cobc is installed");
    let messages = String::from_utf8_lossy(&compiled.stderr).into_owned();
    assert!(
        compiled.status.success(),
        "cobc accepts every sample:\n{}",
        with_lines(&messages, source)
    );
    let ran = Command::new(&binary).output().expect("the probe runs");
    assert!(
        ran.status.success(),
        "the probe ends well: {}",
        String::from_utf8_lossy(&ran.stderr)
    );
    String::from_utf8(ran.stdout).expect("the probe prints ASCII")
}

/// Adds the source lines that the compiler's messages name.
fn with_lines(messages: &str, source: &str) -> String {
    let lines: Vec<&str> = source.lines().collect();
    messages
        .lines()
        .map(|message| {
            let line = message
                .split("probe.cob:")
                .nth(1)
                .and_then(|rest| rest.split(':').next())
                .and_then(|n| n.parse::<usize>().ok())
                .and_then(|n| lines.get(n.saturating_sub(1)));
            format!("{message}\n    {}\n", line.unwrap_or(&""))
        })
        .collect()
}

/// Appends the program of one sample and what it must print.
fn program(
    number: usize,
    sample: &CopybookSample,
    copy_folder: &Path,
    source: &mut String,
    expected: &mut HashMap<String, ExpectedLine>,
) {
    let copy = CopyFolders::new([copy_folder]);
    let options = ParseOptions {
        copy: &copy,
        source_name: &sample.name,
        ..ParseOptions::default()
    };
    let layouts = layouts(sample, copy_folder);
    let _ = write!(
        source,
        "IDENTIFICATION DIVISION.\nPROGRAM-ID. P{number}.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n"
    );
    // Setting initial values can stop cobc with an internal error, after tables
    // that vary and in tables of aligned pointers, so records are described in the
    // linkage section, where there are none.
    let linked = !sample.text.contains("EXTERNAL");
    if linked {
        let longest = layouts.iter().map(|l| l.length).max().unwrap_or(1);
        let _ = writeln!(source, "77 PROBE-AREA PIC X({longest}).\nLINKAGE SECTION.");
    }
    if ReferenceFormat::detect(&sample.text) == ReferenceFormat::Fixed {
        source.push_str(">>SOURCE FORMAT IS FIXED\n");
    }
    let first = layouts.first().map(RecordLayout::name).unwrap_or_default();
    if is_fragment(&sample.text, &options) {
        let _ = writeln!(source, "       01 {first}.");
    }
    source.push_str(&sample.text);
    source.push_str("\n       >>SOURCE FORMAT IS FREE\nPROCEDURE DIVISION.\n");
    for (index, layout) in layouts.iter().enumerate() {
        let record = &layout.fields[0];
        if linked && let Some(name) = &record.name {
            let first = if record.occurs.is_some() { "(1)" } else { "" };
            let _ = writeln!(
                source,
                "SET ADDRESS OF {name}{first} TO ADDRESS OF PROBE-AREA."
            );
        }
        for largest in [true, false] {
            let tag = format!("{number}.{index}{}", if largest { "X" } else { "N" });
            let probe = RecordProbe::new(layout, largest, tag, &sample.name);
            probe.write(source, expected);
        }
    }
    let _ = writeln!(source, "EXIT PROGRAM.\nEND PROGRAM P{number}.");
}

/// Whether the text starts below level 01.
fn is_fragment(text: &str, options: &ParseOptions<'_>) -> bool {
    let expanded = copybook::expand(text, options).expect("expansion has no faults");
    let level = expanded
        .split_whitespace()
        .find_map(|word| word.trim_end_matches('.').parse::<u8>().ok());
    level.is_some_and(|level| level > 1 && level < 50)
}

/// The probing of one record with its counters at one end of their range.
struct RecordProbe<'a> {
    layout: &'a RecordLayout,
    largest: bool,
    tag: String,
    sample: &'a str,
    /// The value of every counter.
    counters: HashMap<FieldId, u32>,
    /// Whether every table that varies has its counter in the record, outside
    /// tables.
    known: bool,
}

impl<'a> RecordProbe<'a> {
    fn new(layout: &'a RecordLayout, largest: bool, tag: String, sample: &'a str) -> Self {
        let mut counters: HashMap<FieldId, u32> = HashMap::new();
        let mut known = true;
        for (_, field) in layout.iter() {
            let Some(occurs) = &field.occurs else {
                continue;
            };
            let Some(counter) = occurs.depending_on else {
                known &= occurs.min == occurs.max;
                continue;
            };
            known &= subscripts(layout, counter) == 0;
            let value = if largest { occurs.max } else { occurs.min };
            counters
                .entry(counter)
                .and_modify(|v| {
                    *v = if largest {
                        value.min(*v)
                    } else {
                        value.max(*v)
                    }
                })
                .or_insert(value);
        }
        RecordProbe {
            layout,
            largest,
            tag,
            sample,
            counters,
            known,
        }
    }

    fn write(&self, source: &mut String, expected: &mut HashMap<String, ExpectedLine>) {
        if !self.largest && self.counters.is_empty() {
            return;
        }
        let record = self.layout.name();
        if self.layout.fields[0].name.is_none() {
            return;
        }
        for (counter, value) in &self.counters {
            if let Some(name) = reference(self.layout, *counter, "") {
                let _ = writeln!(source, "MOVE {value} TO {name}.");
            }
        }
        let base = match &self.layout.fields[0].occurs {
            Some(_) => format!("{record}(1)"),
            None => record.to_owned(),
        };
        let mut calls = 0usize;
        let mut call = |item: &str, what: String, observed: ObservedItem| {
            let tag = format!("{}.{calls}", self.tag);
            calls += 1;
            let _ = writeln!(
                source,
                "CALL \"PROBE\" USING BY REFERENCE {base}\n BY REFERENCE {item}\n BY CONTENT \"{tag:16}\"."
            );
            expected.insert(tag, ExpectedLine { what, observed });
        };
        for (id, field) in self.layout.iter() {
            if !self.known && (field.slides || self.varies(id)) {
                continue;
            }
            for occurrence in [1u32, 2] {
                let depth = subscripts(self.layout, id);
                if occurrence == 2 && (depth == 0 || !self.has_second(id)) {
                    continue;
                }
                let indexes = vec![occurrence.to_string(); depth].join(" ");
                let indexes = match depth {
                    0 => String::new(),
                    _ => format!("({indexes})"),
                };
                let Some(item) = reference(self.layout, id, &indexes) else {
                    continue;
                };
                let what = format!(
                    "{} {} (counters {})",
                    self.sample,
                    item,
                    if self.largest { "high" } else { "low" }
                );
                call(&item, what, self.observed(id, field, occurrence));
            }
        }
        if self.counters.is_empty() {
            for renames in &self.layout.renames {
                let observed = ObservedItem {
                    offset: i64::from(renames.offset),
                    length: i64::from(renames.length),
                    attributes: None,
                };
                let item = format!("{} OF {record}", renames.name);
                call(&item, format!("{} {item}", self.sample), observed);
            }
        }
    }

    /// The values that the oracle must print, by the layout.
    fn observed(&self, id: FieldId, field: &Field, occurrence: u32) -> ObservedItem {
        let mut offset = i64::from(field.offset) - self.saved_before(id);
        let mut at = Some(id);
        while let Some(table) = at {
            if let Some(occurs) = &self.layout[table].occurs {
                let stride = i64::from(occurs.stride) - self.saved_inside(table);
                offset += i64::from(occurrence - 1) * stride;
            }
            at = self.layout[table].parent;
        }
        ObservedItem {
            offset,
            length: i64::from(field.length) - self.saved_inside(id),
            attributes: attributes(field),
        }
    }

    /// The number of occurrences a table has now.
    fn count(&self, occurs: &Occurs) -> i64 {
        occurs
            .depending_on
            .map_or(i64::from(occurs.max), |counter| {
                self.counters
                    .get(&counter)
                    .map_or(i64::from(occurs.max), |v| i64::from(*v))
            })
    }

    /// Bytes that all occurrences of `id` take less than at most.
    fn saved(&self, id: FieldId) -> i64 {
        let field = &self.layout[id];
        let inside = self.saved_inside(id);
        match &field.occurs {
            None => inside,
            Some(occurs) => {
                let count = self.count(occurs);
                (i64::from(occurs.max) - count) * i64::from(occurs.stride) + count * inside
            }
        }
    }

    /// Bytes that one occurrence of `id` takes less than at most.
    fn saved_inside(&self, id: FieldId) -> i64 {
        let children = &self.layout[id].children;
        children
            .iter()
            .filter(|child| self.layout[**child].redefines.is_none())
            .map(|child| self.saved(*child))
            .sum()
    }

    /// Bytes that the items before `id` take less than at most.
    fn saved_before(&self, id: FieldId) -> i64 {
        let field = &self.layout[id];
        let Some(parent) = field.parent else {
            return 0;
        };
        let anchor = field.redefines.unwrap_or(id);
        let siblings: i64 = self.layout[parent]
            .children
            .iter()
            .take_while(|sibling| **sibling != anchor)
            .filter(|sibling| self.layout[**sibling].redefines.is_none())
            .map(|sibling| self.saved(*sibling))
            .sum();
        siblings + self.saved_before(parent)
    }

    fn varies(&self, id: FieldId) -> bool {
        let field = &self.layout[id];
        let own = field.occurs.as_ref().is_some_and(|o| o.min != o.max);
        own || field.children.iter().any(|child| self.varies(*child))
    }

    /// Whether every table around `id`, itself included, has two occurrences.
    fn has_second(&self, id: FieldId) -> bool {
        let mut at = Some(id);
        while let Some(table) = at {
            let field = &self.layout[table];
            if field.occurs.as_ref().is_some_and(|o| o.max < 2) {
                return false;
            }
            at = field.parent;
        }
        true
    }
}

/// The number of subscripts a reference to `id` needs.
fn subscripts(layout: &RecordLayout, id: FieldId) -> usize {
    let mut count = 0;
    let mut at = Some(id);
    while let Some(item) = at {
        count += usize::from(layout[item].occurs.is_some());
        at = layout[item].parent;
    }
    count
}

/// The item's name with all its groups and subscripts. Returns `None` for items
/// without a name and for names that stay ambiguous.
fn reference(layout: &RecordLayout, id: FieldId, indexes: &str) -> Option<String> {
    let qualified = |id: FieldId| {
        let mut names = vec![layout[id].name.clone()?];
        let mut at = layout[id].parent;
        while let Some(group) = at {
            names.extend(layout[group].name.clone());
            at = layout[group].parent;
        }
        Some(names.join(" OF "))
    };
    let own = qualified(id)?;
    let matches = layout
        .iter()
        .filter(|(other, _)| qualified(*other).as_ref() == Some(&own))
        .count();
    (matches == 1).then(|| format!("{own}{indexes}"))
}

/// The attributes libcob gives an item of this kind. Returns `None` if it has none
/// worth comparing.
fn attributes(field: &Field) -> Option<ItemAttributes> {
    let number = |kind: i64, digits: i64, scale: i64, signed: bool| {
        // libcob counts the P of a PICTURE among the digits.
        let scaling = if scale < 0 {
            -scale
        } else {
            (scale - digits).max(0)
        };
        Some(ItemAttributes {
            kind,
            digits: digits + scaling,
            scale,
            signed: i64::from(signed),
        })
    };
    match &field.kind {
        FieldKind::Numeric(n) if field.picture.as_ref().is_some_and(|p| !p.starts_with('X')) => {
            let kind = match n.storage {
                NumberStorage::Zoned { .. } => 0x10,
                NumberStorage::Binary | NumberStorage::BinaryFull => 0x11,
                NumberStorage::Packed | NumberStorage::PackedUnsigned => 0x12,
                NumberStorage::Native => 0x1b,
            };
            number(kind, n.digits.into(), n.scale.into(), n.signed)
        }
        FieldKind::NumericEdited(e) => {
            number(0x24, e.digits.into(), e.scale.into(), false).map(|a| ItemAttributes {
                signed: i64::from(e.signed),
                ..a
            })
        }
        _ => None,
    }
}

/// The sign's place affects the length only. This function forces the match above
/// to be extended when a place is added.
#[test]
fn separate_signs_take_a_byte() {
    let text = "01 R.\n 05 A PIC S9(3) SIGN LEADING SEPARATE.\n 05 B PIC S9(3).\n";
    let layouts = copybook::parse(text, &ParseOptions::default()).expect("accepted");
    let FieldKind::Numeric(number) = &layouts[0].fields[1].kind else {
        panic!("a number");
    };
    assert_eq!(
        number.storage,
        NumberStorage::Zoned {
            sign: SignPlace::LeadingSeparate
        }
    );
    assert_eq!(layouts[0].fields[2].offset, 4);
}
