//! The value of each option of INQUIRE, kind by kind.
//!
//! An option that is not here has no meaning in this region: the command
//! answers INVREQ. Names are as the command's row has them.

use cics::cvda;
use link::{FileEntry, FileKind, ProgramEntry, ProgramName};
use store::{FileDef, FileOrganisation, RecordFormat};

use super::others::data_set;
use crate::api::RegionConfig;
use kernel::Kernel;
use kernel::core::{Core, TaskKey, TaskStage, TaskState, Transaction};
use kernel::resources::system::ResourceKind;
use kernel::{LockSpace, WaitOn};

/// The value that an option receives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OptionValue {
    /// A number or a CVDA.
    Int(i64),
    /// Characters.
    Text(Vec<u8>),
}

/// The region at one moment.
pub struct RegionView<'a> {
    /// Tasks and definitions.
    pub core: &'a Core,
    /// Waits and files.
    pub kernel: &'a Kernel,
    /// As the region was started.
    pub config: &'a RegionConfig,
    /// Nanoseconds of the region's clock.
    pub now: u64,
    /// Monitoring records are written.
    pub monitoring: bool,
    /// How often workers have run a program.
    pub uses: &'a dyn Fn(ProgramName) -> u64,
}

/// A CVDA by its name.
pub(super) fn cvda(name: &str) -> Option<OptionValue> {
    Some(OptionValue::Int(cvda::value(name)?.into()))
}

/// One of two CVDAs.
pub(super) fn either(holds: bool, yes: &str, no: &str) -> Option<OptionValue> {
    cvda(if holds { yes } else { no })
}

pub(super) fn text(bytes: &[u8]) -> Option<OptionValue> {
    Some(OptionValue::Text(bytes.to_vec()))
}

pub(super) fn int(n: impl TryInto<i64>) -> Option<OptionValue> {
    Some(OptionValue::Int(n.try_into().unwrap_or(i64::MAX)))
}

