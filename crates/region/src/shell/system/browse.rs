//! INQUIRE of what can be browsed: by name, or START, NEXT and END.
//!
//! Reference: CICS system programming reference, "Browsing resource
//! definitions".

use std::sync::Arc;

use cics::command::commands as rows;
use cics::resp::Condition;
use link::CommandOperands;

use super::super::SharedRegion;
use super::super::clock::now_ns;
use super::view::{OptionValue, numbered_class};
use super::{CommandResult, SystemCommand};
use kernel::condition;
use kernel::resources::system::{NextName, ResourceKind, SystemBrowses};
use kernel::resources::temporary_storage::measure;

impl SharedRegion {
    /// INQUIRE of one resource, or a step of a browse.
    pub(super) fn browsable(
        &self,
        asked: &SystemCommand<'_>,
        kind: ResourceKind,
        not_found: Condition,
    ) -> CommandResult {
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
                Some(NextName::End) => return condition(Condition::End, 2),
                Some(NextName::Name(name)) => name,
            }
        } else {
            let mut name = asked.operands.get_bytes(0).unwrap_or_default().to_vec();
            name.resize(kind.name_bytes(), b' ');
            if !self.view(|view| view.names(kind)).contains(&name) {
                return condition(not_found, 1);
            }
            name
        };
        self.prepare(asked, kind, &name);
        let given = self.answer_options(asked, |view, option| {
            view.value(kind, &name, &timed(asked, option))
        })?;
        Ok(if has("NEXT") && kind != ResourceKind::Enqueue {
            given.bytes(0, name)
        } else {
            given
        })
    }

    fn browses<R>(&self, call: impl FnOnce(&mut SystemBrowses) -> R) -> R {
        call(&mut self.kernel.lock().resources.system)
    }

    /// INQUIRE TSQUEUE and TSQNAME.
    pub(super) fn ts_queue(self: &Arc<Self>, asked: &SystemCommand<'_>) -> CommandResult {
        let system = asked
            .option("SYSID")
            .and_then(|o| asked.operands.get_name(o));
        let system = system.map(link::Name::from_bytes);
        if !system.is_none_or(|s| s.is_blank() || s == self.config.sysid) || asked.has("POOLNAME") {
            return condition(Condition::SysIdErr, 4);
        }
        self.browsable(asked, ResourceKind::TsQueue, Condition::QIdErr)
    }

    /// INQUIRE UOWENQ: a browse of the locks of a unit of work, of the owners of a
    /// resource, or of everything.
    pub(super) fn enqueues(self: &Arc<Self>, asked: &SystemCommand<'_>) -> CommandResult {
        use rows::inquire_uowenq as row;
        if !asked.has("START") {
            return self.browsable(asked, ResourceKind::Enqueue, Condition::NotFnd);
        }
        let operands = asked.operands;
        let unit = operands.get_bytes(row::UOW);
        let resource =
            operands
                .get_bytes(row::RESOURCE)
                .map(|resource| match operands.get_int(row::RESLEN) {
                    Some(bytes) => &resource[..resource.len().min(bytes.max(0) as usize)],
                    None => resource.trim_ascii_end(),
                });
        let found: Vec<Vec<u8>> = self.view(|view| {
            let mut names = view.names(ResourceKind::Enqueue);
            names.retain(|name| view.enqueue_is_of(name, unit, resource));
            names
        });
        if unit.is_some_and(|unit| !self.is_unit(unit)) {
            return condition(Condition::UowNotFound, 1);
        }
        done_or_illogic(self.browses(|b| b.start_list(asked.key, ResourceKind::Enqueue, found)))
    }

    /// INQUIRE UOWLINK: a browse of the participants of one unit of work or of
    /// all, or one of them.
    pub(super) fn unit_links(self: &Arc<Self>, asked: &SystemCommand<'_>) -> CommandResult {
        use rows::inquire_uowlink as row;
        if !asked.has("START") {
            return self.browsable(asked, ResourceKind::UnitLink, Condition::UowLNotFound);
        }
        let unit = asked.operands.get_bytes(row::UOW);
        let found: Vec<Vec<u8>> = self.view(|view| {
            let mut names = view.names(ResourceKind::UnitLink);
            let of = |name: &[u8]| view.value(ResourceKind::UnitLink, name, "UOW");
            names.retain(|name| {
                unit.is_none_or(|u| of(name) == Some(OptionValue::Text(u.to_vec())))
            });
            names
        });
        if found.is_empty() && unit.is_some_and(|unit| !self.is_unit(unit)) {
            return condition(Condition::UowNotFound, 1);
        }
        done_or_illogic(self.browses(|b| b.start_list(asked.key, ResourceKind::UnitLink, found)))
    }

    /// Whether a unit of work has this name.
    pub(super) fn is_unit(&self, name: &[u8]) -> bool {
        let units = self.view(|view| view.names(ResourceKind::Unit));
        units.iter().any(|unit| unit == name)
    }

    /// INQUIRE ASSOCIATION LIST: the numbers of all tasks, or of those with
    /// such correlation data.
    pub(super) fn associations(self: &Arc<Self>, asked: &SystemCommand<'_>) -> CommandResult {
        use rows::inquire_association_list as row;
        let wanted = asked.operands.get_bytes(row::USERCORRDATA);
        let wanted = wanted.map(|data| data.trim_ascii_end().to_vec());
        let mut numbers: Vec<u64> = self.view(|view| {
            let keys = view.core.task_keys().into_iter();
            let tasks = keys.filter_map(|key| view.core.task(key));
            let of = |data: &[u8]| wanted.as_ref().is_none_or(|w| w == data.trim_ascii_end());
            let tasks = tasks.filter(|t| t.number > 0 && of(&t.correlation));
            tasks.map(|task| task.number).collect()
        });
        numbers.sort_unstable();
        let mut given = CommandOperands::default();
        if asked.operands.has(row::SET) {
            let list: Vec<u8> = numbers.iter().flat_map(|number| packed(*number)).collect();
            given = given.bytes(row::SET, list);
        }
        Ok(given.int(row::LISTSIZE, numbers.len() as i64))
    }

    /// INQUIRE TASK LIST: numbers and transactions of the tasks in order.
    pub(super) fn task_numbers(self: &Arc<Self>, asked: &SystemCommand<'_>) -> CommandResult {
        use rows::inquire_task_list as row;
        let all = ["DISPATCHABLE", "RUNNING", "SUSPENDED"];
        let any = !all.iter().any(|status| asked.has(status));
        let mut tasks: Vec<(u64, [u8; 4])> = self.view(|view| {
            let keys = view.core.task_keys().into_iter();
            keys.filter_map(|key| {
                let task = view.core.task(key)?;
                let wanted = any || asked.has(view.run_status(key, task));
                // One that is not admitted has no number yet.
                (wanted && task.number > 0).then_some((task.number, *task.transid.as_bytes()))
            })
            .collect()
        });
        tasks.sort_unstable();
        let mut numbers = Vec::new();
        let mut transids = Vec::new();
        for (number, transid) in &tasks {
            numbers.extend(packed(*number));
            transids.extend(transid);
        }
        let mut given = CommandOperands::default();
        let lists = [(row::SET, numbers), (row::SETTRANSID, transids)];
        for (option, list) in lists {
            if asked.operands.has(option) {
                given = given.bytes(option, list);
            }
        }
        Ok(given.int(row::LISTSIZE, tasks.len() as i64))
    }

    /// INQUIRE TCLASS: a class by its number.
    pub(super) fn numbered_class(self: &Arc<Self>, asked: &SystemCommand<'_>) -> CommandResult {
        let number = asked.operands.get_int(rows::inquire_tclass::TCLASS);
        let number = number.unwrap_or(0);
        let name = numbered_class(number).map(String::into_bytes);
        if name.is_none_or(|name| {
            !self
                .view(|view| view.names(ResourceKind::Class))
                .contains(&name)
        }) {
            return condition(Condition::TcIdErr, 1);
        }
        self.answer_options(asked, |view, option| view.numbered_class(number, option))
    }

    /// Reads from the store what INQUIRE needs to describe a queue.
    fn prepare(&self, asked: &SystemCommand<'_>, kind: ResourceKind, name: &[u8]) {
        let lengths = asked.has("MAXITEMLEN") || asked.has("MINITEMLEN");
        if let (ResourceKind::TsQueue, true, Ok(name)) = (kind, lengths, name.try_into()) {
            let mut kernel = self.kernel.lock();
            kernel.with(now_ns(), &mut Vec::new(), |resources, cx| {
                measure(&mut resources.temporary_storage, cx, name);
            });
        }
    }
}

