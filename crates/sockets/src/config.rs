//! The `[sockets]` section of `tupelo.toml`.
//!
//! Keys of a listener have the names of EZACICD's operands. The doc comment of
//! a field is its reference.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::PathBuf;

use ezasoket::AddressRule;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::native::PreparedReceiver;
use crate::native::config::{NativeConfig, ReceiverConfig};

/// `[sockets]`
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SocketsConfig {
    /// Whether programs have sockets. Without them a CALL of EZASOKET abends
    /// with AEY9, as in a region where the interface is not enabled.
    pub enabled: bool,
    /// Where calls are served: `region` hands each to a helper thread of the
    /// region, `worker` makes those that only move data in the program's own
    /// process. `native` is `worker`, and the region itself reads and answers
    /// the messages of connections for the transactions in `receivers`.
    pub served: CallPlace,
    /// The translation by EZACIC04 and its like: `none`, because programs have
    /// ASCII characters here, or `tables`, byte for byte as the manual has
    /// them.
    pub translation: CharacterTranslation,
    /// Addresses that programs and listeners may listen at: an address, with
    /// `/BITS` a network, with `:PORT` one port; `any` for all. A program that
    /// binds the unspecified address gets 127.0.0.1 or ::1 where `any` is not
    /// there.
    pub listen: Vec<String>,
    /// Addresses that programs may connect and send to, written in the same
    /// way. Any other address is answered with EACCES; without the setting no address
    /// is allowed.
    pub connect: Vec<String>,
    /// Whether GETHOSTBYNAME and GETADDRINFO ask the system's resolver; without
    /// it they resolve addresses, `localhost` and this host's name.
    pub resolver: bool,
    /// Most helper threads (NTASKS and TERMLIM together); further tasks wait
    /// for one.
    pub ntasks: u32,
    /// A file of EZACICD statements, relative to the application folder. Its
    /// listeners are added to those below.
    pub definitions: Option<PathBuf>,
    /// Listeners, by their transaction.
    pub listeners: BTreeMap<String, ListenerConfig>,
    /// The threads of the receivers.
    pub native: NativeConfig,
    /// With `served = "native"`: the receivers for the messages of connections
    /// that a listener would start these transactions for.
    pub receivers: BTreeMap<String, ReceiverConfig>,
}

impl Default for SocketsConfig {
    fn default() -> Self {
        SocketsConfig {
            enabled: true,
            served: CallPlace::Region,
            translation: CharacterTranslation::None,
            listen: vec!["127.0.0.0/8".into(), "::1".into()],
            connect: Vec::new(),
            resolver: false,
            ntasks: 100,
            definitions: None,
            listeners: BTreeMap::new(),
            native: NativeConfig::default(),
            receivers: BTreeMap::new(),
        }
    }
}

/// Where calls are served.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CallPlace {
    /// By helper threads of the region.
    #[default]
    Region,
    /// In the worker, where that is possible.
    Worker,
    /// In the worker, and messages of receivers by the region itself.
    Native,
}

/// The translation by EZACIC04 and its like.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CharacterTranslation {
    /// No translation.
    #[default]
    None,
    /// The manual's tables.
    Tables,
}

