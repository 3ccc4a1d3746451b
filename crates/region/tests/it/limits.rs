//! Admission, growth, reload, shutdown, volume.

use region::{
    ClassDef, ContainerType, Name, Region, RegionConfig, StartRefusal, TransactionDef, block_on,
};

use crate::harness::{
    FifoGate, call, call_now, code, config, definitions, put, request, text, tran, until,
};

#[test]
fn two_hundred_tasks_wait_at_once_and_all_end() {
    let wide = RegionConfig {
        mxt: 200,
        ..config()
    };
    let region = Region::start(wide).unwrap();
    let handle = region.handle();
    let gates: Vec<FifoGate> = (0..200).map(|_| FifoGate::new()).collect();
    std::thread::scope(|s| {
        let tasks: Vec<_> = gates
            .iter()
            .map(|gate| s.spawn(|| code(&call_now(&region, "GATE", gate.path()))))
            .collect();
        let open: Vec<_> = gates.iter().map(FifoGate::reached).collect();
        assert_eq!(handle.statistics().active, 200);
        drop(open);
        for task in tasks {
            assert_eq!(task.join().unwrap(), "OK");
        }
    });
    assert_eq!(handle.statistics().peak_active, 200);
}

#[test]
fn beyond_mxt_requests_wait_and_beyond_the_queue_they_are_refused() {
    let narrow = RegionConfig {
        mxt: 1,
        queue_limit: 1,
        ..config()
    };
    let region = Region::start(narrow).unwrap();
    let handle = region.handle();
    let port = handle.default_port();
    let gate = FifoGate::new();
    std::thread::scope(|s| {
        let first = s.spawn(|| code(&call_now(&region, "GATE", gate.path())));
        let open = gate.reached();
        let second = s.spawn(|| text(&call_now(&region, "UPPER", "second")));
        until("a task that waits", || handle.statistics().waiting >= 1);
        let third = block_on(handle.begin(&port, request("EMPTY")));
        assert_eq!(third.err(), Some(StartRefusal::TooManyTasks));
        drop(open);
        assert_eq!(first.join().unwrap(), "OK");
        assert_eq!(second.join().unwrap(), "SECOND");
    });
    assert_eq!(handle.statistics().refused_mxt, 1);
}

/// Clients that repeat requests at once keep a door awake: it must still receive
/// the ends of its tasks.
#[test]
fn a_door_that_never_sleeps_receives_its_completions() {
    let narrow = RegionConfig {
        mxt: 1,
        queue_limit: 0,
        ..config()
    };
    let region = Region::start(narrow).unwrap();
    let handle = region.handle();
    let port = handle.attach_port().unwrap();
    let runtime = port.runtime().unwrap();
    runtime.block_on(async {
        // A first sleep makes the thread the door's.
        assert_eq!(code(&call(&handle, "EMPTY", "").await), "OK");
        let mut task = handle.begin(&port, request("UPPER")).await.unwrap();
        put(&mut task, "awake");
        let mut run = std::pin::pin!(task.run());
        let begin = std::time::Instant::now();
        let reply = std::future::poll_fn(|cx| {
            let polled = run.as_mut().poll(cx);
            let mut again = std::pin::pin!(handle.begin(&port, request("EMPTY")));
            if polled.is_pending() {
                let asked = again.as_mut().poll(cx);
                assert!(!matches!(asked, std::task::Poll::Ready(Ok(_))));
            }
            assert!(begin.elapsed().as_secs() < 30, "no end was received");
            // As often as possible: the thread does not sleep.
            cx.waker().wake_by_ref();
            polled
        });
        assert_eq!(text(&reply.await), "AWAKE");
    });
}

