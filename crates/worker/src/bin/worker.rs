//! A worker process by itself: what `tupelo worker` is within the one binary,
//! and `probe FILE`, which runs tasks from a file without a region.

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    match (args.next(), args.next()) {
        (None, _) => worker::run(),
        (Some(verb), Some(file)) if verb == "probe" => worker::probe::main(file.as_ref()),
        _ => {
            eprintln!("usage: tupelo-worker [probe FILE]");
            ExitCode::from(64)
        }
    }
}
