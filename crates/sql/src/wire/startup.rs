//! From a new connection to a session: authentication and the key for cancels.
//!
//! Reference: PostgreSQL 15, "Start-up". The region does this, since it alone
//! has passwords; a worker gets the connection afterwards.

use super::backend::{self, BackendMessage, WireError};
use super::frontend;
use super::md5::md5_password;
use super::scram::{ScramError, ScramExchange};
use crate::code::ServerError;

/// The user, the password and the data base of a log-in.
#[derive(Clone, PartialEq, Eq)]
pub struct LoginCredentials {
    /// Role.
    pub user: String,
    /// Database.
    pub database: String,
    /// Password, if there is one.
    pub password: Option<String>,
    /// Settings of the session.
    pub settings: Vec<(String, String)>,
}

impl std::fmt::Debug for LoginCredentials {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The password is in no log.
        f.debug_struct("Credentials")
            .field("user", &self.user)
            .field("database", &self.database)
            .finish_non_exhaustive()
    }
}

/// The data of a CancelRequest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CancelKey {
    /// Server process.
    pub process: i32,
    /// Its secret.
    pub secret: i32,
}

/// Why there is no session.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StartupError {
    /// The server refused it.
    #[error("the server refused the connection: {}", .0.message)]
    Server(Box<ServerError>),
    /// The server asks for an unsupported way of authentication.
    #[error("the server asks for authentication {0}, which is not supported")]
    Method(u32),
    /// The server asks for a password and the settings have none.
    #[error("the server asks for a password, and none is configured")]
    NoPassword,
    /// The server's proof failed.
    #[error(transparent)]
    Scram(#[from] ScramError),
    /// The server breaks the protocol.
    #[error(transparent)]
    Wire(#[from] WireError),
}

/// An event for the caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StartupEvent {
    /// More bytes are needed.
    Waiting,
    /// The session is there.
    Ready {
        /// For cancels; `None` if the server gave none.
        key: Option<CancelKey>,
        /// The server's version and settings.
        parameters: Vec<(String, String)>,
    },
}

/// A start under way.
#[derive(Debug)]
pub struct StartupExchange {
    credentials: LoginCredentials,
    scram: ScramExchange,
    begun: bool,
    proved: bool,
    authenticated: bool,
    key: Option<CancelKey>,
    parameters: Vec<(String, String)>,
    input: Vec<u8>,
}

/// Most settings that a server may report.
const MOST_PARAMETERS: usize = 200;

impl StartupExchange {
    /// Begins with a nonce for SCRAM: 18 or more random printable characters
    /// without a comma. Appends the first message to `out`.
    pub fn new(credentials: LoginCredentials, nonce: &str, out: &mut Vec<u8>) -> StartupExchange {
        let password = credentials.password.clone().unwrap_or_default();
        let mut parameters = vec![
            ("user", credentials.user.as_str()),
            ("database", credentials.database.as_str()),
            ("client_encoding", "UTF8"),
        ];
        let settings = credentials.settings.iter();
        parameters.extend(settings.map(|(n, v)| (n.as_str(), v.as_str())));
        frontend::startup(out, &parameters);
        StartupExchange {
            scram: ScramExchange::new(&password, nonce),
            credentials,
            begun: false,
            proved: false,
            authenticated: false,
            key: None,
            parameters: Vec::new(),
            input: Vec::new(),
        }
    }

