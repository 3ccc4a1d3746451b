//! The values that INQUIRE returns for units of work, enqueues and STARTs that wait.
//!
//! A unit of work has the number of its task as its name. One that is prepared
//! for a coordinator elsewhere has a number of its own. A committed unit whose
//! end a participant does not know yet has the number that the participant knows.
//! An enqueue is named by its owner or waiter and what is locked.

use super::values::{OptionValue, RegionView, cvda, either, int, text};
use kernel::core::{TaskKey, TaskStage, TaskState};
use kernel::resources::interval::DELAY;
use kernel::resources::system::ResourceKind;
use kernel::{BranchId, LockName, LockSpace, PreparedTask, PreparedUnit, WaitOn};

const SECOND_NS: u64 = 1_000_000_000;
/// Bytes of an enqueue's name before the lock's own.
const HEAD: usize = 1 + 1 + 8 + 4;
const OWNER: u8 = 0;

/// A participant in a unit of work.
pub(super) struct UnitLink {
    pub(super) name: [u8; 4],
    unit: [u8; 8],
    participant: String,
    /// The participant decides the unit.
    coordinates: bool,
    /// The participant is connected, as far as is known.
    is_connected: bool,
}

impl RegionView<'_> {
    /// All names of a kind.
    pub(super) fn task_names(&self, kind: ResourceKind) -> Vec<Vec<u8>> {
        match kind {
            ResourceKind::Request => {
                let starts = self.kernel.resources.interval.waiting();
                let starts = starts.map(|name| name.to_vec());
                let delays = self.tasks().filter_map(|(key, _)| self.delayed(key));
                starts.chain(delays).collect()
            }
            ResourceKind::Unit => self
                .tasks()
                .filter(|(_, task)| {
                    matches!(
                        task.stage,
                        TaskStage::Submitted | TaskStage::Open | TaskStage::Ending
                    )
                })
                .map(|(_, task)| task.number)
                .chain(self.kernel.prepared().map(|unit| unit.number))
                .chain(self.kernel.open_decisions().map(|(unit, _)| unit.0))
                .map(|number| number.to_be_bytes().to_vec())
                .collect(),
            _ => self.enqueue_names(),
        }
    }

    fn tasks(&self) -> impl Iterator<Item = (TaskKey, &TaskState)> {
        let keys = self.core.task_keys().into_iter();
        keys.filter_map(|key| Some((key, self.core.task(key)?)))
    }

    fn numbered(&self, name: &[u8]) -> Option<(TaskKey, &TaskState)> {
        let number = u64::from_be_bytes(name.try_into().ok()?);
        self.tasks().find(|(_, task)| task.number == number)
    }

    /// The name of the DELAY that a task waits in.
    fn delayed(&self, key: TaskKey) -> Option<Vec<u8>> {
        match self.kernel.wait_of(key)?.0 {
            WaitOn::Event(event) if event.kind == DELAY => Some(event.key.to_vec()),
            _ => None,
        }
    }

    pub(super) fn request(&self, name: &[u8], option: &str) -> Option<OptionValue> {
        let start = self
            .kernel
            .resources
            .interval
            .request(name.try_into().ok()?);
        let delay = self
            .tasks()
            .find(|(key, _)| self.delayed(*key).as_deref() == Some(name));
        let (at, transid, userid) = match (&start, &delay) {
            (Some(start), _) => (start.at, start.transid, start.userid),
            (None, Some((key, task))) => (self.kernel.wait_until(*key)?, task.transid, task.userid),
            (None, None) => return None,
        };
        let left_s = at.saturating_sub(self.now).div_ceil(SECOND_NS);
        let day_s = self.kernel.settings().local_ns(at) / SECOND_NS % (24 * 3600);
        let (rtransid, rtermid) = match &start {
            Some(start) => (start.rtransid, start.rtermid),
            None => (None, None),
        };
        match option {
            "REQTYPE" => either(start.is_some(), "START", "DELAY"),
            "TRANSID" => text(transid.as_bytes()),
            "USERID" => text(userid.as_bytes()),
            "TERMID" => text(
                start
                    .map_or([b' '; 4], |s| *s.terminal.as_bytes())
                    .as_slice(),
            ),
            "INTERVAL" => int(hhmmss(left_s)),
            "TIME" => int(hhmmss(day_s)),
            "SET" => Some(OptionValue::Text(
                start.map_or(&[][..], |s| s.data).to_vec(),
            )),
            "LENGTH" => int(start.map_or(0, |s| s.data.len() as u64)),
            "FMHSTATUS" => cvda("NOFMH"),
            "RTRANSID" => text(&rtransid.unwrap_or([b' '; 4])),
            "RTERMID" => text(&rtermid.unwrap_or([b' '; 4])),
            "QUEUE" => text(&start.and_then(|s| s.queue).unwrap_or([b' '; 8])),
            // HOURS, MINUTES and SECONDS after the word AFTER or AT.
            "AFTER HOURS" => int(left_s / 3600),
            "AFTER MINUTES" => int(left_s / 60 % 60),
            "AFTER SECONDS" => int(left_s % 60),
            "AT HOURS" => int(day_s / 3600),
            "AT MINUTES" => int(day_s / 60 % 60),
            "AT SECONDS" => int(day_s % 60),
            _ => None,
        }
    }

    /// The participants in units of work except the store: those of running
    /// tasks, and those that do not know a decision yet.
    pub(super) fn unit_links(&self) -> impl Iterator<Item = UnitLink> {
        let running = self.tasks().flat_map(|(key, task)| {
            let names = self.kernel.participants_of(key);
            names.map(move |participant| (task.number, participant, true))
        });
        let open = self.kernel.open_decisions();
        let open = open.map(|(unit, participant)| (unit.0, participant.to_owned(), false));
        let running = running.map(|(unit, name, connected)| (unit, name.to_owned(), connected));
        let links = running.chain(open).map(|link| (link, false));
        let above = self.kernel.prepared().map(|unit| {
            let name = coordinator(&unit.branch);
            ((unit.number, name, false), true)
        });
        let links = links.chain(above).enumerate();
        links.map(
            |(at, ((unit, participant, connected), coordinates))| UnitLink {
                // Distinguishes the links that exist at one moment.
                name: ((unit as u32) << 8 | (at as u32 & 0xFF)).to_be_bytes(),
                unit: unit.to_be_bytes(),
                participant,
                coordinates,
                is_connected: connected,
            },
        )
    }

    pub(super) fn unit_link(&self, name: &[u8], option: &str) -> Option<OptionValue> {
        let link = self.unit_links().find(|link| link.name == name)?;
        // A region by its connection: `ipconn CONNECTION APPLID`.
        let region = link.participant.strip_prefix("ipconn ");
        let connection = region.and_then(|rest| rest.split(' ').next());
        let of_region = connection.is_some() || link.coordinates;
        match option {
            "HOST" | "NETUOWID" | "SYSID" | "RMIQFY" => text(b""),
            "LINK" => text(connection.unwrap_or(&link.participant).as_bytes()),
            "PORT" => int(0),
            "PROTOCOL" => either(of_region, "IPIC", "NOTAPPLIC"),
            "RESYNCSTATUS" => either(link.is_connected, "OK", "UNAVAILABLE"),
            "ROLE" => either(link.coordinates, "COORDINATOR", "SUBORDINATE"),
            "TYPE" => either(of_region, "IPCONN", "RMI"),
            "UOW" => text(&link.unit),
            _ => None,
        }
    }

    /// A unit that is prepared here, and waits or is being committed.
    fn prepared(&self, name: &[u8]) -> Option<PreparedUnit> {
        let mut all = self.kernel.prepared();
        all.find(|unit| unit.number.to_be_bytes() == name)
    }

    /// The values for a unit without a task: its task's number, transaction and
    /// user as they were, its partner, when it began to wait and its state.
    fn shunted(&self, name: &[u8], option: &str) -> Option<OptionValue> {
        let (of, partner, since_unix_ns, state) = match self.prepared(name) {
            Some(unit) => {
                let state = if unit.deciding { "COMMIT" } else { "INDOUBT" };
                let partner = coordinator(&unit.branch);
                (unit.task, partner, unit.since_unix_ns, state)
            }
            None => {
                let mut open = self.kernel.open_decisions();
                let (unit, name) = open.find(|(unit, _)| unit.0.to_be_bytes() == name)?;
                let partner = name.rsplit(' ').next().unwrap_or_default().to_owned();
                (PreparedTask::default(), partner, unit.0, "COMMIT")
            }
        };
        match option {
            "AGE" => {
                let now_ns = self.kernel.settings().unix_offset_ns + self.now;
                int(now_ns.saturating_sub(since_unix_ns) / SECOND_NS)
            }
            "LINK" | "NETNAME" => text(partner.as_bytes()),
            "SYSID" | "TERMID" => text(b""),
            "TASKID" => int(of.number),
            "TRANSID" => text(of.transid.as_bytes()),
            "UOWSTATE" => cvda(state),
            "USERID" => text(of.userid.as_bytes()),
            "WAITCAUSE" => cvda("CONNECTION"),
            "WAITSTATE" => cvda("SHUNTED"),
            _ => None,
        }
    }

    pub(super) fn unit(&self, name: &[u8], option: &str) -> Option<OptionValue> {
        let Some((key, task)) = self.numbered(name) else {
            return self.shunted(name, option);
        };
        let wait = self.kernel.wait_of(key);
        match option {
            "AGE" => {
                let since = wait.map_or(task.submitted, |(_, since)| since);
                int(self.now.saturating_sub(since) / SECOND_NS)
            }
            "LINK" | "NETNAME" | "SYSID" => text(b""),
            "TASKID" => int(task.number),
            "TERMID" => text(task.facility().as_bytes()),
            "TRANSID" => text(task.transid.as_bytes()),
            "UOWSTATE" => cvda("INFLIGHT"),
            "USERID" => text(task.userid.as_bytes()),
            "WAITCAUSE" => cvda("NOTAPPLIC"),
            "WAITSTATE" => either(wait.is_some(), "WAITING", "ACTIVE"),
            _ => None,
        }
    }

    /// Each lock with its owner, and with each of its waiters.
    fn enqueue_names(&self) -> Vec<Vec<u8>> {
        let mut names = Vec::new();
        for (lock, owner, waiters) in self.kernel.locks().each() {
            let owner = std::iter::once((OWNER, owner));
            let waiters = waiters.into_iter().map(|task| (OWNER + 1, task));
            for (relation, key) in owner.chain(waiters) {
                let number = self.core.task(key).map(|t| t.number);
                let number = number.or(key.unit_number()).unwrap_or(0);
                names.push(enqueue_name(lock, relation, number));
            }
        }
        names
    }

    /// Whether an enqueue is of a unit of work, and of a resource.
    pub fn enqueue_is_of(&self, name: &[u8], unit: Option<&[u8]>, resource: Option<&[u8]>) -> bool {
        let Some((_, _, number, ..)) = parts(name) else {
            return false;
        };
        unit.is_none_or(|unit| unit == number.to_be_bytes())
            && resource.is_none_or(|wanted| {
                self.locked(name)
                    .is_some_and(|(resource, _)| resource == wanted)
            })
    }

    /// The resource that is locked, and the part of it.
    fn locked(&self, name: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
        let (space, _, _, file, key) = parts(name)?;
        if space != tag(&LockSpace::Record(store::FileId(0))) {
            return Some((key.to_vec(), Vec::new()));
        }
        let files = &self.kernel.resources.files;
        let data_set = files.data_set_of(store::FileId(file)).unwrap_or_default();
        Some((data_set.into_bytes(), key.to_vec()))
    }

    pub(super) fn enqueue(&self, name: &[u8], option: &str) -> Option<OptionValue> {
        let (space, relation, number, ..) = parts(name)?;
        let (resource, qualifier) = self.locked(name)?;
        let retained = self.prepared(&number.to_be_bytes());
        match (option, &retained) {
            ("STATE", Some(_)) => return cvda("RETAINED"),
            ("TASKID", Some(unit)) => return int(unit.task.number),
            ("TRANSID", Some(unit)) => return text(unit.task.transid.as_bytes()),
            _ => {}
        }
        match option {
            "ENQFAILS" => int(0),
            "QUALIFIER" => text(&qualifier),
            "QUALLEN" => int(qualifier.len() as u64),
            "RELATION" => either(relation == OWNER, "OWNER", "WAITER"),
            "RESLEN" => int(resource.len() as u64),
            "RESOURCE" => text(&resource),
            "STATE" => cvda("ACTIVE"),
            "TASKID" => int(number),
            "TRANSID" => {
                let task = self.numbered(&number.to_be_bytes());
                text(
                    task.map_or([b' '; 4], |(_, t)| *t.transid.as_bytes())
                        .as_slice(),
                )
            }
            "TYPE" => cvda(match space {
                0 => "DATASET",
                1 => "EXECENQ",
                2 => "TSQUEUE",
                _ => "TDQUEUE",
            }),
            "UOW" => text(&number.to_be_bytes()),
            _ => None,
        }
    }
}

