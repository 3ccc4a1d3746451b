//! What commands know about the terminal of a task.
//!
//! Sizes and attributes belong to the session: the caller takes them from the
//! terminal's type, its BIND or its Query Reply.

use crate::attribute::AttributeSet;
use crate::layout::ScreenSize;

/// The terminal of a task, as BMS formats for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TerminalProfile {
    /// Size after ERASE DEFAULT, and after ERASE without a size.
    pub default_size: ScreenSize,
    /// Size after ERASE ALTERNATE.
    pub alternate_size: ScreenSize,
    /// Size of the screen as it is now.
    pub current_size: ScreenSize,
    /// Whether it takes SFE and MF orders (extended data stream).
    pub extended: bool,
    /// The extended attributes it has; others are not sent.
    pub attributes: AttributeSet,
    /// Whether the screen is empty: nothing was sent since it was cleared, so
    /// that there are no fields to modify.
    pub cleared: bool,
}

impl TerminalProfile {
    /// A display of 24 by 80 with colour and highlighting.
    pub fn model_2() -> TerminalProfile {
        use crate::attribute::ExtendedAttribute::{Color, Highlight};
        TerminalProfile {
            default_size: ScreenSize::MODEL_2,
            alternate_size: ScreenSize::MODEL_2,
            current_size: ScreenSize::MODEL_2,
            extended: true,
            attributes: [Color, Highlight].into_iter().collect(),
            cleared: false,
        }
    }
}

/// ERASE and ERASEAUP of SEND commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EraseOption {
    /// Neither: the screen stays, and the command writes into it.
    #[default]
    Keep,
    /// ERASE or ERASE DEFAULT.
    Default,
    /// ERASE ALTERNATE.
    Alternate,
    /// ERASEAUP: unprotected positions become nulls.
    Unprotected,
}

impl EraseOption {
    /// Whether the whole screen is erased.
    pub fn erases_screen(self) -> bool {
        matches!(self, EraseOption::Default | EraseOption::Alternate)
    }
}
