//! APPC partners of the region: transactions that partners attach over LU 6.2, and
//! conversations that programs allocate.
//!
//! A transaction is attached by its name or its TPNAME. [`KnownPartners`] holds the
//! definitions of partners.

use std::sync::{Arc, PoisonError, RwLock};

use appc::{AllocateRequest, IncomingAttach, NodeHost};
use cics::csd::Csd;
use miette::{IntoDiagnostic, Result};
use region::engine::{self, EngineClass};
use region::{
    ConnectionInfo, Conversation, ConversationService, ConversationTarget, Fault,
    PrincipalFacility, ReceiveOutcome, StartCode, TaskRequest,
};
use region::{UserId, sense};
use sna::conversation::code::{
    ConversationType, DataReceived, DeallocateType, PrepareToReceiveType, ReturnCode,
    StatusReceived,
};
use sna::mode::SyncLevel;
use sna::{AttachRefusal, ChangedSessions, ConversationId, ModeTable, TpDefinition};

use super::known::KnownPartners;
use super::{Application, mirror};

/// The node of a region, and the definitions of its partners.
#[derive(Clone)]
pub struct PartnerDirectory {
    host: NodeHost,
    known: Arc<RwLock<Arc<KnownPartners>>>,
    held: Arc<mirror::MirrorBudget>,
}

/// Starts the node when there is an `[appc]` section.
pub fn start(app: &Application) -> Result<Option<PartnerDirectory>> {
    let Some(known) = known(app)? else {
        return Ok(None);
    };
    let mut section = known.section.clone();
    let loopback = ([127, 0, 0, 1], sna::dlc::ssp::PORT).into();
    section.listen = section.listen.or(Some(loopback));
    let host = NodeHost::start_with(
        section,
        Arc::new(|| engine::enter("appc", EngineClass::Offload)),
    )
    .into_diagnostic()?;
    for mode in known.modes.values() {
        host.define_mode(mode.clone());
    }
    Ok(Some(PartnerDirectory {
        host,
        known: Arc::new(RwLock::new(Arc::new(known))),
        held: Arc::default(),
    }))
}

/// Reads the definitions of partners. Returns `None` without an `[appc]` section.
pub fn known(app: &Application) -> Result<Option<KnownPartners>> {
    let section = app.config.appc.as_ref();
    section
        .map(|section| KnownPartners::read(section, &app.csd))
        .transpose()
}

impl PartnerDirectory {
    /// The node.
    pub fn host(&self) -> &NodeHost {
        &self.host
    }

    /// The definitions of partners in force.
    pub fn known(&self) -> Arc<KnownPartners> {
        let known = self.known.read();
        Arc::clone(&known.unwrap_or_else(PoisonError::into_inner))
    }

    /// Puts the definitions that a reload has read in force. Sessions that are up keep
    /// the parameters they began with until they end; the returned lines name them.
    pub fn change(&self, now: KnownPartners) -> Vec<String> {
        let before = self.known();
        let mut lines = Vec::new();
        let mut report = |what: String, done: Result<ChangedSessions, appc::Error>| match done {
            Ok(ChangedSessions { busy: 0, .. }) => {}
            Ok(ChangedSessions { busy, .. }) => lines.push(format!(
                "{what}: {busy} sessions are in use; the change takes effect for them when their \
                 conversations have ended"
            )),
            Err(error) => lines.push(format!("{what}: {error}")),
        };
        let (old, new) = (&before.section, &now.section);
        for name in old
            .partners
            .keys()
            .filter(|n| !new.partners.contains_key(*n))
        {
            report(format!("partner {name}"), self.host.remove_partner(name));
        }
        for (name, partner) in &new.partners {
            let done = self.host.change_partner(name, partner.clone());
            report(format!("partner {name}"), done);
        }
        let architected = ModeTable::default();
        for name in before.modes.keys().filter(|n| !now.modes.contains_key(*n)) {
            let done = match architected.get(name) {
                Some(mode) => Ok(self.host.change_mode(mode)),
                None => self.host.remove_mode(name.as_str()),
            };
            report(format!("mode {name}"), done);
        }
        for (name, mode) in &now.modes {
            if before.modes.get(name) != Some(mode) {
                report(
                    format!("mode {name}"),
                    Ok(self.host.change_mode(mode.clone())),
                );
            }
        }
        for name in old.users.keys().filter(|n| !new.users.contains_key(*n)) {
            self.host.remove_user(name);
        }
        for (name, password) in &new.users {
            self.host.define_user(name, password);
        }
        *self.known.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(now);
        lines
    }

    /// The user that the task of an Attach runs for; `default` is the region's default
    /// user. Returns `None` if the Attach must be rejected.
    pub fn user(&self, attached: &sna::CheckedAttach, default: UserId) -> Option<UserId> {
        let named = attached.user.as_deref();
        let known = self.known();
        known
            .security
            .user(attached.partner.as_str(), named, default)
    }

