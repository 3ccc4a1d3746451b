//! Services of Language Environment in batch programs.
//!
//! The `runtime` crate implements the services; this module has the clock, the
//! arguments as libcob describes them, and the output of CEEMOUT. The C side has a
//! function of each name, which calls this module and ends the program if it
//! returns a code.
//!
//! Invariant: no panic crosses the C side.

use std::cell::RefCell;
use std::ffi::{CStr, c_char, c_int, c_uint};

use cics::time::AbsTime;
use runtime::le::{self, CallArguments, ServiceError, ServiceHost, ServiceSettings, ServiceTime};

use crate::markup::{BatchOperands, Field};

/// The function that the C side calls for a service.
pub(crate) type ServiceFunction =
    unsafe extern "C" fn(*const c_char, *const *mut Field, c_int, *const c_char, c_uint) -> c_int;

/// The program continues.
const GO_ON: c_int = -1;

thread_local! {
    static SETTINGS: RefCell<ServiceSettings> = const { RefCell::new(ServiceSettings { century: None }) };
}

/// The job's step as the host of a service.
struct StepHost {
    settings: ServiceSettings,
    program: String,
    line: u32,
    print: fn(&[u8]),
}

impl ServiceHost for StepHost {
    fn now(&mut self) -> ServiceTime {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let ms = since.map_or(0, |d| i64::try_from(d.as_millis()).unwrap_or(i64::MAX));
        let zone_ms = local_offset(ms / 1000) * 1000;
        ServiceTime {
            local: AbsTime::from_unix_ms(ms + zone_ms),
            zone_ms,
        }
    }

    fn settings(&mut self) -> &mut ServiceSettings {
        &mut self.settings
    }

    fn print(&mut self, text: &str) {
        (self.print)(text.as_bytes());
        (self.print)(b"\n");
    }

    fn place(&self) -> (String, u32) {
        (self.program.clone(), self.line)
    }
}

/// Seconds that local time is ahead of UTC.
fn local_offset(seconds: i64) -> i64 {
    // SAFETY: both are plain structures; localtime_r fills the second.
    unsafe {
        let mut local: libc::tm = std::mem::zeroed();
        if libc::localtime_r(&seconds, &mut local).is_null() {
            return 0;
        }
        local.tm_gmtoff
    }
}

/// # Safety
/// Called by the C side with the operands of a CALL of the program in control, and
/// with C strings.
pub(crate) unsafe extern "C" fn service(
    name: *const c_char,
    params: *const *mut Field,
    count: c_int,
    program: *const c_char,
    line: c_uint,
) -> c_int {
    let served = std::panic::catch_unwind(|| {
        // SAFETY: by the contract.
        let (name, program, operands) = unsafe {
            (
                CStr::from_ptr(name),
                CStr::from_ptr(program).to_string_lossy().into_owned(),
                BatchOperands::new(params, count, false),
            )
        };
        let Some(number) = le::find(name.to_bytes()) else {
            return GO_ON;
        };
        let mut host = StepHost {
            settings: SETTINGS.with_borrow(|s| *s),
            program,
            line,
            print: crate::output::print_out,
        };
        let done = le::serve(number, &mut host, &operands);
        SETTINGS.with_borrow_mut(|s| *s = host.settings);
        match done {
            Ok(()) => GO_ON,
            Err(ServiceError::Abend(code)) => c_int::from(code),
            Err(ServiceError::Unhandled(text)) => {
                crate::output::print_message(&text);
                c_int::from(le::UNHANDLED)
            }
        }
    });
    // A panic must not cross the C side.
    served.unwrap_or_else(|_| std::process::abort())
}

impl CallArguments for BatchOperands<'_> {
    fn size(&self, at: usize) -> usize {
        self.field(at).map_or(0, Field::size)
    }

    fn bytes(&self, at: usize) -> Vec<u8> {
        self.field(at).map_or(Vec::new(), Field::bytes)
    }

    fn int(&self, at: usize) -> i64 {
        self.field(at).map_or(0, |f| f.int())
    }

    fn set_int(&self, at: usize, value: i64) {
        if let Some(field) = self.field(at) {
            field.set_int(value);
        }
    }

    fn double(&self, at: usize) -> f64 {
        self.field(at).map_or(0.0, Field::double)
    }

    fn set_double(&self, at: usize, value: f64) {
        if let Some(field) = self.field(at) {
            field.set_double(value);
        }
    }

    fn set_bytes(&self, at: usize, bytes: &[u8]) {
        if let Some(field) = self.field(at) {
            field.set_bytes(bytes);
        }
    }
}
