//! The symbolic map as a COBOL copybook.
//!
//! The words are those that the mainframe's assembler writes: `COMP  PIC  S9(4)`,
//! `PICTURE X`, `PIC X(n)`. Programs are compiled against this text, so its
//! items, order and lengths are fixed. Reference: CICS application programming
//! guide, "Symbolic maps".

use std::fmt::Write;

use crate::model::{Field, Map, MapLanguage, MapSet, MapStorage};

/// How OCCURS, and output records in shared storage, are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OccursForm {
    /// As the mainframe's assembler: the attribute is in the output part.
    #[default]
    Assembler,
    /// As rehosting products: the attribute is in the input part too, and the
    /// output part repeats the group's name.
    Rehosted,
}

/// Why a set has no copybook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnsupportedLanguage {
    /// LANG of the set.
    pub language: MapLanguage,
}

impl std::fmt::Display for UnsupportedLanguage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let language = self.language.as_str();
        write!(f, "LANG={language}: only COBOL has a symbolic map here")
    }
}

impl std::error::Error for UnsupportedLanguage {}

/// The copybook of a set with LANG=COBOL, in fixed format.
///
/// # Errors
///
/// The set is for another language. [`cobol_copybook`] ignores LANG.
pub fn copybook(set: &MapSet, form: OccursForm) -> Result<String, UnsupportedLanguage> {
    if set.language == MapLanguage::Cobol {
        return Ok(cobol_copybook(set, form));
    }
    Err(UnsupportedLanguage {
        language: set.language,
    })
}

/// The COBOL copybook of a set, whatever its LANG. Maps without a named field
/// and without a prefix have no items and are left out.
pub fn cobol_copybook(set: &MapSet, form: OccursForm) -> String {
    let mut writer = CopybookWriter {
        text: String::new(),
        form,
        repeated: 0,
    };
    let mut first: Option<String> = None;
    for map in &set.maps {
        if !map.prefix && map.fields.iter().all(|field| field.name.is_none()) {
            continue;
        }
        let redefined = match &set.storage {
            MapStorage::Auto => None,
            MapStorage::Base(name) => Some(name.clone()),
            MapStorage::Shared => first.clone(),
        };
        writer.map(map, redefined.as_deref());
        if first.is_none() {
            let suffix = if map.mode.has_input() { 'I' } else { 'O' };
            first = Some(format!("{}{suffix}", map.name));
        }
    }
    writer.text
}

struct CopybookWriter {
    text: String,
    form: OccursForm,
    /// Fields with OCCURS so far, counted through the set.
    repeated: u32,
}

/// Fields that share one length: one field, or those of a group.
enum LengthEntry<'a> {
    Field(&'a Field, &'a str),
    Group(&'a str, Vec<&'a Field>),
}

impl CopybookWriter {
    fn map(&mut self, map: &Map, redefined: Option<&str>) {
        let entries = entries(map);
        let name = &map.name;
        if map.mode.has_input() {
            self.record(&format!("{name}I"), redefined);
            self.prefix(map);
            for entry in &entries {
                self.input(map, entry);
            }
        }
        if map.mode.has_output() {
            let input = format!("{name}I");
            // Rehosting products redefine the first map of shared storage here too.
            let redefined = match (self.form, redefined) {
                (OccursForm::Rehosted, Some(first)) => Some(first),
                (_, redefined) if !map.mode.has_input() => redefined,
                _ => Some(input.as_str()),
            };
            self.record(&format!("{name}O"), redefined);
            self.prefix(map);
            for entry in &entries {
                self.output(map, entry);
            }
        }
    }

    fn record(&mut self, name: &str, redefined: Option<&str>) {
        match redefined {
            Some(other) => self.line(0, &format!("01  {name} REDEFINES {other}.")),
            None => self.line(0, &format!("01  {name}.")),
        }
    }

    fn prefix(&mut self, map: &Map) {
        if map.prefix {
            self.line(1, "02  FILLER PIC X(12).");
        }
    }

    fn input(&mut self, map: &Map, entry: &LengthEntry) {
        match entry {
            LengthEntry::Field(field, name) if field.occurs.is_some() => {
                let times = field.occurs.unwrap_or(1);
                self.line(1, &format!("02  {name}D OCCURS {times} TIMES."));
                self.length_and_flag(2, "03", name);
                if self.form == OccursForm::Rehosted {
                    self.line(2, &format!("03  FILLER REDEFINES {name}F."));
                    self.line(3, &format!("04  {name}A    PICTURE X."));
                }
                self.attribute_filler(2, "03", map);
                self.data(2, &format!("03  {name}I"), field, &field.picture_in);
            }
            LengthEntry::Field(field, name) => {
                self.length_and_flag(1, "02", name);
                self.attribute_redefinition(name);
                self.attribute_filler(1, "02", map);
                self.data(1, &format!("02  {name}I"), field, &field.picture_in);
            }
            LengthEntry::Group(name, fields) => {
                self.length_and_flag(1, "02", name);
                self.attribute_redefinition(name);
                self.attribute_filler(1, "02", map);
                self.line(1, &format!("02  {name}I."));
                for field in fields {
                    let item = format!("03  {}I", field.name.as_deref().unwrap_or_default());
                    self.data(2, &item, field, &field.picture_in);
                }
            }
        }
    }

