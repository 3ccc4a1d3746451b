//! INQUIRE, SET and MONITOR: they use the tasks, definitions and waits of one
//! moment.
//!
//! Commands on one resource manager alone (SET TSQUEUE, SET TDQUEUE, ...) are
//! served there.
//!
//! The core's lock is taken before the kernel's, as everywhere.

mod browse;
mod dump;
mod install;
mod set;
mod shutdown;
mod view;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use cics::command::{Command, DataDirection, OptionArgument, by_number, commands as rows};
use cics::cvda;
use cics::resp::Condition;
use link::{CallAnswer, CommandOperands, Name, WorkerCall};

use super::SharedRegion;
use super::clock::now_ns;
use super::links::WorkerLink;
use super::wakes;
use crate::api::UserPoint;
use kernel::core::TaskKey;
use kernel::resources::system::ResourceKind;
use kernel::{CommandFailure, condition};
use view::OptionValue;
pub use view::RegionView;

/// The result of a command.
type CommandResult = Result<CommandOperands, CommandFailure>;

/// Serves a command.
type CommandHandler = fn(&Arc<SharedRegion>, &SystemCommand<'_>) -> CommandResult;

/// A command of a task.
struct SystemCommand<'a> {
    key: TaskKey,
    row: &'static Command,
    operands: &'a CommandOperands,
}

