//! Keyed record files: a trait, a memory oracle and LMDB.
