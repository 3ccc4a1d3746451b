//! Errors of `[sockets]` and of its file of EZACICD statements, and the transactions
//! and programs that they name but that do not exist. Without this check the first
//! client would get the error, or the first message would be rejected.

use std::path::{Path, PathBuf};

use sockets::{CallPlace, MessageFormat, SocketsConfig};

use super::Application;
use super::finding::{Finding, Severity};
use super::toml_errors;
use settings::KeyPlaces;

/// Tests for names, and the hint for a missing program.
pub struct SocketNames<'a> {
    /// Whether a program exists.
    pub program: &'a dyn Fn(&str) -> bool,
    /// Whether a transaction is defined.
    pub transaction: &'a dyn Fn(&str) -> bool,
    /// The hint for a missing program.
    pub help: &'a dyn Fn(&str) -> String,
}

/// The errors that `serve` would report, and a warning for each missing name at the
/// heading of its receiver or listener.
pub fn findings(app: &Application, names: &SocketNames<'_>) -> Vec<Finding> {
    let places = toml_errors::places(&app.folder);
    let (config, mut found) = settings(app, &places);
    if !config.enabled {
        return found;
    }
    found.extend(missing(&config, &places, names));
    found
}

/// The section with the listeners of its definitions, and its errors.
fn settings(app: &Application, places: &KeyPlaces) -> (SocketsConfig, Vec<Finding>) {
    let mut config = app.config.sockets.clone();
    let mut found = Vec::new();
    let mut wrong = |file: &Path, (line, column), message: String| {
        found.push(
            Finding::new(Severity::Error, (line, column), &message)
                .in_file(file)
                .maybe_help(help(&message)),
        );
    };
    if let Some(path) = config.definitions.clone() {
        match sources::read_to_string(&app.folder.join(&path)) {
            Err(error) => {
                let message = format!("[sockets] definitions: {}: {error}", path.display());
                wrong(
                    Path::new(SETTINGS),
                    places.near("sockets.definitions"),
                    message,
                );
            }
            Ok(text) => {
                let made = sockets::parse_definitions(&text, &app.config.region.applid);
                for mistake in made.mistakes {
                    let line = u32::try_from(mistake.line).unwrap_or(0);
                    wrong(&path, (line, 0), mistake.why);
                }
                for (name, listener) in made.listeners {
                    if config.listeners.contains_key(&name) {
                        let message = format!(
                            "listener {name} is also in [sockets.listeners] of {SETTINGS}: remove one of the two"
                        );
                        wrong(&path, (0, 0), message);
                        continue;
                    }
                    // The errors of this file have been reported already.
                    let mut good = true;
                    listener.check(&name, &mut |_, _| good = false);
                    if good {
                        config.listeners.insert(name, listener);
                    }
                }
            }
        }
    }
    for error in config.check() {
        let place = places.near(&format!("sockets.{}", error.key));
        wrong(Path::new(SETTINGS), place, error.to_string());
    }
    (config, found)
}

/// The hint for a line that is not a statement.
fn help(message: &str) -> Option<String> {
    let statement = message.contains("a statement of EZACICD is expected");
    statement.then(|| {
        "write EZACICD TYPE=…; a comment begins with * in column 1, and a character in column 72 continues the statement on the next line".to_owned()
    })
}

/// One warning for each missing name.
fn missing(config: &SocketsConfig, places: &KeyPlaces, names: &SocketNames<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    // Line 0 stands for a listener of the definitions.
    let line = |table: &str, name: &str| {
        let place = places.find(&format!("sockets.{table}.{name}"));
        place.map_or(0, |(line, _)| line)
    };
    let mut warn = |line, message, help| {
        found.push(
            Finding::new(Severity::Warning, (line, 0), message)
                .in_file(match (line, &config.definitions) {
                    // A listener of the file of definitions.
                    (0, Some(definitions)) => definitions.clone(),
                    _ => PathBuf::from(SETTINGS),
                })
                .with_help(help),
        );
    };
    let define = |name: &str, program: &str| {
        format!(
            "write DEFINE TRANSACTION({name}) GROUP(SOCKETS) PROGRAM({program}) into resources.csd"
        )
    };
    let receivers = config
        .receivers
        .iter()
        .filter(|_| config.served == CallPlace::Native);
    for (name, receiver) in receivers {
        let line = line("receivers", name);
        if !(names.transaction)(name) {
            let message = format!(
                "receiver {name}: its clients are rejected, since transaction {name} is not defined"
            );
            warn(line, message, define(name, &receiver.program));
        }
        if !(names.program)(&receiver.program) {
            let message = format!("receiver {name}: there is no program {}", receiver.program);
            warn(line, message, (names.help)(&receiver.program));
        }
    }
    for (name, listener) in &config.listeners {
        let line = line("listeners", name);
        if let Some(exit) = listener.secexit.as_ref().filter(|p| !(names.program)(p)) {
            let message = format!("listener {name}: there is no security exit {exit}");
            warn(line, message, (names.help)(exit));
        }
        if listener.secexit.is_some() && !(names.transaction)(name) {
            let message = format!(
                "listener {name}: its security exit runs under transaction {name}, which is not defined"
            );
            let exit = listener.secexit.as_deref().unwrap_or_default();
            warn(line, message, define(name, exit));
        }
        let starts = listener
            .cstran
            .as_ref()
            .filter(|_| listener.format == MessageFormat::Enhanced)
            .filter(|transaction| !(names.transaction)(transaction));
        if let Some(transaction) = starts {
            let message = format!(
                "listener {name}: it starts transaction {transaction}, which is not defined"
            );
            warn(line, message, define(transaction, "its program"));
        }
    }
    found
}

/// The file of the section.
const SETTINGS: &str = "tupelo.toml";
