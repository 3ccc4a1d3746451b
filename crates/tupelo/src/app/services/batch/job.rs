//! One job: its messages, the task that represents it, and its commits.
//!
//! A request is first tried without waiting. If the record is locked, the job's own
//! changes are committed, and then the request waits for the lock. A job that holds its
//! changes (a program with EXEC SQL) commits them itself; with changes in SQL the SQL server
//! decides, over the job's own session.

use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use batch::region_files::{FrameBuffer, JobRequest, Response, VERSION, status_of};
use batch::status::Status;
use cics::resp::Condition;
use database::SqlService;
use region::{
    Abend, CallAnswer, CallOperation, Handle, Name, OpenTask, TaskRequest, UnitToken, UserId,
};
use store::FileId;

use super::catalogue;
use crate::app::definitions::JOBS;
use crate::log::SERVE;

/// Number of changes after which they are committed.
const MOST_CHANGES: u32 = 500;
/// Time after which changes are committed while more of them come.
const COMMIT_AFTER: Duration = Duration::from_millis(20);
/// Time without a message after which changes are committed.
const QUIET: Duration = Duration::from_millis(5);
/// How often an idle job's connection is checked.
const POLL_INTERVAL: Duration = Duration::from_millis(200);
/// Record numbers of an RRDS that are tried while other tasks add records at its end.
const TRIES: usize = 100;

/// Longest wait of a job for the end of those that were killed before it.
const ENDING_LIMIT: Duration = Duration::from_secs(35);
/// Interval of looking whether they have ended.
const ENDING_INTERVAL: Duration = Duration::from_millis(5);

/// The connections of jobs whose tasks are not over.
static OPEN_JOBS: Mutex<Vec<Arc<UnixStream>>> = Mutex::new(Vec::new());

/// An entry of [`OPEN_JOBS`].
struct OpenJob(Arc<UnixStream>);

impl OpenJob {
    fn new(stream: &UnixStream) -> io::Result<OpenJob> {
        let stream = Arc::new(stream.try_clone()?);
        open_jobs().push(stream.clone());
        Ok(OpenJob(stream))
    }
}

impl Drop for OpenJob {
    fn drop(&mut self) {
        open_jobs().retain(|other| !Arc::ptr_eq(other, &self.0));
    }
}

fn open_jobs() -> MutexGuard<'static, Vec<Arc<UnixStream>>> {
    OPEN_JOBS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits for the units of jobs that were killed: the SQL of such a unit may be committed, and
/// the region applies its files a moment later, or when the SQL server, which may have ended
/// with the job, answers again. A job that is started again sees both.
fn wait_for_killed_jobs(region: &Handle) {
    let begun = Instant::now();
    let wait_while = |are_ending: &dyn Fn() -> bool| {
        while are_ending() && begun.elapsed() < ENDING_LIMIT {
            std::thread::sleep(ENDING_INTERVAL);
        }
    };
    wait_while(&|| open_jobs().iter().any(|stream| has_left(stream)));
    // Not those of other jobs that come later.
    let in_doubt = || {
        let units = region.in_doubt_units().into_iter();
        units.filter(|unit| unit.task.transid.to_string() == JOBS)
    };
    let earlier: Vec<_> = in_doubt().map(|unit| unit.token).collect();
    wait_while(&|| !earlier.is_empty() && in_doubt().any(|u| earlier.contains(&u.token)));
}

/// Whether the job's end of a connection is closed.
fn has_left(stream: &UnixStream) -> bool {
    let mut poll = libc::pollfd {
        fd: stream.as_raw_fd(),
        events: libc::POLLRDHUP,
        revents: 0,
    };
    // SAFETY: one entry.
    let ready = unsafe { libc::poll(&raw mut poll, 1, 0) };
    ready == 1 && poll.revents & (libc::POLLRDHUP | libc::POLLHUP) != 0
}

