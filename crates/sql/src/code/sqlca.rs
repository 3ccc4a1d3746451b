//! The SQL communication area: its layout and how it is filled.
//!
//! ```text
//!  0         8        12       16        18        88        96        120       131
//!  +---------+--------+--------+---------+---------+---------+---------+---------+---------+
//!  | SQLCAID | length | SQLCODE| SQLERRML| SQLERRMC| SQLERRP | SQLERRD | SQLWARN | SQLSTATE|
//!  | 'SQLCA' | 136    | i32    | i16     | 70      | 8       | 6 i32   | 11      | 5       |
//!  +---------+--------+--------+---------+---------+---------+---------+---------+---------+
//! ```
//!
//! Numbers are COMP-5 in the copybook, so in the machine's order. Reference: Db2
//! for z/OS SQL Reference, "SQL communication area (SQLCA)".

use std::borrow::Cow;

/// Bytes of an SQLCA.
pub const SQLCA_BYTES: usize = 136;

/// The declaration of `INCLUDE SQLCA`.
pub const SQLCA_COPYBOOK: &str = "\
01 SQLCA.
 05 SQLCAID PIC X(8) VALUE 'SQLCA   '.
 05 SQLCABC PIC S9(9) COMP-5 VALUE 136.
 05 SQLCODE PIC S9(9) COMP-5 VALUE 0.
 05 SQLERRM.
 49 SQLERRML PIC S9(4) COMP-5 VALUE 0.
 49 SQLERRMC PIC X(70) VALUE SPACES.
 05 SQLERRP PIC X(8) VALUE SPACES.
 05 SQLERRD OCCURS 6 TIMES PIC S9(9) COMP-5 VALUE 0.
 05 SQLWARN.
 10 SQLWARN0 PIC X VALUE SPACE.
 10 SQLWARN1 PIC X VALUE SPACE.
 10 SQLWARN2 PIC X VALUE SPACE.
 10 SQLWARN3 PIC X VALUE SPACE.
 10 SQLWARN4 PIC X VALUE SPACE.
 10 SQLWARN5 PIC X VALUE SPACE.
 10 SQLWARN6 PIC X VALUE SPACE.
 10 SQLWARN7 PIC X VALUE SPACE.
 05 SQLEXT.
 10 SQLWARN8 PIC X VALUE SPACE.
 10 SQLWARN9 PIC X VALUE SPACE.
 10 SQLWARNA PIC X VALUE SPACE.
 10 SQLSTATE PIC X(5) VALUE SPACES.
";

/// The declaration of `INCLUDE SQLDA`.
pub const SQLDA_COPYBOOK: &str = "\
01 SQLDA.
 05 SQLDAID PIC X(8).
 05 SQLDABC PIC S9(9) COMP-5.
 05 SQLN PIC S9(4) COMP-5.
 05 SQLD PIC S9(4) COMP-5.
 05 SQLVAR OCCURS 0 TO 1489 TIMES DEPENDING ON SQLN.
 10 SQLTYPE PIC S9(4) COMP-5.
 10 SQLLEN PIC S9(4) COMP-5.
 10 SQLDATA POINTER.
 10 SQLIND POINTER.
 10 SQLNAME.
 49 SQLNAMEL PIC S9(4) COMP-5.
 49 SQLNAMEC PIC X(30).
";

/// The report of a statement.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sqlca {
    /// 0, +100, a warning or an error.
    pub sqlcode: i32,
    /// Five characters.
    pub sqlstate: Cow<'static, str>,
    /// Tokens of SQLERRMC.
    pub tokens: Vec<String>,
    /// SQLERRD(1) to SQLERRD(6); the third counts rows.
    pub errd: [i32; 6],
    /// A text was cut: SQLWARN1.
    pub cut: bool,
    /// Fewer host variables than columns: SQLWARN3.
    pub fewer_variables: bool,
    /// The unit of work was rolled back: SQLWARN6 of -911.
    pub module: &'static str,
}

