//! TN3270 and TN3270E as pure state machines: Telnet negotiation, the 3270
//! data stream in both directions, a presentation space with its keyboard, and
//! the sessions of a server and of a client.
//!
//! Layer 0: bytes and the time come in through `handle_*`, what is to be sent
//! comes out of `poll_*`. [`ServerSession`] is the host's end of a connection,
//! [`ClientSession`] the terminal's, [`Screen`] the presentation space, and
//! [`Emulator`] joins the last two into a whole terminal.
//!
//! Invariant: no socket, no thread, no file and no clock; time is a
//! [`Duration`](std::time::Duration) since a start that the caller chooses.

#![forbid(unsafe_code)]

pub mod code_table;
pub mod screen;
pub mod session;
pub mod stream;
pub mod telnet;

pub use code_table::CodeTable;
pub use screen::{
    Field, InhibitReason, Key, KeyOutcome, Screen, ScreenCell, ScreenError, ScreenSize,
    TerminalModel,
};
pub use session::{
    ClientConfig, ClientEvent, ClientSession, Emulator, EmulatorEvent, EndReason, KeepAlive,
    ServerConfig, ServerSession, SessionError, SessionEvent, SessionLimits, StartTls, TerminalInfo,
};
pub use stream::{
    Aid, Color, Command, FieldAttribute, Highlight, InboundRecord, OutboundBuilder, StreamError,
    Wcc,
};
pub use telnet::{DeviceType, LuName, RejectReason, ResponseFlag, SessionFunctions};
