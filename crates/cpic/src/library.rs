//! The node of the calls: one a process, started by the first call.

use appc::config::AppcConfig;
use appc::{AppcSection, IncomingAttach, NodeHost, own_name};
use sna::cpic::{ConversationIdentifier, CpicInterface, SideInfo, SideTable};
use sna::{CheckedAttach, LuName, ModeName, MonotonicTime, Node, ReturnCode, TpDefinition, TpName};
use std::collections::BTreeSet;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::Poll;

/// The environment variable that names the configuration.
const CONFIGURATION: &str = "TUPELO_APPC";
/// The environment variable that names the program CMACCP accepts.
const PROGRAM: &str = "TUPELO_APPC_TPN";

/// The process's node and its view of conversations.
pub struct CpicLibrary {
    host: NodeHost,
    local: LuName,
    /// Whether its name is generated, so that no partner can know it.
    unfindable: bool,
    /// Partners cannot connect to it: only those it calls can attach programs.
    deaf: bool,
    cpic: Mutex<CpicInterface>,
    incoming: Mutex<Receiver<CheckedAttach>>,
    /// Receives the Attaches for this process's programs.
    attached: Sender<CheckedAttach>,
    /// The transaction programs that CMACCP accepts.
    names: Mutex<BTreeSet<TpName>>,
    printed: Mutex<BTreeSet<String>>,
}

/// Most reasons that are printed, each once.
const REASONS: usize = 100;

static LIBRARY: OnceLock<Result<CpicLibrary, String>> = OnceLock::new();

/// The library. Returns a return code if it could not start; the reason is printed
/// to standard error once.
pub fn library() -> Result<&'static CpicLibrary, ReturnCode> {
    let library = LIBRARY.get_or_init(|| {
        let started = CpicLibrary::start();
        if let Err(why) = &started {
            eprintln!("libcpic: {why}");
        }
        started
    });
    library
        .as_ref()
        .map_err(|_| ReturnCode::ProductSpecificError)
}

impl CpicLibrary {
    fn start() -> Result<CpicLibrary, String> {
        let path = std::env::var(CONFIGURATION)
            .map_err(|_| format!("{CONFIGURATION} must name a file with an [appc] section"))?;
        let text = AppcSection::text(&path).map_err(|why| format!("{path}: {why}"))?;
        let section = AppcSection::parse(&text).map_err(|why| format!("{path}: {why}"))?;
        let program = std::env::var(PROGRAM).ok();
        let unfindable = takes_own_name(&section, program.is_some());
        let mut config = section.config;
        if unfindable {
            config.lu = own_name('P');
        }
        let side = side_table(&config).map_err(|why| format!("{path}: {why}"))?;
        let local = config.lu.parse().map_err(|why| format!("{path}: {why}"))?;
        let name = program
            .map(|name| name.parse())
            .transpose()
            .map_err(|why| format!("{PROGRAM}: {why}"))?;
        let deaf = config.listen.is_none() && config.interface.is_none();
        let host = NodeHost::start(config).map_err(|why| why.to_string())?;
        let (attached, incoming) = channel();
        let library = CpicLibrary {
            host,
            cpic: Mutex::new(CpicInterface::new(LuName::clone(&local), side)),
            local,
            unfindable,
            deaf,
            incoming: Mutex::new(incoming),
            attached,
            names: Mutex::default(),
            printed: Mutex::default(),
        };
        if let Some(name) = name {
            library.specify(name);
        }
        Ok(library)
    }

    /// Specify_Local_TP_Name: partners that attach this program wait for
    /// [`CpicLibrary::accept`].
    pub fn specify(&self, name: TpName) {
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        if !names.insert(name.clone()) {
            return;
        }
        if self.unfindable {
            self.print_once(format!(
                "CMSLTP {name}: partners that call this program must know its node's name: set \
                 `lu` in the configuration"
            ));
        }
        if self.deaf {
            self.print_once(format!(
                "{name}: partners cannot connect to this node to attach it: set `listen` or \
                 `interface` in the configuration"
            ));
        }
        let attached = self.attached.clone();
        let program = Arc::new(move |incoming: IncomingAttach| {
            // CMACCP takes it from here.
            incoming.conversation.leave();
            let _ = attached.send(incoming.attached);
        });
        self.host.define_program(TpDefinition::new(name), program);
    }

    /// Release_Local_TP_Name. Partners that have attached it already are
    /// accepted.
    pub fn release(&self, name: &TpName) -> Result<(), ReturnCode> {
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        if !names.remove(name) {
            return Err(ReturnCode::ProgramParameterCheck);
        }
        self.host.remove_program(name);
        Ok(())
    }

    fn has_names(&self) -> bool {
        let names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        !names.is_empty()
    }

    /// Prints a reason that no return code expresses, once.
    fn print_once(&self, why: String) {
        let mut printed = self.printed.lock().unwrap_or_else(PoisonError::into_inner);
        if printed.len() < REASONS && !printed.contains(&why) {
            eprintln!("libcpic: {why}");
            printed.insert(why);
        }
    }

