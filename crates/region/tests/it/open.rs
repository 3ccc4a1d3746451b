//! Open tasks: work of a door that is a task and holds no worker.

use std::sync::atomic::Ordering;

use cics::resp::Condition;
use link::CallOperation;
use region::{
    Abend, ClassDef, MonitoringRecord, OpenTask, PurgeOutcome, Region, RegionConfig, StartRefusal,
    TaskOutcome, TaskReply, TransactionDef, block_on,
};

use crate::harness::{config, put, request, text, tran, until};

async fn begin(region: &Region) -> Result<OpenTask, StartRefusal> {
    let handle = region.handle();
    let port = handle.default_port();
    handle.begin_open(&port, request("SCRIPT")).await
}

/// Runs a program for an open task.
async fn run(task: &mut OpenTask, program: &str, commarea: &str) -> TaskReply {
    let name = program.parse().unwrap();
    let mut run = task.run(name, 0).await.expect("it goes on").unwrap();
    put(&mut run, commarea);
    let reply = run.run().await;
    task.ran(&reply);
    reply
}

fn abend(code: &[u8; 4]) -> Abend {
    Abend {
        code: *code,
        program: "SCRIPT".parse().unwrap(),
        line: 7,
        message: "as asked".into(),
    }
}

#[test]
fn programs_run_within_the_task_and_their_costs_are_its_own() {
    let region = Region::start(config()).unwrap();
    let (outcome, record) = block_on(async {
        let mut task = begin(&region).await.unwrap();
        for _ in 0..3 {
            assert_eq!(text(&run(&mut task, "UPPER", "hello").await), "HELLO");
        }
        let statistics = region.handle().statistics();
        assert_eq!((statistics.active, statistics.tasks_ok), (1, 0));
        task.end(None, 5_000).await
    });
    assert_eq!(outcome, TaskOutcome::Ok);
    assert_eq!((record.offload_cpu_ns, record.task), (5_000, 1));
    assert!(record.input_bytes >= 15, "{record:?}");
    let statistics = region.handle().statistics();
    assert_eq!((statistics.active, statistics.tasks_ok), (0, 1));
    block_on(region.shutdown());
}

#[test]
fn what_was_not_measured_is_named_and_the_response_holds_all_of_its_cpu_time() {
    let region = Region::start(config()).unwrap();
    let ended = |estimated: bool, before_ns: u64, cpu_ns: u64| {
        let (_, record) = block_on(async {
            let mut task = begin(&region).await.unwrap();
            task.began_before(before_ns);
            if estimated {
                task.estimates_cpu();
            }
            task.end(None, cpu_ns).await
        });
        record
    };
    let none: &[&str] = &[];
    let door: &[&str] = &["offload_cpu_ns"];
    // Measured by a clock, a part of it before the task was requested.
    let record = ended(false, 3_000_000_000, 2_000_000_000);
    assert_eq!((record.estimated, record.cpu_estimated), (none, false));
    assert!(record.response_ns > record.offload_cpu_ns, "{record:?}");
    // The time that passed, and nothing at all.
    assert_eq!(ended(true, 0, 5_000).estimated, door);
    assert_eq!(ended(false, 0, 0).estimated, door);
    block_on(region.shutdown());
}

#[test]
fn an_abend_of_a_program_leaves_the_task_alive_and_its_own_ends_it() {
    let region = Region::start(config()).unwrap();
    let (outcome, record): (TaskOutcome, MonitoringRecord) = block_on(async {
        let mut task = begin(&region).await.unwrap();
        let reply = run(&mut task, "ABEND", "").await;
        assert!(matches!(reply.outcome(), TaskOutcome::Abend(a) if a.code() == "U001"));
        drop(reply);
        assert_eq!(text(&run(&mut task, "UPPER", "on").await), "ON");
        task.end(Some(abend(b"MINE")), 0).await
    });
    assert_eq!(outcome, TaskOutcome::Abend(abend(b"MINE")));
    assert_eq!(record.abend.as_str(), "MINE");
    assert_eq!(region.handle().statistics().tasks_abended, 1);
    block_on(region.shutdown());
}