impl Sqlca {
    /// Success, with a number of rows.
    pub fn success(rows: i32) -> Sqlca {
        Sqlca {
            errd: [0, 0, rows, -1, 0, 0],
            sqlstate: Cow::Borrowed("00000"),
            ..Sqlca::default()
        }
    }

    /// A code with its SQLSTATE and tokens.
    pub fn of(sqlcode: i32, tokens: &[&str]) -> Sqlca {
        Sqlca {
            sqlcode,
            sqlstate: Cow::Borrowed(sqlstate(sqlcode)),
            tokens: tokens.iter().map(|t| (*t).to_owned()).collect(),
            errd: if sqlcode < 0 {
                [-110, 0, 0, -1, 0, 0]
            } else {
                [0, 0, 0, -1, 0, 0]
            },
            cut: false,
            fewer_variables: false,
            module: if sqlcode < 0 { "DSNXOTL" } else { "" },
        }
    }

    /// Not found, or the end of a cursor.
    pub fn not_found() -> Sqlca {
        Sqlca::of(100, &[])
    }

    /// Writes the SQLCA into a program's area.
    pub fn write(&self, area: &mut [u8; SQLCA_BYTES]) {
        area.fill(b' ');
        area[..8].copy_from_slice(b"SQLCA   ");
        area[8..12].copy_from_slice(&136i32.to_ne_bytes());
        area[12..16].copy_from_slice(&self.sqlcode.to_ne_bytes());
        let mut length = 0usize;
        for (at, token) in self.tokens.iter().enumerate() {
            if at > 0 && length < 70 {
                area[18 + length] = 0xFF;
                length += 1;
            }
            for c in token.chars() {
                if length < 70 {
                    area[18 + length] = crate::field::from_server(c);
                    length += 1;
                }
            }
        }
        area[16..18].copy_from_slice(&i16::try_from(length).unwrap_or(70).to_ne_bytes());
        put(
            &mut area[88..96],
            if self.module.is_empty() {
                "DSN"
            } else {
                self.module
            },
        );
        for (at, value) in self.errd.iter().enumerate() {
            area[96 + at * 4..100 + at * 4].copy_from_slice(&value.to_ne_bytes());
        }
        // SQLWARN0 is set only together with another: programs test it.
        if self.cut {
            area[121] = b'W';
        }
        if self.fewer_variables {
            area[123] = b'W';
        }
        if self.cut || self.fewer_variables {
            area[120] = b'W';
        }
        let state = if self.sqlstate.is_empty() {
            sqlstate(self.sqlcode)
        } else {
            &self.sqlstate
        };
        put(&mut area[131..136], state);
    }

    /// Reads an area back, as DSNTIAR does.
    pub fn read(area: &[u8; SQLCA_BYTES]) -> Sqlca {
        let word =
            |at: usize| i32::from_ne_bytes([area[at], area[at + 1], area[at + 2], area[at + 3]]);
        let length = i16::from_ne_bytes([area[16], area[17]]);
        let length = usize::try_from(length).unwrap_or(0).min(70);
        let tokens = area[18..18 + length].split(|b| *b == 0xFF);
        let text = |bytes: &[u8]| bytes.iter().map(|b| char::from(*b)).collect::<String>();
        let mut errd = [0; 6];
        for (at, value) in errd.iter_mut().enumerate() {
            *value = word(96 + at * 4);
        }
        Sqlca {
            sqlcode: word(12),
            sqlstate: Cow::Owned(text(&area[131..136])),
            tokens: if length == 0 {
                Vec::new()
            } else {
                tokens.map(text).collect()
            },
            errd,
            cut: area[121] == b'W',
            fewer_variables: area[123] == b'W',
            module: "",
        }
    }
}

fn put(area: &mut [u8], text: &str) {
    area.fill(b' ');
    for (place, byte) in area.iter_mut().zip(text.bytes()) {
        *place = byte;
    }
}

/// SQLSTATE of a SQLCODE.
pub fn sqlstate(sqlcode: i32) -> &'static str {
    let found = STATES.iter().find(|(code, _)| *code == sqlcode);
    match (found, sqlcode) {
        (Some((_, state)), _) => state,
        (None, 0) => "00000",
        (None, 1..) => "01000",
        (None, _) => "58004",
    }
}

