//! `tupelo capture record`: the arguments and their actions.

use super::filter::PacketFilter;
use super::recorder::{CaptureSetup, Limits, PacketRecorder, SNAP_BYTES, open};
use crate::error::LabError;
use crate::net;
use std::fs::File;
use std::io::BufWriter;
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Record packets of an interface of this host as pcapng.
#[derive(Clone, Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tupelo capture record -i eth0 -o slow.pcapng --filter 'port 8080' --duration 30s\n  \
    tupelo capture record -i eth0 -o pod.pcapng --netns 4711\n\n\
    Needs CAP_NET_RAW; another namespace needs CAP_SYS_ADMIN too. Ctrl-C ends the\n\
    recording; the file is whole then."
)]
pub struct Args {
    /// The interface.
    #[arg(short, long)]
    pub interface: String,
    /// The file to write
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// A network namespace: a name of `ip netns`, or the id of a process in it.
    #[arg(long, value_name = "NAME|PID")]
    pub netns: Option<String>,
    /// Frames to keep: host ADDRESS, port NUMBER, tcp, combined by and, or, not
    #[arg(long, default_value = "", value_name = "FILTER")]
    pub filter: String,
    /// End after this time, as 30s or 500ms.
    #[arg(long, value_parser = drive::units::parse_duration)]
    pub duration: Option<Duration>,
    /// End after this many packets.
    #[arg(long, value_name = "N")]
    pub packets: Option<u64>,
    /// Keep at most this many bytes of each packet
    #[arg(long, default_value_t = SNAP_BYTES, value_name = "BYTES")]
    pub snaplen: usize,
}

/// Records. Prints the counts at the end.
pub fn run(args: &Args) -> ExitCode {
    let filter = match PacketFilter::parse(&args.filter) {
        Ok(filter) => filter,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::from(64);
        }
    };
    match record(args, filter) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn record(args: &Args, filter: PacketFilter) -> Result<(), LabError> {
    if let Some(name) = &args.netns {
        enter(name)?;
    }
    // A file that is there already is not emptied for nothing.
    open(&args.interface)?;
    let name = args.output.display().to_string();
    let file = File::create(&args.output).map_err(LabError::system(name.clone()))?;
    let setup = CaptureSetup {
        interface: args.interface.clone(),
        filter,
        snap_bytes: args.snaplen,
        limits: Limits {
            duration: args.duration,
            packets: args.packets,
        },
    };
    let recorder = PacketRecorder::start(setup, BufWriter::new(file))?;
    let stopper = recorder.stopper().map_err(LabError::system("Ctrl-C"))?;
    // If no handler can be installed, Ctrl-C ends the process.
    let _ = ctrlc::set_handler(move || {
        if let Some(stopper) = &stopper {
            // A capture that has ended already has no receiver.
            let _ = stopper.shutdown(std::net::Shutdown::Both);
        }
    });
    let recording = recorder.wait()?;
    eprintln!(
        "{} packets in {name}{}",
        recording.packets,
        match recording.dropped {
            0 => String::new(),
            n => format!("; {n} were dropped because they arrived too fast"),
        }
    );
    Ok(())
}

/// Moves the calling thread into a namespace by its name or by a process.
fn enter(name: &str) -> Result<(), LabError> {
    let path = match name.parse::<u32>() {
        Ok(process) => format!("/proc/{process}/ns/net"),
        Err(_) if name.contains('/') => name.to_owned(),
        Err(_) => format!("/run/netns/{name}"),
    };
    let file = File::open(&path).map_err(LabError::system(path))?;
    net::enter(file.as_fd()).map_err(net::permission::refused(&format!(
        "entering the namespace {name}"
    )))
}
