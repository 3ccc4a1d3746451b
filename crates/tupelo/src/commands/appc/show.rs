//! `tupelo appc status|modes|sessions`: the state of a running node.

use crate::Outcome;
use crate::table::Table;
use appc::admin::{self, ModeStatus, Status};
use miette::{IntoDiagnostic, Result, WrapErr};
use std::io::ErrorKind;
use std::net::SocketAddr;

/// The node to ask.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tupelo appc status --admin 127.0.0.1:9065")]
pub struct Args {
    /// The node's status address
    #[arg(long, value_name = "[ADDRESS:]PORT", default_value = admin::ADDRESS, value_parser = crate::address::address)]
    admin: SocketAddr,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    fn ask(&self) -> Result<Status> {
        admin::query_status(self.admin)
            .into_diagnostic()
            .wrap_err(NO_ANSWER)
    }
}

const NO_ANSWER: &str = "no node answers at its status address: is `tupelo appc serve` running?";

/// Whether the connection was refused because no process listens.
fn is_refused(error: &appc::Error) -> bool {
    matches!(error, appc::Error::Connect { why, .. } if why.kind() == ErrorKind::ConnectionRefused)
}

/// Prints links, programs and sessions.
pub fn status(args: &Args) -> Result<Outcome> {
    let status = args.ask()?;
    if args.json {
        return json(&status);
    }
    let listening = status.listening.map_or("nowhere".into(), |at| at.to_string());
    println!("{}  DLSw on {listening}", status.lu);
    println!("Programs: {} ({} running, {} attached since the start)\n", status.programs.iter().map(String::as_str).collect::<Vec<_>>().join(", "), status.running, status.attached);
    let mut links = Table::new(&["Link", "Peer", "Partner", "Role", ">BTU", "State"]);
    for link in &status.links {
        links.row([
            link.kind.clone(),
            link.peer.clone(),
            link.partner.clone(),
            link.role.clone(),
            link.max_btu_bytes.to_string(),
            if link.up { "up" } else { "coming up" }.into(),
        ]);
    }
    println!("{links}");
    print!("{}", session_table(&status));
    Ok(Outcome::Clean)
}

/// Prints the sessions.
pub fn sessions(args: &Args) -> Result<Outcome> {
    let status = args.ask()?;
    if args.json {
        return json(&status.sessions);
    }
    print!("{}", session_table(&status));
    Ok(Outcome::Clean)
}

/// Prints the modes of the node, or the built-in ones if no node runs.
pub fn modes(args: &Args) -> Result<Outcome> {
    let modes = match admin::query_status(args.admin) {
        Ok(status) => status.modes,
        Err(other) if !is_refused(&other) => return Err(other).into_diagnostic().wrap_err(NO_ANSWER),
        Err(_) => {
            eprintln!("No node runs at {}: these are the built-in modes.", args.admin);
            sna::mode::ModeTable::default().iter().map(ModeStatus::from).collect()
        }
    };
    if args.json {
        return json(&modes);
    }
    let mut table = Table::new(&["Mode", ">RU sent", ">RU received", "Pacing", ">Sent", ">Received", ">Sessions", ">Winners", "Class"]);
    for mode in &modes {
        table.row([
            if mode.name.is_empty() { "(blank)".into() } else { mode.name.clone() },
            mode.ru_bytes.0.to_string(),
            mode.ru_bytes.1.to_string(),
            mode.kind.clone(),
            mode.pacing.0.to_string(),
            mode.pacing.1.to_string(),
            mode.sessions.to_string(),
            mode.winners.to_string(),
            mode.class_of_service.clone(),
        ]);
    }
    print!("{table}");
    Ok(Outcome::Clean)
}

fn session_table(status: &Status) -> Table {
    let mut table = Table::new(&["Partner", "Mode", "Contention", "State", ">RU sent", ">RU received", ">Credit", "Use"]);
    for session in &status.sessions {
        table.row([
            session.partner.clone(),
            session.mode.clone(),
            if session.winner { "winner" } else { "loser" }.into(),
            if session.active { "active" } else { "changing" }.into(),
            session.ru_bytes.0.to_string(),
            session.ru_bytes.1.to_string(),
            session.credit.to_string(),
            if session.busy { "conversation" } else { "free" }.into(),
        ]);
    }
    table
}

fn json(value: &impl serde::Serialize) -> Result<Outcome> {
    println!("{}", serde_json::to_string_pretty(value).into_diagnostic()?);
    Ok(Outcome::Clean)
}
