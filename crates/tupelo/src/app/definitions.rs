//! Makes the definitions of the region and the store from resource definitions
//! and settings.
//!
//! What CICS installs by itself is installed here too. A program that was compiled
//! but not defined gets the defaults of program autoinstall. The mirror
//! transactions, under which requests without a transaction of their own run, are
//! always installed.

use std::collections::BTreeMap;
use std::path::PathBuf;

use cics::csd::{Csd, FileDef, FileRecovery, RecordFormat};
use region::{FileEntry, Name, ProgramEntry, RegionDefinitions, install};

use super::config::{Config, FileSection, TransactionSection};

/// A compiled program.
#[derive(Debug, Clone)]
pub struct Program {
    /// PROGRAM-ID.
    pub name: String,
    /// The module that contains the program.
    pub module: PathBuf,
    /// The program has EXEC CICS commands, so LINK can reach it.
    pub translated: bool,
}

/// A file of the store, and the source of its first records.
#[derive(Debug, Clone)]
pub struct KeyedFile {
    /// The definition for the store.
    pub def: store::FileDef,
    /// The file's section of the settings, empty when it has none.
    pub section: FileSection,
    /// DSNAME: the definition of this data set in the store takes precedence over `def`.
    pub data_set: Option<String>,
}

/// The installed definitions.
#[derive(Debug, Default)]
pub struct InstalledDefinitions {
    /// The definitions of the region.
    pub region: RegionDefinitions,
    /// The files of the store, in the order of `region.files`.
    pub files: Vec<KeyedFile>,
    /// Definitions that cannot be installed, and the reasons.
    pub errors: Vec<String>,
}

impl InstalledDefinitions {
    /// Marks programs that have a source which did not compile. A program without a
    /// definition is added by its name.
    pub fn mark_uncompiled(&mut self, names: &[String]) {
        for text in names {
            let Ok(known) = Name::new(text) else {
                continue;
            };
            let programs = &mut self.region.programs;
            match programs.iter_mut().find(|p| p.name == known) {
                Some(there) => there.uncompiled = there.missing,
                None => programs.push(ProgramEntry {
                    name: known,
                    missing: true,
                    uncompiled: true,
                    translated: true,
                    ..autoinstalled()
                }),
            }
        }
    }
}

/// Transactions of requests that name none: CSMI for a LINK with a COMMAREA or a
/// channel, CPIH for a pipeline, CWBA for a web program, CWXN for the attach task
/// before it.
pub const MIRRORS: [&str; 4] = ["CSMI", "CPIH", "CWBA", "CWXN"];

/// The transaction of the tasks that represent batch jobs.
pub const JOBS: &str = "CBAT";

/// Combines the definitions. `record_bytes` returns the length of a file's copybook
/// record, for files whose definition has no record length.
pub fn install(
    csd: &Csd,
    config: &Config,
    programs: &[Program],
    record_bytes: &dyn Fn(&FileSection) -> Option<u32>,
) -> InstalledDefinitions {
    let mut made = InstalledDefinitions::default();
    made.region.callable = CALLABLE.iter().map(|&name| name.to_owned()).collect();
    made.region.fc_qr_only = config.region.fc_qr_only;
    install_scripts(csd, config, programs, &mut made);
    install_programs(csd, programs, &mut made);
    let (queues, wrong) = super::queues::install(csd, &config.queues, &config.region.default_user);
    made.region.queues = queues;
    made.errors.extend(wrong);
    let classes = csd.tranclasses.iter().map(install::class);
    made.region.classes.extend(classes);
    let transactions = csd.transactions.iter().map(install::transaction);
    made.region.transactions.extend(transactions);
    for mirror in MIRRORS.into_iter().chain([script::TRANSACTION, JOBS]) {
        if csd.transactions.iter().all(|t| t.name.as_str() != mirror) {
            made.region.transactions.push(region::TransactionDef {
                name: name(mirror),
                ..region::TransactionDef::default()
            });
        }
    }
    install_built_ins(csd, programs, &mut made);
    limit_transactions(&config.transactions, &mut made);
    let sections: BTreeMap<&str, &FileSection> =
        config.files.iter().map(|(n, s)| (n.as_str(), s)).collect();
    for name in sections.keys() {
        if csd.files.iter().all(|f| f.name.as_str() != *name) {
            made.errors.push(format!(
                "[files.{name}]: no DEFINE FILE({name}) is in the resource definitions"
            ));
        }
    }
    for def in &csd.files {
        let section = sections
            .get(def.name.as_str())
            .copied()
            .cloned()
            .unwrap_or_default();
        match keyed_file(def, section, record_bytes) {
            Ok((entry, file)) => {
                made.region.files.push(entry);
                made.files.push(file);
            }
            // IDCAMS statements defined the data set, so the store knows its attributes.
            Err(_) if def.dsname.is_some() => made.region.files.push(install::file(def)),
            Err(why) => made
                .errors
                .push(format!("FILE({}): {why}", def.name.as_str())),
        }
    }
    made
}

