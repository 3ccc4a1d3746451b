//! The parameters of one call, and the way to the region.

use ezasoket::{CallReply, Errno, Function, Request};

use super::local;
use crate::cob::CommandOperand;
use crate::exec::CommandStop;
use crate::le::LeArguments;
use crate::worker::Worker;

/// Why a call gives no RETCODE of its own.
pub(super) enum CallFailure {
    /// The call failed: RETCODE is -1.
    Errno(Errno),
    /// The program does not continue.
    Stop(CommandStop),
}

impl From<Errno> for CallFailure {
    fn from(errno: Errno) -> Self {
        CallFailure::Errno(errno)
    }
}

/// RETCODE, or the reason for a failed call.
pub(super) type CallResult = Result<i64, CallFailure>;

/// A call of a program.
pub(super) struct CallParameters<'a, 'c> {
    /// The called function.
    pub function: Function,
    /// All arguments; the first is the function's name.
    pub args: &'a LeArguments<'c>,
}

impl<'c> CallParameters<'_, 'c> {
    /// A parameter that must be there.
    pub fn get(&self, at: usize) -> Result<CommandOperand<'c>, Errno> {
        self.args.get(at).ok_or(Errno::EFAULT)
    }

    /// An integer.
    pub fn int(&self, at: usize) -> Result<i64, Errno> {
        Ok(self.get(at)?.int())
    }

    /// The socket that the first parameter names.
    pub fn socket(&self) -> Result<i64, Errno> {
        self.int(1)
    }

    /// A call that names its socket and has nothing else yet.
    pub fn request(&self) -> Result<Request, Errno> {
        Ok(Request::new(self.function, self.socket()?))
    }

    /// The first `length` bytes of a parameter; EFAULT when it has fewer.
    pub fn bytes(&self, at: usize, length: usize) -> Result<&'c [u8], Errno> {
        self.get(at)?.bytes().get(..length).ok_or(Errno::EFAULT)
    }

    /// The bytes of a parameter that holds a text of so many characters.
    pub fn text(&self, at: usize, length: i64) -> Result<&'c [u8], Errno> {
        let length = usize::try_from(length).map_err(|_| Errno::EINVAL)?;
        let bytes = self.get(at)?.bytes();
        Ok(&bytes[..length.min(bytes.len())])
    }

    /// The bytes of an address: the whole parameter, at most 28.
    pub fn name(&self, at: usize) -> Result<Vec<u8>, Errno> {
        let bytes = self.get(at)?.bytes();
        Ok(bytes[..bytes.len().min(ezasoket::SOCKADDR6_BYTES)].to_vec())
    }

    /// Puts bytes into a parameter, as many as fit.
    pub fn put(&self, at: usize, bytes: &[u8]) {
        if let Some(arg) = self.args.get(at) {
            arg.set_bytes(bytes, bytes.len());
        }
    }

    /// Puts an integer into a parameter.
    pub fn put_int(&self, at: usize, value: i64) {
        self.args.set_int(at, value);
    }
}

/// Has the region serve a call, unless it can be made here.
pub(super) fn ask(w: &mut Worker, request: &Request) -> Result<CallReply, CallFailure> {
    if let Some(served) = local::serve(w, request) {
        return served.map_err(CallFailure::Errno);
    }
    let served = w.services.socket(request.emit(), &request.data);
    let (args, data) = served.map_err(|failure| CallFailure::Stop(failure.into()))?;
    let reply = CallReply::parse(&args, data);
    local::served(w, request, &reply);
    match reply.retcode {
        ..0 => Err(CallFailure::Errno(Errno(reply.errno))),
        _ => Ok(reply),
    }
}
