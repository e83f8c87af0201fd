"""The ini key and marker ``verdict_unread``: a comparison that did not pass and that nothing looked at fails its test."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _few_plugins(pytester, monkeypatch):
    """Keep other plugins out of the sessions inside: pytest-asyncio warns of what they do not configure."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p verdict -p xdist")


HEAD = (
    "import pytest\nfrom pytest_verdict import Comparator, MismatchError, Operator, UndecidedError\n"
    "from pytest_verdict import assert_matches, compare, expect\n"
)

UNREAD = {
    "compare": 'compare("exact", "Paris", "Rome")',
    "a call of the fixture": 'comparator("exact", "Paris", "Rome")',
    "in a list that is asserted": 'assert [comparator("exact", "Paris", "Rome")]',
    "in a tuple": 'assert (compare("exact", "Paris", "Rome"), "a message")',
    "kept in a name": 'result = compare("exact", "Paris", "Rome")',
    "evidence looked at, but not what came out": 'assert compare("exact", "Paris", "Rome").observed == "Rome"',
    "printed, logged, kept in a set": 'result = compare("exact", "Paris", "Rome"); print(result, [result], {result})',
    "one of two from one line": 'results = [compare("exact", "Paris", "Rome") for _ in range(2)]; first = results[0]\n'
    "    assert not first and not first.passed and first.score == 0.0",
    "its normalization": 'assert compare("exact", "Paris", "Rome").normalization == []',
    "an error": 'compare("numeric_range", [5, 1], None); compare(Broken(), 1, 2)',
    "a verdict that is a true text": 'assert compare("exact", "Paris", "Rome").verdict',
    "a verdict printed or formatted": "print(f\"{compare('exact', 1, 2).verdict}\")",
    "a verdict that is any of several": 'assert compare("exact", 1, 2).verdict != "error"',
    "two equal verdicts": 'assert compare("exact", 1, 2).verdict == compare("exact", 3, 4).verdict',
    "two equal failures": 'assert compare("exact", "Paris", "Rome") == compare("exact", "Paris", "Rome")',
    "a failure equal to itself": 'result = compare("exact", 1, 2); assert result == result and hash(result)',
    "a score that is true": 'assert compare("text_similarity", "Paris", "Parks", threshold=0.9).score',
    "a score that is no less than zero": 'assert compare("exact", 1, 2).score >= 0',
    "a score that is at most one": 'assert 0 <= compare("exact", 1, 2).score <= 1',
    "no error": 'assert compare("exact", 1, 2).error is None',
    "a comparison by == as a statement": 'expect("exact", "Paris") == "Rome"',
    "a comparison by == kept in a name": 'same = "Rome" == expect("exact", "Paris")',
    "an unequal comparison as a statement": '"Paris" != expect("exact", "Paris")',
    "an expectation that is never compared": 'expect("exact", "Paris")',
    "an expectation kept in a name": 'paris = expect("exact", "Paris")',
    "an expectation in a container": 'assert [expect("exact", "Paris")]',
    "an expectation asserted": 'assert expect("exact", "Paris")',
    "an error that is not passed": 'assert compare("numeric_range", [5, 1], 1).passed is False',
    "an error that has not passed": 'assert not compare("numeric_range", [5, 1], 1).passed',
    "an error whose score is zero": 'assert compare("numeric_range", [5, 1], 1).score == 0',
    "an error whose score is no less than zero": 'assert compare("numeric_range", [5, 1], 1).score >= 0',
    "an error whose verdict is no pass": 'assert compare("numeric_range", [5, 1], 1).verdict != "pass"',
    "an error whose notes are read": 'assert compare("numeric_range", [5, 1], 1).notes is not None',
    "an error whose record is read": 'assert compare("numeric_range", [5, 1], 1).to_record()',
    "an error of an evaluation": "from pytest_verdict.suites import Evaluator\n"
    '    assert Evaluator("exact", {"expected": "$.a", "observed": "$.b"}).evaluate({"a": 1}).label is None',
    "an error where a failure is expected": "with pytest.raises(AssertionError):\n"
    '        assert_matches("numeric_range", [5, 1], 1)',
    "an error by == where a failure is expected": "with pytest.raises(MismatchError):\n"
    '        assert 1 == expect("numeric_range", [5, 1])',
    "any exception is expected": 'with pytest.raises(Exception):\n        assert_matches("exact", 1, 2)',
    "suppressed": "import contextlib\n    with contextlib.suppress(AssertionError):\n"
    '        assert_matches("exact", 1, 2)',
    "caught": 'try:\n        assert_matches("exact", 1, 2)\n    except Exception:\n        pass',
    "caught by name": 'try:\n        assert_matches("exact", 1, 2)\n    except MismatchError as error:\n'
    "        print(error)",
    "raised in a thread": "import threading\n"
    "    thread = threading.Thread(target=assert_matches, args=('exact', 1, 2))\n"
    "    thread.start(); thread.join()",
    "in a future that nobody asks": "from concurrent.futures import ThreadPoolExecutor\n"
    "    with ThreadPoolExecutor() as pool:\n        pool.submit(assert_matches, 'exact', 1, 2)",
    "gathered with return_exceptions": "import asyncio\n    async def check():\n"
    '        assert_matches("exact", 1, 2)\n    async def main():\n'
    "        await asyncio.gather(check(), return_exceptions=True)\n    asyncio.run(main())",
    "in a task that nobody awaits": "import asyncio\n    async def check():\n"
    '        assert_matches("exact", 1, 2)\n    async def main():\n'
    "        task = asyncio.create_task(check())\n        await asyncio.sleep(0)\n    asyncio.run(main())",
    "soft checks of which nobody hears": "import contextlib\n    with contextlib.suppress(AssertionError):\n"
    '        with comparator.collect():\n            comparator("exact", 1, 2)',
    "finally with a return": 'def check():\n        try:\n            assert_matches("exact", 1, 2)\n'
    "        finally:\n            return True\n    assert check()",
    "before a skip": 'compare("exact", "Paris", "Rome"); pytest.skip("no reason")',
    "before an xfail": 'compare("exact", "Paris", "Rome"); pytest.xfail("no reason")',
    "in a thread": "import threading\n    thread = threading.Thread(target=compare, args=('exact', 'Paris', 'Rome'))\n"
    "    thread.start(); thread.join()",
    "a template": "from pytest_verdict.templates import BaseAnswer, ExactMatch, VerifiedField\n"
    '    class A(BaseAnswer):\n        city: str = VerifiedField("The city", ground_truth="Paris", verify_with=ExactMatch())\n'
    '    answer_template(A).verify({"city": "Rome"})',
    "a template that is printed": "from pytest_verdict.templates import BaseAnswer, ExactMatch, VerifiedField\n"
    '    class A(BaseAnswer):\n        city: str = VerifiedField("The city", ground_truth="Paris", verify_with=ExactMatch())\n'
    '    print(answer_template(A).verify({"city": "Rome"}))',
    "in a block that raises what the test expects": "with pytest.raises(ValueError):\n"
    '        with comparator.collect():\n            comparator("exact", "Paris", "Rome")\n            raise ValueError',
    "an evaluation": "from pytest_verdict.suites import Evaluator\n"
    '    Evaluator("exact", {"expected": "$.a", "observed": "$.b"}).evaluate({"a": 1, "b": 2})',
    "a blind comparison": "from pytest_verdict.blind import blind_compare\n"
    '    blind_compare("a", "b", "Write.", lambda request: "no verdict")',
}

