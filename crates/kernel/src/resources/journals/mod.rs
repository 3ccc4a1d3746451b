//! Journals: records that programs write to files.
//!
//! A JOURNALMODEL has the file of a journal. A record is in the file when the command ends, and on
//! the disk if WAIT was specified.
//!
//! Reference: CICS API reference, WRITE JOURNALNAME and WAIT JOURNALNAME; resource definition,
//! JOURNALMODEL. A journal without a model gets JIDERR, as on CICS without a default log stream.

mod inquiry;

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use cics::command::commands::{
    journal as old_row, set_journalname, wait_journalname, wait_journalnum, write_journalname,
    write_journalnum,
};
use cics::resp::Condition;
use link::CommandOperands;

use super::{GrowthAccount, Manager, Resources};
use crate::core::TaskKey;
use crate::kernel::{
    CallResult, CommandFailure, KernelContext, Request, condition, done, done_with,
};
use crate::types::{
    AccountKind, CountAndBytes, FileAsk, FileKey, FileKind, JournalAsk, JournalDef, JournalKind,
    JournalRecord, KernelConfig,
};

/// The commands and hooks of this manager.
pub const MANAGER: Manager = Manager {
    commands: &[
        (write_journalname::NUMBER, write_by_name),
        (write_journalnum::NUMBER, write_by_number),
        (old_row::NUMBER, write_by_file),
        (wait_journalname::NUMBER, wait_by_name),
        (wait_journalnum::NUMBER, wait_by_number),
        (set_journalname::NUMBER, inquiry::set),
    ],
    define,
    task_ended: |resources, _, caller| {
        resources.journals.account.task_ended(caller.key);
    },
    ..Manager::IDLE
};

/// The journals of a region.
#[derive(Debug, Default)]
pub struct JournalTable {
    models: Vec<JournalDef>,
    folder: PathBuf,
    /// The journals that have records, and their files.
    open: HashMap<[u8; 8], FileKey>,
    last_file: u64,
    /// Memory of the open journals, by the task whose record opened them.
    pub(super) account: GrowthAccount,
    /// Files of earlier definitions, which are to be closed.
    left: Vec<FileKey>,
    /// Journals that SET JOURNALNAME has disabled.
    disabled: HashSet<[u8; 8]>,
}

/// Longest data and longest prefix of a record.
const MAX_BYTES: i64 = write_journalname::ROW.most_bytes(write_journalname::FROM) as i64;

/// The options of a command that writes.
struct JournalOptions {
    jtypeid: u8,
    from: u8,
    length: u8,
    reqid: u8,
    prefix: u8,
    pfxleng: u8,
    wait: u8,
}

fn define(resources: &mut Resources, config: &KernelConfig) {
    let journals = &mut resources.journals;
    journals.folder.clone_from(&config.state);
    let definitions = &config.definitions;
    if journals.models != definitions.queues.journals {
        journals.models.clone_from(&definitions.queues.journals);
        // A model may specify another file now; the files are opened again.
        let open = journals.open.drain();
        for (name, file) in open {
            journals.account.remove(TaskKey::NO_TASK, amount(&name));
            journals.left.push(file);
        }
    }
}

/// The indexes of a row's options.
macro_rules! options {
    ($row:ident, $length:ident) => {
        JournalOptions {
            jtypeid: $row::JTYPEID,
            from: $row::FROM,
            length: $row::$length,
            reqid: $row::REQID,
            prefix: $row::PREFIX,
            pfxleng: $row::PFXLENG,
            wait: $row::WAIT,
        }
    };
}

fn write_by_name(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    request: &mut Request,
) -> CallResult {
    let name = request.operands.get_name(write_journalname::JOURNALNAME);
    let options = options!(write_journalname, FLENGTH);
    let name = name.ok_or(CommandFailure::Condition(Condition::JidErr, 0))?;
    write(&mut resources.journals, cx, request, name, &options)
}

fn write_by_number(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    request: &mut Request,
) -> CallResult {
    let name = numbered(request.operands.get_int(write_journalnum::JOURNALNUM))?;
    let options = options!(write_journalnum, FLENGTH);
    write(&mut resources.journals, cx, request, name, &options)
}

fn write_by_file(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    request: &mut Request,
) -> CallResult {
    let name = numbered(request.operands.get_int(old_row::JFILEID))?;
    let options = options!(old_row, LENGTH);
    write(&mut resources.journals, cx, request, name, &options)
}

