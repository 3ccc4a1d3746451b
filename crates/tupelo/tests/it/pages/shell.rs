//! A shell in namespaces of its own that runs the commands of a page.
//!
//! The shell has a network with nothing but loopback, processes that end with it,
//! and a folder with a copy of `examples/`. A page that does not end in time is
//! ended as a whole.

use std::fmt::Write;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::read::DocCommand;

/// The result of a command.
#[derive(Debug, Default)]
pub struct Result {
    /// Its exit status.
    pub status: i32,
    /// What it printed, to both streams.
    pub output: String,
}

/// Why no page can be run here.
pub fn lacking() -> Option<String> {
    let tools = ["unshare", "ip", "curl", "nc", "openssl", "cobc", "bash"];
    let there = |tool: &&&str| {
        let found = Command::new("sh")
            .args(["-c", &format!("command -v {tool}")])
            .output();
        !found.is_ok_and(|out| out.status.success())
    };
    if let Some(tool) = tools.iter().find(there) {
        return Some(format!("there is no {tool}"));
    }
    let probe = unshare().args(["true"]).output();
    let made = probe.is_ok_and(|out| out.status.success());
    (!made).then(|| "no user namespace may be made here".to_owned())
}

fn unshare() -> Command {
    let mut command = Command::new("unshare");
    command.args([
        "--user",
        "--map-root-user",
        "--net",
        "--mount",
        "--pid",
        "--fork",
    ]);
    command.args(["--mount-proc", "--kill-child"]);
    command
}

/// Runs commands in their order, in a copy of `top`'s examples below `folder`. A
/// result that is `None` is of a command that did not end in time; nothing after
/// it was run.
pub fn run(steps: &[DocCommand], top: &Path, folder: &Path) -> Vec<Option<Result>> {
    let (bin, work) = (folder.join("bin"), folder.join("work"));
    fs::create_dir_all(&bin).unwrap();
    fs::create_dir_all(work.join("docs")).unwrap();
    symlink(env!("CARGO_BIN_EXE_tupelo"), bin.join("tupelo")).unwrap();
    copy(&top.join("examples"), &work.join("examples"));
    // Progress of transfers is for terminals.
    fs::write(folder.join(".curlrc"), "silent\nshow-error\n").unwrap();
    let script = folder.join("page.sh");
    fs::write(&script, text(steps)).unwrap();
    let out = folder.join("out");
    let streams = fs::File::create(&out).unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let mut child = unshare()
        .arg("bash")
        .arg(&script)
        .current_dir(&work)
        .env("PATH", path)
        .env("HOME", folder)
        .env("TOP", top)
        .stdin(Stdio::null())
        .stdout(streams.try_clone().unwrap())
        .stderr(streams)
        .spawn()
        .unwrap();
    let begin = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begin.elapsed() > Duration::from_secs(MOST_SECONDS) {
            let _ = child.kill();
            let _ = child.wait();
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let said = String::from_utf8_lossy(&fs::read(&out).unwrap()).into_owned();
    (0..steps.len()).map(|at| result(&said, at)).collect()
}

/// The part of the output between a command's marks.
fn result(said: &str, at: usize) -> Option<Result> {
    let (_, rest) = said.split_once(&format!("{MARK}begin {at}\n"))?;
    let (output, rest) = rest.split_once(&format!("{MARK}end {at} "))?;
    let status = rest.lines().next()?.trim().parse().ok()?;
    Some(Result {
        status,
        output: output.to_owned(),
    })
}

/// The commands as one script.
fn text(steps: &[DocCommand]) -> String {
    let mut script = String::from("ip link set lo up\nexport LC_ALL=C.UTF-8\n");
    for (at, step) in steps.iter().enumerate() {
        let _ = write!(
            script,
            "printf '\\036begin {at}\\n'\n{}\n",
            runnable(&step.command, at)
        );
        let _ = writeln!(script, "printf '\\036end {at} %s\\n' $?");
    }
    // Commands that still run end with the shell.
    script + "exit 0\n"
}

/// A command as the script runs it: a server continues while the next commands are
/// run, once it says that it is ready.
fn runnable(command: &str, at: usize) -> String {
    let last = command.lines().last().unwrap_or_default();
    let plain = command.split("  #").next().unwrap_or(command).trim_end();
    let bare = plain.trim_end_matches('&').trim_end();
    if command.starts_with("tupelo serve") {
        return format!(
            "{bare} >../server.{at} 2>&1 &\nfor wait in $(seq 600); do\n\
             grep -q '^admin ' ../server.{at} && break\nkill -0 $! 2>/dev/null || break\nsleep 0.1\ndone\n\
             sleep 0.2; cat ../server.{at}; grep -q '^admin ' ../server.{at}"
        );
    }
    if command.starts_with("cat ") && !command.contains('<') {
        // A command that runs in the background may write the file later.
        let file = command.trim_start_matches("cat ");
        return format!("{}; {command}", filled(file));
    }
    if command.starts_with("kill ") {
        return format!("{command}; wait %1; true");
    }
    if plain.ends_with('&') && !bare.contains('>') {
        let file = format!("../background.{at}");
        let filled = filled(&file);
        return format!("{bare} >{file} 2>&1 &\n{filled}; cat {file}");
    }
    if last.trim_end().ends_with('&') {
        return format!("{command}\nsleep 0.5");
    }
    command.to_owned()
}

/// Waits until something is in a file, and a second for the rest of it.
fn filled(file: &str) -> String {
    format!("for wait in $(seq 600); do [ -s {file} ] && break; sleep 0.1; done; sleep 1")
}

/// Copies a folder; what servers left in it is not a part of it.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        if name == ".tupelo" {
            continue;
        }
        if path.is_dir() {
            copy(&path, &to.join(name));
        } else {
            fs::copy(&path, to.join(name)).unwrap();
        }
    }
}

/// Seconds that a page may take: its servers compile their programs first, on a
/// machine that may be busy.
pub const MOST_SECONDS: u64 = 600;

/// ASCII's record separator begins a line that is not the command's.
const MARK: char = '\u{1e}';
