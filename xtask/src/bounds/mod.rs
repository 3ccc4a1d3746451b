//! What the others have while something takes all it can: pictures and counts that
//! need minutes and a quiet machine.
//!
//! `bombs` lets three programs that start, run and write without end loose in one
//! region and draws its memory, its workers and the response times of others.
//! `neighbours` asks a gateway and a plain Python server at one rate, next to
//! programs that take every processor, and counts the errors of both. `soak` asks all
//! doors of a region for half an hour and looks at its memory and descriptors.

mod bombs;
mod driven;
mod neighbours;
mod soak;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::crash::served::ServedApplication;

/// Which measurement.
#[derive(clap::Subcommand)]
pub enum Args {
    /// Draw memory, workers and response times while three programs grow without end
    Bombs {
        /// Seconds in all; the programs are started after a tenth of them
        #[arg(long, default_value_t = 600)]
        seconds: u64,
        /// Requests a second of the others
        #[arg(long, default_value_t = 50.0)]
        rate: f64,
        /// Folder of the pictures
        #[arg(long, default_value = "target/bounds")]
        out: PathBuf,
        /// The program, instead of the one that is built here
        #[arg(long)]
        tupelo: Option<PathBuf>,
    },
    /// Count the errors of a gateway and of a Python server next to busy programs
    Neighbours {
        /// Runs of each value of `worker_nice`
        #[arg(long, default_value_t = 5)]
        runs: u32,
        /// Seconds of a run
        #[arg(long, default_value_t = 30)]
        seconds: u64,
        /// Requests a second to each of the two
        #[arg(long, default_value_t = 500.0)]
        rate: f64,
        /// Busy programs
        #[arg(long, default_value_t = 2)]
        busy: usize,
        /// Values of `worker_nice`, which take turns
        #[arg(long, value_delimiter = ',', default_value = "15,5,0")]
        nice: Vec<u8>,
        /// The program, instead of the one that is built here
        #[arg(long)]
        tupelo: Option<PathBuf>,
    },
    /// Ask all doors of a region for long, and look at what it has before and after
    Soak {
        /// Seconds in all
        #[arg(long, default_value_t = 1_800)]
        seconds: u64,
        /// The program, instead of the one that is built here
        #[arg(long)]
        tupelo: Option<PathBuf>,
    },
}

/// Measures; false when a bound was passed.
pub fn run(args: &Args) -> Result<bool> {
    match args {
        Args::Bombs {
            seconds,
            rate,
            out,
            tupelo,
        } => bombs::run(tupelo.as_deref(), *seconds, *rate, out),
        Args::Neighbours {
            runs,
            seconds,
            rate,
            busy,
            nice,
            tupelo,
        } => {
            let settings = neighbours::NeighbourSettings {
                runs: *runs,
                seconds: *seconds,
                rate: *rate,
                busy: *busy,
            };
            neighbours::run(tupelo.as_deref(), &settings, nice)
        }
        Args::Soak { seconds, tupelo } => soak::run(tupelo.as_deref(), *seconds),
    }
}

/// The first application with these settings of its region, and more files.
fn hello(
    tupelo: Option<&Path>,
    region: &str,
    files: &[(&str, &str)],
    definitions: &str,
) -> Result<ServedApplication> {
    let served = ServedApplication::new(tupelo, "hello")?;
    std::fs::create_dir_all(served.folder())?;
    served.run(&["new", "."])?;
    let settings = served.folder().join("tupelo.toml");
    let text = std::fs::read_to_string(&settings)?;
    let text = text.replacen("[region]\n", &format!("[region]\n{region}"), 1);
    std::fs::write(&settings, text)?;
    for (name, text) in files {
        std::fs::write(served.folder().join(name), text)?;
    }
    let csd = served.folder().join("resources.csd");
    let text = std::fs::read_to_string(&csd)?;
    std::fs::write(csd, format!("{text}\n{definitions}"))?;
    Ok(served)
}

/// MiB of a process, with its share of what it has in common with others; 0 when it
/// has ended.
fn memory_mib(pid: &str) -> Result<f64> {
    let path = format!("/proc/{pid}/smaps_rollup");
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            return Err(error).context(path);
        }
        Err(_) => return Ok(0.0),
    };
    let of = |line: &str| line.split_whitespace().nth(1)?.parse::<f64>().ok();
    let wanted = text
        .lines()
        .filter(|line| line.starts_with("Pss_Anon:") || line.starts_with("Pss_Shmem:"));
    Ok(wanted.filter_map(of).sum::<f64>() / 1024.0)
}
