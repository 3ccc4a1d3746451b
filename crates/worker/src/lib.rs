//! The child process that hosts libcob, runs programs and serves EXEC CICS.
