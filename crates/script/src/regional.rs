//! The region as a script's host: an open task.
//!
//! A call to the region, a LINK and a wait for children leave the script's
//! stack until they are done. A LINK runs the program in a worker within the
//! unit of work of the script's task; a LINK to another script lends that the
//! task for as long.

use std::cell::Cell;
use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::Poll;
use std::time::Instant;

use cics::resp::Condition;
use link::program_link::MAX_COMMAREA;
use link::{CallAnswer, CallOperation, ChannelData};
use region::{
    Handle, LinkData, NotRun, Port, PutError, StartRefusal, Task, TaskOutcome, TaskReply,
    TaskRequest,
};
use tokio::sync::Semaphore;
use tokio::task::spawn_local;

use crate::engine::{Request, ScriptAnswer as Given};
use crate::failure;
use crate::fiber;
use crate::host::{
    AbendInfo, Fault, HostEvent, LogLevel, ProgramInput, ProgramOutput, ScriptHost, TaskAttributes,
};
use crate::lines;
use crate::place::{EngineThread, ScriptJob};
use crate::pool::ScriptGeneration;
use crate::stream::Client;
use crate::work::{self, ScriptTask};

type Child = Pin<Box<dyn Future<Output = HostEvent>>>;

/// A script that linked to another, and lends that its task.
#[derive(Default)]
pub struct LinkingScript {
    /// The finished task, with the nanoseconds that were used.
    back: Cell<Option<(ScriptTask, u64)>>,
    /// Scripts that wait for it and for one another.
    depth: usize,
}

/// Scripts of a task that may wait for one another.
const MOST_LINKED: usize = 16;

/// A task of the region, as the host of the script that runs in it.
pub struct RegionHost {
    region: Handle,
    port: Port,
    place: Rc<EngineThread>,
    edition: Arc<ScriptGeneration>,
    task: Option<ScriptTask>,
    /// The script that linked to this one.
    lender: Option<Rc<LinkingScript>>,
    client: Option<Client>,
    /// CPU time of scripts that this one linked to.
    linked_ns: u64,
    facts: TaskAttributes,
    script: String,
    children: Vec<(u32, Child)>,
    /// Children that are tasks.
    tasks: usize,
    /// Places of those that continue at once.
    at_once: Arc<Semaphore>,
    /// Bytes that children were given.
    given_bytes: Rc<Cell<usize>>,
}

/// Bytes of a child's input, counted until the child ends.
struct CountedInput(Rc<Cell<usize>>, usize);

impl Drop for CountedInput {
    fn drop(&mut self) {
        self.0.set(self.0.get().saturating_sub(self.1));
    }
}

impl RegionHost {
    /// The host of a script in this task, at a place.
    pub fn new(
        place: &Rc<EngineThread>,
        edition: &Arc<ScriptGeneration>,
        task: ScriptTask,
        facts: TaskAttributes,
        script: &str,
    ) -> RegionHost {
        RegionHost {
            region: place.region().clone(),
            port: place.port().clone(),
            place: place.clone(),
            edition: edition.clone(),
            task: Some(task),
            lender: None,
            client: None,
            linked_ns: 0,
            facts,
            script: script.to_owned(),
            children: Vec::new(),
            tasks: 0,
            at_once: Arc::new(Semaphore::new(MOST_AT_ONCE)),
            given_bytes: Rc::default(),
        }
    }

    /// Counts the input of a child. Returns `None` when all of them together would exceed
    /// the limit of a script.
    fn hold(&self, bytes: usize) -> Option<CountedInput> {
        let all = self.given_bytes.get() + bytes;
        let held = all <= self.edition.limits.memory_bytes;
        held.then(|| {
            self.given_bytes.set(all);
            CountedInput(self.given_bytes.clone(), bytes)
        })
    }

    /// The answer may go to this client by parts.
    pub fn answering(mut self, client: Option<Client>) -> RegionHost {
        self.client = client;
        self
    }

    /// Another script linked to this one, and lends it the task.
    pub fn lent_by(mut self, lender: Option<Rc<LinkingScript>>) -> RegionHost {
        self.lender = lender;
        self
    }