/// Serves a job from its first message to the end of its connection.
pub async fn serve(region: &Handle, user: UserId, stream: UnixStream, sql: Option<&SqlService>) {
    let (mut stream, mut frames) = (stream, FrameBuffer::default());
    let begun = begin(region, user, &mut stream, &mut frames).await;
    let (task, program, _open) = match begun {
        Ok(Some((task, program))) => match OpenJob::new(&stream) {
            Ok(open) => (task, program, open),
            Err(error) => {
                tracing::warn!(target: SERVE, program, %error, "a batch job cannot be served");
                return;
            }
        },
        Ok(None) => return,
        Err(error) => {
            tracing::debug!(target: SERVE, %error, "a batch job sent no valid first message");
            return;
        }
    };
    let mut job = ConnectedJob {
        region,
        sql,
        holds_changes: false,
        purged: task.purged(),
        task,
        commits: 0,
        pending: 0,
        since: None,
        failed: false,
    };
    let ended = job.run(&mut stream, &mut frames).await;
    if let Err(error) = ended
        && error.kind() != io::ErrorKind::UnexpectedEof
    {
        tracing::warn!(target: SERVE, program, %error, "the connection of a batch job is lost");
    }
    // Acknowledged changes are committed, however the job ended, unless the job commits them
    // itself.
    let open_unit = job.holds_changes && job.pending > 0;
    job.task.end(open_unit.then(ended_in_unit), 0).await;
}

/// Receives the job's first message and begins its task. Returns `None` if the job is
/// rejected.
async fn begin(
    region: &Handle,
    user: UserId,
    stream: &mut UnixStream,
    frames: &mut FrameBuffer,
) -> io::Result<Option<(OpenTask, String)>> {
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    let hello = frames.next(stream)?.and_then(JobRequest::parse);
    let Some(JobRequest::Hello { version, program }) = hello else {
        return Err(io::ErrorKind::InvalidData.into());
    };
    let program = String::from_utf8_lossy(program).into_owned();
    wait_for_killed_jobs(region);
    let refused = if version != VERSION {
        "the region and this program have different versions: stop the region to change its files"
            .to_owned()
    } else {
        let request = TaskRequest {
            transid: JOBS.parse().unwrap_or_default(),
            program: program.parse().unwrap_or_default(),
            userid: user,
            ..TaskRequest::default()
        };
        match region.begin_open(&region.default_port(), request).await {
            Ok(task) => {
                send_response(stream, &Response::done(0))?;
                return Ok(Some((task, program)));
            }
            Err(refusal) => format!("the region accepts no job: {refusal}"),
        }
    };
    send_response(stream, &Response::with(Status::IN_USE, 0, refused))?;
    Ok(None)
}

/// The abend of a job that ended before it committed its unit of work.
fn ended_in_unit() -> Abend {
    Abend {
        code: *b"AEXY",
        program: Name::BLANK,
        line: 0,
        message: "the batch job ended before it committed its unit of work".to_owned(),
    }
}

struct ConnectedJob<'r> {
    region: &'r Handle,
    /// EXEC SQL of the region, which is asked for outcomes.
    sql: Option<&'r SqlService>,
    /// Changes are committed when the job orders it only.
    holds_changes: bool,
    task: OpenTask,
    purged: Arc<AtomicBool>,
    /// Number of commits.
    commits: u64,
    /// Number of changes that are not committed.
    pending: u32,
    /// When the first of them was made.
    since: Option<Instant>,
    /// Changes were lost, and the job has not been notified.
    failed: bool,
}

