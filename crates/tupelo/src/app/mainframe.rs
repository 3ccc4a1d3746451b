//! `[mainframe]`: connections of the gateway to CICS systems on a mainframe.
//!
//! The doc comment of a field is its reference.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use copybook::CodePage;
use gateway::{
    CommonSettings, FirstFrame, MainframeConnections, MessageFraming, SocketConnection, TlsTrust,
    WebConnection,
};
use miette::{Result, bail};
use region::ContainerName;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sockets::{FrameConfig, FrameFormat, FrameStart};

use super::Application;
use super::config::RequesterBasic;
use super::secret::secret;

/// `[mainframe]`
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct MainframeSection {
    /// Connections, by the name that assets and policies have for them.
    pub connections: BTreeMap<String, MainframeConnection>,
}

/// `[mainframe.connections.NAME]`: a CICS system that is called over its own HTTP
/// (`url`), or through its sockets listener (`address`). Files are relative to the
/// application folder.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct MainframeConnection {
    /// The address of a program over HTTP, such as
    /// `https://cics.example/tupelo/{program}?tran={transid}`; both words in braces
    /// are replaced.
    pub url: Option<String>,
    /// Basic authentication over HTTP: the user, and the file of the password.
    pub basic: Option<RequesterBasic>,
    /// Header that carries the caller's user id to the server over HTTP.
    pub user_header: Option<String>,
    /// Host and port of a sockets listener.
    pub address: Option<String>,
    /// The text that is sent to the listener first, such as `RECV\n`: the transaction
    /// of the receiver. `{program}` and `{transid}` in it are replaced.
    pub first: String,
    /// Where a message to the receiver ends, as in `[sockets.receivers.TRAN]`.
    pub frame: Option<FrameConfig>,
    /// The connection to the listener is TLS.
    pub tls: bool,
    /// Code page of data there, where neither asset (`ccsid`) nor policy
    /// (`cicsCcsid`) names one. In an EBCDIC page binary numbers are big-endian
    /// and floats hexadecimal.
    pub code_page: String,
    /// Most connections at a time; each thread of the gateway has one at
    /// least.
    pub sessions: u32,
    /// Milliseconds that a request may wait for one of them before it is
    /// answered with 503.
    pub session_wait_ms: u32,
    /// Milliseconds that connecting may take.
    pub connect_timeout_ms: u32,
    /// KiB that an answer may have.
    pub max_kib: u32,
    /// The container of an answer that does not name its own; the request's container
    /// when absent.
    pub answer_container: Option<String>,
    /// File of the authorities in PEM that the server is trusted by; the system's when
    /// absent.
    pub trusted: Option<PathBuf>,
    /// Certificate chain in PEM that is presented to the server; needs `key` and
    /// `trusted`.
    pub certificate: Option<PathBuf>,
    /// Its private key in PEM.
    pub key: Option<PathBuf>,
    /// The name in the server's certificate; that of its address when absent.
    pub server_name: Option<String>,
}

impl Default for MainframeConnection {
    fn default() -> Self {
        MainframeConnection {
            url: None,
            basic: None,
            user_header: None,
            address: None,
            first: String::new(),
            frame: None,
            tls: false,
            code_page: "cp037".into(),
            sessions: 100,
            session_wait_ms: 1_000,
            connect_timeout_ms: 5_000,
            max_kib: 4_096,
            answer_container: None,
            trusted: None,
            certificate: None,
            key: None,
            server_name: None,
        }
    }
}

impl Application {
    /// The connections, for this number of threads. Reports all errors at once.
    pub fn mainframe(&self, threads: u32) -> Result<MainframeConnections> {
        let mut made = MainframeConnections::new(threads);
        let mut wrong = Vec::new();
        for (name, config) in &self.config.mainframe.connections {
            let added =
                config
                    .common(&self.folder)
                    .and_then(|common| match config.kind(&self.folder)? {
                        ConnectionKind::Web(web) => made.add_web(name, web, common),
                        ConnectionKind::Sockets(sockets) => made.add_sockets(name, sockets, common),
                    });
            if let Err(why) = added {
                wrong.push(format!("[mainframe.connections.{name}] {why}"));
            }
        }
        if wrong.is_empty() {
            Ok(made)
        } else {
            bail!("connections to a mainframe\n{}", wrong.join("\n"))
        }
    }
}

/// The protocol of a connection.
enum ConnectionKind {
    Web(WebConnection),
    Sockets(SocketConnection),
}

impl MainframeConnection {
    fn kind(&self, folder: &Path) -> Result<ConnectionKind, String> {
        match (&self.url, &self.address) {
            (Some(url), None) => {
                if self.tls || self.frame.is_some() || !self.first.is_empty() {
                    return Err("first, frame and tls go with address".into());
                }
                Ok(ConnectionKind::Web(self.web(url, folder)?))
            }
            (None, Some(address)) => {
                if self.basic.is_some() || self.user_header.is_some() {
                    return Err("basic and user_header go with url".into());
                }
                Ok(ConnectionKind::Sockets(self.sockets(address)?))
            }
            _ => Err("expected either url, for HTTP, or address, for a sockets listener".into()),
        }
    }

