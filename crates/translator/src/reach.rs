//! The symbols that a compiled program may reach outside of itself.
//!
//! `CALL "X"` asks the worker at run time, which knows the program table. But a
//! static CALL, an entry convention or a routine that the compiler knows become
//! references of the module, which the loader would bind to anything in the
//! process: `CALL STATIC "system"` ran a shell. So a module's undefined symbols
//! are read, and one that is not listed here is refused where the text calls it.
//!
//! Invariant: the lists name the symbols that may be used; a new symbol of another version
//! of the run-time library is refused until it is listed.
//! Reference: the ELF specification, "Symbol Table".

use std::path::Path;

use cics::cobol::entry_symbol;
use object::{Object, ObjectSymbol};

use crate::source::SourcePlace;
use crate::token::{Token, TokenKind};

/// Entries of the run-time library that touch nothing but their arguments and
/// the module that calls them; a star matches the rest of a family.
const LIBRARY: &[&str] = &[
    "COB_SPACES_ALPHABETIC",
    "COB_ZEROES_ALPHABETIC",
    "cob_accept",
    "cob_accept_*",
    "cob_add",
    "cob_add_*",
    "cob_addsub_*",
    "cob_alloc_base",
    "cob_allocate",
    "cob_bcd_*",
    "cob_bit_*",
    "cob_cache_*",
    "cob_call_error",
    "cob_call_field",
    "cob_cancel",
    "cob_cancel_field",
    "cob_check_*",
    "cob_cmp",
    "cob_cmp_*",
    "cob_correct_numeric",
    "cob_decimal_*",
    "cob_display",
    "cob_display_arg_number",
    "cob_display_command_line",
    "cob_div",
    "cob_div_*",
    "cob_dump_*",
    "cob_external_addr",
    "cob_fast_malloc",
    "cob_fatal_error",
    "cob_field_constant",
    "cob_free",
    "cob_free_alloc",
    "cob_get_environment",
    "cob_get_global_ptr",
    "cob_get_indirect_field",
    "cob_get_int",
    "cob_get_llint",
    "cob_get_numdisp",
    "cob_get_param_*",
    "cob_get_pointer",
    "cob_get_s64_*",
    "cob_get_switch",
    "cob_get_u64_*",
    "cob_gmp_free",
    "cob_incr_temp_iteration",
    "cob_init_table",
    "cob_inspect_*",
    "cob_intr_*",
    "cob_is_*",
    "cob_json_generate",
    "cob_json_generate_new",
    "cob_last_exception_is",
    "cob_logical_*",
    "cob_longjmp",
    "cob_malloc",
    "cob_module_*",
    "cob_move",
    "cob_move_*",
    "cob_mul",
    "cob_mul_*",
    "cob_nop",
    "cob_numeric_cmp",
    "cob_numeric_display_*",
    "cob_put_indirect_field",
    "cob_raise",
    "cob_ready_trace",
    "cob_realloc",
    "cob_reset_trace",
    "cob_resolve_cobol",
    "cob_resolve_func",
    "cob_restore_func",
    "cob_runtime_error",
    "cob_runtime_hint",
    "cob_runtime_warning",
    "cob_s32_pow",
    "cob_s64_pow",
    "cob_save_func",
    "cob_set_cancel",
    "cob_set_exception",
    "cob_set_int",
    "cob_set_llint",
    "cob_set_location",
    "cob_set_locale",
    "cob_set_packed_*",
    "cob_set_switch",
    "cob_stop_run",
    "cob_strdup",
    "cob_string_*",
    "cob_sub",
    "cob_sub_*",
    "cob_switch_value",
    "cob_table_sort",
    "cob_table_sort_*",
    "cob_trace_*",
    "cob_unstring_*",
    "cob_valid_date_format",
    "cob_valid_datetime_format",
    "cob_valid_time_format",
    "cob_xml_generate",
    "cob_xml_generate_new",
    "cob_xml_parse",
    // Statements for files: the worker ends a task that reaches one, and a
    // program with commands is refused for its SELECT.
    "cob_close",
    "cob_commit",
    "cob_delete",
    "cob_delete_file",
    "cob_file_*",
    "cob_findkey",
    "cob_open",
    "cob_read",
    "cob_read_next",
    "cob_rewrite",
    "cob_rollback",
    "cob_start",
    "cob_unlock_file",
    "cob_write",
    // Routines that CALL may name.
    "cob_sys_and",
    "cob_sys_calledby",
    "cob_sys_eq",
    "cob_sys_imp",
    "cob_sys_justify",
    "cob_sys_nimp",
    "cob_sys_nor",
    "cob_sys_not",
    "cob_sys_or",
    "cob_sys_parameter_size",
    "cob_sys_printable",
    "cob_sys_return_args",
    "cob_sys_tolower",
    "cob_sys_toupper",
    "cob_sys_xf4",
    "cob_sys_xf5",
    "cob_sys_xor",
];