/// Applies `[transactions.NAME]` to the defined transactions.
fn limit_transactions(
    sections: &BTreeMap<String, TransactionSection>,
    made: &mut InstalledDefinitions,
) {
    for (name, section) in sections {
        let mut all = made.region.transactions.iter_mut();
        let Some(transaction) = all.find(|t| t.name.as_str() == name) else {
            made.errors.push(format!(
                "[transactions.{name}]: no DEFINE TRANSACTION({name}) is in the resource definitions"
            ));
            continue;
        };
        transaction.timeout_ms = section.timeout_ms;
        transaction.recover_conversation = section.recover_conversation;
        let Some(most) = section.max_active else {
            if section.max_waiting.is_some() {
                made.errors.push(format!(
                    "[transactions.{name}]: max_waiting needs max_active"
                ));
            }
            continue;
        };
        if let Some(class) = &transaction.class {
            made.errors.push(format!(
                "[transactions.{name}]: the transaction has TRANCLASS({class}); set MAXACTIVE there instead of max_active here"
            ));
            continue;
        }
        let class = self::name(&format!("@{name}"));
        transaction.class = Some(class);
        made.region.classes.push(region::ClassDef {
            name: class,
            max_active: most as usize,
            purge_threshold: section.max_waiting.map(|most| most as usize),
        });
    }
}

/// The terminal transactions that every region has. One that the application
/// defines or has a program for is the application's.
fn install_built_ins(csd: &Csd, programs: &[Program], made: &mut InstalledDefinitions) {
    for built_in in terminal::BUILT_INS {
        let defined = csd
            .transactions
            .iter()
            .any(|t| t.name.as_str() == built_in.transaction);
        let compiled = programs.iter().any(|p| p.name == built_in.program);
        let program = name(built_in.program);
        if compiled
            || made
                .region
                .programs
                .iter()
                .any(|p| p.name == program && p.module.is_some())
        {
            continue;
        }
        // A defined program without a source is the built-in one.
        made.region.programs.retain(|p| p.name != program);
        made.region.programs.push(ProgramEntry {
            name: program,
            translated: true,
            ..autoinstalled()
        });
        if !defined {
            made.region.transactions.push(region::TransactionDef {
                name: name(built_in.transaction),
                program,
                ..region::TransactionDef::default()
            });
        }
    }
}

/// Programs that are scripts have no module: the region runs them itself on a LINK.
fn install_scripts(
    csd: &Csd,
    config: &Config,
    programs: &[Program],
    made: &mut InstalledDefinitions,
) {
    for script in config.script.programs.keys() {
        let named = cics::names::ProgramName::new(script).ok();
        let Some(name) = named.filter(|n| n.as_str() == script) else {
            made.errors.push(format!(
                "[script.programs] {script:?}: the name of a program has 1 to 8 characters of A to Z, 0 to 9, @, # and $"
            ));
            continue;
        };
        if programs.iter().any(|p| p.name == *script) {
            made.errors.push(format!(
                "[script.programs] {script}: a COBOL program has this name"
            ));
            continue;
        }
        let def = csd.programs.iter().find(|d| d.name.as_str() == script);
        made.region.programs.push(ProgramEntry {
            name: name.into(),
            translated: true,
            ..def.map_or_else(autoinstalled, install::program)
        });
    }
}

fn install_programs(csd: &Csd, programs: &[Program], made: &mut InstalledDefinitions) {
    for program in programs {
        // Of two sources with one PROGRAM-ID the first runs, and a finding reports it.
        let known = name(&program.name);
        if made.region.programs.iter().any(|p| p.name == known) {
            continue;
        }
        let def = csd
            .programs
            .iter()
            .find(|d| d.name.as_str() == program.name);
        made.region.programs.push(ProgramEntry {
            name: known,
            module: Some(program.module.clone()),
            translated: program.translated,
            ..def.map_or_else(autoinstalled, install::program)
        });
    }
    // Defined but not compiled: the name is known, and using the program gives PGMIDERR.
    let named = csd.programs.iter().map(|d| d.name.as_str());
    let first = csd
        .transactions
        .iter()
        .filter_map(|t| t.program.as_ref().map(|p| p.as_str()));
    for missing in named.chain(first) {
        let known = made
            .region
            .programs
            .iter()
            .any(|p| p.name.as_str() == missing);
        if !known {
            let def = csd.programs.iter().find(|d| d.name.as_str() == missing);
            made.region.programs.push(ProgramEntry {
                name: name(missing),
                missing: true,
                translated: true,
                ..def.map_or_else(autoinstalled, install::program)
            });
        }
    }
}

