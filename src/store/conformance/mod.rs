//! What every store must do, as one suite that each of them passes.
//!
//! A store is given to it by a [`Fixture`] and the [`conformance`] macro, which makes a test of each behaviour.

use crate::store::Store;

pub(crate) mod deliveries;
pub(crate) mod device;
pub(crate) mod events;
pub(crate) mod ops;
pub(crate) mod runs;
pub(crate) mod samples;
pub(crate) mod strategies;
pub(crate) mod tasks;

/// A store of one kind, empty and of the installation [`samples::DEVICE`], and what it needs to lie on.
pub(crate) trait Fixture {
    /// The kind.
    type Store: Store;

    /// Returns an empty store.
    fn open() -> Self;

    /// Returns the store.
    fn store(&self) -> &Self::Store;

    /// Ends the store and opens what it left behind.
    fn reopen(self) -> Self;
}

/// Makes a test of each behaviour for one kind of store.
macro_rules! conformance {
    ($fixture:ty) => {
        conformance! { @each $fixture;
            tasks::a_snapshot_reads_back_whole_in_every_state;
            tasks::every_field_reads_back_as_it_was_written;
            tasks::unusual_text_reads_back_as_it_was_written;
            tasks::whatever_is_written_reads_back;
            tasks::what_is_written_outlives_the_store;
            tasks::an_empty_store_knows_its_device_and_starts_at_one;
            tasks::numbers_are_never_given_again;
            tasks::a_number_of_another_task_is_refused;
            tasks::the_zone_is_kept_until_it_changes;
            tasks::that_the_person_is_away_is_kept_until_it_changes;
            tasks::the_server_that_shows_popups_is_kept_until_it_changes;
            tasks::pauses_of_many_are_kept_until_they_change;
            tasks::the_present_occurrence_is_the_one_opened_last;
            tasks::a_change_of_an_earlier_occurrence_leaves_the_present_one;
            tasks::titles_are_those_of_the_list;
            tasks::a_withdrawn_occurrence_is_gone_and_may_be_opened_again;
            tasks::without_its_present_occurrence_a_task_falls_back_to_the_one_before;
            tasks::a_task_is_never_left_without_an_occurrence;
            tasks::wakes_are_those_of_the_snapshots;
            tasks::lists_are_ordered_by_number_and_leave_out_what_ended;
            tasks::tasks_are_found_by_number_and_by_the_beginning_of_their_id;
            tasks::counts_are_those_of_the_present_occurrences;
            tasks::what_is_at_hand_is_counted_and_the_most_important_found;
            tasks::those_who_wait_for_a_task_are_found_while_they_are_open;
            tasks::those_are_found_who_wait_for_what_is_gone;
            tasks::the_numbers_and_tags_of_open_tasks_are_found_by_kind;
            events::every_operation_reads_back_as_it_was_written;
            events::seq_grows_by_one_over_all_commits;
            events::events_page_without_gap_or_repeat;
            events::the_history_is_of_one_task_and_in_order;
            events::what_was_skipped_is_found_latest_first;
            events::the_latest_of_a_history_are_found_from_its_end;
            events::a_stale_version_leaves_no_trace;
            events::a_new_task_must_be_of_version_one;
            events::many_events_of_one_task_are_one_change;
            events::a_firing_is_committed_once;
            events::a_firing_twice_in_one_change_is_refused;
            events::an_event_is_committed_once;
            events::an_empty_change_is_committed;
            device::events_of_the_device_read_back_in_one_list_with_those_of_tasks;
            device::events_of_the_device_are_found_between_two_instants;
            device::an_event_of_the_device_is_committed_once;
            device::what_has_ended_or_was_passed_over_by_a_person_is_spent;
            deliveries::a_delivery_reads_back_in_every_status;
            deliveries::a_changed_delivery_keeps_its_place;
            deliveries::the_outbox_holds_what_is_not_final;
            deliveries::what_is_held_is_found_by_its_target;
            deliveries::a_digest_is_of_no_task_and_finds_what_it_tells;
            deliveries::what_failed_for_good_is_found_latest_first;
            deliveries::what_failed_is_made_up_for_by_what_was_delivered_there_later;
            deliveries::deliveries_page_by_task_target_channel_and_status;
            deliveries::what_is_not_final_is_counted_by_target_and_status;
            deliveries::a_target_reads_back_with_every_breaker;
            deliveries::deliveries_are_of_a_task_or_of_one_occurrence;
            deliveries::deliveries_are_found_by_their_firings;
            deliveries::a_delivery_of_no_task_is_refused;
            deliveries::a_request_reads_back_by_its_key;
            deliveries::a_request_key_is_committed_once;
            runs::a_run_reads_back_in_every_status;
            runs::of_runs_that_are_over_the_latest_are_kept_with_what_they_said;
            runs::an_occurrence_is_found_by_its_name;
            runs::commands_that_failed_for_good_are_found_latest_first;
            runs::the_runs_of_a_purged_task_go_with_it;
            ops::operations_read_back_latest_first_and_keep_their_place;
            ops::an_operation_is_found_by_its_id_its_events_and_as_the_one_to_undo;
            ops::a_deleted_task_is_seen_by_nobody_and_purged_for_ever;
        }
    };
    (@each $fixture:ty; $($file:ident :: $behaviour:ident;)*) => {
        $(
            #[test]
            fn $behaviour() {
                let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
                runtime.block_on(crate::store::conformance::$file::$behaviour::<$fixture>());
            }
        )*
    };
}
pub(crate) use conformance;
