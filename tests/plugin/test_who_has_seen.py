"""Which use of a comparison that did not pass checks it, and which failures reach the report of their test."""

from __future__ import annotations

import pytest

HEAD = """
import asyncio, concurrent.futures, contextlib, enum, copy, json, logging, pickle, threading, unittest.mock
import pytest
from pytest_verdict import Comparator, MismatchError, UndecidedError, assert_matches, compare, expect

FAIL = ("exact", "Paris", "Rome")
ERROR = ("regex", "(", "a")
SIMILAR = ("text_similarity", "kitten", "sitting")

def raising():
    assert_matches(*FAIL)

def in_thread(function):
    thread = threading.Thread(target=function)
    thread.start()
    thread.join()

async def wrong():
    assert_matches(*FAIL)

async def gathered():
    return await asyncio.gather(wrong(), wrong(), return_exceptions=True)

async def forgotten():
    task = asyncio.ensure_future(wrong())
    await asyncio.sleep(0)
    return task.done()
"""

NOT_SEEN = [
    # An expectation that is not compared, or whose result is not used.
    'expect("exact", "Paris") == "Rome"',
    '"Rome" == expect("exact", "Paris")',
    '"Paris" != expect("exact", "Paris")',
    'expect("exact", "Paris")',
    'assert expect("exact", "Paris")',
    'assert not expect("exact", "Paris")',
    'assert [expect("exact", "Paris")]',
    'assert ("Rome", expect("exact", "Paris"))',
    'assert "Rome" is not expect("exact", "Paris")',
    'assert expect("exact", "Paris") is not None',
    'x = expect("exact", "Paris")',
    'print(expect("exact", "Paris"))',
    'x = "Rome" in [expect("exact", "Paris")]',
    'x = "Rome" == expect("exact", "Paris")',
    '"Rome" in [expect("exact", "Paris")]',
    '["Rome"] == [expect("exact", "Paris")]',
    '{"a": "Rome"} == {"a": expect("exact", "Paris")}',
    '[expect("exact", "Paris")].count("Rome")',
    'assert [["Rome"] == [expect("exact", "Paris")] for _ in range(0)] == []; "Rome" == expect("exact", "Paris")',
    'all(["Rome" == expect("exact", "Paris")])',
    'assert pytest.approx(5) != expect("numeric_exact", 5)',
    'assert unittest.mock.ANY == expect("exact", "Paris")',
    'assert ["Rome" == expect("exact", "Paris")]',
    'assert ("Rome" == expect("exact", "Paris"), "a message")',
    # A result that is not used.
    "assert compare(*FAIL) == compare(*FAIL)",
    "assert compare(*FAIL) != compare(*SIMILAR)",
    "assert compare(*FAIL) in [compare(*FAIL)]",
    "assert compare(*FAIL) is not None",
    "assert compare(*FAIL) != None",
    "assert compare(*FAIL) != True",
    "assert compare(*FAIL) is not True",
    "assert compare(*FAIL).verdict",
    "assert compare(*FAIL).verdict is not None",
    "assert compare(*FAIL).verdict != None",
    "assert len(compare(*FAIL).verdict)",
    "assert compare(*FAIL).verdict == compare(*FAIL).verdict",
    "assert compare(*SIMILAR).score",
    "assert compare(*SIMILAR).score == compare(*SIMILAR).score",
    "s = compare(*SIMILAR).score; assert 0 <= s <= 1; print(s)",
    "assert compare(*FAIL).error is None",
    "assert not compare(*FAIL).error",
    "assert compare(*FAIL).threshold",
    "assert compare(*FAIL).operator == 'exact'",
    "assert repr(compare(*FAIL))",
    "assert str(compare(*FAIL))",
    "assert f'{compare(*FAIL)}'",
    "assert f'{compare(*FAIL).verdict}'",
    "assert f'{compare(*SIMILAR).score:.2f}'",
    "assert '%s' % compare(*SIMILAR)",
    "print(compare(*FAIL).verdict, compare(*SIMILAR).score)",
    "logging.getLogger().warning('%s', compare(*FAIL).verdict)",
    "assert pickle.dumps(compare(*FAIL))",
    "assert copy.copy(compare(*FAIL)).verdict == 'fail'",
    "assert {compare(*FAIL)}",
    "compare(*FAIL).passed",
    "x = compare(*FAIL).passed",
    "x = not compare(*FAIL)",
    "bool(compare(*FAIL))",
    "not compare(*FAIL)",
    "all([compare(*FAIL)])",
    "any([compare(*FAIL)])",
    # Only its error checks an error.
    "assert compare(*ERROR).passed is False",
    "assert not compare(*ERROR).passed",
    "assert compare(*ERROR).score >= 0",
    "isinstance(compare(*ERROR).error, str)",
    "print(isinstance(compare(*ERROR).error, str))",
    "assert [isinstance(compare(*ERROR).error, str)]",
    "unittest.TestCase().assertIsNotNone(compare(*FAIL).error)",
    "V = enum.Enum('V', {'PASS': 'pass'}, type=str); assert compare(*ERROR).verdict != V.PASS",
    "assert compare(*ERROR).score == 0",
    "assert compare(*ERROR).verdict != 'pass'",
    "assert compare(*ERROR).verdict not in {'pass', 'fail'}",
    "assert compare(*ERROR).verdict not in ('pass',)",
    "assert compare(*ERROR).verdict.startswith('e')",
    "assert compare(*ERROR).notes == ['invalid_regex_pattern']",
    "assert compare(*ERROR).to_text()",
    "assert not compare(*ERROR)",
    "with pytest.raises(MismatchError):\n        assert not compare(*ERROR)",
    "with pytest.raises(AssertionError):\n        assert_matches(*ERROR)",
    "with pytest.raises(MismatchError):\n        assert_matches(*ERROR)",
    "with contextlib.suppress(AssertionError):\n        assert not compare(*ERROR)",
    "compare(*ERROR).error",
    # A failure that nobody hears.
    "in_thread(raising)",
    "concurrent.futures.ThreadPoolExecutor(1).submit(raising)",
    "with concurrent.futures.ThreadPoolExecutor(1) as pool:\n        pool.submit(raising)",
    "asyncio.run(gathered())",
    "assert len(asyncio.run(gathered())) == 2",
    "asyncio.run(forgotten())",
    "with contextlib.suppress(AssertionError):\n        raising()",
    "with contextlib.suppress(MismatchError):\n        raising()",
    "try:\n        raising()\n    except Exception:\n        pass",
    "try:\n        raising()\n    except BaseException:\n        pass",
    "try:\n        raising()\n    except AssertionError as error:\n        print(error)",
    "try:\n        raising()\n    finally:\n        return",
    "with pytest.raises(Exception):\n        raising()",
    "with pytest.raises(BaseException):\n        raising()",
    "with pytest.raises(match='Paris'):\n        raising()",
    "pytest.raises(Exception, raising)",
    "with contextlib.suppress(AssertionError), comparator.collect():\n        comparator.assert_matches(*FAIL)",
    "with contextlib.suppress(AssertionError):\n        comparator.assert_matches(*FAIL)",
    ("with comparator.collect():\n        thread = threading.Timer(0.05, comparator.assert_matches, FAIL)\n"
    "        thread.start()\n    thread.join()"),
    "raising.__globals__['assert_matches'] and in_thread(raising); pytest.skip('no reason')",
]  # fmt: skip

