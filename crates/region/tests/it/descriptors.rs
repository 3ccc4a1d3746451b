//! A service that lends its connections to workers, joins their units and decides
//! them. Its data base is a small server of a Unix socket.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::{Arc, Mutex, Weak};

use link::CallAnswer;
use region::{
    CommandService, Handle, JoinError, LentDescriptor, OpenTask, Order, OutcomeReply,
    ParticipantId, ParticipantRole, ParticipantVote, Region, RegionConfig, ServiceCommand,
    StoreEntry, TaskReply, TaskUnit, UnitId, UnitParticipant, UnitToken, WorkerRequest, block_on,
};

use crate::harness::{call_now, config, put, request, text, until};

/// The command that the service serves, and the option that has its text.
const COMMAND: u16 = 60_000;
const TEXT: u8 = 0;

/// What the server has committed, and whether it answers commits.
#[derive(Debug, Default)]
struct CommittedRows {
    rows: Vec<String>,
    tokens: BTreeSet<String>,
    loses_answers: bool,
}

/// Serves a connection: each message is added to its transaction and answered
/// with how many there are; `COMMIT TOKEN` commits, the end of the connection
/// backs out.
fn serve(mut stream: UnixStream, rows: &Mutex<CommittedRows>) {
    let mut pending = Vec::new();
    let mut bytes = [0; 256];
    while let Ok(n @ 1..) = stream.read(&mut bytes) {
        let message = String::from_utf8_lossy(&bytes[..n]).into_owned();
        let answer = match message.strip_prefix("COMMIT ") {
            Some(token) => {
                let mut rows = rows.lock().unwrap();
                rows.rows.append(&mut pending);
                rows.tokens.insert(token.to_owned());
                if rows.loses_answers {
                    return;
                }
                "done".to_owned()
            }
            None => {
                pending.push(message);
                pending.len().to_string()
            }
        };
        if stream.write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}

fn server(path: &Path) -> Arc<Mutex<CommittedRows>> {
    let listener = UnixListener::bind(path).unwrap();
    let rows = Arc::new(Mutex::new(CommittedRows::default()));
    let of_server = rows.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let rows = of_server.clone();
            std::thread::spawn(move || serve(stream, &rows));
        }
    });
    rows
}

/// The service: a session for each unit.
#[derive(Debug)]
struct RowService {
    socket: std::path::PathBuf,
    inner: Mutex<RowServiceState>,
    /// The state of the server, for queries of outcomes.
    rows: Arc<Mutex<CommittedRows>>,
    me: Weak<RowService>,
}

#[derive(Debug, Default)]
struct RowServiceState {
    id: Option<ParticipantId>,
    units: BTreeMap<UnitId, (TaskUnit, LentDescriptor)>,
    last_tag: u64,
}

impl RowService {
    fn new(socket: &Path, rows: Arc<Mutex<CommittedRows>>) -> Arc<RowService> {
        Arc::new_cyclic(|me| RowService {
            socket: socket.to_owned(),
            inner: Mutex::default(),
            rows: rows.clone(),
            me: me.clone(),
        })
    }

    fn join_region(&self, handle: &Handle) {
        let service = self.me.upgrade().unwrap();
        let id = handle.add_participant(service);
        self.inner.lock().unwrap().id = Some(id);
    }

    /// Lends the unit's worker a connection, unless it has one. Returns its tag, and
    /// whether the worker must take it.
    fn connection(&self, unit: &TaskUnit) -> Result<(u64, bool), &'static str> {
        let mut inner = self.inner.lock().unwrap();
        let id = inner.id.expect("a region");
        let number = unit.join(id).map_err(|error| match error {
            JoinError::Branch => "branch",
            _ => "ending",
        })?;
        if let Some((_, lent)) = inner.units.get(&number) {
            let there = unit.has(lent);
            return there.then_some((lent.tag(), false)).ok_or("another worker");
        }
        inner.last_tag += 1;
        let tag = inner.last_tag;
        let stream = UnixStream::connect(&self.socket).unwrap();
        let lent = unit.lend(tag, stream.into()).map_err(|_| "no worker")?;
        assert!(unit.pin());
        inner.units.insert(number, (unit.clone(), lent));
        Ok((tag, true))
    }

    /// The region's copy of a unit's connection, which nothing else uses any more.
    fn end(&self, unit: UnitId) -> Option<(TaskUnit, LentDescriptor)> {
        self.inner.lock().unwrap().units.remove(&unit)
    }
}

impl CommandService for RowService {
    fn commands(&self) -> &'static [u16] {
        &[COMMAND]
    }

    fn serve(&self, command: ServiceCommand) {
        let unit = command.unit().expect("a task");
        let data = command.operands.get_bytes(TEXT).unwrap().to_vec();
        let (tag, take) = match self.connection(&unit) {
            Ok(connection) => connection,
            Err(why) => return command.answer(&CallAnswer::of_data(why.into())),
        };
        let exchange = WorkerRequest {
            work: 2,
            tag,
            args: [64, 0, 0, 0],
            data,
        };
        let talk = move |command: ServiceCommand| {
            command.ask_worker(&exchange, |command, reply| {
                let data = reply.map(|reply| reply.data).unwrap_or_default();
                command.answer(&CallAnswer::of_data(data));
            });
        };
        if take {
            let request = WorkerRequest {
                work: 1,
                tag,
                ..WorkerRequest::default()
            };
            command.ask_worker(&request, move |command, _| talk(command));
        } else {
            talk(command);
        }
    }

    fn task_ended(&self, _: u64) {}

    fn metrics(&self, _: &mut String) {}
}