    /// Takes bytes of the server; appends answers to `out`.
    pub fn handle_bytes(
        &mut self,
        bytes: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<StartupEvent, StartupError> {
        self.input.extend_from_slice(bytes);
        let input = std::mem::take(&mut self.input);
        let mut rest = input.as_slice();
        while let Some((tag, length)) = backend::frame(rest)? {
            let Some(whole) = rest.get(..length) else {
                break;
            };
            rest = &rest[length..];
            if self.message(backend::parse(tag, &whole[5..])?, out)? {
                return Ok(StartupEvent::Ready {
                    key: self.key,
                    parameters: std::mem::take(&mut self.parameters),
                });
            }
        }
        self.input = rest.to_vec();
        Ok(StartupEvent::Waiting)
    }

    /// Whether the session is there.
    fn message(
        &mut self,
        message: BackendMessage<'_>,
        out: &mut Vec<u8>,
    ) -> Result<bool, StartupError> {
        match message {
            BackendMessage::Authentication(code, data) => self.authenticate(code, data, out)?,
            BackendMessage::KeyData(process, secret) => {
                self.key = Some(CancelKey { process, secret })
            }
            BackendMessage::Parameter(name, value) => {
                if self.parameters.len() >= MOST_PARAMETERS {
                    return Err(WireError::Limit.into());
                }
                self.parameters.push((name, value));
            }
            BackendMessage::Ready(_) if self.authenticated => return Ok(true),
            BackendMessage::Notice(_) => {}
            BackendMessage::Error(error) => return Err(StartupError::Server(error)),
            _ => return Err(WireError::Unexpected.into()),
        }
        Ok(false)
    }

    fn authenticate(
        &mut self,
        code: u32,
        data: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(), StartupError> {
        let password = || {
            self.credentials
                .password
                .as_deref()
                .ok_or(StartupError::NoPassword)
        };
        match code {
            // A SCRAM that was begun must have been proved.
            0 if self.begun && !self.proved => return Err(ScramError::Signature.into()),
            0 => self.authenticated = true,
            5 => {
                let salt = data.try_into().map_err(|_| WireError::Malformed)?;
                let answer = md5_password(&self.credentials.user, password()?, salt);
                frontend::password(out, &answer);
            }
            10 => {
                password()?;
                let mut mechanisms = data.split(|b| *b == 0);
                if !mechanisms.any(|m| m == ScramExchange::MECHANISM.as_bytes()) {
                    return Err(StartupError::Method(code));
                }
                self.begun = true;
                frontend::sasl_initial(
                    out,
                    ScramExchange::MECHANISM,
                    self.scram.first_message().as_bytes(),
                );
            }
            11 if self.begun => {
                let answer = self.scram.handle_first(data)?;
                frontend::sasl(out, answer.as_bytes());
            }
            12 if self.begun => {
                self.scram.handle_final(data)?;
                self.proved = true;
            }
            // A password in clear text is sent to no server.
            other => return Err(StartupError::Method(other)),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begin(password: Option<&str>) -> StartupExchange {
        let credentials = LoginCredentials {
            user: "u".into(),
            database: "d".into(),
            password: password.map(str::to_owned),
            settings: Vec::new(),
        };
        StartupExchange::new(credentials, "abcdefghijklmnopqrst", &mut Vec::new())
    }

    #[test]
    fn trust_gives_a_session_and_its_key() {
        let mut start = begin(None);
        let bytes = b"R\0\0\0\x08\0\0\0\0K\0\0\0\x0c\0\0\0\x07\0\0\0\x09Z\0\0\0\x05I";
        for byte in &bytes[..bytes.len() - 1] {
            let event = start.handle_bytes(&[*byte], &mut Vec::new()).unwrap();
            assert_eq!(event, StartupEvent::Waiting);
        }
        let event = start.handle_bytes(b"I", &mut Vec::new()).unwrap();
        let key = Some(CancelKey {
            process: 7,
            secret: 9,
        });
        assert!(matches!(event, StartupEvent::Ready { key: k, .. } if k == key));
    }

    #[test]
    fn a_clear_text_password_is_never_sent() {
        let mut start = begin(Some("secret"));
        let mut out = Vec::new();
        let error = start
            .handle_bytes(b"R\0\0\0\x08\0\0\0\x03", &mut out)
            .unwrap_err();
        assert_eq!((error, out.is_empty()), (StartupError::Method(3), true));
    }

    #[test]
    fn a_server_that_skips_its_proof_is_refused() {
        let mut start = begin(Some("secret"));
        let mut out = Vec::new();
        start
            .handle_bytes(b"R\0\0\0\x17\0\0\0\x0aSCRAM-SHA-256\0\0", &mut out)
            .unwrap();
        let error = start
            .handle_bytes(b"R\0\0\0\x08\0\0\0\0", &mut out)
            .unwrap_err();
        assert_eq!(error, StartupError::Scram(ScramError::Signature));
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..80)) {
            let mut start = begin(Some("x"));
            let _ = start.handle_bytes(&bytes, &mut Vec::new());
        }
    }
}