SEEN = (
    'assert "Rome" != expect("exact", "Paris")',
    'assert not "Rome" == expect("exact", "Paris")',
    'assert "Paris" == expect("exact", "Paris")',
    'assert ("Rome" == expect("exact", "Paris")).verdict == "fail"',
    'assert "Rome" not in [expect("exact", "Paris")]',
    'assert "Rome" in [expect("exact", "Paris"), expect("exact", "Rome")]',
    'x = "Rome" in [expect("exact", "Paris")]; assert not x',
    'assert {"a": "Rome"} != {"a": expect("exact", "Paris")}',
    'assert {"a": ["Paris"]} == {"a": [expect("exact", "Paris")]}',
    'assert "Paris" == expect("exact", "Paris") == "Paris"',
    'assert ["Rome", "Paris"].count(expect("exact", "Paris")) == 1',
    'assert not all(one == expect("exact", "Paris") for one in ["Rome"])',
    'assert any("Rome" == one for one in [expect("exact", "Paris"), expect("exact", "Rome")])',
    'assert sum(["Rome"] == [expect("exact", "Paris")] for _ in range(3)) == 0',
    'assert (5 == expect("numeric_exact", 5)) is not None and compare("exact", 1, 1)',
    "assert not compare(*FAIL)",
    "result = compare(*FAIL); assert not result",
    "passed = compare(*FAIL).passed; assert not passed",
    "if not compare(*FAIL):\n        comparator.with_defaults()",
    "assert compare(*FAIL).passed is False",
    "assert compare(*FAIL).verdict == 'fail'",
    "assert compare(*FAIL).verdict != 'pass'",
    "assert compare(*FAIL).verdict in {'fail', 'error'}",
    "assert compare(*FAIL).verdict not in {'pass'}",
    "assert [one.verdict for one in (compare(*FAIL), compare(1 and 'exact', 1, 1))] == ['fail', 'pass']",
    "match compare(*FAIL).verdict:\n        case 'fail':\n            pass",
    "assert compare(*SIMILAR).score > 0.5",
    "assert round(compare(*SIMILAR).score, 2) == 0.57",
    "assert compare(*SIMILAR).score == pytest.approx(0.5714, abs=0.01)",
    "assert sum(one.score for one in [compare(*SIMILAR)] * 2) > 1",
    "assert max([compare(*SIMILAR).score, 0.1]) > 0.5",
    "r = compare(*SIMILAR); assert not r.passed; print(f'score {r.score:.2f}')",
    "r = compare(*SIMILAR); assert r.verdict == 'fail'; t = f'{r.name}: {r.score}'; print(t)",
    "r = compare(*SIMILAR); assert not r; assert r.score >= 0",
    "r = compare(*SIMILAR); assert not r; assert r.score",
    "r = compare(*SIMILAR); assert r.score >= 0; assert not r",
    "s = compare(*SIMILAR).score; assert s < 0.99; print(s)",
    "s = compare(*SIMILAR).score; print(s); assert s < 0.99",
    "s = compare(*SIMILAR).score; assert s == pytest.approx(0.5714, abs=0.01); t = f'{s}'; print(t)",
    "s = compare(*SIMILAR).score; assert 0 <= s < 0.99",
    "s = compare(*SIMILAR).score; assert 0.0 <= s <= 0.99",
    "assert float(compare(*SIMILAR).score) > 0.5",
    "assert compare(*SIMILAR).score < compare('text_similarity', 'kitten', 'kitte').score",
    "assert compare('date_match', '2024-03-05', 'x').notes == ['not_a_date']",
    "assert 'not_a_date' in compare('date_match', '2024-03-05', 'x').notes",
    "assert compare('numeric_exact', 1, 2).details['distance'] == '1'",
    "assert [one.passed for one in compare('all_of', 1, 2, conditions=['exact']).children] == [False]",
    "assert compare(*FAIL).to_report()['verdict'] == 'fail'",
    "assert compare(*FAIL).to_record()['score'] == 0.0",
    "assert json.loads(compare(*FAIL).to_text())['verdict'] == 'fail'",
    "assert compare(*ERROR).error",
    "assert compare(*ERROR).error is not None",
    "assert isinstance(compare(*ERROR).error, str)",
    "unittest.TestCase().assertIsNotNone(compare(*ERROR).error)",
    "unittest.TestCase().assertIsInstance(compare(*ERROR).error, str)",
    "r = compare(*ERROR); unittest.TestCase().assertIsNotNone(r.error, 'no error')",
    "V = enum.Enum('V', {'FAIL': 'fail'}, type=str); assert compare(*FAIL).verdict == V.FAIL",
    "V = enum.StrEnum('V', {'FAIL': 'fail'}); assert compare(*FAIL).verdict == V.FAIL",
    "assert compare(*ERROR).verdict == 'error'",
    "assert 'error' == compare(*ERROR).verdict",
    "assert compare(*ERROR).verdict in {'fail', 'error'}",
    "assert [compare(*ERROR).verdict] == ['error']",
    "assert compare(*ERROR).to_report()['verdict'] == 'error'",
    "with pytest.raises(UndecidedError):\n        assert not compare(*ERROR)",
    "with pytest.raises(UndecidedError):\n        assert_matches(*ERROR)",
    'with pytest.raises(UndecidedError):\n        assert "a" != expect("regex", "(")',
    "with pytest.raises(MismatchError):\n        raising()",
    "with pytest.raises(AssertionError):\n        raising()",
    "with pytest.raises((ValueError, MismatchError), match='Paris'):\n        raising()",
    "pytest.raises(MismatchError, raising)",
    "with contextlib.ExitStack() as stack:\n        stack.enter_context(pytest.raises(MismatchError))\n        raising()",
    "with unittest.TestCase().assertRaises(AssertionError):\n        raising()",
    (
        "with pytest.RaisesGroup(MismatchError):\n"
        "        try:\n            raising()\n        except MismatchError as error:\n"
        "            raise ExceptionGroup('', [error]) from None"
    ),
    "with pytest.raises(Exception) as info:\n        raising()\n    assert not info.value.result.passed",
    "try:\n        raising()\n    except MismatchError as error:\n        assert error.result.verdict == 'fail'",
    (
        "with concurrent.futures.ThreadPoolExecutor(1) as pool:\n        future = pool.submit(raising)\n"
        "    with pytest.raises(MismatchError):\n        future.result()"
    ),
    "with pytest.raises(MismatchError):\n        asyncio.run(wrong())",
    "with pytest.raises(AssertionError):\n        with comparator.collect():\n            comparator(*FAIL)",
)


