//! Sizes of screens and what a terminal can do.
//!
//! Model 2 has 24 × 80, model 3 32 × 80, model 4 43 × 80 and model 5 27 × 132;
//! the default size of each is 24 × 80. A dynamic terminal has any alternate
//! size of at most 16,383 positions.

use crate::stream::address::MOST_POSITIONS;
use crate::telnet::DeviceType;

/// Rows and columns of a screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ScreenSize {
    /// Rows, at least 1.
    pub(crate) rows: u16,
    /// Columns, at least 1.
    pub(crate) columns: u16,
}

impl ScreenSize {
    /// 24 × 80.
    pub const MODEL_2: ScreenSize = ScreenSize {
        rows: 24,
        columns: 80,
    };

    /// A size of 1 to 16,383 positions. Returns `None` for any other.
    pub const fn new(rows: u16, columns: u16) -> Option<ScreenSize> {
        let positions = rows as u32 * columns as u32;
        if positions == 0 || positions > MOST_POSITIONS as u32 {
            return None;
        }
        Some(ScreenSize { rows, columns })
    }

    /// Rows.
    pub const fn rows(self) -> u16 {
        self.rows
    }

    /// Columns.
    pub const fn columns(self) -> u16 {
        self.columns
    }

    /// Positions: rows × columns.
    pub const fn positions(self) -> u16 {
        self.rows * self.columns
    }
}

/// What a terminal can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TerminalModel {
    /// The size after Erase/Write.
    pub default: ScreenSize,
    /// The size after Erase/Write Alternate.
    pub alternate: ScreenSize,
    /// Whether structured fields and extended attributes are understood.
    pub extended: bool,
    /// Whether extended colours are shown.
    pub color: bool,
    /// Whether a numeric field takes only digits, `+`, `-`, `.` and `,`.
    pub numeric_lock: bool,
    /// The code page that Query Reply names.
    pub code_page: u16,
    /// The size comes from Query Reply: the type is IBM-DYNAMIC.
    pub dynamic: bool,
}

impl TerminalModel {
    /// A colour display of model 2 to 5; any other number is model 2.
    pub const fn display(model: u8) -> TerminalModel {
        let (rows, columns) = match model {
            3 => (32, 80),
            4 => (43, 80),
            5 => (27, 132),
            _ => (24, 80),
        };
        TerminalModel {
            default: ScreenSize::MODEL_2,
            alternate: ScreenSize { rows, columns },
            extended: true,
            color: true,
            numeric_lock: true,
            code_page: 37,
            dynamic: false,
        }
    }

    /// A colour display of any alternate size.
    pub const fn dynamic(alternate: ScreenSize) -> TerminalModel {
        let mut model = TerminalModel::display(2);
        model.alternate = alternate;
        model.dynamic = true;
        model
    }

    /// The device type that such a terminal asks for.
    pub fn device_type(&self) -> DeviceType {
        if self.dynamic {
            return DeviceType::dynamic();
        }
        let model = match (self.alternate.rows, self.alternate.columns) {
            (32, 80) => 3,
            (43, 80) => 4,
            (27, 132) => 5,
            _ => 2,
        };
        DeviceType::display(model, self.extended)
    }
}