/// The commands that are served here.
const COMMANDS: &[(u16, CommandHandler)] = &[
    (rows::inquire_program::NUMBER, |s, a| {
        s.browsable(a, ResourceKind::Program, Condition::PgmIdErr)
    }),
    (rows::inquire_transaction::NUMBER, |s, a| {
        s.browsable(a, ResourceKind::Transaction, Condition::TransIdErr)
    }),
    (rows::inquire_tranclass::NUMBER, |s, a| {
        s.browsable(a, ResourceKind::Class, Condition::TcIdErr)
    }),
    (rows::inquire_file::NUMBER, |s, a| {
        s.browsable(a, ResourceKind::File, Condition::FileNotFound)
    }),
    (rows::inquire_task::NUMBER, |s, a| {
        let task = s.task_of(a, rows::inquire_task::TASK)?;
        s.answer_options(a, |view, option| view.task(task, option))
    }),
    (rows::inquire_association::NUMBER, |s, a| {
        let task = s.task_of(a, rows::inquire_association::ASSOCIATION)?;
        s.answer_options(a, |view, option| view.association(task, option))
    }),
    (
        rows::inquire_association_list::NUMBER,
        SharedRegion::associations,
    ),
    (rows::set_association::NUMBER, SharedRegion::set_association),
    (rows::inquire_uowlink::NUMBER, SharedRegion::unit_links),
    (rows::inquire_system::NUMBER, |s, a| {
        s.answer_options(a, |view, option| view.system(option))
    }),
    (rows::monitor::NUMBER, SharedRegion::monitor),
    (rows::set_task::NUMBER, SharedRegion::set_task),
    (rows::set_transaction::NUMBER, SharedRegion::set_transaction),
    (rows::set_tranclass::NUMBER, SharedRegion::set_tranclass),
    (rows::set_file::NUMBER, SharedRegion::set_file),
    (rows::inquire_task_list::NUMBER, SharedRegion::task_numbers),
    (rows::inquire_tsqueue::NUMBER, SharedRegion::ts_queue),
    (rows::inquire_tsqname::NUMBER, SharedRegion::ts_queue),
    (rows::inquire_tsmodel::NUMBER, |s, a| {
        s.browsable(a, ResourceKind::TsModel, Condition::NotFnd)
    }),
    (rows::inquire_tdqueue::NUMBER, |s, a| {
        s.browsable(a, ResourceKind::TdQueue, Condition::QIdErr)
    }),
    (rows::inquire_reqid::NUMBER, |s, a| {
        s.browsable(a, ResourceKind::Request, Condition::NotFnd)
    }),
    (rows::inquire_uow::NUMBER, |s, a| {
        s.browsable(a, ResourceKind::Unit, Condition::UowNotFound)
    }),
    (rows::inquire_uowenq::NUMBER, SharedRegion::enqueues),
    (rows::inquire_enq::NUMBER, SharedRegion::enqueues),
    (rows::inquire_journalmodel::NUMBER, |s, a| {
        s.browsable(a, ResourceKind::JournalModel, Condition::NotFnd)
    }),
    (rows::inquire_journalname::NUMBER, |s, a| {
        s.browsable(a, ResourceKind::Journal, Condition::JidErr)
    }),
    (rows::inquire_dsname::NUMBER, |s, a| {
        s.browsable(a, ResourceKind::DataSet, Condition::DsnNotFound)
    }),
    (rows::inquire_connection::NUMBER, |s, a| {
        s.browsable(a, ResourceKind::Connection, Condition::SysIdErr)
    }),
    (rows::inquire_trandumpcode::NUMBER, |s, a| {
        s.browsable(a, ResourceKind::DumpCode, Condition::NotFnd)
    }),
    (rows::inquire_tclass::NUMBER, SharedRegion::numbered_class),
    (rows::inquire_tempstorage::NUMBER, |s, a| {
        s.answer_options(a, |view, option| view.temporary_storage(option))
    }),
    (rows::inquire_monitor::NUMBER, |s, a| {
        s.answer_options(a, |view, option| view.monitor(option))
    }),
    (rows::inquire_dispatcher::NUMBER, |s, a| {
        s.answer_options(a, |view, option| view.dispatcher(option))
    }),
    (rows::inquire_statistics::NUMBER, |s, a| {
        s.answer_options(a, |view, option| view.statistics(option))
    }),
    (rows::set_statistics::NUMBER, SharedRegion::set_statistics),
    (
        rows::inquire_tracedest::NUMBER,
        SharedRegion::trace_destination,
    ),
    (
        rows::set_tracedest::NUMBER,
        SharedRegion::set_trace_destination,
    ),
    (rows::set_tclass::NUMBER, SharedRegion::set_tclass),
    (rows::set_uow::NUMBER, SharedRegion::set_uow),
    (rows::set_connection::NUMBER, SharedRegion::set_connection),
    (rows::set_monitor::NUMBER, SharedRegion::set_monitor),
    (rows::set_dispatcher::NUMBER, SharedRegion::set_dispatcher),
    (rows::set_system::NUMBER, SharedRegion::set_system),
    (rows::set_program::NUMBER, SharedRegion::set_program),
    (
        rows::perform_statistics::NUMBER,
        SharedRegion::perform_statistics,
    ),
    (rows::create_enqmodel::NUMBER, SharedRegion::create),
    (rows::create_file::NUMBER, SharedRegion::create),
    (rows::create_journalmodel::NUMBER, SharedRegion::create),
    (rows::create_program::NUMBER, SharedRegion::create),
    (rows::create_tdqueue::NUMBER, SharedRegion::create),
    (rows::create_tranclass::NUMBER, SharedRegion::create),
    (rows::create_transaction::NUMBER, SharedRegion::create),
    (rows::create_tsmodel::NUMBER, SharedRegion::create),
    (rows::discard::NUMBER, SharedRegion::discard),
    (rows::inquire_enqmodel::NUMBER, |s, a| {
        s.browsable(a, ResourceKind::EnqModel, Condition::NotFnd)
    }),
    (rows::inquire_sysdumpcode::NUMBER, |s, a| {
        s.browsable(a, ResourceKind::SystemDumpCode, Condition::NotFnd)
    }),
    (rows::inquire_dumpds::NUMBER, |s, a| {
        s.answer_options(a, |view, option| view.dump_data_set(option))
    }),
    (rows::perform_dump::NUMBER, SharedRegion::perform_dump),
    (rows::perform_resettime::NUMBER, |_, _| {
        Ok(CommandOperands::default())
    }),
    (rows::perform_security::NUMBER, |_, _| {
        condition(Condition::InvReq, 1)
    }),
    (
        rows::perform_shutdown::NUMBER,
        SharedRegion::perform_shutdown,
    ),
    (rows::query_security::NUMBER, SharedRegion::query_security),
];

