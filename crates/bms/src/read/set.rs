//! DFHMSD: where a set begins and ends, and the defaults of its maps.
//!
//! Reference: CICS application programming reference, "DFHMSD".

use base::{Diagnostic, Severity, suggestion};

use super::cards::Statement;
use super::{Macro, MacroOperands};
use crate::attribute::{AttributeSet, AttributeValues};
use crate::model::{Control, Map, MapLanguage, MapMode, MapSet, MapStorage};

/// Defaults that a set gives its maps.
#[derive(Debug, Clone, Default)]
pub(super) struct SetDefaults {
    pub mode: Option<MapMode>,
    pub prefix: bool,
    pub control: Control,
    pub cursor_location: bool,
    pub extatt: Option<ExtendedChoice>,
    pub symbolic: Option<AttributeSet>,
    pub sent: Option<AttributeSet>,
    pub extended: AttributeValues,
}

/// EXTATT.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ExtendedChoice {
    No,
    MapOnly,
    Yes,
}

pub(super) const EXTATT: &[(&str, ExtendedChoice)] = &[
    ("NO", ExtendedChoice::No),
    ("MAPONLY", ExtendedChoice::MapOnly),
    ("YES", ExtendedChoice::Yes),
];

/// Puts statements together to map sets.
pub(super) struct SetReader<'a> {
    sets: Vec<MapSet>,
    /// The set that is open, and its defaults.
    open: Option<(MapSet, SetDefaults)>,
    map_defaults: AttributeValues,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl<'a> SetReader<'a> {
    pub(super) fn new(diagnostics: &'a mut Vec<Diagnostic>) -> SetReader<'a> {
        SetReader {
            sets: Vec::new(),
            open: None,
            map_defaults: AttributeValues::default(),
            diagnostics,
        }
    }

    /// Takes one statement. Those that are not macros of BMS are skipped.
    pub(super) fn statement(&mut self, statement: &Statement) {
        match Macro::by_name(&statement.operation) {
            Some(Macro::Set) => self.set(statement),
            Some(Macro::Map) => self.map(statement),
            Some(Macro::Field) => self.field(statement),
            None => self.other(statement),
        }
    }

    /// All sets, the last one closed if the source did not.
    pub(super) fn finish(mut self) -> Vec<MapSet> {
        if let Some((set, _)) = self.open.take() {
            let message = format!("the map set {} has no DFHMSD TYPE=FINAL", set.name);
            self.report(Severity::Warning, set.line, 1, &message);
            self.sets.push(set);
        }
        self.sets
    }

    fn set(&mut self, statement: &Statement) {
        let mut operands = MacroOperands::new(statement, OPERANDS, self.diagnostics);
        let kind = operands.get("TYPE");
        let kind = kind.as_ref().and_then(|o| o.value.single()).unwrap_or("");
        match kind.to_ascii_uppercase().as_str() {
            "FINAL" => return self.close(statement),
            "MAP" | "DSECT" | "&SYSPARM" | "&&SYSPARM" => {}
            other => {
                let message = format!("TYPE={other}: expected MAP, DSECT, &SYSPARM or FINAL");
                let at = operands.place();
                operands.warn(at, message, None);
            }
        }
        let set = MapSet {
            name: statement.name.to_ascii_uppercase(),
            language: operands
                .choice("LANG", LANGUAGES)
                .unwrap_or(MapLanguage::Assembler),
            storage: storage(&mut operands),
            maps: Vec::new(),
            line: statement.line,
        };
        if set.name.is_empty() {
            let at = operands.place();
            operands.error(
                at,
                "the map set has no name",
                Some("write it in column 1".into()),
            );
        }
        let defaults = SetDefaults {
            mode: operands.mode(),
            prefix: operands.yes_no("TIOAPFX").unwrap_or(false),
            control: operands.control().unwrap_or_default(),
            cursor_location: operands.yes_no("CURSLOC").unwrap_or(false),
            extatt: operands.choice("EXTATT", EXTATT),
            symbolic: operands.attribute_set("DSATTS"),
            sent: operands.attribute_set("MAPATTS"),
            extended: operands.extended(),
        };
        if let Some((before, _)) = self.open.replace((set, defaults)) {
            let message = format!("the map set {} has no DFHMSD TYPE=FINAL", before.name);
            self.report(
                Severity::Warning,
                statement.line,
                statement.column,
                &message,
            );
            self.sets.push(before);
        }
    }

    fn close(&mut self, statement: &Statement) {
        match self.open.take() {
            Some((set, _)) => self.sets.push(set),
            None => self.report(
                Severity::Warning,
                statement.line,
                statement.column,
                "DFHMSD TYPE=FINAL ends no map set",
            ),
        }
    }

    fn map(&mut self, statement: &Statement) {
        let Some((set, defaults)) = &mut self.open else {
            let message = "DFHMDI is outside a map set";
            return self.report(Severity::Error, statement.line, statement.column, message);
        };
        let (map, extended) = super::map::read(statement, defaults, self.diagnostics);
        self.map_defaults = extended;
        if set.maps.iter().any(|known| known.name == map.name) {
            let message = format!("the set has two maps {}", map.name);
            self.report(Severity::Error, statement.line, 1, &message);
        } else {
            set.maps.push(map);
        }
    }

    fn field(&mut self, statement: &Statement) {
        let map: Option<&mut Map> = self.open.as_mut().and_then(|(set, _)| set.maps.last_mut());
        let Some(map) = map else {
            let message = "DFHMDF is outside a map";
            return self.report(Severity::Error, statement.line, statement.column, message);
        };
        super::field::read(statement, map, &self.map_defaults, self.diagnostics);
    }

    /// Reports a statement that looks like a macro cut in two or misspelled.
    fn other(&mut self, statement: &Statement) {
        let operation = statement.operation.as_str();
        if operation.contains('=') || operation.starts_with(['(', '\'']) {
            self.diagnostics.push(
                Diagnostic::new(
                    Severity::Error,
                    (statement.line, statement.column),
                    format!("{operation}: expected an operation, found operands"),
                )
                .with_help("end the card before with a comma and mark its column 72"),
            );
        } else if operation.starts_with("DFHM") || operation.starts_with("DFMH") {
            self.diagnostics.push(
                Diagnostic::new(
                    Severity::Error,
                    (statement.line, statement.column),
                    format!("{operation} is not a macro of BMS"),
                )
                .maybe_help(suggestion(operation, ["DFHMSD", "DFHMDI", "DFHMDF"])),
            );
        }
    }

    fn report(&mut self, severity: Severity, line: u32, column: u32, message: &str) {
        self.diagnostics
            .push(Diagnostic::new(severity, (line, column), message));
    }
}

/// STORAGE and BASE.
fn storage(operands: &mut MacroOperands) -> MapStorage {
    let auto = operands
        .choice("STORAGE", &[("AUTO", true)])
        .unwrap_or(false);
    let base = operands.get("BASE");
    let base = base.and_then(|o| o.value.single().map(|name| (name.to_owned(), o.place)));
    match base {
        Some((_, place)) if auto => {
            let message = "BASE and STORAGE=AUTO exclude each other; BASE is ignored";
            operands.warn(place, message, None);
            MapStorage::Auto
        }
        Some((name, _)) => MapStorage::Base(name),
        None if auto => MapStorage::Auto,
        None => MapStorage::Shared,
    }
}

const LANGUAGES: &[(&str, MapLanguage)] = &[
    ("COBOL", MapLanguage::Cobol),
    ("COBOL2", MapLanguage::Cobol),
    ("ASM", MapLanguage::Assembler),
    ("PLI", MapLanguage::Pli),
    ("C", MapLanguage::C),
];

const OPERANDS: &[&str] = &[
    "TYPE", "MODE", "LANG", "TIOAPFX", "CTRL", "STORAGE", "BASE", "TERM", "SUFFIX", "MAPATTS",
    "DSATTS", "EXTATT", "CURSLOC", "COLOR", "HILIGHT", "PS", "VALIDN", "OUTLINE", "SOSI", "TRANSP",
    "FOLD", "TRIGRAPH", "DSECT", "PARTN", "LDC", "OBFMT", "HTAB", "VTAB", "DATA", "FLDSEP",
];
