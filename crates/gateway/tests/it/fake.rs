//! A backend whose programs are closures.

use gateway::{Abend, Backend, Call, Command, Door, Failed, PutError, Ran, Refusal, Reply, Task};
use std::collections::{BTreeSet, HashMap};
use std::future::Future;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use tokio::sync::Semaphore;

/// What a program gets and what it leaves behind.
#[derive(Debug, Clone, Default)]
pub struct Data {
    pub commarea: Vec<u8>,
    pub containers: HashMap<String, Vec<u8>>,
    pub abend: Option<(&'static str, &'static str)>,
    pub transid: String,
    /// Transaction that the program sees, empty for the same.
    pub eib_transid: String,
    /// User id of the caller, empty for none.
    pub user: String,
    /// Connection that asset or policy names, empty for none.
    pub connection: String,
    /// The trace that the call belongs to.
    pub trace_id: [u8; 16],
    /// What the region says of the task.
    pub ran: Option<Ran>,
}

type Program = Arc<dyn Fn(&mut Data) + Send + Sync>;

/// Programs by name.
#[derive(Clone, Default)]
pub struct Fake {
    programs: HashMap<String, Program>,
    /// Refuses every call while set.
    pub busy: Arc<AtomicBool>,
    /// One of its regions is gone, and another is there.
    pub limps: bool,
    /// Programs wait here before they end.
    pub gate: Option<Arc<Semaphore>>,
    /// Programs that have begun.
    pub begun: Arc<AtomicUsize>,
}

impl Fake {
    pub fn program(mut self, name: &str, f: impl Fn(&mut Data) + Send + Sync + 'static) -> Fake {
        self.programs.insert(name.to_string(), Arc::new(f));
        self
    }
}

impl Backend for Fake {
    type Door = Fake;

    fn enter<F: Future>(&self, main: impl FnOnce(Fake) -> F) -> io::Result<F::Output> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build_local(Default::default())?;
        Ok(runtime.block_on(main(self.clone())))
    }

    fn impairment(&self) -> Option<String> {
        let busy = self.busy.load(Ordering::Relaxed);
        (busy || self.limps).then(|| "it is \"busy\"".to_owned())
    }

    fn ready(&self) -> bool {
        !self.busy.load(Ordering::Relaxed)
    }

    fn metrics(&self, out: &mut String) {
        out.push_str("fake_up 1\n");
    }

    fn commands(&self, tasks: &BTreeSet<u64>) -> Vec<Command> {
        let one = |task: &u64| Command {
            task: *task,
            name: "READ".into(),
            domain: "files",
            start_unix_ns: 1_000,
            end_unix_ns: 2_000,
            resp: Some("NOTFND".into()),
            abend: None,
        };
        tasks.iter().map(one).collect()
    }

    fn has_connection(&self, name: &str) -> bool {
        ["blue", "green"].contains(&name)
    }
}

impl Door for Fake {
    type Task = FakeTask;

    async fn begin(&self, call: Call<'_>) -> Result<FakeTask, Refusal> {
        if self.busy.load(Ordering::Relaxed) {
            return Err(Refusal::Busy("the region has its maximum of tasks".into()));
        }
        let program = self.programs.get(call.program).cloned();
        let data = Data {
            transid: call.transid.to_string(),
            eib_transid: call.eib_transid.unwrap_or_default().to_string(),
            user: call.user_id.unwrap_or_default().to_string(),
            connection: call.connection.unwrap_or_default().to_string(),
            trace_id: call.trace_id,
            ..Data::default()
        };
        match program {
            Some(program) => Ok(FakeTask {
                program,
                data,
                gate: self.gate.clone(),
                begun: self.begun.clone(),
            }),
            None => Err(Refusal::Impossible(format!("no program {}", call.program))),
        }
    }
}

pub struct FakeTask {
    program: Program,
    data: Data,
    gate: Option<Arc<Semaphore>>,
    begun: Arc<AtomicUsize>,
}

impl Task for FakeTask {
    type Reply = Data;

    fn put_container<E>(
        &mut self,
        name: &str,
        max: usize,
        fill: impl FnOnce(&mut [u8]) -> Result<usize, E>,
    ) -> Result<(), PutError<E>> {
        let mut bytes = vec![0; max];
        let length = fill(&mut bytes).map_err(PutError::Fill)?;
        bytes.truncate(length);
        self.data.containers.insert(name.to_string(), bytes);
        Ok(())
    }

    fn set_commarea<E>(
        &mut self,
        len: usize,
        fill: impl FnOnce(&mut [u8]) -> Result<(), E>,
    ) -> Result<(), PutError<E>> {
        self.data.commarea = vec![0; len];
        fill(&mut self.data.commarea).map_err(PutError::Fill)
    }

    async fn run(mut self) -> Result<Data, Failed> {
        self.begun.fetch_add(1, Ordering::Release);
        if let Some(gate) = &self.gate {
            gate.acquire()
                .await
                .expect("the gate is never closed")
                .forget();
        }
        (self.program)(&mut self.data);
        Ok(self.data)
    }
}

impl Reply for Data {
    fn abend(&self) -> Option<Abend> {
        self.abend.map(|(code, program)| Abend {
            code: code.into(),
            program: program.into(),
            line: 12,
            message: "a program check".into(),
        })
    }

    fn container(&self, name: &str) -> Option<&[u8]> {
        self.containers.get(name).map(Vec::as_slice)
    }

    fn container_names(&self) -> Vec<String> {
        self.containers.keys().cloned().collect()
    }

    fn commarea(&self) -> &[u8] {
        &self.commarea
    }

    fn ran(&self) -> Option<Ran> {
        self.ran
    }
}
