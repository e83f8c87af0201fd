"""Repeats of a test: one item runs all attempts, and pytest gets the reports of the attempt that decided."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pytest

from pytest_verdict.session import SESSION

if TYPE_CHECKING:
    from pytest_verdict.core.record_members import Verdict
    from pytest_verdict.core.result import ComparisonResult
    from pytest_verdict.repeats.rules import Rule
    from pytest_verdict.repeats.stability import Answer, Attempt

MARKER: Final = "verdict_repeat"
DIAGNOSE: Final = "verdict_diagnose"
REPEATS: Final = "verdict_repeats"
"""The attribute of a report with what is known about the repeats of its test."""

PHASES: Final = "verdict_phases"
"""The attribute of a report that carries the reports of an attempt, as JSON values."""

_RULE: Final = pytest.StashKey["Rule"]()
_RERUNS: Final = ("reruns", "force_reruns", "force_flaky")
_STRICT_XPASS: Final = "[XPASS(strict)]"
_LONGEST_REASON: Final = 200


class _Outcome(NamedTuple):
    """An attempt, the reports of its phases and subtests, and whether it was skipped."""

    attempt: Attempt
    reports: Sequence[pytest.TestReport]
    is_skipped: bool


class _HeldHooks:
    """The hooks of an item while an attempt runs: its reports are held, because pytest would count each attempt."""

    def __init__(self, hooks: Any) -> None:
        self._hooks = hooks
        self.reports: list[pytest.TestReport] = []
        self.has_raised = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._hooks, name)

    def pytest_runtest_logstart(self, **_: Any) -> None:
        """The item has started already."""

    pytest_runtest_logfinish = pytest_runtest_logstart

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        from pytest_verdict.pytest_plugin.recorder import RECORDS_ONLY

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


class Repeats:
    """Runs the attempts of repeated tests where tests run, and tells their results where reports arrive."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._diagnose = _read_diagnose(config)
        self._budget = _share_of_budget(config)
        self._is_in_attempt = False
        self._refused: dict[pytest.Item, str] = {}
        # Tests that started, with the number of attempts that ended, and the decisions.
        self._started: dict[str, int] = {}
        self._results: dict[str, dict[str, Any]] = {}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        number = self._config.option.verdict_repeat
        for item in items:
            marker = item.get_closest_marker(MARKER)
            if marker is None and number is None:
                continue
            from pytest_verdict.errors import ConfigurationError
            from pytest_verdict.repeats.rules import read_rule

            try:
                rule = read_rule([number], {}) if marker is None else read_rule(marker.args, marker.kwargs)
                if rule.most > 1:
                    _check_item(item)
                    item.stash[_RULE] = rule
            except ConfigurationError as error:
                name = "--verdict-repeat" if marker is None else MARKER
                if not hasattr(self._config, "workerinput"):
                    raise pytest.UsageError(f"{item.nodeid}: {name}: {error}") from None
                # pytest-xdist would end with INTERNALERROR.
                self._refused[item] = f"{name}: {error}"

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        if item in self._refused:
            pytest.fail(self._refused[item], pytrace=False)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
        rule = item.stash.get(_RULE, None)
        if rule is None or self._is_in_attempt or item.config.option.setuponly:
            return None
        cancel_timer = getattr(item.config.hook, "pytest_timeout_cancel_timer", None)
        if cancel_timer is not None:
            # Each attempt has the time of a test.
            cancel_timer(item=item)
        hooks = item.ihook
        hooks.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        reports = self._repeat(item, rule, nextitem)
        _forget_failed_subtests(item, reports)
        for report in reports:
            hooks.pytest_runtest_logreport(report=report)
        hooks.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    def _repeat(self, item: pytest.Item, rule: Rule, nextitem: pytest.Item | None) -> Sequence[pytest.TestReport]:
        """Run the attempts of a test, and return the reports for pytest."""
        from pytest_verdict.repeats.stability import describe, name_stability

        info: dict[str, Any] = {"needs": rule.needs, "most": rule.most}
        outcomes: list[_Outcome] = []
        is_exhausted = False
        while True:
            outcome = self._run_attempt(item, len(outcomes) + 1)
            if outcome.is_skipped and not outcomes:
                return [*outcome.reports, *_tear_down(item, nextitem)]
            outcomes.append(outcome)
            verdicts = _verdicts(outcomes)
            if outcome.is_skipped or rule.is_decided(verdicts):
                break
            if item.session.shouldstop or item.session.shouldfail:
                self._send(item, outcome, info | {"attempt": len(outcomes)})
                return ()
            if not self._spend():
                is_exhausted = True
                break
            self._send(item, outcome, info | {"attempt": len(outcomes)})

        deciding = outcomes[-1]
        number = len(outcomes)
        if deciding.is_skipped and "fail" not in verdicts and "error" not in verdicts:
            summary = f"{verdicts.count('pass')} of {len(verdicts)} passed, then attempt {number} was skipped"
            decided = {"verdict": "skipped", "stability": "", "summary": summary}
            self._send(item, deciding, info | {"attempt": number})
            return _with_info(deciding, outcomes, info | decided | {"attempt": number}, _tear_down(item, nextitem))

        decision = self._decide(item, rule, verdicts)
        self._send(item, deciding, info | {"attempt": number})
        more = self._run_more(item, outcomes, info) if decision.verdict == "fail" else []
        attempts = [outcome.attempt for outcome in outcomes if not outcome.is_skipped]
        extra = [outcome.attempt for outcome in more if not outcome.is_skipped]
        summary = describe(rule, attempts, extra, decision)
        if is_exhausted:
            summary += "; the budget of the session is used up"
        if deciding.is_skipped:
            summary += f"; attempt {number} was skipped"
        if SESSION.redaction is not None:
            summary = SESSION.redaction(summary)
        decided = {
            "attempt": number,
            "verdict": decision.verdict,
            "stability": name_stability([*attempts, *extra]),
            "summary": summary,
        }
        return _with_info(deciding, [*outcomes, *more], info | decided, _tear_down(item, nextitem))

    def _run_more(self, item: pytest.Item, outcomes: Sequence[_Outcome], info: dict[str, Any]) -> list[_Outcome]:
        """Run a test that never passed again, to tell whether it ever does; these attempts count nowhere else."""
        more: list[_Outcome] = []
        is_expected = any(hasattr(report, "wasxfail") for report in outcomes[-1].reports)
        if is_expected or item.config.option.usepdb or "pass" in _verdicts(outcomes):
            return more
        while len(outcomes) + len(more) <= self._diagnose and not (item.session.shouldstop or item.session.shouldfail):
            if not self._spend():
                break
            number = len(outcomes) + len(more) + 1
            more.append(self._run_attempt(item, number))
            self._send(item, more[-1], info | {"attempt": number})
            if more[-1].is_skipped or more[-1].attempt.verdict == "pass":
                break
        return more

    def _run_attempt(self, item: pytest.Item, number: int) -> _Outcome:
        from pytest_verdict.pytest_plugin.attempts import first_line
        from pytest_verdict.repeats.stability import Attempt

        # The recorder numbers attempts by it, as pytest-rerunfailures does.
        item.execution_count = number  # type: ignore[attr-defined]
        item._report_sections.clear()  # noqa: SLF001 - `add_report_section` has no counterpart
        if number > 1:
            item.user_properties = []
        held = _HeldHooks(item.ihook)
        self._is_in_attempt = True
        with _replaced(item.session, "gethookproxy", lambda _: held), _observed_answers() as answers:
            try:
                # The parent in place of the next item keeps all fixtures but those of the function.
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=item.parent)
            finally:
                self._is_in_attempt = False
        verdict, decisive = _judge(held)
        reason = ""
        if decisive is not None:
            reason = first_line(decisive, SESSION.redaction or str)[:_LONGEST_REASON]
        seen = None if None in answers else [answer for answer in answers if answer is not None]
        return _Outcome(Attempt(verdict or "pass", reason, seen), held.reports, is_skipped=verdict is None)

    def _decide(self, item: pytest.Item, rule: Rule, verdicts: Sequence[Verdict]) -> ComparisonResult:
        from pytest_verdict.core.result import ComparisonResult

        recorder = self._config.pluginmanager.get_plugin("verdict-recorder")
        place = nullcontext() if recorder is None else recorder.placed_at(item)
        with place:
            decision = rule.decide(verdicts)
        # Both are looks, because the reports of the test tell them; what was looked at needs no watch.
        _ = decision.passed, decision.error
        return ComparisonResult(**decision.parts())

    def _send(self, item: pytest.Item, outcome: _Outcome, info: dict[str, Any]) -> None:
        """Send the reports of an attempt to the report of the session, past all other plugins."""
        if not self._config.pluginmanager.has_plugin("verdict-recorder"):
            return
        from pytest_verdict.pytest_plugin.recorder import RECORDS_ONLY

        carrier = pytest.TestReport(item.nodeid, item.location, {}, "passed", None, "setup")
        to_json = item.config.hook.pytest_report_to_serializable
        phases = [to_json(config=item.config, report=report) for report in outcome.reports]
        carrier.__dict__.update({RECORDS_ONLY: True, REPEATS: info, PHASES: phases})
        item.ihook.pytest_runtest_logreport(report=carrier)

    def _spend(self) -> bool:
        """Take one attempt from the budget; return whether there was one."""
        if self._budget is None:
            return True
        self._budget -= 1
        return self._budget >= 0

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        info = report.__dict__.get(REPEATS)
        if info is None:
            return
        if "verdict" in info:
            self._started.pop(report.nodeid, None)
            self._results[report.nodeid] = info
        else:
            self._started[report.nodeid] = info["attempt"]

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        from pytest_verdict.core.values.display import format_count, visible
        from pytest_verdict.pytest_plugin.names import report_name

        name = report_name(self._config, SESSION.redaction)
        lines = []
        steady = []
        for nodeid, info in sorted(self._results.items()):
            word = "undecided" if info["verdict"] == "error" else info["stability"] or info["verdict"]
            if word == "pass" and self._config.get_verbosity() < 1:
                steady.append(info["attempt"])
            else:
                lines.append((f"{word}: {name(nodeid)}: {info['summary']}", info["verdict"] in {"pass", "skipped"}))
        for nodeid, number in sorted(self._started.items()):
            ended = f"{format_count(number, 'attempt')} ended, and the session before a verdict"
            lines.append((f"unfinished: {name(nodeid)}: {ended}", False))
        if steady and self._config.get_verbosity() >= -1:
            tests = format_count(len(steady), "repeated test")
            lines.append((f"{tests} passed in all of {format_count(sum(steady), 'attempt')}", True))
        if lines:
            terminalreporter.write_sep("=", "repeats")
        for line, is_good in lines:
            terminalreporter.write_line(visible(line), red=not is_good)


