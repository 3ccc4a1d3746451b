//! Tuning rules over configuration text.
