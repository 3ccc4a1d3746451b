//! CICS sockets: the calls of tasks, and the listeners that start them.
//!
//! A task's calls are served by a helper thread of the region, which owns the
//! task's descriptors, as a subtask of CICS Socket Support does. GIVESOCKET and
//! TAKESOCKET move a socket from one task to another; sockets that a task
//! leaves open are closed at its end. Listeners accept connections, read the
//! client's first message, start a transaction and give it the connection. If a
//! receiver is defined, the region reads the messages itself (`native`).
//!
//! `docs/internals/sockets.md` describes the ownership of descriptors; the
//! calls themselves are in the crate `ezasoket`.
//!
//! Reference: IP CICS Sockets Guide.

mod calls;
mod config;
mod definitions;
mod given;
mod listener;
mod metrics;
mod native;
mod policy;
mod service;
mod signal;
mod stream;
mod trace;

pub use config::{
    CallPlace, CharacterTranslation, ConfigError, ListenerConfig, MessageForm, MessageFormat,
    SocketsConfig, StartType,
};
pub use definitions::{EzacicdDefinitions, EzacicdError, parse as parse_definitions};
pub use listener::header::{Header, HeaderError, line_end as header_end, parse as parse_header};
pub use metrics::sample as metrics_sample;
pub use native::area::{CharacterPages, MessageArea};
pub use native::config::{ByteOrder, ClientCharacters, FrameConfig, NativeConfig, ReceiverConfig};
pub use native::framing::{Frame, FrameFormat, FrameStart, FramingError};
pub use native::{PreparedReceiver, ReceiverStatus};
pub use policy::SocketPolicy;
pub use service::{ListenerStatus, SocketService, StartError};
pub use stream::TlsSource;