/// Whether the command of this number is served here.
pub fn serves(number: u64) -> bool {
    find(number).is_some()
}

fn find(number: u64) -> Option<CommandHandler> {
    let found = COMMANDS.iter().find(|(n, _)| u64::from(*n) == number);
    found.map(|(_, serve)| *serve)
}

impl SharedRegion {
    /// Serves a command of a running task.
    pub(super) fn serve_system(
        self: &Arc<Self>,
        worker: usize,
        link: &Arc<WorkerLink>,
        key: TaskKey,
        call: &WorkerCall,
    ) {
        let Some(answer) = self.system_answer(key, call) else {
            tracing::error!(worker, "the operands of a worker's call are not valid");
            self.with(|core, cx| core.protocol_violation(cx, worker));
            return;
        };
        wakes::answer(link, &answer);
    }

    /// The answer to a command that is served here. Returns `None` if its
    /// operands are not valid.
    pub(super) fn system_answer(
        self: &Arc<Self>,
        key: TaskKey,
        call: &WorkerCall,
    ) -> Option<CallAnswer> {
        let row = u16::try_from(call.args[0]).ok().and_then(by_number)?;
        let (operands, serve) = (
            CommandOperands::parse(&call.data).ok()?,
            find(call.args[0])?,
        );
        // The kernel ends the task's browses.
        if let Some(task) = self.lock().core.task_mut(key) {
            task.in_kernel = true;
        }
        let asked = SystemCommand {
            key,
            row,
            operands: &operands,
        };
        Some(match serve(self, &asked) {
            Ok(given) => CallAnswer::of_data(given.emit()),
            Err(failure) => failure.into(),
        })
    }

