//! Typed definitions of queues and journals.
//!
//! Reference: CICS resource definition, TSMODEL, TDQUEUE and JOURNALMODEL
//! attributes. A prefix may be given in hexadecimal (XPREFIX).

use super::values::DefinitionValues;
use crate::names::{GroupName, SysId, TransId};

/// DEFINE TSMODEL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TsModelDef {
    /// The model, 1 to 8 characters.
    pub name: String,
    /// Its group.
    pub group: GroupName,
    /// Line of the definition, from 1.
    pub line: u32,
    /// PREFIX or XPREFIX, at most 16 bytes; `+` matches any character.
    pub prefix: Vec<u8>,
    /// LOCATION(MAIN).
    pub main: bool,
    /// RECOVERY(YES).
    pub recoverable: bool,
    /// REMOTESYSTEM.
    pub remote_system: Option<SysId>,
}

/// DEFINE TDQUEUE.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TdQueueDef {
    /// The queue, 1 to 4 characters.
    pub name: String,
    /// Its group.
    pub group: GroupName,
    /// Line of the definition, from 1.
    pub line: u32,
    /// TYPE and the attributes of that type.
    pub kind: TdQueueKind,
}

/// TYPE of a transient data queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TdQueueKind {
    /// TYPE(INTRA).
    Intra(IntraDef),
    /// TYPE(EXTRA).
    Extra(ExtraDef),
    /// TYPE(INDIRECT) with its INDIRECTNAME.
    Indirect(String),
    /// TYPE(REMOTE) with its REMOTESYSTEM.
    Remote(SysId),
}

/// An intrapartition queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IntraDef {
    /// RECOVSTATUS.
    pub recovery: TdRecovery,
    /// TRIGGERLEVEL; 0 for no trigger.
    pub trigger_level: u32,
    /// TRANSID.
    pub transid: Option<TransId>,
    /// FACILITYID: the terminal of ATIFACILITY(TERMINAL); `None` for one that is
    /// named like the queue.
    pub facility_id: Option<String>,
    /// ATIFACILITY.
    pub facility: AtiFacility,
    /// USERID.
    pub userid: Option<String>,
}

/// RECOVSTATUS of an intrapartition queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TdRecovery {
    /// NO.
    No,
    /// PHYSICAL.
    Physical,
    /// LOGICAL.
    Logical,
}

/// ATIFACILITY: what a triggered task has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AtiFacility {
    /// TERMINAL.
    Terminal,
    /// FILE: nothing.
    File,
    /// SYSTEM: a session.
    System,
}

/// An extrapartition queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtraDef {
    /// TYPEFILE(OUTPUT).
    pub output: bool,
    /// RECORDSIZE in bytes, if given.
    pub record_bytes: Option<u32>,
    /// RECORDFORMAT(FIXED); VARIABLE otherwise, and where it is not given.
    pub fixed: bool,
    /// DISPOSITION(MOD).
    pub append: bool,
    /// OPENTIME(INITIAL).
    pub open_at_start: bool,
}

/// DEFINE JOURNALMODEL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalModelDef {
    /// The model, 1 to 8 characters.
    pub name: String,
    /// Its group.
    pub group: GroupName,
    /// Line of the definition, from 1.
    pub line: u32,
    /// JOURNALNAME: `*` at its end and `+` match other characters.
    pub journal: String,
    /// TYPE.
    pub kind: JournalType,
    /// STREAMNAME, if given.
    pub stream: Option<String>,
}

/// TYPE of a JOURNALMODEL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JournalType {
    /// MVS: a log stream.
    Mvs,
    /// SMF.
    Smf,
    /// DUMMY: nowhere.
    Dummy,
}

/// Longest prefix of a TSMODEL in bytes.
const MAX_PREFIX: usize = 16;

