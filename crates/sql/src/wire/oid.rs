//! Numbers of the server's types.

/// bytea
pub const BYTEA: u32 = 17;
/// int8
pub const INT8: u32 = 20;
/// int2
pub const INT2: u32 = 21;
/// int4
pub const INT4: u32 = 23;
/// text
pub const TEXT: u32 = 25;
/// tid
pub const TID: u32 = 27;
/// xid
pub const XID: u32 = 28;
/// float4
pub const FLOAT4: u32 = 700;
/// float8
pub const FLOAT8: u32 = 701;
/// unknown
pub const UNKNOWN: u32 = 705;
/// bpchar
pub const BPCHAR: u32 = 1042;
/// varchar
pub const VARCHAR: u32 = 1043;
/// date
pub const DATE: u32 = 1082;
/// time
pub const TIME: u32 = 1083;
/// timestamp
pub const TIMESTAMP: u32 = 1114;
/// timestamptz
pub const TIMESTAMPTZ: u32 = 1184;
/// numeric
pub const NUMERIC: u32 = 1700;
/// bool
pub const BOOL: u32 = 16;
/// name
pub const NAME: u32 = 19;
/// uuid
pub const UUID: u32 = 2950;
/// char, one byte
pub const CHAR: u32 = 18;
