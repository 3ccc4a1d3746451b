//! The values that INQUIRE returns for queues: temporary storage, its models, transient data.

use super::values::{OptionValue, RegionView, cvda, either, int, text};
use crate::api::{QueueFileFormat, TdKind, TdQueueDef, TdRecovery, Trigger, TsModelDef};
use kernel::resources::system::ResourceKind;
use kernel::resources::transient_data::QueueInfo;

impl RegionView<'_> {
    /// All names of a kind of queue, or of their models.
    pub(super) fn queue_names(&self, kind: ResourceKind) -> Vec<Vec<u8>> {
        let ts = &self.kernel.resources.temporary_storage;
        let td = &self.kernel.resources.transient_data;
        match kind {
            ResourceKind::TsQueue => ts.names().map(|name| name.to_vec()).collect(),
            ResourceKind::TsModel => ts
                .model_definitions()
                .iter()
                .map(|model| model.name.as_bytes().to_vec())
                .collect(),
            _ => td.each().map(|q| q.def.name.as_bytes().to_vec()).collect(),
        }
    }

    pub(super) fn ts_queue(&self, name: &[u8], option: &str) -> Option<OptionValue> {
        let ts = &self.kernel.resources.temporary_storage;
        let queue = ts.info(name.try_into().ok()?)?;
        match option {
            "EXPIRYINT" | "EXPIRYINTMIN" => int(0),
            "FLENGTH" => int(queue.bytes),
            "LASTUSEDINT" => int(self.now.saturating_sub(queue.used_at) / 1_000_000_000),
            "LOCATION" => either(queue.auxiliary, "AUXILIARY", "MAIN"),
            "MAXITEMLEN" => int(queue.lengths?.1),
            "MINITEMLEN" => int(queue.lengths?.0),
            "NUMITEMS" => int(queue.items as u64),
            "RECOVSTATUS" => either(queue.recoverable, "RECOVERABLE", "NOTRECOVABLE"),
            "TRANSID" => text(queue.transid.as_bytes()),
            "TSMODEL" => text(queue.model.map_or(&[], |m| m.name.as_bytes())),
            _ => None,
        }
    }

    pub(super) fn ts_model(&self, name: &[u8], option: &str) -> Option<OptionValue> {
        let ts = &self.kernel.resources.temporary_storage;
        let mut models = ts.model_definitions().iter();
        let model: &TsModelDef = models.find(|m| m.name.as_bytes() == name)?;
        match option {
            "EXPIRYINT" | "EXPIRYINTMIN" => int(0),
            "LOCATION" => either(model.recoverable, "AUXILIARY", "MAIN"),
            "POOLNAME" | "REMOTEPREFIX" => text(b""),
            "PREFIX" => text(&model.prefix),
            "RECOVSTATUS" => either(model.recoverable, "RECOVERABLE", "NOTRECOVABLE"),
            "REMOTESYSTEM" => text(model.remote_system.as_bytes()),
            "SECURITYST" => cvda("NOSECURITY"),
            _ => None,
        }
    }

    pub(super) fn td_queue(&self, name: &[u8], option: &str) -> Option<OptionValue> {
        let td = &self.kernel.resources.transient_data;
        let queue = td.each().find(|q| q.def.name.as_bytes() == name)?;
        let def = queue.def;
        match option {
            "ENABLESTATUS" => either(def.enabled, "ENABLED", "DISABLED"),
            "INDIRECTNAME" => match &def.kind {
                TdKind::Indirect(target) => text(target.as_bytes()),
                _ => text(b""),
            },
            "REMOTESYSTEM" => match &def.kind {
                TdKind::Remote(system) => text(system.as_bytes()),
                _ => text(b""),
            },
            "REMOTENAME" => match &def.kind {
                TdKind::Remote(_) => text(def.name.as_bytes()),
                _ => text(b""),
            },
            "TYPE" => cvda(match &def.kind {
                TdKind::Intrapartition { .. } => "INTRA",
                TdKind::Extrapartition { .. } | TdKind::Log => "EXTRA",
                TdKind::Indirect(_) => "INDIRECT",
                TdKind::Remote(_) => "REMOTE",
            }),
            _ => {
                intrapartition(def, queue.items, option).or_else(|| extrapartition(&queue, option))
            }
        }
    }
}