/// `[sockets.listeners.TRAN]`
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ListenerConfig {
    /// Address to listen at.
    pub address: IpAddr,
    /// PORT: port to listen at; 0 takes a free one.
    pub port: u16,
    /// IMMED: the listener starts with the region.
    pub immed: bool,
    /// BACKLOG: connections that wait to be accepted. The system's queue has
    /// 1,024 places at least: it resets clients that find it full.
    pub backlog: u32,
    /// NUMSOCK: most sockets, those that wait for their transaction included,
    /// and the one that listens.
    pub numsock: u32,
    /// MINMSGL: fewest characters of a client's first message.
    pub minmsgl: u32,
    /// GIVTIME: seconds in which the transaction must take its socket; 0 for
    /// no limit.
    pub givtime: u32,
    /// REATIME: seconds in which the first message must be there; 0 for no
    /// limit.
    pub reatime: u32,
    /// TRANTRN: the name of the transaction may come in EBCDIC.
    pub trantrn: bool,
    /// TRANUSR: so may what follows it.
    pub tranusr: bool,
    /// SECEXIT: program that may refuse or change what the client asks for.
    pub secexit: Option<String>,
    /// FORMAT: `standard` reads the transaction from the client's first
    /// message, `enhanced` starts CSTRAN.
    pub format: MessageFormat,
    /// CSTRAN: the transaction of an enhanced listener.
    pub cstran: Option<String>,
    /// CSSTTYP: how it is started.
    pub cssttyp: StartType,
    /// CSDELAY: hours, minutes and seconds after which it is started with IC.
    pub csdelay: String,
    /// MSGLEN: bytes of the first message that it is passed, 0 to 999.
    pub msglen: u32,
    /// PEEKDATA: they stay to be read.
    pub peekdata: bool,
    /// MSGFORM: whether error messages to clients are in `ascii` or `ebcdic`.
    /// When absent they are in the code page of the client's message.
    pub msgform: Option<MessageForm>,
    /// Clients speak TLS, with the gateway's certificate and its demands on
    /// theirs (`[gateway] tls_certificate`, `tls_key`, `tls_client_ca`). Such a
    /// listener serves receivers only: a program that takes a socket could not
    /// read it.
    pub tls: bool,
}

impl Default for ListenerConfig {
    fn default() -> Self {
        ListenerConfig {
            address: IpAddr::from([127, 0, 0, 1]),
            port: 3010,
            immed: true,
            backlog: 20,
            numsock: 50,
            minmsgl: 4,
            givtime: 30,
            reatime: 30,
            trantrn: true,
            tranusr: true,
            secexit: None,
            format: MessageFormat::Standard,
            cstran: None,
            cssttyp: StartType::Kc,
            csdelay: "000000".into(),
            msglen: 0,
            peekdata: false,
            msgform: None,
            tls: false,
        }
    }
}

/// FORMAT.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MessageFormat {
    /// The client names the transaction.
    #[default]
    Standard,
    /// The definition names it.
    Enhanced,
}

/// How a transaction is started.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum StartType {
    /// At once.
    #[default]
    Kc,
    /// After a time.
    Ic,
    /// By a transient data queue of its name.
    Td,
}

/// MSGFORM.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MessageForm {
    /// ASCII.
    Ascii,
    /// EBCDIC.
    Ebcdic,
}

/// A problem of the section.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("[sockets] {key}: {why}")]
pub struct ConfigError {
    /// The key.
    pub key: String,
    /// Why it is refused, and what to write.
    pub why: String,
}

impl SocketsConfig {
    /// Everything that is wrong.
    pub fn check(&self) -> Vec<ConfigError> {
        let mut wrong = Vec::new();
        let mut say = |key: String, why: String| wrong.push(ConfigError { key, why });
        for (key, list) in [("listen", &self.listen), ("connect", &self.connect)] {
            for text in list {
                if let Err(why) = text.parse::<AddressRule>() {
                    say(key.into(), format!("{text:?}: {why}"));
                }
            }
        }
        if self.ntasks == 0 {
            say("ntasks".into(), "give at least one helper thread".into());
        }
        for (name, listener) in &self.listeners {
            if listener.tls && (self.served != CallPlace::Native || self.receivers.is_empty()) {
                let why = "needs served = \"native\" and a receiver: programs cannot take a \
                    socket that speaks TLS";
                say(format!("listeners.{name}.tls"), why.into());
            }
            listener.check(name, &mut |key, why| {
                say(format!("listeners.{name}.{key}"), why);
            });
        }
        let mut senders = BTreeMap::new();
        for (name, receiver) in &self.receivers {
            let mut at = |key: &str, why| say(format!("receivers.{name}.{key}"), why);
            receiver.build(name, &mut at);
            let Some(answers) = &receiver.answers else {
                continue;
            };
            if self.receivers.contains_key(answers) {
                at("answers", format!("{answers} is itself a receiver"));
            }
            if let Some(other) = senders.insert(answers, name) {
                at(
                    "answers",
                    format!("{answers} already sends the answers of {other}"),
                );
            }
        }
        if self.native.threads == 0 || self.native.threads > 16 {
            say("native.threads".into(), "1 to 16".into());
        }
        if self.native.memory_mib == 0 || self.native.max_connections == 0 {
            let why = "memory_mib and max_connections must be at least 1";
            say("native.memory_mib".into(), why.into());
        }
        wrong
    }

