//! What a server knows of a connected terminal.
//!
//! The size comes from the device type, or from Query Reply where the type is
//! IBM-DYNAMIC or no BIND fixes it; colours come from Query Reply only, because
//! TN3270E has no device type that says them.

use crate::screen::ScreenSize;
use crate::stream::QuerySummary;
use crate::telnet::{DeviceType, LuName, SessionFunctions};

/// A connected terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TerminalInfo {
    /// The device type or terminal type.
    pub device: DeviceType,
    /// The LU that the server gave.
    pub lu: LuName,
    /// Whether TN3270E is in use.
    pub tn3270e: bool,
    /// The functions of TN3270E that are agreed.
    pub functions: SessionFunctions,
    /// The size after Erase/Write.
    pub default: ScreenSize,
    /// The size after Erase/Write Alternate.
    pub alternate: ScreenSize,
    /// What the terminal answered to a query. `None` if it was not asked or
    /// gave no answer.
    pub query: Option<QuerySummary>,
}

impl TerminalInfo {
    /// Whether structured fields and extended attributes may be sent.
    pub const fn is_extended(&self) -> bool {
        self.device.is_extended()
    }

    /// Whether the terminal shows extended colours.
    pub fn has_color(&self) -> bool {
        match &self.query {
            Some(query) => query.color,
            None => self.device.name().contains("3279"),
        }
    }

    /// Whether the terminal shows extended highlighting.
    pub fn has_highlight(&self) -> bool {
        let query = self.query.as_ref();
        query.map_or(self.is_extended(), |query| query.highlight)
    }

    /// The code page that the terminal names.
    pub fn code_page(&self) -> Option<u16> {
        self.query.as_ref().and_then(|query| query.code_page)
    }

    /// Takes the answer to a query. The alternate size changes unless `bound`:
    /// a BIND has fixed it.
    pub(super) fn set_query(&mut self, query: QuerySummary, bound: bool) {
        let size = |(columns, rows): (u16, u16)| ScreenSize::new(rows, columns);
        let alternate = query.alternate.or(query.usable).and_then(size);
        if let Some(alternate) = alternate.filter(|_| !bound || self.device.is_dynamic()) {
            self.alternate = alternate;
        }
        self.query = Some(query);
    }
}
