//! The region as a script's host: an open task, and a thread that waits.
//!
//! A call to the region, a LINK and a wait for children run the thread's own
//! runtime until they are done. A LINK runs the program in a worker within the
//! unit of work of the script's task.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::Poll;
use std::time::Instant;

use cics::resp::Condition;
use link::{Answer, ChannelData, ContainerData, Op};
use region::{
    DoorRuntime, Handle, OpenTask, Outcome, Port, PutError, Refusal, Reply, Task, TaskRequest,
};

use crate::host::{AbendInfo, Facts, Fault, Host, Input, Level, Output};

/// A thread's end of the region.
pub struct Thread {
    /// The region.
    pub region: Handle,
    /// Where the thread hears of its tasks.
    pub port: Port,
    /// What runs while it waits.
    pub runtime: Waiting,
    /// Told when the thread begins to wait for children, and when it goes on:
    /// others may run instead of it.
    pub blocks: Box<dyn Fn(bool)>,
}

/// How a thread waits for its tasks.
pub enum Waiting {
    /// At a port of its own.
    Own(DoorRuntime),
    /// All ports are taken: the region's own thread hears for it.
    Shared(tokio::runtime::Runtime),
}

impl Waiting {
    /// Runs a future to its end on the calling thread.
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        match self {
            Waiting::Own(runtime) => runtime.block_on(future),
            Waiting::Shared(runtime) => runtime.block_on(future),
        }
    }
}

type Child = Pin<Box<dyn Future<Output = Result<Output, Fault>>>>;

/// A task of the region, as the host of the script that runs in it.
pub struct RegionHost {
    thread: Rc<Thread>,
    task: Option<OpenTask>,
    facts: Facts,
    script: String,
    children: Vec<(u32, Child)>,
}

impl RegionHost {
    /// The host of a script in this task.
    pub fn new(thread: Rc<Thread>, task: OpenTask, facts: Facts, script: &str) -> RegionHost {
        RegionHost {
            thread,
            task: Some(task),
            facts,
            script: script.to_owned(),
            children: Vec::new(),
        }
    }
}

impl Host for RegionHost {
    fn facts(&self) -> Facts {
        self.facts.clone()
    }

