//! The schema `db2`: functions, types and tables that rewritten statements use.
//!
//! A private cluster has it from its start; on a server of the user's own
//! `tupelo sql setup` makes it, and `--print` shows this text.

/// The script. Running it again is allowed: functions are replaced, the rest is made
/// only where it is missing.
pub const SETUP_SQL: &str = include_str!("db2.sql");

/// Names of SYSIBM that the script makes.
pub const CATALOG_VIEWS: &[&str] = &[
    "SYSDUMMY1",
    "SYSDUMMYE",
    "SYSDUMMYA",
    "SYSDUMMYU",
    "SYSTABLES",
    "SYSCOLUMNS",
];

/// The statements that make the domain of a VARCHAR column: blanks at its end
/// are kept, comparisons pass over them, and a longer text is refused.
pub fn varchar_domain(length: u32) -> String {
    format!("DO $db2$ BEGIN PERFORM db2.make_varchar({length}); END $db2$")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_makes_every_function_of_the_table() {
        let text = SETUP_SQL.to_lowercase();
        let server = [
            "coalesce",
            "value",
            "ifnull",
            "nvl",
            "nullif",
            "max",
            "min",
            "greatest",
            "least",
            "sum",
            "avg",
            "count",
            "count_big",
            "stddev",
            "stddev_samp",
            "variance",
            "variance_samp",
            "row_number",
            "rank",
            "dense_rank",
            "decimal",
            "dec",
            "integer",
            "int",
            "smallint",
            "bigint",
            "double",
            "double_precision",
            "float",
            "real",
            "round",
            "trunc",
            "truncate",
            "abs",
            "absval",
            "sign",
            "mod",
            "ceiling",
            "ceil",
            "floor",
            "sqrt",
            "exp",
            "ln",
            "log",
            "log10",
            "power",
            "sin",
            "cos",
            "tan",
            "rand",
            "substring",
            "to_date",
            "to_char",
        ];
        for name in crate::rewrite::function_names() {
            let name = name.to_lowercase();
            let own = text.contains(&format!("function db2.{name}("))
                || text.contains(&format!("function db2.\"{name}\"("));
            assert!(own || server.contains(&name.as_str()), "{name}");
        }
    }
}