/// Options that have a meaning only for an intrapartition queue; for other queues
/// the value for "not applicable".
fn intrapartition(def: &TdQueueDef, items: u64, option: &str) -> Option<OptionValue> {
    let (recovery, trigger) = match &def.kind {
        TdKind::Intrapartition { recovery, trigger } => (Some(*recovery), *trigger),
        _ => (None, None),
    };
    let of_trigger =
        |value: fn(&Trigger) -> Vec<u8>| text(&trigger.as_ref().map(value).unwrap_or_default());
    match option {
        "ATIFACILITY" if trigger.is_some_and(|t| !t.terminal.is_blank()) => cvda("TERMINAL"),
        "ATIFACILITY" => either(recovery.is_some(), "NOTERMINAL", "NOTAPPLIC"),
        "ATITERMID" => of_trigger(|t| t.terminal.as_bytes().to_vec()),
        "ATITRANID" => of_trigger(|t| t.transid.as_bytes().to_vec()),
        "ATIUSERID" => of_trigger(|t| t.userid.as_bytes().to_vec()),
        "NUMITEMS" => int(items),
        "RECOVSTATUS" => cvda(match recovery {
            Some(TdRecovery::No) => "NOTRECOVABLE",
            Some(TdRecovery::Physical) => "PHYSICAL",
            Some(TdRecovery::Logical) => "LOGICAL",
            None => "NOTAPPLIC",
        }),
        "TRIGGERLEVEL" => int(match (recovery, trigger) {
            (None, _) => -1,
            (Some(_), trigger) => trigger.map_or(0, |t| i64::from(t.level)),
        }),
        _ => None,
    }
}

/// The same for a queue that is the region's log.
fn log(queue: &QueueInfo<'_>, option: &str) -> Option<OptionValue> {
    match option {
        "DDNAME" => text(queue.def.name.as_bytes()),
        "DISPOSITION" => cvda("MOD"),
        "DSNAME" => text(b""),
        "EMPTYSTATUS" => cvda("NOTEMPTY"),
        "IOTYPE" => cvda("OUTPUT"),
        "OPENSTATUS" => either(queue.open, "OPEN", "CLOSED"),
        "RECORDFORMAT" => cvda("VARIABLE"),
        "RECORDLENGTH" => int(32_767),
        _ => None,
    }
}

/// The same for an extrapartition queue.
fn extrapartition(queue: &QueueInfo<'_>, option: &str) -> Option<OptionValue> {
    let TdKind::Extrapartition {
        output,
        path,
        format,
        record_bytes,
        append,
        ..
    } = &queue.def.kind
    else {
        if queue.def.kind == TdKind::Log {
            return log(queue, option);
        }
        return match option {
            "DDNAME" | "DSNAME" => text(b""),
            "RECORDLENGTH" => int(-1),
            "DISPOSITION" | "IOTYPE" | "OPENSTATUS" | "RECORDFORMAT" | "EMPTYSTATUS" => {
                cvda("NOTAPPLIC")
            }
            _ => None,
        };
    };
    match option {
        "DDNAME" => text(queue.def.name.as_bytes()),
        "DISPOSITION" => either(*append, "MOD", "SHARE"),
        "DSNAME" => text(path.to_string_lossy().as_bytes()),
        // The contents of the file are not read.
        "EMPTYSTATUS" => cvda("NOTEMPTY"),
        "IOTYPE" => either(*output, "OUTPUT", "INPUT"),
        "OPENSTATUS" => either(queue.open, "OPEN", "CLOSED"),
        "RECORDFORMAT" => either(*format == QueueFileFormat::Fixed, "FIXED", "VARIABLE"),
        "RECORDLENGTH" => int(*record_bytes),
        _ => None,
    }
}
