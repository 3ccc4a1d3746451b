//! What a map set says: its maps, their fields and attributes.
//!
//! The types follow the macros: [`MapSet`] is DFHMSD, [`Map`] is DFHMDI and
//! [`Field`] is DFHMDF, with defaults applied. Reference: CICS application
//! programming reference, "BMS macros".

use crate::attribute::{AttributeSet, AttributeValues, FieldAttribute};

/// A map set, from DFHMSD to TYPE=FINAL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MapSet {
    /// Name, at most 7 characters on a mainframe.
    pub name: String,
    /// Language of the symbolic map.
    pub language: MapLanguage,
    /// Where symbolic maps of the set are in storage.
    pub storage: MapStorage,
    /// Its maps in source order.
    pub maps: Vec<Map>,
    /// Line of DFHMSD.
    pub line: u32,
}

impl MapSet {
    /// The map of a name in capitals. Returns `None` if the set has no such map.
    pub fn map(&self, name: &str) -> Option<&Map> {
        self.maps.iter().find(|map| map.name == name)
    }
}

/// LANG: what programs read the symbolic map with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MapLanguage {
    /// COBOL or COBOL2.
    Cobol,
    /// ASM, the default of the macro.
    Assembler,
    /// PLI.
    Pli,
    /// C.
    C,
}

impl MapLanguage {
    /// The value of LANG.
    pub fn as_str(self) -> &'static str {
        match self {
            MapLanguage::Cobol => "COBOL",
            MapLanguage::Assembler => "ASM",
            MapLanguage::Pli => "PLI",
            MapLanguage::C => "C",
        }
    }
}

/// STORAGE and BASE: which symbolic maps share storage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MapStorage {
    /// STORAGE=AUTO: each map has its own.
    Auto,
    /// Neither operand: later maps redefine the first.
    Shared,
    /// BASE=name: every map redefines that item.
    Base(String),
}

/// MODE: the directions a map is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MapMode {
    /// Input only.
    In,
    /// Output only, the default of the macro.
    Out,
    /// Both.
    InOut,
}

impl MapMode {
    /// Whether RECEIVE MAP may use the map.
    pub fn has_input(self) -> bool {
        self != MapMode::Out
    }

    /// Whether the map has an output part.
    pub fn has_output(self) -> bool {
        self != MapMode::In
    }
}

/// CTRL, and the same options of SEND commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Control {
    /// FREEKB: unlock the keyboard.
    pub free_keyboard: bool,
    /// ALARM: sound it.
    pub alarm: bool,
    /// FRSET: reset all modified data tags first.
    pub reset_modified: bool,
    /// PRINT: start the printer.
    pub print: bool,
    /// L40, L64, L80 or HONEOM: line lengths of printers, which a display ignores.
    pub line_length: bool,
}

impl Control {
    /// The options of a command, or those of its map if the command has none. BMS
    /// treats them as one group.
    pub fn or_else(self, map: Control) -> Control {
        if self == Control::default() {
            map
        } else {
            self
        }
    }
}

/// One map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Map {
    /// Name, at most 7 characters on a mainframe.
    pub name: String,
    /// Lines of the map, 1 to 240.
    pub lines: u16,
    /// Columns of the map, 1 to 240.
    pub columns: u16,
    /// LINE: line of the screen that the map begins on, from 1.
    pub line: u16,
    /// COLUMN: column of the screen that the map begins on, from 1.
    pub column: u16,
    /// Directions.
    pub mode: MapMode,
    /// CTRL of the map, else of the set.
    pub control: Control,
    /// CURSLOC=YES: RECEIVE MAP flags the field with the cursor.
    pub cursor_location: bool,
    /// TIOAPFX=YES: 12 bytes precede the fields of the symbolic map.
    pub prefix: bool,
    /// Attributes with a byte in the symbolic map (DSATTS and EXTATT).
    pub symbolic_attributes: AttributeSet,
    /// Attributes that are sent (MAPATTS, EXTATT, the symbolic ones, coded ones).
    pub sent_attributes: AttributeSet,
    /// Fields in source order.
    pub fields: Vec<Field>,
    /// Line of DFHMDI in the source.
    pub source_line: u32,
}

/// One field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Name; `None` for constants.
    pub name: Option<String>,
    /// Line of the attribute byte in the map, from 1.
    pub line: u16,
    /// Column of the attribute byte in the map, from 1.
    pub column: u16,
    /// Positions after the attribute byte.
    pub length: u16,
    /// The attribute byte of the map.
    pub attribute: FieldAttribute,
    /// ATTRB=IC: the cursor goes to the first position.
    pub cursor: bool,
    /// Extended attributes coded on the field, the map or the set.
    pub extended: AttributeValues,
    /// What the field shows unless a program gives data.
    pub initial: Initial,
    /// How input is aligned and filled.
    pub justify: Justify,
    /// CASE=MIXED: input keeps its lower case.
    pub mixed_case: bool,
    /// PICIN as written.
    pub picture_in: Option<String>,
    /// PICOUT as written.
    pub picture_out: Option<String>,
    /// Repetitions: `None` without OCCURS.
    pub occurs: Option<u16>,
    /// GRPNAME.
    pub group: Option<String>,
    /// Line of DFHMDF in the source.
    pub source_line: u32,
}

/// INITIAL, XINIT or GINIT.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Initial {
    /// No initial value.
    #[default]
    None,
    /// Characters; blanks fill the field.
    Text(String),
    /// Bytes of the terminal's code page.
    Bytes(Vec<u8>),
}

impl Initial {
    /// Whether the map gives the field something to show.
    pub fn is_some(&self) -> bool {
        *self != Initial::None
    }
}

/// JUSTIFY: alignment and fill of input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Justify {
    /// RIGHT.
    pub right: bool,
    /// ZERO.
    pub zero: bool,
}