/// The attributes that program autoinstall gives a program without a definition.
fn autoinstalled() -> ProgramEntry {
    ProgramEntry {
        enabled: true,
        ..ProgramEntry::default()
    }
}

fn keyed_file(
    def: &FileDef,
    section: FileSection,
    record_bytes: &dyn Fn(&FileSection) -> Option<u32>,
) -> Result<(FileEntry, KeyedFile), String> {
    let record = section
        .record_bytes
        .or(def.record_bytes)
        .or_else(|| record_bytes(&section))
        .ok_or("the record length is not known; set RECORDSIZE, or record_bytes or copybook in [files]")?;
    let key = section
        .key_length
        .or(def.key_bytes.map(u32::from))
        .ok_or("the key length is not known; set KEYLENGTH, or key_length in [files]")?;
    let store_name = def
        .name
        .as_str()
        .parse()
        .map_err(|e: store::DefinitionError| e.to_string())?;
    let variable = def.record_format == RecordFormat::Variable;
    let recoverable = def.recovery != FileRecovery::None;
    let kept = store::FileDef {
        name: store_name,
        organisation: store::FileOrganisation::Ksds(store::KeyField {
            offset_bytes: section.key_offset,
            length_bytes: key,
        }),
        format: if variable {
            store::RecordFormat::Variable
        } else {
            store::RecordFormat::Fixed
        },
        max_record_bytes: record,
        recoverable,
    }
    .build()
    .map_err(|e| e.to_string())?;
    let entry = FileEntry {
        key_offset: section.key_offset,
        key_bytes: key,
        record_bytes: record,
        ..install::file(def)
    };
    let data_set = def.dsname.clone();
    let file = KeyedFile {
        def: kept,
        section,
        data_set,
    };
    Ok((entry, file))
}

/// The name; its own type has checked the characters already.
fn name<const N: usize>(text: &str) -> Name<N> {
    Name::new(text).unwrap_or(Name::BLANK)
}

/// Routines of libcob that CALL may reach: they use only their arguments.
const CALLABLE: [&str; 16] = [
    "CBL_AND",
    "CBL_EQ",
    "CBL_IMP",
    "CBL_NIMP",
    "CBL_NOR",
    "CBL_NOT",
    "CBL_OR",
    "CBL_XNOR",
    "CBL_XOR",
    "CBL_XF4",
    "CBL_XF5",
    "CBL_TOLOWER",
    "CBL_TOUPPER",
    "C$NARG",
    "C$PARAMSIZE",
    "C$JUSTIFY",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::config::TransactionSection;

    fn made(definitions: &str, name: &str, section: TransactionSection) -> InstalledDefinitions {
        let mut config = Config::default();
        config.transactions.insert(name.to_owned(), section);
        install(&cics::csd::parse(definitions), &config, &[], &|_| None)
    }

    const ACCT: &str = "DEFINE TRANSACTION(ACCT) GROUP(G) PROGRAM(P) SPURGE(YES)";

    fn limits(max_active: Option<u32>, max_waiting: Option<u32>) -> TransactionSection {
        TransactionSection {
            max_active,
            max_waiting,
            timeout_ms: 900,
            recover_conversation: false,
        }
    }

    #[test]
    fn a_limit_of_a_transaction_is_a_class_of_its_own() {
        let made = made(ACCT, "ACCT", limits(Some(2), Some(0)));
        assert_eq!(made.errors, [""; 0]);
        let acct = &made.region.transactions[0];
        assert_eq!((acct.timeout_ms, acct.purgeable), (900, true));
        let class = &made.region.classes[0];
        assert_eq!(acct.class, Some(class.name));
        assert_eq!((class.max_active, class.purge_threshold), (2, Some(0)));
    }

    #[test]
    fn a_limit_that_contradicts_the_definitions_is_an_error() {
        let classed =
            format!("{ACCT} TRANCLASS(SLOW)\nDEFINE TRANCLASS(SLOW) GROUP(G) MAXACTIVE(5)");
        for (definitions, name, section, wrong) in [
            (
                ACCT,
                "NONE",
                limits(None, None),
                "no DEFINE TRANSACTION(NONE)",
            ),
            (ACCT, "ACCT", limits(None, Some(3)), "needs max_active"),
            (
                classed.as_str(),
                "ACCT",
                limits(Some(3), None),
                "TRANCLASS(SLOW)",
            ),
        ] {
            let made = made(definitions, name, section);
            assert!(
                made.errors.iter().any(|e| e.contains(wrong)),
                "{:?}",
                made.errors
            );
        }
    }
}