#[rustfmt::skip]
const STATES: &[(i32, &str)] = &[
    (0, "00000"), (100, "02000"), (304, "01515"), (445, "01004"), (802, "01519"),
    (-7, "42601"), (-10, "42603"), (-29, "42601"), (-84, "42612"), (-101, "54001"), (-104, "42601"),
    (-110, "42606"), (-117, "42802"), (-119, "42803"), (-122, "42803"), (-138, "22011"), (-150, "42807"),
    (-151, "42808"), (-161, "44000"), (-170, "42605"), (-171, "42815"), (-180, "22007"), (-181, "22007"),
    (-182, "42816"), (-183, "22008"), (-199, "42601"), (-203, "42702"), (-204, "42704"), (-205, "42703"),
    (-206, "42703"), (-222, "24510"), (-225, "42872"), (-246, "42873"), (-248, "24521"), (-301, "42895"), (-302, "22001"), (-303, "42806"), (-304, "22003"),
    (-305, "22002"), (-310, "22023"), (-311, "22501"), (-313, "07001"), (-401, "42818"), (-404, "22001"),
    (-406, "22003"), (-407, "23502"), (-408, "42821"), (-413, "22003"), (-419, "42911"), (-420, "22018"),
    (-421, "42826"), (-433, "22001"), (-440, "42884"), (-501, "24501"), (-502, "24502"), (-503, "42912"),
    (-504, "34000"), (-507, "24501"), (-508, "24504"), (-509, "42827"), (-510, "42828"), (-511, "42829"),
    (-514, "26501"), (-516, "26501"), (-518, "07003"), (-519, "24506"), (-530, "23503"), (-531, "23504"),
    (-532, "23504"), (-545, "23513"), (-551, "42501"), (-552, "42502"), (-553, "42503"), (-601, "42710"),
    (-603, "23515"), (-612, "42711"), (-798, "428C9"), (-802, "22003"), (-803, "23505"), (-804, "07002"),
    (-805, "51002"), (-811, "21000"), (-818, "51003"), (-840, "54004"), (-880, "3B001"), (-900, "08003"),
    (-901, "58004"), (-904, "57011"), (-905, "57014"), (-911, "40001"), (-913, "57033"), (-918, "51021"),
    (-922, "42505"), (-923, "57015"), (-924, "58006"), (-925, "2D521"), (-926, "2D521"), (-952, "57014"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_area_has_the_manuals_layout() {
        let mut area = [0; SQLCA_BYTES];
        let mut ca = Sqlca::of(-803, &["XACCOUNT", "0000000301"]);
        ca.errd[2] = 3;
        ca.write(&mut area);
        assert_eq!(&area[..8], b"SQLCA   ");
        assert_eq!(i16::from_ne_bytes([area[16], area[17]]), 19);
        assert_eq!(&area[18..37], b"XACCOUNT\xFF0000000301");
        assert_eq!(&area[131..], b"23505");
        assert_eq!(area[120], b' ');
        let back = Sqlca::read(&area);
        assert_eq!(
            (back.sqlcode, back.tokens, back.errd[2]),
            (-803, ca.tokens, 3)
        );
    }

    #[test]
    fn a_warning_is_set_only_where_something_was_cut() {
        let mut area = [0; SQLCA_BYTES];
        Sqlca {
            cut: true,
            ..Sqlca::success(1)
        }
        .write(&mut area);
        assert_eq!(&area[120..124], b"WW  ");
    }

    #[test]
    fn more_tokens_than_the_area_holds_are_cut() {
        let mut area = [0; SQLCA_BYTES];
        Sqlca::of(-204, &["X".repeat(60).as_str(), "Y".repeat(60).as_str()]).write(&mut area);
        assert_eq!(i16::from_ne_bytes([area[16], area[17]]), 70);
        assert_eq!(&area[88..92], b"DSNX");
    }
}
