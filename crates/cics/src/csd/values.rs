//! The values of a definition's attributes.

use super::attributes::complete;
use super::read::{RawDefinition, Reader};
use super::scan::Attribute;
use super::types::{
    Concurrency, FileDef, FileRecovery, InDoubt, ProgramDef, ProgramLanguage, RecordFormat,
    RunawayLimit, TranClassDef, TransactionDef,
};
use crate::file::FilePermits;
use crate::names::GroupName;
use base::Severity;

/// Reads the values of one definition. A wrong value is reported, and the
/// definition is left out.
pub(super) struct DefinitionValues<'a> {
    raw: &'a RawDefinition,
    reader: &'a mut Reader,
    failed: bool,
}

impl<'a> DefinitionValues<'a> {
    pub(super) fn new(raw: &'a RawDefinition, reader: &'a mut Reader) -> Self {
        DefinitionValues {
            raw,
            reader,
            failed: false,
        }
    }

    fn find(&self, name: &str) -> Option<&Attribute> {
        let a = self.raw.attributes.iter().find(|a| a.name == name)?;
        a.value
            .as_deref()
            .is_some_and(|v| !v.is_empty())
            .then_some(a)
    }

    /// A name of up to so many characters, blanks and parentheses not among them.
    pub(super) fn name_of(&mut self, most: usize) -> Option<String> {
        let name = self.raw.name.clone();
        if name.len() > most || !name.bytes().all(|b| b.is_ascii_graphic()) {
            self.fail_here(&format!("has a name that is not 1 to {most} characters"));
            return None;
        }
        Some(name)
    }

    /// The name as it is written.
    pub(super) fn own_text(&self) -> String {
        self.raw.name.clone()
    }

    pub(super) fn group(&self) -> GroupName {
        self.raw.group
    }

    pub(super) fn line(&self) -> u32 {
        self.raw.line
    }

    /// The definition, unless something is wrong with it.
    pub(super) fn done<T>(&self, def: T) -> Option<T> {
        (!self.failed).then_some(def)
    }

    /// Something is wrong with the definition as a whole.
    pub(super) fn fail_here(&mut self, what: &str) {
        let message = format!("{}({}) {what}", self.raw.kind, self.raw.name);
        self.fail(self.raw.line, self.raw.column, message);
    }

    /// Something is wrong with an attribute.
    pub(super) fn fail_at(&mut self, attribute: &str, message: String) {
        let place = self.find(attribute).map(|a| (a.line, a.column));
        let (line, column) = place.unwrap_or((self.raw.line, self.raw.column));
        self.fail(line, column, message);
    }

    fn fail(&mut self, line: u32, column: u32, message: String) {
        self.failed = true;
        self.reader
            .say(Severity::Error, line, column, message, None);
    }

    fn own_name<T: std::str::FromStr<Err: std::fmt::Display>>(&mut self) -> Option<T> {
        match self.raw.name.parse() {
            Ok(name) => Some(name),
            Err(e) => {
                self.fail(self.raw.line, self.raw.column, e.to_string());
                None
            }
        }
    }

