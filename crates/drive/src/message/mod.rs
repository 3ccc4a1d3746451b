//! The content of a step's request and the checks of its answer: templates, framing
//! of raw sockets, checks and captures. Pure; the engine does the I/O.

mod check;
mod framing;
mod template;

pub use check::{AnswerCheck, CaptureFrom, ValueCapture};
pub use framing::{Frame, MessageFraming};
pub use template::{
    RequestTemplate, TemplatePiece, TemplateScope, TemplateVariable, UnsendableValue,
};
pub(crate) use template::{forbidden_in_header, forbidden_name, percent_encode};

/// How the end of an answer is recognised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplyEnd {
    /// An HTTP/1.1 response.
    Http {
        /// The answer has no body, whatever its length says: it answers
        /// HEAD.
        no_body: bool,
    },
    /// A message on a raw socket.
    Framed(MessageFraming),
    /// Everything that the partner program of a conversation sends until it
    /// gives up the send state or deallocates.
    Turn {
        /// Whether checks and captures see it translated from EBCDIC.
        ebcdic: bool,
    },
    /// The partner program's confirmation.
    Confirmation,
    /// The screen of a terminal, after the step's input.
    Screen(std::sync::Arc<crate::terminal::ScreenStep>),
    /// No answer is awaited: the step ends when it is written.
    None,
}