    /// LINK to another script, which has the task until it returns.
    fn link_script(
        &mut self,
        program: &str,
        script: Arc<str>,
        input: ProgramInput<'_>,
    ) -> Result<ProgramOutput, Fault> {
        let depth = 1 + match (&self.lender, &self.task) {
            (Some(lender), _) => lender.depth,
            (None, Some(ScriptTask::Guest(task))) => task.depth(),
            _ => 0,
        };
        if depth > MOST_LINKED {
            let text = format!("more than {MOST_LINKED} scripts wait for one another");
            return Err(Fault::abend(failure::NESTED, text));
        }
        let Some(work) = self.task.take() else {
            return Err(Fault::abend("AEXY", "the task has ended"));
        };
        let request = Request {
            method: "LINK".into(),
            call: Some((program.to_owned(), passed(input))),
            ..Request::default()
        };
        let job = ScriptJob {
            edition: self.edition.clone(),
            script,
            request,
            work,
            client: None,
        };
        let lender = Rc::new(LinkingScript {
            depth,
            ..LinkingScript::default()
        });
        // The linked script runs on its own stack, with its own limits.
        let serving = self.place.clone().serve_for(job, Some(lender.clone()));
        let served = fiber::wait(spawn_local(serving));
        if let Some((work, used_ns)) = lender.back.take() {
            self.task = Some(work);
            self.linked_ns += used_ns;
        }
        match served {
            Ok(Ok(answer)) => Ok(answer.passed.map(work::output).unwrap_or_default()),
            Ok(Err(failure)) => {
                // The exception's message repeats the code.
                let mut abend = failure.abend;
                let code = format!("abend {}: ", abend.code);
                let why = abend.message.strip_prefix(&code).map(str::to_owned);
                abend.message = why.unwrap_or(abend.message);
                Err(Fault::Abend(abend))
            }
            Err(_) => Err(Fault::abend("AEXY", "the region is shutting down")),
        }
    }

    /// A child starts immediately, not at the first wait for it.
    fn begin(&mut self, number: u32, child: impl Future<Output = HostEvent> + 'static) {
        self.children.push((number, Box::pin(child)));
        let children = &mut self.children;
        fiber::wait(std::future::poll_fn(|cx| {
            let (_, child) = children.last_mut().expect("it was put there above");
            if let Poll::Ready(event) = child.as_mut().poll(cx) {
                *child = Box::pin(std::future::ready(event));
            }
            Poll::Ready(())
        }));
    }
}

/// Calls to other servers that a script may have under way.
const MOST_FETCHES: usize = 16;
/// Child tasks of a script that run at the same time. Further ones wait, so
/// that one script does not occupy the region.
const MOST_AT_ONCE: usize = 32;
/// The limit including waiting ones.
const MOST_TASKS: usize = 1_000;

impl ScriptHost for RegionHost {
    fn facts(&self) -> TaskAttributes {
        self.facts.clone()
    }

    fn link(&mut self, program: &str, input: ProgramInput<'_>) -> Result<ProgramOutput, Fault> {
        let name = program
            .parse()
            .map_err(|_| Fault::Condition(Condition::PgmIdErr, 1))?;
        checked(input)?;
        if let Some(script) = self.edition.programs.get(program) {
            let script = script.clone();
            self.region.can_run(name).map_err(refused)?;
            return self.link_script(program, script, input);
        }
        let task = match self.task.as_mut() {
            Some(ScriptTask::Own(task)) => task,
            Some(ScriptTask::Guest(task)) => {
                let linked = fiber::wait(task.link(name, &passed(input)));
                return linked
                    .map(work::output)
                    .map_err(|why| not_run(why, program));
            }
            None => return Err(Fault::abend("AEXY", "the task has ended")),
        };
        fiber::wait(async {
            let mut run = match task.run(name, bytes(input)).await {
                Some(Ok(run)) => run,
                Some(Err(refusal)) => return Err(refused(refusal)),
                None => return Err(Fault::abend("AEXY", "the task is to end")),
            };
            fill(&mut run, input)?;
            let reply = run.run().await;
            task.ran(&reply);
            given_back(program, &reply)
        })
    }