    fn link(&mut self, program: &str, input: Input<'_>) -> Result<Output, Fault> {
        let name = program
            .parse()
            .map_err(|_| Fault::Condition(Condition::PgmIdErr, 1))?;
        let Some(task) = self.task.as_mut() else {
            return Err(Fault::abend("AEXY", "the task has ended"));
        };
        self.thread.runtime.block_on(async {
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

    fn call(&mut self, op: Op, args: [u64; 8], data: Vec<u8>) -> Result<Answer, Fault> {
        let Some(task) = self.task.as_mut() else {
            return Err(Fault::abend("AEXY", "the task has ended"));
        };
        let answer = self.thread.runtime.block_on(task.call(op, args, data));
        match answer.abend.is_blank() {
            true => Ok(answer),
            false => Err(Fault::abend(
                &answer.abend.to_string(),
                "the region ended the command",
            )),
        }
    }

    fn file(&self, name: &str) -> Option<usize> {
        self.thread.region.file_number(name)
    }

    fn spawn(
        &mut self,
        number: u32,
        transid: Option<&str>,
        program: &str,
        input: Input<'_>,
    ) -> Result<(), Fault> {
        let Some(task) = self.task.as_ref() else {
            return Err(Fault::abend("AEXY", "the task has ended"));
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
            ..TaskRequest::default()
        };
        let (thread, owned) = (self.thread.clone(), Owned::of(input));
        let child = async move {
            let begun = thread.region.begin(&thread.port, request).await;
            let mut task = begun.map_err(refused)?;
            fill(&mut task, owned.input())?;
            let reply = task.run().await;
            given_back(&program.to_string(), &reply)
        };
        self.children.push((number, Box::pin(child)));
        // It begins now, not when somebody waits for it.
        let children = &mut self.children;
        self.thread.runtime.block_on(std::future::poll_fn(|cx| {
            let (_, child) = children.last_mut().expect("it was put there above");
            if let Poll::Ready(result) = child.as_mut().poll(cx) {
                *child = Box::pin(std::future::ready(result));
            }
            Poll::Ready(())
        }));
        Ok(())
    }

    fn wait(&mut self, until: Option<Instant>) -> Option<(u32, Result<Output, Fault>)> {
        let task = self.task.as_mut()?;
        let lends = !self.children.is_empty();
        if lends {
            // The children may have its place, and others its thread.
            task.lend(true);
            (self.thread.blocks)(true);
        }
        let children = &mut self.children;
        let ended = self.thread.runtime.block_on(async {
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
            (self.thread.blocks)(false);
        }
        ended
    }

    /// Children that nobody waited for run on by themselves.
    fn finish(
        mut self: Box<Self>,
        abend: Option<&AbendInfo>,
        cpu_ns: u64,
    ) -> Result<(), AbendInfo> {
        let Some(task) = self.task.take() else {
            return Ok(());
        };
        let abend = abend.map(told);
        let ended = self.thread.runtime.block_on(task.end(abend, cpu_ns));
        match ended.0 {
            Outcome::Ok => Ok(()),
            Outcome::Abend(abend) => Err(abend_info(&abend)),
        }
    }

    fn log(&self, level: Level, text: &str) {
        let Facts { task, transid, .. } = &self.facts;
        let script = &self.script;
        match level {
            Level::Debug => tracing::debug!(target: "script", task, %transid, %script, "{text}"),
            Level::Info => tracing::info!(target: "script", task, %transid, %script, "{text}"),
            Level::Warn => tracing::warn!(target: "script", task, %transid, %script, "{text}"),
            Level::Error => tracing::error!(target: "script", task, %transid, %script, "{text}"),
        }
    }
}

/// Input that outlives the call it was given to.
enum Owned {
    None,
    Commarea(Vec<u8>),
    Channel(ChannelData),
}

impl Owned {
    fn of(input: Input<'_>) -> Owned {
        match input {
            Input::None => Owned::None,
            Input::Commarea(bytes) => Owned::Commarea(bytes.to_vec()),
            Input::Channel(channel) => Owned::Channel(channel.clone()),
        }
    }

    fn input(&self) -> Input<'_> {
        match self {
            Owned::None => Input::None,
            Owned::Commarea(bytes) => Input::Commarea(bytes),
            Owned::Channel(channel) => Input::Channel(channel),
        }
    }
}

fn bytes(input: Input<'_>) -> usize {
    match input {
        Input::None => 0,
        Input::Commarea(bytes) => bytes.len(),
        Input::Channel(channel) => channel.containers.iter().map(|c| c.bytes.len()).sum(),
    }
}

/// Writes a program's input where it will read it.
fn fill(task: &mut Task, input: Input<'_>) -> Result<(), Fault> {
    let large =
        |_: PutError<Infallible>| Fault::abend("AJSA", "the input is larger than a task's area");
    match input {
        Input::None => Ok(()),
        Input::Commarea(bytes) => task
            .set_commarea(bytes.len(), |area| {
                area.copy_from_slice(bytes);
                Ok(())
            })
            .map_err(large),
        Input::Channel(channel) => {
            task.set_channel(channel.name);
            for container in &channel.containers {
                let bytes = &container.bytes;
                let put = task.put_container(
                    container.name.as_str(),
                    container.kind,
                    bytes.len(),
                    |area| {
                        area.copy_from_slice(bytes);
                        Ok(bytes.len())
                    },
                );
                put.map_err(large)?;
            }
            Ok(())
        }
    }
}

fn given_back(program: &str, reply: &Reply) -> Result<Output, Fault> {
    if let Outcome::Abend(abend) = reply.outcome() {
        // A program that is not there is a condition for who links to it.
        if &abend.code == b"APCT" && abend.message.ends_with("is not there") {
            return Err(Fault::Condition(Condition::PgmIdErr, 1));
        }
        let mut info = abend_info(abend);
        if info.program.is_empty() {
            info.program = program.to_owned();
        }
        return Err(Fault::Abend(info));
    }
    let channel = (!reply.channel().is_blank()).then(|| ChannelData {
        name: reply.channel(),
        containers: reply
            .containers()
            .map(|c| ContainerData {
                name: c.name,
                kind: c.kind,
                ccsid: c.ccsid,
                bytes: c.bytes.to_vec(),
            })
            .collect(),
    });
    Ok(Output {
        commarea: reply.commarea().to_vec(),
        channel,
    })
}

fn refused(refusal: Refusal) -> Fault {
    match refusal {
        Refusal::UnknownTransaction(_) => Fault::Condition(Condition::TransIdErr, 1),
        Refusal::Disabled(_) => Fault::Condition(Condition::Disabled, 1),
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
fn told(abend: &AbendInfo) -> region::Abend {
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

/// What a script is called among programs: its file's name without ending, in
/// upper case, at most eight characters.
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
