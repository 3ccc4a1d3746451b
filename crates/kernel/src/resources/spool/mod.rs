//! The spool: reports that tasks write for users, and read.
//!
//! A report is a file, `spool/USERID/CLASS.NUMBER` in the region's folder; its
//! records have the format of an extrapartition queue of variable records. A
//! report that is being written has another name until it is closed. Only one
//! task at a time can read reports.
//!
//! Reference: CICS API reference, SPOOLOPEN, SPOOLWRITE, SPOOLREAD and
//! SPOOLCLOSE. There is no other node, so NODE names this one (`*` or LOCAL).

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use cics::command::commands::{
    spoolclose, spoolopen_input, spoolopen_output, spoolread, spoolwrite,
};
use cics::resp::Condition;
use link::CommandOperands;

use super::{GrowthAccount, Manager, Resources};
use crate::core::TaskKey;
use crate::kernel::{CallResult, CommandFailure, KernelContext, Request, condition};
use crate::types::{AccountKind, CountAndBytes, FileAsk, FileKey, FileKind, ReportAsk};

/// The commands and hooks of this manager.
pub const MANAGER: Manager = Manager {
    commands: &[
        (spoolopen_output::NUMBER, open_output),
        (spoolopen_input::NUMBER, open_input),
        (spoolwrite::NUMBER, write),
        (spoolread::NUMBER, read),
        (spoolclose::NUMBER, close),
    ],
    define: |resources, config| {
        resources.spool.folder = config.state.join("spool");
        resources.spool.applid = config.applid;
    },
    task_ended: |resources, cx, caller| resources.spool.end(cx, caller.key),
    file_answered: |resources, _, (kind, file), answer| {
        if kind == FileKind::Report {
            let opened = answer.condition == Condition::Normal;
            resources.spool.opened(file, opened);
        }
    },
    ..Manager::IDLE
};

/// The reports that tasks have open.
#[derive(Debug, Default)]
pub struct SpoolReports {
    folder: PathBuf,
    applid: link::Name<8>,
    open: HashMap<(TaskKey, Token), SpoolReport>,
    /// The task that reads a report, and the report's token.
    reader: Option<(TaskKey, Token)>,
    last_token: u64,
    /// Memory of the open reports, by task.
    pub(super) account: GrowthAccount,
}

/// Memory of an open report, in the kernel and on the thread that uses its file.
const REPORT_BYTES: u64 = 16 << 10;

type Token = [u8; 8];

/// A report that a task has opened.
#[derive(Debug)]
struct SpoolReport {
    file: FileKey,
    stage: ReportStage,
}

/// Whether a report is open yet.
#[derive(Debug, PartialEq, Eq)]
enum ReportStage {
    /// The report is being opened.
    Opening,
    /// The report can be used.
    Open,
}

/// Longest record of a report.
const MAX_RECORD_BYTES: i64 = spoolwrite::ROW.most_bytes(spoolwrite::FROM) as i64;

/// RECORDLENGTH if it is not specified.
const RECORD_BYTES: i64 = 132;

fn open_output(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    request: &mut Request,
) -> CallResult {
    use spoolopen_output as row;
    let operands = &request.operands;
    let node = operands.get_name::<8>(row::NODE).unwrap_or_default();
    if node != *b"*       " && node != *b"LOCAL   " {
        return condition(Condition::NodeIdErr, 0);
    }
    let user = match operands.get_name(row::USERID) {
        Some(user) if user == *b"*       " => *request.caller.userid.as_bytes(),
        user => user.unwrap_or_default(),
    };
    let class = class_of(operands, row::CLASS)?.unwrap_or(b'A');
    let length = operands.get_int(row::RECORDLENGTH).unwrap_or(RECORD_BYTES);
    if !(1..=MAX_RECORD_BYTES).contains(&length) {
        return condition(Condition::LengErr, 0);
    }
    let folder = resources.spool.folder_of(user)?;
    let task = request.caller.key;
    let (token, file) = resources.spool.begin(task)?;
    let ask = ReportAsk::Create {
        folder,
        class,
        most: length,
        token: (row::TOKEN, token),
    };
    Ok(cx.ask_file(task, file, FileAsk::Report(ask)))
}

fn open_input(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    request: &mut Request,
) -> CallResult {
    use spoolopen_input as row;
    let operands = &request.operands;
    let task = request.caller.key;
    let spool = &mut resources.spool;
    match spool.reader {
        Some((reader, _)) if reader == task => return condition(Condition::SpolBusy, 4),
        Some(_) => return condition(Condition::SpolBusy, 8),
        None => {}
    }
    let user: [u8; 8] = operands.get_name(row::USERID).unwrap_or_default();
    if user[..4] != spool.applid.as_bytes()[..4] {
        return condition(Condition::NotAuth, 0);
    }
    let class = class_of(operands, row::CLASS)?;
    let folder = spool.folder_of(user)?;
    let (token, file) = spool.begin(task)?;
    spool.reader = Some((task, token));
    let ask = ReportAsk::First {
        folder,
        class,
        token: (row::TOKEN, token),
    };
    Ok(cx.ask_file(task, file, FileAsk::Report(ask)))
}

