//! The values that INQUIRE returns for journals, data sets, partners and dump
//! codes, and for the region's settings that INQUIRE SYSTEM does not have.

use super::values::{OptionValue, RegionView, cvda, either, int, text};
use crate::api::{ConnectionInfo, JournalKind};
use kernel::resources::system::{DAY_S, ResourceKind, day_s};
use link::{FileEntry, FileKind};

impl RegionView<'_> {
    /// All names of a kind.
    pub(super) fn other_names(&self, kind: ResourceKind) -> Vec<Vec<u8>> {
        let resources = &self.kernel.resources;
        match kind {
            ResourceKind::JournalModel => resources
                .journals
                .models()
                .iter()
                .map(|model| model.model.as_bytes().to_vec())
                .collect(),
            ResourceKind::Journal => resources.journals.names().map(|n| n.to_vec()).collect(),
            ResourceKind::DataSet => self
                .files()
                .map(|(file, _)| padded(&data_set(file)))
                .collect(),
            ResourceKind::Connection => self
                .connections()
                .map(|c| c.sysid.as_bytes().to_vec())
                .collect(),
            ResourceKind::SystemDumpCode => resources
                .dump
                .system_codes()
                .map(|(code, _)| code.to_vec())
                .collect(),
            ResourceKind::EnqModel => resources
                .enqueue
                .models()
                .iter()
                .map(|model| model.def.name.as_bytes().to_vec())
                .collect(),
            _ => resources
                .dump
                .codes()
                .map(|(code, _)| code.to_vec())
                .collect(),
        }
    }

    fn connections(&self) -> impl Iterator<Item = ConnectionInfo> {
        let partners = self.config.conversations.as_ref();
        partners.map(|p| p.connections()).into_iter().flatten()
    }

    pub(super) fn journal_model(&self, name: &[u8], option: &str) -> Option<OptionValue> {
        let mut models = self.kernel.resources.journals.models().iter();
        let model = models.find(|m| m.model.as_bytes() == name)?;
        match (option, &model.kind) {
            ("JOURNALNAME", _) => text(model.name.as_bytes()),
            ("STREAMNAME", JournalKind::File(path)) => text(path.as_bytes()),
            ("STREAMNAME", JournalKind::Dummy) => text(b""),
            ("TYPE", JournalKind::File(_)) => cvda("MVS"),
            ("TYPE", JournalKind::Dummy) => cvda("DUMMY"),
            _ => None,
        }
    }

    pub(super) fn journal(&self, name: &[u8], option: &str) -> Option<OptionValue> {
        let journals = &self.kernel.resources.journals;
        let (enabled, path) = journals.journal(name.try_into().ok()?)?;
        match option {
            "STATUS" => either(enabled, "ENABLED", "DISABLED"),
            "STREAMNAME" => text(path.unwrap_or_default().as_bytes()),
            "TYPE" => either(path.is_some(), "MVS", "DUMMY"),
            _ => None,
        }
    }

    pub(super) fn data_set(&self, name: &[u8], option: &str) -> Option<OptionValue> {
        let of_name = |(file, _): &(&FileEntry, bool)| padded(&data_set(file)) == name;
        let (file, stored) = self.files().find(of_name)?;
        let path = file.kind == FileKind::Path;
        match option {
            "ACCESSMETHOD" => cvda("VSAM"),
            "AVAILABILITY" => cvda("AVAILABLE"),
            "BASEDSNAME" => text(file.base.as_bytes()),
            "FILECOUNT" => int(self.files().filter(of_name).count() as u64),
            "LOSTLOCKS" => cvda("NOLOSTLOCKS"),
            "OBJECT" => either(path, "PATH", "BASE"),
            "QUIESCESTATE" => cvda("UNQUIESCED"),
            "RECOVSTATUS" => either(file.recoverable, "RECOVERABLE", "NOTRECOVABLE"),
            "RETLOCKS" => cvda("NORETAINED"),
            "VALIDITY" => either(stored, "VALID", "INVALID"),
            _ => None,
        }
    }

    pub(super) fn connection(&self, name: &[u8], option: &str) -> Option<OptionValue> {
        let connection = self.connections().find(|c| c.sysid.as_bytes() == name)?;
        match option {
            "ACCESSMETHOD" => cvda("VTAM"),
            "ACQSTATUS" | "CONNSTATUS" => either(connection.sessions > 0, "ACQUIRED", "RELEASED"),
            "CONNTYPE" => cvda("NOTAPPLIC"),
            "LINKSYSTEM" | "REMOTENAME" | "REMOTESYSTEM" => text(b""),
            "NETNAME" => text(connection.net_name.as_bytes()),
            "PROTOCOL" => cvda("APPC"),
            "RECOVSTATUS" => cvda("NORECOVDATA"),
            "SERVSTATUS" => cvda("INSERVICE"),
            _ => None,
        }
    }

    pub(super) fn enq_model(&self, name: &[u8], option: &str) -> Option<OptionValue> {
        let mut models = self.kernel.resources.enqueue.models().iter();
        let model = models.find(|m| m.def.name.as_bytes() == name)?;
        match option {
            "ENQNAME" => {
                let mut pattern = model.def.enq_name.clone();
                pattern.extend(model.def.generic.then_some(b'*'));
                text(&pattern)
            }
            "ENQSCOPE" => text(model.def.scope.as_bytes()),
            "STATUS" if model.waits => cvda("WAITING"),
            "STATUS" => either(model.def.enabled, "ENABLED", "DISABLED"),
            _ => None,
        }
    }

    pub(super) fn system_dump_code(&self, name: &[u8], option: &str) -> Option<OptionValue> {
        let mut codes = self.kernel.resources.dump.system_codes();
        let (_, code) = codes.find(|(code, _)| &code[..] == name)?;
        match option {
            "CURRENT" => int(code.current),
            "DUMPSCOPE" => cvda("LOCAL"),
            "MAXIMUM" => int(code.maximum),
            "SHUTOPTION" => cvda("NOSHUTDOWN"),
            "SYSDUMPING" => either(code.dumping, "SYSDUMP", "NOSYSDUMP"),
            _ => None,
        }
    }

    /// The value of an option of INQUIRE DUMPDS: a folder stands for the data
    /// set, and there is one.
    pub fn dump_data_set(&self, option: &str) -> Option<OptionValue> {
        match option {
            "CURRENTDDS" | "INITIALDDS" => text(b"A"),
            "OPENSTATUS" => either(self.kernel.resources.dump.is_open(), "OPEN", "CLOSED"),
            "SWITCHSTATUS" => cvda("NOSWITCH"),
            _ => None,
        }
    }

    pub(super) fn dump_code(&self, name: &[u8], option: &str) -> Option<OptionValue> {
        let mut codes = self.kernel.resources.dump.codes();
        let (_, code) = codes.find(|(code, _)| &code[..] == name)?;
        match option {
            "CURRENT" => int(code.current),
            "DUMPSCOPE" => cvda("LOCAL"),
            "MAXIMUM" => int(code.maximum),
            "SHUTOPTION" => cvda("NOSHUTDOWN"),
            "SYSDUMPING" => cvda("NOSYSDUMP"),
            "TRANDUMPING" => either(code.dumping, "TRANDUMP", "NOTRANDUMP"),
            _ => None,
        }
    }

    /// The value of an option of INQUIRE TEMPSTORAGE.
    pub fn temporary_storage(&self, option: &str) -> Option<OptionValue> {
        let (used, limit) = self.kernel.resources.temporary_storage.space();
        match option {
            "TSMAININUSE" => int(used),
            "TSMAINLIMIT" => int(limit),
            _ => None,
        }
    }

    /// The value of an option of INQUIRE MONITOR.
    pub fn monitor(&self, option: &str) -> Option<OptionValue> {
        match option {
            "COMPRESSST" => cvda("NOCOMPRESS"),
            "CONVERSEST" => cvda("NOCONVERSE"),
            "EXCEPTCLASS" => cvda("NOEXCEPT"),
            "IDNTYCLASS" => cvda("NOIDNTY"),
            "PERFCLASS" => either(self.monitoring, "PERF", "NOPERF"),
            "RESRCECLASS" => cvda("NORESRCE"),
            "STATUS" => either(self.monitoring, "ON", "OFF"),
            "SYNCPOINTST" => cvda("NOSYNCPOINT"),
            _ => None,
        }
    }

    /// The value of an option of INQUIRE DISPATCHER. A worker process stands for
    /// an open TCB.
    pub fn dispatcher(&self, option: &str) -> Option<OptionValue> {
        let limits = self.core.limits();
        match option {
            "ACTOPENTCBS" => int(self.core.statistics().workers),
            "MAXOPENTCBS" => int(limits.mxt as u64),
            "PRTYAGING" => int(limits.priority_aging_ns / 1_000_000),
            "RUNAWAY" => int(limits.runaway_ns / 1_000_000),
            _ => None,
        }
    }

    /// The value of an option of INQUIRE STATISTICS.
    pub fn statistics(&self, option: &str) -> Option<OptionValue> {
        let recording = self.kernel.resources.system.recording();
        let day_s = day_s(self.kernel.settings(), self.now);
        let next = (day_s + recording.next_in_s(day_s)) % DAY_S;
        let times = [
            ("ENDOFDAY", recording.end_of_day_s),
            ("INTERVAL", recording.interval_s),
            ("NEXTTIME", next),
        ];
        if option == "RECORDING" {
            return either(recording.on, "ON", "OFF");
        }
        let named = times.iter().find(|(name, _)| option.starts_with(name));
        let &(name, seconds) = named?;
        let (h, m, s) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        match &option[name.len()..] {
            "" => int(h * 10_000 + m * 100 + s),
            "HRS" => int(h),
            "MINS" => int(m),
            "SECS" => int(s),
            _ => None,
        }
    }

    /// The value of an option of INQUIRE TCLASS, by the class's number.
    pub fn numbered_class(&self, number: i64, option: &str) -> Option<OptionValue> {
        let name = numbered_class(number)?;
        let option = match option {
            "CURRENT" => "ACTIVE",
            "MAXIMUM" => "MAXACTIVE",
            _ => return None,
        };
        self.value(ResourceKind::Class, name.as_bytes(), option)
    }
}

/// The name of a class by its number: DFHTCL01 to DFHTCL10.
pub fn numbered_class(number: i64) -> Option<String> {
    (1..=10)
        .contains(&number)
        .then(|| format!("DFHTCL{number:02}"))
}

/// The data set of a file: that of its definition, or its own name.
pub(super) fn data_set(file: &FileEntry) -> String {
    if file.data_set.is_empty() {
        file.name.to_string().trim_end().to_owned()
    } else {
        file.data_set.clone()
    }
}

fn padded(name: &str) -> Vec<u8> {
    let mut name = name.as_bytes().to_vec();
    name.resize(ResourceKind::DataSet.name_bytes(), b' ');
    name
}
