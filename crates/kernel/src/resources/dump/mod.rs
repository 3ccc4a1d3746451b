//! DUMP TRANSACTION: one readable file for each dump, in the region's dump folder.
//!
//! The worker writes the contents of its memory as text; the file begins with the region's
//! data about the task. The number of the file is the DUMPID. It continues over restarts,
//! since no file is ever overwritten.
//!
//! The dump table contains a code after a dump was made with it, or after SET TRANDUMPCODE has
//! added it. It can suppress the dumps of a code (RESP2 1); a region without a folder
//! suppresses all. Dumps of the region (PERFORM DUMP) go to the same folder and have their own
//! table. The tables end with the region.
//!
//! Reference: CICS API reference, DUMP TRANSACTION; system programming
//! reference, SET DUMPDS, INQUIRE and SET TRANDUMPCODE and SYSDUMPCODE.

mod table;

use std::collections::BTreeMap;
use std::path::PathBuf;

use cics::command::commands::{
    dump_transaction as row, set_dumpds, set_sysdumpcode, set_trandumpcode,
};
use cics::cvda;
use cics::resp::Condition;

use super::{GrowthAccount, Manager, Resources};
use crate::core::TaskKey;
use crate::kernel::{CallResult, CommandFailure, KernelContext, Request, condition, done};
use crate::types::{AccountKind, CountAndBytes, DumpAsk, FileAsk, FileKey};

pub use table::DumpCode;

/// What this manager serves.
pub const MANAGER: Manager = Manager {
    commands: &[
        (row::NUMBER, dump),
        (set_trandumpcode::NUMBER, table::set_transaction_code),
        (set_sysdumpcode::NUMBER, table::set_system_code),
        (set_dumpds::NUMBER, set_data_set),
    ],
    task_ended: |resources, _, caller| {
        resources.dump.account.task_ended(caller.key);
        resources.dump.codes_account.task_ended(caller.key);
    },
    ..Manager::IDLE
};

/// The folder and tables of dumps.
#[derive(Debug, Default)]
pub struct DumpControl {
    /// The folder; `None` suppresses dumps.
    folder: Option<PathBuf>,
    /// SET DUMPDS has closed it for dumps of tasks.
    closed: bool,
    /// The dump table.
    codes: BTreeMap<[u8; 4], DumpCode>,
    /// The system dump table.
    system_codes: BTreeMap<[u8; 8], DumpCode>,
    /// Dumps that were requested, by task, whether they were written or not.
    pub(super) account: GrowthAccount,
    /// Codes of both tables.
    pub(super) codes_account: GrowthAccount,
}

impl DumpControl {
    /// Dumps in a folder; `None` suppresses them.
    pub fn new(folder: Option<PathBuf>) -> DumpControl {
        DumpControl {
            folder,
            ..DumpControl::default()
        }
    }

    /// Sets the folder of dumps.
    #[cfg(test)]
    pub(super) fn set_folder(&mut self, folder: PathBuf) {
        self.folder = Some(folder);
    }

    /// Whether dumps of tasks are written.
    pub fn is_open(&self) -> bool {
        self.folder.is_some() && !self.closed
    }

    /// Counts a dump of the region that a task requests, and returns its folder, if there is
    /// one.
    ///
    /// # Errors
    /// SUPPRESSED by the dump table; INVREQ when that has no room for the code.
    pub fn system_dump(
        &mut self,
        task: TaskKey,
        code: [u8; 8],
    ) -> Result<Option<PathBuf>, CommandFailure> {
        let (codes, account) = (&mut self.system_codes, &mut self.codes_account);
        if table::entry(codes, account, task, code)?.count() {
            Ok(self.folder.clone())
        } else {
            condition(Condition::Suppressed, 1)
        }
    }

    /// The codes of both tables, counted again.
    #[cfg(any(test, feature = "sim"))]
    pub(super) fn recount_codes(&self) -> CountAndBytes {
        let count = (self.codes.len() + self.system_codes.len()) as u64;
        CountAndBytes {
            count,
            bytes: count * table::CODE_BYTES,
        }
    }
}

/// SET DUMPDS. There is only one data set, so it cannot be switched.
fn set_data_set(
    resources: &mut Resources,
    _: &mut KernelContext<'_>,
    request: &mut Request,
) -> CallResult {
    use set_dumpds as row;
    let dumps = &mut resources.dump;
    let operands = &request.operands;
    let value = |name| cvda::value(name).map(i64::from);
    let named = operands.get_int(row::OPENSTATUS);
    let is = |flag, name| operands.has(flag) || (named.is_some() && named == value(name));
    let (open, close) = (is(row::OPEN, "OPEN"), is(row::CLOSED, "CLOSED"));
    if is(row::SWITCH, "SWITCH") || (open && dumps.folder.is_none()) {
        return condition(Condition::IoErr, 0);
    }
    if named.is_some() && !open && !close {
        return condition(Condition::InvReq, 2);
    }
    dumps.closed = close || (dumps.closed && !open);
    done()
}

fn dump(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    request: &mut Request,
) -> CallResult {
    let operands = &request.operands;
    let code = operands.get_name::<4>(row::DUMPCODE).unwrap_or_default();
    let code = code.trim_ascii_end();
    if code.is_empty() || !code.iter().all(u8::is_ascii_graphic) {
        return condition(Condition::InvReq, 13);
    }
    let Some(folder) = resources.dump.folder.clone() else {
        return condition(Condition::Suppressed, 1);
    };
    if resources.dump.closed {
        return condition(Condition::NotOpen, 6);
    }
    if cx.kernel.disk_is_short {
        return condition(Condition::NoSpace, 4);
    }
    let entry = operands.get_name(row::DUMPCODE).unwrap_or_default();
    let (task, dumps) = (request.caller.key, &mut resources.dump);
    if !table::entry(&mut dumps.codes, &mut dumps.codes_account, task, entry)?.count() {
        return condition(Condition::Suppressed, 1);
    }
    let (name, code) = (file_name(code), String::from_utf8_lossy(code).into_owned());
    let caller = request.caller;
    let head = format!(
        "dump      {code}\ntask      {}\ntran      {}\nuser      {}\npriority  {}\n",
        caller.number, caller.transid, caller.userid, caller.priority
    );
    let text = operands.get_bytes(row::FROM).unwrap_or_default().to_vec();
    let amount = CountAndBytes::one((head.len() + text.len()) as u64);
    dumps.account.check(AccountKind::Dumps, task, amount)?;
    dumps.account.add(task, amount);
    let ask = DumpAsk {
        folder,
        code: name,
        parts: vec![head.into_bytes(), text],
        dumpid: row::DUMPID,
    };
    Ok(cx.ask_file(caller.key, FileKey::default(), FileAsk::Dump(ask)))
}

/// A dump code as a part of a file's name: characters that are special to a file system or a
/// shell are percent-encoded.
fn file_name(code: &[u8]) -> String {
    let mut name = String::new();
    for byte in code {
        match byte {
            b'$' | b'@' | b'#' => name.push(char::from(*byte)),
            _ if byte.is_ascii_alphanumeric() => name.push(char::from(*byte)),
            _ => name.push_str(&format!("%{byte:02X}")),
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dump_code_cannot_lead_out_of_the_folder() {
        assert_eq!(file_name(b"AB#1"), "AB#1");
        assert_eq!(file_name(b"../A"), "%2E%2E%2FA");
    }
}