impl RegionView<'_> {
    /// All names of a kind in their order.
    pub fn names(&self, kind: ResourceKind) -> Vec<Vec<u8>> {
        let defs = self.core.defs();
        let mut names: Vec<Vec<u8>> = match kind {
            ResourceKind::Program => defs
                .program_table
                .iter()
                .map(|p| p.name.as_bytes().to_vec())
                .collect(),
            ResourceKind::Transaction => defs
                .transactions
                .iter()
                .map(|t| t.def.name.as_bytes().to_vec())
                .collect(),
            ResourceKind::Class => defs
                .classes
                .iter()
                .filter(|c| !c.name.is_blank())
                .map(|c| c.name.as_bytes().to_vec())
                .collect(),
            ResourceKind::File => self
                .files()
                .map(|(f, _)| f.name.as_bytes().to_vec())
                .collect(),
            ResourceKind::TsQueue | ResourceKind::TsModel | ResourceKind::TdQueue => {
                self.queue_names(kind)
            }
            ResourceKind::Request | ResourceKind::Unit | ResourceKind::Enqueue => {
                self.task_names(kind)
            }
            ResourceKind::UnitLink => self.unit_links().map(|link| link.name.to_vec()).collect(),
            _ => self.other_names(kind),
        };
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The value of an option for a resource that exists.
    pub fn value(&self, kind: ResourceKind, name: &[u8], option: &str) -> Option<OptionValue> {
        match kind {
            ResourceKind::Program => self.program(name, option),
            ResourceKind::Transaction => self.transaction(name, option),
            ResourceKind::Class => self.class(name, option),
            ResourceKind::File => {
                let (file, stored) = self.files().find(|(f, _)| f.name.as_bytes() == name)?;
                let base = self.kernel.resources.files.base(file.name);
                of_file(file, base.filter(|_| stored), option)
            }
            ResourceKind::TsQueue => self.ts_queue(name, option),
            ResourceKind::TsModel => self.ts_model(name, option),
            ResourceKind::TdQueue => self.td_queue(name, option),
            ResourceKind::Request => self.request(name, option),
            ResourceKind::Unit => self.unit(name, option),
            ResourceKind::Enqueue => self.enqueue(name, option),
            ResourceKind::JournalModel => self.journal_model(name, option),
            ResourceKind::Journal => self.journal(name, option),
            ResourceKind::DataSet => self.data_set(name, option),
            ResourceKind::Connection => self.connection(name, option),
            ResourceKind::DumpCode => self.dump_code(name, option),
            ResourceKind::SystemDumpCode => self.system_dump_code(name, option),
            ResourceKind::EnqModel => self.enq_model(name, option),
            ResourceKind::UnitLink => self.unit_link(name, option),
        }
    }

    fn program(&self, name: &[u8], option: &str) -> Option<OptionValue> {
        let table = &self.core.defs().program_table;
        let program = table.iter().find(|p| p.name.as_bytes() == name)?;
        match option {
            // Runs in another region are not counted here.
            "USECOUNT" if !program.remote_system.is_blank() => int(-1),
            "USECOUNT" if program.module.is_none() && !program.missing => int(-1),
            "USECOUNT" => int((self.uses)(program.name).min(i32::MAX as u64)),
            _ => of_program(program, option),
        }
    }

    pub(super) fn files(&self) -> impl Iterator<Item = (&FileEntry, bool)> {
        self.kernel.resources.files.entries()
    }

    fn transaction(&self, name: &[u8], option: &str) -> Option<OptionValue> {
        let defs = self.core.defs();
        let of_name = |t: &&Transaction| t.def.name.as_bytes() == name;
        let def = &defs.transactions.iter().find(of_name)?.def;
        match option {
            // DTIMOUT(NO) is 0, whatever limit the region has.
            "DTIMEOUT" => int(def.lock_timeout_ms.unwrap_or(0) / 1000),
            "INDOUBT" => either(def.in_doubt.commits, "COMMIT", "BACKOUT"),
            "INDOUBTMINS" => int(def.in_doubt.limit_s / 60),
            "INDOUBTWAIT" => either(def.in_doubt.waits, "WAIT", "NOWAIT"),
            "PRIORITY" => int(def.priority),
            "PROGRAM" => text(def.program.as_bytes()),
            "RUNAWAY" => int(def.runaway_ms.unwrap_or(self.runaway_ms())),
            "PURGEABILITY" => either(def.purgeable, "PURGEABLE", "NOTPURGEABLE"),
            "RUNAWAYTYPE" => either(def.runaway_ms.is_some(), "USER", "SYSTEM"),
            "STATUS" => either(def.enabled, "ENABLED", "DISABLED"),
            "TRANCLASS" => match def.class {
                Some(class) => text(class.as_bytes()),
                None => text(b"DFHTCL00"),
            },
            "TWASIZE" => int(def.twa_bytes),
            _ => of_any_transaction(option),
        }
    }

    fn runaway_ms(&self) -> u32 {
        (self.core.limits().runaway_ns / 1_000_000) as u32
    }

    fn class(&self, name: &[u8], option: &str) -> Option<OptionValue> {
        let classes = &self.core.defs().classes;
        let number = classes.iter().position(|c| c.name.as_bytes() == name)?;
        let (active, queued) = self.core.class_load(number);
        match option {
            "ACTIVE" => int(active),
            "MAXACTIVE" => int(classes[number].max_active),
            // PURGETHRESH counts one more than may wait; 0 means no limit.
            "PURGETHRESH" => int(classes[number].purge_threshold.map_or(0, |most| most + 1)),
            "QUEUED" => int(queued),
            _ => None,
        }
    }

    /// The value of an option of INQUIRE TASK.
    pub fn task(&self, key: TaskKey, option: &str) -> Option<OptionValue> {
        let task = self.core.task(key)?;
        let transaction = |option| self.transaction(task.transid.as_bytes(), option);
        match option {
            "FACILITY" => text(task.facility().as_bytes()),
            "FACILITYTYPE" => either(task.facility().is_blank(), "TASK", "TERM"),
            "PRIORITY" => int(task.priority()),
            "PROGRAM" => text(task.program.as_bytes()),
            "RUNSTATUS" => cvda(self.run_status(key, task)),
            "STARTCODE" => text(&task.start_code()),
            "SUSPENDTIME" => {
                let since = self.kernel.wait_of(key).map(|(_, since)| since);
                int(since.map_or(0, |at| self.now.saturating_sub(at) / 1_000_000_000))
            }
            "SUSPENDTYPE" => text(self.suspended_on(key, task).0.as_bytes()),
            "SUSPENDVALUE" => text(self.suspended_on(key, task).1.as_bytes()),
            "TRANPRIORITY" => transaction("PRIORITY"),
            "TRANSACTION" => text(task.transid.as_bytes()),
            "UOW" => text(&task.number.to_be_bytes()),
            "USERID" => text(task.userid.as_bytes()),
            "PURGEABILITY" => either(task.purgeable, "PURGEABLE", "NOTPURGEABLE"),
            "TRANCLASS" | "TWASIZE" | "RUNAWAY" | "DTIMEOUT" => transaction(option),
            "INDOUBT" | "INDOUBTMINS" | "INDOUBTWAIT" => transaction(option),
            _ => of_any_transaction(option),
        }
    }

    /// The value of an option of INQUIRE ASSOCIATION.
    pub fn association(&self, key: TaskKey, option: &str) -> Option<OptionValue> {
        let task = self.core.task(key)?;
        match option {
            "APPLID" | "ODAPPLID" => text(self.config.applid.as_bytes()),
            "FACILNAME" | "ODFACILNAME" => text(task.facility().as_bytes()),
            "FACILTYPE" | "ODFACILTYPE" => either(task.facility().is_blank(), "NONE", "TERMINAL"),
            "ODNETWORKID" => text(b""),
            "ODTASKID" => int(task.number),
            "ODTRANSID" | "TRANSACTION" => text(task.transid.as_bytes()),
            "USERID" | "ODUSERID" | "INITUSERID" => text(task.userid.as_bytes()),
            "USERCORRDATA" => text(&task.correlation),
            "PROGRAM" => text(task.program.as_bytes()),
            _ => None,
        }
    }

    /// The value of an option of INQUIRE SYSTEM.
    pub fn system(&self, option: &str) -> Option<OptionValue> {
        match option {
            "CICSSTATUS" => cvda("ACTIVE"),
            "CICSSYS" => text(self.config.sysid.as_bytes()),
            "CICSTSLEVEL" => text(CICSTSLEVEL),
            "CMDPROTECT" => cvda("NOCMDPROT"),
            "FORCEQR" => cvda("NOFORCE"),
            "JOBNAME" => text(self.config.applid.as_bytes()),
            "DFLTUSER" => text(self.config.default_user.as_bytes()),
            "MAXTASKS" => int(self.core.limits().mxt),
            // X for UNIX.
            "OPSYS" => text(b"X"),
            "REENTPROTECT" => cvda("NOREENTPROT"),
            "RELEASE" => text(RELEASE),
            "RUNAWAY" => int(self.runaway_ms()),
            "PRTYAGING" => int(self.core.limits().priority_aging_ns / 1_000_000),
            "SECURITYMGR" => cvda("NOSECURITY"),
            "SHUTSTATUS" => cvda("NOTAPPLIC"),
            "SOSSTATUS" => cvda("NOTSOS"),
            "STOREPROTECT" => cvda("INACTIVE"),
            "TRANISOLATE" => cvda("ACTIVE"),
            _ => None,
        }
    }

    /// RUNSTATUS of a task.
    pub fn run_status(&self, key: TaskKey, task: &TaskState) -> &'static str {
        match task.stage {
            TaskStage::Submitted | TaskStage::Open if self.kernel.waits(key) => "SUSPENDED",
            TaskStage::Submitted if task.waits_outside() => "SUSPENDED",
            TaskStage::Submitted | TaskStage::Open | TaskStage::Ending | TaskStage::Done => {
                "RUNNING"
            }
            TaskStage::Building | TaskStage::WaitPlace => "DISPATCHABLE",
            TaskStage::WaitClass | TaskStage::WaitMxt | TaskStage::Refused(_) => "SUSPENDED",
        }
    }

    /// SUSPENDTYPE and SUSPENDVALUE of a task, blank when it is not suspended.
    pub fn suspended_on(&self, key: TaskKey, task: &TaskState) -> (&'static str, String) {
        match task.stage {
            TaskStage::WaitClass => {
                let class = self.core.class_of(task).map(|c| c.name.to_string());
                return ("TCLASS", class.unwrap_or_default());
            }
            TaskStage::WaitMxt => return ("MXT", "XM_HELD".to_owned()),
            TaskStage::Submitted if task.waits_outside() => return ("USERWAIT", String::new()),
            _ => {}
        }
        let Some((on, _)) = self.kernel.wait_of(key) else {
            return ("", String::new());
        };
        match on {
            WaitOn::Lock(name) => match name.space {
                LockSpace::Record(_) => ("ENQUEUE", "FCDSRECD".to_owned()),
                LockSpace::Enqueue => ("ENQUEUE", "EXECSTRN".to_owned()),
                LockSpace::TsQueue => ("ENQUEUE", "TSNQ".to_owned()),
                LockSpace::TdQueue => ("ENQUEUE", "TDNQ".to_owned()),
            },
            WaitOn::Event(event) => (event.kind.word, event_value(&event.key)),
            WaitOn::Time => ("ICWAIT", String::new()),
        }
    }
}

