//! Map sets from source to screen: cards, copybooks, commands.

mod cards;
mod commands;
mod copybooks;
mod fields;
mod never_panics;
mod offsets;
mod styles;
mod support;
