//! PERFORM DUMP: what the region knows at one moment, as a readable file in
//! the folder of dumps; and QUERY SECURITY.
//!
//! Reference: CICS system programming reference, PERFORM DUMP; API reference,
//! QUERY SECURITY.

use std::fmt::Write;
use std::io;
use std::sync::Arc;

use cics::command::commands::{perform_dump as row, query_security};
use cics::cvda;
use cics::resp::Condition;
use link::CommandOperands;

use super::super::SharedRegion;
use super::super::files::dump;
use super::RegionView;
use super::{CommandResult, SystemCommand};
use kernel::condition;
use kernel::resources::system::ResourceKind;

/// Most characters of TITLE and of CALLER.
const TITLE: i64 = 80;
const CALLER: i64 = 8;

impl SharedRegion {
    /// PERFORM DUMP.
    pub(super) fn perform_dump(self: &Arc<Self>, asked: &SystemCommand<'_>) -> CommandResult {
        let operands = asked.operands;
        let within = |length, most: i64| match operands.get_int(length) {
            Some(n) => (0..=most).contains(&n),
            None => true,
        };
        if !within(row::TITLELENGTH, TITLE) {
            return condition(Condition::InvReq, 6);
        }
        if !within(row::CALLERLENGTH, CALLER) {
            return condition(Condition::InvReq, 13);
        }
        let code = operands.get_name::<8>(row::DUMPCODE).unwrap_or([b' '; 8]);
        let name = code.trim_ascii_end();
        // A part of the file's name, so nothing else may be in it.
        if name.is_empty() || !name.iter().all(u8::is_ascii_alphanumeric) {
            return condition(Condition::InvReq, 7);
        }
        let folder = self
            .kernel
            .lock()
            .resources
            .dump
            .system_dump(asked.key, code);
        let Some(folder) = folder? else {
            return condition(Condition::Suppressed, 3);
        };
        let part = |option, most: usize| {
            let bytes = operands.get_bytes(option).unwrap_or_default();
            String::from_utf8_lossy(&bytes[..bytes.len().min(most)]).into_owned()
        };
        let code = String::from_utf8_lossy(name).into_owned();
        let mut text = format!(
            "dump      {code}\ntitle     {}\ncaller    {}\n",
            part(row::TITLE, TITLE as usize),
            part(row::CALLER, CALLER as usize),
        );
        text.push_str(&self.view(state));
        let statistics = serde_json::to_string_pretty(&self.statistics()).unwrap_or_default();
        let _ = writeln!(text, "\ncounters\n{statistics}");
        match dump::write(&folder, &code, &[text.as_bytes()]) {
            Ok(number) => {
                Ok(CommandOperands::default().bytes(row::DUMPID, format!("1/{number:04}")))
            }
            Err(error) => {
                tracing::error!(%error, folder = %folder.display(), "a dump could not be written");
                match error.kind() {
                    io::ErrorKind::StorageFull => condition(Condition::NoSpace, 4),
                    _ => condition(Condition::IoErr, 10),
                }
            }
        }
    }

    /// QUERY SECURITY: without an external security manager everybody may do
    /// everything with what there is.
    pub(super) fn query_security(self: &Arc<Self>, asked: &SystemCommand<'_>) -> CommandResult {
        use query_security as row;
        let operands = asked.operands;
        asked.switch("LOGMESSAGE", "LOG", "NOLOG", 7)?;
        if operands.has(row::RESCLASS) {
            return match operands.get_int(row::RESIDLENGTH) {
                Some(n) if !(1..=246).contains(&n) => condition(Condition::LengErr, 6),
                // Its classes are those of the security manager.
                _ => condition(Condition::InvReq, 10),
            };
        }
        let kind = operands.get_name::<12>(row::RESTYPE).unwrap_or([b' '; 12]);
        let kind = kind.trim_ascii_end();
        let Some(kind) = RESOURCE_TYPES.iter().find(|k| k.0.as_bytes() == kind) else {
            return condition(Condition::NotFnd, 2);
        };
        let mut name = operands.get_bytes(row::RESID).unwrap_or_default().to_vec();
        if name.iter().all(|b| *b == b' ' || *b == 0) {
            return condition(Condition::InvReq, 9);
        }
        if let Some(listed) = kind.1 {
            name.resize(listed.name_bytes(), b' ');
            if !self.view(|view| view.names(listed)).contains(&name) {
                return condition(Condition::NotFnd, 1);
            }
        }
        let mut given = CommandOperands::default();
        for (option, value) in [
            (row::READ, "READABLE"),
            (row::UPDATE, "UPDATABLE"),
            (row::CONTROL, "CTRLABLE"),
            (row::ALTER, "ALTERABLE"),
        ] {
            if operands.has(option) {
                given = given.int(option, cvda::value(value).unwrap_or(0).into());
            }
        }
        Ok(given)
    }
}

/// The types of QUERY SECURITY that a region has, and where their names are
/// listed. A temporary storage queue and a journal need not be there yet.
const RESOURCE_TYPES: &[(&str, Option<ResourceKind>)] = &[
    ("FILE", Some(ResourceKind::File)),
    ("JOURNALNAME", None),
    ("PROGRAM", Some(ResourceKind::Program)),
    ("SPCOMMAND", None),
    ("TDQUEUE", Some(ResourceKind::TdQueue)),
    ("TRANSACTION", Some(ResourceKind::Transaction)),
    ("TRANSATTACH", Some(ResourceKind::Transaction)),
    ("TSQUEUE", None),
    ("TSQNAME", None),
];

/// Tasks with the resources that they wait for, and locks with their owners.
fn state(view: &RegionView<'_>) -> String {
    let mut text = format!(
        "applid    {}\nsysid     {}\n\ntasks\n",
        view.config.applid, view.config.sysid
    );
    for key in view.core.task_keys() {
        let Some(task) = view.core.task(key) else {
            continue;
        };
        let (kind, value) = view.suspended_on(key, task);
        let _ = writeln!(
            text,
            "{:8} {} {} {} {:12} {kind} {value}",
            task.number,
            task.transid,
            task.program,
            task.userid,
            view.run_status(key, task),
        );
    }
    text.push_str("\nlocks\n");
    for (name, owner, ..) in view.kernel.locks().each() {
        let number = view.core.task(owner).map_or(0, |t| t.number);
        let _ = writeln!(text, "{number:8} {name}");
    }
    text
}