READ = {
    "not": 'assert not compare("exact", "Paris", "Rome")',
    "passed": 'assert compare("exact", "Paris", "Rome").passed is False',
    "verdict": 'assert compare("exact", "Paris", "Rome").verdict == "fail"',
    "score": 'assert compare("exact", "Paris", "Rome").score == 0.0',
    "notes": 'assert compare("numeric_exact", 1, "x").notes == ["not_a_number"]',
    "report": 'assert compare("exact", "Paris", "Rome").to_report()["verdict"] == "fail"',
    "raises": 'with pytest.raises(AssertionError):\n        assert_matches("exact", "Paris", "Rome")',
    "raises at the end of a block": "with pytest.raises(AssertionError):\n"
    '        with comparator.collect():\n            comparator("exact", "Paris", "Rome")',
    "raises by name": 'with pytest.raises(MismatchError) as caught:\n        assert_matches("exact", 1, 2)\n'
    "    assert not caught.value.result",
    "raises called": 'pytest.raises(AssertionError, assert_matches, "exact", 1, 2)',
    "raises on an exit stack": "import contextlib\n    with contextlib.ExitStack() as stack:\n"
    '        stack.enter_context(pytest.raises(MismatchError))\n        assert_matches("exact", 1, 2)',
    "raises in a context manager": "import contextlib\n    @contextlib.contextmanager\n    def fails():\n"
    "        with pytest.raises(MismatchError):\n            yield\n"
    '    with fails():\n        assert_matches("exact", 1, 2)',
    "raises in a group": "with pytest.RaisesGroup(MismatchError):\n        try:\n"
    '            assert_matches("exact", 1, 2)\n        except MismatchError as error:\n'
    '            raise ExceptionGroup("several", [error])',
    "assertRaises": "import unittest\n    with unittest.TestCase().assertRaises(AssertionError):\n"
    '        assert_matches("exact", 1, 2)',
    "an error that is expected": "with pytest.raises(UndecidedError):\n"
    '        assert_matches("numeric_range", [5, 1], 1)',
    "an error that is read": 'assert "bounds" in compare("numeric_range", [5, 1], 1).error',
    "an error by its verdict": 'assert compare("numeric_range", [5, 1], 1).verdict == "error"',
    "an error among verdicts": 'assert compare("numeric_range", [5, 1], 1).verdict in ("fail", "error")',
    "a verdict that is no pass": 'assert compare("exact", 1, 2).verdict != "pass"',
    "a verdict in a set": 'assert compare("exact", 1, 2).verdict in {"fail", "error"}',
    "a verdict by match": 'match compare("exact", 1, 2).verdict:\n        case "fail":\n            pass',
    "a verdict of a record": 'assert compare("exact", 1, 2).to_record()["verdict"] == "fail"',
    "a score below": 'assert compare("exact", 1, 2).score < 0.5',
    "a score above another bound": 'assert compare("text_similarity", "Paris", "Parks", threshold=0.9).score > 0.5',
    "a score rounded": 'assert round(compare("exact", 1, 2).score, 2) == 0',
    "scores added": 'assert sum(compare("exact", 1, n).score for n in (1, 2)) == 1',
    "an approximate score": 'assert compare("exact", 1, 2).score == pytest.approx(0)',
    "a close score": 'import math\n    assert math.isclose(compare("exact", 1, 2).score, 0.0)',
    "a score compared again": 'compare("numeric_range", [0, 1], compare("exact", 1, 2).score)',
    "equal": 'assert not "Rome" == expect("exact", "Paris")',
    "in a list": 'assert "Rome" not in [expect("exact", "Paris")]',
    "in a dict": 'assert {"city": "Rome", "n": 1} != {"city": expect("exact", "Paris"), "n": 1}',
    "an expectation beside another": 'assert "Rome" in [expect("exact", "Rome"), expect("exact", "Paris")]',
    "an expectation of a loop": 'paris = expect("exact", "Paris")\n    assert [c for c in ("Rome", "Paris") if c == paris]',
    "unequal": 'assert "Rome" != expect("exact", "Paris")',
    "passes": 'compare("exact", "Paris", "Paris")',
    "any": 'assert any([compare("exact", "Paris", "Rome"), compare("exact", 1, 1)])',
    "a label": "from pytest_verdict.suites import Evaluator\n"
    '    assert Evaluator("exact", {"expected": "$.a", "observed": "$.b"}).evaluate({"a": 1, "b": 2}).label == "false"',
    "not an evaluation": "from pytest_verdict.suites import Evaluator\n"
    '    assert not Evaluator("exact", {"expected": "$.a", "observed": "$.b"}).evaluate({"a": 1, "b": 2})',
    "a part of an aggregate": 'assert compare("any_of", 1, "1", conditions=["exact", "numeric_exact"])',
}