    /// The receivers that are in force.
    pub(crate) fn receivers_built(&self) -> Vec<PreparedReceiver> {
        if self.served != CallPlace::Native {
            return Vec::new();
        }
        let all = self.receivers.iter();
        let built = all.filter_map(|(name, receiver)| receiver.build(name, &mut |_, _| ()));
        built.collect()
    }
}

impl ListenerConfig {
    /// Reports the problems of a listener: a key, and a message.
    pub fn check(&self, name: &str, say: &mut dyn FnMut(&str, String)) {
        let is_name =
            |text: &str, most: usize| text.parse::<region::Name<8>>().is_ok() && text.len() <= most;
        if !is_name(name, 4) {
            say(
                "",
                "a listener's name must be a transaction's, 1 to 4 characters".into(),
            );
        }
        if self.numsock < 2 || self.numsock > 2000 {
            say("numsock", "2 to 2000".into());
        }
        if self.msglen > 999 {
            say("msglen", "0 to 999".into());
        }
        if self.minmsgl == 0 || self.minmsgl > 50 {
            say("minmsgl", "1 to 50".into());
        }
        match (self.format, &self.cstran) {
            (MessageFormat::Enhanced, None) => {
                say("cstran", "an enhanced listener needs a transaction".into())
            }
            (MessageFormat::Enhanced, Some(tran)) if !is_name(tran, 4) => {
                say(
                    "cstran",
                    format!("{tran:?} is not a valid transaction name"),
                );
            }
            _ => {}
        }
        if delay_ms(&self.csdelay).is_none() {
            say("csdelay", "expected six digits, hhmmss".into());
        }
        if self.secexit.as_ref().is_some_and(|exit| !is_name(exit, 8)) {
            say(
                "secexit",
                "expected a program name, 1 to 8 characters".into(),
            );
        }
    }
}

/// Milliseconds of `hhmmss`.
pub(crate) fn delay_ms(text: &str) -> Option<u64> {
    let digits = text.len() == 6 && text.bytes().all(|b| b.is_ascii_digit());
    let part = |at: usize| text.get(at..at + 2)?.parse::<u64>().ok();
    let (hours, minutes, seconds) = (part(0)?, part(2)?, part(4)?);
    (digits && minutes < 60 && seconds < 60)
        .then_some((hours * 3600 + minutes * 60 + seconds) * 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_right_and_all_mistakes_are_reported() {
        assert_eq!(SocketsConfig::default().check(), []);
        let mut config = SocketsConfig {
            listen: vec!["elsewhere".into()],
            ..SocketsConfig::default()
        };
        let listener = ListenerConfig {
            format: MessageFormat::Enhanced,
            csdelay: "1".into(),
            msglen: 1000,
            ..ListenerConfig::default()
        };
        config.listeners.insert("TOOLONG".into(), listener);
        let reported: Vec<String> = config.check().iter().map(|e| e.key.clone()).collect();
        let expected = ["listen", "listeners.TOOLONG.", "listeners.TOOLONG.msglen"];
        assert_eq!(reported[..3], expected);
        assert_eq!(reported.len(), 5);
    }

    #[test]
    fn a_delay_has_six_digits() {
        assert_eq!(delay_ms("000003"), Some(3000));
        assert_eq!(delay_ms("010203"), Some(3_723_000));
        for wrong in ["", "3", "000060", "00006x", "0000030"] {
            assert_eq!(delay_ms(wrong), None, "{wrong}");
        }
    }
}
