//! Transactions and programs that `[sockets]` names and nobody has: the first
//! client would be told, or the first message refused.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;
use serde::de::IgnoredAny;
use sockets::{Format, Served};
use toml::Spanned;

use super::Application;
use super::finding::{Finding, Severity};

/// What is known by name, and what to do about a program that is not.
pub struct Names<'a> {
    /// Whether there is a program.
    pub program: &'a dyn Fn(&str) -> bool,
    /// Whether a transaction is defined.
    pub transaction: &'a dyn Fn(&str) -> bool,
    /// What to do about a program that is not there.
    pub help: &'a dyn Fn(&str) -> String,
}

/// One warning for each name, at the heading of its receiver or listener.
pub fn findings(app: &Application, names: &Names<'_>) -> Vec<Finding> {
    let config = &app.config.sockets;
    let places = Places::read(app);
    let mut found = Vec::new();
    let mut warn = |line, message, help| {
        found.push(Finding {
            severity: Severity::Warning,
            file: PathBuf::from("tupelo.toml"),
            line,
            column: 0,
            message,
            help: Some(help),
        });
    };
    let define = |name: &str, program: &str| {
        format!(
            "write DEFINE TRANSACTION({name}) GROUP(SOCKETS) PROGRAM({program}) into resources.csd"
        )
    };
    let receivers = config
        .receivers
        .iter()
        .filter(|_| config.served == Served::Native);
    for (name, receiver) in receivers {
        let line = places.line("receivers", name);
        if !(names.transaction)(name) {
            let message = format!(
                "receiver {name}: its clients are refused, since transaction {name} is not defined"
            );
            warn(line, message, define(name, &receiver.program));
        }
        if !(names.program)(&receiver.program) {
            let message = format!("receiver {name}: there is no program {}", receiver.program);
            warn(line, message, (names.help)(&receiver.program));
        }
    }
    for (name, listener) in &config.listeners {
        let line = places.line("listeners", name);
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
            .filter(|_| listener.format == Format::Enhanced)
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

/// Where receivers and listeners stand.
struct Places {
    text: String,
    names: BTreeMap<&'static str, Vec<(String, usize)>>,
}

type Table = BTreeMap<Spanned<String>, IgnoredAny>;

#[derive(Deserialize, Default)]
#[serde(default)]
struct Document {
    sockets: Section,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Section {
    receivers: Table,
    listeners: Table,
}

impl Places {
    fn read(app: &Application) -> Places {
        // It was read before: what cannot be read now has no lines.
        let text = std::fs::read_to_string(app.folder.join("tupelo.toml")).unwrap_or_default();
        let sockets = toml::from_str::<Document>(&text)
            .unwrap_or_default()
            .sockets;
        let of = |table: Table| {
            let starts = table.into_keys().map(|key| {
                let at = key.span().start;
                (key.into_inner(), at)
            });
            starts.collect()
        };
        let names = BTreeMap::from([
            ("receivers", of(sockets.receivers)),
            ("listeners", of(sockets.listeners)),
        ]);
        Places { text, names }
    }

    /// The line of a heading, from 1; 0 when it stands elsewhere.
    fn line(&self, table: &str, name: &str) -> u32 {
        let found = self.names.get(table).into_iter().flatten();
        let mut found = found.filter(|(known, _)| known == name);
        let before = found.next().and_then(|(_, at)| self.text.get(..*at));
        before.map_or(0, |text| {
            1 + u32::try_from(text.matches('\n').count()).unwrap_or(0)
        })
    }
}