BROKEN = """
class Broken(Operator):
    name = "broken"

    def evaluate(self, expected, observed):
        raise OSError("gone")
"""


def module(statements):
    tests = [
        f"def test_{number}(comparator, answer_template):\n    {statement}\n"
        for number, statement in enumerate(statements)
    ]
    return HEAD + BROKEN + "\n".join(tests)


@pytest.mark.ci
@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_unchecked_failure_fails_its_test(pytester, few_plugins, workers):
    pytester.makepyfile(test_it=module(UNREAD.values()))
    run = pytester.runpytest_inprocess("-p", "xdist", workers, "-q", "-W", "ignore::pytest.PytestAssertRewriteWarning")
    run.assert_outcomes(failed=len(UNREAD))


@pytest.mark.parametrize("workers", ["-n0", pytest.param("-n2", marks=pytest.mark.ci)])
def test_checked_failure_does_not_fail_its_test(pytester, few_plugins, workers):
    pytester.makepyfile(test_it=module(READ.values()))
    run = pytester.runpytest_inprocess("-p", "xdist", workers, "-q", "--verify-report")
    run.assert_outcomes(passed=len(READ))


def test_unchecked_failure_shows_block_and_line(pytester):
    pytester.makepyfile(test_it=HEAD + 'def test_it():\n    compare("exact", "Paris", "Rome")\n')
    run = pytester.runpytest("-q")
    run.stdout.fnmatch_lines(
        [
            "exact: expected 'Paris', got 'Rome'",
            "  normalization: none",
            "  made at test_it.py:5; nothing looked at it",
            "*verdict_unread('ignore')*",
        ]
    )


