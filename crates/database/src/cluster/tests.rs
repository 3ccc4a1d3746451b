//! The private cluster under kills, deep folders and second processes.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use super::*;
use crate::connection::Connection;
use crate::testing::{is_installed, run, soon};

fn options(folder: &Path) -> ClusterOptions {
    ClusterOptions {
        folder: folder.to_owned(),
        user: "postgres".into(),
        owner: "tupelo".into(),
        sessions: 10,
    }
}

fn owner(cluster: &Cluster) -> Connection {
    let credentials = sql::wire::LoginCredentials {
        user: "tupelo".into(),
        database: "postgres".into(),
        password: None,
        settings: Vec::new(),
    };
    Connection::open(&cluster.address(), credentials, soon()).unwrap()
}

/// Waits until a condition is true.
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(
            begin.elapsed() < Duration::from_secs(60),
            "waited for {what}"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_cluster_lives_in_a_deep_folder_that_its_user_cannot_enter() {
    if !is_installed() {
        return;
    }
    let root = tempfile::tempdir().unwrap();
    std::fs::set_permissions(root.path(), std::fs::Permissions::from_mode(0o700)).unwrap();
    let deep = root
        .path()
        .join("d".repeat(100))
        .join("e".repeat(100))
        .join("sql");
    let cluster = Cluster::start(&options(&deep)).unwrap();
    let mut connection = owner(&cluster);
    run(
        &mut connection,
        "CREATE TABLE kept (n int); INSERT INTO kept VALUES (1)",
    );
    let answer = run(&mut connection, "SHOW listen_addresses");
    assert_eq!(answer.text(0, 0), Some(""), "it has a TCP port");
    // Another process of the same state folder uses the server that runs.
    let joined = Cluster::join(&deep).unwrap().unwrap();
    assert_eq!(joined.pid(), None);
    assert_eq!(run(&mut owner(&joined), "SELECT n FROM kept").rows.len(), 1);
    drop(joined);
    assert_eq!(run(&mut connection, "SELECT 1").rows.len(), 1);
    drop(connection);
    cluster.stop();
    drop(cluster);
    assert!(Cluster::join(&deep).unwrap().is_none());
    // A pid file that names a process which lives, as after a loss of power.
    let stale = format!("{}\n/x\n1\n5432\n/x\n\n  1 2\nready\n", std::process::id());
    std::fs::write(deep.join("data/postmaster.pid"), stale).unwrap();
    let cluster = Cluster::start(&options(&deep)).unwrap();
    assert_eq!(
        run(&mut owner(&cluster), "SELECT n FROM kept").rows.len(),
        1
    );
}

#[test]
fn a_server_that_is_killed_is_started_again_with_what_it_committed() {
    if !is_installed() {
        return;
    }
    let root = tempfile::tempdir().unwrap();
    let cluster = Cluster::start(&options(&root.path().join("sql"))).unwrap();
    let mut connection = owner(&cluster);
    run(
        &mut connection,
        "CREATE TABLE kept (n int); INSERT INTO kept VALUES (1)",
    );
    let first = cluster.pid().unwrap();
    // SAFETY: sends a signal to the server that this test has started.
    assert_eq!(unsafe { libc::kill(first.cast_signed(), libc::SIGKILL) }, 0);
    until("another server", || {
        cluster.pid().is_some_and(|pid| pid != first)
    });
    let mut answer = None;
    until("its answer", || {
        let credentials = sql::wire::LoginCredentials {
            user: "tupelo".into(),
            database: "postgres".into(),
            password: None,
            settings: Vec::new(),
        };
        answer = Connection::open(&cluster.address(), credentials, soon()).ok();
        answer.is_some()
    });
    assert_eq!(
        run(&mut answer.unwrap(), "SELECT n FROM kept").rows.len(),
        1
    );
}

#[test]
fn a_server_that_does_not_end_with_its_region_is_ended_by_the_next_start() {
    if !is_installed() {
        return;
    }
    let root = tempfile::tempdir().unwrap();
    let options = options(&root.path().join("sql"));
    // Makes the data, which a kept row shows at the end.
    let cluster = Cluster::start(&options).unwrap();
    run(
        &mut owner(&cluster),
        "CREATE TABLE kept (n int); INSERT INTO kept VALUES (1)",
    );
    drop(cluster);
    // A server whose region is gone: it alone has the lock.
    let user = user::server_user(&options.user).unwrap();
    let folder = ClusterFolder::open(&options.folder, user).unwrap();
    assert!(folder.lock().unwrap());
    let binaries = binaries::find().unwrap();
    let data = folder.own("data").unwrap();
    let mut server = process::server_command(&binaries.join("postgres"), &folder, &data, 0);
    let socket = folder::fd_path(folder.socket_folder());
    server.arg("-D").arg(folder::fd_path(&data)).arg("-c");
    server.arg(format!("unix_socket_directories={}", socket.display()));
    server.args(["-c", "listen_addresses="]);
    server.stderr(std::process::Stdio::null());
    let mut server = server.spawn().unwrap();
    drop(folder);
    let pid = server.id();
    let state = || {
        let file = options.folder.join("data/postmaster.pid");
        let text = std::fs::read_to_string(file).unwrap_or_default();
        text.lines().last().unwrap_or_default().trim().to_owned()
    };
    until("the server", || state() == "ready");
    // It waits for a checkpointer that does not end.
    let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap();
    let checkpointer = children
        .split_whitespace()
        .find(|child| {
            let command = std::fs::read_to_string(format!("/proc/{child}/cmdline"));
            command.is_ok_and(|c| c.contains("checkpointer"))
        })
        .expect("a checkpointer");
    let checkpointer: libc::pid_t = checkpointer.parse().unwrap();
    // SAFETY: signals to the server that this test has started, and to its child.
    unsafe {
        libc::kill(checkpointer, libc::SIGSTOP);
        libc::kill(pid.cast_signed(), libc::SIGINT);
    }
    until("its end to begin", || state() == "stopping");
    let cluster = Cluster::start(&options).unwrap();
    server.wait().unwrap();
    assert_eq!(
        run(&mut owner(&cluster), "SELECT n FROM kept").rows.len(),
        1
    );
}

#[test]
fn a_server_that_another_process_took_with_it_is_started_again() {
    let Some(first) = crate::testing::start(crate::config::SqlConfig::default()) else {
        return;
    };
    let second = first.another();
    run(
        &mut second.open_owner().unwrap(),
        "CREATE TABLE kept (n int)",
    );
    first.server.stop();
    // The second one has not started a server so far.
    run(&mut second.open_owner().unwrap(), "SELECT n FROM kept");
    second.stop();
}
