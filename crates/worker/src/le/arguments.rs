//! The arguments of a service: numbers, texts with a length in front, and the
//! place for the feedback code.

use super::feedback::{self as fb, FEEDBACK_BYTES, Feedback};
use crate::cob::{Arg, Field};
use crate::timer::is_readable;

/// The arguments of one CALL, in their order.
pub(crate) struct Arguments<'c>(Vec<Option<Arg<'c>>>);

impl<'c> Arguments<'c> {
    pub(crate) fn new(fields: &[*const Field]) -> Self {
        let arg = |field: &*const Field| {
            // SAFETY: libcob's fields for the arguments of this CALL.
            let arg = unsafe { Arg::new(*field) };
            arg.filter(has_address)
        };
        Arguments(fields.iter().map(arg).collect())
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    /// An argument; none when it was left out or has no address.
    pub(crate) fn get(&self, at: usize) -> Option<Arg<'c>> {
        self.0.get(at).copied().flatten()
    }

    pub(crate) fn int(&self, at: usize) -> i64 {
        self.get(at).map_or(0, |a| a.int())
    }

    pub(crate) fn set_int(&self, at: usize, value: i64) {
        if let Some(arg) = self.get(at) {
            arg.set_int(value);
        }
    }

    pub(crate) fn double(&self, at: usize) -> f64 {
        self.get(at).map_or(0.0, |a| a.double())
    }

    pub(crate) fn set_double(&self, at: usize, value: f64) {
        if let Some(arg) = self.get(at) {
            arg.set_double(value);
        }
    }

    pub(crate) fn set_chars(&self, at: usize, text: &[u8]) {
        if let Some(arg) = self.get(at) {
            arg.set_chars(text);
        }
    }

    /// A text with its length in a halfword in front.
    pub(crate) fn text(&self, at: usize) -> &'c [u8] {
        let bytes = self.get(at).map_or(&[][..], |a| a.bytes());
        let [high, low, text @ ..] = bytes else {
            return &[];
        };
        // COMP is big-endian here; a COMP-5 length is not.
        let length = usize::from(u16::from_be_bytes([*high, *low]));
        let other = usize::from(u16::from_le_bytes([*high, *low]));
        let length = if length > text.len() && other <= text.len() {
            other
        } else {
            length
        };
        &text[..length.min(text.len())]
    }

    /// Stores a feedback code; false when there is no place for it.
    pub(crate) fn set_feedback(&self, at: usize, code: Feedback) -> bool {
        match self.get(at) {
            Some(arg) => {
                arg.set_bytes(&code.emit(), FEEDBACK_BYTES);
                true
            }
            None => false,
        }
    }

    /// The condition token in an argument.
    pub(crate) fn token(&self, at: usize) -> Result<Feedback, Feedback> {
        let bytes = self.get(at).map_or(&[][..], |a| a.bytes());
        Feedback::parse(bytes).ok_or(fb::TOKEN)
    }
}

/// An item of a LINKAGE group that has no address lies at its offset in the
/// group, where nothing is; further up the system is not asked.
fn has_address(arg: &Arg<'_>) -> bool {
    const LOW: usize = 1 << 30;
    arg.data().addr() >= LOW || is_readable(arg.data(), arg.size())
}