    fn length_and_flag(&mut self, depth: usize, level: &str, name: &str) {
        self.line(depth, &format!("{level}  {name}L    COMP  PIC  S9(4)."));
        self.line(depth, &format!("{level}  {name}F    PICTURE X."));
    }

    fn attribute_redefinition(&mut self, name: &str) {
        self.line(1, &format!("02  FILLER REDEFINES {name}F."));
        self.line(2, &format!("03 {name}A    PICTURE X."));
    }

    fn attribute_filler(&mut self, depth: usize, level: &str, map: &Map) {
        let count = map.symbolic_attributes.len();
        if count > 0 {
            self.line(depth, &format!("{level}  FILLER   PICTURE X({count})."));
        }
    }

    fn output(&mut self, map: &Map, entry: &LengthEntry) {
        match entry {
            LengthEntry::Field(field, name) if field.occurs.is_some() => {
                self.repeated += 1;
                let group = match self.form {
                    OccursForm::Assembler => format!("DFHMS{}", self.repeated),
                    OccursForm::Rehosted => format!("{name}D"),
                };
                let times = field.occurs.unwrap_or(1);
                self.line(1, &format!("02  {group} OCCURS {times} TIMES."));
                match self.form {
                    OccursForm::Rehosted if map.mode.has_input() => {
                        self.line(2, "03  FILLER PICTURE X(3).");
                    }
                    _ => {
                        self.line(2, "03  FILLER PICTURE X(2).");
                        self.line(2, &format!("03  {name}A    PICTURE X."));
                    }
                }
                self.attribute_items(2, "03", map, name);
                self.data(2, &format!("03  {name}O"), field, &field.picture_out);
            }
            LengthEntry::Field(field, name) => {
                self.output_start(map, name);
                self.data(1, &format!("02  {name}O"), field, &field.picture_out);
            }
            LengthEntry::Group(name, fields) => {
                self.output_start(map, name);
                self.line(1, &format!("02  {name}O."));
                for field in fields {
                    let item = format!("03  {}O", field.name.as_deref().unwrap_or_default());
                    self.data(2, &item, field, &field.picture_out);
                }
            }
        }
    }

    /// The bytes of length and attribute, and the extended attributes.
    fn output_start(&mut self, map: &Map, name: &str) {
        if map.mode.has_input() {
            self.line(1, "02  FILLER PICTURE X(3).");
        } else {
            self.line(1, "02  FILLER PICTURE X(2).");
            self.line(1, &format!("02  {name}A    PICTURE X."));
        }
        self.attribute_items(1, "02", map, name);
    }

    fn attribute_items(&mut self, depth: usize, level: &str, map: &Map, name: &str) {
        for attribute in map.symbolic_attributes.iter() {
            let suffix = attribute.suffix();
            self.line(depth, &format!("{level}  {name}{suffix}    PICTURE X."));
        }
    }

    fn data(&mut self, depth: usize, item: &str, field: &Field, picture: &Option<String>) {
        let picture = match picture {
            Some(picture) => format!("PIC {picture}."),
            None => format!("PIC X({}).", field.length),
        };
        let indent = 7 + depth_columns(depth);
        // A line of fixed format ends in column 72.
        if indent + item.len() + 2 + picture.len() > 72 {
            self.line(depth, item);
            self.line(depth + 2, &picture);
        } else {
            self.line(depth, &format!("{item}  {picture}"));
        }
    }

    fn line(&mut self, depth: usize, text: &str) {
        let indent = 7 + depth_columns(depth);
        let _ = writeln!(self.text, "{:indent$}{text}", "");
    }
}

/// Columns that a level is indented by.
fn depth_columns(depth: usize) -> usize {
    match depth {
        0 => 0,
        deeper => 2 + 2 * deeper,
    }
}

/// The named fields of a map, those of a group together.
fn entries(map: &Map) -> Vec<LengthEntry<'_>> {
    let mut entries: Vec<LengthEntry> = Vec::new();
    for field in &map.fields {
        let Some(name) = field.name.as_deref() else {
            continue;
        };
        match (&field.group, entries.last_mut()) {
            (Some(group), Some(LengthEntry::Group(open, fields))) if group == open => {
                fields.push(field)
            }
            (Some(group), _) => entries.push(LengthEntry::Group(group, vec![field])),
            (None, _) => entries.push(LengthEntry::Field(field, name)),
        }
    }
    entries
}
