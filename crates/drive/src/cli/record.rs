//! `tupelo drive record`: a terminal session becomes a scenario.

use super::say::tell;
use super::{CliError, RecordArgs, failed};
use crate::recording::{RecordSettings, record};
use crate::terminal::code_table;
use std::net::TcpListener;

/// Waits for an emulator and records its session. Ctrl-C ends it at any time;
/// the file has every step so far.
pub(super) fn run(args: &RecordArgs) -> Result<bool, CliError> {
    let table = code_table(&args.code_page).map_err(CliError::Usage)?;
    let (server, _) = crate::scenario::resolve(&args.server).map_err(CliError::Usage)?;
    let settings = RecordSettings {
        server,
        server_name: args.server.clone(),
        code_page: (args.code_page.clone(), table),
    };
    let listener = TcpListener::bind(args.listen)
        .map_err(|e| failed(format!("cannot listen on {}: {e}", args.listen)))?;
    let address = listener.local_addr().map_err(failed)?;
    let out = args.out.display();
    tell!("connect the emulator to {address}; the session goes to {server} and into {out}");
    let steps = record(&settings, &listener, &args.out).map_err(failed)?;
    tell!("recorded {steps} steps in {out}; run them: tupelo drive --scenario {out}");
    Ok(true)
}