    /// The storage that the mirrors hold.
    pub fn held(&self) -> &mirror::MirrorBudget {
        &self.held
    }

    /// Registers the transactions of `csd` as transaction programs that partners may attach.
    pub fn define(&self, csd: &Csd, region: &region::Handle, user: UserId) {
        mirror::define(self, region, user);
        for def in &csd.transactions {
            let names = [Some(def.name.as_str()), def.tp_name.as_deref()];
            for name in names.into_iter().flatten() {
                let (Ok(tp), Ok(transid)) = (name.parse(), def.name.as_str().parse()) else {
                    tracing::warn!("{name} is not a valid name of a transaction program");
                    continue;
                };
                let program = TpDefinition {
                    types: vec![ConversationType::Mapped],
                    pip: true,
                    ..TpDefinition::new(tp)
                };
                let (partners, region) = (self.clone(), region.clone());
                let run = move |incoming: IncomingAttach| {
                    let host = &partners.host;
                    match partners.user(&incoming.attached, user) {
                        Some(user) => attach(host, &region, transid, user, incoming),
                        None => refuse(host, &incoming.attached),
                    }
                };
                self.host.define_program(program, Arc::new(run));
            }
        }
    }
}

/// Logs an Attach that lacks the user its connection demands, and rejects it.
pub fn refuse(host: &NodeHost, attached: &sna::CheckedAttach) {
    tracing::warn!(
        "{} of {}: the Attach names no user, and ATTACHSEC requires one",
        attached.tp,
        attached.partner
    );
    host.once(|node, _| node.refuse(attached.conversation, AttachRefusal::Security));
}

/// Starts a task for an Attach.
fn attach(
    host: &NodeHost,
    region: &region::Handle,
    transid: region::TransId,
    user: UserId,
    incoming: IncomingAttach,
) {
    let IncomingAttach {
        conversation,
        attached,
    } = incoming;
    let request = TaskRequest {
        transid,
        userid: user,
        start_code: StartCode::Terminal,
        ..TaskRequest::default()
    };
    let begun = region::block_on(region.begin(&region.default_port(), request));
    let mut task = match begun {
        Ok(task) => task,
        Err(refusal) => {
            tracing::warn!("{} of {}: {refusal}", attached.tp, attached.partner);
            let answer = if refusal.is_temporary() {
                AttachRefusal::Later
            } else {
                AttachRefusal::Never
            };
            host.once(|node, _| node.refuse(attached.conversation, answer));
            return;
        }
    };
    let mut mapped = MappedConversation {
        host: host.clone(),
        id: conversation.id(),
        inner: conversation,
        process: attached.tp.to_string(),
        parameters: attached.pip,
        level: u8::from(attached.sync == SyncLevel::Confirm),
    };
    if let Err(error) = mapped.inner.accept() {
        tracing::warn!("{} of {}: {error}", attached.tp, attached.partner);
        return;
    }
    if task.set_facility(PrincipalFacility::Conversation(Box::new(mapped))) {
        let reply = region::block_on(task.run());
        if let region::TaskOutcome::Abend(abend) = reply.outcome() {
            let (code, task) = (abend.code(), reply.record().task);
            tracing::info!(
                target: crate::log::TASK,
                "{code} task {task} {transid} in {} line {}: {}",
                abend.program,
                abend.line,
                abend.message
            );
        }
    }
}

impl std::fmt::Debug for PartnerDirectory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Partners")
            .field("lu", &self.host.lu())
            .finish_non_exhaustive()
    }
}

impl ConversationService for PartnerDirectory {
    fn system(&self, sysid: &str) -> Option<ConversationTarget> {
        self.known().system(sysid)
    }

    fn partner(&self, name: &str) -> Option<ConversationTarget> {
        self.known().partner(name)
    }

    fn profile(&self, name: &str) -> Option<String> {
        self.known().profile(name)
    }

    fn connections(&self) -> Vec<ConnectionInfo> {
        let sessions = self.host.status().sessions;
        let known = self.known();
        let described = known.connections().filter_map(|(sysid, net_name)| {
            let partner = known.system(sysid)?.partner;
            let with = sessions.iter().filter(|s| s.active && s.partner == partner);
            Some(ConnectionInfo {
                sysid: sysid.parse().ok()?,
                net_name: net_name.to_owned(),
                sessions: with.count(),
            })
        });
        described.collect()
    }

    fn reach(&self, destination: &ConversationTarget) -> bool {
        match self.host.connect(&destination.partner) {
            Ok(()) => true,
            Err(error) => {
                tracing::warn!("{}: {error}", destination.partner);
                false
            }
        }
    }

