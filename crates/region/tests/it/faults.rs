//! Workers that die, loop or violate the protocol.

use region::{Region, RegionConfig, block_on};

use crate::harness::{FifoGate, call, call_now, code, config, put, request, text, until};

#[test]
fn a_crash_costs_only_its_own_task_an_abend() {
    let region = Region::start(config()).unwrap();
    assert_eq!(code(&call_now(&region, "CRASH", "")), "ASRA");
    assert_eq!(
        text(&call_now(&region, "UPPER", "still here")),
        "STILL HERE"
    );
    assert_eq!(region.handle().statistics().workers_lost, 1);
}

#[test]
fn leaving_the_process_with_a_task_in_flight_is_an_abend() {
    let region = Region::start(config()).unwrap();
    assert_eq!(code(&call_now(&region, "EXIT", "")), "ASRA");
    assert_eq!(code(&call_now(&region, "EMPTY", "")), "OK");
}

#[test]
fn tasks_queued_at_a_crashed_worker_run_elsewhere() {
    let one = RegionConfig {
        mxt: 10,
        ..config()
    };
    let region = Region::start(one).unwrap();
    let handle = region.handle();
    block_on(async {
        let port = handle.default_port();
        // Known to be short, so that tasks are queued after one another.
        for _ in 0..3 {
            call(&handle, "EMPTY", "").await;
        }
        let crash = handle.begin(&port, request("CRASH")).await.unwrap();
        let mut others = Vec::new();
        for _ in 0..8 {
            let mut task = handle.begin(&port, request("UPPER")).await.unwrap();
            put(&mut task, "x");
            others.push(task);
        }
        assert_eq!(code(&crash.run().await), "ASRA");
        for task in others {
            let reply = task.run().await;
            assert_eq!((code(&reply).as_str(), text(&reply).as_str()), ("OK", "X"));
        }
    });
}

#[test]
fn a_task_written_in_a_worker_that_dies_before_it_is_queued_runs_elsewhere() {
    let region = Region::start(config()).unwrap();
    let handle = region.handle();
    block_on(async {
        let port = handle.default_port();
        let pid: i32 = text(&call(&handle, "PID", "").await).parse().unwrap();
        let mut task = handle.begin(&port, request("UPPER")).await.unwrap();
        put(&mut task, "moved");
        // SAFETY: a plain call on the worker's process.
        unsafe { libc::kill(pid, libc::SIGKILL) };
        until("another worker", || {
            handle.statistics().workers_started >= 2
        });
        let reply = task.run().await;
        assert_eq!(text(&reply), "MOVED");
    });
}

#[test]
fn a_loop_without_commands_ends_as_a_runaway() {
    let quick = RegionConfig {
        runaway_ms: 100,
        ..config()
    };
    let region = Region::start(quick).unwrap();
    assert_eq!(code(&call_now(&region, "LOOP", "")), "AICA");
    let statistics = region.handle().statistics();
    assert_eq!((statistics.runaways, statistics.tasks_abended), (1, 1));
    assert_eq!(code(&call_now(&region, "EMPTY", "")), "OK");
}

#[test]
fn a_waiting_task_is_no_runaway_and_ends_at_its_time_limit() {
    let quick = RegionConfig {
        runaway_ms: 50,
        ..config()
    };
    let region = Region::start(quick).unwrap();
    let handle = region.handle();
    let gate = FifoGate::new();
    let limited = region::TaskRequest {
        timeout_ms: 300,
        ..request("GATE")
    };
    let reply = block_on(async {
        let port = handle.default_port();
        let mut task = handle.begin(&port, limited).await.unwrap();
        put(&mut task, gate.path());
        task.run().await
    });
    assert_eq!(code(&reply), "AEXY");
    assert_eq!(handle.statistics().purged, 1);
}

#[test]
fn lies_of_a_worker_cost_its_task_an_abend() {
    let region = Region::start(config()).unwrap();
    for violation in ["commarea", "directory", "call", "state", "everything"] {
        assert_eq!(
            code(&call_now(&region, "VIOLATE", violation)),
            "ASRA",
            "{violation}"
        );
        assert_eq!(text(&call_now(&region, "UPPER", "ok")), "OK", "{violation}");
    }
    assert!(region.handle().statistics().violations >= 5);
}

#[test]
fn workers_that_cannot_start_are_refused_not_waited_for() {
    let broken = RegionConfig {
        worker_args: vec!["--die-at-start".into()],
        ..config()
    };
    let region = Region::start(broken).unwrap();
    let handle = region.handle();
    let refused = block_on(async {
        let port = handle.default_port();
        loop {
            // Until the region knows, a task may still be queued and abend.
            match handle.begin(&port, request("EMPTY")).await {
                Ok(task) => assert_eq!(code(&task.run().await), "APCT"),
                Err(refusal) => return refusal,
            }
        }
    });
    assert_eq!(refused, region::StartRefusal::NoWorker);
}

