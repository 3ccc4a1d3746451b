//! An application folder: its settings, definitions, programs and APIs.

pub mod config;
pub mod definitions;
pub mod toml_errors;
