//! From resource definitions to what the region installs.
//!
//! Both those that an application's definitions have and those that a program
//! makes with CREATE come this way.

use std::path::PathBuf;

use cics::csd;
use link::{FileEntry, Name, ProgramEntry};

use super::{ClassDef, TransactionDef};
use kernel::{
    EnqModelDef, JournalDef, JournalKind, OpenTime, QueueFileFormat, TdKind, TdQueueDef,
    TdRecovery, Trigger, TsModelDef,
};

/// A transaction.
pub fn transaction(def: &csd::TransactionDef) -> TransactionDef {
    TransactionDef {
        name: def.name.into(),
        program: def.program.map_or(Name::BLANK, Into::into),
        class: def.tranclass.map(Into::into),
        priority: def.priority,
        enabled: def.enabled,
        runaway_ms: match def.runaway {
            csd::RunawayLimit::System => None,
            csd::RunawayLimit::Never => Some(0),
            csd::RunawayLimit::Milliseconds(ms) => Some(ms),
        },
        purgeable: def.purgeable,
        lock_timeout_ms: def.wait_limit_s.map(|s| s.saturating_mul(1000)),
        timeout_ms: 0,
        in_doubt: def.in_doubt,
        twa_bytes: u32::from(def.twa_bytes),
        recover_conversation: false,
    }
}

/// A transaction class.
pub fn class(def: &csd::TranClassDef) -> ClassDef {
    ClassDef {
        name: def.name.into(),
        max_active: def.max_active as usize,
        // PURGETHRESH is one more than may wait.
        purge_threshold: def
            .purge_threshold
            .map(|threshold| threshold.saturating_sub(1) as usize),
    }
}

/// A program without its module.
pub fn program(def: &csd::ProgramDef) -> ProgramEntry {
    ProgramEntry {
        name: def.name.into(),
        threadsafe: def.concurrency != csd::Concurrency::Quasirent,
        enabled: def.enabled,
        remote_system: def.remote_system.map_or(Name::BLANK, Into::into),
        remote_name: def.remote_name.map_or(Name::BLANK, Into::into),
        remote_transid: def.transid.map_or(Name::BLANK, Into::into),
        ..ProgramEntry::default()
    }
}

/// A file as its definition alone has it: the store knows the form of the
/// records under the name of the data set.
pub fn file(def: &csd::FileDef) -> FileEntry {
    FileEntry {
        name: def.name.into(),
        data_set: def.dsname.clone().unwrap_or_default(),
        variable: def.record_format == csd::RecordFormat::Variable,
        recoverable: def.recovery != csd::FileRecovery::None,
        permits: def.permits,
        enabled: def.enabled || def.unenabled,
        closed: def.unenabled || !def.enabled,
        strings: def.strings,
        ..FileEntry::default()
    }
}

/// A model of temporary storage queues.
pub fn ts_model(def: &csd::TsModelDef) -> TsModelDef {
    TsModelDef {
        name: name(&def.name),
        prefix: def.prefix.clone(),
        recoverable: def.recoverable,
        remote_system: def.remote_system.map_or(Name::BLANK, Into::into),
    }
}

/// A transient data queue. `user` runs the transaction that a queue without USERID
/// triggers. An extrapartition queue's file is in the region's folder.
///
/// # Errors
/// A file or store that the definition needs is missing.
pub fn td_queue(def: &csd::TdQueueDef, user: &str) -> Result<TdQueueDef, String> {
    let kind = match &def.kind {
        csd::TdQueueKind::Intra(intra) => intrapartition(&def.name, intra, user)?,
        csd::TdQueueKind::Extra(extra) => extrapartition(&def.name, extra),
        csd::TdQueueKind::Indirect(target) => TdKind::Indirect(name(target)),
        csd::TdQueueKind::Remote(system) => TdKind::Remote((*system).into()),
    };
    Ok(TdQueueDef {
        name: name(&def.name),
        kind,
        enabled: true,
    })
}

fn intrapartition(queue: &str, def: &csd::IntraDef, user: &str) -> Result<TdKind, String> {
    let trigger = match (def.transid, def.trigger_level) {
        (None, _) | (_, 0) => None,
        (Some(_), _) if def.facility == csd::AtiFacility::System => {
            return Err(format!(
                "TDQUEUE({queue}): a task cannot be triggered for a remote system; give ATIFACILITY(FILE) or ATIFACILITY(TERMINAL)"
            ));
        }
        (Some(transid), level) => Some(Trigger {
            level,
            transid: transid.into(),
            userid: name(def.userid.as_deref().unwrap_or(user)),
            terminal: match def.facility {
                csd::AtiFacility::Terminal => name(def.facility_id.as_deref().unwrap_or(queue)),
                _ => Name::BLANK,
            },
        }),
    };
    Ok(TdKind::Intrapartition {
        recovery: match def.recovery {
            csd::TdRecovery::No => TdRecovery::No,
            csd::TdRecovery::Physical => TdRecovery::Physical,
            csd::TdRecovery::Logical => TdRecovery::Logical,
        },
        trigger,
    })
}

fn extrapartition(queue: &str, def: &csd::ExtraDef) -> TdKind {
    TdKind::Extrapartition {
        output: def.output,
        path: PathBuf::from("queues").join(queue),
        format: if def.fixed {
            QueueFileFormat::Fixed
        } else {
            QueueFileFormat::Lines
        },
        record_bytes: def.record_bytes.filter(|n| *n > 0).unwrap_or(RECORD_BYTES),
        append: def.append,
        opens: if def.open_at_start {
            OpenTime::Initial
        } else {
            OpenTime::Deferred
        },
    }
}

/// Most bytes of a record when RECORDSIZE does not say it.
const RECORD_BYTES: u32 = 32_767;

/// A model of journals.
pub fn journal_model(def: &csd::JournalModelDef) -> JournalDef {
    let stream = def.stream.clone();
    JournalDef {
        model: name(&def.name),
        name: def.journal.clone(),
        kind: match def.kind {
            csd::JournalType::Dummy => JournalKind::Dummy,
            csd::JournalType::Mvs | csd::JournalType::Smf => {
                JournalKind::File(stream.unwrap_or_else(|| "journals/&JNAME".into()))
            }
        },
    }
}

/// A model of ENQ names.
pub fn enq_model(def: &csd::EnqModelDef) -> EnqModelDef {
    let generic = def.enq_name.strip_suffix('*');
    EnqModelDef {
        name: name(&def.name),
        enq_name: generic.unwrap_or(&def.enq_name).as_bytes().to_vec(),
        generic: generic.is_some(),
        scope: name(&def.scope),
        enabled: def.enabled,
    }
}

/// A name whose length was checked already.
fn name<const N: usize>(text: &str) -> Name<N> {
    Name::new(text).unwrap_or(Name::BLANK)
}
