//! Tuning rules over configuration text: TCP/IP profiles, CICS definitions, VTAM and SNA products.
//!
//! Layer 0: text in, findings out.
