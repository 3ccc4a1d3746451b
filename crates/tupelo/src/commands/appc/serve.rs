//! `tupelo appc serve`: a node that answers partners.

use super::node::NodeArgs;
use super::signals;
use crate::Outcome;
use appc::NodeHost;
use miette::{Context, IntoDiagnostic, Result};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::time::Duration;

/// The node to run.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tupelo appc serve --lu NET.SERVER --listen 127.0.0.1:2065")]
pub struct Args {
    /// Where DLSw partners connect
    #[arg(long, value_name = "[ADDRESS:]PORT", value_parser = crate::address::address)]
    listen: Option<SocketAddr>,
    /// Status address, which `tupelo appc status` asks (loopback only)
    #[arg(long, value_name = "[ADDRESS:]PORT", value_parser = crate::address::address)]
    admin: Option<SocketAddr>,
    /// The mode that --ru and --pacing change
    #[arg(short, long, default_value = "#INTER")]
    mode: String,
    #[command(flatten)]
    node: NodeArgs,
}

/// Serves until SIGINT or SIGTERM arrives.
pub fn run(args: &Args) -> Result<Outcome> {
    let mut config = args.node.configuration("TUPELO.SERVER", &args.mode)?;
    let loopback = SocketAddr::from((Ipv4Addr::LOCALHOST, sna::dlc::ssp::PORT));
    config.listen = args.listen.or(config.listen).or(Some(loopback));
    let default: SocketAddr = appc::admin::ADDRESS.parse().into_diagnostic()?;
    let admin = args.admin.or(config.admin).unwrap_or(default);
    config.admin = Some(admin);
    config.validate().into_diagnostic()?;
    let host = NodeHost::start(config).into_diagnostic()?;
    appc::aping::define(&host).into_diagnostic()?;
    appc::transactions::define(&host).into_diagnostic()?;
    let listener = TcpListener::bind(admin)
        .into_diagnostic()
        .wrap_err_with(|| format!("{admin} (choose another with --admin)"))?;
    let status_address = listener.local_addr().into_diagnostic()?;
    appc::admin::serve(&host, listener).into_diagnostic()?;
    if let Some(address) = host.listening() {
        println!("{}: DLSw on {address}, status on {status_address}", host.lu());
    }
    let programs: Vec<String> = host.status().programs.into_iter().collect();
    println!("Programs: {}", programs.join(", "));
    signals::heed();
    while !signals::seen() {
        // A signal ends the sleep early on this thread; the limit covers one
        // that was delivered to another thread.
        std::thread::park_timeout(Duration::from_millis(200));
    }
    host.stop();
    Ok(Outcome::Clean)
}
