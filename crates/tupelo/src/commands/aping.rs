//! `tupelo aping`: tests whether a partner answers, and measures how fast.

use super::appc::node::PartnerArgs;
use super::appc::signals;
use super::appc::waiting::PartnerWait;
use crate::Outcome;
use appc::NodeHost;
use appc::aping::{self, Foot, Head, ApingOptions};
use clap::value_parser;
use miette::{IntoDiagnostic, Result};

/// Exchange data with a partner's APINGD and time it (APPC ping).
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tupelo appc serve --lu NET.SERVER --listen 127.0.0.1:2065 &\n  \
    tupelo aping NET.SERVER --at 127.0.0.1:2065 -i 3 -s 1000\n\n\
    Rates: KB/s is bytes / 1024 / seconds, Mb/s is KB/s x 8 / 1000; with an echo, bytes count \
    both directions.")]
pub struct Args {
    #[command(flatten)]
    partner: PartnerArgs,
    /// Transaction program to start
    #[arg(short, long, value_name = "TPNAME", default_value = aping::TP_NAME)]
    tp: String,
    /// How often data are exchanged
    #[arg(short, long, default_value_t = 2, value_parser = value_parser!(u32).range(1..=32767))]
    iterations: u32,
    /// Records each side sends in turn
    #[arg(short, long, default_value_t = 1, value_parser = value_parser!(u32).range(1..=32767))]
    consecutive: u32,
    /// Bytes of a record
    #[arg(short, long, default_value_t = 100, value_parser = value_parser!(u32).range(1..=32763))]
    size: u32,
    /// Only send, and ask for a confirmation instead of an echo
    #[arg(short = '1', long)]
    one_way: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Runs the exchanges; without an answer of the partner the exit status is 2.
pub fn run(args: Args) -> Result<Outcome> {
    let (config, call) = args.partner.call('A', &args.tp, "#INTER")?;
    let host = NodeHost::start(config).into_diagnostic()?;
    let waiting = PartnerWait::begin(&host, &call.partner);
    let mut options = ApingOptions::new(&call.partner);
    options.call = call;
    options.iterations = args.iterations;
    options.consecutive = args.consecutive;
    options.size = args.size as usize;
    options.one_way = args.one_way;
    let report = aping::run(&host, &options, |report| {
        if report.exchanges.is_empty() {
            waiting.end();
        }
        match report.exchanges.last() {
            _ if args.json => {}
            None => println!("{}", Head(report)),
            Some(exchange) => println!("{exchange}"),
        }
        !signals::seen()
    });
    let report = waiting.outcome(report)?;
    if args.json {
        println!("{}", report.to_json())
    } else {
        println!("{}", Foot(&report))
    }
    host.stop();
    Ok(Outcome::Clean)
}
