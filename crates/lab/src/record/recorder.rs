//! A capture in progress, on its own thread.

use super::filter::PacketFilter;
use crate::error::LabError;
use crate::net::packet::{Frame, FrameBatch, FrameSelection, PacketSocket, wait};
use crate::net::permission;
use base::pcapng::{CaptureInterface, PcapngWriter};
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// The parameters of a capture.
#[derive(Clone, Debug)]
pub struct CaptureSetup {
    /// The interface, in the namespace of the calling thread.
    pub interface: String,
    /// Which frames are kept.
    pub filter: PacketFilter,
    /// The most that is kept of a frame.
    pub snap_bytes: usize,
    /// The limits at which it ends.
    pub limits: Limits,
}

/// The limits at which a capture ends by itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// After this time.
    pub duration: Option<Duration>,
    /// After this many packets.
    pub packets: Option<u64>,
}

/// A capture in progress.
pub struct PacketRecorder<W> {
    stop: Option<UnixStream>,
    thread: JoinHandle<io::Result<FinishedCapture<W>>>,
}

/// A finished capture.
#[derive(Debug)]
pub struct FinishedCapture<W> {
    /// The pcapng file.
    pub file: W,
    /// Packets in it.
    pub packets: u64,
    /// Packets that were dropped because they arrived too fast.
    pub dropped: u64,
}

impl<W: Write + Send + 'static> PacketRecorder<W> {
    /// Starts the capture. Every packet of the interface from now on is
    /// captured.
    pub fn start(setup: CaptureSetup, file: W) -> Result<PacketRecorder<W>, LabError> {
        let socket = open(&setup.interface)?;
        let link_type = link_type(socket.hardware()).ok_or_else(|| {
            LabError::Failed(format!(
                "{}: hardware type {} is not supported",
                setup.interface,
                socket.hardware()
            ))
        })?;
        let failed = || LabError::system("starting the capture");
        let snap_bytes = setup.snap_bytes.clamp(1, SNAP_BYTES);
        let interface = CaptureInterface {
            name: &setup.interface,
            link_type,
            snap_bytes: snap_bytes as u32,
        };
        let writer = PcapngWriter::new(file, &[interface]).map_err(failed())?;
        let (stop, stopped) = UnixStream::pair().map_err(failed())?;
        let tape = CaptureWriter {
            socket,
            writer,
            setup,
            link_type,
            packets: 0,
        };
        let thread = thread::Builder::new()
            .name("recorder".into())
            .spawn(move || tape.run(&stopped, snap_bytes))
            .map_err(failed())?;
        Ok(PacketRecorder {
            stop: Some(stop),
            thread,
        })
    }

    /// Ends the capture. All packets before this call are in the file.
    pub fn stop(mut self) -> Result<FinishedCapture<W>, LabError> {
        drop(self.stop.take());
        self.wait()
    }

    /// Waits until a limit ends the capture.
    pub fn wait(self) -> Result<FinishedCapture<W>, LabError> {
        match self.thread.join() {
            Ok(done) => done.map_err(LabError::system("the capture")),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }

    /// Dropping the returned socket ends the capture.
    pub fn stopper(&self) -> io::Result<Option<UnixStream>> {
        self.stop.as_ref().map(UnixStream::try_clone).transpose()
    }
}

struct CaptureWriter<W> {
    socket: PacketSocket,
    writer: PcapngWriter<W>,
    setup: CaptureSetup,
    link_type: u16,
    packets: u64,
}

impl<W: Write> CaptureWriter<W> {
    fn run(mut self, stopped: &UnixStream, snap_bytes: usize) -> io::Result<FinishedCapture<W>> {
        let mut batch = FrameBatch::new(snap_bytes);
        let limit = self.setup.limits.duration.map(|d| Instant::now() + d);
        let mut stop = false;
        while !stop {
            let left = limit.map(|l| l.saturating_duration_since(Instant::now()));
            stop = left.is_some_and(|l| l.is_zero())
                || wait([stopped.as_raw_fd(), self.socket.as_raw_fd()], left)?[0];
            // Packets that arrived before the stop belong to the
            // capture.
            while self.socket.receive(&mut batch)? > 0 {
                for frame in batch.frames() {
                    if self.setup.limits.packets.is_some_and(|n| self.packets >= n) {
                        return self.finish();
                    }
                    self.take(frame)?;
                }
            }
            stop |= self.setup.limits.packets.is_some_and(|n| self.packets >= n);
        }
        self.finish()
    }

    fn take(&mut self, frame: Frame<'_>) -> io::Result<()> {
        // On the loopback every frame is seen leaving and arriving.
        let twice = self.socket.hardware() == libc::ARPHRD_LOOPBACK && frame.outgoing;
        let ethernet = self.link_type == ETHERNET;
        if twice || !self.setup.filter.keeps(frame.bytes, ethernet) {
            return Ok(());
        }
        self.packets += 1;
        self.writer
            .packet(0, frame.time_ns, frame.wire_bytes, frame.bytes)?;
        Ok(())
    }

    fn finish(mut self) -> io::Result<FinishedCapture<W>> {
        let dropped = self.socket.dropped();
        let seen = self.packets + dropped;
        self.writer
            .statistics(0, drive::clock::wall(), seen, dropped)?;
        let file = self.writer.finish()?;
        Ok(FinishedCapture {
            file,
            packets: self.packets,
            dropped,
        })
    }
}

/// Opens an interface for capturing, in the namespace of the calling thread.
pub(super) fn open(interface: &str) -> Result<PacketSocket, LabError> {
    PacketSocket::open(interface, FrameSelection::Both).map_err(|error| match error.kind() {
        io::ErrorKind::PermissionDenied => LabError::Permission {
            what: format!("capturing on {interface}"),
            hint: "it needs CAP_NET_RAW: run as root, or allow this program with \
                   `setcap cap_net_raw+ep`"
                .into(),
        },
        _ => permission::refused(interface)(error),
    })
}

/// The registered link type of a kind of hardware.
fn link_type(hardware: u16) -> Option<u16> {
    match hardware {
        libc::ARPHRD_ETHER | libc::ARPHRD_LOOPBACK => Some(ETHERNET),
        libc::ARPHRD_NONE | libc::ARPHRD_PPP | libc::ARPHRD_TUNNEL | libc::ARPHRD_TUNNEL6 => {
            Some(RAW_IP)
        }
        _ => None,
    }
}

/// The longest frame that is kept whole, as other tools have it.
pub(super) const SNAP_BYTES: usize = 262_144;
const ETHERNET: u16 = 1;
const RAW_IP: u16 = 101;
