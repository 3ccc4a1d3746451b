//! `tupelo aping`: does the partner answer, and how fast?

use super::appc::node::{NodeArgs, reach};
use super::appc::signals;
use super::appc::waiting::Waiting;
use crate::Outcome;
use appc::Host;
use appc::aping::{self, Foot, Head, Options};
use clap::value_parser;
use miette::{IntoDiagnostic, Result};

/// Exchange data with a partner's APINGD and time it (APPC ping).
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tupelo appc serve --lu NET.SERVER --listen 127.0.0.1:2065 &\n  \
    tupelo aping NET.SERVER --at 127.0.0.1:2065 -i 3 -s 1000\n\n\
    Rates: KB/s is bytes / 1024 / seconds, Mb/s is KB/s x 8 / 1000; with an echo, bytes count \
    both directions.")]
pub struct Args {
    /// The partner's logical unit, NET.LU
    destination: String,
    /// Its DLSw switch, host[:port]
    #[arg(long, value_name = "HOST:PORT")]
    at: Option<String>,
    /// Mode name
    #[arg(short, long, default_value = "#INTER")]
    mode: String,
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
    /// No security, whatever the configuration says
    #[arg(short = 'n', long, conflicts_with_all = ["user", "password"])]
    no_security: bool,
    /// User to send; without a password, as already verified
    #[arg(short, long)]
    user: Option<String>,
    /// The user's password
    #[arg(short, long, requires = "user")]
    password: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    node: NodeArgs,
}

/// Runs it; a partner that does not answer is "could not run".
pub fn run(args: Args) -> Result<Outcome> {
    let partner = args.destination.to_uppercase();
    let mut config = args.node.configuration("TUPELO.APING", &args.mode)?;
    reach(&mut config, &partner, args.at.as_deref())?;
    let host = Host::start(config).into_diagnostic()?;
    let mut options = Options::new(&partner);
    options.call.mode = args.mode;
    options.call.tp = args.tp;
    options.call.user = match args.no_security {
        true => None,
        false => args.user.map(|user| (user, args.password)),
    };
    options.iterations = args.iterations;
    options.consecutive = args.consecutive;
    options.size = args.size as usize;
    options.one_way = args.one_way;
    let waiting = Waiting::begin(&partner);
    let report = aping::run(&host, &options, |report| {
        // Before that, Ctrl-C ends the program at once.
        if report.exchanges.is_empty() {
            waiting.end();
            signals::heed();
        }
        match report.exchanges.last() {
            _ if args.json => {}
            None => println!("{}", Head(report)),
            Some(exchange) => println!("{exchange}"),
        }
        !signals::seen()
    });
    let report = report.into_diagnostic()?;
    match args.json {
        true => println!("{}", report.to_json()),
        false => println!("{}", Foot(&report)),
    }
    host.stop();
    Ok(Outcome::Clean)
}