    /// Looks at everything at one moment.
    pub(super) fn view<R>(&self, look: impl FnOnce(&RegionView<'_>) -> R) -> R {
        let state = self.lock();
        let kernel = self.kernel.lock();
        let uses = |program| self.past_uses.of(&state.links, program);
        look(&RegionView {
            core: &state.core,
            kernel: &kernel,
            config: &self.config,
            now: now_ns(),
            monitoring: self.sink.is_some() && self.monitoring.load(Ordering::Relaxed),
            uses: &uses,
        })
    }

    /// Fills the options that receive a value.
    fn answer_options(
        &self,
        asked: &SystemCommand<'_>,
        value: impl Fn(&RegionView<'_>, &str) -> Option<OptionValue>,
    ) -> CommandResult {
        self.view(|view| {
            let mut given = CommandOperands::default();
            for (index, option) in (0..).zip(asked.row.options) {
                if option.direction == DataDirection::In || !asked.operands.has(index) {
                    continue;
                }
                given = match value(view, option.name) {
                    Some(OptionValue::Int(n)) => given.int(index, n),
                    Some(OptionValue::Text(text)) => {
                        given.bytes(index, padded(text, option.argument))
                    }
                    None => return condition(Condition::InvReq, 1),
                };
            }
            Ok(given)
        })
    }

    /// MONITOR POINT: notes that the task passed a point of its own.
    fn monitor(self: &Arc<Self>, asked: &SystemCommand<'_>) -> CommandResult {
        use rows::monitor as row;
        let operands = asked.operands;
        let point = operands.get_int(row::POINT).map(u8::try_from);
        let Some(Ok(point)) = point else {
            return condition(Condition::InvReq, 1);
        };
        let entry = Name::from_bytes(operands.get_name(row::ENTRYNAME).unwrap_or(*b"USER    "));
        let mut state = self.lock();
        let Some(task) = state.core.task_mut(asked.key) else {
            return Ok(CommandOperands::default());
        };
        let passed_ns = now_ns().saturating_sub(task.begun);
        let points = &mut task.user_points;
        let known = points
            .iter()
            .position(|p| p.entry == entry && p.point == point);
        let at = match known {
            Some(at) => at,
            None if points.len() == UserPoint::MOST => return Ok(CommandOperands::default()),
            None => {
                points.push(UserPoint {
                    entry,
                    point,
                    first_ns: passed_ns,
                    ..UserPoint::default()
                });
                points.len() - 1
            }
        };
        let passed = &mut points[at];
        let data = |option| operands.get_int(option).unwrap_or(0);
        passed.count += 1;
        passed.last_ns = passed_ns;
        passed.data1 = passed.data1.saturating_add(data(row::DATA1));
        passed.data2 = passed.data2.saturating_add(data(row::DATA2));
        Ok(CommandOperands::default())
    }

    /// The task that an option names by its number.
    fn task_of(&self, asked: &SystemCommand<'_>, option: u8) -> Result<TaskKey, CommandFailure> {
        let number = asked
            .operands
            .get_int(option)
            .and_then(|n| u64::try_from(n).ok());
        match number.and_then(|number| self.task_key(number)) {
            Some(key) => Ok(key),
            None => condition(Condition::TaskIdErr, 1),
        }
    }

    pub(super) fn task_key(&self, number: u64) -> Option<TaskKey> {
        let state = self.lock();
        let keys = state.core.task_keys();
        keys.into_iter()
            .find(|key| state.core.task(*key).is_some_and(|t| t.number == number))
    }
}

impl SystemCommand<'_> {
    fn option(&self, name: &str) -> Option<u8> {
        self.row.index_of(name)
    }

    fn has(&self, name: &str) -> bool {
        self.option(name)
            .is_some_and(|index| self.operands.has(index))
    }

    /// One of two values, as a keyword of its own or as the CVDA of an option.
    fn switch(
        &self,
        option: &str,
        yes: &str,
        no: &str,
        resp2: u32,
    ) -> Result<Option<bool>, CommandFailure> {
        let value = |name| cvda::value(name).map(i64::from);
        let given = self.option(option).and_then(|o| self.operands.get_int(o));
        match given {
            Some(n) if Some(n) == value(yes) => Ok(Some(true)),
            Some(n) if Some(n) == value(no) => Ok(Some(false)),
            Some(_) => condition(Condition::InvReq, resp2),
            None if self.has(yes) => Ok(Some(true)),
            None => Ok(self.has(no).then_some(false)),
        }
    }

    /// INVREQ when there is any other option than these.
    fn only(&self, served: &[u8]) -> Result<(), CommandFailure> {
        let known = served.iter().fold(0, |bits, index| bits | 1u128 << index);
        let own = (1u128 << self.row.options.len()) - 1;
        match self.operands.options & own & !known {
            0 => Ok(()),
            _ => condition(Condition::InvReq, 1),
        }
    }
}

/// A text of the size that its option has.
fn padded(mut text: Vec<u8>, argument: OptionArgument) -> Vec<u8> {
    if let OptionArgument::Chars(size) = argument {
        text.resize(size.into(), b' ');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use cics::command::CommandSupport;

    /// Served by the door of terminals.
    const OF_TERMINALS: [&str; 2] = ["INQUIRE TERMINAL", "SET TERMINAL"];

    #[test]
    fn every_system_command_that_is_listed_as_served_is() {
        for row in cics::command::all() {
            if row.domain != cics::command::CommandDomain::System
                || row.served != CommandSupport::Region
            {
                continue;
            }
            if OF_TERMINALS.contains(&row.name) {
                continue;
            }
            let in_kernel = kernel::resources::commands().any(|(n, _)| n == row.number);
            assert!(in_kernel || serves(row.number.into()), "{}", row.name);
        }
    }

    #[test]
    fn the_rows_of_what_is_served_here_say_so() {
        for (number, _) in COMMANDS {
            let row = by_number(*number).expect("a row of the command table");
            assert_eq!(row.served, CommandSupport::Region, "{}", row.name);
            let in_kernel = kernel::resources::commands().any(|(n, _)| n == *number);
            assert!(!in_kernel, "{}", row.name);
        }
    }
}
