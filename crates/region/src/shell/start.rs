//! Starting and stopping a region's threads.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;

use cics::resp::Condition;
use link::trace::{RegionTrace, TraceClock};
use link::{
    CommandOperands, ConfigText, MAX_WORKERS, PAGE, RegionPage, TransactionEntry, WorkerConfig,
};

use store::WriteStore;

use super::branches::{OutcomeWaiters, SettlementWaiters};
use super::conversations::ConversationTable;
use super::dispatch::DispatchThread;
use super::engines::{available_cpus, bind, cpu_set};
use super::facilities::{FacilityTable, TerminalPort};
use super::kernel_host::KernelHost;
use super::lines::LogLines;
use super::links::LinkTable;
use super::ordered_lock::{LockRank, OrderedLock};
use super::output::WorkerOutput;
use super::participants::ParticipantTable;
use super::process::{self, WorkerLaunch};
use super::sink::RecordSink;
use super::starts::StartTable;
use super::stepping::SteppedTasks;
use super::trace::{DeadRings, PastCounts};
use super::uses::PastUses;
use super::wakes::WakeInboxes;
use super::{RegionState, SharedRegion, UNIX_OFFSET, clock};
use crate::api::{RegionConfig, RegionDefinitions, RegionStatistics, StartError};
use kernel::core::{CompiledDefinitions, Core, Limits};
use kernel::{CommandFailure, condition};

/// The threads of a region.
pub struct RegionThreads {
    dispatch: Option<JoinHandle<()>>,
    others: Vec<JoinHandle<()>>,
    output: Arc<WorkerOutput>,
}

impl RegionThreads {
    /// Starts everything.
    pub fn start(
        mut config: RegionConfig,
    ) -> Result<(Arc<SharedRegion>, RegionThreads), StartError> {
        check(&config)?;
        raise_descriptor_limit();
        let compiled = CompiledDefinitions::build(1, &config.definitions)?;
        // Before the workers get the files: the store knows their keys.
        let (kernel, committing, tables) = KernelHost::open(&mut config)?;
        let page = Arc::new(
            RegionPage::create_with(shared_bytes(&config)).map_err(io_error("the region page"))?,
        );
        let worker_config = worker_config(&config, 1, &config.definitions);
        let text = ConfigText::new(&worker_config).map_err(io_error("the configuration"))?;
        let links = LinkTable::new(page.clone(), 1, text, config.arena_bytes, tables);
        let sink = match &config.monitoring {
            Some(path) => Some(RecordSink::open(path).map_err(io_error("the monitoring file"))?),
            None => None,
        };
        UNIX_OFFSET.store(clock::unix_offset_ns(), Ordering::Relaxed);
        let (orders, order_receiver) = channel();
        let (started, started_receiver) = channel();
        let shared = Arc::new(SharedRegion {
            state: OrderedLock::new(
                LockRank::State,
                RegionState {
                    core: Core::new(limits(&config), compiled),
                    links,
                    // Port 0 is the dispatch thread's.
                    ports: 1,
                    drained: None,
                },
            ),
            page,
            sink,
            offload: cpu_set(&config.engines.offload),
            general: cpu_set(&config.engines.general),
            kernel,
            alarm: AtomicU64::new(u64::MAX),
            starts: StartTable::default(),
            facilities: FacilityTable::default(),
            terminal_port: TerminalPort::default(),
            participants: ParticipantTable::default(),
            settlements: SettlementWaiters::default(),
            outcomes: OutcomeWaiters::default(),
            conversations: ConversationTable::default(),
            trace: RegionTrace::new(TraceClock::best()).switched(config.trace),
            dead_rings: DeadRings::default(),
            past_counts: PastCounts::default(),
            past_uses: PastUses::default(),
            inboxes: WakeInboxes::default(),
            stepping: SteppedTasks::default(),
            lines: LogLines::new(config.display_lines_per_s, clock::now_ns()),
            trace_file: Mutex::new(None),
            definitions: Mutex::new(config.definitions.clone()),
            monitoring: AtomicBool::new(true),
            config,
            orders,
            fine: AtomicBool::new(false),
            rests: AtomicBool::new(false),
            stop: AtomicBool::new(false),
        });
        let general = shared.general;
        let output = WorkerOutput::new().map_err(io_error("epoll"))?;
        let dispatch =
            DispatchThread::new(shared.clone(), started_receiver).map_err(io_error("epoll"))?;
        let recipe = WorkerLaunch {
            exe: shared.config.worker_exe.clone(),
            args: shared.config.worker_args.clone(),
            general,
            nice: shared.config.worker_nice,
            oom_score: process::oom_score_of_workers(),
        };
        let thread = |name: &str, run: Box<dyn FnOnce() + Send>| {
            std::thread::Builder::new()
                .name(format!("tupelo-{name}"))
                .spawn(run)
                .map_err(io_error("a thread"))
        };
        let (s, o) = (shared.clone(), output.clone());
        let spawner = thread(
            "spawn",
            Box::new(move || process::run(&s, &recipe, &o, &order_receiver, &started)),
        )?;
        let (s, o) = (shared.clone(), output.clone());
        let printer = thread("output", Box::new(move || o.run(&s)))?;
        let dispatch = thread(
            "dispatch",
            Box::new(move || {
                if let Err(error) = bind(general.as_ref()) {
                    tracing::warn!(%error, "the dispatch thread is not bound to its CPUs");
                }
                dispatch.run();
            }),
        )?;
        let mut others = vec![spawner, printer];
        if let Some((store, jobs)) = committing {
            let s = shared.clone();
            others.push(thread(
                "commit",
                Box::new(move || {
                    if let Err(error) = bind(general.as_ref()) {
                        tracing::warn!(%error, "the commit thread is not bound to its CPUs");
                    }
                    s.run_committer(store, &jobs);
                }),
            )?);
        }
        shared.with(|core, cx| core.ensure_minimum(cx));
        let restored = shared.kernel(|k, now, out| k.restore(now, out));
        let mut threads = RegionThreads {
            dispatch: Some(dispatch),
            others,
            output,
        };
        if let Err(what) = restored {
            threads.stop(&shared);
            return Err(StartError::Store(what));
        }
        Ok((shared, threads))
    }