#[test]
fn a_holder_of_the_qr_token_that_dies_is_counted() {
    let region = Region::start(config()).unwrap();
    assert_eq!(code(&call_now(&region, "QRDIE", "")), "ASRA");
    assert_eq!(text(&call_now(&region, "QR", "")), "Ok(())");
    assert_eq!(text(&call_now(&region, "QR", "")), "Ok(())");
    assert_eq!(region.handle().statistics().qr_deaths, 1);
}

#[test]
fn what_a_worker_traced_is_there_after_its_death() {
    let region = Region::start(config()).unwrap();
    assert_eq!(code(&call_now(&region, "CRASH", "")), "ASRA");
    let of_worker = region::TraceFilter {
        domain: Some("programs".into()),
        ..region::TraceFilter::default()
    };
    let records = region.handle().trace(&of_worker);
    let commands: Vec<_> = records.iter().map(|r| (&*r.command, r.worker)).collect();
    assert_eq!(commands, [("LINK", Some(0))]);
}

#[test]
fn a_killed_worker_under_load_costs_only_what_it_ran() {
    let region = Region::start(config()).unwrap();
    let handle = region.handle();
    let port = handle.attach_port().unwrap();
    let runtime = port.runtime().unwrap();
    let abends = runtime.block_on(async {
        let mut clients = Vec::new();
        for _ in 0..20 {
            let (handle, port) = (handle.clone(), port.clone());
            clients.push(tokio::spawn(async move {
                let mut abends = 0;
                for i in 0..100 {
                    let mut task = handle.begin(&port, request("PID")).await.unwrap();
                    put(&mut task, "");
                    let reply = task.run().await;
                    match code(&reply).as_str() {
                        "OK" if i % 25 == 0 => {
                            let pid: i32 = text(&reply).parse().unwrap();
                            // SAFETY: a plain call on a worker's process.
                            unsafe { libc::kill(pid, libc::SIGKILL) };
                        }
                        "OK" => {}
                        "ASRA" => abends += 1,
                        other => panic!("{other}"),
                    }
                }
                abends
            }));
        }
        let mut abends = 0;
        for client in clients {
            abends += client.await.unwrap();
        }
        abends
    });
    // One task at most for each of the 80 kills.
    assert!(abends <= 80, "{abends}");
    let statistics = handle.statistics();
    assert_eq!(statistics.tasks_ok + statistics.tasks_abended, 2000);
    assert_eq!(statistics.active, 0);
}

/// A worker whose second process never attaches: it leaves its number in a file
/// and sleeps.
fn second_worker_sleeps(folder: &std::path::Path) -> RegionConfig {
    let script = format!(
        "cd '{}'; if [ -e first ] && [ ! -e second ]; then echo $$ > new; mv new second; \
         exec sleep 600; fi; : > first; exec '{}'",
        folder.display(),
        env!("CARGO_BIN_EXE_fake-worker"),
    );
    RegionConfig {
        mxt: 2,
        min_workers: 1,
        engines: region::EngineCpus {
            general: vec![0],
            ..region::EngineCpus::default()
        },
        worker_exe: "/bin/sh".into(),
        worker_args: vec!["-c".into(), script.into()],
        ..config()
    }
}

fn kill(pid: &str) {
    let pid: i32 = pid.trim().parse().unwrap();
    // SAFETY: a plain call on a worker's process.
    unsafe { libc::kill(pid, libc::SIGKILL) };
}

#[test]
fn a_task_that_comes_back_to_a_workers_number_is_answered_from_the_new_ones_memory() {
    let folder = tempfile::tempdir().unwrap();
    let region = Region::start(second_worker_sleeps(folder.path())).unwrap();
    let (handle, gate) = (region.handle(), FifoGate::new());
    let second = folder.path().join("second");
    let port = handle.attach_port().unwrap();
    let runtime = port.runtime().unwrap();
    runtime.block_on(async {
        // Its remains in slot 0 of worker 0 must not be taken for a new task.
        let first = text(&call(&handle, "PID", "").await);
        let mut task = handle.begin(&port, request("UPPER")).await.unwrap();
        put(&mut task, "mine");
        let mut before = handle.begin(&port, request("GATE")).await.unwrap();
        put(&mut before, gate.path());
        let before = tokio::spawn(before.run());
        // The task is queued after the gate, and moved to the second worker.
        let task = tokio::spawn(task.run());
        let there = second.clone();
        let slept = tokio::task::spawn_blocking(move || until("the second", || there.exists()));
        slept.await.unwrap();
        kill(&first);
        assert_eq!(code(&before.await.unwrap()), "ASRA");
        // Worker 0 ends with its last slot; the next worker gets its number.
        kill(&std::fs::read_to_string(&second).unwrap());
        let reply = task.await.unwrap();
        assert_eq!(reply.record().worker, 0);
        assert_eq!((code(&reply), text(&reply)), ("OK".into(), "MINE".into()));
    });
}
