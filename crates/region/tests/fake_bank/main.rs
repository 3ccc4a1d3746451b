//! A bank for the crash test: a region whose units a data base decides, and that
//! data base, each a process of its own.
//!
//! `fake-bank base SOCKET FILE` serves rows. `fake-bank region FOLDER SOCKET FIRST`
//! runs units, each of which writes the same number to a file and to the data base,
//! and prints each number that was acknowledged. `fake-bank check FOLDER SOCKET`
//! waits until no unit is in doubt and prints the numbers in the file.

mod base;
mod service;
mod units;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[1..] {
        ["base", socket, file] => base::run(socket.as_ref(), file.as_ref()),
        ["region", folder, socket, first] => {
            units::run(folder.as_ref(), socket, first.parse().expect("a number"));
        }
        ["check", folder, socket] => units::check(folder.as_ref(), socket),
        _ => std::process::exit(64),
    }
}
