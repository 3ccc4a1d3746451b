//! Copybooks that CICS supplies and programs COPY without having them.
//!
//! Attention identifiers and map attributes are the crate `bms`'s, with values of
//! the terminal. The EIB has a member of its own name, which is empty.

use std::borrow::Cow;

use crate::shipped;

/// The text of a supplied member in fixed format.
pub(crate) fn member(name: &str) -> Option<Cow<'static, str>> {
    let name = name.to_ascii_uppercase();
    match name.as_str() {
        // The translator declares the EIB itself.
        "DFHEIBLK" | "DFHEIBLC" => Some("      *\n".into()),
        _ => bms::constants::member(&name)
            .map(Cow::Owned)
            .or_else(|| shipped::member(&name)),
    }
}
