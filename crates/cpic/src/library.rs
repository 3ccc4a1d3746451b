//! The node behind the calls: one a process, started by the first call.

use appc::config::AppcConfig;
use appc::{Host, Incoming};
use serde::Deserialize;
use sna::cpic::{Cid, Cpic, SideInfo, SideTable};
use sna::{Attached, Instant, Node, ReturnCode, TpDefinition};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::Poll;

/// The environment variable that names the configuration.
const CONFIGURATION: &str = "TUPELO_APPC";
/// The environment variable that names the program CMACCP accepts.
const PROGRAM: &str = "TUPELO_APPC_TPN";

/// The process's node and its view of conversations.
pub struct Library {
    host: Host,
    cpic: Mutex<Cpic>,
    incoming: Mutex<Receiver<Attached>>,
}

#[derive(Deserialize)]
struct File {
    appc: AppcConfig,
}

static LIBRARY: OnceLock<Result<Library, String>> = OnceLock::new();

/// The library, or the return code of a process that has none. Why it could not
/// start is told on standard error, once.
pub fn library() -> Result<&'static Library, ReturnCode> {
    let library = LIBRARY.get_or_init(|| {
        let started = Library::start();
        if let Err(why) = &started {
            eprintln!("libcpic: {why}");
        }
        started
    });
    library
        .as_ref()
        .map_err(|_| ReturnCode::ProductSpecificError)
}

impl Library {
    fn start() -> Result<Library, String> {
        let path = std::env::var(CONFIGURATION)
            .map_err(|_| format!("{CONFIGURATION} must name a file with an [appc] section"))?;
        let text = std::fs::read_to_string(&path).map_err(|why| format!("{path}: {why}"))?;
        let file: File = toml::from_str(&text).map_err(|why| format!("{path}: {why}"))?;
        let mut side = SideTable::default();
        for (name, info) in &file.appc.side_information {
            let wrong = |what: &dyn std::fmt::Display| format!("{path}: {name}: {what}");
            let info = SideInfo {
                partner: info.partner.parse().map_err(|why| wrong(&why))?,
                mode: info.mode.parse().map_err(|why| wrong(&why))?,
                tp: info.tp.parse().map_err(|why| wrong(&why))?,
            };
            side.define(name, info);
        }
        let local = file
            .appc
            .lu
            .parse()
            .map_err(|why| format!("{path}: {why}"))?;
        let host = Host::start(file.appc).map_err(|why| why.to_string())?;
        let (sender, receiver) = channel();
        if let Ok(name) = std::env::var(PROGRAM) {
            let name = name.parse().map_err(|why| format!("{PROGRAM}: {why}"))?;
            let program = Arc::new(move |incoming: Incoming| {
                // CMACCP takes it from here.
                incoming.conversation.leave();
                let _ = sender.send(incoming.attached);
            });
            host.define_program(TpDefinition::new(name), program);
        }
        Ok(Library {
            host,
            cpic: Mutex::new(Cpic::new(local, side)),
            incoming: Mutex::new(receiver),
        })
    }

    /// The calls' state. Never held while the host's lock is asked for.
    pub fn cpic(&self) -> MutexGuard<'_, Cpic> {
        self.cpic.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes sure that a link leads to the partner of `cid`. A conversation that
    /// cannot be allocated is left to the call itself to refuse; one whose
    /// partner cannot be reached is gone.
    pub fn connect(&self, cid: &Cid) -> Result<(), ReturnCode> {
        let partner = {
            let cpic = self.cpic();
            match (cpic.conversation(cid), cpic.cmepln(cid)) {
                (None, Ok(partner)) => partner,
                _ => return Ok(()),
            }
        };
        match self.host.connect(partner.as_str()) {
            Ok(()) => Ok(()),
            Err(appc::Error::UnknownPartner(_) | appc::Error::Config { .. }) => {
                Err(ReturnCode::ParameterError)
            }
            Err(_) => {
                self.once(|cpic, node| cpic.cmcanc(node, cid));
                Err(ReturnCode::AllocateFailureRetry)
            }
        }
    }

    /// A call that may wait.
    pub fn wait<T>(
        &self,
        cid: &Cid,
        mut call: impl FnMut(&mut Cpic, &mut Node, Instant) -> Poll<T>,
    ) -> Result<T, ReturnCode> {
        let first = self
            .host
            .once(|node, now| call(&mut self.cpic(), node, now));
        if let Poll::Ready(value) = first {
            return Ok(value);
        }
        let id = self
            .cpic()
            .conversation(cid)
            .ok_or(ReturnCode::ProgramParameterCheck)?;
        self.host
            .verb(id, |node, now| call(&mut self.cpic(), node, now))
            .map_err(|_| ReturnCode::ResourceFailureNoRetry)
    }

    /// A call that never waits.
    pub fn once<T>(&self, call: impl FnOnce(&mut Cpic, &mut Node) -> T) -> T {
        self.host.once(|node, _| call(&mut self.cpic(), node))
    }

    /// Accept_Conversation: waits for an attach.
    pub fn accept(&self) -> Result<Cid, ReturnCode> {
        loop {
            let incoming = self.incoming.lock().unwrap_or_else(PoisonError::into_inner);
            let attached = incoming.recv().map_err(|_| ReturnCode::ProgramStateCheck)?;
            drop(incoming);
            let accepted = self.once(|cpic, node| {
                cpic.offer(attached);
                cpic.cmaccp(node)
            });
            if let Poll::Ready(cid) = accepted {
                return cid;
            }
        }
    }
}
