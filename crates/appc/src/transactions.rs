//! The two transactions that tuning guides measure: a file transfer and an
//! inquiry.
//!
//! *File transfer*: the client sends `total` bytes in buffers of `buffer` bytes
//! and asks for one confirmation. *Inquiry*: the client sends a request and
//! receives a reply. Both continue for as many repetitions as asked, on one
//! conversation; allocation and deallocation are not timed.
//!
//! The first four bytes of an inquiry say, big-endian, how long the reply is to
//! be; a shorter request is answered by as many bytes as it has.

use crate::conversation::{AllocateRequest, Conversation};
use crate::{Error, IncomingAttach, NodeHost};
use sna::TpDefinition;
use sna::conversation::code::{DataReceived, DeallocateType, PrepareToReceiveType, StatusReceived};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Program name of the file-transfer server.
pub const FILE_TRANSFER: &str = "FILETRAN";
/// Program name of the inquiry server.
pub const INQUIRY: &str = "INQUIRY";
/// The longest record of a mapped conversation here.
const RECORD_BYTES: usize = 32_763;

/// The measured times.
#[derive(Debug, Clone)]
pub struct TransactionTimes {
    /// How long each repetition took.
    pub repetitions: Vec<Duration>,
    /// Bytes of one repetition, both ways.
    pub bytes: u64,
}

impl TransactionTimes {
    /// The whole time.
    pub fn total(&self) -> Duration {
        self.repetitions.iter().sum()
    }

    /// Seconds of one repetition, on average.
    pub fn average_s(&self) -> f64 {
        self.total().as_secs_f64() / self.repetitions.len().max(1) as f64
    }

    /// Bytes/s.
    pub fn bytes_per_s(&self) -> f64 {
        self.bytes as f64 / self.average_s().max(f64::MIN_POSITIVE)
    }

    /// The duration that `share` of the repetitions do not exceed.
    pub fn quantile(&self, share: f64) -> Duration {
        let mut sorted = self.repetitions.clone();
        sorted.sort_unstable();
        let at = (share * sorted.len() as f64) as usize;
        sorted
            .get(at.min(sorted.len().saturating_sub(1)))
            .copied()
            .unwrap_or_default()
    }
}

/// Sends `total` bytes in buffers of `buffer` bytes, `repetitions` times.
pub fn file_transfer(
    host: &NodeHost,
    call: &AllocateRequest,
    total: usize,
    buffer: usize,
    repetitions: u32,
) -> Result<TransactionTimes, Error> {
    file_transfer_while(host, call, total, buffer, repetitions, |_| true)
}

/// Repeats the file transfer while `go_on` returns true. `go_on` is called before
/// each repetition with the number of finished ones: 0 after the allocation. If the
/// host is stopped meanwhile, the result covers the repetitions before.
pub fn file_transfer_while(
    host: &NodeHost,
    call: &AllocateRequest,
    total: usize,
    buffer: usize,
    repetitions: u32,
    go_on: impl FnMut(u32) -> bool,
) -> Result<TransactionTimes, Error> {
    if !(1..=RECORD_BYTES).contains(&buffer) {
        let why = format!("1 to {RECORD_BYTES}");
        return Err(Error::config("buffer", &buffer.to_string(), why));
    }
    let data: Vec<u8> = (0..buffer).map(|at| at as u8).collect();
    let conversation = host.allocate(call)?;
    let repetitions = repeat(conversation, repetitions, go_on, |conversation| {
        let mut left = total;
        while left > 0 {
            let piece = left.min(buffer);
            conversation.send(&data[..piece])?;
            left -= piece;
        }
        conversation.confirm()?;
        Ok(())
    })?;
    Ok(TransactionTimes {
        repetitions,
        bytes: total as u64,
    })
}

/// Sends `request` bytes and receives `reply` bytes, `repetitions` times.
pub fn inquiry(
    host: &NodeHost,
    call: &AllocateRequest,
    request: usize,
    reply: usize,
    repetitions: u32,
) -> Result<TransactionTimes, Error> {
    inquiry_while(host, call, request, reply, repetitions, |_| true)
}

