//! EXEC CICS to COBOL calls, driven by the command table; runs cobc.
