//! Mappings: from a request to the records of a program, and from its records to a response.
mod expr;
