//! INQUIRE, SET and MONITOR: they look at tasks, definitions and waits at one
//! moment.
//!
//! The core's lock is taken before the kernel's, as everywhere.

use std::sync::Arc;

use cics::command::{Argument, Command, Direction, by_number, commands as rows};
use cics::cvda;
use cics::resp::Condition;
use link::{Answer, Call, Name, Operands};

use super::Shared;
use super::clock::now_ns;
use super::links::WorkerLink;
use super::wakes;
use crate::api::UserPoint;
use crate::core::TaskKey;
use crate::kernel::{Failure, condition};
use crate::resources::system::{Kind, Next, Value, View};

/// What serving a command came to.
type Given = Result<Operands, Failure>;

/// Serves a command.
type Serve = fn(&Arc<Shared>, &Asked<'_>) -> Given;

/// A command of a task.
struct Asked<'a> {
    key: TaskKey,
    row: &'static Command,
    operands: &'a Operands,
}

/// The commands that are served here.
const COMMANDS: &[(u16, Serve)] = &[
    (rows::inquire_program::NUMBER, |s, a| {
        s.browsable(a, Kind::Program, Condition::PgmIdErr)
    }),
    (rows::inquire_transaction::NUMBER, |s, a| {
        s.browsable(a, Kind::Transaction, Condition::TransIdErr)
    }),
    (rows::inquire_tranclass::NUMBER, |s, a| {
        s.browsable(a, Kind::Class, Condition::TcIdErr)
    }),
    (rows::inquire_file::NUMBER, |s, a| {
        s.browsable(a, Kind::File, Condition::FileNotFound)
    }),
    (rows::inquire_task::NUMBER, |s, a| {
        let task = s.task_of(a, rows::inquire_task::TASK)?;
        s.tell(a, |view, option| view.task(task, option))
    }),
    (rows::inquire_association::NUMBER, |s, a| {
        let task = s.task_of(a, rows::inquire_association::ASSOCIATION)?;
        s.tell(a, |view, option| view.association(task, option))
    }),
    (rows::inquire_system::NUMBER, |s, a| {
        s.tell(a, |view, option| view.system(option))
    }),
    (rows::monitor::NUMBER, Shared::monitor),
    (rows::set_task::NUMBER, Shared::set_task),
    (rows::set_transaction::NUMBER, Shared::set_transaction),
    (rows::set_tranclass::NUMBER, Shared::set_tranclass),
    (rows::set_file::NUMBER, Shared::set_file),
];

/// Whether the command of this number is served here.
pub fn serves(number: u64) -> bool {
    find(number).is_some()
}

fn find(number: u64) -> Option<Serve> {
    let found = COMMANDS.iter().find(|(n, _)| u64::from(*n) == number);
    found.map(|(_, serve)| *serve)
}

impl Shared {
    /// Serves a command of a running task.
    pub(super) fn serve_system(
        self: &Arc<Self>,
        worker: usize,
        link: &Arc<WorkerLink>,
        key: TaskKey,
        call: &Call,
    ) {
        let row = u16::try_from(call.args[0]).ok().and_then(by_number);
        let (Ok(operands), Some(row), Some(serve)) =
            (Operands::parse(&call.data), row, find(call.args[0]))
        else {
            tracing::error!(worker, "the operands of a worker's call make no sense");
            self.with(|core, cx| core.protocol_violation(cx, worker));
            return;
        };
        // The end of its browses goes through the kernel.
        if let Some(task) = self.lock().core.task_mut(key) {
            task.in_kernel = true;
        }
        let asked = Asked {
            key,
            row,
            operands: &operands,
        };
        let answer = match serve(self, &asked) {
            Ok(given) => Answer::of_data(given.emit()),
            Err(failure) => failure.into(),
        };
        wakes::answer(link, &answer);
    }