    fn may_go_over(&self, program: &str, input: ProgramInput<'_>) -> Result<(), Fault> {
        let name = program
            .parse()
            .map_err(|_| Fault::Condition(Condition::PgmIdErr, 1))?;
        checked(input)?;
        self.region.can_run(name).map_err(refused)
    }

    fn call(
        &mut self,
        op: CallOperation,
        args: [u64; 8],
        data: Vec<u8>,
    ) -> Result<CallAnswer, Fault> {
        let Some(task) = self.task.as_mut() else {
            return Err(Fault::abend("AEXY", "the task has ended"));
        };
        let answer = fiber::wait(task.call(op, args, data));
        if answer.abend.is_blank() {
            Ok(answer)
        } else {
            Err(Fault::abend(
                &answer.abend.to_string(),
                "the region ended the command",
            ))
        }
    }

    fn file(&self, name: &str) -> Option<usize> {
        self.region.file_number(name)
    }

    fn spawn(
        &mut self,
        number: u32,
        transid: Option<&str>,
        program: &str,
        input: ProgramInput<'_>,
    ) -> Result<(), Fault> {
        checked(input)?;
        let Some(task) = self.task.as_ref() else {
            return Err(Fault::abend("AEXY", "the task has ended"));
        };
        if self.tasks >= MOST_TASKS {
            let text = format!("more than {MOST_TASKS} child tasks at a time");
            return Err(Fault::abend(failure::MEMORY, text));
        }
        let Some(holds) = self.hold(bytes(input)) else {
            let text = "the input of the child tasks is larger than the script's memory";
            return Err(Fault::abend(failure::MEMORY, text));
        };
        let transid = match transid {
            Some(name) => name
                .parse()
                .map_err(|_| Fault::Condition(Condition::TransIdErr, 1))?,
            None => task.transid(),
        };
        let program = match program {
            "" => region::ProgramName::BLANK,
            name => name
                .parse()
                .map_err(|_| Fault::Condition(Condition::PgmIdErr, 1))?,
        };
        let request = TaskRequest {
            transid,
            program,
            userid: task.userid(),
            expected_bytes: bytes(input),
            is_child: true,
            ..TaskRequest::default()
        };
        let (region, port, owned) = (
            self.region.clone(),
            self.port.clone(),
            OwnedInput::of(input),
        );
        let at_once = self.at_once.clone();
        let run = async move {
            let _holds = holds;
            // The semaphore is never closed.
            let _place = at_once.acquire_owned().await;
            let first = if program.is_blank() {
                region.first_program(transid)
            } else {
                program
            };
            if !first.is_blank() {
                region.can_run(first).map_err(refused)?;
            }
            let begun = region.begin(&port, request).await;
            let mut task = begun.map_err(refused)?;
            fill(&mut task, owned.input())?;
            let reply = task.run().await;
            given_back(&program.to_string(), &reply)
        };
        self.tasks += 1;
        self.begin(number, async move { HostEvent::Ended(run.await) });
        Ok(())
    }

    fn fetch(&mut self, number: u32, request: fetch::Request) -> Result<(), String> {
        if self.children.len() - self.tasks >= MOST_FETCHES {
            return Err(format!("more than {MOST_FETCHES} calls at a time"));
        }
        let held = self.hold(request.body.len());
        let holds =
            held.ok_or("the requests and answers under way are larger than the script's memory")?;
        let fetched = self.edition.fetcher.fetch(request).map_err(|e| match e {
            fetch::Error::NotAllowed(url) => {
                format!("{url} is not allowed: add its address to [script.fetch]")
            }
            other => other.to_string(),
        })?;
        self.begin(number, async move {
            let _holds = holds;
            HostEvent::Fetched(fetched.await.map_err(|e| e.to_string()))
        });
        Ok(())
    }

