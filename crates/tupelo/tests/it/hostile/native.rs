//! Attacks by a module written in C.

use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::SocketAddr;

use super::{Arena, sandbox_is_whole};
use crate::program::until;

/// Whether the outcome in the log and for the client is that of a process which the system
/// ended for a system call.
fn is_ended_for_a_call(outcome: &str) -> bool {
    outcome.starts_with("abend ASRA") && outcome.contains("SIGSYS")
}

#[test]
fn other_processes_and_the_system_are_out_of_reach() {
    if !sandbox_is_whole() {
        return;
    }
    let arena = Arena::open(4);
    let sibling = arena.run("WORKER", "0");
    let proof = arena.folder.path().join("proof");
    let shell = format!("touch {}", proof.display());
    let fatal = [
        ("SHELL", shell.as_str()),
        ("EXEC", ""),
        ("FORK", ""),
        ("VFORKED", ""),
        ("CLONE3", ""),
        ("KILLPP", ""),
        ("KILLALL", ""),
        ("KILLGRP", ""),
        ("KILLSIB", &sibling),
        ("QUEUESIG", ""),
        ("PIDFD", ""),
        ("TRACE", &sibling),
        ("READMEM", &sibling),
        ("URING", ""),
        ("UNSHARE", ""),
        ("BPF", ""),
        ("WRITEMEM", &sibling),
        ("FAULTFD", ""),
        ("MEMEXEC", ""),
        ("PERF", ""),
        ("KEYCTL", ""),
        ("ADDKEY", ""),
        ("GETFD", ""),
        ("HANDLE", ""),
        ("MOUNT", ""),
        ("THREAD", ""),
        ("CLONED", ""),
        ("PEERKILL", ""),
    ];
    for (program, asked) in fatal {
        let outcome = arena.attack(program, asked);
        assert!(is_ended_for_a_call(&outcome), "{program}: {outcome}");
    }
    assert!(!proof.exists());
    let refused = [
        "LIMITS", "RAISE", "DUMP", "ORPHAN", "GROUP", "NICE", "ASYNC", "CHDIR",
    ];
    for program in refused {
        assert_eq!(arena.attack(program, ""), "EPERM", "{program}");
    }
    assert_eq!(arena.attack("X32FORK", ""), "EPERM");
    assert_eq!(arena.attack("SETTINGS", ""), "refused");
    assert_eq!(arena.attack("BLOCKING", ""), "changed 0");
    assert_eq!(arena.attack("PEERFD", ""), "got 0");
    assert_eq!(arena.attack("SOCKET", ""), "EPERM");
    assert_eq!(arena.attack("UNIXSOCK", ""), "EPERM");
}

#[test]
fn files_are_neither_read_nor_changed() {
    if !sandbox_is_whole() {
        return;
    }
    let arena = Arena::open(4);
    let own = arena.folder.path().join("own");
    std::fs::write(&own, "kept").unwrap();
    let own = own.to_str().unwrap();
    let new = arena.folder.path().join("new");
    let data = arena.folder.path().join("store/data.mdb");
    let parent = format!("/proc/{}/mem", std::process::id());
    let environ = format!("/proc/{}/environ", std::process::id());
    let memory = format!("/proc/{}/map_files", std::process::id());
    let descriptor = format!("/proc/{}/fd/0", std::process::id());
    for path in [
        &memory,
        &descriptor,
        "/proc/self/mem",
        "/etc/passwd",
        "/etc/shadow",
        own,
        &parent,
        &environ,
        "/proc/self/maps",
    ] {
        assert_eq!(arena.attack("READFILE", path), "EACCES", "{path}");
    }
    assert_eq!(arena.run("READFILE", data.to_str().unwrap()), "EACCES");
    assert_eq!(arena.run("LISTDIR", "/tmp"), "EACCES");
    for program in ["WRITFILE", "APPEND", "REMOVE", "CHMOD", "CUTFILE"] {
        assert_eq!(arena.attack(program, own), "EPERM", "{program}");
    }
    assert_eq!(arena.attack("APPEND", "/proc/self/mem"), "EPERM");
    assert_eq!(arena.run("WRITFILE", new.to_str().unwrap()), "EPERM");
    assert!(!new.exists());
    assert_eq!(std::fs::read_to_string(own).unwrap(), "kept");
    let before = std::fs::metadata(&data).unwrap().len();
    assert_eq!(arena.attack("CUTFDS", ""), "cut 0");
    assert_eq!(arena.attack("INODES", ""), "changed 0");
    assert_eq!(arena.attack("CONTROLS", ""), "changed 0");
    assert_eq!(arena.attack("MAPDATA", ""), "files: 0");
    assert_eq!(arena.attack("PATHOPEN", own), "EACCES");
    assert_eq!(arena.attack("PATHOPEN", "/etc/shadow"), "EACCES");
    assert_eq!(arena.attack("REOPEN", ""), "opened 0");
    assert_eq!(std::fs::metadata(&data).unwrap().len(), before);
}