    /// Ends the workers and all threads. Tasks that are still active are lost.
    pub fn stop(&mut self, shared: &SharedRegion) {
        let Some(dispatch) = self.dispatch.take() else {
            return;
        };
        shared.stop.store(true, Ordering::SeqCst);
        shared.page.notify(0);
        let _ = dispatch.join();
        shared.trace_stop();
        shared.close_conversations();
        shared.kernel.close();
        self.output.wake();
        for thread in self.others.drain(..) {
            let _ = thread.join();
        }
        self.output.finish(shared);
        if let Some(sink) = &shared.sink {
            sink.close();
        }
    }
}

/// The part of a set of definitions that workers get.
pub fn worker_config(
    config: &RegionConfig,
    generation: u64,
    definitions: &RegionDefinitions,
) -> WorkerConfig {
    let transactions = definitions.transactions.iter();
    WorkerConfig {
        applid: config.applid,
        sysid: config.sysid,
        generation,
        cwa_bytes: config.cwa_bytes,
        fc_qr_only: definitions.fc_qr_only,
        callable: definitions.callable.clone(),
        programs: definitions.programs.clone(),
        transactions: transactions
            .map(|t| TransactionEntry {
                name: t.name,
                program: t.program,
                twa_bytes: t.twa_bytes,
            })
            .collect(),
        files: definitions.files.clone(),
        store: config.store.clone(),
        confinement: config.confinement,
        sockets: config.socket_options,
        trace: config.trace,
        transforms: definitions.transforms.clone(),
    }
}

/// Bytes of the area that all workers share: the CWA on pages of its own, then
/// shared storage.
fn shared_bytes(config: &RegionConfig) -> usize {
    (config.cwa_bytes as usize).next_multiple_of(PAGE) + config.shared_storage_bytes
}

fn limits(config: &RegionConfig) -> Limits {
    let cpus = match config.engines.general.len() {
        0 => available_cpus(),
        n => n,
    };
    Limits {
        mxt: config.mxt,
        queue_limit: config.queue_limit,
        min_workers: config.min_workers,
        worker_idle_ns: u64::from(config.worker_idle_ms) * 1_000_000,
        runaway_ns: u64::from(config.runaway_ms) * 1_000_000,
        priority_aging_ns: u64::from(config.priority_aging_ms) * 1_000_000,
        isolate_tasks: config.isolate_tasks,
        // A door needs a CPU too.
        parallel: cpus.saturating_sub(1).max(1),
    }
}

fn check(config: &RegionConfig) -> Result<(), StartError> {
    let wrong = |text: &str| Err(StartError::Setting(text.to_owned()));
    if !(1..=1000).contains(&config.mxt) {
        return wrong("mxt must be 1 to 1000");
    }
    if config.min_workers > config.mxt {
        return wrong("min_workers must not be above mxt");
    }
    let arena = config.arena_bytes;
    if !arena.is_multiple_of(PAGE) || !(16 * PAGE..=(1 << 36)).contains(&arena) {
        return wrong("arena_bytes must be a multiple of 4096 between 64 KiB and 64 GiB");
    }
    if config.cwa_bytes > MAX_CWA_BYTES {
        return wrong("cwa_bytes must be 0 to 3584");
    }
    if config.shared_storage_bytes > MAX_SHARED_BYTES {
        return wrong("shared_storage_bytes must be at most 1 GiB");
    }
    if config.definitions.files.iter().any(|f| f.enabled) && config.store.is_none() {
        return wrong("files are defined, but no store");
    }
    if config.definitions.queues.need_store() && config.store.is_none() {
        return wrong("recoverable queues are defined, but no store");
    }
    Ok(())
}

