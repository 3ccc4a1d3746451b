//! A backend whose programs are closures.

use gateway::ProgramBackend;
use region::{
    Abend, CallFailure, ContainerName, Name, NotStarted, ProgramCall, ProgramDoor, ProgramReply,
    ProgramTask, PutError, TaskCosts, TraceRecord, TransId,
};
use std::collections::{BTreeSet, HashMap};
use std::future::Future;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use tokio::sync::Semaphore;

/// The input of a program and its output.
#[derive(Debug, Clone, Default)]
pub struct Data {
    pub commarea: Vec<u8>,
    pub containers: HashMap<String, Vec<u8>>,
    pub abend: Option<Abend>,
    pub transid: String,
    /// Transaction that the program sees, empty for the same.
    pub eib_transid: String,
    /// User id of the caller, empty for none.
    pub user: String,
    /// Connection that asset or policy names, empty for none.
    pub connection: String,
    /// The trace that the call belongs to.
    pub trace_id: [u8; 16],
    /// The region's data about the task.
    pub costs: Option<TaskCosts>,
}

/// An abnormal end, as a region reports it.
pub fn program_check(code: [u8; 4], program: &str) -> Abend {
    Abend {
        code,
        program: Name::new(program).expect("a name"),
        line: 12,
        message: "a program check".into(),
    }
}

type Program = Arc<dyn Fn(&mut Data) + Send + Sync>;

/// Programs by name.
#[derive(Clone, Default)]
pub struct Fake {
    programs: HashMap<String, Program>,
    /// Refuses every call while set.
    pub busy: Arc<AtomicBool>,
    /// One of its regions is not connected, and another is.
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

impl ProgramBackend for Fake {
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

    fn commands(&self, tasks: &BTreeSet<u64>) -> Vec<TraceRecord> {
        let one = |task: &u64| TraceRecord {
            unix_ns: 2_000,
            task: *task,
            transid: TransId::BLANK,
            worker: None,
            domain: "files",
            event: "exit",
            command: "READ".into(),
            resp: Some("NOTFND".into()),
            resp2: None,
            abend: None,
            elapsed_ns: Some(1_000),
        };
        tasks.iter().map(one).collect()
    }

    fn has_connection(&self, name: &str) -> bool {
        ["blue", "green"].contains(&name)
    }
}

impl ProgramDoor for Fake {
    type Task = FakeTask;

    async fn begin(&self, call: ProgramCall<'_>) -> Result<FakeTask, NotStarted> {
        if self.busy.load(Ordering::Relaxed) {
            return Err(NotStarted::Busy(
                "the region has its maximum of tasks".into(),
            ));
        }
        let request = call.request;
        let program = self.programs.get(request.program.as_str()).cloned();
        let data = Data {
            transid: request.transid.to_string(),
            eib_transid: request.eib_transid.to_string(),
            user: request.userid.to_string(),
            connection: call.connection.unwrap_or_default().to_string(),
            trace_id: request.trace_id,
            ..Data::default()
        };
        match program {
            Some(program) => Ok(FakeTask {
                program,
                data,
                gate: self.gate.clone(),
                begun: self.begun.clone(),
            }),
            None => Err(NotStarted::Impossible(format!(
                "no program {}",
                request.program
            ))),
        }
    }
}

pub struct FakeTask {
    program: Program,
    data: Data,
    gate: Option<Arc<Semaphore>>,
    begun: Arc<AtomicUsize>,
}

impl ProgramTask for FakeTask {
    type Reply = Data;

    fn put_container<E>(
        &mut self,
        name: ContainerName,
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

    async fn run(mut self) -> Result<Data, CallFailure> {
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

impl ProgramReply for Data {
    fn abend(&self) -> Option<&Abend> {
        self.abend.as_ref()
    }

    fn container(&self, name: ContainerName) -> Option<&[u8]> {
        self.containers.get(name.as_str()).map(Vec::as_slice)
    }

    fn container_names(&self) -> Vec<ContainerName> {
        let names = self.containers.keys();
        names
            .filter_map(|name| ContainerName::new(name).ok())
            .collect()
    }

    fn commarea(&self) -> &[u8] {
        &self.commarea
    }

    fn costs(&self) -> Option<TaskCosts> {
        self.costs
    }
}