def write_tests(statements):
    tests = [f"def test_{number}(comparator):\n    {statement}\n" for number, statement in enumerate(statements)]
    return HEAD + "\n".join(tests)


def run_all(harness, statements):
    run = harness.run(
        write_tests(statements), "-q", "-rA", "--tb=no", "-W", "ignore", "-p", "no:threadexception", "-p", "no:logging"
    )
    outcomes = {}
    for line in run.stdout.splitlines():
        outcome, _, name = line.partition(" test_it.py::test_")
        if outcome in {"PASSED", "FAILED", "SKIPPED"}:
            outcomes[statements[int(name.split()[0])]] = outcome
    assert len(outcomes) == len(statements), run.output
    return outcomes


# Another session hears what threads and tasks raise.
@pytest.mark.ci
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_what_does_not_check_a_comparison_fails_its_test(harness):
    outcomes = run_all(harness, NOT_SEEN)
    assert [one for one, outcome in outcomes.items() if outcome != "FAILED"] == []


@pytest.mark.ci
def test_what_checks_a_comparison_does_not_fail_its_test(harness):
    outcomes = run_all(harness, list(SEEN))
    assert [one for one, outcome in outcomes.items() if outcome != "PASSED"] == []


@pytest.mark.parametrize(
    ("raises", "call", "outcome"),
    [
        ("AssertionError", "assert_matches(*FAIL)", "xfailed"),
        ("AssertionError", "assert_matches(*ERROR)", "failed"),
        ("MismatchError", "assert not compare(*ERROR)", "failed"),
        ("(ValueError, AssertionError)", "assert compare(*ERROR)", "failed"),
        ("UndecidedError", "assert compare(*ERROR)", "xfailed"),
    ],
)
def test_expected_failure_is_no_error(harness, raises, call, outcome):
    run = harness.run(f"{HEAD}\n@pytest.mark.xfail(raises={raises})\ndef test_it():\n    {call}\n")
    assert run.outcomes == {outcome: 1}


def test_plugin_that_builds_reports_by_keywords(harness):
    hook = """
import pytest

def pytest_runtest_makereport(item, call):
    return pytest.TestReport.from_item_and_call(item=item, call=call)
"""
    run = harness.run({"conftest.py": hook, "test_it.py": f"{HEAD}\ndef test_it(): raising()\n"})
    assert run.outcomes == {"failed": 1}


def test_output_of_a_doctest_is_checked(harness):
    harness.write(
        {"text.txt": ">>> from pytest_verdict import compare\n>>> compare(\"exact\", 1, 2).verdict\n'fail'\n"}
    )
    assert harness.run((), "text.txt").outcomes == {"passed": 1}


def test_value_of_a_result_is_that_of_its_class_elsewhere(harness):
    run = harness.run(
        HEAD
        + """
def test_it(record_property):
    result = compare(*SIMILAR)
    assert type(pickle.loads(pickle.dumps(result.score))) is float
    assert json.dumps([result.verdict, result.notes, result.details]).startswith('["fail", []')
    record_property("score", result.score)
    assert not result
"""
    )
    assert run.outcomes == {"passed": 1}