fn write(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    request: &mut Request,
) -> CallResult {
    use spoolwrite as row;
    let operands = &request.operands;
    let file = resources.spool.named(request, row::TOKEN)?;
    let record = operands.get_bytes(row::FROM).unwrap_or_default().to_vec();
    let length = operands
        .get_int(row::FLENGTH)
        .unwrap_or(record.len() as i64);
    if cx.kernel.disk_is_short {
        return condition(Condition::SpolErr, 0);
    }
    let ask = FileAsk::Report(ReportAsk::Write(record, length));
    Ok(cx.ask_file(request.caller.key, file, ask))
}

fn read(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    request: &mut Request,
) -> CallResult {
    use spoolread as row;
    let file = resources.spool.named(request, row::TOKEN)?;
    let most = request.operands.get_int(row::MAXFLENGTH);
    let most = most.unwrap_or(MAX_RECORD_BYTES);
    if !(0..=MAX_RECORD_BYTES).contains(&most) {
        return condition(Condition::LengErr, 0);
    }
    let ask = FileAsk::Report(ReportAsk::Read(most as usize));
    Ok(cx.ask_file(request.caller.key, file, ask))
}

fn close(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    request: &mut Request,
) -> CallResult {
    use spoolclose as row;
    let file = resources.spool.named(request, row::TOKEN)?;
    let operands = &request.operands;
    let keep = match (operands.has(row::KEEP), operands.has(row::DELETE)) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    };
    let task = request.caller.key;
    let token = operands.get_name(row::TOKEN).unwrap_or_default();
    resources.spool.forget((task, token));
    let ask = FileAsk::Report(ReportAsk::Close(keep));
    Ok(cx.ask_file(task, file, ask))
}

/// CLASS, a letter or a digit.
fn class_of(operands: &CommandOperands, option: u8) -> Result<Option<u8>, CommandFailure> {
    match operands.get_bytes(option) {
        None => Ok(None),
        Some([class]) if class.is_ascii_uppercase() || class.is_ascii_digit() => Ok(Some(*class)),
        Some(_) => condition(Condition::Illogic, 3),
    }
}

impl SpoolReports {
    /// A report that is about to be opened.
    fn begin(&mut self, task: TaskKey) -> Result<(Token, FileKey), CommandFailure> {
        let more = CountAndBytes::one(REPORT_BYTES);
        self.account.check(AccountKind::Reports, task, more)?;
        self.last_token += 1;
        let mut token = *b"SP000000";
        let digits = format!("{:06}", self.last_token % 1_000_000);
        token[2..].copy_from_slice(digits.as_bytes());
        let file = FileKey(self.last_token);
        let stage = ReportStage::Opening;
        self.open.insert((task, token), SpoolReport { file, stage });
        self.account.add(task, CountAndBytes::one(REPORT_BYTES));
        Ok((token, file))
    }

    /// Memory of the open reports, summed up again.
    #[cfg(any(test, feature = "sim"))]
    pub(super) fn recount(&self) -> CountAndBytes {
        let reports = self.open.values().map(|_| CountAndBytes::one(REPORT_BYTES));
        reports.fold(CountAndBytes::default(), CountAndBytes::plus)
    }

    /// The opening of a report has ended, well or with an error.
    fn opened(&mut self, file: FileKey, well: bool) {
        let mut opening = self
            .open
            .iter_mut()
            .filter(|(_, report)| report.file == file);
        let Some((key, report)) = opening.find(|(_, report)| report.stage == ReportStage::Opening)
        else {
            return;
        };
        report.stage = ReportStage::Open;
        let key = *key;
        if !well {
            self.forget(key);
        }
    }

    /// Removes a report that was closed.
    fn forget(&mut self, key: (TaskKey, Token)) {
        if self.open.remove(&key).is_some() {
            self.account.remove(key.0, CountAndBytes::one(REPORT_BYTES));
        }
        self.reader = self.reader.filter(|reader| *reader != key);
    }

    /// The file of the report of a token.
    fn named(&self, request: &Request, option: u8) -> Result<FileKey, CommandFailure> {
        let token = request.operands.get_name(option).unwrap_or_default();
        let report = self.open.get(&(request.caller.key, token));
        let open = report.filter(|report| report.stage == ReportStage::Open);
        let file = open.map(|report| report.file);
        file.ok_or(CommandFailure::Condition(Condition::NotOpen, 8))
    }

    /// The folder of a user's reports, whose name cannot leave the spool's.
    fn folder_of(&self, user: [u8; 8]) -> Result<PathBuf, CommandFailure> {
        let user = user.trim_ascii_end();
        let letter = |b: &u8| b.is_ascii_alphanumeric() || b"$@#".contains(b);
        if user.is_empty() || !user.iter().all(letter) {
            return condition(Condition::InvReq, 16);
        }
        let name = String::from_utf8_lossy(user).into_owned();
        Ok(self.folder.join(Path::new(&name)))
    }

    /// A task has ended: closes the reports that it left open, as CICS does: output is
    /// deleted, and input is kept.
    fn end(&mut self, cx: &mut KernelContext<'_>, task: TaskKey) {
        if self.open.is_empty() {
            return;
        }
        let left = self.open.extract_if(|(owner, _), _| *owner == task);
        let mut files: Vec<FileKey> = left.map(|(_, report)| report.file).collect();
        files.sort_unstable();
        for _ in &files {
            self.account.remove(task, CountAndBytes::one(REPORT_BYTES));
        }
        for file in files {
            cx.forget_file(file, FileKind::Report);
        }
        self.reader = self.reader.filter(|(reader, _)| *reader != task);
    }
}
