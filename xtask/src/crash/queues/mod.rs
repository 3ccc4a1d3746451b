//! Recoverable queues and protected STARTs, in one region or over two, while workers
//! and regions are killed.
//!
//! Each request adds one thing with a number of its own in one unit of work: an item of
//! a queue here, and there an item of a temporary storage queue and of a transient data
//! queue, and a START PROTECT. With two regions "there" is a region that is linked to.
//! Afterwards a thing must be everywhere or nowhere: everywhere if its request was
//! acknowledged, nowhere if it was refused. No START may begin two tasks; only a task
//! whose worker was killed may be missing, since an abended task is not started again.

use std::net::TcpListener;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::Args;
use super::served::{ServedApplication, WAIT, until_none};
use super::things::{self, AddedThing, KnownOutcome, ThingServer};
use base::SeededRandom;

/// Programs and the copybook of their COMMAREA.
const SOURCES: [(&str, &str); 4] = [
    ("cobol/QADDER.cbl", include_str!("QADDER.cbl")),
    ("cobol/QTHERE.cbl", include_str!("QTHERE.cbl")),
    ("cobol/QBEGUN.cbl", include_str!("QBEGUN.cbl")),
    ("copybooks/QADCA.cpy", include_str!("QADCA.cpy")),
];
/// Queues, the file that started tasks write, and their transaction.
const DEFINITIONS: &str = "DEFINE PROGRAM(QADDER) GROUP(Q)\nDEFINE PROGRAM(QBEGUN) GROUP(Q)\n\
    DEFINE TSMODEL(RH) GROUP(Q) PREFIX(RH) RECOVERY(YES)\n\
    DEFINE TSMODEL(RT) GROUP(Q) PREFIX(RT) RECOVERY(YES)\n\
    DEFINE TDQUEUE(RTDQ) GROUP(Q) TYPE(INTRA) RECOVSTATUS(LOGICAL)\n\
    DEFINE TRANSACTION(BEGN) GROUP(Q) PROGRAM(QBEGUN)\n\
    DEFINE FILE(BEGUN) GROUP(Q) KEYLENGTH(8) RECORDSIZE(16) RECORDFORMAT(F) ADD(YES)\n\
    READ(YES) UPDATE(YES) BROWSE(YES) RECOVERY(BACKOUTONLY) STATUS(ENABLED)\n";
/// Settings of every region.
const SETTINGS: &str = "sandbox = \"required\"\n[queues]\ntemporary_storage_mib = 4096\n\
    transient_data_mib = 4096\n[files.BEGUN]\nkey_offset = 0\n";

/// The regions: the one that is asked, and the one that is linked to, if there are two.
struct RegionPair {
    near: ServedApplication,
    far: Option<ServedApplication>,
}

#[derive(Default)]
struct KillCounts {
    workers: u32,
    near: u32,
    far: u32,
}

/// Kills, and looks at what is left; false when something is wrong.
pub fn run(args: &Args) -> Result<bool> {
    let mut regions = RegionPair::start(args)?;
    let server = regions.server();
    let (things, killed, took) = server.add_during(args.clients, || regions.kill(args))?;
    let wrong = match regions.compare(&things, killed.workers) {
        Ok(wrong) => wrong,
        Err(error) => bail!("{error:#}; {}", regions.near.exit_report()),
    };
    let kills = format!(
        "{} workers killed, {} times the region that is asked and {} times the other one, in {:.0} s",
        killed.workers,
        killed.near,
        killed.far,
        took.as_secs_f64()
    );
    Ok(things::report(&kills, &things, &wrong))
}

impl RegionPair {
    fn start(args: &Args) -> Result<RegionPair> {
        let tupelo = args.tupelo.as_deref();
        if !args.two_regions {
            let settings = format!("[region]\n{SETTINGS}");
            let own = "DEFINE PROGRAM(QTHERE) GROUP(Q)\n";
            let mut near = application(tupelo, "near", &settings, own)?;
            near.start()?;
            return Ok(RegionPair { near, far: None });
        }
        // A port that stays the same when the region starts again.
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let settings = format!(
            "[region]\napplid = \"FAR\"\nsysid = \"FAR\"\n{SETTINGS}\
             [ipconn]\nlisten = \"127.0.0.1:{port}\"\n"
        );
        let own = "DEFINE PROGRAM(QTHERE) GROUP(Q)\n";
        let mut far = application(tupelo, "far", &settings, own)?;
        far.start()?;
        let settings = format!(
            "[region]\napplid = \"NEAR\"\nsysid = \"NEAR\"\n{SETTINGS}\
             [ipconn.connections.PEER]\naddress = \"127.0.0.1:{port}\"\n"
        );
        let remote = "DEFINE PROGRAM(QTHERE) GROUP(Q) REMOTESYSTEM(PEER)\n";
        let mut near = application(tupelo, "near", &settings, remote)?;
        near.start()?;
        let far = Some(far);
        Ok(RegionPair { near, far })
    }