fn done_or_illogic(done: bool) -> CommandResult {
    if done {
        Ok(CommandOperands::default())
    } else {
        condition(Condition::Illogic, 1)
    }
}

/// HOURS, MINUTES and SECONDS with the word before them, AFTER or AT.
fn timed<'o>(asked: &SystemCommand<'_>, option: &'o str) -> std::borrow::Cow<'o, str> {
    match option {
        "HOURS" | "MINUTES" | "SECONDS" if asked.has("AT") => format!("AT {option}").into(),
        "HOURS" | "MINUTES" | "SECONDS" => format!("AFTER {option}").into(),
        _ => option.into(),
    }
}

/// A task number as four bytes of packed decimal.
fn packed(number: u64) -> [u8; 4] {
    let mut out = [0; 4];
    let mut rest = number % 10_000_000;
    out[3] = ((rest % 10) << 4) as u8 | 0x0C;
    rest /= 10;
    for byte in out[..3].iter_mut().rev() {
        *byte = (rest % 10) as u8 | ((rest / 10 % 10) << 4) as u8;
        rest /= 100;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::packed;

    #[test]
    fn a_task_number_is_seven_digits_and_a_sign() {
        assert_eq!(packed(1_234_567), [0x12, 0x34, 0x56, 0x7C]);
        assert_eq!(packed(42), [0x00, 0x00, 0x04, 0x2C]);
    }
}