def _check_item(item: pytest.Item) -> None:
    """Refuse items that cannot run twice, and plugins that run a failed test again until it passes."""
    from pytest_verdict.errors import ConfigurationError

    if not isinstance(item, pytest.Function):
        raise ConfigurationError(
            f"only test functions are repeated, and this is a {type(item).__name__}; leave it out of the selection. A"
            " suite sets `repeats:` itself"
        )
    option = item.config.option
    rerunner = next((f"--{name.replace('_', '-')}" for name in _RERUNS if getattr(option, name, None)), "")
    if not rerunner and hasattr(option, "reruns") and item.config.getini("reruns"):
        rerunner = "the ini key reruns"
    is_flaky = item.get_closest_marker("flaky") or hasattr(item.obj, "_flaky_max_runs")
    if not rerunner and is_flaky and (hasattr(option, "reruns") or hasattr(option, "force_flaky")):
        rerunner = "the marker flaky"
    if rerunner:
        raise ConfigurationError(f"{rerunner} runs a failed test again until it passes; use one of the two")


def _read_diagnose(config: pytest.Config) -> int:
    for name in ("verdict_repeat", "verdict_repeat_budget"):
        number = getattr(config.option, name)
        least = 1 if name == "verdict_repeat" else 0
        if number is not None and number < least:
            raise pytest.UsageError(f"--{name.replace('_', '-')}: a whole number from {least} is needed, got {number}")
    text = str(config.getini(DIAGNOSE))
    if not (text.isascii() and text.isdecimal() and len(text) < 5):
        raise pytest.UsageError(f"{DIAGNOSE}: a whole number from 0 to 9999 is needed, got {text!r}")
    return int(text)