#[test]
fn a_full_class_refuses_at_its_purge_threshold_and_leaves_others_alone() {
    let mut config = config();
    let class = Name::new("NARROW").unwrap();
    config.definitions.classes.push(ClassDef {
        name: class,
        max_active: 1,
        purge_threshold: Some(0),
    });
    config.definitions.transactions.push(TransactionDef {
        name: tran("CLSS"),
        class: Some(class),
        ..TransactionDef::default()
    });
    let region = Region::start(config).unwrap();
    let handle = region.handle();
    let port = handle.default_port();
    let of_class = region::TaskRequest {
        transid: tran("CLSS"),
        ..request("EMPTY")
    };
    block_on(async {
        let held = handle.begin(&port, of_class).await.unwrap();
        let refused = handle.begin(&port, of_class).await.err();
        assert_eq!(refused, Some(StartRefusal::ClassFull(class)));
        assert_eq!(code(&call(&handle, "EMPTY", "").await), "OK");
        assert_eq!(code(&held.run().await), "OK");
        let again = handle.begin(&port, of_class).await.unwrap();
        assert_eq!(code(&again.run().await), "OK");
    });
}

#[test]
fn a_task_that_waits_for_its_class_is_listed_by_its_number_and_can_be_purged() {
    let class = Name::new("NARROW").unwrap();
    let mut config = config();
    config.definitions.classes.push(ClassDef {
        name: class,
        max_active: 1,
        purge_threshold: None,
    });
    config.definitions.transactions.push(TransactionDef {
        name: tran("CLSS"),
        class: Some(class),
        ..TransactionDef::default()
    });
    let region = Region::start(config).unwrap();
    let handle = region.handle();
    let begin = || {
        let of_class = region::TaskRequest {
            transid: tran("CLSS"),
            ..request("EMPTY")
        };
        block_on(async { handle.begin(&handle.default_port(), of_class).await })
    };
    let held = begin().unwrap();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| begin().map(drop));
        until("it waits", || handle.statistics().waiting == 1);
        let tasks = handle.tasks();
        let waits = tasks.iter().find(|t| t.suspend_type == "TCLASS");
        let number = waits.expect("it is listed").task;
        assert!(tasks.iter().all(|t| t.task > 0), "{tasks:?}");
        assert_eq!(handle.purge(number, true), region::PurgeOutcome::Done);
        let refused = StartRefusal::Purged("an operator purged the task");
        assert_eq!(waiting.join().unwrap(), Err(refused));
    });
    drop(held);
    assert!(begin().is_ok());
}

#[test]
fn a_lower_purge_threshold_refuses_who_waits_beyond_it_the_lowest_priority_first() {
    let class = |purge_threshold| ClassDef {
        name: Name::new("NARROW").unwrap(),
        max_active: 1,
        purge_threshold,
    };
    let mut config = config();
    config.definitions.classes.push(class(None));
    config.definitions.transactions.push(TransactionDef {
        name: tran("CLSS"),
        class: Some(class(None).name),
        ..TransactionDef::default()
    });
    let mut narrower = config.definitions.clone();
    let region = Region::start(config).unwrap();
    let handle = region.handle();
    let begin = |priority| {
        let handle = handle.clone();
        let request = region::TaskRequest {
            transid: tran("CLSS"),
            priority,
            ..request("EMPTY")
        };
        block_on(async move { handle.begin(&handle.default_port(), request).await })
    };
    let held = begin(0).unwrap();
    std::thread::scope(|scope| {
        let waiting = [5, 9, 2].map(|priority| {
            let before = handle.statistics().waiting;
            let begun = scope.spawn(move || begin(priority).map(drop));
            until("it waits", || handle.statistics().waiting > before);
            begun
        });
        narrower.classes = vec![class(Some(1))];
        handle.reload(narrower).unwrap();
        until("two are refused", || handle.statistics().waiting == 1);
        drop(held);
        let ended = waiting.map(|begun| begun.join().unwrap());
        let full = Err(StartRefusal::ClassFull(class(None).name));
        assert_eq!(ended, [full, Ok(()), full]);
    });
    assert_eq!(handle.statistics().refused_class, 2);
    block_on(region.shutdown());
}