    fn server(&self) -> ThingServer {
        ThingServer {
            address: self.near.address(),
            body: |operation, id, _| format!("{{\"operation\":\"{operation}\",\"id\":{id}}}"),
        }
    }

    /// Kills until it was enough: every so many kills a region, else a worker.
    fn kill(&mut self, args: &Args) -> Result<KillCounts> {
        let limit = args.seconds.map(Duration::from_secs);
        let until = limit.map(|limit| Instant::now() + limit);
        let mut random = SeededRandom::new(args.seed);
        let mut killed = KillCounts::default();
        let mut kills = 0;
        while kills < args.kills && until.is_none_or(|until| Instant::now() < until) {
            std::thread::sleep(Duration::from_millis(random.below(args.pause.max(1))));
            let other = self.far.as_mut().filter(|_| random.below(2) == 0);
            let is_far = other.is_some();
            let victim = other.unwrap_or(&mut self.near);
            if (kills + 1) % args.region_every.max(1) == 0 {
                victim.kill_region()?;
                victim.start()?;
                let count = if is_far {
                    &mut killed.far
                } else {
                    &mut killed.near
                };
                *count += 1;
            } else if victim.kill_worker(random.below(u64::MAX))? {
                killed.workers += 1;
            } else {
                continue;
            }
            kills += 1;
            if kills % 100 == 0 {
                eprintln!("{kills} kills");
            }
        }
        Ok(killed)
    }

    /// The rules that are broken.
    fn compare(&self, added: &[AddedThing], killed: u32) -> Result<Vec<String>> {
        self.until_nothing_is_in_doubt()?;
        let mut wrong = Vec::new();
        let (mut things, mut missing) = (0, Vec::new());
        for AddedThing { id, known, .. } in added {
            let [here, there, mut started] = self.count(*id)?;
            // Its task may still wait for its turn.
            let until = Instant::now() + Duration::from_secs(5);
            while there == 1 && started == 0 && missing.is_empty() && Instant::now() < until {
                std::thread::sleep(Duration::from_millis(50));
                started = self.count(*id)?[2];
            }
            let both = [here, there];
            let is_whole = match known {
                KnownOutcome::Done => both == [1; 2],
                KnownOutcome::Refused => both == [0; 2],
                KnownOutcome::Unknown => both == [1; 2] || both == [0; 2],
            };
            if !is_whole || started > there {
                wrong.push(format!(
                    "thing {id} ({known:?}) is in the queues {both:?} times and was started \
                     {started} times"
                ));
            }
            things += there;
            if there == 1 && started == 0 {
                missing.push(*id);
            }
        }
        if missing.len() > killed as usize {
            wrong.push(format!(
                "{} STARTs began no task, and only {killed} workers were killed: {missing:?}",
                missing.len()
            ));
        }
        let transient = self.server().ask_until("T", 0, 0)?["transient"].as_u64();
        if transient != Some(things) {
            wrong.push(format!(
                "the transient data queue has {transient:?} items of {things} things"
            ));
        }
        println!(
            "{things} things are there; {} STARTs ended with their worker",
            missing.len()
        );
        Ok(wrong)
    }

    fn until_nothing_is_in_doubt(&self) -> Result<()> {
        let left = until_none(WAIT, || {
            let far = self.far.as_ref().map(ServedApplication::units_in_doubt);
            Ok(self.near.units_in_doubt()? + far.transpose()?.unwrap_or(0))
        })?;
        if left > 0 {
            bail!("{left} units of work are in doubt");
        }
        Ok(())
    }

    /// How often a thing is in the queues here and there, and was started.
    fn count(&self, id: u32) -> Result<[u64; 3]> {
        let reply = self.server().ask_until("C", id, 0)?;
        let names = ["here", "there", "started"];
        Ok(names.map(|name| reply[name].as_u64().unwrap_or(u64::MAX)))
    }
}

/// An application with the programs, its own definitions and settings.
fn application(
    tupelo: Option<&Path>,
    name: &str,
    settings: &str,
    own: &str,
) -> Result<ServedApplication> {
    let served = ServedApplication::new(tupelo, name)?;
    let definitions = format!("{DEFINITIONS}{own}");
    let files = [("resources.csd", &*definitions), ("tupelo.toml", settings)];
    for (name, text) in SOURCES.into_iter().chain(files) {
        let path = served.folder().join(name);
        std::fs::create_dir_all(path.parent().context("a folder")?)?;
        std::fs::write(path, text)?;
    }
    let import = "api import add --program QADDER --transid QADD --request \
                  copybooks/QADCA.cpy --strip-prefix CA --app .";
    let words: Vec<&str> = import.split_whitespace().collect();
    served.run(&words)?;
    Ok(served)
}