/// Further symbols of batch programs: their file statements and reports.
const BATCH: &[&str] = &["cob_extfh_*", "cob_report_*", crate::compiler::FILE_HANDLER];

/// The symbols that the C compiler uses for copies and comparisons, and those of every shared
/// object.
const C_LIBRARY: &[&str] = &[
    "_ITM_deregisterTMCloneTable",
    "_ITM_registerTMCloneTable",
    "__cxa_finalize",
    "__gmon_start__",
    "__longjmp_chk",
    "__memcpy_chk",
    "__memmove_chk",
    "__memset_chk",
    "__sigsetjmp",
    "__stack_chk_fail",
    "_setjmp",
    "longjmp",
    "memchr",
    "memcmp",
    "memcpy",
    "memmove",
    "memset",
    "setjmp",
    "strcmp",
    "strlen",
    "strncmp",
];

/// Routines that the compiler knows, where the name of the entry is not the
/// name of the routine.
const IRREGULAR: &[(&str, &str)] = &[
    ("C$CHDIR", "cob_sys_chdir"),
    ("C$COPY", "cob_sys_copyfile"),
    ("C$DELETE", "cob_sys_file_delete"),
    ("C$FILEINFO", "cob_sys_file_info"),
    ("C$GETPID", "cob_sys_getpid"),
    ("C$MAKEDIR", "cob_sys_mkdir"),
    ("C$SLEEP", "cob_sys_sleep"),
    ("CBL_ALARM_SOUND", "cob_sys_sound_bell"),
    ("CBL_BELL_SOUND", "cob_sys_sound_bell"),
    ("CBL_GC_FORK", "cob_sys_fork"),
    ("CBL_GC_GETOPT", "cob_sys_getopt_long_long"),
    ("CBL_GC_HOSTED", "cob_sys_hosted"),
    ("CBL_GC_NANOSLEEP", "cob_sys_oc_nanosleep"),
    ("CBL_GC_WAITPID", "cob_sys_waitpid"),
    ("CBL_OC_GETOPT", "cob_sys_getopt_long_long"),
    ("CBL_OC_HOSTED", "cob_sys_hosted"),
    ("CBL_READ_KBD_CHAR", "cob_sys_get_char"),
    ("EXTFH", "cob_sys_extfh"),
    ("SYSTEM", "cob_sys_system"),
    ("\u{91}", "cob_sys_x91"),
    ("\u{E4}", "cob_sys_clear_screen"),
    ("\u{E5}", "cob_sys_sound_bell"),
];

/// A literal that is called or whose entry is asked for, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CalledLiteral {
    /// The name in the literal.
    pub name: String,
    /// The literal as it is written.
    pub literal: String,
    /// Its place.
    pub place: SourcePlace,
}