#[test]
fn a_worker_has_nothing_but_its_own() {
    if !sandbox_is_whole() {
        return;
    }
    // SAFETY: tests of this process read no such variable.
    unsafe { std::env::set_var("HOSTILE_SECRET", "1") };
    let arena = Arena::open(4);
    let environment = arena.run("ENVIRON", "");
    // The time zone may be there.
    assert!(
        ["0 none", "1 none"].contains(&environment.as_str()),
        "{environment}"
    );
    // The store's data and the worker's own size. Its reader table is a memory
    // file.
    assert_eq!(arena.run("OPENFDS", "").split_whitespace().count(), 2);
    let pid = arena.run("WORKER", "0");
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let field = |name: &str| {
        let line = status
            .lines()
            .find(|l| l.starts_with(name))
            .unwrap_or_default();
        line.split_whitespace()
            .nth(1)
            .unwrap_or_default()
            .to_owned()
    };
    assert_eq!(field("NoNewPrivs:"), "1");
    assert_eq!(field("Seccomp:"), "2");
    for set in ["CapEff:", "CapPrm:", "CapInh:", "CapAmb:"] {
        assert_eq!(field(set), "0000000000000000", "{set}");
    }
    let score = std::fs::read_to_string(format!("/proc/{pid}/oom_score_adj")).unwrap();
    assert_eq!(score.trim(), "500");
    let limits = std::fs::read_to_string(format!("/proc/{pid}/limits")).unwrap();
    let core = limits.lines().find(|l| l.starts_with("Max core file size"));
    assert!(
        core.is_some_and(|l| l.split_whitespace().nth(4) == Some("0")),
        "{limits}"
    );
}

#[test]
fn memory_is_bounded_and_given_back() {
    if !sandbox_is_whole() {
        return;
    }
    let arena = Arena::open(2);
    let mib: usize = arena.attack("HOARD", "").parse().unwrap();
    // The module's own storage counts too.
    assert!((20..=192).contains(&mib), "{mib} MiB");
    assert_eq!(arena.attack("LOCKMEM", ""), "got 0");
    let mapped: usize = arena.attack("MAPHOARD", "").parse().unwrap();
    assert!(mapped < 1100, "{mapped} MiB");
    // Resident memory is freed with the process, which ends after the task.
    let kept = arena.run("STAY", "");
    let gone = || !std::path::Path::new(&format!("/proc/{kept}")).exists();
    until("the worker has retired", gone);
    assert_eq!(arena.run("GOOD", ""), "good");
}

#[cfg(target_arch = "x86_64")]
#[test]
fn the_ways_in_of_32_bit_processes_are_closed() {
    if !sandbox_is_whole() {
        return;
    }
    let outcome = Arena::open(2).attack("INT80", "");
    assert!(outcome.starts_with("abend ASRA"), "{outcome}");
}

#[test]
fn memory_files_are_bounded_by_the_size_of_modules() {
    if !sandbox_is_whole() {
        return;
    }
    let mib: usize = Arena::open(2).attack("FILHOARD", "").parse().unwrap();
    assert!((1..=1024).contains(&mib), "{mib} MiB");
}

#[test]
fn sending_makes_no_connection_and_descriptors_do_not_pile_up() {
    if !sandbox_is_whole() {
        return;
    }
    let arena = Arena::open(2);
    assert_eq!(arena.attack("FASTOPEN", ""), "EPERM");
    let before = descriptors();
    assert_eq!(arena.attack("PASSFDS", ""), "bounded");
    // Other tests of this process open some meanwhile; the attack sent more
    // than a thousand.
    assert!(descriptors() < before + 500, "{before} descriptors");
    assert_eq!(arena.attack("CLOSEALL", ""), "closed");
}

#[test]
fn a_task_that_nothing_stops_and_one_that_leaves_are_ended() {
    if !sandbox_is_whole() {
        return;
    }
    let arena = Arena::with(2, |config| {
        config.definitions.transactions[0].runaway_ms = Some(300);
    });
    let outcome = arena.attack("SPIN", "");
    assert!(outcome.starts_with("abend AICA"), "{outcome}");
    let outcome = arena.attack("LEAVE", "");
    assert!(outcome.starts_with("abend ASRA"), "{outcome}");
}

#[test]
fn nonsense_in_a_worker_s_own_memory_costs_its_task_alone() {
    if !sandbox_is_whole() {
        return;
    }
    let arena = Arena::open(4);
    for fill in ["0", "255", "-1", "1", "2", "3"] {
        // Whatever its own result is, also with tasks queued after it.
        arena.run("FILLOWN", fill);
        serves(&arena, fill);
    }
    for fill in ["0", "255", "-1"] {
        assert_eq!(arena.attack("FILLTABL", fill), "1");
        serves(&arena, fill);
    }
    assert_eq!(arena.attack("LOCKPAGE", ""), "locked");
    serves(&arena, "locks");
    assert_eq!(arena.attack("REQUEUE", ""), "moved");
    serves(&arena, "requeue");
    // Whatever its own result is.
    arena.run("PUNCH", "");
    serves(&arena, "holes");
}

