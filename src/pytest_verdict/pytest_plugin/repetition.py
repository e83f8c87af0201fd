"""The attempts of one test: they run within its item, and pytest gets the reports of the attempt that decided."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pytest
from _pytest.unittest import TestCaseFunction

from pytest_verdict.core.record_members import Verdict
from pytest_verdict.core.values.encoding import content_digest
from pytest_verdict.pytest_plugin.attempts import first_line
from pytest_verdict.pytest_plugin.recorder import RECORDS_ONLY
from pytest_verdict.pytest_plugin.repeating import MARKER, PHASES, REPEATS, Repeats
from pytest_verdict.repeats.rules import Rule, format_counts
from pytest_verdict.repeats.stability import Answer, Attempt, describe, name_stability
from pytest_verdict.report.summary import is_answer
from pytest_verdict.session import SESSION

if TYPE_CHECKING:
    from pytest_verdict.core.result import ComparisonResult

_STRICT_XPASS: Final = "[XPASS(strict)]"
_LONGEST_REASON: Final = 200


class _Outcome(NamedTuple):
    """An attempt, the reports of its phases and subtests, and whether it was skipped."""

    attempt: Attempt
    reports: list[pytest.TestReport]
    is_skipped: bool


class _HeldHooks:
    """The hooks of an item while an attempt runs: its reports are held, because pytest would count each attempt."""

    def __init__(self, hooks: Any) -> None:
        self._hooks = hooks
        self.reports: list[pytest.TestReport] = []
        self.has_raised = False
        self.is_in_call = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._hooks, name)

    def pytest_runtest_logstart(self, **_: Any) -> None:
        """The item has started already."""

    pytest_runtest_logfinish = pytest_runtest_logstart

    def pytest_runtest_call(self, item: pytest.Item) -> None:
        self.is_in_call = True
        try:
            self._hooks.pytest_runtest_call(item=item)
        finally:
            self.is_in_call = False

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if hasattr(report, RECORDS_ONLY):
            self._hooks.pytest_runtest_logreport(report=report)
        else:
            self.reports.append(report)

    def pytest_exception_interact(self, node: Any, call: pytest.CallInfo[Any], report: Any) -> None:
        error = call.excinfo.value if call.excinfo else None
        is_timeout = "from pytest-timeout" in str(error)
        if call.when != "call" or is_timeout or not isinstance(error, AssertionError | pytest.fail.Exception):
            self.has_raised = True
        self._hooks.pytest_exception_interact(node=node, call=call, report=report)

    def outcome(self, answers: Sequence[Answer | None]) -> _Outcome:
        """Judge the attempt by its reports; None among the answers means rows of a data set."""
        verdict: Verdict = "pass"
        decisive = None
        is_skipped = False
        for report in self.reports:
            # pytest fails a test that was expected to fail and passed.
            if report.failed and not str(report.longrepr).startswith(_STRICT_XPASS):
                verdict = "error" if self.has_raised else "fail"
                decisive = report
                is_skipped = False
                break
            # A skipped subtest skips nothing else.
            if report.skipped and not hasattr(report, "context"):
                verdict = "fail"
                decisive = report
                is_skipped = not hasattr(report, "wasxfail")
        reason = first_line(decisive, SESSION.redaction or str)[:_LONGEST_REASON] if decisive else ""
        seen = None if None in answers else [answer for answer in answers if answer is not None]
        return _Outcome(Attempt(verdict, reason, seen), self.reports, is_skipped)


class Repetition:
    """The attempts of one test."""

    def __init__(self, item: pytest.Item, rule: Rule, repeats: Repeats) -> None:
        self._item = item
        self._rule = rule
        self._repeats = repeats
        self._hooks = item.ihook
        self._info: dict[str, Any] = {"needs": rule.needs, "most": rule.most}
        self._outcomes: list[_Outcome] = []
        self._properties = list(item.user_properties)
        self._markers = list(item.own_markers)
        self._keywords = dict(item.keywords._markers)  # type: ignore[attr-defined] # noqa: SLF001 - a keyword has no other way out

    def run(self, nextitem: pytest.Item | None) -> None:
        """Run the attempts, and report the test."""
        item = self._item
        cancel_timer = getattr(item.config.hook, "pytest_timeout_cancel_timer", None)
        if cancel_timer is not None:
            # Each attempt has the time of a test.
            cancel_timer(item=item)
        self._hooks.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        decision = self._decide()
        reports: list[pytest.TestReport] = []
        if decision is not None:
            number = decision.get("attempt", 1)
            reports = self._outcomes[number - 1].reports
            self._tear_down(reports, nextitem)
            if "verdict" in decision:
                _add_decision(reports, decision)
                others = [outcome for outcome in self._outcomes if outcome.reports is not reports]
                reports[-1].duration += sum(report.duration for other in others for report in other.reports)
        _forget_failed_subtests(item, reports)
        for report in reports:
            self._hooks.pytest_runtest_logreport(report=report)
        self._hooks.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)

    def _decide(self) -> dict[str, Any] | None:
        """Run attempts until the rule is decided; return the decision, or None if the session stops before it."""
        ending = ""
        while True:
            outcome = self._run_attempt()
            number = len(self._outcomes)
            if outcome.is_skipped and number == 1:
                return {}
            verdicts = self._verdicts()
            if outcome.is_skipped:
                ending = f"; attempt {number} was skipped"
                break
            if self._rule.is_decided(verdicts):
                break
            if self._is_stopping():
                self._send()
                return None
            if not self._repeats.spend():
                ending = "; the budget of the session is used up"
                break
            self._send()

        if outcome.is_skipped and set(verdicts) == {"pass"}:
            self._send()
            summary = format_counts(verdicts) + ending
            return {**self._info, "attempt": number, "verdict": "skipped", "stability": "", "summary": summary}
        recorder = self._item.config.pluginmanager.get_plugin("verdict-recorder")
        with nullcontext() if recorder is None else recorder.placed_at(self._item):
            decision = self._rule.decide(verdicts)
        # Looks at the decision, because the reports of the test tell it; and texts that xdist can send.
        verdict = "pass" if decision.passed else "fail"
        if decision.error is not None:
            verdict = "error"
        self._send()
        if verdict == "fail":
            self._diagnose()
        attempts = [one.attempt for one in self._outcomes[:number] if not one.is_skipped]
        more = [one.attempt for one in self._outcomes[number:] if not one.is_skipped]
        summary = describe(self._rule, attempts, more, decision) + ending
        if SESSION.redaction is not None:
            summary = SESSION.redaction(summary)
        stability = name_stability([*attempts, *more])
        return {**self._info, "attempt": number, "verdict": verdict, "stability": stability, "summary": summary}

    def _diagnose(self) -> None:
        """Run a test that never passed again, to tell whether it ever does; these attempts count nowhere else."""
        is_expected = any(hasattr(report, "wasxfail") for report in self._outcomes[-1].reports)
        if is_expected or self._item.config.option.usepdb:
            return
        while "pass" not in self._verdicts() and len(self._outcomes) <= self._repeats.diagnose:
            if self._is_stopping() or not self._repeats.spend():
                break
            outcome = self._run_attempt()
            self._send()
            if outcome.is_skipped:
                break

    def _run_attempt(self) -> _Outcome:
        item = self._item
        answers: list[Answer | None] = []
        observer = SESSION.observer
        rows_observer = SESSION.rows_observer
        held = _HeldHooks(self._hooks)

        def observe(result: ComparisonResult) -> ComparisonResult:
            # Wider fixtures compare in the first attempt only.
            if held.is_in_call and is_answer(result.operator):
                label = f"{result.operator} {result.name!r}" if result.name else result.operator
                answers.append(Answer(label, content_digest(result.observed), result.verdict))
            return result if observer is None else observer(result)

        def observe_rows(rows: Any) -> None:
            answers.append(None)
            if rows_observer is not None:
                rows_observer(rows)

        if self._outcomes:
            item.own_markers[:] = self._markers
            item.keywords._markers = dict(self._keywords)  # type: ignore[attr-defined] # noqa: SLF001 - as above
            _renew_instance(item)
        item.user_properties = list(self._properties)
        item._report_sections.clear()  # noqa: SLF001 - `add_report_section` has no counterpart
        # The recorder numbers attempts by it, as pytest-rerunfailures does.
        item.execution_count = len(self._outcomes) + 1  # type: ignore[attr-defined]
        SESSION.observer = observe
        SESSION.rows_observer = observe_rows
        # pytest offers no other way to hold reports back from every plugin.
        item.session.gethookproxy = lambda _: held  # type: ignore[method-assign, assignment, return-value]
        try:
            # The parent in place of the next item keeps all fixtures but those of the function.
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=item.parent)
        finally:
            del item.session.gethookproxy
            SESSION.observer = observer
            SESSION.rows_observer = rows_observer
        self._outcomes.append(held.outcome(answers))
        return self._outcomes[-1]

    def _send(self) -> None:
        """Send the reports of the last attempt to the report of the session, past all other plugins."""
        item = self._item
        if not item.config.pluginmanager.has_plugin("verdict-recorder"):
            return
        carrier = pytest.TestReport(item.nodeid, item.location, {}, "passed", None, "setup")
        to_json = item.config.hook.pytest_report_to_serializable
        phases = [to_json(config=item.config, report=report) for report in self._outcomes[-1].reports]
        info = {**self._info, "attempt": len(self._outcomes)}
        carrier.__dict__.update({RECORDS_ONLY: True, REPEATS: info, PHASES: phases})
        self._hooks.pytest_runtest_logreport(report=carrier)

    def _verdicts(self) -> list[Verdict]:
        return [outcome.attempt.verdict for outcome in self._outcomes if not outcome.is_skipped]

    def _is_stopping(self) -> bool:
        return bool(self._item.session.shouldstop or self._item.session.shouldfail)

    def _tear_down(self, reports: list[pytest.TestReport], nextitem: pytest.Item | None) -> None:
        """Tear down the wider fixtures that the next test does not need; a failure replaces the report of the teardown."""
        item = self._item
        capture = item.config.pluginmanager.get_plugin("capturemanager")
        needed = None if self._is_stopping() else nextitem

        def tear_down() -> None:
            with capture.item_capture("teardown", item) if capture else nullcontext():
                item.session._setupstate.teardown_exact(needed)  # noqa: SLF001 - as pytest-rerunfailures

        reraise = (pytest.exit.Exception, KeyboardInterrupt)
        call = pytest.CallInfo.from_call(tear_down, when="teardown", reraise=reraise)
        report = self._hooks.pytest_runtest_makereport(item=item, call=call)
        if report.failed and not reports[-1].failed:
            reports[-1] = report


def _renew_instance(item: pytest.Item) -> None:
    """Give an attempt an own instance of the test class, as each test has; a function that a plugin replaced stays."""
    if not isinstance(item, pytest.Function) or isinstance(item, TestCaseFunction):
        return
    # Hypothesis refuses to run a test with another instance.
    if not isinstance(item.parent, pytest.Class) or hasattr(item.obj, "is_hypothesis_test"):
        return
    instance = vars(item).pop("_instance", None)
    method = item._getobj()  # type: ignore[no-untyped-call] # noqa: SLF001 - pytest makes an instance nowhere else
    if getattr(item.obj, "__func__", item.obj) is getattr(method, "__func__", method):
        item.obj = method
    else:
        item._instance = instance  # noqa: SLF001 - as above


def _add_decision(reports: Sequence[pytest.TestReport], decision: dict[str, Any]) -> None:
    """Write the result of the whole test into the reports of the attempt that decided."""
    main = next((report for report in reversed(reports) if report.when == "call"), reports[0])
    if decision["verdict"] == "error" and not any(report.failed for report in reports if report.when != "teardown"):
        main.outcome = "failed"
        main.longrepr = f"undecided: {decision['summary']}"
        main.__dict__.pop("wasxfail", None)
    elif decision["verdict"] == "fail":
        main.sections.append((MARKER, decision["summary"]))
    for report in reports:
        setattr(report, REPEATS, decision)


def _forget_failed_subtests(item: pytest.Item, reports: Sequence[pytest.TestReport]) -> None:
    """Leave only those of the reported attempt: pytest fails a test by the number of its failed subtests."""
    try:
        from _pytest.subtests import failed_subtests_key
    except ImportError:
        # pytest 8 has no subtests.
        return
    failed = sum(report.failed and hasattr(report, "context") for report in reports)
    # The first versions of pytest 9 count by node id.
    test: Any = getattr(item, "id", item.nodeid)
    counts: Any = item.config.stash.get(failed_subtests_key, None)
    # A session may leave out the plugin of subtests.
    if counts is not None:
        counts[test] = failed