/// Everything that the text calls by a literal.
pub(crate) fn called(tokens: &[Token]) -> Vec<CalledLiteral> {
    /// Words between CALL and the literal: STATIC, or a convention's name.
    const BETWEEN: usize = 2;
    let mut list = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if !token.is_any(&["CALL", "ENTRY"]) {
            continue;
        }
        let near = tokens[at + 1..].iter().take(BETWEEN + 1);
        let mut near = near.skip_while(|t| t.kind == TokenKind::Word);
        if let Some(literal) = near.next().filter(|t| t.kind == TokenKind::Literal) {
            list.push(CalledLiteral {
                name: value(&literal.text),
                literal: literal.text.clone(),
                place: literal.place,
            });
        }
    }
    list
}

/// The symbols of a module that it may not have, in the order of its table.
pub(crate) fn foreign(module: &Path, batch: bool) -> Result<Vec<String>, String> {
    let bytes = std::fs::read(module).map_err(|e| e.to_string())?;
    let file = object::File::parse(&*bytes).map_err(|e| e.to_string())?;
    let mut found = Vec::new();
    for symbol in file.dynamic_symbols().filter(|s| s.is_undefined()) {
        let name = symbol.name().map_err(|e| e.to_string())?;
        // The first row of every table is empty.
        if !name.is_empty() && !is_listed(name, batch) {
            found.push(name.to_owned());
        }
    }
    Ok(found)
}

/// Whether a call of this name makes a reference to this symbol.
pub(crate) fn refers(name: &str, symbol: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    let routine = symbol
        .strip_prefix("cob_sys_")
        .zip(upper.strip_prefix("CBL_"));
    entry_symbol(name) == symbol
        || IRREGULAR.contains(&(upper.as_str(), symbol))
        || routine.is_some_and(|(entry, name)| name.eq_ignore_ascii_case(entry))
}

fn is_listed(symbol: &str, batch: bool) -> bool {
    let listed = |entry: &&str| match entry.strip_suffix('*') {
        Some(family) => symbol.starts_with(family),
        None => *entry == symbol,
    };
    C_LIBRARY.contains(&symbol) || LIBRARY.iter().any(listed) || batch && BATCH.iter().any(listed)
}

/// The value of a literal: its text, or the bytes of a hexadecimal one.
fn value(literal: &str) -> String {
    let quote = literal.find(['\'', '"']).unwrap_or(0);
    let (prefix, quoted) = literal.split_at(quote);
    let text = quoted.trim_matches(['\'', '"']);
    if !prefix.eq_ignore_ascii_case("X") {
        return text.trim().to_owned();
    }
    let digits: Vec<u32> = text.chars().filter_map(|c| c.to_digit(16)).collect();
    let bytes = digits.chunks_exact(2).map(|d| (d[0] * 16 + d[1]) as u8);
    bytes.map(char::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_compilers_own_entries_are_listed_and_a_shell_is_not() {
        for symbol in [
            "cob_move",
            "cob_intr_upper_case",
            "cob_sys_toupper",
            "memcpy",
        ] {
            assert!(is_listed(symbol, false), "{symbol}");
        }
        for symbol in [
            "system",
            "getppid",
            "cob_sys_system",
            "cob_resolve",
            "cob_call",
            "cob_setenv",
            "cob_extfh_open",
        ] {
            assert!(!is_listed(symbol, false), "{symbol}");
        }
        assert!(is_listed("cob_extfh_open", true));
    }

    #[test]
    fn a_symbol_is_traced_to_the_call_that_made_it() {
        assert!(refers("system", "system"));
        assert!(refers("SYSTEM", "cob_sys_system"));
        assert!(refers("CBL_OPEN_FILE", "cob_sys_open_file"));
        assert!(refers("c$sleep", "cob_sys_sleep"));
        assert!(refers("kill-it", "kill__it"));
        assert!(refers(&value("X\"91\""), "cob_sys_x91"));
        assert!(!refers("SYSTEM", "cob_sys_open_file"));
    }
}