    /// The calls' state. Never held while the host's lock is asked for.
    pub fn cpic(&self) -> MutexGuard<'_, CpicInterface> {
        self.cpic.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Allocate: ensures that a link leads to the partner, and takes a session.
    /// The reason of a failure is printed.
    pub fn allocate(&self, cid: &ConversationIdentifier) -> Result<ReturnCode, ReturnCode> {
        let wanted = self.cpic().wanted(cid);
        if let Some((partner, _)) = &wanted {
            self.connect(cid, partner)?;
        }
        let code = self.wait(cid, |cpic, node, now| cpic.cmallc(node, cid, now))?;
        if let Some((partner, mode)) = wanted {
            self.explain(cid, &partner, &mode, code);
        }
        Ok(code)
    }

    /// Ensures that there is a link to the partner of `cid`. If the partner
    /// cannot be reached, the conversation is ended.
    fn connect(&self, cid: &ConversationIdentifier, partner: &LuName) -> Result<(), ReturnCode> {
        let Err(why) = self.host.connect(partner.as_str()) else {
            return Ok(());
        };
        self.print_once(format!("CMALLC to {partner}: {}", chain(&why)));
        match why {
            appc::Error::UnknownPartner(_) | appc::Error::Config { .. } => {
                Err(ReturnCode::ParameterError)
            }
            _ => {
                self.once(|cpic, node| cpic.cmcanc(node, cid));
                Err(ReturnCode::AllocateFailureRetry)
            }
        }
    }

    /// Prints what an allocate's return code does not express.
    fn explain(
        &self,
        cid: &ConversationIdentifier,
        partner: &LuName,
        mode: &ModeName,
        code: ReturnCode,
    ) {
        let why = match code {
            ReturnCode::Ok => match self.withheld(cid) {
                Some(why) => why,
                None => return,
            },
            ReturnCode::ParameterError => "this mode is not defined for programs".to_owned(),
            ReturnCode::AllocateFailureRetry | ReturnCode::AllocateFailureNoRetry => {
                let denial = self.once(|_, node| node.denial(&self.local, partner, mode));
                match denial {
                    Some(denial) => denial.to_string(),
                    None => return,
                }
            }
            _ => return,
        };
        self.print_once(format!("CMALLC to {partner}, mode \"{mode}\": {why}"));
    }

    /// The security of a conversation that the partner does not accept.
    fn withheld(&self, cid: &ConversationIdentifier) -> Option<String> {
        let (what, user) = self.once(|cpic, node| {
            let id = cpic.conversation(cid)?;
            let user = node.attributes(id)?.user.clone()?;
            Some((node.access_withheld(id)?, user))
        })?;
        Some(appc::withheld(what, &user, self.local.as_str()))
    }

    /// A call that may wait.
    pub fn wait<T>(
        &self,
        cid: &ConversationIdentifier,
        mut call: impl FnMut(&mut CpicInterface, &mut Node, MonotonicTime) -> Poll<T>,
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
    pub fn once<T>(&self, call: impl FnOnce(&mut CpicInterface, &mut Node) -> T) -> T {
        self.host.once(|node, _| call(&mut self.cpic(), node))
    }

    /// Accept_Conversation: waits for an attach.
    pub fn accept(&self) -> Result<ConversationIdentifier, ReturnCode> {
        self.incoming(|cpic, node| cpic.cmaccp(node))?
    }

    /// Accept_Incoming: the same for a conversation that is there.
    pub fn accept_incoming(&self, cid: &ConversationIdentifier) -> Result<ReturnCode, ReturnCode> {
        self.incoming(|cpic, node| cpic.cmacci(node, cid))
    }

    /// Hands attaches to `call` until it is done.
    fn incoming<T>(
        &self,
        mut call: impl FnMut(&mut CpicInterface, &mut Node) -> Poll<T>,
    ) -> Result<T, ReturnCode> {
        loop {
            if let Poll::Ready(done) = self.once(&mut call) {
                return Ok(done);
            }
            let named = self.has_names();
            let incoming = self.incoming.lock().unwrap_or_else(PoisonError::into_inner);
            let attached = if named {
                incoming.recv().ok()
            } else {
                incoming.try_recv().ok()
            };
            drop(incoming);
            let attached = attached.ok_or(ReturnCode::ProgramStateCheck)?;
            self.cpic().offer(attached);
        }
    }
}

/// Whether the process takes a name that no other has, so that any number of
/// processes use one configuration. A node that partners call keeps the name that
/// it has without one in the configuration.
fn takes_own_name(section: &AppcSection, called: bool) -> bool {
    !section.named && section.config.listen.is_none() && !called
}

/// The side information of a configuration.
fn side_table(config: &AppcConfig) -> Result<SideTable, String> {
    let mut side = SideTable::default();
    for (name, info) in &config.side_information {
        let wrong = |what: &dyn std::fmt::Display| format!("side-information {name:?}: {what}");
        let letters = name.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if !letters || !(1..=8).contains(&name.len()) {
            return Err(wrong(&"must have 1 to 8 letters and digits"));
        }
        if side.get(name).is_some() {
            return Err(wrong(
                &"is defined twice; lower case is converted to upper case",
            ));
        }
        let info = SideInfo {
            partner: info.partner.parse().map_err(|why| wrong(&why))?,
            mode: info.mode.parse().map_err(|why| wrong(&why))?,
            tp: info.tp.parse().map_err(|why| wrong(&why))?,
        };
        side.define(name, info);
    }
    Ok(side)
}

/// An error with its causes, in one line.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(why) = cause {
        let why_text = why.to_string();
        if !text.contains(&why_text) {
            text = format!("{text}: {why_text}");
        }
        cause = why.source();
    }
    text
}