def _share_of_budget(config: pytest.Config) -> int | None:
    """Return the part of the session's budget that belongs to this process."""
    budget: int | None = config.option.verdict_repeat_budget
    worker = getattr(config, "workerinput", None)
    if budget is None or worker is None:
        return budget
    share, rest = divmod(budget, worker["workercount"])
    return share + (int(worker["workerid"].removeprefix("gw")) < rest)


def _judge(held: _HeldHooks) -> tuple[Verdict | None, pytest.TestReport | None]:
    """Return the verdict of an attempt, None if it was skipped, and the report that decides it."""
    for report in held.reports:
        # pytest fails a test that was expected to fail and passed.
        if report.failed and not str(report.longrepr).startswith(_STRICT_XPASS):
            return ("error" if held.has_raised else "fail"), report
    # A skipped subtest skips nothing else.
    skipped = next((report for report in held.reports if report.skipped and not hasattr(report, "context")), None)
    if skipped is None:
        return "pass", None
    return ("fail" if hasattr(skipped, "wasxfail") else None), skipped


def _verdicts(outcomes: Sequence[_Outcome]) -> list[Verdict]:
    return [outcome.attempt.verdict for outcome in outcomes if not outcome.is_skipped]


def _tear_down(item: pytest.Item, nextitem: pytest.Item | None) -> list[pytest.TestReport]:
    """Tear down the wider fixtures that the next test does not need; return the report of a failure."""
    stopping = item.session.shouldstop or item.session.shouldfail
    capture = item.config.pluginmanager.get_plugin("capturemanager")

    def tear_down() -> None:
        with capture.item_capture("teardown", item) if capture else nullcontext():
            item.session._setupstate.teardown_exact(None if stopping else nextitem)  # noqa: SLF001 - as rerunfailures

    reraise = (pytest.exit.Exception, KeyboardInterrupt)
    call = pytest.CallInfo.from_call(tear_down, when="teardown", reraise=reraise)
    report = item.ihook.pytest_runtest_makereport(item=item, call=call)
    return [report] if report.failed else []