/// What distinguishes an event from others of its kind: a name as it is, a number in
/// digits.
fn event_value(key: &[u8]) -> String {
    let is_name = key.iter().all(|b| b.is_ascii_graphic() || *b == b' ');
    match <[u8; 8]>::try_from(key) {
        Ok(number) if !is_name => u64::from_be_bytes(number).to_string(),
        _ => key.escape_ascii().to_string(),
    }
}

/// The CICS Transaction Server whose interface is followed: version, release and
/// modification, and the release of CICS in it.
const CICSTSLEVEL: &[u8] = b"060100";
const RELEASE: &[u8] = b"0740";

fn of_program(program: &ProgramEntry, option: &str) -> Option<OptionValue> {
    let remote = !program.remote_system.is_blank();
    match option {
        "APIST" => cvda("CICSAPI"),
        "CEDFSTATUS" => cvda("NOCEDF"),
        "COBOLTYPE" => either(remote, "NOTAPPLIC", "COBOLII"),
        "CONCURRENCY" => either(program.threadsafe, "THREADSAFE", "QUASIRENT"),
        "COPY" => cvda("NOTREQUIRED"),
        "DATALOCATION" => cvda("ANY"),
        "DYNAMSTATUS" => cvda("NOTDYNAMIC"),
        "EXECKEY" => cvda("USEREXECKEY"),
        "EXECUTIONSET" => cvda("FULLAPI"),
        "HOLDSTATUS" => cvda("NOTAPPLIC"),
        "LANGDEDUCED" | "LANGUAGE" => either(remote, "NOTDEFINED", "COBOL"),
        "LPASTATUS" => cvda("NOTLPA"),
        "PROGTYPE" => cvda("PROGRAM"),
        "REMOTENAME" => text(program.remote_name.as_bytes()),
        "REMOTESYSTEM" => text(program.remote_system.as_bytes()),
        "RUNTIME" => either(remote, "UNKNOWN", "LE370"),
        "SHARESTATUS" => cvda("PRIVATE"),
        "STATUS" => either(program.enabled, "ENABLED", "DISABLED"),
        "TRANSID" => text(program.remote_transid.as_bytes()),
        _ => None,
    }
}