impl ConnectedJob<'_> {
    async fn run(&mut self, stream: &mut UnixStream, frames: &mut FrameBuffer) -> io::Result<()> {
        let mut waits = Duration::ZERO;
        loop {
            let limit = if self.pending > 0 && !self.holds_changes {
                QUIET
            } else {
                POLL_INTERVAL
            };
            if waits != limit {
                stream.set_read_timeout(Some(limit))?;
                waits = limit;
            }
            if self.purged.load(Ordering::SeqCst) {
                return send_response(stream, &self.over());
            }
            let Some(frame) = frames.next(stream)? else {
                self.commit_unless_held().await;
                continue;
            };
            let ask = JobRequest::parse(frame).ok_or(io::ErrorKind::InvalidData)?;
            let response = match ask {
                JobRequest::Prepare { server } => {
                    let server = String::from_utf8_lossy(server).into_owned();
                    self.commit_with_sql(stream, &server).await
                }
                ask => self.serve(ask).await,
            };
            send_response(stream, &response)?;
            let is_due = self
                .since
                .is_some_and(|since| since.elapsed() >= COMMIT_AFTER);
            if is_due || self.pending >= MOST_CHANGES {
                self.commit_unless_held().await;
            }
        }
    }

    /// The response to a job whose task was purged.
    fn over(&self) -> Response {
        let text = format!("its task {} in the region was purged", self.task.number());
        Response::with(Status::PERMANENT, self.commits, text)
    }

    async fn serve(&mut self, ask: JobRequest<'_>) -> Response {
        let (op, file, key, record) = match ask {
            JobRequest::Hold { file, key } => (CallOperation::Read, file, key, &[][..]),
            JobRequest::Free { file, key } => (CallOperation::Unlock, file, key, &[][..]),
            JobRequest::Insert { file, key, record } => (CallOperation::Write, file, key, record),
            JobRequest::Append { file, record } => (CallOperation::Write, file, &[][..], record),
            JobRequest::Replace { file, key, record } => {
                (CallOperation::Rewrite, file, key, record)
            }
            JobRequest::Delete { file, key } => (CallOperation::Delete, file, key, &[][..]),
            JobRequest::Command { text } => {
                self.commit().await;
                return self.command(text);
            }
            JobRequest::HoldChanges => {
                self.commit().await;
                self.holds_changes = true;
                return Response::done(self.commits);
            }
            JobRequest::BackOut => {
                self.back_out().await;
                return Response::done(self.commits);
            }
            JobRequest::Prepare { .. } | JobRequest::Outcome { .. } => {
                let text = "no unit of work of the job waits for an outcome".to_owned();
                return Response::with(Status::LOGIC, self.commits, text);
            }
            JobRequest::Flush | JobRequest::Look | JobRequest::Hello { .. } => {
                if ask == JobRequest::Flush {
                    self.commit().await;
                }
                return if std::mem::take(&mut self.failed) {
                    self.lost()
                } else {
                    Response::done(self.commits)
                };
            }
        };
        if std::mem::take(&mut self.failed) {
            return self.lost();
        }
        let answer = self.record(op, FileId(file), key, record).await;
        let (status, text) = self.status(&answer, file, key);
        if status.is_done() && !matches!(op, CallOperation::Read | CallOperation::Unlock) {
            self.pending += 1;
            self.since.get_or_insert_with(Instant::now);
        }
        Response {
            key: answer.data,
            ..Response::with(status, self.commits, text)
        }
    }

    /// Runs an IDCAMS command on the catalogue.
    fn command(&self, text: &[u8]) -> Response {
        let done = catalogue::done(self.region, &String::from_utf8_lossy(text));
        let (status, text) = match done {
            Ok(text) => (Status::OK, text),
            Err((status, text)) => (status, text),
        };
        Response::with(status, self.commits, text)
    }

    /// Tries the request at once; if a lock is held, commits what is pending and waits.
    async fn record(
        &mut self,
        op: CallOperation,
        file: FileId,
        key: &[u8],
        record: &[u8],
    ) -> CallAnswer {
        let mut answer = self.task.record(op, file, false, key, record).await;
        let mut tries = 0;
        while answer.condition == Condition::RecordBusy && tries < TRIES {
            tries += 1;
            self.commit_unless_held().await;
            answer = self.task.record(op, file, true, key, record).await;
        }
        answer
    }

    /// The file status for the program and the text for a person.
    fn status(&self, answer: &CallAnswer, file: u32, key: &[u8]) -> (Status, String) {
        match answer.abend.as_bytes() {
            b"    " => {}
            b"AFCF" => return (Status::IN_USE, self.locked(file, key)),
            b"AEXY" => return (Status::PERMANENT, self.over().text),
            _ => {
                return (
                    Status::PERMANENT,
                    format!("the region reports {}", answer.abend),
                );
            }
        }
        let text = match answer.condition {
            Condition::Normal | Condition::NotFnd | Condition::DupRec => String::new(),
            condition => format!("the region reports {condition}, RESP2 {}", answer.resp2),
        };
        (status_of(answer.condition), text)
    }

    /// The holder of the record whose lock could not be had in time.
    fn locked(&self, file: u32, key: &[u8]) -> String {
        match self.region.record_owner(FileId(file), key) {
            Some((task, transid)) => format!(
                "task {task} ({transid}) has the record {} locked",
                key.escape_ascii()
            ),
            None => "another task had the record locked for too long".to_owned(),
        }
    }

    fn lost(&self) -> Response {
        let text = "earlier changes could not be stored; the region's log has the reason";
        Response::with(Status::PERMANENT, self.commits, text.to_owned())
    }

    /// Commits what is pending, if the job does not do that itself.
    async fn commit_unless_held(&mut self) {
        if !self.holds_changes {
            self.commit().await;
        }
    }

    /// Backs out what is pending. Changes to files that are not recoverable are committed.
    async fn back_out(&mut self) {
        let op = CallOperation::Rollback;
        let taken = self.task.record(op, FileId(0), false, &[], &[]).await;
        if taken.condition == Condition::Normal && taken.abend.is_blank() {
            self.pending += 1;
            self.commit().await;
        } else {
            self.drop_unit().await;
        }
    }

    /// Backs out what is pending, whatever the files are.
    async fn drop_unit(&mut self) {
        self.pending = 0;
        self.since = None;
        let (op, none) = (CallOperation::Rollback, Vec::new());
        self.task.call(op, [0; 8], none).await;
        self.commits += 1;
    }

    /// Commits a unit that has changes in SQL: the store keeps it, the job's session commits
    /// with the token that it is sent, and the store applies.
    async fn commit_with_sql(&mut self, stream: &UnixStream, server: &str) -> Response {
        if let Err(why) = self.join_sql(stream, server) {
            self.drop_unit().await;
            return Response::with(Status::PERMANENT, self.commits, why);
        }
        let before = self.commits;
        self.pending += 1;
        self.commit().await;
        debug_assert!(self.commits > before);
        if std::mem::take(&mut self.failed) {
            let text =
                "the unit of work was backed out, or is in doubt; the region's log has the reason";
            return Response::with(Status::PERMANENT, self.commits, text.to_owned());
        }
        Response::done(self.commits)
    }

    /// Has the job's SQL decide the unit.
    fn join_sql(&self, stream: &UnixStream, server: &str) -> Result<(), String> {
        let sql = self.sql.ok_or("the region has no EXEC SQL")?;
        let own = sql.server().location();
        if own != server {
            return Err(format!(
                "the region uses SQL server {own}, and the job {server}: restart the region"
            ));
        }
        let stream = stream.try_clone().map_err(|error| error.to_string())?;
        let commits = self.commits;
        let commit = move |token| decided_by_job(stream, commits, token);
        let joined = sql.join_for_job(&self.task, Box::new(commit));
        joined.map_err(|error| error.to_string())
    }

    /// Commits what is pending.
    async fn commit(&mut self) {
        if std::mem::take(&mut self.pending) > 0 {
            let answer = self
                .task
                .call(CallOperation::Syncpoint, [0; 8], Vec::new())
                .await;
            self.failed |= answer.condition != Condition::Normal || !answer.abend.is_blank();
            self.commits += 1;
            self.since = None;
        }
    }
}

/// Sends the job the token of its unit, and receives the outcome. `None` if the job has ended,
/// or does not know.
fn decided_by_job(mut stream: UnixStream, commits: u64, token: UnitToken) -> Option<bool> {
    let response = Response {
        key: token.as_bytes().to_vec(),
        ..Response::done(commits)
    };
    send_response(&mut stream, &response).ok()?;
    let mut frames = FrameBuffer::default();
    loop {
        match frames.next(&mut stream) {
            Ok(None) => {}
            Ok(Some(frame)) => match JobRequest::parse(frame)? {
                JobRequest::Outcome { committed } => return committed,
                _ => return None,
            },
            Err(_) => return None,
        }
    }
}

fn send_response(stream: &mut UnixStream, response: &Response) -> io::Result<()> {
    let mut bytes = Vec::new();
    response.emit(&mut bytes);
    stream.write_all(&bytes)
}
