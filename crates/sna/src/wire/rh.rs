//! The request/response header: three bytes in front of every RU.
//!
//! ```text
//!        0 (80)      60       08  04  02   01
//! byte 0 RRI    | category  | FI SDI BCI  ECI
//! byte 1 DR1I LCCI DR2I ERI/RTI  .  RLWI QRI PI
//! byte 2 BBI  EBI  CDI   .     CSI  EDI PDI CEBI
//! ```
//! Reference: IBM *SNA Formats* (GA27-3136), "Request/Response Headers".

use super::reader::{self, Result};

/// Bytes of the header.
pub const LEN: usize = 3;

/// A checked view over a request or response header and its RU.
#[derive(Clone, Copy, Debug)]
pub struct Packet<T> {
    buffer: T,
}

impl<T: AsRef<[u8]>> Packet<T> {
    /// The view, if there are three bytes.
    pub fn new_checked(buffer: T) -> Result<Packet<T>> {
        reader::whole(WHAT, buffer.as_ref(), LEN)?;
        Ok(Packet { buffer })
    }

    /// The header's three bytes.
    pub fn header(&self) -> Rh {
        let b = self.buffer.as_ref();
        Rh([b[0], b[1], b[2]])
    }

    /// The RU.
    pub fn payload(&self) -> &[u8] {
        &self.buffer.as_ref()[LEN..]
    }
}

/// The category of an RU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RuCategory {
    /// FM data, sent by conversations.
    Fmd,
    /// Network control.
    Nc,
    /// Data flow control: LUSTAT, RTR, BIS, SIGNAL.
    Dfc,
    /// Session control: BIND, UNBIND.
    Sc,
}

/// Which response a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RequestedResponse {
    /// No response.
    None,
    /// Only a negative one, of type 1.
    Exception1,
    /// Only a negative one, of type 2 (a confirmation that is implied).
    Exception2,
    /// Only a negative one, of types 1 and 2.
    Exception3,
    /// Either, of type 1.
    Definite1,
    /// Either, of type 2: a confirmation.
    Definite2,
    /// Either, of types 1 and 2.
    Definite3,
}

impl RequestedResponse {
    /// Whether a positive response is required.
    pub const fn is_definite(self) -> bool {
        matches!(
            self,
            RequestedResponse::Definite1
                | RequestedResponse::Definite2
                | RequestedResponse::Definite3
        )
    }

    /// Whether the request asks for a confirmation (type 2).
    pub const fn confirms(self) -> bool {
        matches!(
            self,
            RequestedResponse::Definite2 | RequestedResponse::Definite3
        )
    }
}

/// A request or response header, as its three bytes. Copying it copies them.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rh(pub [u8; LEN]);

