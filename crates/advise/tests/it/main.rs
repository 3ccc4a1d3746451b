//! The rules over whole files: the fixture of each, the guide's tables, sets of
//! many statements, advice that is followed, and texts of any kind.

mod any_text;
mod converge;
mod fixtures;
mod guide_tables;
mod many;
mod never_panics;
