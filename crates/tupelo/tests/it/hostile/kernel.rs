//! A kernel that lacks a part of the sandbox: the server reports it, or does not start.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Command, Output};

use crate::program::{text, tupelo};
use crate::server::application;

/// Runs a command as on a kernel without Landlock, as far as the command can detect.
fn without_landlock(command: &mut Command) {
    let create = libc::SYS_landlock_create_ruleset as u32;
    let statement = |code: u32, k: u32| libc::sock_filter {
        code: code as u16,
        jt: 0,
        jf: 0,
        k,
    };
    let mut filter = [
        // The number of the call is the first word.
        statement(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0),
        libc::sock_filter {
            jf: 1,
            ..statement(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, create)
        },
        statement(
            libc::BPF_RET | libc::BPF_K,
            libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32,
        ),
        statement(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ALLOW),
    ];
    let install = move || {
        let program = libc::sock_fprog {
            len: filter.len() as u16,
            filter: filter.as_mut_ptr(),
        };
        // SAFETY: plain calls; the program and its filter live until they end.
        let rc = unsafe {
            libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
            libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &program)
        };
        match rc {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    };
    // SAFETY: between fork and exec only system calls are made.
    unsafe { command.pre_exec(install) };
}

fn run(sandbox: &str) -> Output {
    let app = application(&[]);
    let settings = app.path().join("tupelo.toml");
    let given = std::fs::read_to_string(&settings).unwrap();
    let line = format!("[region]\nsandbox = \"{sandbox}\"\n");
    let given = given.replace("[region]\n", &line);
    std::fs::write(&settings, given).unwrap();
    let mut command = tupelo();
    command
        .args(["run", "HELO", "--length", "200"])
        .arg(app.path());
    without_landlock(&mut command);
    command.output().unwrap()
}

#[test]
fn a_kernel_without_landlock_is_reported_in_one_line_or_refused() {
    let best = run("best-effort");
    let said = text(&best.stderr);
    assert_ne!(best.status.code(), Some(2), "{said}");
    assert_eq!(
        said.matches("this kernel lacks Landlock").count(),
        1,
        "{said}"
    );
    let required = run("required");
    assert_eq!(required.status.code(), Some(2));
    assert!(text(&required.stderr).contains("this kernel lacks"));
    let off = run("off");
    assert!(text(&off.stderr).contains("sandbox is off"));
}
