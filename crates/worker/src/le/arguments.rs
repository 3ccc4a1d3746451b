//! The arguments of a CALL that is served here, as libcob passes them.

use runtime::le;

use crate::cob::{CommandOperand, Field};
use crate::timer::is_readable;

/// The arguments of one CALL, in their order.
pub(crate) struct LeArguments<'c>(Vec<Option<CommandOperand<'c>>>);

impl<'c> LeArguments<'c> {
    pub(crate) fn new(fields: &[*const Field]) -> Self {
        let arg = |field: &*const Field| {
            // SAFETY: libcob's fields for the arguments of this CALL.
            let arg = unsafe { CommandOperand::new(*field) };
            arg.filter(has_address)
        };
        LeArguments(fields.iter().map(arg).collect())
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    /// An argument. Returns `None` when it was omitted or has no address.
    pub(crate) fn get(&self, at: usize) -> Option<CommandOperand<'c>> {
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

    /// Writes characters: cut, or padded with blanks, to the argument's size.
    pub(crate) fn set_chars(&self, at: usize, text: &[u8]) {
        if let Some(arg) = self.get(at) {
            arg.set_chars(text);
        }
    }
}

impl le::CallArguments for LeArguments<'_> {
    fn size(&self, at: usize) -> usize {
        self.get(at).map_or(0, |a| a.size())
    }

    fn bytes(&self, at: usize) -> Vec<u8> {
        self.get(at).map_or(Vec::new(), |a| a.bytes().to_vec())
    }

    fn int(&self, at: usize) -> i64 {
        LeArguments::int(self, at)
    }

    fn set_int(&self, at: usize, value: i64) {
        LeArguments::set_int(self, at, value);
    }

    fn double(&self, at: usize) -> f64 {
        self.get(at).map_or(0.0, |a| a.double())
    }

    fn set_double(&self, at: usize, value: f64) {
        if let Some(arg) = self.get(at) {
            arg.set_double(value);
        }
    }

    fn set_bytes(&self, at: usize, bytes: &[u8]) {
        if let Some(arg) = self.get(at) {
            arg.set_bytes(bytes, bytes.len());
        }
    }
}

/// An item of a LINKAGE group that has no address is at its offset in the
/// group, where nothing is; further up the system is not asked.
fn has_address(arg: &CommandOperand<'_>) -> bool {
    const LOW: usize = 1 << 30;
    arg.data().addr() >= LOW || is_readable(arg.data(), arg.size())
}
