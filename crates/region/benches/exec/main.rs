//! What a LINK from a front door costs, against bare shared memory.
//!
//! `link-idle`: one request at a time, round trip; the peer is a futex round
//! trip between two processes, and both have a side on each of two processors.
//! `link-idle-together` is the same on one. `link-saturated`: CPU of both sides a request,
//! many at once; the peer is a bare ring with the same batching. The worker
//! runs an empty program without COBOL: what is measured is the way there and
//! back. With `--worker=EXE --module=FILE` it is a real worker (`EXE worker`)
//! and the COBOL program EMPTY; with `--sandbox` it is confined. `--json` prints
//! one line a row; a word selects the rows whose name holds it.
//! `worker-start`: from a task that finds no worker to its end, against a
//! process that is started and ends.
//! `commits`: updates a second of 32 tasks, each committed and flushed; the
//! peer is one flush an update. `--nice=0` gives the workers the same priority
//! as the region's threads instead of a lower one.

mod commits;
mod peer;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use peer::{ServerProcess, own_cpu, process_cpu};
use region::{
    DoorRuntime, Handle, Name, Port, ProgramEntry, Region, RegionConfig, RegionDefinitions,
    SandboxMode, TaskRequest, TransId, TransactionDef, WorkerConfinement,
};

const ROUNDS: usize = 5;
const OUTSTANDING: usize = 12;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let json = args.iter().any(|a| a == "--json");
    let only = args.iter().skip(1).find(|a| !a.starts_with("--"));
    let wanted = |row: &str| only.is_none_or(|o| row.contains(o.as_str()));
    if wanted("link-idle") {
        report(json, "link-idle", "us", idle(0, 1), 2.0);
    }
    if wanted("link-idle-together") {
        report(json, "link-idle-together", "us", idle(0, 0), 2.0);
    }
    if wanted("link-saturated") {
        report(json, "link-saturated", "us-cpu", saturated(), 3.0);
    }
    if wanted("worker-start") {
        report(json, "worker-start", "us", worker_start(), f64::INFINITY);
    }
    if wanted("commits") {
        let (ours, peer) = commits::run();
        let met = ours / peer >= 8.0;
        print_row(json, "commits", "updates/s", ours, peer, 8.0, met);
    }
}

fn report(json: bool, row: &str, unit: &str, (ours, peer): (f64, f64), must: f64) {
    print_row(json, row, unit, ours, peer, must, ours / peer <= must);
}

fn print_row(json: bool, row: &str, unit: &str, ours: f64, peer: f64, must: f64, met: bool) {
    let ratio = ours / peer;
    if json {
        let line = serde_json::json!({
            "bench": "exec", "row": row, "value": ours, "unit": unit,
            "peer": "bare shared memory", "peer_value": peer, "ratio": ratio,
            "must": must, "met": met,
        });
        println!("{line}");
    } else {
        println!("{row}: {ours:.3} {unit}, peer {peer:.3}, ratio {ratio:.2} (must {must})");
    }
}

/// Round trips in microseconds: ours and the peer's, medians. Both have one
/// side on processor `here` and the other on `there`: where the kernel puts
/// them decides the time of a wake-up by a factor of ten.
fn idle(here: usize, there: usize) -> (f64, f64) {
    let all = affinity();
    pin(there);
    let peer = ServerProcess::ping_pong();
    let bench = BenchRegion::start();
    pin(here);
    let n = 3000;
    let mut ours = Vec::new();
    let mut theirs = Vec::new();
    for _ in 0..ROUNDS {
        theirs.push(peer.round_trips(n).as_secs_f64() * 1e6 / f64::from(n));
        let start = Instant::now();
        bench.block_on(|handle, port| async move {
            for _ in 0..n {
                link(&handle, &port).await;
            }
        });
        ours.push(start.elapsed().as_secs_f64() * 1e6 / f64::from(n));
    }
    set_affinity(&all);
    (median(ours), median(theirs))
}

/// Microseconds of the first task of a region without workers, and of a
/// process that does nothing: medians.
fn worker_start() -> (f64, f64) {
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..4 * ROUNDS {
        let config = RegionConfig {
            min_workers: 0,
            ..config()
        };
        let region = Region::start(config).expect("the region starts");
        let port = region.handle().attach_port().expect("a port is free");
        let runtime = port.runtime().expect("a runtime");
        let start = Instant::now();
        runtime.block_on(link(&region.handle(), &port));
        ours.push(start.elapsed().as_secs_f64() * 1e6);
        let start = Instant::now();
        let status = std::process::Command::new("true").status();
        assert!(status.is_ok_and(|s| s.success()), "true is a program");
        theirs.push(start.elapsed().as_secs_f64() * 1e6);
    }
    (median(ours), median(theirs))
}

