//! INQUIRE JOURNALNAME and JOURNALMODEL, and SET JOURNALNAME.
//!
//! A journal exists from its first record on.
//!
//! Reference: CICS system programming reference, INQUIRE and SET JOURNALNAME.

use cics::command::commands::set_journalname as row;
use cics::cvda;
use cics::resp::Condition;

use super::super::Resources;
use super::{JournalTable, amount, stream};
use crate::core::TaskKey;
use crate::kernel::{CallResult, KernelContext, Request, condition, done};
use crate::types::{FileAsk, FileKey, FileKind, JournalAsk, JournalDef, JournalKind};

impl JournalTable {
    /// The models, in the order in which they are tried.
    pub fn models(&self) -> &[JournalDef] {
        &self.models
    }

    /// The names of the journals that were written to or disabled.
    pub fn names(&self) -> impl Iterator<Item = &[u8; 8]> {
        let only_disabled = self.disabled.iter();
        let only_disabled = only_disabled.filter(|name| !self.open.contains_key(*name));
        self.open.keys().chain(only_disabled)
    }

    /// Removes a journal, which the next record creates again; false if no journal of that
    /// name is known.
    pub fn discard(&mut self, name: &[u8; 8]) -> bool {
        let open = self.close(name);
        self.left.extend(open);
        self.disabled.remove(name) || open.is_some()
    }

    /// Closes a journal's file; the next record opens it again.
    fn close(&mut self, name: &[u8; 8]) -> Option<FileKey> {
        let file = self.open.remove(name)?;
        self.account.remove(TaskKey::NO_TASK, amount(name));
        Some(file)
    }

    /// Whether a journal is enabled, and the file of its records; none for TYPE(DUMMY).
    pub fn journal(&self, name: &[u8; 8]) -> Option<(bool, Option<String>)> {
        let goes_to = match self.model(name)? {
            JournalKind::File(path) => Some(stream(path, name)),
            JournalKind::Dummy => None,
        };
        Some((!self.disabled.contains(name), goes_to))
    }
}

/// SET JOURNALNAME.
pub(super) fn set(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    request: &mut Request,
) -> CallResult {
    let journals = &mut resources.journals;
    let operands = &request.operands;
    let value = |name| cvda::value(name).map(i64::from);
    let is = |flag, option, name| {
        operands.has(flag) || (operands.has(option) && operands.get_int(option) == value(name))
    };
    let (flush, reset) = (
        is(row::FLUSH, row::ACTION, "FLUSH"),
        is(row::RESET, row::ACTION, "RESET"),
    );
    let (enable, disable) = (
        is(row::ENABLED, row::STATUS, "ENABLED"),
        is(row::DISABLED, row::STATUS, "DISABLED"),
    );
    if operands.has(row::ACTION) && !flush && !reset {
        return condition(Condition::InvReq, 2);
    }
    if operands.has(row::STATUS) && !enable && !disable {
        return condition(Condition::InvReq, 3);
    }
    let name = operands.get_name(row::JOURNALNAME).unwrap_or([b' '; 8]);
    if !journals.names().any(|known| *known == name) {
        return condition(Condition::JidErr, 1);
    }
    if enable || disable {
        journals.disabled.remove(&name);
    }
    if disable {
        journals.disabled.insert(name);
    }
    if !(flush || reset || disable) {
        return done();
    }
    let Some(file) = journals.open.get(&name).copied() else {
        return done();
    };
    let ask = FileAsk::Journal(JournalAsk::Sync);
    let step = cx.ask_file(request.caller.key, file, ask);
    if reset || disable {
        // The next record opens it again.
        journals.close(&name);
        cx.forget_file(file, FileKind::Journal);
    }
    Ok(step)
}