def test_comparison_of_fixture_may_be_checked_by_test(pytester):
    pytester.makepyfile(
        test_it=HEAD
        + """
@pytest.fixture
def made():
    return compare("exact", 1, 2)

@pytest.fixture(scope="module")
def many():
    return {number: compare("exact", number, 0) for number in range(1, 4)}

def test_looks(made):
    assert made.verdict == "fail"

def test_does_not_look(made):
    pass

@pytest.mark.parametrize("number", [1, 2])
def test_each(many, number):
    assert not many[number]
"""
    )
    run = pytester.runpytest("-q")
    # The third of the many is looked at by no test.
    run.assert_outcomes(passed=3, failed=1, errors=1)
    run.stdout.fnmatch_lines(["*ERROR at teardown of test_each?2?*", "exact: expected 3, got 0"])


def test_unchecked_failure_in_teardown_fails_teardown(pytester):
    pytester.makepyfile(
        test_it=HEAD
        + '@pytest.fixture\ndef down():\n    yield\n    compare("exact", 1, 2)\n\ndef test_it(down):\n    pass\n'
    )
    pytester.runpytest("-q").assert_outcomes(passed=1, errors=1)


@pytest.mark.every(3)
@pytest.mark.parametrize(
    ("ini", "mark", "outcomes"),
    [
        ("ignore", "", {"passed": 1}),
        ("warn", "", {"passed": 1, "warnings": 1}),
        ("fail", "", {"failed": 1}),
        ("fail", '@pytest.mark.verdict_unread("ignore")', {"passed": 1}),
        ("fail", '@pytest.mark.verdict_unread(mode="warn")', {"passed": 1, "warnings": 1}),
        ("ignore", '@pytest.mark.verdict_unread("fail")', {"failed": 1}),
        ("fail", '@pytest.mark.verdict_unread("ignroe")', {"failed": 1}),
        ("ignore", "@pytest.mark.xfail(strict=True)", {"failed": 1}),
        ("fail", "@pytest.mark.xfail(strict=True)", {"xfailed": 1}),
    ],
)
def test_ini_key_and_marker_set_the_mode(pytester, ini, mark, outcomes):
    pytester.makeini(f"[pytest]\nverdict_unread = {ini}\n")
    pytester.makepyfile(test_it=f'{HEAD}{mark}\ndef test_it():\n    compare("exact", 1, 2)\n')
    pytester.runpytest("-q", "-W", "default").assert_outcomes(**outcomes)


