//! LU 6.2 as pure state machines.