#[test]
fn a_worker_that_dies_leaves_a_unit_that_can_only_be_backed_out() {
    let region = Region::start(config()).unwrap();
    let outcome = block_on(async {
        let mut task = begin(&region).await.unwrap();
        let reply = run(&mut task, "CRASH", "").await;
        assert!(matches!(reply.outcome(), TaskOutcome::Abend(a) if a.code() == "ASRA"));
        drop(reply);
        assert!(task.run("UPPER".parse().unwrap(), 0).await.is_none());
        let refused = task
            .call(CallOperation::Syncpoint, [0; 8], Vec::new())
            .await;
        assert_eq!(refused.abend.as_str(), "ASRA");
        task.end(None, 0).await.0
    });
    assert!(matches!(outcome, TaskOutcome::Abend(a) if a.code() == "ASRA"));
    block_on(region.shutdown());
}

#[test]
fn the_region_answers_a_task_as_it_answers_programs() {
    let region = Region::start(config()).unwrap();
    block_on(async {
        let mut task = begin(&region).await.unwrap();
        let done = task
            .call(CallOperation::Syncpoint, [0; 8], Vec::new())
            .await;
        assert_eq!(
            (done.condition, done.abend.is_blank()),
            (Condition::Normal, true)
        );
        let (outcome, record) = task.end(None, 0).await;
        assert_eq!((outcome, record.region_calls), (TaskOutcome::Ok, 1));
    });
    block_on(region.shutdown());
}

#[test]
fn a_class_limits_open_tasks_and_a_dropped_one_gives_its_place_up() {
    let config = config();
    let mut definitions = config.definitions.clone();
    definitions.classes.push(ClassDef {
        name: "ONE".parse().unwrap(),
        max_active: 1,
        purge_threshold: Some(0),
    });
    definitions.transactions = vec![TransactionDef {
        name: tran("TEST"),
        class: Some("ONE".parse().unwrap()),
        ..TransactionDef::default()
    }];
    let region = Region::start(RegionConfig {
        definitions,
        ..config
    })
    .unwrap();
    block_on(async {
        let mut first = begin(&region).await.unwrap();
        assert!(matches!(
            begin(&region).await,
            Err(StartRefusal::ClassFull(_))
        ));
        // A run needs no place of its own in the class.
        assert_eq!(text(&run(&mut first, "UPPER", "a").await), "A");
        drop(first);
        let second = begin(&region).await.expect("the place is free");
        assert_eq!(second.end(None, 0).await.0, TaskOutcome::Ok);
    });
    block_on(region.shutdown());
}

#[test]
fn a_purge_is_reported_and_ends_what_the_task_waits_for() {
    let region = Region::start(config()).unwrap();
    let handle = region.handle();
    block_on(async {
        let mut task = begin(&region).await.unwrap();
        let purged = task.purged();
        assert_eq!(handle.purge(task.number(), true), PurgeOutcome::Done);
        until("the flag", || purged.load(Ordering::SeqCst));
        task.until_purged().await;
        assert!(task.run("UPPER".parse().unwrap(), 0).await.is_none());
        assert!(matches!(
            task.end(Some(abend(b"AEXY")), 0).await.0,
            TaskOutcome::Abend(_)
        ));
    });
    // One whose program runs.
    let gate = crate::harness::FifoGate::new();
    let path = gate.path().to_owned();
    block_on(async {
        let mut task = begin(&region).await.unwrap();
        let number = task.number();
        let name = "GATE".parse().unwrap();
        let mut waits = task.run(name, 0).await.expect("it goes on").unwrap();
        put(&mut waits, &path);
        let other = handle.clone();
        let purging = std::thread::spawn(move || {
            let held = gate.reached();
            assert_eq!(other.purge(number, true), PurgeOutcome::WorkerEnded);
            held
        });
        let reply = waits.run().await;
        assert!(matches!(reply.outcome(), TaskOutcome::Abend(a) if a.code() == "AEXY"));
        drop(reply);
        drop(purging.join().unwrap());
        assert!(matches!(task.end(None, 0).await.0, TaskOutcome::Abend(_)));
    });
    block_on(region.shutdown());
}