/// The definition and, when the store has it, the data set with the records.
fn of_file(file: &FileEntry, base: Option<&FileDef>, option: &str) -> Option<OptionValue> {
    let stored = base.is_some();
    match option {
        "ACCESSMETHOD" => cvda("VSAM"),
        "ADD" => either(file.permits.add, "ADDABLE", "NOTADDABLE"),
        "BASEDSNAME" => text(base.map_or(&b""[..], |def| def.name.as_str().as_bytes())),
        "BLOCKFORMAT" => cvda("UNBLOCKED"),
        "BROWSE" => either(file.permits.browse, "BROWSABLE", "NOTBROWSABLE"),
        "DELETE" => either(file.permits.delete, "DELETABLE", "NOTDELETABLE"),
        "DISPOSITION" => cvda("SHARE"),
        "DSNAME" => text(data_set(file).as_bytes()),
        "EMPTYSTATUS" => cvda("NOEMPTYREQ"),
        "ENABLESTATUS" if file.closed && file.enabled => cvda("UNENABLED"),
        "ENABLESTATUS" => either(file.enabled, "ENABLED", "DISABLED"),
        "EXCLUSIVE" | "RELTYPE" => cvda("NOTAPPLIC"),
        "FWDRECSTATUS" => cvda("NOTFWDRCVBLE"),
        "KEYLENGTH" => int(file.key_bytes),
        "KEYPOSITION" => int(file.key_offset),
        "OBJECT" => either(file.kind == FileKind::Path, "PATH", "BASE"),
        "OPENSTATUS" => either(stored && !file.closed, "OPEN", "CLOSED"),
        "READ" => either(file.permits.read, "READABLE", "NOTREADABLE"),
        "RECORDFORMAT" => either(file.variable, "VARIABLE", "FIXED"),
        "RECORDSIZE" => int(file.record_bytes),
        "RECOVSTATUS" => either(file.recoverable, "RECOVERABLE", "NOTRECOVABLE"),
        "REMOTENAME" | "REMOTESYSTEM" => text(b""),
        "RLSACCESS" => cvda("NOTRLS"),
        "STRINGS" => int(file.strings.max(1)),
        "TABLE" => cvda("NOTTABLE"),
        "TYPE" => cvda(type_of(file, base)),
        "UPDATE" => either(file.permits.update, "UPDATABLE", "NOTUPDATABLE"),
        _ => None,
    }
}