/// CPU microseconds a request, both sides: ours and the peer's, medians.
fn saturated() -> (f64, f64) {
    let peer = ServerProcess::ring_server();
    let bench = BenchRegion::start();
    let time = Duration::from_millis(1500);
    let mut ours = Vec::new();
    let mut theirs = Vec::new();
    for _ in 0..ROUNDS {
        let run = peer.ring(OUTSTANDING as u64, time);
        theirs.push(run.cpu.as_secs_f64() * 1e6 / run.requests as f64);
        let before = bench.cpu();
        let requests = bench.block_on(|handle, port| async move {
            let until = Instant::now() + time;
            let clients: Vec<_> = (0..OUTSTANDING)
                .map(|_| {
                    let (handle, port) = (handle.clone(), port.clone());
                    tokio::spawn(async move {
                        let mut n = 0u64;
                        while Instant::now() < until {
                            link(&handle, &port).await;
                            n += 1;
                        }
                        n
                    })
                })
                .collect();
            let mut requests = 0;
            for client in clients {
                requests += client.await.expect("a client ends");
            }
            requests
        });
        let cpu = bench.cpu() - before;
        ours.push(cpu.as_secs_f64() * 1e6 / requests as f64);
        if std::env::var_os("BENCH_VERBOSE").is_some() {
            eprintln!(
                "{:.0} requests/s; {:?}",
                requests as f64 / time.as_secs_f64(),
                bench.region.handle().statistics()
            );
        }
    }
    (median(ours), median(theirs))
}

async fn link(handle: &Handle, port: &Port) {
    let request = TaskRequest {
        transid: Name::from_bytes(*b"BNCH"),
        program: Name::from_bytes(*b"EMPTY   "),
        ..TaskRequest::default()
    };
    let task = handle.begin(port, request).await.expect("it is admitted");
    let reply = task.run().await;
    assert_eq!(*reply.outcome(), region::TaskOutcome::Ok);
}

/// A region over the worker of the tests, and one door.
struct BenchRegion {
    region: Region,
    port: Port,
    runtime: DoorRuntime,
}

impl BenchRegion {
    fn start() -> BenchRegion {
        let region = Region::start(config()).expect("the region starts");
        let port = region.handle().attach_port().expect("a port is free");
        let runtime = port.runtime().expect("a runtime");
        let bench = BenchRegion {
            region,
            port,
            runtime,
        };
        bench.block_on(|handle, port| async move {
            for _ in 0..2000 {
                link(&handle, &port).await;
            }
        });
        bench
    }

    fn block_on<F: Future>(&self, run: impl FnOnce(Handle, Port) -> F) -> F::Output {
        self.runtime
            .block_on(run(self.region.handle(), self.port.clone()))
    }

    /// CPU of this process and of its workers.
    fn cpu(&self) -> Duration {
        let workers = children().into_iter().map(process_cpu);
        own_cpu() + workers.sum::<Duration>()
    }
}

fn children() -> Vec<libc::pid_t> {
    let threads = std::fs::read_dir("/proc/self/task").into_iter().flatten();
    threads
        .flatten()
        .filter_map(|t| std::fs::read_to_string(t.path().join("children")).ok())
        .flat_map(|text| {
            let pids = text.split_whitespace().filter_map(|p| p.parse().ok());
            pids.collect::<Vec<_>>()
        })
        .collect()
}

/// Steps of nice(2) of workers: as many as under `tupelo serve`, unless `--nice=`
/// sets another number.
fn nice() -> u8 {
    let given = option("nice").and_then(|n| n.to_str()?.parse().ok());
    given.unwrap_or(15)
}

/// The value of `--name=value`.
fn option(name: &str) -> Option<PathBuf> {
    let of_name = |a: String| a.strip_prefix(&format!("--{name}=")).map(PathBuf::from);
    std::env::args().find_map(of_name)
}

/// A region with one transaction, `BNCH`.
fn config() -> RegionConfig {
    let fake = PathBuf::from(env!("CARGO_BIN_EXE_fake-worker"));
    RegionConfig {
        worker_exe: option("worker").unwrap_or(fake),
        worker_args: vec!["worker".into()],
        worker_nice: nice(),
        arena_bytes: 1 << 20,
        confinement: confinement(),
        definitions: RegionDefinitions {
            transactions: vec![TransactionDef {
                name: TransId::from_bytes(*b"BNCH"),
                ..TransactionDef::default()
            }],
            programs: ["EMPTY", "FILES"]
                .map(|name| ProgramEntry {
                    name: Name::new(name).expect("a name"),
                    module: option("module"),
                    translated: true,
                    threadsafe: true,
                    enabled: true,
                    ..ProgramEntry::default()
                })
                .to_vec(),
            ..RegionDefinitions::default()
        },
        ..RegionConfig::default()
    }
}

/// With `--sandbox`, workers are confined as `tupelo serve` does by default.
fn confinement() -> WorkerConfinement {
    if std::env::args().any(|a| a == "--sandbox") {
        WorkerConfinement {
            sandbox: SandboxMode::Required,
            task_bytes: 256 << 20,
            process_bytes: 2 << 30,
            resident_bytes: 256 << 20,
        }
    } else {
        WorkerConfinement::default()
    }
}

/// Keeps the calling thread, and what it starts from now on, on one processor.
fn pin(cpu: usize) {
    // SAFETY: a CPU set is plain bits.
    let set = unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(cpu, &mut set);
        set
    };
    if !set_affinity(&set) {
        eprintln!("processor {cpu} is not there: the threads run where the kernel puts them");
    }
}

fn affinity() -> libc::cpu_set_t {
    // SAFETY: the call fills the set; 0 is the calling thread.
    unsafe {
        let mut set = std::mem::zeroed();
        libc::sched_getaffinity(0, std::mem::size_of_val(&set), &mut set);
        set
    }
}

fn set_affinity(set: &libc::cpu_set_t) -> bool {
    // SAFETY: the set is valid and of the size said.
    unsafe { libc::sched_setaffinity(0, std::mem::size_of_val(set), set) == 0 }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