/// The coordinator of a branch, whose name comes first in it.
fn coordinator(branch: &BranchId) -> String {
    let bytes = branch.as_bytes();
    let name = bytes.get(..8).unwrap_or(bytes);
    String::from_utf8_lossy(name).trim_end().to_owned()
}

fn tag(space: &LockSpace) -> u8 {
    match space {
        LockSpace::Record(_) => 0,
        LockSpace::Enqueue => 1,
        LockSpace::TsQueue => 2,
        LockSpace::TdQueue => 3,
    }
}

fn enqueue_name(lock: &LockName, relation: u8, task: u64) -> Vec<u8> {
    let file = match lock.space {
        LockSpace::Record(file) => file.0,
        _ => 0,
    };
    let mut name = vec![tag(&lock.space), relation];
    name.extend(task.to_be_bytes());
    name.extend(file.to_be_bytes());
    name.extend_from_slice(&lock.key);
    name
}

/// Kind, relation, task, file and key of an enqueue's name.
fn parts(name: &[u8]) -> Option<(u8, u8, u64, u32, &[u8])> {
    let (head, key) = name.split_at_checked(HEAD)?;
    let task = u64::from_be_bytes(head[2..10].try_into().ok()?);
    let file = u32::from_be_bytes(head[10..].try_into().ok()?);
    Some((head[0], head[1], task, file, key))
}

fn hhmmss(seconds: u64) -> u64 {
    seconds / 3600 * 10_000 + seconds / 60 % 60 * 100 + seconds % 60
}
