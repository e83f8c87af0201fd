"""What must not go wrong with runs, accepted values and repeats, and the test that holds each of it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
MODES = {
    "two jobs bless at once": "store/test_baselines.py::test_two_at_once_are_disputed_until_the_next",
    "twenty jobs bless at once": "store/test_at_once.py::test_in_a_folder",
    "two jobs push at once": "store/test_at_once.py::test_on_an_s3_interface",
    "one report pushed with other tags": "store/test_store.py::test_stored_run_gets_no_other_tags",
    "older or unrelated commit blessed": "store/test_baselines.py::test_commit_of_a_baseline_never_goes_back",
    "failed gate, -k, missing shard, interrupt": (
        "store/test_baselines.py::test_run_is_refused_unless_a_reason_is_given"
    ),
    "a part counts in no rate": "history/test_history_commands.py::test_parts_of_sessions_do_not_count",
    "no baseline yet": "store/test_addresses.py::test_no_baseline_is_a_line_in_diff_and_an_error_elsewhere",
    "misspelt baseline": "store/test_baselines.py::test_no_baseline_a_misspelt_one_and_a_torn_one",
    "store out of reach": "store/test_addresses.py::test_store_out_of_reach_never_changes_a_session",
    "store out of reach in a quiet session": "store/test_bad_runs.py::test_run_that_was_not_stored_is_said_aloud",
    "store out of reach with a baseline": (
        "store/test_addresses.py::test_baseline_that_cannot_be_read_is_an_error_before_the_session"
    ),
    "renamed test, history": "history/test_series.py::test_configured_new_name_joins_the_history",
    "renamed test, last results on the page": (
        "store/test_addresses.py::test_last_results_of_a_renamed_test_begin_with_those_of_its_old_name"
    ),
    "renamed test, paired by its checks": "history/test_series.py::test_renamed_test_keeps_its_history",
    "renamed test, baseline": "store/test_bad_runs.py::test_renamed_test_is_not_missing_and_hides_no_other",
    "renamed test, accepted values": (
        "accepting/test_accepted_in_sessions.py::test_renamed_test_has_its_accepted_values"
    ),
    "renamed test, accepted values moved": "accepting/test_accept_command.py::test_renamed_test_is_a_move",
    "renamed test, diff": "runs/test_diff.py::test_renamed_test_is_compared_with_itself",
    "clock skew": (
        "store/test_baselines.py::test_runs_are_in_the_order_of_commits_and_a_wrong_clock_is_flagged"
    ),
    "huge run": "store/test_store.py::test_huge_bundle_is_left_out_and_said",
    "redaction": "store/test_addresses.py::test_no_secret_leaves_the_session",
    "redacted value accepted": "accepting/test_accept_command.py::test_redacted_value_is_refused",
    "torn or foreign file": "store/test_store.py::test_torn_and_foreign_files_are_skipped_and_named",
    "torn event of a baseline": (
        "store/test_baselines.py::test_unreadable_latest_event_is_no_return_to_the_one_before"
    ),
    "xdist, one run": "store/test_addresses.py::test_session_stores_its_run_once",
    "xdist, attempts on one worker": "plugin/test_repeats.py::test_every_kind_of_test",
    "accept in CI": "accepting/test_accept_command.py::test_ci_is_refused",
    "accept in a CI that sets no CI": "accepting/test_adversaries.py::test_each_service_of_ci_is_known",
    "obsolete entry": "accepting/test_accept_command.py::test_prune_removes_what_no_test_of_a_whole_session_used",
    "obsolete entry after a part": (
        "accepting/test_accept_command.py::test_prune_is_refused_after_a_part_of_the_tests"
    ),
    "conflict markers": (
        "accepting/test_accepted_in_sessions.py::test_mistake_in_a_file_is_a_problem_with_file_and_line"
    ),
    "missing accepted value": "accepting/test_accepted_in_sessions.py::test_session_writes_nothing",
    "attempt raises": "plugin/test_repeats.py::test_every_kind_of_test",
    "attempt times out, signal": "plugin/test_repeats.py::test_timeout_by_a_signal_is_an_attempt_that_raised",
    "attempt times out, thread": (
        "plugin/test_repeats.py::test_timeout_by_a_thread_ends_the_session_without_a_verdict"
    ),
    "interrupted between attempts": "plugin/test_repeats.py::test_interrupt_leaves_no_verdict",
    "killed between attempts": "plugin/test_repeats.py::test_killed_session_keeps_the_attempts_that_ended",
    "worker that dies": "plugin/test_repeats.py::test_worker_that_dies_in_an_attempt_fails_the_test",
    "repeats with --lf, --sw and without a cache": "plugin/test_repeats.py::test_cache_knows_tests_and_no_attempts",
    "repeats with --pdb": "plugin/test_repeats.py::test_pdb_opens_once",
    "parametrized classes, wider fixtures": (
        "plugin/test_repeats.py::test_parametrized_classes_with_wider_fixtures"
    ),
    "edited report": "store/test_bad_runs.py::test_report_that_was_edited_is_neither_pushed_nor_blessed",
    "edited record accepted": "accepting/test_adversaries.py::test_record_that_was_edited_is_not_accepted",
}  # fmt: skip


@pytest.mark.parametrize("mode", MODES)
def test_each_failure_mode_has_a_test(mode):
    file, _, name = MODES[mode].partition("::")
    tree = ast.parse((TESTS / file).read_text("utf-8"))
    assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