impl DefinitionValues<'_> {
    pub(super) fn tsmodel(&mut self) -> Option<TsModelDef> {
        let name = self.name_of(8);
        let prefix = self.prefix();
        let main = self.choice("LOCATION", &[("AUXILIARY", false), ("MAIN", true)]);
        let recoverable = self.yes("RECOVERY", false);
        if main && recoverable {
            self.fail_at("RECOVERY", "RECOVERY(YES) needs LOCATION(AUXILIARY)".into());
        }
        let def = TsModelDef {
            name: name?,
            group: self.group(),
            line: self.line(),
            prefix: prefix?,
            main,
            recoverable,
            remote_system: self.parsed("REMOTESYSTEM"),
        };
        self.done(def)
    }

    fn prefix(&mut self) -> Option<Vec<u8>> {
        let (name, prefix) = match (self.text("PREFIX"), self.text("XPREFIX")) {
            (Some(text), None) => ("PREFIX", Some(text.into_bytes())),
            (None, Some(hex)) => ("XPREFIX", base::hex::bytes(&hex)),
            // A model without one is for all queues.
            (None, None) => ("PREFIX", Some(Vec::new())),
            (Some(_), Some(_)) => {
                self.fail_at("XPREFIX", "give PREFIX or XPREFIX, not both".into());
                return None;
            }
        };
        match prefix {
            Some(prefix) if prefix.len() <= MAX_PREFIX => Some(prefix),
            Some(_) => {
                self.fail_at(name, format!("{name} has more than {MAX_PREFIX} bytes"));
                None
            }
            None => {
                self.fail_at(
                    name,
                    format!("{name} is not hexadecimal: give pairs of 0-9, A-F"),
                );
                None
            }
        }
    }

    pub(super) fn tdqueue(&mut self) -> Option<TdQueueDef> {
        #[derive(Clone, Copy)]
        enum QueueKind {
            Intra,
            Extra,
            Indirect,
            Remote,
        }
        let name = self.name_of(4);
        let kinds = [
            ("INTRA", QueueKind::Intra),
            ("EXTRA", QueueKind::Extra),
            ("INDIRECT", QueueKind::Indirect),
            ("REMOTE", QueueKind::Remote),
        ];
        if self.text("TYPE").is_none() {
            self.fail_here("needs TYPE(EXTRA|INTRA|INDIRECT|REMOTE)");
        }
        let kind = match self.choice("TYPE", &kinds) {
            QueueKind::Intra => Some(TdQueueKind::Intra(self.intra())),
            QueueKind::Extra => Some(TdQueueKind::Extra(self.extra())),
            QueueKind::Indirect => {
                let target = self.text("INDIRECTNAME");
                if target.is_none() {
                    self.fail_here("needs INDIRECTNAME");
                }
                target.map(TdQueueKind::Indirect)
            }
            QueueKind::Remote => {
                let system = self.parsed("REMOTESYSTEM");
                if system.is_none() && self.text("REMOTESYSTEM").is_none() {
                    self.fail_here("needs REMOTESYSTEM");
                }
                system.map(TdQueueKind::Remote)
            }
        };
        let def = TdQueueDef {
            name: name?,
            group: self.group(),
            line: self.line(),
            kind: kind?,
        };
        self.done(def)
    }

    fn intra(&mut self) -> IntraDef {
        let recovery = [
            ("NO", TdRecovery::No),
            ("PHYSICAL", TdRecovery::Physical),
            ("LOGICAL", TdRecovery::Logical),
        ];
        let facility = [
            ("TERMINAL", AtiFacility::Terminal),
            ("FILE", AtiFacility::File),
            ("SYSTEM", AtiFacility::System),
        ];
        IntraDef {
            recovery: self.choice("RECOVSTATUS", &recovery),
            trigger_level: self.number("TRIGGERLEVEL", 0..=32_767).unwrap_or(1),
            transid: self.parsed("TRANSID"),
            facility: self.choice("ATIFACILITY", &facility),
            facility_id: self.text("FACILITYID"),
            userid: self.text("USERID"),
        }
    }

    fn extra(&mut self) -> ExtraDef {
        ExtraDef {
            output: self.choice(
                "TYPEFILE",
                &[("INPUT", false), ("OUTPUT", true), ("RDBACK", false)],
            ),
            record_bytes: self.number("RECORDSIZE", 0..=32_767),
            fixed: self.choice("RECORDFORMAT", &[("VARIABLE", false), ("FIXED", true)]),
            append: self.choice(
                "DISPOSITION",
                &[("SHR", false), ("OLD", false), ("MOD", true)],
            ),
            open_at_start: self.choice("OPENTIME", &[("INITIAL", true), ("DEFERRED", false)]),
        }
    }

    pub(super) fn journalmodel(&mut self) -> Option<JournalModelDef> {
        let name = self.name_of(8);
        let kinds = [
            ("MVS", JournalType::Mvs),
            ("SMF", JournalType::Smf),
            ("DUMMY", JournalType::Dummy),
        ];
        let def = JournalModelDef {
            name: name?,
            group: self.group(),
            line: self.line(),
            journal: self.text("JOURNALNAME").unwrap_or_else(|| self.own_text()),
            kind: self.choice("TYPE", &kinds),
            stream: self.text("STREAMNAME"),
        };
        self.done(def)
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    #[test]
    fn queues_and_journals_are_read_with_their_defaults() {
        let csd = parse(
            "DEFINE TSMODEL(KEEP) GROUP(Q) PREFIX(BANK+) RECOVERY(YES)\n\
             DEFINE TSMODEL(HEXA) GROUP(Q) XPREFIX(C1C2) LOCATION(MAIN)\n\
             DEFINE TDQUEUE(AUDT) GROUP(Q) TYPE(INTRA) RECOVSTATUS(LOGICAL) ATIFACILITY(FILE)\n\
                    TRIGGERLEVEL(5) TRANSID(AUDT)\n\
             DEFINE TDQUEUE(LOGA) GROUP(Q) TYPE(EXTRA) TYPEFILE(OUTPUT) RECORDFORMAT(FIXED)\n\
                    RECORDSIZE(80) DISPOSITION(MOD)\n\
             DEFINE TDQUEUE(CSMT) GROUP(Q) TYPE(INDIRECT) INDIRECTNAME(LOGA)\n\
             DEFINE JOURNALMODEL(JM) GROUP(Q) JOURNALNAME(DFHJ+*) TYPE(DUMMY)\n",
        );
        assert_eq!(csd.diagnostics, []);
        assert_eq!(csd.tsmodels[0].prefix, b"BANK+");
        assert!(csd.tsmodels[0].recoverable && !csd.tsmodels[0].main);
        assert_eq!(csd.tsmodels[1].prefix, [0xC1, 0xC2]);
        let TdQueueKind::Intra(intra) = &csd.tdqueues[0].kind else {
            panic!("{:?}", csd.tdqueues[0]);
        };
        assert_eq!(
            (intra.trigger_level, intra.recovery),
            (5, TdRecovery::Logical)
        );
        let TdQueueKind::Extra(extra) = &csd.tdqueues[1].kind else {
            panic!("{:?}", csd.tdqueues[1]);
        };
        assert!(extra.output && extra.fixed && extra.append && extra.open_at_start);
        assert_eq!(csd.tdqueues[2].kind, TdQueueKind::Indirect("LOGA".into()));
        assert_eq!(csd.journalmodels[0].kind, JournalType::Dummy);
    }

    #[test]
    fn mistakes_of_a_queue_are_reported_with_their_place() {
        let csd = parse(
            "DEFINE TSMODEL(A) GROUP(Q) PREFIX(A) LOCATION(MAIN) RECOVERY(YES)\n\
             DEFINE TSMODEL(B) GROUP(Q) XPREFIX(C1C)\n\
             DEFINE TDQUEUE(LONGN) GROUP(Q) TYPE(INTRA)\n\
             DEFINE TDQUEUE(X) GROUP(Q)\n\
             DEFINE TDQUEUE(Y) GROUP(Q) TYPE(INDIRECT)\n",
        );
        let lines: Vec<u32> = csd.diagnostics.iter().map(|d| d.line).collect();
        assert_eq!(lines, [1, 2, 3, 4, 5], "{:?}", csd.diagnostics);
        assert!(csd.tsmodels.is_empty() && csd.tdqueues.is_empty());
    }
}