    fn wait(&mut self, until: Option<Instant>) -> Option<(u32, HostEvent)> {
        let task = self.task.as_mut()?;
        let lends = self.tasks > 0;
        if lends {
            // The children may have its place.
            task.lend(true);
        }
        let children = &mut self.children;
        let ended = fiber::wait(async {
            let next = std::future::poll_fn(|cx| {
                for (i, (_, child)) in children.iter_mut().enumerate() {
                    if let Poll::Ready(result) = child.as_mut().poll(cx) {
                        let (number, _) = children.swap_remove(i);
                        return Poll::Ready(Some((number, result)));
                    }
                }
                Poll::Pending
            });
            let time = async {
                match until {
                    Some(at) => tokio::time::sleep_until(at.into()).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                () = task.until_purged() => None,
                ended = next => ended,
                () = time => None,
            }
        });
        if lends && let Some(task) = self.task.as_mut() {
            task.lend(false);
        }
        if let Some((_, HostEvent::Ended(_))) = &ended {
            self.tasks -= 1;
        }
        ended
    }

    fn send(&mut self, part: Given) -> bool {
        match (&mut self.client, &mut self.task) {
            (Some(client), Some(task)) => fiber::wait(client.send(part, task)),
            // HEAD: its body is not sent.
            (None, _) => true,
            (_, None) => false,
        }
    }

    /// Children that the script did not wait for run to their end.
    fn finish(
        mut self: Box<Self>,
        ended: Result<&mut Given, &AbendInfo>,
        cpu_ns: u64,
    ) -> Result<(), AbendInfo> {
        let Some(work) = self.task.take() else {
            return Ok(());
        };
        let cpu_ns = cpu_ns + self.linked_ns;
        if let Some(lender) = &self.lender {
            lender.back.set(Some((work, cpu_ns)));
            return Ok(());
        }
        let mut task = match work {
            ScriptTask::Own(task) => task,
            ScriptTask::Guest(task) => {
                let nothing = || LinkData::Commarea(Vec::new());
                let given = ended.map(|answer| answer.passed.take().unwrap_or_else(nothing));
                task.finish(given.map_err(|abend| reported(abend).code), cpu_ns);
                return Ok(());
            }
        };
        // How long the script had its thread, which may not have had a processor.
        task.estimates_cpu();
        let abend = ended.as_ref().err().map(|abend| reported(abend));
        let over = fiber::wait(task.end(abend, cpu_ns));
        match (over.0, ended) {
            (TaskOutcome::Ok, Ok(answer)) => {
                if let Some(client) = &mut self.client {
                    fiber::wait(client.end(answer));
                }
                Ok(())
            }
            (TaskOutcome::Ok, Err(_)) => Ok(()),
            (TaskOutcome::Abend(abend), _) => Err(abend_info(&abend)),
        }
    }

    fn log(&self, level: LogLevel, text: &str, data: Option<&str>) {
        let TaskAttributes { task, transid, .. } = &self.facts;
        let script = &self.script;
        let shown = !matches!(level, LogLevel::Debug)
            || tracing::enabled!(target: "script", tracing::Level::DEBUG);
        let (text, data) = (lines::cut(text), data.map(lines::cut));
        let data = data.as_deref();
        if !shown || !self.region.may_log(text.len() + data.map_or(0, str::len)) {
            return;
        }
        match level {
            LogLevel::Debug => {
                tracing::debug!(target: "script", task, %transid, %script, data, "{text}")
            }
            LogLevel::Info => {
                tracing::info!(target: "script", task, %transid, %script, data, "{text}")
            }
            LogLevel::Warn => {
                tracing::warn!(target: "script", task, %transid, %script, data, "{text}")
            }
            LogLevel::Error => {
                tracing::error!(target: "script", task, %transid, %script, data, "{text}")
            }
        }
    }
}

/// Input that outlives the call it was given to.
enum OwnedInput {
    None,
    Commarea(Vec<u8>),
    Channel(ChannelData),
}

impl OwnedInput {
    fn of(input: ProgramInput<'_>) -> OwnedInput {
        match input {
            ProgramInput::None => OwnedInput::None,
            ProgramInput::Commarea(bytes) => OwnedInput::Commarea(bytes.to_vec()),
            ProgramInput::Channel(channel) => OwnedInput::Channel(channel.clone()),
        }
    }

    fn input(&self) -> ProgramInput<'_> {
        match self {
            OwnedInput::None => ProgramInput::None,
            OwnedInput::Commarea(bytes) => ProgramInput::Commarea(bytes),
            OwnedInput::Channel(channel) => ProgramInput::Channel(channel),
        }
    }
}

