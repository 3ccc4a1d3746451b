//! One suite for every store. A store is added by one line at the end.

mod applying;
mod catalogue;
mod loading;
mod reading;
mod units;

use store::{LmdbStore, MemoryStore, WriteStore};

use crate::support::options;

/// A store and what must live as long as it does.
pub struct Subject {
    pub store: Box<dyn WriteStore>,
    _home: Option<tempfile::TempDir>,
}

fn memory() -> Subject {
    Subject {
        store: Box::new(MemoryStore::new()),
        _home: None,
    }
}

fn lmdb() -> Subject {
    let home = tempfile::tempdir().unwrap();
    let store = LmdbStore::open(home.path(), &options()).unwrap();
    Subject {
        store: Box::new(store),
        _home: Some(home),
    }
}

macro_rules! suite {
    ($($area:ident: $($test:ident),+;)+) => {
        suite!(@store memory $($area: $($test),+;)+);
        suite!(@store lmdb $($area: $($test),+;)+);
    };
    (@store $store:ident $($area:ident: $($test:ident),+;)+) => {
        mod $store {
            $(mod $area {
                $(#[test]
                fn $test() {
                    super::super::$area::$test(super::super::$store());
                })+
            })+
        }
    };
}

suite! {
    reading:
        equal_finds_the_record_with_that_key_only,
        at_least_finds_the_key_or_the_next,
        greater_and_less_step_through_the_file,
        at_most_finds_the_key_or_the_one_before,
        a_prefix_finds_the_first_key_that_begins_so,
        keys_compare_as_unsigned_bytes,
        an_empty_file_holds_nothing,
        an_empty_key_is_before_every_other,
        a_scan_starts_anywhere_and_stops_when_told,
        a_record_may_have_the_greatest_length;
    applying:
        a_reader_sees_nothing_before_the_apply_and_all_after,
        a_unit_that_fails_leaves_no_trace_and_harms_no_other,
        a_unit_sees_what_those_before_it_in_the_batch_did,
        a_unit_may_change_many_files,
        an_empty_batch_and_an_empty_unit_succeed,
        a_unit_for_a_file_that_is_gone_is_refused;
    catalogue:
        files_are_listed_by_name,
        a_name_is_defined_once,
        a_removed_file_is_gone_and_its_number_stays_unused,
        a_definition_that_cannot_stand_is_refused;
    loading:
        a_load_takes_the_place_of_the_old_records,
        a_load_that_is_dropped_leaves_no_trace,
        a_load_takes_keys_in_any_order_and_refuses_duplicates;
    units:
        a_task_sees_its_own_changes,
        browsing_passes_over_what_the_task_deleted,
        a_prefix_is_not_left_through_the_task_s_own_records,
        changes_to_one_key_fold_into_one,
        what_was_added_and_deleted_again_was_never_there,
        a_change_that_breaks_a_rule_leaves_the_unit_as_it_was,
        entries_and_relative_records_obey_their_own_rules;
}
