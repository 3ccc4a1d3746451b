//! Files of records.
