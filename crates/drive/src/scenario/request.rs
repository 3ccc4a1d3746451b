//! The targets of a population: for each client one connection to every origin in
//! its steps, and one for every raw socket.

use super::step;
use super::template::TemplateNames;
use super::tree::{MistakeList, Node};
use crate::message::RequestTemplate;
use crate::plan::{LoadTarget, Protocol, SocketCycle, SocketOptions};
use crate::tls::{TlsTarget, TrustSettings};
use crate::units::parse_size;
use crate::url::{Scheme, Url};
use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;

/// The targets of one population, collected while its steps are read.
pub(super) struct TargetList<'a> {
    pub list: Vec<LoadTarget>,
    base: Option<Url>,
    trust: &'a TrustSettings,
    http2: bool,
    keep_alive: bool,
    sources: Arc<[IpAddr]>,
    knobs: SocketOptions,
    sockets: Vec<(String, Option<usize>)>,
    /// The index of the LU 6.2 partner; `Some(None)` if it is not valid.
    pub partner: Option<Option<usize>>,
    /// The index of the TN3270 server; `Some(None)` if it is not valid.
    pub terminal: Option<Option<usize>>,
}

impl<'a> TargetList<'a> {
    pub fn new(
        root: &Node,
        population: &Node,
        trust: &'a TrustSettings,
        folder: &Path,
        notes: &mut MistakeList<'_>,
    ) -> TargetList<'a> {
        let base = root
            .text("base")
            .and_then(|(text, node)| match Url::parse(text) {
                Ok(url) => Some(url),
                Err(why) => {
                    notes.add(&node.span, why.to_string());
                    None
                }
            });
        let mut targets = TargetList {
            list: Vec::new(),
            base,
            trust,
            http2: population.bool("http2").unwrap_or(false),
            keep_alive: population.bool("keep_alive").unwrap_or(true),
            sources: Arc::from([]),
            knobs: SocketOptions::default(),
            sockets: Vec::new(),
            partner: None,
            terminal: None,
        };
        if let Some(connection) = population.get("connection") {
            targets.read_connection(connection, notes);
        }
        if let Some(appc) = population.get("appc") {
            for key in ["http2", "sockets", "spin"] {
                if let Some(other) = population.get(key) {
                    let text = format!("`{key}` cannot be used in a population with `appc`");
                    notes.add(&other.span, text);
                }
            }
            let mut partner = super::appc::partner(appc, folder, notes);
            if let Some((_, _, partner)) = &mut partner {
                let given = |key: &str| population.get(key).is_some();
                partner.follows = given("rate") && !given("outstanding");
            }
            targets.partner = Some(partner.map(|(address, name, partner)| {
                targets.list.push(LoadTarget {
                    address,
                    name,
                    tls: None,
                    protocol: Protocol::Appc(Arc::new(partner)),
                    keep_alive: targets.keep_alive,
                    sources: targets.sources.clone(),
                    knobs: targets.knobs.clone(),
                    opening: None,
                    cycle: None,
                });
                targets.list.len() - 1
            }));
        }
        if let Some(terminal) = population.get("terminal") {
            targets.read_terminal(terminal, population, notes);
        }
        for entry in population.get("sockets").map_or(&[][..], Node::entries) {
            let url = entry.node.as_text().map(Url::parse);
            let index = match url {
                Some(Ok(url)) if url.scheme == Scheme::Tcp => {
                    targets.index(&url, &entry.node, notes)
                }
                Some(Ok(_)) => {
                    notes.add(
                        &entry.node.span,
                        "the address of a raw socket must begin with tcp://",
                    );
                    None
                }
                Some(Err(why)) => {
                    notes.add(&entry.node.span, why.to_string());
                    None
                }
                None => None,
            };
            targets.sockets.push((entry.key.clone(), index));
        }
        targets
    }

    /// Reads the server of a population's terminals and adds it as the target.
    fn read_terminal(&mut self, terminal: &Node, population: &Node, notes: &mut MistakeList<'_>) {
        for key in ["http2", "sockets", "spin", "appc"] {
            if let Some(other) = population.get(key) {
                let text = format!("`{key}` cannot be used in a population with `terminal`");
                notes.add(&other.span, text);
            }
        }
        let server = super::terminal::server(terminal, self.trust, notes);
        self.terminal = Some(server.map(|server| {
            self.list.push(LoadTarget {
                address: server.address,
                name: server.name,
                tls: server.tls,
                protocol: Protocol::Terminal(Arc::new(server.settings)),
                keep_alive: self.keep_alive,
                sources: self.sources.clone(),
                knobs: self.knobs.clone(),
                opening: None,
                cycle: None,
            });
            self.list.len() - 1
        }));
    }

    /// Reads the opening messages and the cycles of raw sockets.
    pub fn read_cycles(
        &mut self,
        population: &Node,
        names: &TemplateNames<'_>,
        notes: &mut MistakeList<'_>,
    ) {
        for entry in population.get("opening").map_or(&[][..], Node::entries) {
            let target = match self.socket(&entry.key) {
                Ok(target) => target,
                Err(why) => {
                    notes.add(&entry.span, why);
                    continue;
                }
            };
            let text = entry.node.as_text().unwrap_or_default();
            let body = step::pieces(text, &entry.node, names, notes);
            if let (Some(target), Some(body)) = (target, body) {
                let opening = RequestTemplate::Plain {
                    body: body.into(),
                    bytes: None,
                    ebcdic: false,
                };
                self.list[target].opening = Some(opening.simplified());
            }
        }
        for key in ["cycle", "cycles"] {
            if let Some(cycle) = population.get(key).filter(|_| self.sockets.is_empty()) {
                let why = format!("`{key}` can be used only in a population with `sockets`");
                notes.add(&cycle.span, why);
            }
        }
        let cycle = population.integer("cycle").map(|iterations| SocketCycle {
            iterations,
            cycles: population.integer("cycles"),
        });
        if let (Some(cycles), None) = (population.get("cycles"), cycle) {
            notes.add(&cycles.span, "`cycles` needs `cycle`");
        }
        for target in self.sockets.iter().filter_map(|s| s.1) {
            self.list[target].cycle = cycle;
        }
    }

    fn read_connection(&mut self, node: &Node, notes: &mut MistakeList<'_>) {
        let size = |key: &str| {
            let node = node.get(key)?;
            match node.as_text() {
                Some(text) => parse_size(text).ok(),
                None => node.as_number().map(|n| n as usize),
            }
        };
        self.knobs = SocketOptions {
            no_delay: node.bool("no_delay").unwrap_or(true),
            quick_ack: node.bool("quick_ack").unwrap_or(false),
            kernel_times: node.bool("kernel_times").unwrap_or(true),
            send_buffer_bytes: size("send_buffer"),
            receive_buffer_bytes: size("receive_buffer"),
            reset_on_close: node.bool("reset_on_close").unwrap_or(false),
        };
        let mut sources = Vec::new();
        for source in node.list("sources") {
            match source.as_text().map(str::parse) {
                Some(Ok(address)) => sources.push(address),
                Some(Err(_)) => notes.add(&source.span, "a source must be an IP address"),
                None => {}
            }
        }
        self.sources = sources.into();
    }

    /// The URL of a step's request: absolute, or a path on `base`.
    pub fn url(&self, text: &str) -> Result<Url, String> {
        match (text.starts_with('/'), &self.base) {
            (true, Some(base)) => {
                let mut url = base.clone();
                url.path = text.to_owned();
                Ok(url)
            }
            (true, None) => Err("a path requires `base` at the top of the file".into()),
            (false, _) => Url::parse(text).map_err(|e| e.to_string()),
        }
    }

    /// The target of an HTTP URL; an error is noted.
    pub fn http(&mut self, url: &Url, at: &Node, notes: &mut MistakeList<'_>) -> Option<usize> {
        if url.scheme == Scheme::Tcp {
            notes.add(
                &at.span,
                "use `socket` instead of `request` for a raw socket",
            );
            return None;
        }
        self.index(url, at, notes)
    }

    /// The target of a raw socket by name.
    pub fn socket(&self, name: &str) -> Result<Option<usize>, String> {
        let found = self.sockets.iter().find(|s| s.0 == name);
        found
            .map(|s| s.1)
            .ok_or_else(|| format!("this population has no socket named `{name}`"))
    }

    fn index(&mut self, url: &Url, at: &Node, notes: &mut MistakeList<'_>) -> Option<usize> {
        let raw = url.scheme == Scheme::Tcp;
        let name = url.authority();
        let secure = url.scheme == Scheme::Https;
        // Each raw socket has its own connection, even if two have the same
        // address.
        let known = |t: &LoadTarget| !raw && t.name == name && t.tls.is_some() == secure;
        if let Some(index) = self.list.iter().position(known) {
            return Some(index);
        }
        let address = match url.resolve() {
            Ok(address) => address,
            Err(why) => {
                notes.add_unresolved(&at.span, why.to_string());
                return None;
            }
        };
        let tls = match secure.then(|| TlsTarget::new(&url.host, self.trust, self.http2)) {
            None => None,
            Some(Ok(tls)) => Some(tls),
            Some(Err(why)) => {
                notes.add(&at.span, why.to_string());
                return None;
            }
        };
        self.list.push(LoadTarget {
            address,
            name,
            tls,
            protocol: if self.http2 && !raw {
                Protocol::Http2
            } else {
                Protocol::Stream
            },
            keep_alive: self.keep_alive,
            sources: self.sources.clone(),
            knobs: self.knobs.clone(),
            opening: None,
            cycle: None,
        });
        Some(self.list.len() - 1)
    }
}
