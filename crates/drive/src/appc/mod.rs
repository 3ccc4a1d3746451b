//! LU 6.2 partners: how a target is named, the configuration of a driver's node,
//! and what return codes mean to a user.
//!
//! A thread of the driver is one node. The clients of a thread share its link: one
//! TCP connection, one DLSw circuit, one pair of session limits. Every client has
//! its own conversation, and a session for as long as the conversation lasts.

mod names;

use crate::engine::RequestFailure;
use crate::load::{HttpLoad, LoadError};
use crate::message::{AnswerCheck, ReplyEnd, RequestTemplate, TemplatePiece};
use crate::plan::{LoadTarget, Population, Protocol, RequestStep, RunPlan, WritePattern};
use crate::units::parse_size;
use crate::url::Url;
use appc::config::ModeConfig;
use appc::transactions::{FILE_TRANSFER, INQUIRY};
use appc::{AllocateRequest, AppcConfig, AppcSection, Error};
use sna::AllocateParameters;
use sna::conversation::code::ReturnCode;
use sna::mode::SyncLevel;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// The partner of a population's conversations.
#[derive(Clone, Debug, PartialEq)]
pub struct AppcPartner {
    /// The driver's node: its logical unit, and the links and modes of the
    /// configuration.
    pub node: AppcConfig,
    /// The partner logical unit.
    pub partner: String,
    /// The mode.
    pub mode: String,
    /// The transaction program.
    pub tp: String,
    /// Sync level.
    pub sync: SyncLevel,
    /// A user and a password, or a user that counts as verified.
    pub user: Option<(String, Option<String>)>,
    /// The user set no bound on outstanding requests, so it follows the
    /// sessions that the partner allows.
    pub follows: bool,
}

impl AppcPartner {
    /// A partner in mode `#INTER`, at sync level confirm, without security.
    pub fn new(partner: &str, tp: &str) -> AppcPartner {
        AppcPartner {
            node: AppcConfig {
                lu: names::own().into(),
                ..AppcConfig::default()
            },
            partner: partner.to_uppercase(),
            mode: "#INTER".into(),
            tp: tp.to_owned(),
            sync: SyncLevel::Confirm,
            user: None,
            follows: false,
        }
    }

    /// Sets session parameters of the mode: the largest RU in bytes and the
    /// pacing window in RUs. `None` leaves the mode's own value.
    pub fn tune(&mut self, ru: Option<usize>, pacing: Option<usize>) {
        let pacing = pacing.and_then(|p| u8::try_from(p).ok());
        self.node.tune(&self.mode, ru, pacing);
    }

    /// Checks every name and returns the first error.
    pub fn validate(&self) -> Result<(), Error> {
        self.node.validate()?;
        self.allocate_request(0).map(|_| ())
    }

    /// The logical unit of a thread: the name itself for the first thread, with
    /// the thread's number appended for the others.
    pub fn lu(&self, thread: usize) -> String {
        names::of_thread(&self.node.lu, thread)
    }

    /// Adds this partner to the configuration of a thread's node: its address,
    /// and sessions for this many concurrent clients.
    pub fn equip(&self, config: &mut AppcConfig, address: &str, sessions: usize) {
        let known = self.node.partners.get(&self.partner).cloned();
        let mut partner = known.unwrap_or_default();
        partner.address = Some(address.to_owned());
        partner.ethernet = false;
        config.partners.insert(self.partner.clone(), partner);
        let configured = self.node.modes.get(&self.mode).cloned();
        let mode: &mut ModeConfig = config.modes.entry(self.mode.clone()).or_default();
        let before = mode.winners.unwrap_or(0);
        if let Some(configured) = configured {
            *mode = configured;
        }
        // All are contention winners of this side, which alone starts
        // conversations. Some are spare: the session of an abandoned
        // conversation is free only when the partner program has noticed
        // the end.
        let sessions = sessions + sessions / 4 + 4;
        let wanted = before.saturating_add(u16::try_from(sessions).unwrap_or(u16::MAX));
        let wanted = wanted.min(MOST_SESSIONS);
        mode.winners = Some(wanted);
        mode.sessions = Some(mode.sessions.unwrap_or(0).max(wanted));
    }

    /// The parameters to allocate a conversation from a thread's node.
    pub fn allocate_request(&self, thread: usize) -> Result<AllocateParameters, Error> {
        let call = AllocateRequest {
            sync: self.sync,
            user: self.user.clone(),
            ..AllocateRequest::new(&self.partner, &self.tp).with_mode(&self.mode)
        };
        call.to_node_parameters(&self.lu(thread))
    }