    /// Looks at everything at one moment.
    pub(super) fn view<R>(&self, look: impl FnOnce(&View<'_>) -> R) -> R {
        let state = self.lock();
        let kernel = self.kernel.lock();
        look(&View {
            core: &state.core,
            kernel: &kernel,
            config: &self.config,
            now: now_ns(),
        })
    }

    /// INQUIRE of one resource, or a step of a browse.
    fn browsable(&self, asked: &Asked<'_>, kind: Kind, not_found: Condition) -> Given {
        let has = |name| asked.has(name);
        let name = if has("START") {
            let at = asked
                .option("AT")
                .and_then(|at| asked.operands.get_bytes(at));
            let started = self.browses(|b| b.start(asked.key, kind, at.unwrap_or_default()));
            return done_or_illogic(started);
        } else if has("END") {
            return done_or_illogic(self.browses(|b| b.end(asked.key, kind)));
        } else if has("NEXT") {
            let names = self.view(|view| view.names(kind));
            match self.browses(|b| b.next(asked.key, kind, &names)) {
                None => return condition(Condition::Illogic, 1),
                Some(Next::End) => return condition(Condition::End, 2),
                Some(Next::Name(name)) => name,
            }
        } else {
            let size = if kind == Kind::Transaction { 4 } else { 8 };
            let mut name = asked.operands.get_bytes(0).unwrap_or_default().to_vec();
            name.resize(size, b' ');
            if !self.view(|view| view.names(kind)).contains(&name) {
                return condition(not_found, 1);
            }
            name
        };
        let given = self.tell(asked, |view, option| view.value(kind, &name, option))?;
        Ok(match has("NEXT") {
            true => given.bytes(0, name),
            false => given,
        })
    }

    fn browses<R>(&self, call: impl FnOnce(&mut crate::resources::system::Systems) -> R) -> R {
        call(&mut self.kernel.lock().resources.system)
    }

    /// What the options that receive something are told.
    fn tell(&self, asked: &Asked<'_>, value: impl Fn(&View<'_>, &str) -> Option<Value>) -> Given {
        self.view(|view| {
            let mut given = Operands::default();
            for (index, option) in (0..).zip(asked.row.options) {
                if option.direction != Direction::Out || !asked.operands.has(index) {
                    continue;
                }
                given = match value(view, option.name) {
                    Some(Value::Int(n)) => given.int(index, n),
                    Some(Value::Text(text)) => given.bytes(index, padded(text, option.argument)),
                    None => return condition(Condition::InvReq, 1),
                };
            }
            Ok(given)
        })
    }