fn write(
    journals: &mut JournalTable,
    cx: &mut KernelContext<'_>,
    request: &Request,
    name: [u8; 8],
    options: &JournalOptions,
) -> CallResult {
    let operands = &request.operands;
    let data = operands.get_bytes(options.from).unwrap_or_default();
    let prefix = operands.get_bytes(options.prefix).unwrap_or_default();
    let in_range = |length: Option<i64>, bytes: &[u8], least: i64, most: i64| {
        (least..=most).contains(&length.unwrap_or(bytes.len() as i64))
    };
    let prefix_fits = in_range(
        operands.get_int(options.pfxleng),
        prefix,
        0,
        i64::from(u16::MAX),
    );
    if !in_range(operands.get_int(options.length), data, 1, MAX_BYTES) || !prefix_fits {
        return condition(Condition::LengErr, 0);
    }
    for file in journals.left.drain(..) {
        cx.forget_file(file, FileKind::Journal);
    }
    let Some((file, path)) = journals.named(name, request.caller.key)? else {
        // TYPE(DUMMY).
        return done_with(CommandOperands::default().int(options.reqid, 0));
    };
    if cx.kernel.disk_is_short {
        return condition(Condition::NoJBufSp, 0);
    }
    let record = JournalRecord {
        at_unix_us: cx.unix_us(),
        kind: operands.get_name(options.jtypeid).unwrap_or([b' '; 2]),
        transid: *request.caller.transid.as_bytes(),
        task: request.caller.number,
        userid: *request.caller.userid.as_bytes(),
        prefix: prefix.to_vec(),
        data: data.to_vec(),
    };
    let ask = JournalAsk::Write {
        path,
        record,
        wait: operands.has(options.wait),
        reqid: options.reqid,
    };
    Ok(cx.ask_file(request.caller.key, file, FileAsk::Journal(ask)))
}

fn wait_by_name(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    request: &mut Request,
) -> CallResult {
    let name = request.operands.get_name(wait_journalname::JOURNALNAME);
    let name = name.ok_or(CommandFailure::Condition(Condition::JidErr, 0))?;
    wait(&mut resources.journals, cx, request, name)
}

fn wait_by_number(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    request: &mut Request,
) -> CallResult {
    let name = numbered(request.operands.get_int(wait_journalnum::JOURNALNUM))?;
    wait(&mut resources.journals, cx, request, name)
}

fn wait(
    journals: &mut JournalTable,
    cx: &mut KernelContext<'_>,
    request: &Request,
    name: [u8; 8],
) -> CallResult {
    let Some(kind) = journals.model(&name) else {
        return condition(Condition::JidErr, 0);
    };
    if *kind == JournalKind::Dummy {
        return done();
    }
    // No task has written to the journal.
    let Some(file) = journals.open.get(&name) else {
        return condition(Condition::NotOpen, 0);
    };
    let ask = FileAsk::Journal(JournalAsk::Sync);
    Ok(cx.ask_file(request.caller.key, *file, ask))
}

/// Memory of an open journal, in the kernel and on the thread that writes its file.
fn amount(_: &[u8; 8]) -> CountAndBytes {
    CountAndBytes::one(4 << 10)
}

/// The file of a journal's records.
fn stream(path: &str, name: &[u8; 8]) -> String {
    let text = link::Name::<8>::from_bytes(*name).to_string();
    path.replace("&JNAME", text.trim_end())
}

/// The name of a journal by number.
fn numbered(number: Option<i64>) -> Result<[u8; 8], CommandFailure> {
    match number {
        Some(number @ 1..=99) => {
            let mut name = *b"DFHJ00  ";
            name[4] += (number / 10) as u8;
            name[5] += (number % 10) as u8;
            Ok(name)
        }
        _ => condition(Condition::JidErr, 0),
    }
}

impl JournalTable {
    /// Memory of the open journals, summed up again.
    #[cfg(any(test, feature = "sim"))]
    pub(super) fn recount(&self) -> CountAndBytes {
        let journals = self.open.keys().map(amount);
        journals.fold(CountAndBytes::default(), CountAndBytes::plus)
    }

    /// The file of a journal, opened by its first record; none for TYPE(DUMMY).
    fn named(
        &mut self,
        name: [u8; 8],
        task: TaskKey,
    ) -> Result<Option<(FileKey, PathBuf)>, CommandFailure> {
        let Some(kind) = self.model(&name) else {
            return condition(Condition::JidErr, 0);
        };
        if self.disabled.contains(&name) {
            return condition(Condition::NotOpen, 0);
        }
        let JournalKind::File(path) = kind else {
            return Ok(None);
        };
        let path = self.folder.join(stream(path, &name));
        if let Some(file) = self.open.get(&name) {
            return Ok(Some((*file, path)));
        }
        let more = amount(&name);
        self.account.check(AccountKind::Journals, task, more)?;
        self.account.add(task, more);
        self.last_file += 1;
        let file = FileKey(self.last_file);
        self.open.insert(name, file);
        Ok(Some((file, path)))
    }

    /// The definition of a journal: the model with its whole name, else the first model whose
    /// pattern matches. A name that could leave the folder has no model.
    fn model(&self, name: &[u8; 8]) -> Option<&JournalKind> {
        let letter = |b: &u8| b.is_ascii_alphanumeric() || b"$@#".contains(b);
        let name = name.trim_ascii_end();
        if name.is_empty() || !name.iter().all(letter) {
            return None;
        }
        let whole = self.models.iter().find(|m| m.name.as_bytes() == name);
        let found = whole.or_else(|| self.models.iter().find(|m| fits(m.name.as_bytes(), name)));
        found.map(|m| &m.kind)
    }
}

/// Whether a name matches a pattern.
fn fits(pattern: &[u8], name: &[u8]) -> bool {
    let same = |(p, n): (&u8, &u8)| *p == b'+' || p == n;
    match pattern.strip_suffix(b"*") {
        Some(start) => name.len() >= start.len() && start.iter().zip(name).all(same),
        None => pattern.len() == name.len() && pattern.iter().zip(name).all(same),
    }
}
