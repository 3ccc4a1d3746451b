//! `tupelo appc file-transfer` and `inquiry`: the two transactions of tuning
//! guides, as clients.

use super::node::PartnerArgs;
use super::signals;
use super::waiting::PartnerWait;
use crate::Outcome;
use appc::transactions::{self, FILE_TRANSFER, INQUIRY, TransactionTimes};
use appc::{AllocateRequest, NodeHost};
use clap::value_parser;
use miette::{IntoDiagnostic, Result, bail};
use serde_json::json;

/// The partner, and the number of repetitions.
#[derive(clap::Args)]
pub struct CallArgs {
    #[command(flatten)]
    partner: PartnerArgs,
    /// Repetitions on one conversation
    #[arg(short, long, value_parser = value_parser!(u32).range(1..))]
    repetitions: Option<u32>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// The data to send.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tupelo appc file-transfer NET.SERVER --at 127.0.0.1:2065 -r 10")]
pub struct FileTransferArgs {
    /// Bytes of one transfer
    #[arg(long, default_value_t = 100_000, value_parser = value_parser!(u32).range(1..))]
    bytes: u32,
    /// Bytes of a buffer
    #[arg(long, default_value_t = 32_000, value_parser = value_parser!(u32).range(1..=32_763))]
    buffer: u32,
    #[command(flatten)]
    call: CallArgs,
}

/// The request to send.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tupelo appc inquiry NET.SERVER --at 127.0.0.1:2065 -r 1000")]
pub struct InquiryArgs {
    /// Bytes of the request
    #[arg(long, default_value_t = 100, value_parser = value_parser!(u32).range(4..=32_763))]
    request: u32,
    /// Bytes of the reply
    #[arg(long, default_value_t = 100, value_parser = value_parser!(u32).range(4..=32_763))]
    reply: u32,
    #[command(flatten)]
    call: CallArgs,
}

impl CallArgs {
    fn start(&self, tp: &str, default_mode: &str) -> Result<(NodeHost, AllocateRequest)> {
        let (config, call) = self.partner.call('C', tp, default_mode)?;
        let host = NodeHost::start(config).into_diagnostic()?;
        Ok((host, call))
    }

    /// Runs a transaction until it ends or a signal arrives.
    fn measure(
        &self,
        (host, call): &(NodeHost, AllocateRequest),
        run: impl FnOnce(&mut dyn FnMut(u32) -> bool) -> std::result::Result<TransactionTimes, appc::Error>,
    ) -> Result<TransactionTimes> {
        let waiting = PartnerWait::begin(host, &call.partner);
        let timing = run(&mut |done| {
            if done == 0 {
                waiting.end();
            }
            !signals::seen()
        });
        let timing = waiting.outcome(timing)?;
        host.stop();
        if timing.repetitions.is_empty() {
            bail!("ended by a signal before the first repetition was complete");
        }
        Ok(timing)
    }
}

/// Sends bytes in buffers, and prints the time.
pub fn file_transfer(args: &FileTransferArgs) -> Result<Outcome> {
    let start = args.call.start(FILE_TRANSFER, "#BATCH")?;
    let wanted = args.call.repetitions.unwrap_or(10);
    let (bytes, buffer) = (args.bytes as usize, args.buffer as usize);
    let timing = args.call.measure(&start, |go_on| {
        let (host, call) = &start;
        transactions::file_transfer_while(host, call, bytes, buffer, wanted, go_on)
    })?;
    let repetitions = timing.repetitions.len();
    let mb_per_s = timing.bytes_per_s() * 8.0 / 1e6;
    if args.call.json {
        println!("{}", with_times(&timing, json!({ "mb_per_s": mb_per_s })))
    } else {
        println!(
            "{} bytes in buffers of {}: {:.6} s on average of {repetitions}, {mb_per_s:.2} Mb/s",
            args.bytes,
            args.buffer,
            timing.average_s()
        )
    }
    Ok(Outcome::Clean)
}

/// Sends requests, receives replies, and prints the time.
pub fn inquiry(args: &InquiryArgs) -> Result<Outcome> {
    let start = args.call.start(INQUIRY, "#INTER")?;
    let wanted = args.call.repetitions.unwrap_or(1000);
    let (request, reply) = (args.request as usize, args.reply as usize);
    let timing = args.call.measure(&start, |go_on| {
        let (host, call) = &start;
        transactions::inquiry_while(host, call, request, reply, wanted, go_on)
    })?;
    let repetitions = timing.repetitions.len();
    let per_s = 1.0 / timing.average_s();
    if args.call.json {
        println!("{}", with_times(&timing, json!({ "transactions_per_s": per_s })))
    } else {
        println!(
            "{}/{} bytes: {:.6} s on average of {repetitions}, {per_s:.1} transactions/s",
            args.request,
            args.reply,
            timing.average_s()
        )
    }
    Ok(Outcome::Clean)
}

fn with_times(timing: &TransactionTimes, mut more: serde_json::Value) -> serde_json::Value {
    more["average_s"] = timing.average_s().into();
    more["p50_s"] = timing.quantile(0.5).as_secs_f64().into();
    more["p99_s"] = timing.quantile(0.99).as_secs_f64().into();
    more["repetitions"] = timing.repetitions.len().into();
    more["bytes"] = timing.bytes.into();
    more
}