impl UnitParticipant for RowService {
    fn name(&self) -> &str {
        "base"
    }

    fn role(&self) -> ParticipantRole {
        ParticipantRole::Decides { prepares: false }
    }

    fn order(&self, unit: UnitId, order: Order, vote: ParticipantVote) {
        if order == Order::CommitOnePhase
            && let Some((_, lent)) = self.end(unit)
        {
            let mut stream = UnixStream::from(lent.into_own());
            let mut answer = [0; 4];
            let sent = stream.write_all(b"COMMIT alone");
            if sent.and_then(|()| stream.read_exact(&mut answer)).is_ok() {
                vote.yes();
            }
        } else if let Some((unit, lent)) = self.end(unit) {
            unit.unpin();
            lent.take_back();
        }
    }

    fn decide(&self, unit: UnitId, token: UnitToken, reply: OutcomeReply) {
        let Some((unit, lent)) = self.end(unit) else {
            return reply.backed_out();
        };
        unit.unpin();
        let mut stream = UnixStream::from(lent.into_own());
        let mut answer = [0; 4];
        let sent = stream.write_all(format!("COMMIT {token}").as_bytes());
        if sent.and_then(|()| stream.read_exact(&mut answer)).is_ok() {
            reply.committed();
        }
    }

    fn outcome(&self, _: UnitId, token: UnitToken, reply: OutcomeReply) {
        let rows = self.rows.lock().unwrap();
        let committed = rows.tokens.contains(&token.to_string());
        drop(rows);
        if committed {
            reply.committed();
        } else {
            reply.backed_out();
        }
    }
}

fn with_base(folder: &Path) -> (RegionConfig, Arc<RowService>, Arc<Mutex<CommittedRows>>) {
    let socket = folder.join("base");
    let rows = server(&socket);
    let service = RowService::new(&socket, rows.clone());
    let config = RegionConfig {
        services: vec![service.clone()],
        store: Some(StoreEntry {
            path: folder.join("store"),
            map_bytes: 1 << 26,
            max_readers: 64,
            ..StoreEntry::default()
        }),
        ..config()
    };
    (config, service, rows)
}

async fn run(task: &mut OpenTask, program: &str, commarea: &str) -> TaskReply {
    let name = program.parse().unwrap();
    let mut run = task.run(name, 0).await.expect("it goes on").unwrap();
    put(&mut run, commarea);
    let reply = run.run().await;
    task.ran(&reply);
    reply
}

#[test]
fn a_worker_talks_over_a_connection_that_it_was_lent_and_the_region_commits() {
    let folder = tempfile::tempdir().unwrap();
    let (config, service, rows) = with_base(folder.path());
    let region = Region::start(config).unwrap();
    service.join_region(&region.handle());
    let reply = call_now(
        &region,
        "TALK",
        "60000 first\n60000 second\nsync\n60000 third",
    );
    assert_eq!(text(&reply), "1\n2\n\n1");
    until("the end of the last unit", || {
        rows.lock().unwrap().rows.len() == 3
    });
    assert_eq!(rows.lock().unwrap().rows, ["first", "second", "third"]);
    block_on(region.shutdown());
}

#[test]
fn the_runs_of_an_open_task_go_to_the_worker_that_has_the_connection() {
    let folder = tempfile::tempdir().unwrap();
    let (config, service, rows) = with_base(folder.path());
    let region = Region::start(RegionConfig {
        min_workers: 3,
        ..config
    })
    .unwrap();
    service.join_region(&region.handle());
    block_on(async {
        let handle = region.handle();
        let port = handle.default_port();
        let mut task = handle.begin_open(&port, request("SCRIPT")).await.unwrap();
        for n in 1..=5 {
            let reply = run(&mut task, "TALK", "60000 row").await;
            assert_eq!(text(&reply), n.to_string(), "another connection");
            // Other tasks use workers meanwhile.
            let mut other = handle.begin(&port, request("UPPER")).await.unwrap();
            put(&mut other, "x");
            assert_eq!(text(&other.run().await), "X");
        }
        let (outcome, _) = task.end(None, 0).await;
        assert_eq!(outcome, region::TaskOutcome::Ok);
    });
    assert_eq!(rows.lock().unwrap().rows.len(), 5);
    block_on(region.shutdown());
}

#[test]
fn what_was_lent_is_taken_back_from_a_unit_that_is_backed_out() {
    let folder = tempfile::tempdir().unwrap();
    let (config, service, rows) = with_base(folder.path());
    let region = Region::start(config).unwrap();
    service.join_region(&region.handle());
    block_on(async {
        let handle = region.handle();
        let port = handle.default_port();
        let mut task = handle.begin_open(&port, request("SCRIPT")).await.unwrap();
        assert_eq!(text(&run(&mut task, "TALK", "60000 row").await), "1");
        drop(task);
    });
    until("the take-back", || {
        service.inner.lock().unwrap().units.is_empty()
    });
    assert!(rows.lock().unwrap().rows.is_empty());
    block_on(region.shutdown());
}

#[test]
fn a_decider_may_not_join_a_branch_of_another_region() {
    let folder = tempfile::tempdir().unwrap();
    let (config, service, _) = with_base(folder.path());
    let region = Region::start(config).unwrap();
    service.join_region(&region.handle());
    block_on(async {
        let handle = region.handle();
        let port = handle.default_port();
        let mut task = handle.begin_open(&port, request("SCRIPT")).await.unwrap();
        task.set_branch();
        assert_eq!(text(&run(&mut task, "TALK", "60000 row").await), "branch");
        task.end(None, 0).await;
    });
    block_on(region.shutdown());
}