#[test]
fn unknown_and_disabled_transactions_are_refused() {
    let mut config = config();
    config.definitions.transactions.push(TransactionDef {
        name: tran("OFF"),
        enabled: false,
        ..TransactionDef::default()
    });
    let region = Region::start(config).unwrap();
    let handle = region.handle();
    let port = handle.default_port();
    let begin = |name| {
        let request = region::TaskRequest {
            transid: tran(name),
            ..request("EMPTY")
        };
        block_on(handle.begin(&port, request)).err()
    };
    assert_eq!(begin("OFF"), Some(StartRefusal::Disabled(tran("OFF"))));
    assert_eq!(
        begin("NONE"),
        Some(StartRefusal::UnknownTransaction(tran("NONE")))
    );
}

#[test]
fn a_stuck_worker_has_its_queue_taken_away() {
    let region = Region::start(config()).unwrap();
    let handle = region.handle();
    let port = handle.default_port();
    let gate = FifoGate::new();
    block_on(async {
        // A program that is known to be short, until this once.
        let quick = FifoGate::new();
        std::thread::scope(|s| {
            let first = s.spawn(|| code(&call_now(&region, "GATE", "/dev/null")));
            assert_eq!(first.join().unwrap(), "OK");
            drop(quick);
        });
        for _ in 0..3 {
            call(&handle, "UPPER", "x").await;
        }
        let mut stuck = handle.begin(&port, request("GATE")).await.unwrap();
        put(&mut stuck, gate.path());
        let mut queued = handle.begin(&port, request("UPPER")).await.unwrap();
        put(&mut queued, "queued");
        std::thread::scope(|s| {
            let stuck = s.spawn(|| code(&block_on(stuck.run())));
            let open = gate.reached();
            assert_eq!(text(&block_on(queued.run())), "QUEUED");
            drop(open);
            assert_eq!(stuck.join().unwrap(), "OK");
        });
    });
}

#[test]
fn hundreds_of_megabytes_move_in_many_containers() {
    let large = RegionConfig {
        arena_bytes: 384 << 20,
        ..config()
    };
    let region = Region::start(large).unwrap();
    let handle = region.handle();
    const PARTS: usize = 300;
    const BYTES: usize = 1 << 20;
    let reply = block_on(async {
        let port = handle.default_port();
        let mut task = handle.begin(&port, request("ECHO")).await.unwrap();
        for i in 0..PARTS {
            task.put_container(&format!("PART-{i}"), ContainerType::Bit, BYTES, |buf| {
                buf.fill(i as u8);
                Ok::<_, ()>(BYTES)
            })
            .unwrap();
        }
        task.run().await
    });
    assert_eq!(reply.containers().len(), PARTS);
    for (i, container) in reply.containers().enumerate() {
        assert_eq!(container.bytes.len(), BYTES);
        assert_eq!(
            (container.bytes[0], container.bytes[BYTES - 1]),
            (i as u8, i as u8)
        );
    }
    // In one place: the written data is read back, and nothing was used
    // except it and the directory.
    assert!(reply.record().input_bytes < (PARTS * BYTES + (64 << 10)) as u64);
}

#[test]
fn a_request_beyond_its_area_is_an_error_of_the_caller() {
    let region = Region::start(config()).unwrap();
    let handle = region.handle();
    block_on(async {
        let port = handle.default_port();
        let mut task = handle.begin(&port, request("ECHO")).await.unwrap();
        let put = task.put_container("A", ContainerType::Bit, 2 << 20, |_| Ok::<_, ()>(0));
        assert!(matches!(put, Err(region::PutError::TooLarge)));
        let put = task.put_container("A", ContainerType::Bit, 10, |_| Err("no"));
        assert!(matches!(put, Err(region::PutError::Fill("no"))));
        let put = task.put_container("", ContainerType::Bit, 10, |_| Ok::<_, ()>(0));
        assert!(matches!(put, Err(region::PutError::Name(_))));
        assert_eq!(code(&task.run().await), "OK");
    });
}