/// Declares one accessor and one setter for each indicator.
macro_rules! bits {
    ($($(#[$doc:meta])* $get:ident, $with:ident: $byte:literal, $mask:literal;)*) => {
        impl Rh {
            $(
                $(#[$doc])*
                pub const fn $get(self) -> bool {
                    self.0[$byte] & $mask != 0
                }

                #[doc = concat!("The same header with `", stringify!($get), "` set to `on`.")]
                #[must_use]
                pub const fn $with(mut self, on: bool) -> Rh {
                    if on {
                        self.0[$byte] |= $mask;
                    } else {
                        self.0[$byte] &= !$mask;
                    }
                    self
                }
            )*
        }
    };
}

bits! {
    /// Response, not request (RRI).
    is_response, with_response: 0, 0x80;
    /// An FM header starts the RU, or a DFC or SC request code (FI).
    format, with_format: 0, 0x08;
    /// Sense data starts the RU (SDI).
    sense_included, with_sense_included: 0, 0x04;
    /// First RU of a chain (BCI).
    begin_chain, with_begin_chain: 0, 0x02;
    /// Last RU of a chain (ECI).
    end_chain, with_end_chain: 0, 0x01;
    /// Exception response asked for; on a response: it is negative (ERI, RTI).
    exception, with_exception: 1, 0x10;
    /// The sender was held up and asks for a larger window (RLWI).
    larger_window, with_larger_window: 1, 0x04;
    /// The response stays after queued requests (QRI).
    queued_response, with_queued_response: 1, 0x02;
    /// Pacing request, or pacing response (PI).
    pacing, with_pacing: 1, 0x01;
    /// Begin bracket (BBI).
    begin_bracket, with_begin_bracket: 2, 0x80;
    /// End bracket, not used between LUs of type 6.2 (EBI).
    end_bracket, with_end_bracket: 2, 0x40;
    /// Change direction (CDI).
    change_direction, with_change_direction: 2, 0x20;
    /// Alternate code (CSI).
    alternate_code, with_alternate_code: 2, 0x08;
    /// Conditional end bracket (CEBI).
    conditional_end, with_conditional_end: 2, 0x01;
}

impl Rh {
    /// The header of a whole-chain request of this category that asks for no
    /// response. DFC and SC requests have the format indicator on.
    pub const fn request(category: RuCategory) -> Rh {
        let code = match category {
            RuCategory::Fmd => 0x00,
            RuCategory::Nc => 0x20,
            RuCategory::Dfc => 0x48,
            RuCategory::Sc => 0x68,
        };
        Rh([code | 0x03, 0, 0])
    }

    /// The header of a response to a request with this header; negative
    /// responses carry sense data.
    pub const fn respond(self, negative: bool) -> Rh {
        let keep = self.0[0] & 0x68;
        let kinds = self.0[1] & 0xA0;
        let kinds = if kinds == 0 { 0x80 } else { kinds };
        Rh([0x83 | keep, kinds, 0])
            .with_sense_included(negative)
            .with_exception(negative)
    }

    /// A response that only says that the window may continue.
    pub const fn isolated_pacing() -> Rh {
        Rh([0x83, 0x01, 0x00])
    }

    /// Whether this is a response that only says that the window may continue: FM
    /// data, pacing, and no response type.
    pub const fn is_isolated_pacing(self) -> bool {
        self.is_response() && self.pacing() && self.0[1] & 0xA0 == 0 && self.0[0] & 0x60 == 0
    }

    /// The RU category.
    pub const fn category(self) -> RuCategory {
        match self.0[0] >> 5 & 3 {
            0 => RuCategory::Fmd,
            1 => RuCategory::Nc,
            2 => RuCategory::Dfc,
            _ => RuCategory::Sc,
        }
    }

    /// Which response the request asks for; nothing when the bits are a
    /// combination without a meaning (an exception of no type).
    pub const fn answer(self) -> Option<RequestedResponse> {
        match self.0[1] & 0xB0 {
            0x00 => Some(RequestedResponse::None),
            0x90 => Some(RequestedResponse::Exception1),
            0x30 => Some(RequestedResponse::Exception2),
            0xB0 => Some(RequestedResponse::Exception3),
            0x80 => Some(RequestedResponse::Definite1),
            0x20 => Some(RequestedResponse::Definite2),
            0xA0 => Some(RequestedResponse::Definite3),
            _ => None,
        }
    }

    /// A copy that asks for this response.
    #[must_use]
    pub const fn with_answer(mut self, answer: RequestedResponse) -> Rh {
        let bits = match answer {
            RequestedResponse::None => 0x00,
            RequestedResponse::Exception1 => 0x90,
            RequestedResponse::Exception2 => 0x30,
            RequestedResponse::Exception3 => 0xB0,
            RequestedResponse::Definite1 => 0x80,
            RequestedResponse::Definite2 => 0x20,
            RequestedResponse::Definite3 => 0xA0,
        };
        self.0[1] = self.0[1] & !0xB0 | bits;
        self
    }

    /// The three bytes.
    pub const fn emit(self) -> [u8; LEN] {
        self.0
    }
}

impl std::fmt::Debug for Rh {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [a, b, c] = self.0;
        write!(f, "Rh({a:02X}{b:02X}{c:02X})")
    }
}

const WHAT: &str = "request/response header";

#[cfg(test)]
mod tests {
    use super::*;

    fn fmd() -> Rh {
        Rh::request(RuCategory::Fmd)
    }

    #[test]
    fn headers_are_those_of_published_traces() {
        let bind = Rh::request(RuCategory::Sc).with_answer(RequestedResponse::Definite1);
        assert_eq!(bind.emit(), [0x6B, 0x80, 0x00]);
        assert_eq!(bind.respond(false).emit(), [0xEB, 0x80, 0x00]);
        assert_eq!(bind.respond(true).emit(), [0xEF, 0x90, 0x00]);
        let attach = fmd()
            .with_format(true)
            .with_end_chain(false)
            .with_answer(RequestedResponse::Exception1)
            .with_pacing(true)
            .with_begin_bracket(true);
        assert_eq!(attach.emit(), [0x0A, 0x91, 0x80]);
        let turn = fmd()
            .with_begin_chain(false)
            .with_answer(RequestedResponse::Exception1)
            .with_change_direction(true);
        assert_eq!(turn.emit(), [0x01, 0x90, 0x20]);
        let only = fmd()
            .with_answer(RequestedResponse::Exception1)
            .with_pacing(true)
            .with_conditional_end(true);
        assert_eq!(only.emit(), [0x03, 0x91, 0x01]);
        let lustat = Rh::request(RuCategory::Dfc)
            .with_answer(RequestedResponse::Exception1)
            .with_change_direction(true);
        assert_eq!(lustat.emit(), [0x4B, 0x90, 0x20]);
        assert_eq!(Rh::isolated_pacing().emit(), [0x83, 0x01, 0x00]);
        assert!(Rh::isolated_pacing().is_isolated_pacing());
        assert!(!bind.respond(false).is_isolated_pacing());
    }

    #[test]
    fn an_exception_of_no_type_has_no_meaning() {
        assert_eq!(Rh([0, 0x10, 0]).answer(), None);
        assert_eq!(
            Rh([0, 0xB0, 0]).answer(),
            Some(RequestedResponse::Exception3)
        );
    }
}