    fn web(&self, url: &str, folder: &Path) -> Result<WebConnection, String> {
        let basic = self.basic.as_ref().map(|basic| {
            let password = secret(folder, &basic.password_file);
            let password = password.map_err(|why| format!("basic: {why}"))?;
            Ok::<_, String>((basic.user.clone(), password))
        });
        Ok(WebConnection {
            url: url.to_owned(),
            basic: basic.transpose()?,
            user_header: self.user_header.clone(),
        })
    }

    fn sockets(&self, address: &str) -> Result<SocketConnection, String> {
        let ebcdic = CodePage::by_name(&self.code_page).is_ok_and(CodePage::is_ebcdic);
        let mut wrong = Vec::new();
        let frame = self.frame.as_ref().ok_or("frame: address needs it")?;
        let framing = frame.build(ebcdic, &mut |key, why| {
            wrong.push(format!("{key}: {why}"));
        });
        match framing.filter(|_| wrong.is_empty()) {
            Some(framing) => Ok(SocketConnection {
                address: address.to_owned(),
                first: self.first.clone(),
                frames: Arc::new(ReceiverFraming(framing)),
            }),
            None => Err(wrong.join("; ")),
        }
    }

    fn common(&self, folder: &Path) -> Result<CommonSettings, String> {
        let page = CodePage::by_name(&self.code_page);
        let file = |file: &PathBuf| folder.join(file);
        let certificate = match (&self.certificate, &self.key) {
            (Some(certificate), Some(key)) => Some((file(certificate), file(key))),
            (None, None) => None,
            _ => return Err("certificate and key go together".into()),
        };
        let trust = TlsTrust {
            authorities: self.trusted.as_ref().map(file),
            certificate,
            name: self.server_name.clone(),
        };
        let said = trust != TlsTrust::default();
        let answer_container = self.answer_container.as_deref().map(ContainerName::new);
        Ok(CommonSettings {
            ccsid: page.map_err(|e| format!("code_page: {e}"))?.ccsid(),
            sessions: self.sessions.max(1),
            session_wait_ms: self.session_wait_ms,
            connect_timeout_ms: self.connect_timeout_ms,
            max_bytes: (self.max_kib as usize) << 10,
            answer_container: answer_container
                .transpose()
                .map_err(|e| format!("answer_container: {e}"))?,
            tls: (self.tls || said).then_some(trust),
        })
    }
}

/// The framing of a receiver, for messages that are sent to one.
struct ReceiverFraming(FrameFormat);

impl MessageFraming for ReceiverFraming {
    fn emit(&self, message: &[u8], out: &mut Vec<u8>) -> Result<(), String> {
        let from = out.len();
        self.0.emit(message, out).map_err(|e| e.to_string())?;
        // Data that contains the delimiter would be received as two messages.
        match self.0.first(&out[from..], 0) {
            Ok(FrameStart::Message { data, .. }) if data.len() >= message.len() => Ok(()),
            Ok(_) => Err("the data contains the delimiter of its frame".into()),
            Err(e) => Err(e.to_string()),
        }
    }

    fn first(&self, bytes: &[u8], searched: usize) -> Result<FirstFrame, String> {
        match self.0.first(bytes, searched) {
            Ok(FrameStart::Message { data, next }) => Ok(FirstFrame::Message { data, next }),
            Ok(FrameStart::More { searched, needed }) => Ok(FirstFrame::Part { searched, needed }),
            Err(e) => Err(e.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framed(toml: &str) -> ReceiverFraming {
        let frame: FrameConfig = toml::from_str(toml).unwrap();
        ReceiverFraming(
            frame
                .build(false, &mut |key, why| panic!("{key} {why}"))
                .unwrap(),
        )
    }

    #[test]
    fn data_with_the_delimiter_in_it_is_not_sent() {
        let lines = framed("delimiter = \"\\n\"");
        let mut out = Vec::new();
        lines.emit(b"one", &mut out).unwrap();
        let (data, next) = (0..3, 4);
        assert_eq!(lines.first(&out, 0), Ok(FirstFrame::Message { data, next }));
        let (searched, needed) = (2, 3);
        assert_eq!(
            lines.first(b"on", 0),
            Ok(FirstFrame::Part { searched, needed })
        );
        assert!(
            lines
                .emit(b"o\ne", &mut Vec::new())
                .unwrap_err()
                .contains("delimiter")
        );
        let lengths = framed("length = 2");
        lengths.emit(b"o\ne", &mut Vec::new()).unwrap();
        assert!(lengths.emit(&[0; 70_000], &mut Vec::new()).is_err());
    }
}