def _forget_failed_subtests(item: pytest.Item, reports: Sequence[pytest.TestReport]) -> None:
    """Leave only those of the reported attempt: pytest fails a test by the number of its failed subtests."""
    try:
        from _pytest.subtests import failed_subtests_key
    except ImportError:
        # pytest 8 has no subtests.
        return
    failed = sum(report.failed and hasattr(report, "context") for report in reports)
    item.config.stash[failed_subtests_key][getattr(item, "id", item.nodeid)] = failed


def _with_info(
    deciding: _Outcome, outcomes: Sequence[_Outcome], info: dict[str, Any], failed: Sequence[pytest.TestReport]
) -> list[pytest.TestReport]:
    """Return the reports of the attempt that decided, which say what the whole test came to."""
    reports = list(deciding.reports)
    has_failed = any(report.failed for report in reports)
    if failed and not any(report.failed for report in reports if report.when == "teardown"):
        reports[-1:] = failed
    main = next((report for report in reversed(reports) if report.when == "call"), reports[0])
    if info["verdict"] == "error" and not has_failed:
        main.outcome = "failed"
        main.longrepr = f"undecided: {info['summary']}"
        main.__dict__.pop("wasxfail", None)
    elif info["verdict"] == "fail":
        main.sections.append((MARKER, info["summary"]))
    others = (outcome for outcome in outcomes if outcome is not deciding)
    main.duration += sum(report.duration for outcome in others for report in outcome.reports)
    for report in reports:
        setattr(report, REPEATS, info)
    return reports


@contextmanager
def _replaced(owner: Any, name: str, value: Callable[..., Any]) -> Iterator[None]:
    """Replace a method of one object; pytest offers no other way to hold reports back from every plugin."""
    setattr(owner, name, value)
    try:
        yield
    finally:
        delattr(owner, name)


@contextmanager
def _observed_answers() -> Iterator[list[Answer | None]]:
    """Collect what is compared; None stands for rows of a data set, whose answers are not read."""
    from pytest_verdict.core.values.encoding import content_digest
    from pytest_verdict.repeats.stability import Answer
    from pytest_verdict.report.summary import is_answer

    answers: list[Answer | None] = []
    observer = SESSION.observer
    rows_observer = SESSION.rows_observer

    def observe(result: ComparisonResult) -> ComparisonResult:
        if is_answer(result.operator):
            label = f"{result.operator} {result.name!r}" if result.name else result.operator
            answers.append(Answer(label, content_digest(result.observed), result.verdict))
        return result if observer is None else observer(result)

    def observe_rows(rows: Any) -> None:
        answers.append(None)
        if rows_observer is not None:
            rows_observer(rows)

    SESSION.observer = observe
    SESSION.rows_observer = observe_rows
    try:
        yield answers
    finally:
        SESSION.observer = observer
        SESSION.rows_observer = rows_observer