    pub(super) fn parsed<T: std::str::FromStr<Err: std::fmt::Display>>(
        &mut self,
        name: &str,
    ) -> Option<T> {
        let a = self.find(name)?.clone();
        let value = self.reader.parsed(&a);
        self.failed |= value.is_none();
        value
    }

    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.find(name).and_then(|a| a.value.clone())
    }

    /// One of some words, in either case; the first is the default.
    pub(super) fn choice<T: Copy>(&mut self, name: &str, values: &[(&str, T)]) -> T {
        let default = values[0].1;
        let Some(a) = self.find(name).cloned() else {
            return default;
        };
        let word = a.value.unwrap_or_default().to_ascii_uppercase();
        let names = || values.iter().map(|&(n, _)| n);
        let full = complete(&word, names());
        if let Some(&(_, v)) = values.iter().find(|&&(n, _)| Some(n) == full) {
            return v;
        }
        let list: Vec<&str> = names().filter(|n| !n.is_empty()).collect();
        self.fail(
            a.line,
            a.column,
            format!("{name}({word}) must be one of {}", list.join(", ")),
        );
        default
    }

    pub(super) fn number(
        &mut self,
        name: &str,
        range: std::ops::RangeInclusive<u32>,
    ) -> Option<u32> {
        let a = self.find(name)?.clone();
        let text = a.value.unwrap_or_default();
        match text.parse().ok().filter(|n| range.contains(n)) {
            Some(n) => Some(n),
            None => {
                let message = format!(
                    "{name}({text}) must be a number from {} to {}",
                    range.start(),
                    range.end()
                );
                self.fail(a.line, a.column, message);
                None
            }
        }
    }

    pub(super) fn yes(&mut self, name: &str, default: bool) -> bool {
        let order = if default {
            [("YES", true), ("NO", false)]
        } else {
            [("NO", false), ("YES", true)]
        };
        self.choice(name, &order)
    }

    pub(super) fn enabled(&mut self) -> bool {
        self.choice("STATUS", &[("ENABLED", true), ("DISABLED", false)])
    }

    /// ACTION, WAIT and WAITTIME, or INDOUBT, which they have taken the place of.
    fn in_doubt(&mut self) -> InDoubt {
        let old = [
            ("WAIT", (false, true)),
            ("BACKOUT", (false, false)),
            ("COMMIT", (true, false)),
        ];
        let mut own = InDoubt::default();
        (own.commits, own.waits) = self.choice("INDOUBT", &old);
        if self.find("ACTION").is_some() {
            own.commits = self.choice("ACTION", &[("BACKOUT", false), ("COMMIT", true)]);
        }
        if self.find("WAIT").is_some() {
            own.waits = self.yes("WAIT", true);
        }
        let Some(a) = self.find("WAITTIME").cloned() else {
            return own;
        };
        let text = a.value.unwrap_or_default();
        let parts: Option<Vec<u32>> = text.split(',').map(|n| n.trim().parse().ok()).collect();
        match parts.as_deref() {
            Some([days @ ..=93, hours @ ..=23, minutes @ ..=59]) => {
                own.limit_s = ((days * 24 + hours) * 60 + minutes) * 60;
            }
            _ => {
                let message = format!(
                    "WAITTIME({text}) must be days, hours and minutes: dd,hh,mm up to 93,23,59"
                );
                self.fail(a.line, a.column, message);
            }
        }
        own
    }

    pub(super) fn transaction(&mut self) -> Option<TransactionDef> {
        let name = self.own_name();
        let class = self.text("TRANCLASS").or_else(|| self.text("TCLASS"));
        let tranclass = match class.as_deref() {
            None | Some("NO" | "DFHTCL00") => None,
            Some(_) if self.find("TRANCLASS").is_some() => self.parsed("TRANCLASS"),
            Some(_) => self
                .number("TCLASS", 1..=10)
                .and_then(|n| format!("DFHTCL{n:02}").parse().ok()),
        };
        let runaway = match self
            .text("RUNAWAY")
            .map(|v| v.to_ascii_uppercase())
            .as_deref()
        {
            None | Some("SYSTEM") => RunawayLimit::System,
            Some("0") => RunawayLimit::Never,
            Some(_) => self
                .number("RUNAWAY", 250..=2_700_000)
                .map_or(RunawayLimit::System, RunawayLimit::Milliseconds),
        };
        let wait_limit_s = match self
            .text("DTIMOUT")
            .map(|v| v.to_ascii_uppercase())
            .as_deref()
        {
            None | Some("NO") => None,
            Some(_) => self
                .number("DTIMOUT", 1..=6_800)
                .map(|mmss| mmss / 100 * 60 + mmss % 100),
        };
        let def = TransactionDef {
            name: name?,
            group: self.raw.group,
            line: self.raw.line,
            program: self.parsed("PROGRAM"),
            tranclass,
            enabled: self.enabled(),
            priority: self.number("PRIORITY", 0..=255).map_or(1, |n| n as u8),
            runaway,
            twa_bytes: self.number("TWASIZE", 0..=32_767).map_or(0, |n| n as u16),
            purgeable: self.choice("SPURGE", &[("NO", false), ("YES", true)]),
            wait_limit_s,
            in_doubt: self.in_doubt(),
            remote_system: self.parsed("REMOTESYSTEM"),
            tp_name: self.text("TPNAME"),
            remote_name: self.text("REMOTENAME"),
            description: self.text("DESCRIPTION").unwrap_or_default(),
        };
        if def.program.is_none() && def.remote_system.is_none() && self.find("PROGRAM").is_none() {
            let message = format!("TRANSACTION({}) needs PROGRAM or REMOTESYSTEM", def.name);
            self.fail(self.raw.line, self.raw.column, message);
        }
        (!self.failed).then_some(def)
    }

    pub(super) fn program(&mut self) -> Option<ProgramDef> {
        let name = self.own_name();
        let language = self.choice(
            "LANGUAGE",
            &[
                ("", None),
                ("COBOL", Some(ProgramLanguage::Cobol)),
                ("ASSEMBLER", Some(ProgramLanguage::Assembler)),
                ("C", Some(ProgramLanguage::C)),
                ("LE370", Some(ProgramLanguage::Le370)),
                ("PLI", Some(ProgramLanguage::Pli)),
                ("N/A", None),
            ],
        );
        let def = ProgramDef {
            name: name?,
            group: self.raw.group,
            line: self.raw.line,
            language,
            concurrency: self.choice(
                "CONCURRENCY",
                &[
                    ("QUASIRENT", Concurrency::Quasirent),
                    ("THREADSAFE", Concurrency::Threadsafe),
                    ("REQUIRED", Concurrency::Required),
                ],
            ),
            enabled: self.enabled(),
            user_key: self.choice("EXECKEY", &[("USER", true), ("CICS", false)]),
            data_anywhere: self.choice("DATALOCATION", &[("ANY", true), ("BELOW", false)]),
            full_api: self.choice("EXECUTIONSET", &[("FULLAPI", true), ("DPLSUBSET", false)]),
            transid: self.parsed("TRANSID"),
            remote_system: self.parsed("REMOTESYSTEM"),
            remote_name: self.parsed("REMOTENAME"),
            description: self.text("DESCRIPTION").unwrap_or_default(),
        };
        (!self.failed).then_some(def)
    }

    pub(super) fn file(&mut self) -> Option<FileDef> {
        let name = self.own_name();
        let (enabled, unenabled) = self.choice(
            "STATUS",
            &[
                ("ENABLED", (true, false)),
                ("DISABLED", (false, false)),
                ("UNENABLED", (false, true)),
            ],
        );
        let def = FileDef {
            name: name?,
            group: self.raw.group,
            line: self.raw.line,
            key_bytes: self.number("KEYLENGTH", 1..=255).map(|n| n as u16),
            record_bytes: self.number("RECORDSIZE", 1..=32_767),
            record_format: self.choice(
                "RECORDFORMAT",
                &[("V", RecordFormat::Variable), ("F", RecordFormat::Fixed)],
            ),
            permits: FilePermits {
                add: self.yes("ADD", false),
                browse: self.yes("BROWSE", false),
                delete: self.yes("DELETE", false),
                read: self.yes("READ", true),
                update: self.yes("UPDATE", false),
            },
            recovery: self.choice(
                "RECOVERY",
                &[
                    ("NONE", FileRecovery::None),
                    ("BACKOUTONLY", FileRecovery::Backout),
                    ("ALL", FileRecovery::All),
                ],
            ),
            enabled,
            unenabled,
            open_at_startup: self.choice("OPENTIME", &[("FIRSTREF", false), ("STARTUP", true)]),
            strings: self.number("STRINGS", 1..=255).unwrap_or(1),
            dsname: self.text("DSNAME"),
            remote_system: self.parsed("REMOTESYSTEM"),
            remote_name: self.parsed("REMOTENAME"),
            description: self.text("DESCRIPTION").unwrap_or_default(),
        };
        (!self.failed).then_some(def)
    }

    pub(super) fn tranclass(&mut self) -> Option<TranClassDef> {
        let name = self.own_name();
        if self.find("MAXACTIVE").is_none() {
            let message = format!("TRANCLASS({}) needs MAXACTIVE", self.raw.name);
            let help = Some("write MAXACTIVE(its most tasks)".to_owned());
            let (line, column) = (self.raw.line, self.raw.column);
            self.failed = true;
            self.reader
                .say(Severity::Error, line, column, message, help);
        }
        let max_active = self.number("MAXACTIVE", 0..=999);
        let purge_threshold = match self
            .text("PURGETHRESH")
            .map(|v| v.to_ascii_uppercase())
            .as_deref()
        {
            None | Some("NO") => None,
            Some(_) => self.number("PURGETHRESH", 1..=1_000_000),
        };
        let def = TranClassDef {
            name: name?,
            group: self.raw.group,
            line: self.raw.line,
            max_active: max_active?,
            purge_threshold,
            description: self.text("DESCRIPTION").unwrap_or_default(),
        };
        (!self.failed).then_some(def)
    }
}