    /// MONITOR POINT: notes that the task passed a point of its own.
    fn monitor(self: &Arc<Self>, asked: &Asked<'_>) -> Given {
        use rows::monitor as row;
        let operands = asked.operands;
        let point = operands.get_int(row::POINT).map(u8::try_from);
        let Some(Ok(point)) = point else {
            return condition(Condition::InvReq, 1);
        };
        let entry = Name::from_bytes(operands.get_name(row::ENTRYNAME).unwrap_or(*b"USER    "));
        let mut state = self.lock();
        let Some(task) = state.core.task_mut(asked.key) else {
            return Ok(Operands::default());
        };
        let passed_ns = now_ns().saturating_sub(task.begun);
        let points = &mut task.user_points;
        let known = points
            .iter()
            .position(|p| p.entry == entry && p.point == point);
        let at = match known {
            Some(at) => at,
            None if points.len() == UserPoint::MOST => return Ok(Operands::default()),
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
        Ok(Operands::default())
    }

    fn set_task(self: &Arc<Self>, asked: &Asked<'_>) -> Given {
        use rows::set_task as row;
        let key = self.task_of(asked, row::TASK)?;
        let named = asked.operands.get_int(row::PURGETYPE);
        let is = |flag, name| {
            let value = cvda::value(name).map(i64::from);
            asked.operands.has(flag) || (named.is_some() && named == value)
        };
        let force = is(row::FORCEPURGE, "FORCEPURGE") || is(row::KILL, "KILL");
        if force || is(row::PURGE, "PURGE") {
            self.purge_task(key, force);
            return Ok(Operands::default());
        }
        condition(Condition::InvReq, if named.is_some() { 3 } else { 1 })
    }

    fn set_transaction(self: &Arc<Self>, asked: &Asked<'_>) -> Given {
        use rows::set_transaction as row;
        let operands = asked.operands;
        let enabled = match operands.get_int(row::STATUS) {
            Some(n) if Some(n) == cvda::value("ENABLED").map(i64::from) => Some(true),
            Some(n) if Some(n) == cvda::value("DISABLED").map(i64::from) => Some(false),
            Some(_) => return condition(Condition::InvReq, 3),
            None if operands.has(row::ENABLED) => Some(true),
            None => operands.has(row::DISABLED).then_some(false),
        };
        let priority = match operands.get_int(row::PRIORITY).map(u8::try_from) {
            Some(Err(_)) => return condition(Condition::InvReq, 5),
            known => known.and_then(Result::ok),
        };
        let runaway = match operands.get_int(row::RUNAWAY).map(u32::try_from) {
            Some(Err(_)) => return condition(Condition::InvReq, 10),
            known => known.and_then(Result::ok),
        };
        let serves = [
            row::TRANSACTION,
            row::STATUS,
            row::ENABLED,
            row::DISABLED,
            row::PRIORITY,
            row::RUNAWAY,
        ];
        asked.only(&serves)?;
        let mut state = self.lock();
        let defs = state.core.defs_mut();
        let name = operands.get_name(row::TRANSACTION).map(Name::from_bytes);
        let Some(number) = name.and_then(|name| defs.transaction(name)) else {
            return condition(Condition::TransIdErr, 7);
        };
        let def = &mut defs.transactions[number].def;
        def.enabled = enabled.unwrap_or(def.enabled);
        def.priority = priority.unwrap_or(def.priority);
        def.runaway_ms = runaway.or(def.runaway_ms);
        Ok(Operands::default())
    }

    fn set_tranclass(self: &Arc<Self>, asked: &Asked<'_>) -> Given {
        use rows::set_tranclass as row;
        let operands = asked.operands;
        asked.only(&[row::TRANCLASS, row::MAXACTIVE, row::PURGETHRESH])?;
        let limit = |option, most, resp2| match operands.get_int(option) {
            Some(n) if (0..=most).contains(&n) => Ok(Some(n as usize)),
            Some(_) => condition(Condition::InvReq, resp2),
            None => Ok(None),
        };
        let max_active = limit(row::MAXACTIVE, 999, 2)?;
        let threshold = limit(row::PURGETHRESH, 1_000_000, 3)?;
        let name = operands.get_name::<8>(row::TRANCLASS);
        self.with(|core, cx| {
            let classes = &mut core.defs_mut().classes;
            let of_name = |c: &crate::api::ClassDef| Some(*c.name.as_bytes()) == name;
            let Some(number) = classes.iter().position(of_name) else {
                return condition(Condition::TcIdErr, 1);
            };
            let class = &mut classes[number];
            class.max_active = max_active.unwrap_or(class.max_active);
            if let Some(threshold) = threshold {
                class.purge_threshold = (threshold > 0).then_some(threshold);
            }
            core.class_changed(cx, number);
            Ok(Operands::default())
        })
    }

    /// SET FILE: the switches count for the next command on the file, whatever
    /// worker it comes from.
    fn set_file(self: &Arc<Self>, asked: &Asked<'_>) -> Given {
        use rows::set_file as row;
        let switch = |option, yes, no, resp2| asked.switch(option, yes, no, resp2);
        let read = switch("READ", "READABLE", "NOTREADABLE", 11)?;
        let update = switch("UPDATE", "UPDATABLE", "NOTUPDATABLE", 13)?;
        let add = switch("ADD", "ADDABLE", "NOTADDABLE", 3)?;
        let delete = switch("DELETE", "DELETABLE", "NOTDELETABLE", 6)?;
        let browse = switch("BROWSE", "BROWSABLE", "NOTBROWSABLE", 4)?;
        let enabled = switch("ENABLESTATUS", "ENABLED", "DISABLED", 16)?;
        let closed = switch("OPENSTATUS", "CLOSED", "OPEN", 10)?;
        if asked
            .row
            .options
            .iter()
            .skip(usize::from(row::CFDTPOOL))
            .any(|o| asked.has(o.name))
        {
            return condition(Condition::InvReq, 1);
        }
        let name = asked.operands.get_name(row::FILE).map(Name::from_bytes);
        let mut kernel = self.kernel.lock();
        let files = &mut kernel.resources.files;
        let Some(file) = name.and_then(|name| files.entry_mut(name)) else {
            return condition(Condition::FileNotFound, 18);
        };
        file.read = read.unwrap_or(file.read);
        file.update = update.unwrap_or(file.update);
        file.add = add.unwrap_or(file.add);
        file.delete = delete.unwrap_or(file.delete);
        file.browse = browse.unwrap_or(file.browse);
        file.enabled = enabled.unwrap_or(file.enabled);
        // ENABLED ends UNENABLED too.
        file.closed = closed.unwrap_or(file.closed && enabled != Some(true));
        self.page.count_file_change();
        Ok(Operands::default())
    }

    /// The task that an option names by its number.
    fn task_of(&self, asked: &Asked<'_>, option: u8) -> Result<TaskKey, Failure> {
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

impl Asked<'_> {
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
    ) -> Result<Option<bool>, Failure> {
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

    /// INVREQ when there is an option beside these.
    fn only(&self, served: &[u8]) -> Result<(), Failure> {
        let known = served.iter().fold(0, |bits, index| bits | 1u128 << index);
        let own = (1u128 << self.row.options.len()) - 1;
        match self.operands.options & own & !known {
            0 => Ok(()),
            _ => condition(Condition::InvReq, 1),
        }
    }
}

fn done_or_illogic(done: bool) -> Given {
    match done {
        true => Ok(Operands::default()),
        false => condition(Condition::Illogic, 1),
    }
}

/// A text of the size that its option has.
fn padded(mut text: Vec<u8>, argument: Argument) -> Vec<u8> {
    if let Argument::Chars(size) = argument {
        text.resize(size.into(), b' ');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use cics::command::Served;

    #[test]
    fn the_rows_of_what_is_served_here_say_so() {
        for (number, _) in COMMANDS {
            let row = by_number(*number).expect("a row of the command table");
            assert_eq!(row.served, Served::Region, "{}", row.name);
            let in_kernel = crate::resources::commands().any(|(n, _)| n == *number);
            assert!(!in_kernel, "{}", row.name);
        }
    }
}
