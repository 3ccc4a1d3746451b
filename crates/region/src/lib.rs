//! Tasks, admission, engines, programs, locks, units of work and monitoring.
