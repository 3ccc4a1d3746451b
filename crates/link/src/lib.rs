//! Shared memory and wake-ups between a region and its COBOL workers.
