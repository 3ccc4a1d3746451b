//! The SQLDA: what DESCRIBE writes, and the variables that USING DESCRIPTOR names.
//!
//! ```text
//!  0         8        12     14     16    18    20        28        36    38
//!  +---------+--------+------+------+-----+-----+---------+---------+-----+----------+
//!  | SQLDAID | SQLDABC| SQLN | SQLD | TYPE| LEN | SQLDATA | SQLIND  | name's length, 30 |
//!  +---------+--------+------+------+-----+-----+---------+---------+-----+----------+
//!                                    `---- an SQLVAR of 52 bytes, SQLN of them ----'
//! ```
//!
//! A pointer has 8 bytes here. Numbers are COMP or COMP-5, as the program declares
//! them. SQLDATA points at items with the types of COMP fields.
//!
//! Reference: Db2 for z/OS SQL Reference, "SQL descriptor area (SQLDA)".

use crate::block::NumberOrder;
use crate::field::CobolType;
use crate::types::SqlType;

/// Bytes before the first variable.
pub const HEAD_BYTES: usize = 16;
/// Bytes of a variable.
pub const VARIABLE_BYTES: usize = 52;
/// Characters of a name.
const NAME_BYTES: usize = 30;

/// A column or parameter as DESCRIBE shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DescribedColumn {
    /// Name; empty for an expression.
    pub name: String,
    /// Type.
    pub sql_type: SqlType,
    /// Whether NULL may come.
    pub nullable: bool,
}

/// A variable that an SQLDA names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DescriptorVariable {
    /// Its type.
    pub cobol: CobolType,
    /// Address of its storage.
    pub data: usize,
    /// Address of its indicator; 0 for none.
    pub indicator: usize,
}

fn short(bytes: [u8; 2], order: NumberOrder) -> u16 {
    match order {
        NumberOrder::BigEndian => u16::from_be_bytes(bytes),
        NumberOrder::Native => u16::from_ne_bytes(bytes),
    }
}

fn put_short(area: &mut [u8], at: usize, value: u16, order: NumberOrder) {
    let bytes = match order {
        NumberOrder::BigEndian => value.to_be_bytes(),
        NumberOrder::Native => value.to_ne_bytes(),
    };
    if let Some(place) = area.get_mut(at..at + 2) {
        place.copy_from_slice(&bytes);
    }
}

/// Writes columns into an SQLDA. Returns 0, or +236 if it has too few variables, and
/// the numbers of variables that there are and that are needed.
pub fn describe(
    area: &mut [u8],
    order: NumberOrder,
    columns: &[DescribedColumn],
) -> (i32, usize, usize) {
    let Some(head) = area.first_chunk::<HEAD_BYTES>() else {
        return (-804, 0, columns.len());
    };
    let stated = usize::from(short([head[12], head[13]], order));
    let room = stated.min((area.len() - HEAD_BYTES) / VARIABLE_BYTES);
    area[..8].copy_from_slice(b"SQLDA   ");
    let bytes = u32::try_from(HEAD_BYTES + stated * VARIABLE_BYTES).unwrap_or(u32::MAX);
    area[8..12].copy_from_slice(&match order {
        NumberOrder::BigEndian => bytes.to_be_bytes(),
        NumberOrder::Native => bytes.to_ne_bytes(),
    });
    let count = u16::try_from(columns.len()).unwrap_or(u16::MAX);
    put_short(area, 14, count, order);
    if columns.len() > room {
        return (236, room, columns.len());
    }
    let variables = area[HEAD_BYTES..].chunks_exact_mut(VARIABLE_BYTES);
    for (variable, column) in variables.zip(columns) {
        let (number, length) = type_number(column.sql_type);
        put_short(variable, 0, number + u16::from(column.nullable), order);
        put_short(variable, 2, length, order);
        let name: Vec<u8> = column.name.chars().map(crate::field::from_server).collect();
        let kept = name.len().min(NAME_BYTES);
        put_short(variable, 20, u16::try_from(kept).unwrap_or(0), order);
        variable[22..].fill(b' ');
        variable[22..22 + kept].copy_from_slice(&name[..kept]);
    }
    (0, room, columns.len())
}

/// The variables of an SQLDA.
///
/// # Errors
/// -804 if it is too short for what it says, or a type is one that no variable has.
pub fn variables(area: &[u8], order: NumberOrder) -> Result<Vec<DescriptorVariable>, i32> {
    let Some(head) = area.first_chunk::<HEAD_BYTES>() else {
        return Err(-804);
    };
    let count = usize::from(short([head[14], head[15]], order));
    let rest = &area[HEAD_BYTES..];
    if rest.len() < count * VARIABLE_BYTES {
        return Err(-804);
    }
    let all = rest.chunks_exact(VARIABLE_BYTES).take(count);
    all.map(|variable| {
        let number = short([variable[0], variable[1]], order);
        let length = short([variable[2], variable[3]], order);
        let pointer = |at: usize| {
            let bytes: [u8; 8] = variable[at..at + 8].try_into().unwrap_or_default();
            usize::from_ne_bytes(bytes)
        };
        let nullable = number & 1 == 1;
        Ok(DescriptorVariable {
            cobol: cobol_type(number & !1, length).ok_or(-804)?,
            data: pointer(4),
            indicator: if nullable { pointer(12) } else { 0 },
        })
    })
    .collect()
}