#[test]
fn a_large_reply_of_a_program_is_read_in_place() {
    let region = Region::start(RegionConfig {
        arena_bytes: 16 << 20,
        ..config()
    })
    .unwrap();
    let reply = call_now(&region, "BIG", "8000000");
    assert_eq!(reply.container("BIG").map(<[u8]>::len), Some(8_000_000));
}

#[test]
fn reload_gives_new_tasks_new_workers_and_drops_none() {
    let region = Region::start(config()).unwrap();
    let handle = region.handle();
    let gate = FifoGate::new();
    std::thread::scope(|s| {
        let old = s.spawn(|| code(&call_now(&region, "GATE", gate.path())));
        let open = gate.reached();
        assert_eq!(text(&call_now(&region, "GENER", "")), "1");
        handle.reload(definitions()).unwrap();
        assert_eq!(text(&call_now(&region, "GENER", "")), "2");
        drop(open);
        assert_eq!(old.join().unwrap(), "OK");
    });
}

#[test]
fn a_reload_that_makes_no_sense_changes_nothing() {
    let region = Region::start(config()).unwrap();
    let mut twice = definitions();
    twice.transactions.push(twice.transactions[0].clone());
    assert!(region.handle().reload(twice).is_err());
    assert_eq!(text(&call_now(&region, "GENER", "")), "1");
}

#[test]
fn shutdown_waits_for_active_tasks_and_refuses_new_ones() {
    let region = Region::start(config()).unwrap();
    let handle = region.handle();
    let gate = FifoGate::new();
    let path = gate.path().to_owned();
    let other = handle.clone();
    let active = std::thread::spawn(move || code(&block_on(call(&other, "GATE", &path))));
    let open = gate.reached();
    let closing = std::thread::spawn(move || block_on(region.shutdown()));
    let port = handle.default_port();
    loop {
        match block_on(handle.begin(&port, request("EMPTY"))) {
            Err(refusal) => break assert_eq!(refusal, StartRefusal::ShuttingDown),
            Ok(task) => drop(task),
        }
    }
    assert!(!closing.is_finished());
    drop(open);
    assert_eq!(active.join().unwrap(), "OK");
    closing.join().unwrap();
}

#[test]
fn a_reply_that_is_kept_holds_its_slot_and_no_other() {
    let region = Region::start(config()).unwrap();
    let kept: Vec<_> = (0..60)
        .map(|i| call_now(&region, "UPPER", &format!("r{i}")))
        .collect();
    for (i, reply) in kept.iter().enumerate() {
        assert_eq!(text(reply), format!("R{i}"));
    }
}

#[test]
fn an_abandoned_task_ends_by_itself() {
    let region = Region::start(config()).unwrap();
    let handle = region.handle();
    let gate = FifoGate::new();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(async {
        let port = handle.default_port();
        let mut task = handle.begin(&port, request("GATE")).await.unwrap();
        put(&mut task, gate.path());
        let running = tokio::spawn(task.run());
        tokio::task::yield_now().await;
        running.abort();
        assert!(running.await.is_err());
    });
    drop(gate.reached());
    until("the task's end", || handle.statistics().tasks_ok >= 1);
    assert_eq!(handle.statistics().active, 0);
}

#[test]
fn monitoring_records_are_lines_of_json() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("monitor.jsonl");
    let region = Region::start(RegionConfig {
        monitoring: Some(path.clone()),
        ..config()
    })
    .unwrap();
    drop(call_now(&region, "UPPER", "x"));
    drop(call_now(&region, "ABEND", ""));
    block_on(region.shutdown());
    let text = std::fs::read_to_string(path).unwrap();
    let records: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(records.len(), 2);
    assert_eq!(records[0]["program"], "UPPER");
    assert_eq!(records[0]["commands"], 1);
    assert_eq!(records[1]["abend"], "U001");
}
