//! Tasks that run.

use region::{ContainerType, Region, TaskOutcome, block_on};

use crate::harness::{call_now, code, config, put, request, text};

#[test]
fn a_commarea_comes_back_changed() {
    let region = Region::start(config()).unwrap();
    let reply = call_now(&region, "UPPER", "hello");
    assert_eq!(*reply.outcome(), TaskOutcome::Ok);
    assert_eq!(text(&reply), "HELLO");
    drop(reply);
    block_on(region.shutdown());
}

#[test]
fn containers_come_back_from_where_they_were_written() {
    let region = Region::start(config()).unwrap();
    let handle = region.handle();
    let reply = block_on(async {
        let port = handle.default_port();
        let mut task = handle.begin(&port, request("ECHO")).await.unwrap();
        for (name, value) in [("A", "first"), ("B", ""), ("A", "again")] {
            task.put_container(name, ContainerType::Char, 64, |buf| {
                buf[..value.len()].copy_from_slice(value.as_bytes());
                Ok::<_, ()>(value.len())
            })
            .unwrap();
        }
        task.run().await
    });
    assert_eq!(reply.container("A"), Some(&b"again"[..]));
    assert_eq!(reply.container("B"), Some(&b""[..]));
    assert_eq!(reply.container("C"), None);
    assert_eq!(reply.containers().len(), 2);
}

#[test]
fn cpu_time_of_a_task_is_capped_by_its_response_time() {
    let region = Region::start(config()).unwrap();
    let reply = call_now(&region, "MUCH", "");
    let record = reply.record();
    let used = record.general_cpu_ns + record.offload_cpu_ns;
    assert!(used > 0 && used <= record.response_ns, "{record:?}");
    drop(reply);
    block_on(region.shutdown());
}

#[test]
fn an_abend_names_its_program_line_and_message() {
    let region = Region::start(config()).unwrap();
    let reply = call_now(&region, "ABEND", "");
    let TaskOutcome::Abend(abend) = reply.outcome() else {
        panic!("it abends")
    };
    assert_eq!(abend.code(), "U001");
    assert_eq!((abend.program.as_str(), abend.line), ("ABEND", 42));
    assert_eq!(abend.message, "as asked");
    assert_eq!(code(&reply), "U001");
}

#[test]
fn a_door_runtime_receives_the_ends_of_its_tasks() {
    let region = Region::start(config()).unwrap();
    let handle = region.handle();
    let port = handle.attach_port().unwrap();
    let runtime = port.runtime().unwrap();
    let ended = runtime.block_on(async {
        let mut tasks = Vec::new();
        for _ in 0..200 {
            let (handle, port) = (handle.clone(), port.clone());
            tasks.push(tokio::spawn(async move {
                for _ in 0..50 {
                    let task = handle.begin(&port, request("EMPTY")).await.unwrap();
                    assert_eq!(code(&task.run().await), "OK");
                }
            }));
        }
        let mut ended = 0;
        for task in tasks {
            task.await.unwrap();
            ended += 1;
        }
        ended
    });
    assert_eq!(ended, 200);
    assert_eq!(handle.statistics().tasks_ok, 10_000);
    assert_eq!(handle.statistics().active, 0);
}

#[test]
fn a_thread_that_never_sleeps_has_its_tasks_run_too() {
    let region = Region::start(config()).unwrap();
    let handle = region.handle();
    let port = handle.attach_port().unwrap();
    let runtime = port.runtime().unwrap();
    runtime.block_on(async {
        // The first sleep of the thread makes it a door's.
        tokio::task::spawn_blocking(|| {}).await.unwrap();
        // Its worker is awake at first, and sleeps between two tasks.
        for text_in in ["first", "second", "third"] {
            let mut task = handle.begin(&port, request("UPPER")).await.unwrap();
            put(&mut task, text_in);
            let task = tokio::spawn(task.run());
            let begin = std::time::Instant::now();
            while !task.is_finished() {
                assert!(begin.elapsed().as_secs() < 20, "the {text_in} was not run");
                tokio::task::yield_now().await;
            }
            assert_eq!(text(&task.await.unwrap()), text_in.to_uppercase());
        }
    });
}
