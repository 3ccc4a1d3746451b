//! What a process that hosts programs gives their services: the arguments of a
//! CALL, the clock, and a place to write to.

use cics::time::AbsTime;

/// The arguments of one CALL, by their place from 0. One that was omitted or has
/// no address has no bytes, and setting it does nothing.
pub trait CallArguments {
    /// Bytes of an argument.
    fn size(&self, at: usize) -> usize;
    /// The bytes themselves.
    fn bytes(&self, at: usize) -> Vec<u8>;
    /// Its value as an integer.
    fn int(&self, at: usize) -> i64;
    /// Stores an integer.
    fn set_int(&self, at: usize, value: i64);
    /// Its value as a floating-point number.
    fn double(&self, at: usize) -> f64;
    /// Stores a floating-point number.
    fn set_double(&self, at: usize, value: f64);
    /// Writes bytes at its beginning, as many as it has room for.
    fn set_bytes(&self, at: usize, bytes: &[u8]);
    /// Writes characters: cut, or padded with blanks, to its size.
    fn set_chars(&self, at: usize, text: &[u8]) {
        let mut padded = text.to_vec();
        padded.resize(self.size(at), b' ');
        self.set_bytes(at, &padded);
    }
}

/// A reading of the clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServiceTime {
    /// Local time.
    pub local: AbsTime,
    /// Milliseconds that local time is ahead of UTC.
    pub zone_ms: i64,
}

/// What a run of programs has set for its services.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct ServiceSettings {
    /// CEESCEN: years that a range of two-digit years begins before this one.
    pub century: Option<i64>,
}

/// The process that hosts the program.
pub trait ServiceHost {
    /// The clock.
    fn now(&mut self) -> ServiceTime;
    /// The settings of the task or job.
    fn settings(&mut self) -> &mut ServiceSettings;
    /// Writes a line where DISPLAY writes.
    fn print(&mut self, text: &str);
    /// The program in control and its line.
    fn place(&self) -> (String, u32);
}
