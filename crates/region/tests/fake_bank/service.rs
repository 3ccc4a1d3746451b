//! The service that joins units for the data base, and the participant that
//! decides them.
//!
//! A worker adds rows over a connection that it is lent; the region commits over
//! its own copy, on a thread of the service.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use link::CallAnswer;
use region::{
    CommandService, Handle, LentDescriptor, Order, OutcomeReply, ParticipantId, ParticipantRole,
    ParticipantVote, ServiceCommand, TaskUnit, UnitId, UnitParticipant, UnitToken, WorkerRequest,
};

/// The command that it serves, and the option that has the number.
pub const COMMAND: u16 = 60_000;
const TEXT: u8 = 0;

/// A request to the service's thread.
type ThreadWork = Box<dyn FnOnce() + Send>;

/// The service.
#[derive(Debug)]
pub struct BankService {
    socket: PathBuf,
    id: OnceLock<ParticipantId>,
    sessions: Mutex<BankSessions>,
    works: Vec<Sender<ThreadWork>>,
}

#[derive(Debug, Default)]
struct BankSessions {
    units: BTreeMap<UnitId, LentDescriptor>,
    last_tag: u64,
}

/// The channel to a service's participant.
struct BankDecider(Arc<BankService>);

impl BankService {
    /// A service over the data base of a socket.
    pub fn new(socket: &str) -> Arc<BankService> {
        let works = (0..4).map(|_| {
            let (works, queue): (Sender<ThreadWork>, Receiver<ThreadWork>) = channel();
            std::thread::spawn(move || queue.iter().for_each(|work| work()));
            works
        });
        Arc::new(BankService {
            socket: socket.into(),
            id: OnceLock::new(),
            sessions: Mutex::default(),
            works: works.collect(),
        })
    }

    /// Takes part in the units of a region.
    pub fn join_region(self: &Arc<Self>, handle: &Handle) {
        let id = handle.add_participant(Arc::new(BankDecider(self.clone())));
        self.id.set(id).expect("one region");
    }

    /// A connection for the unit's worker, which must take it.
    fn connect(&self, unit: &TaskUnit) -> Option<u64> {
        let stream = UnixStream::connect(&self.socket).ok()?;
        let number = unit.join(*self.id.get()?).ok()?;
        let mut sessions = self.sessions.lock().expect("sessions");
        sessions.last_tag += 1;
        let tag = sessions.last_tag;
        // Without a session its unit is backed out.
        let lent = unit.lend(tag, stream.into()).ok()?;
        sessions.units.insert(number, lent);
        Some(tag)
    }

    fn end(&self, unit: UnitId) -> Option<LentDescriptor> {
        self.sessions.lock().expect("sessions").units.remove(&unit)
    }

    fn work(&self, unit: UnitId, work: impl FnOnce() + Send + 'static) {
        let at = (unit.0 % self.works.len() as u64) as usize;
        let _ = self.works[at].send(Box::new(work));
    }
}

impl CommandService for BankService {
    fn commands(&self) -> &'static [u16] {
        &[COMMAND]
    }

    fn serve(&self, command: ServiceCommand) {
        let failed = CallAnswer::of_abend(b"BASE");
        let text = command.operands.get_bytes(TEXT).unwrap_or_default();
        let row = [b"ROW ", text, b"\n"].concat();
        let unit = command.unit().expect("a task");
        let Some(tag) = self.connect(&unit) else {
            return command.answer(&failed);
        };
        let take = WorkerRequest {
            work: 1,
            tag,
            ..WorkerRequest::default()
        };
        let exchange = WorkerRequest {
            work: 2,
            tag,
            args: [64, 0, 0, 0],
            data: row,
        };
        let close = WorkerRequest {
            work: 3,
            tag,
            ..WorkerRequest::default()
        };
        command.ask_worker(&take, move |command, taken| {
            if taken.is_err() {
                return command.answer(&failed);
            }
            command.ask_worker(&exchange, move |command, reply| match reply {
                // The region's copy stays open.
                Ok(reply) if reply.data == b"row\n" => command.ask_worker(&close, |command, _| {
                    command.answer(&CallAnswer::default());
                }),
                _ => command.answer(&failed),
            });
        });
    }

    fn task_ended(&self, _: u64) {}

    fn metrics(&self, _: &mut String) {}
}

impl UnitParticipant for BankDecider {
    fn name(&self) -> &str {
        "base"
    }

    fn role(&self) -> ParticipantRole {
        ParticipantRole::Decides { prepares: false }
    }

    fn order(&self, unit: UnitId, _: Order, _: ParticipantVote) {
        if let Some(lent) = self.0.end(unit) {
            lent.take_back();
        }
    }

    fn decide(&self, unit: UnitId, token: UnitToken, reply: OutcomeReply) {
        let Some(lent) = self.0.end(unit) else {
            return reply.backed_out();
        };
        self.0.work(unit, move || {
            let mut stream = UnixStream::from(lent.into_own());
            if exchange(&mut stream, &format!("COMMIT {token}\n")).is_ok_and(|a| a == "done\n") {
                reply.committed();
            }
            let _ = stream.shutdown(std::net::Shutdown::Both);
        });
    }

    fn outcome(&self, unit: UnitId, token: UnitToken, reply: OutcomeReply) {
        let socket = self.0.socket.clone();
        self.0.work(unit, move || {
            let asked = UnixStream::connect(socket)
                .and_then(|mut stream| exchange(&mut stream, &format!("ASK {token}\n")));
            match asked.as_deref() {
                Ok("yes\n") => reply.committed(),
                Ok("no\n") => reply.backed_out(),
                _ => {}
            }
        });
    }
}

fn exchange(stream: &mut UnixStream, line: &str) -> io::Result<String> {
    stream.set_read_timeout(Some(Duration::from_secs(20)))?;
    stream.write_all(line.as_bytes())?;
    let mut answer = String::new();
    let mut byte = [0];
    while !answer.ends_with('\n') {
        stream.read_exact(&mut byte)?;
        answer.push(char::from(byte[0]));
    }
    Ok(answer)
}
