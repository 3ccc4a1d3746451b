//! Kills of workers, of the region, and of the data base that decides its units,
//! at instants by the seed. The writes of a unit are in both or in neither, once
//! nothing is in doubt, and acknowledged units are there.
//!
//! `CRASH_KILLS`, `CRASH_SEED` and `CRASH_SECONDS` have it kill more;
//! `cargo xtask crash --units` sets them.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use base::SeededRandom;

const BANK: &str = env!("CARGO_BIN_EXE_fake-bank");

/// The answers to tasks.
#[derive(Default)]
struct AnsweredTasks {
    committed: BTreeSet<u64>,
    backed_out: BTreeSet<u64>,
}

/// A process that prints when it is ready; its further lines are read to the end.
struct RegionProcess {
    child: Child,
    reader: Option<std::thread::JoinHandle<()>>,
}

impl RegionProcess {
    fn start(args: &[&str], answered: &Arc<Mutex<AnsweredTasks>>) -> RegionProcess {
        let mut child = Command::new(BANK)
            .args(args)
            .stdout(Stdio::piped())
            .spawn()
            .expect("a process");
        let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        let ready = lines.next().and_then(Result::ok);
        assert_eq!(ready.as_deref(), Some("ready"), "{args:?}");
        let answered = answered.clone();
        let reader = std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let mut answered = answered.lock().unwrap();
                match (line.strip_prefix('-'), line.parse::<u64>()) {
                    (Some(number), _) => {
                        answered.backed_out.extend(number.parse::<u64>());
                    }
                    (None, Ok(number)) => drop(answered.committed.insert(number)),
                    // Cut short by the kill.
                    (None, Err(_)) => {}
                }
            }
        });
        RegionProcess {
            child,
            reader: Some(reader),
        }
    }

    fn kill(&mut self) {
        self.child.kill().expect("a kill");
        self.child.wait().expect("its end");
        if let Some(reader) = self.reader.take() {
            reader.join().expect("its reader");
        }
    }

    /// Kills one of its children; false when it has none.
    fn kill_child(&self, choice: u64) -> bool {
        let mut children = Vec::new();
        let tasks = std::fs::read_dir(format!("/proc/{}/task", self.child.id())).expect("threads");
        for thread in tasks.flatten() {
            let text = std::fs::read_to_string(thread.path().join("children")).unwrap_or_default();
            children.extend(text.split_whitespace().map(str::to_owned));
        }
        if children.is_empty() {
            return false;
        }
        let victim = &children[(choice % children.len() as u64) as usize];
        let pid: libc::pid_t = victim.parse().expect("a process number");
        // SAFETY: sends a signal to a child of the region.
        unsafe { libc::kill(pid, libc::SIGKILL) == 0 }
    }
}

impl Drop for RegionProcess {
    fn drop(&mut self) {
        if self.reader.is_some() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

fn setting(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().map_or(usual, |text| {
        text.parse()
            .unwrap_or_else(|_| panic!("{name} is not a number"))
    })
}

#[test]
fn what_units_write_to_a_file_and_to_their_decider_is_in_both_or_in_neither() {
    let kills = setting("CRASH_KILLS", 15);
    let seconds = setting("CRASH_SECONDS", 3_600);
    let mut random = SeededRandom::new(setting("CRASH_SEED", 1));
    let folder = tempfile::tempdir().unwrap();
    let (socket, log) = (folder.path().join("base"), folder.path().join("log"));
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    let (socket, log, folder_text) = (text(&socket), text(&log), text(folder.path()));
    let answered = Arc::new(Mutex::new(AnsweredTasks::default()));
    let start_base = || RegionProcess::start(&["base", &socket, &log], &answered);
    let mut life = 0;
    let mut start_region = || {
        life += 1;
        let first = (life * 50_000).to_string();
        RegionProcess::start(&["region", &folder_text, &socket, &first], &answered)
    };
    let (mut base, mut region) = (start_base(), start_region());
    let (begin, mut done) = (Instant::now(), [0; 3]);
    while done.iter().sum::<u64>() < kills && begin.elapsed() < Duration::from_secs(seconds) {
        std::thread::sleep(Duration::from_millis(random.below(150)));
        match random.below(5) {
            0 => {
                region.kill();
                region = start_region();
                done[1] += 1;
            }
            1 => {
                base.kill();
                // Sometimes the region finds nothing for a while.
                std::thread::sleep(Duration::from_millis(random.below(40)));
                base = start_base();
                done[2] += 1;
            }
            _ => done[0] += u64::from(region.kill_child(random.below(1 << 32))),
        }
    }
    std::thread::sleep(Duration::from_millis(200));
    region.kill();
    let checked = Command::new(BANK)
        .args(["check", &folder_text, &socket])
        .output()
        .expect("a process");
    let errors = String::from_utf8_lossy(&checked.stderr).into_owned();
    assert!(checked.status.success(), "{errors}");
    base.kill();
    let number = |word: &str| word.parse::<u64>().expect("a number");
    let out = String::from_utf8(checked.stdout).expect("text");
    let here: BTreeSet<u64> = out.lines().map(number).collect();
    let rows = std::fs::read_to_string(&log).expect("the log");
    let mut there = BTreeSet::new();
    for line in rows.lines() {
        for word in line.split(' ').skip(1) {
            assert!(there.insert(number(word)), "row {word} is there twice");
        }
    }
    let only = |a: &BTreeSet<u64>, b: &BTreeSet<u64>| a.difference(b).copied().collect::<Vec<_>>();
    assert_eq!(only(&here, &there), [0_u64; 0], "in the file alone");
    assert_eq!(only(&there, &here), [0_u64; 0], "at the decider alone");
    let answered = answered.lock().unwrap();
    assert_eq!(
        only(&answered.committed, &here),
        [0_u64; 0],
        "acknowledged and lost"
    );
    let wrong: Vec<_> = answered.backed_out.intersection(&here).collect();
    assert!(wrong.is_empty(), "backed out and there: {wrong:?}");
    println!(
        "{} workers, {} regions and {} deciders killed in {:.0} s; {} units acknowledged, {} there, {} reported as backed out",
        done[0],
        done[1],
        done[2],
        begin.elapsed().as_secs_f64(),
        answered.committed.len(),
        here.len(),
        answered.backed_out.len(),
    );
    assert!(!here.is_empty(), "nothing was done");
}