    fn connect(
        &self,
        destination: &ConversationTarget,
        process: &str,
        confirm: bool,
        parameters: Vec<Vec<u8>>,
    ) -> Result<Box<dyn Conversation>, Fault> {
        let call = AllocateRequest {
            pip: parameters,
            mode: destination.mode.clone(),
            sync: if confirm {
                SyncLevel::Confirm
            } else {
                SyncLevel::None
            },
            ..AllocateRequest::new(&destination.partner, process)
        };
        let inner = self.host.allocate(&call).map_err(|error| {
            tracing::warn!("{process} of {}: {error}", destination.partner);
            fault(&error)
        })?;
        Ok(Box::new(MappedConversation {
            host: self.host.clone(),
            id: inner.id(),
            inner,
            process: process.to_owned(),
            parameters: Vec::new(),
            level: u8::from(confirm),
        }))
    }
}

/// A mapped conversation of the node, with the interface that the region needs.
struct MappedConversation {
    host: NodeHost,
    id: ConversationId,
    inner: appc::Conversation,
    process: String,
    parameters: Vec<Vec<u8>>,
    level: u8,
}

impl Conversation for MappedConversation {
    fn process(&self) -> (String, u8) {
        (self.process.clone(), self.level)
    }

    fn parameters(&self) -> &[Vec<u8>] {
        &self.parameters
    }

    fn send(&mut self, record: &[u8]) -> Result<bool, Fault> {
        self.inner.send(record).map_err(|e| fault(&e))
    }

    fn flush(&mut self) -> Result<(), Fault> {
        self.inner.flush().map_err(|e| fault(&e))
    }

    fn confirm(&mut self) -> Result<bool, Fault> {
        self.inner.confirm().map_err(|e| fault(&e))
    }

    fn confirmed(&mut self) -> Result<(), Fault> {
        self.inner.confirmed().map_err(|e| fault(&e))
    }

    fn invite(&mut self, confirm: bool) -> Result<(), Fault> {
        let kind = if confirm {
            PrepareToReceiveType::Confirm
        } else {
            PrepareToReceiveType::Flush
        };
        self.inner.prepare_to_receive(kind).map_err(|e| fault(&e))
    }

    fn receive(&mut self, buffer: &mut [u8]) -> Result<ReceiveOutcome, Fault> {
        let mut got = self.inner.receive(buffer).map_err(|e| fault(&e))?;
        if got.last {
            // EXEC CICS reports the end of the conversation with the last record.
            got.ended = self.inner.receive(&mut []).map_err(|e| fault(&e))?.ended;
        }
        let status = got.status;
        Ok(ReceiveOutcome {
            bytes: got.data.any().then_some(got.len),
            complete: got.data == DataReceived::Complete,
            confirm: matches!(
                status,
                StatusReceived::Confirm
                    | StatusReceived::ConfirmSend
                    | StatusReceived::ConfirmDeallocate
            ),
            turn: matches!(status, StatusReceived::Send | StatusReceived::ConfirmSend),
            end: got.ended || status == StatusReceived::ConfirmDeallocate,
            signal: got.request_to_send,
        })
    }

    fn error(&mut self) -> Result<(), Fault> {
        self.inner.send_error().map_err(|e| fault(&e))
    }

    fn signal(&mut self) -> Result<(), Fault> {
        self.inner.request_to_send().map_err(|e| fault(&e))
    }

    fn end(self: Box<Self>, confirm: bool) -> Result<(), Fault> {
        let kind = if confirm {
            DeallocateType::Confirm
        } else {
            DeallocateType::Flush
        };
        self.inner.deallocate(kind).map_err(|e| fault(&e))
    }

    fn interrupter(&self) -> Box<dyn Fn() + Send + Sync> {
        let (host, id) = (self.host.clone(), self.id);
        Box::new(move || host.abend(id))
    }
}

/// The condition that a program gets for an error of the node. The sense data are
/// those the partner sent; without them, those that the return code stands for.
fn fault(error: &appc::Error) -> Fault {
    use ReturnCode as R;
    let Some(code) = error.code() else {
        return Fault::Over(sense::SESSION);
    };
    let sent = |otherwise: u32| error.sense().map_or(otherwise, |sense| sense.0);
    match code {
        code if code.is_error_report() => Fault::Error(sent(sense::PROGRAM_ERROR)),
        R::ProgramStateCheck | R::ProgramParameterCheck => Fault::State,
        R::DeallocatedAbend | R::DeallocatedAbendSvc | R::DeallocatedAbendTimer => {
            Fault::Over(sent(sense::ABEND))
        }
        R::TpnNotRecognized => Fault::Over(sent(sense::NAME_UNKNOWN)),
        R::TpNotAvailableRetry => Fault::Over(sent(sense::NOT_NOW)),
        R::TpNotAvailableNoRetry => Fault::Over(sent(sense::NOT_AVAILABLE)),
        R::PipNotSpecifiedCorrectly => Fault::Over(sent(sense::PIP_WRONG)),
        R::SecurityNotValid => Fault::Over(sent(sense::SECURITY)),
        R::ConversationTypeMismatch => Fault::Over(sent(sense::TYPE)),
        R::SyncLevelNotSupportedLu | R::SyncLevelNotSupportedPgm => {
            Fault::Over(sent(sense::SYNC_LEVEL))
        }
        _ => Fault::Over(sense::SESSION),
    }
}