/// TYPE of a file: of a path, that of its base.
fn type_of(file: &FileEntry, base: Option<&FileDef>) -> &'static str {
    match (base.map(|def| (def.organisation, def.format)), file.kind) {
        (Some((FileOrganisation::Ksds(_), _)), _) | (None, FileKind::Ksds) => "KSDS",
        (Some((FileOrganisation::Esds, _)), _) | (None, FileKind::Esds) => "ESDS",
        (Some((FileOrganisation::Rrds, RecordFormat::Variable)), _) => "VRRDS",
        (Some((FileOrganisation::Rrds, RecordFormat::Fixed)), _) => "RRDS",
        (None, FileKind::Rrds) if file.variable => "VRRDS",
        (None, FileKind::Rrds) => "RRDS",
        (None, FileKind::Path) => "NOTAPPLIC",
    }
}

/// Values that are the same for every transaction here.
fn of_any_transaction(option: &str) -> Option<OptionValue> {
    match option {
        "CMDSEC" => cvda("CMDSECNO"),
        "DUMPING" => cvda("TRANDUMP"),
        "ISOLATEST" => cvda("ISOLATE"),
        "PROFILE" => text(b"DFHCICST"),
        "REMOTENAME" | "REMOTESYSTEM" => text(b""),
        "RESSEC" => cvda("RESSECNO"),
        "ROUTING" => cvda("STATIC"),
        "SHUTDOWN" => cvda("SHUTDISABLED"),
        "TASKDATAKEY" => cvda("USERDATAKEY"),
        "TASKDATALOC" => cvda("ANY"),
        "TRACING" => cvda("STANTRACE"),
        _ => None,
    }
}
