//! One suite for every store. A store is added by one line at the end.

mod applying;
mod catalogue;
mod entries;
mod indexes;
mod loading;
mod paths;
mod reading;
mod tables;
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
        a_scan_starts_anywhere_and_stops_on_request,
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
    entries:
        entries_are_added_at_the_end_and_read_both_ways,
        two_units_that_add_at_once_get_different_addresses,
        an_entry_keeps_its_length_and_stays,
        addresses_beyond_four_gigabytes_are_in_order,
        relative_records_fill_slots_and_leave_gaps,
        relative_records_of_varying_length_may_change_it;
    indexes:
        an_index_follows_inserts_replaces_and_deletes,
        a_unique_key_is_refused_at_the_change_and_at_the_apply,
        a_unique_key_may_pass_from_one_record_to_another_in_one_unit,
        an_index_that_is_not_of_the_upgrade_set_is_as_true_as_its_last_build,
        an_index_over_records_is_read_once_it_is_built,
        a_build_names_the_two_records_of_one_unique_key,
        a_load_builds_the_indexes_anew,
        a_load_that_breaks_a_unique_index_changes_nothing,
        a_file_takes_its_indexes_and_paths_along,
        names_lead_to_a_file_or_through_an_index,
        an_impossible_base_of_an_index_or_path_is_reported;
    paths:
        equal_finds_the_first_of_its_key_and_reports_that_more_follow,
        a_path_steps_forward_through_every_record,
        backwards_keys_descend_and_their_records_ascend,
        every_form_of_seek_works_on_alternate_keys,
        records_too_short_or_suppressed_are_not_on_the_path,
        a_task_sees_its_own_changes_through_a_path,
        a_path_over_entries_keeps_their_order_of_arrival;
    tables:
        a_table_keeps_values_in_the_order_of_keys,
        tables_do_not_see_each_other,
        a_unit_sees_its_own_values,
        values_and_records_become_visible_together,
        a_value_may_be_longer_than_a_record;
}