/// SQLTYPE and SQLLEN of a type.
fn type_number(sql_type: SqlType) -> (u16, u16) {
    let length = |n: u32| u16::try_from(n).unwrap_or(u16::MAX);
    match sql_type {
        SqlType::Date => (384, 10),
        SqlType::Time => (388, 8),
        SqlType::Timestamp(digits) => (392, 19 + u16::from(digits > 0) + u16::from(digits.min(6))),
        SqlType::Blob(_) => (404, 0),
        SqlType::Clob(_) => (408, 0),
        SqlType::Unknown => (448, 32_704),
        SqlType::Varchar(n) => (448, length(n)),
        SqlType::Char(n) => (452, length(n)),
        SqlType::Vargraphic(n) => (464, length(n)),
        SqlType::Graphic(n) => (468, length(n)),
        SqlType::Real => (480, 4),
        SqlType::Double => (480, 8),
        SqlType::Decimal(digits, scale) => (484, u16::from_be_bytes([digits, scale])),
        SqlType::Bigint => (492, 8),
        SqlType::Integer => (496, 4),
        SqlType::Smallint => (500, 2),
        SqlType::Rowid => (904, 40),
        SqlType::Varbinary(n) => (908, length(n)),
        SqlType::Binary(n) => (912, length(n)),
        SqlType::Xml => (988, 0),
        SqlType::Decfloat(digits) => (996, if digits > 16 { 16 } else { 8 }),
    }
}

/// The COBOL type of a variable; `None` if it has none.
fn cobol_type(number: u16, length: u16) -> Option<CobolType> {
    let big_endian = true;
    let most = u32::from(length);
    let integer = |bytes, digits| CobolType::Integer {
        bytes,
        digits,
        scale: 0,
        signed: true,
        big_endian,
    };
    let [digits, scale] = length.to_be_bytes();
    Some(match number {
        384 | 388 | 392 | 452 => CobolType::Char(most),
        448 | 456 => CobolType::Varchar { most, big_endian },
        480 if length == 4 => CobolType::Float4,
        480 => CobolType::Float8,
        484 if (1..=31).contains(&digits) => CobolType::Packed {
            digits,
            scale: i8::try_from(scale).ok()?,
            signed: true,
        },
        492 => integer(8, 19),
        496 => integer(4, 10),
        500 => integer(2, 5),
        908 => CobolType::Varbinary { most, big_endian },
        912 => CobolType::Binary(most),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(name: &str, sql_type: SqlType, nullable: bool) -> DescribedColumn {
        DescribedColumn {
            name: name.to_owned(),
            sql_type,
            nullable,
        }
    }

    #[test]
    fn a_described_column_becomes_the_variable_of_its_type() {
        for order in [NumberOrder::BigEndian, NumberOrder::Native] {
            let mut area = vec![0; HEAD_BYTES + 2 * VARIABLE_BYTES];
            put_short(&mut area, 12, 2, order);
            let columns = [
                column("ID", SqlType::Integer, false),
                column("PRICE", SqlType::Decimal(9, 2), true),
            ];
            assert_eq!(describe(&mut area, order, &columns), (0, 2, 2));
            let second = &mut area[HEAD_BYTES + VARIABLE_BYTES..];
            assert_eq!(short([second[0], second[1]], order), 485);
            assert_eq!(short([second[2], second[3]], order), 9 * 256 + 2);
            assert_eq!(&second[22..28], b"PRICE ");
            second[4..12].copy_from_slice(&64usize.to_ne_bytes());
            second[12..20].copy_from_slice(&72usize.to_ne_bytes());
            let found = variables(&area, order).unwrap();
            assert_eq!(found[0].indicator, 0);
            assert_eq!((found[1].data, found[1].indicator), (64, 72));
            let packed = CobolType::Packed {
                digits: 9,
                scale: 2,
                signed: true,
            };
            assert_eq!(found[1].cobol, packed);
        }
    }

    #[test]
    fn an_area_with_too_few_variables_gets_their_number_alone() {
        let mut area = vec![0; HEAD_BYTES + VARIABLE_BYTES];
        put_short(&mut area, 12, 1, NumberOrder::Native);
        let columns = [
            column("A", SqlType::Date, true),
            column("B", SqlType::Date, true),
        ];
        let found = describe(&mut area, NumberOrder::Native, &columns);
        assert_eq!(found, (236, 1, 2));
        assert_eq!(variables(&area, NumberOrder::Native), Err(-804));
    }

    proptest::proptest! {
        #[test]
        fn no_area_makes_it_panic(area in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200)) {
            for order in [NumberOrder::BigEndian, NumberOrder::Native] {
                let _ = variables(&area, order);
                let mut area = area.clone();
                describe(&mut area, order, &[column("A", SqlType::Char(3), true)]);
            }
        }
    }
}