/// Lets the process have as many descriptors as it may: a worker takes five.
fn raise_descriptor_limit() {
    // SAFETY: plain calls on a local structure.
    unsafe {
        let mut limit: libc::rlimit = std::mem::zeroed();
        if libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit) == 0 {
            limit.rlim_cur = limit.rlim_max;
            libc::setrlimit(libc::RLIMIT_NOFILE, &limit);
        }
    }
}

fn io_error(what: &'static str) -> impl Fn(io::Error) -> StartError {
    move |source| StartError::Io { what, source }
}

const _: () = assert!(MAX_WORKERS > 1000);
/// Largest CWA (WRKAREA).
const MAX_CWA_BYTES: u32 = 3584;
/// Most shared storage.
const MAX_SHARED_BYTES: usize = 1 << 30;

impl SharedRegion {
    /// Switches to other definitions, and forgets what programs have changed.
    pub fn reload(self: &Arc<Self>, definitions: RegionDefinitions) -> Result<(), StartError> {
        let mut kept = self
            .definitions
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        self.switch_to(definitions.clone())?;
        *kept = definitions;
        self.kernel.lock().resources.system.created.clear();
        Ok(())
    }

    fn switch_to(self: &Arc<Self>, mut definitions: RegionDefinitions) -> Result<(), StartError> {
        if !self.kernel.has_store() && definitions.files.iter().any(|f| f.enabled) {
            let why = "files are defined, but the region was started without a store";
            return Err(StartError::Setting(why.to_owned()));
        }
        if !self.kernel.has_store() && definitions.queues.need_store() {
            let why = "recoverable queues are defined, but the region was started without a store";
            return Err(StartError::Setting(why.to_owned()));
        }
        let files = &definitions.files;
        definitions.files = self.kernel.lock().renumber_files(files);
        let definitions = &definitions;
        // Nothing changes when something is wrong with them.
        CompiledDefinitions::build(0, definitions)?;
        // Before the workers get the definitions: a new file is served when the first
        // task asks for it.
        let mut kernel = self.kernel.lock();
        kernel.define_files(&definitions.files);
        kernel
            .resources
            .define(&self.config.kernel_config(definitions));
        drop(kernel);
        self.with(|core, cx| {
            let generation = core.defs().generation + 1;
            let compiled = CompiledDefinitions::build(generation, definitions)?;
            let for_workers = worker_config(&self.config, generation, definitions);
            let text = ConfigText::new(&for_workers).map_err(io_error("the configuration"))?;
            cx.links.set_config(generation, text);
            core.reload(cx, compiled);
            Ok::<(), StartError>(())
        })
    }

    /// The definitions as they are now, with what programs have changed.
    fn current(&self, before: &RegionDefinitions) -> RegionDefinitions {
        self.view(|view| {
            let defs = view.core.defs();
            let transactions = defs.transactions.iter().map(|t| t.def.clone());
            let files = view.kernel.resources.files.entries();
            RegionDefinitions {
                transactions: transactions.collect(),
                classes: (defs.classes.iter())
                    .filter(|c| !c.name.is_blank())
                    .cloned()
                    .collect(),
                programs: defs.program_table.clone(),
                files: files.map(|(file, _)| file.clone()).collect(),
                queues: view.kernel.resources.queue_definitions(),
                ..before.clone()
            }
        })
    }

    /// Has a program change the definitions in force; `change` says whether
    /// anything is different then.
    pub(super) fn redefine(
        self: &Arc<Self>,
        change: impl FnOnce(&mut RegionDefinitions) -> Result<bool, CommandFailure>,
    ) -> Result<CommandOperands, CommandFailure> {
        let mut kept = self
            .definitions
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let mut definitions = self.current(&kept);
        if !change(&mut definitions)? {
            return Ok(CommandOperands::default());
        }
        kept.clone_from(&definitions);
        match self.switch_to(definitions) {
            Ok(()) => Ok(CommandOperands::default()),
            Err(error) => {
                tracing::warn!(%error, "a definition that a program made cannot be installed");
                condition(Condition::InvReq, 0)
            }
        }
    }

    /// Has something done to the store of the region's files, between two
    /// commits; none without a store.
    pub fn with_store<R: Send + 'static>(
        &self,
        work: impl FnOnce(&mut dyn WriteStore) -> R + Send + 'static,
    ) -> Option<R> {
        self.kernel.work(work)
    }

    /// The known damage of the store, as text.
    pub fn store_damage(&self) -> Option<String> {
        self.kernel.store_damage()
    }

    /// Counters and gauges.
    pub fn statistics(&self) -> RegionStatistics {
        let mut statistics = self.lock().core.statistics();
        let kernel = self.kernel.lock();
        kernel.count(&mut statistics);
        kernel.resources.count(&mut statistics);
        statistics.journal_records = self.journal_records();
        drop(kernel);
        statistics.qr_deaths = self.page.qr().deaths();
        statistics.records_dropped = self.sink.as_ref().map_or(0, RecordSink::dropped);
        statistics
    }
}