/// A COMMAREA has a greatest length for every receiver.
fn checked(input: ProgramInput<'_>) -> Result<(), Fault> {
    match input {
        ProgramInput::Commarea(bytes) if bytes.len() > MAX_COMMAREA => {
            Err(Fault::Condition(Condition::LengErr, 11))
        }
        _ => Ok(()),
    }
}

/// Input as the region passes it.
fn passed(input: ProgramInput<'_>) -> LinkData {
    match input {
        ProgramInput::None => LinkData::Commarea(Vec::new()),
        ProgramInput::Commarea(bytes) => LinkData::Commarea(bytes.to_vec()),
        ProgramInput::Channel(channel) => LinkData::Channel(channel.clone()),
    }
}

/// Why a program did not run in the worker that waits for the script.
fn not_run(why: NotRun, program: &str) -> Fault {
    match why {
        NotRun::Condition(condition, resp2) => Fault::Condition(condition, resp2),
        NotRun::Abend(code) => Fault::Abend(AbendInfo {
            code: String::from_utf8_lossy(&code).into_owned(),
            program: program.to_owned(),
            line: 0,
            message: String::new(),
        }),
    }
}

fn bytes(input: ProgramInput<'_>) -> usize {
    match input {
        ProgramInput::None => 0,
        ProgramInput::Commarea(bytes) => bytes.len(),
        ProgramInput::Channel(channel) => channel.containers.iter().map(|c| c.bytes.len()).sum(),
    }
}

/// Writes a program's input where it will read it.
fn fill(task: &mut Task, input: ProgramInput<'_>) -> Result<(), Fault> {
    let large =
        |_: PutError<Infallible>| Fault::abend("AJSA", "the input is larger than a task's area");
    match input {
        ProgramInput::None => Ok(()),
        ProgramInput::Commarea(bytes) => task
            .set_commarea(bytes.len(), |area| {
                area.copy_from_slice(bytes);
                Ok(())
            })
            .map_err(large),
        ProgramInput::Channel(channel) => task.put_channel(channel).map_err(large),
    }
}

fn given_back(program: &str, reply: &TaskReply) -> Result<ProgramOutput, Fault> {
    if let TaskOutcome::Abend(abend) = reply.outcome() {
        let mut info = abend_info(abend);
        if info.program.is_empty() {
            info.program = program.to_owned();
        }
        return Err(Fault::Abend(info));
    }
    let channel = (!reply.channel().is_blank()).then(|| reply.channel_data());
    Ok(ProgramOutput {
        commarea: reply.commarea().to_vec(),
        channel,
    })
}

fn refused(refusal: StartRefusal) -> Fault {
    match refusal {
        StartRefusal::UnknownTransaction(_) => Fault::Condition(Condition::TransIdErr, 1),
        StartRefusal::Disabled(_) => Fault::Condition(Condition::Disabled, 1),
        StartRefusal::Program(_, fault) => Fault::Condition(Condition::PgmIdErr, fault.resp2()),
        other => Fault::abend("AKCC", other.to_string()),
    }
}

fn abend_info(abend: &region::Abend) -> AbendInfo {
    AbendInfo {
        code: abend.code().into_owned(),
        program: abend.program.to_string().trim_end().to_owned(),
        line: abend.line,
        message: abend.message.clone(),
    }
}

/// An abend of a script for the region: the script's own name, cut to that of
/// a program.
fn reported(abend: &AbendInfo) -> region::Abend {
    let mut code = [b' '; 4];
    for (to, from) in code.iter_mut().zip(abend.code.bytes()) {
        *to = from;
    }
    region::Abend {
        code,
        program: crate::natives::name(&program_name(&abend.program)),
        line: abend.line,
        message: abend.message.clone(),
    }
}

/// A script's program name: its file's name without ending, in upper case, at
/// most eight characters.
pub fn program_name(script: &str) -> String {
    let name = script.rsplit('/').next().unwrap_or(script);
    let name = name.split('.').next().unwrap_or(name);
    let good = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '@' | '#' | '$');
    name.to_ascii_uppercase()
        .chars()
        .filter(good)
        .take(8)
        .collect()
}