    /// The kind of failure of a return code, and the remedy.
    pub fn failure(&self, verb: &str, code: ReturnCode) -> (RequestFailure, String) {
        use ReturnCode as C;
        let AppcPartner {
            partner, mode, tp, ..
        } = self;
        let (kind, hint) = match code {
            C::TpnNotRecognized => (
                RequestFailure::Attach,
                format!(
                    "{partner} has no program `{tp}`; `tupelo appc status` lists those of a Tupelo node"
                ),
            ),
            C::SecurityNotValid | C::SecurityNotSupported => (
                RequestFailure::Attach,
                format!("{partner} rejected this user and password (`user`, `password`)"),
            ),
            C::SyncLevelNotSupportedLu | C::SyncLevelNotSupportedPgm => (
                RequestFailure::Attach,
                "try the other sync level (`sync`)".into(),
            ),
            C::ConversationTypeMismatch => (
                RequestFailure::Attach,
                format!(
                    "`{tp}` requires basic conversations; the driver supports only mapped ones"
                ),
            ),
            C::PipNotSpecifiedCorrectly | C::TpNotAvailableNoRetry | C::TpNotAvailableRetry => (
                RequestFailure::Attach,
                format!("{partner} cannot start `{tp}`"),
            ),
            C::AllocateFailureRetry | C::AllocateFailureNoRetry | C::ParameterError => (
                RequestFailure::Connect,
                format!(
                    "no session with {partner} in mode `{mode}`: check that the mode is defined there"
                ),
            ),
            C::ResourceFailureRetry | C::ResourceFailureNoRetry => (
                RequestFailure::Reset,
                format!("the session with {partner} failed"),
            ),
            C::DeallocatedAbend | C::DeallocatedAbendSvc | C::DeallocatedAbendTimer => {
                (RequestFailure::Program, format!("`{tp}` ended abnormally"))
            }
            C::DeallocatedNormal => (
                RequestFailure::Closed,
                format!("`{tp}` ended the conversation without an answer"),
            ),
            _ => (RequestFailure::Program, format!("`{tp}` reports an error")),
        };
        (
            kind,
            format!("{verb} gave {code:?} ({}): {hint}", code.value()),
        )
    }
}

/// The partner of a population's clients, if the target is an LU 6.2 node.
pub(crate) fn partner_of(target: &LoadTarget) -> Option<&AppcPartner> {
    match &target.protocol {
        Protocol::Appc(partner) => Some(partner),
        _ => None,
    }
}

/// The number of clients of `population` in thread `index` of `threads`.
pub(crate) fn clients(population: &Population, index: usize, threads: usize) -> usize {
    (index..population.clients())
        .step_by(threads.max(1))
        .count()
}

/// The configuration of a thread's node of this name, with the partners of all
/// populations of the plan.
pub(crate) fn node(plan: &RunPlan, lu: &str, thread: usize) -> Option<AppcConfig> {
    let mut config: Option<AppcConfig> = None;
    for population in &plan.populations {
        for target in &population.targets {
            let Some(partner) = partner_of(target).filter(|p| p.lu(thread) == lu) else {
                continue;
            };
            let config = config.get_or_insert_with(|| AppcConfig {
                lu: lu.to_owned(),
                // Threads cannot share a capture file or a
                // listener.
                trace: partner.node.trace.clone().filter(|_| thread == 0),
                listen: partner.node.listen.filter(|_| thread == 0),
                admin: None,
                ..partner.node.clone()
            });
            let sessions = clients(population, thread, plan.threads);
            partner.equip(config, &target.address.to_string(), sessions);
        }
    }
    config
}

/// Reads the `[appc]` section of a file, like the commands of `tupelo appc`. A node
/// without a name gets one unique to this process.
pub(crate) fn read_config(path: &Path) -> Result<AppcConfig, String> {
    let name = path.display();
    let text = AppcSection::text(path).map_err(|e| format!("{name}: {e}"))?;
    let mut section = AppcSection::parse(&text).map_err(|e| format!("{name}: {e}"))?;
    if !section.named {
        section.config.lu = names::own().into();
    }
    Ok(section.config)
}

