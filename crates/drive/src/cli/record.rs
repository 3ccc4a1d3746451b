//! `tupelo drive record`: records a terminal session as a scenario.

use super::print::errln;
use super::{CliError, RecordArgs, failed};
use crate::recording::{RecordSettings, record};
use crate::terminal::code_table;
use std::net::TcpListener;

/// Waits for an emulator and records its session. Ctrl-C ends it at any time; the
/// file contains every step so far.
pub(super) fn run(args: &RecordArgs) -> Result<bool, CliError> {
    let table = code_table(&args.code_page).map_err(CliError::Usage)?;
    let server = crate::scenario::resolve(&args.server);
    let (server, _) = server.map_err(|why| CliError::Usage(why.to_string()))?;
    let settings = RecordSettings {
        server,
        server_name: args.server.clone(),
        code_page: (args.code_page.clone(), table),
    };
    let listener = TcpListener::bind(args.listen)
        .map_err(|e| failed(format!("cannot listen on {}: {e}", args.listen)))?;
    let address = listener.local_addr().map_err(failed)?;
    let out = args.out.display();
    errln!(
        "connect the emulator to {address}; the session is connected to {server} and recorded in {out}"
    );
    let steps = record(&settings, &listener, &args.out).map_err(failed)?;
    errln!("recorded {steps} steps in {out}; run them with: tupelo drive --scenario {out}");
    Ok(true)
}