/// Repeats the inquiry while `go_on` returns true; see [`file_transfer_while`].
pub fn inquiry_while(
    host: &NodeHost,
    call: &AllocateRequest,
    request: usize,
    reply: usize,
    repetitions: u32,
    go_on: impl FnMut(u32) -> bool,
) -> Result<TransactionTimes, Error> {
    for (what, bytes) in [("request", request), ("reply", reply)] {
        if !(4..=RECORD_BYTES).contains(&bytes) {
            let why = format!("4 to {RECORD_BYTES}");
            return Err(Error::config(what, &bytes.to_string(), why));
        }
    }
    let mut data = vec![0xC1; request];
    data[..4].copy_from_slice(&(reply as u32).to_be_bytes());
    let mut buffer = vec![0; RECORD_BYTES];
    let conversation = host.allocate(call)?;
    let repetitions = repeat(conversation, repetitions, go_on, |conversation| {
        conversation.send(&data)?;
        let got = receive_turn(conversation, &mut buffer)?;
        if got == reply {
            Ok(())
        } else {
            Err(Error::Partner(format!(
                "received {got} bytes, expected {reply}"
            )))
        }
    })?;
    Ok(TransactionTimes {
        repetitions,
        bytes: (request + reply) as u64,
    })
}

/// Repeats `one` on a conversation and ends it. Returns the duration of each.
fn repeat(
    mut conversation: Conversation,
    repetitions: u32,
    mut go_on: impl FnMut(u32) -> bool,
    mut one: impl FnMut(&mut Conversation) -> Result<(), Error>,
) -> Result<Vec<Duration>, Error> {
    let mut times = Vec::with_capacity(repetitions.min(1_000_000) as usize);
    for done in 0..repetitions {
        if !go_on(done) {
            break;
        }
        let begin = Instant::now();
        match one(&mut conversation) {
            Ok(()) => times.push(begin.elapsed()),
            Err(Error::Stopped) if done > 0 => return Ok(times),
            Err(error) => return Err(error),
        }
    }
    match conversation.deallocate(DeallocateType::Flush) {
        Ok(()) | Err(Error::Stopped) => Ok(times),
        Err(error) => Err(error),
    }
}

/// Receives until this side may send; bytes received.
fn receive_turn(conversation: &mut Conversation, buffer: &mut [u8]) -> Result<usize, Error> {
    let mut bytes = 0;
    loop {
        let got = conversation.receive(buffer)?;
        bytes += got.len;
        match got.status {
            _ if got.ended => {
                return Err(Error::Partner("with the end of the conversation".into()));
            }
            StatusReceived::Send => return Ok(bytes),
            StatusReceived::ConfirmSend => {
                conversation.confirmed()?;
                return Ok(bytes);
            }
            StatusReceived::Confirm | StatusReceived::ConfirmDeallocate => {
                conversation.confirmed()?
            }
            StatusReceived::None => {}
        }
    }
}

/// Lets partners attach both servers.
pub fn define(host: &NodeHost) -> Result<(), Error> {
    for (name, serve) in [
        (
            FILE_TRANSFER,
            serve_file_transfer as fn(Conversation) -> Result<(), Error>,
        ),
        (INQUIRY, serve_inquiry),
    ] {
        let tp = name.parse().map_err(|why| Error::config("tp", name, why))?;
        let program = Arc::new(move |incoming: IncomingAttach| {
            let partner = incoming.attached.partner.clone();
            if let Err(error) = serve(incoming.conversation) {
                tracing::info!("{name} for {partner}: {error}");
            }
        });
        host.define_program(TpDefinition::new(tp), program);
    }
    Ok(())
}

fn serve_file_transfer(mut conversation: Conversation) -> Result<(), Error> {
    conversation.accept()?;
    let mut buffer = vec![0; RECORD_BYTES];
    loop {
        let got = conversation.receive(&mut buffer)?;
        match got.status {
            _ if got.ended => return Ok(()),
            StatusReceived::Confirm => conversation.confirmed()?,
            StatusReceived::ConfirmDeallocate => return conversation.confirmed(),
            StatusReceived::Send | StatusReceived::ConfirmSend => {
                conversation.deallocate(DeallocateType::Abend)?;
                return Err(Error::Partner("with a request to receive".into()));
            }
            StatusReceived::None => {}
        }
    }
}

fn serve_inquiry(mut conversation: Conversation) -> Result<(), Error> {
    conversation.accept()?;
    let mut buffer = vec![0; RECORD_BYTES];
    let mut reply = 0;
    loop {
        let got = conversation.receive(&mut buffer)?;
        if got.ended {
            return Ok(());
        }
        if got.data == DataReceived::Complete {
            reply = match buffer[..got.len] {
                [a, b, c, d, ..] => u32::from_be_bytes([a, b, c, d]) as usize,
                _ => got.len,
            };
        }
        match got.status {
            StatusReceived::Send => {}
            StatusReceived::ConfirmSend => conversation.confirmed()?,
            StatusReceived::Confirm => {
                conversation.confirmed()?;
                continue;
            }
            StatusReceived::ConfirmDeallocate => return conversation.confirmed(),
            StatusReceived::None => continue,
        }
        conversation.send(&buffer[..reply.min(RECORD_BYTES)])?;
        conversation.prepare_to_receive(PrepareToReceiveType::Flush)?;
    }
}