@pytest.mark.every(4)
@pytest.mark.parametrize(
    ("ini", "arguments", "outcomes"),
    [
        ("ignore", (), {"passed": 1}),
        ("warn", (), {"passed": 1, "warnings": 1}),
        ("warn", ("-W", "error"), {"passed": 1, "errors": 1}),
        ("fail", (), {"passed": 1, "errors": 1}),
    ],
)
@pytest.mark.parametrize("scope", ["class", "module", "session"])
def test_ini_key_sets_the_mode_of_wider_fixtures(pytester, scope, ini, arguments, outcomes):
    pytester.makeini(f"[pytest]\nverdict_unread = {ini}\n")
    fixture = f'@pytest.fixture(scope="{scope}")\ndef wide():\n    return compare("exact", 1, 2)\n'
    pytester.makepyfile(test_it=f"{HEAD}{fixture}\ndef test_it(wide):\n    pass\n")
    run = pytester.runpytest("-q", *(arguments or ("-W", "default")))
    run.assert_outcomes(**outcomes)
    assert ("exact: expected 1, got 2" in run.stdout.str()) == (ini != "ignore")


def test_warnings_that_are_errors_fail_the_test(pytester):
    pytester.makeini("[pytest]\nverdict_unread = warn\nfilterwarnings = error\n")
    pytester.makepyfile(test_it=f'{HEAD}\ndef test_it():\n    compare("exact", 1, 2)\n')
    pytester.runpytest("-q").assert_outcomes(failed=1)


def test_unknown_mode_is_rejected(pytester):
    pytester.makeini("[pytest]\nverdict_unread = ignroe\n")
    run = pytester.runpytest("-q")
    assert run.ret == pytest.ExitCode.USAGE_ERROR
    run.stderr.fnmatch_lines(
        ["*verdict_unread: 'ignroe' is no mode. Did you mean 'ignore'? Allowed: fail, ignore, warn."]
    )


def test_unittest_case_is_watched(pytester):
    pytester.makepyfile(
        test_it="import unittest\nfrom pytest_verdict import compare\n\n"
        'class Case(unittest.TestCase):\n    def test_it(self):\n        compare("exact", 1, 2)\n'
    )
    pytester.runpytest("-q").assert_outcomes(failed=1)


@pytest.mark.ci
def test_memory_is_bounded_and_late_checks_count(pytester):
    pytester.makepyfile(
        test_it=HEAD
        + """
def test_many():
    for number in range(20_000):
        compare("exact", number, -1)

def test_all_are_read_in_the_end():
    results = [compare("exact", number, -1) for number in range(20_000)]
    assert not any(results)

def test_all_but_one(kept=[]):
    results = [compare("exact", number, -1) for number in range(20_000)]
    assert not any(results[:-1])
"""
    )
    run = pytester.runpytest("-q")
    run.assert_outcomes(passed=1, failed=2)
    run.stdout.fnmatch_lines(["20000 comparisons did not pass*", "... and 19995 more", "1 comparison did not pass*"])


def test_checking_an_earlier_result_does_not_check_this_one(pytester):
    pytester.makepyfile(
        HEAD
        + """
kept = []

def make():
    return compare("exact", "Paris", "Rome")

@pytest.mark.verdict_unread("ignore")
def test_keeps():
    kept.append(make())

def test_looks_at_the_other():
    make()
    assert not kept[0]
"""
    )
    pytester.runpytest().assert_outcomes(passed=1, failed=1)


def test_watched_result_can_be_pickled_and_copied(pytester):
    pytester.makepyfile(
        test_it="import copy, pickle\n"
        + HEAD
        + """
def test_it():
    result = compare("exact", 1, 2)
    assert not result
    assert pickle.loads(pickle.dumps(result)) == copy.deepcopy(result) == result
"""
    )
    pytester.runpytest("-q").assert_outcomes(passed=1)