#[test]
fn traps_that_a_task_leaves_cost_the_next_ones_in_its_process_alone() {
    if !sandbox_is_whole() {
        return;
    }
    let arena = Arena::with(1, |config| {
        config.definitions.transactions[0].runaway_ms = Some(300);
    });
    assert_eq!(arena.run("TRAPS", ""), "set");
    for (program, end) in [("SPIN", "abend AICA"), ("CRASH", "abend A")] {
        let outcome = arena.attack(program, "");
        assert!(outcome.starts_with(end), "{program}: {outcome}");
        assert_eq!(arena.run("TRAPS", ""), "set");
    }
    serves(&arena, "traps");
}

#[test]
fn leaked_descriptors_cost_the_next_task_nothing() {
    if !sandbox_is_whole() {
        return;
    }
    // One worker, so that the next task meets the leak.
    let arena = Arena::open(1);
    let mut workers: Vec<i32> = Vec::new();
    for _ in 0..3 {
        let leaked: usize = arena.run("LEAK", "").parse().unwrap();
        assert!((500..1024).contains(&leaked), "{leaked}");
        // A program that this worker may not have loaded yet, and which then needs a
        // descriptor and gets none. The worker ends after it at the latest, since a
        // task of that length is followed by a check.
        workers.push(arena.run("WORKER", "5").parse().unwrap());
    }
    assert_eq!(arena.run("GOOD", ""), "good");
    let gone = |worker: &i32| !std::path::Path::new(&format!("/proc/{worker}")).exists();
    let leaking = &workers[..2];
    until("the workers have retired", || leaking.iter().all(gone));
    assert_eq!(arena.run("GOOD", ""), "good");
}

#[test]
fn the_region_serves_on_whatever_is_written_into_its_page() {
    let arena = Arena::open(4);
    for fill in ["0", "255", "-1", "1", "-1"] {
        assert_eq!(arena.run("FILLPAGE", fill), "filled");
        serves(&arena, fill);
        let outcome = arena.run("FILLDIE", fill);
        assert!(outcome.starts_with("abend ASRA"), "{outcome}");
        serves(&arena, fill);
        // Afterwards none of the former workers is left.
        for _ in 0..4 {
            let outcome = arena.run("FILLDIE", fill);
            assert!(outcome.starts_with("abend ASRA"), "{outcome}");
        }
        serves(&arena, fill);
    }
    let deaths = arena.region.handle().statistics().qr_deaths;
    assert!(deaths <= 25, "{deaths} deaths with the QR token");
}

#[test]
fn eventfds_written_full_still_wake() {
    let arena = Arena::open(4);
    assert_eq!(arena.run("BELLS", ""), "filled");
    serves(&arena, "bells");
}

/// Descriptors that this process, the region's, has open.
fn descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

/// Quasi-reentrant programs run.
fn serves(arena: &Arena, after: &str) {
    for _ in 0..20 {
        assert_eq!(arena.run("GOOD", ""), "good", "after {after}");
    }
}

#[test]
fn messages_reach_no_other_process_and_a_worker_without_its_socket_is_replaced() {
    if !sandbox_is_whole() {
        return;
    }
    let arena = Arena::open(4);
    let path = arena.folder.path().join("s");
    let socket = std::os::unix::net::UnixDatagram::bind(&path).unwrap();
    socket.set_nonblocking(true).unwrap();
    assert_eq!(arena.attack("SENDNAME", path.to_str().unwrap()), "sent 0");
    let got = socket.recv(&mut [0; 8]).map_err(|e| e.kind());
    assert_eq!(got, Err(std::io::ErrorKind::WouldBlock));
    let name = SocketAddr::from_abstract_name(path.as_os_str().as_encoded_bytes());
    let hidden = std::os::unix::net::UnixDatagram::bind_addr(&name.unwrap()).unwrap();
    hidden.set_nonblocking(true).unwrap();
    let asked = format!("@{}", path.display());
    assert_eq!(arena.attack("SENDNAME", &asked), "sent 0");
    let got = hidden.recv(&mut [0; 8]).map_err(|e| e.kind());
    assert_eq!(got, Err(std::io::ErrorKind::WouldBlock));
    // Whatever its own result is.
    arena.attack("SHUTSOCK", "");
    serves(&arena, "SHUTSOCK");
    let outcome = arena.attack("UNMAP", "");
    assert!(outcome.starts_with("abend ASRA"), "{outcome}");
}

#[test]
fn a_task_that_stops_its_own_process_ends_at_its_limit_of_time() {
    if !sandbox_is_whole() {
        return;
    }
    let arena = Arena::with(2, |config| {
        config.definitions.transactions[0].timeout_ms = 1500;
    });
    let outcome = arena.attack("STOPSELF", "");
    assert!(outcome.starts_with("abend AEXY"), "{outcome}");
}