/// The one-line form: `appc://host:port/NET.LU?tp=NAME&…`. The transactions of
/// `tupelo appc serve` need no data: an inquiry of 100 bytes with a reply of 100,
/// or a transfer of 100,000 bytes in records of 32,000 with a confirmation.
pub(crate) fn one_line(url: &Url, load: &HttpLoad) -> Result<(LoadTarget, RequestStep), LoadError> {
    let wrong = |why: String| LoadError::Appc(why);
    let (name, query) = url.path.split_once('?').unwrap_or((&url.path, ""));
    let name = name.trim_matches('/');
    if name.is_empty() {
        let why = "name the partner: appc://host:2065/NET.LU?tp=PROGRAM";
        return Err(wrong(why.into()));
    }
    let mut asked: BTreeMap<&str, &str> = BTreeMap::new();
    for part in query.split('&').filter(|p| !p.is_empty()) {
        let (key, value) = part.split_once('=').unwrap_or((part, ""));
        if !ONE_LINE_KEYS.contains(&key) {
            let known = ONE_LINE_KEYS.join(", ");
            return Err(wrong(format!(
                "unknown parameter `{key}`; expected {known}"
            )));
        }
        asked.insert(key, value);
    }
    let text = |key: &str| asked.get(key).map(|v| (*v).to_owned());
    let number = |key: &str| match asked.get(key).map(|v| parse_size(v)) {
        None => Ok(None),
        Some(Ok(n)) if n <= MOST_BYTES => Ok(Some(n)),
        Some(_) => Err(wrong(format!("`{key}` must be a number of bytes"))),
    };
    let tp = text("tp").unwrap_or_else(|| INQUIRY.into());
    let mut partner = AppcPartner::new(name, &tp);
    if let Some(file) = text("config") {
        partner.node = read_config(Path::new(&file)).map_err(wrong)?;
    }
    partner.mode = text("mode").unwrap_or(partner.mode);
    partner.node.lu = text("lu").map_or(partner.node.lu, |lu| lu.to_uppercase());
    partner.user = text("user").map(|user| (user, text("password")));
    partner.sync = match text("sync").as_deref() {
        None | Some("confirm") => SyncLevel::Confirm,
        Some("none") => SyncLevel::None,
        Some(_) => return Err(wrong("`sync` must be confirm or none".into())),
    };
    partner.follows = load.rate.is_some() && load.ahead.is_none();
    partner.tune(number("ru")?, number("pacing")?);
    partner.validate().map_err(|e| wrong(e.to_string()))?;
    let transfer = tp == FILE_TRANSFER;
    let confirm = asked.contains_key("confirm") || (transfer && load.body.is_empty());
    if confirm && partner.sync == SyncLevel::None {
        return Err(wrong("`confirm` requires `sync=confirm`".into()));
    }
    let reply = number("reply")?.or((tp == INQUIRY && load.body.is_empty()).then_some(100));
    let mut body = load.body.clone();
    let mut checks = vec![AnswerCheck::Status(USUAL_CODES.into())];
    if let Some(reply) = reply {
        // The first four bytes of an inquiry are the length of the reply.
        let reply_length = (reply as u32).to_be_bytes();
        body.splice(..body.len().min(4), reply_length);
        checks.push(AnswerCheck::Size(reply as u64, reply as u64));
    }
    let usual_bytes = match (transfer, load.body.is_empty()) {
        (true, true) => Some(100_000),
        (false, true) => Some(100),
        (_, false) => None,
    };
    let record = number("record")?.or(transfer.then_some(32_000));
    let template = RequestTemplate::Plain {
        body: vec![TemplatePiece::Bytes(body.into())].into(),
        bytes: number("bytes")?.or(usual_bytes),
        ebcdic: false,
    };
    let step = RequestStep {
        name: tp,
        target: 0,
        reply_target: 0,
        request: template.simplified(),
        writes: WritePattern {
            sizes: record.into_iter().collect(),
            pause_ns: 0,
        },
        reply: if confirm {
            ReplyEnd::Confirmation
        } else {
            ReplyEnd::Turn { ebcdic: false }
        },
        checks,
        captures: Vec::new(),
        think: None,
    };
    let address = url.resolve()?;
    let target = LoadTarget {
        address,
        name: format!("{} at {address}", partner.partner),
        tls: None,
        protocol: Protocol::Appc(Arc::new(partner)),
        keep_alive: load.keep_alive,
        sources: Arc::from(load.sources.as_slice()),
        knobs: load.knobs.clone(),
        opening: None,
        cycle: None,
    };
    Ok((target, step))
}

/// Return codes accepted by default: OK, and a normal deallocation by a partner
/// that has answered.
pub(crate) const USUAL_CODES: [(u16, u16); 2] = [(0, 0), (18, 18)];
/// The parameters of a one-line address.
const ONE_LINE_KEYS: [&str; 13] = [
    "tp", "mode", "lu", "user", "password", "sync", "ru", "pacing", "config", "bytes", "reply",
    "record", "confirm",
];
/// The maximum size of a client's request.
const MOST_BYTES: usize = 64 << 20;
/// The maximum session limit of CNOS.
const MOST_SESSIONS: u16 = 32_767;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_name_is_reported_with_its_key() {
        for (key, change) in [
            (
                "partner",
                (|p| p.partner = "A.B.C".into()) as fn(&mut AppcPartner),
            ),
            ("mode", |p| p.mode = "MUCHTOOLONG".into()),
            ("lu", |p| p.node.lu = "1.2.3".into()),
        ] {
            let mut partner = AppcPartner::new("NET.SERVER", "INQUIRY");
            change(&mut partner);
            let configured = partner.validate().unwrap_err().to_string();
            assert!(configured.starts_with(key), "{configured}");
        }
    }

    #[test]
    fn sessions_of_populations_in_one_mode_add_up() {
        let partner = AppcPartner::new("NET.SERVER", "INQUIRY");
        let mut config = AppcConfig::default();
        partner.equip(&mut config, "127.0.0.1:2065", 20);
        partner.equip(&mut config, "127.0.0.1:2065", 30);
        let mode = &config.modes["#INTER"];
        assert_eq!((mode.sessions, mode.winners), (Some(70), Some(70)));
    }
}
