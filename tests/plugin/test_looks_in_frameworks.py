"""What a test framework or plugin does with a failing comparison: none of these ends green, and no right use fails."""

from __future__ import annotations

import re

import pytest

HEAD = """
import asyncio, concurrent.futures, contextlib, functools, gc, json, threading, unittest, unittest.mock, weakref
import anyio, pytest
from hypothesis import assume, example, find, given, settings, strategies as st
from pytest_verdict import ComparisonResult, MismatchError, assert_matches, compare, expect

FAIL = ("exact", "Paris", "Rome")
ERROR = ("regex", "(", "a")
DATE = ("date_match", "2024-01-01", "x")
settings.register_profile("few", max_examples=40, deadline=None, database=None, derandomize=True)
settings.load_profile("few")

def raising(): assert_matches(*FAIL)
async def wrong(): raising()
async def wrongc(): return compare(*FAIL)
@pytest.fixture
def anyio_backend(): return "asyncio"
"""
BAD = '''
# subtests
def test_subtests_dropped(subtests):
    with subtests.test("a"): compare(*FAIL)
def test_subtests_raise(subtests):
    with subtests.test("a"): raising()
def test_subtests_suppressed(subtests):
    with subtests.test("a"):
        with contextlib.suppress(AssertionError): raising()
def test_subtests_before(subtests):
    compare(*FAIL)
    with subtests.test("a"): pass
def test_subtests_before_failing_sub(subtests):
    compare(*FAIL)
    with subtests.test("a"): pytest.skip("x")
def test_subtests_after(subtests):
    with subtests.test("a"): pass
    compare(*FAIL)
def test_subtests_skip(subtests):
    with subtests.test("a"):
        compare(*FAIL); pytest.skip("x")
def test_subtests_xfail(subtests):
    with subtests.test("a"):
        compare(*FAIL); pytest.xfail("x")
def test_subtests_error(subtests):
    with subtests.test("a"): assert not compare(*ERROR).passed
class Sub(unittest.TestCase):
    def test_sub_dropped(self):
        for i in range(2):
            with self.subTest(i=i): compare(*FAIL)
    def test_sub_raise(self):
        with self.subTest(): raising()
    def test_sub_skip(self):
        with self.subTest():
            compare(*FAIL); self.skipTest("x")
    def test_raises_any(self):
        with self.assertRaises(Exception): raising()
    def test_assert_true_list(self): self.assertTrue([compare(*FAIL)])
    def test_assert_is_not_none(self): self.assertIsNotNone(compare(*FAIL))
    def test_assert_equal(self): self.assertEqual(compare(*FAIL), compare(*FAIL))
    def test_assert_is_instance(self): self.assertIsInstance(compare(*FAIL), ComparisonResult)
    @unittest.expectedFailure
    def test_expected_failure_error(self): assert not compare(*ERROR)
    def test_cleanup(self): self.addCleanup(compare, *FAIL)
    def test_regex(self):
        with self.assertRaisesRegex(Exception, "Paris"): raising()
class Setup(unittest.TestCase):
    def setUp(self): compare(*FAIL)
    def test_it(self): pass
class SetupClass(unittest.TestCase):
    @classmethod
    def setUpClass(cls): compare(*FAIL)
    def test_it(self): pass
class TearDown(unittest.TestCase):
    def tearDown(self): compare(*FAIL)
    def test_it(self): pass
class TearDownClass(unittest.TestCase):
    @classmethod
    def tearDownClass(cls): compare(*FAIL)
    def test_it(self): pass
class IsoSub(unittest.IsolatedAsyncioTestCase):
    async def test_dropped(self): compare(*FAIL)
    async def test_task(self):
        t=asyncio.create_task(self.w()); await asyncio.sleep(0)
    async def w(self): raising()
# asyncio
@pytest.mark.asyncio
async def test_async_dropped(): compare(*FAIL)
@pytest.mark.asyncio
async def test_async_taskgroup_except():
    try:
        async with asyncio.TaskGroup() as g: g.create_task(wrong())
    except* AssertionError: pass
@pytest.mark.asyncio
async def test_async_taskgroup_dropped():
    async with asyncio.TaskGroup() as g: g.create_task(wrongc())
@pytest.mark.asyncio
async def test_async_wait():
    await asyncio.wait([asyncio.create_task(wrong())])
@pytest.mark.asyncio
async def test_async_wait_for():
    with contextlib.suppress(Exception): await asyncio.wait_for(wrong(), 1)
@pytest.mark.asyncio
async def test_async_shield():
    asyncio.ensure_future(asyncio.shield(wrong())); await asyncio.sleep(0.01)
@pytest.mark.asyncio
async def test_async_executor():
    asyncio.get_running_loop().run_in_executor(None, raising); await asyncio.sleep(0.01)
@pytest.mark.asyncio
async def test_async_call_soon():
    asyncio.get_running_loop().call_soon(raising); await asyncio.sleep(0.01)
@pytest.mark.asyncio
async def test_async_to_thread():
    await asyncio.gather(asyncio.to_thread(raising), return_exceptions=True)
@pytest.mark.asyncio
async def test_async_as_completed():
    for f in asyncio.as_completed([wrongc()]): await f
@pytest.mark.asyncio
async def test_async_done_callback():
    t=asyncio.create_task(asyncio.sleep(0)); t.add_done_callback(lambda _: raising()); await t; await asyncio.sleep(0)
@pytest.mark.asyncio
async def test_async_exception_read():
    t=asyncio.create_task(wrong()); await asyncio.wait([t]); t.exception()
@pytest.mark.asyncio
async def test_async_cancel():
    t=asyncio.create_task(wrong()); await asyncio.sleep(0); t.cancel()
# anyio
@pytest.mark.anyio
async def test_anyio_dropped(): compare(*FAIL)
@pytest.mark.anyio
async def test_anyio_group():
    with contextlib.suppress(BaseException):
        async with anyio.create_task_group() as g: g.start_soon(wrong)
@pytest.mark.anyio
async def test_anyio_thread():
    with contextlib.suppress(AssertionError): await anyio.to_thread.run_sync(raising)
@pytest.mark.anyio
async def test_anyio_cancelscope():
    with anyio.CancelScope() as s:
        compare(*FAIL); s.cancel(); await anyio.sleep(1)
@pytest.mark.anyio
async def test_anyio_move_on():
    with anyio.move_on_after(0.01):
        compare(*FAIL); await anyio.sleep(1)
# hypothesis
@given(st.integers())
def test_hypo_dropped(n): compare("exact", n, n+1)
@given(st.integers())
def test_hypo_some(n): compare("numeric_maximum", 3, n)
@given(st.integers())
def test_hypo_raise(n): assert_matches("numeric_maximum", 3, n)
@given(st.integers())
def test_hypo_suppress(n):
    with contextlib.suppress(AssertionError): assert_matches("exact", n, n+1)
@given(st.integers())
def test_hypo_error(n): assert not compare("regex", "(", "a").passed
@given(st.integers())
def test_hypo_assume(n):
    r = compare("exact", n, n+1); assume(n % 2)
@given(st.integers())
def test_hypo_assume_all(n):
    with contextlib.suppress(AssertionError): raising()
    assume(n % 2 == 0)
@example(5)
@given(st.integers())
def test_hypo_example(n): compare("exact", 5, n + 0 if n != 5 else 6)
@given(st.data())
def test_hypo_data(data): data.draw(st.integers()); compare(*FAIL)
@given(st.builds(lambda: compare(*FAIL)))
def test_hypo_strategy(r): pass
@given(st.integers())
def test_hypo_flaky(n):
    if not hasattr(test_hypo_flaky, "x"):
        test_hypo_flaky.x=1; assert_matches(*FAIL)
# futures
def test_pool_map():
    with concurrent.futures.ThreadPoolExecutor() as p: p.map(lambda _: raising(), [1])
def test_pool_wait():
    with concurrent.futures.ThreadPoolExecutor() as p: concurrent.futures.wait([p.submit(raising)])
def test_pool_exception():
    with concurrent.futures.ThreadPoolExecutor() as p: p.submit(raising).exception()
def test_pool_exception_kept():
    with concurrent.futures.ThreadPoolExecutor() as p: e = p.submit(raising).exception()
def test_pool_result_dropped():
    with concurrent.futures.ThreadPoolExecutor() as p: p.submit(compare, *FAIL).result()
def test_pool_callback():
    with concurrent.futures.ThreadPoolExecutor() as p: p.submit(int).add_done_callback(lambda f: raising())
def test_timer():
    t=threading.Timer(0.01, raising); t.start(); t.join()
def test_finalizer():
    class A: pass
    a=A(); weakref.finalize(a, raising); del a; gc.collect()
def test_del():
    class A:
        def __del__(self): raising()
    A(); gc.collect()
def test_exitstack():
    with contextlib.suppress(AssertionError), contextlib.ExitStack() as s: s.callback(raising)
def test_generator():
    def g():
        yield compare(*FAIL)
    list(g())
def test_generator_never(): (compare(*FAIL) for _ in range(1)).__next__()
def test_lambda(): (lambda: compare(*FAIL))()
def test_cached():
    functools.cache(lambda: compare(*FAIL))()
def test_mock_side_effect():
    m=unittest.mock.Mock(side_effect=raising)
    with contextlib.suppress(Exception): m()
def test_mock_return():
    m=unittest.mock.Mock(return_value=compare(*FAIL)); m()
# looks that do not decide
def test_score_not_none(): assert compare(*FAIL).score is not None
def test_score_is_float(): assert isinstance(compare(*FAIL).score, float)
def test_notes_not_none(): assert compare(*FAIL).notes is not None
def test_notes_empty(): assert not compare(*FAIL).notes
def test_notes_eq_empty(): assert compare(*FAIL).notes == []
def test_notes_len(): assert len(compare(*FAIL).notes) == 0
def test_details_not_none(): assert compare("numeric_exact",1,2).details is not None
def test_outcome_not_none(): assert compare(*FAIL).outcome is not None
def test_passed_not_none(): assert compare(*FAIL).passed is not None
def test_passed_isinstance(): assert isinstance(compare(*FAIL).passed, bool)
def test_passed_print(): print(compare(*FAIL).passed)
def test_passed_f(): assert f"{compare(*FAIL).passed}"
def test_repr_true(): assert repr(compare(*FAIL))
def test_str_true(): assert bool(str(compare(*FAIL)))
def test_to_report_print(): print(compare(*FAIL).to_report())
def test_verdict_ne_error(): assert compare(*FAIL).verdict != "error"
def test_verdict_isinstance(): assert isinstance(compare(*FAIL).verdict, str)
def test_score_between(): assert 0 <= compare(*FAIL).score <= 1
def test_score_in_range2(): assert compare(*FAIL).score >= 0.0
def test_score_ne_none(): assert compare(*FAIL).score != None
def test_score_fmt(): assert f"{compare(*FAIL).score}"
def test_hash(): assert hash(compare(*FAIL))
def test_isinstance(): assert isinstance(compare(*FAIL), ComparisonResult)
def test_dir(): assert dir(compare(*FAIL))
def test_threshold_ge(): assert compare(*FAIL).score <= compare(*FAIL).threshold
def test_walrus(): (x := compare(*FAIL)).passed
def test_tuple_unpack(): a, b = compare(*FAIL), 1
def test_dict(): d = {"a": compare(*FAIL)}; assert d
def test_in_list(): assert compare(*FAIL) in [1, compare(*FAIL)]
def test_error_notes(): assert compare(*ERROR).notes
def test_return(): return compare(*FAIL)
@pytest.fixture
def fin(request): request.addfinalizer(lambda: compare(*FAIL))
def test_fin(fin): pass
@pytest.fixture
def setupc(): compare(*FAIL)
def test_setupc(setupc): pass
@pytest.fixture
def downc():
    yield
    with contextlib.suppress(AssertionError): raising()
def test_downc(downc): pass
def setup_module(): compare(*FAIL)
class TestSetupMethod:
    def setup_method(self): compare(*FAIL)
    def test_it(self): pass
class TestTeardownMethod:
    def teardown_method(self): compare(*FAIL)
    def test_it(self): pass
class TestSetupClass:
    @classmethod
    def setup_class(cls): compare(*FAIL)
    def test_it(self): pass

def two():
    """
    >>> from test_it import dropping
    >>> dropping()
    """
def dropping(): compare(*FAIL)
'''
GOOD = '''
def test_subtests_later(subtests):
    r = compare(*FAIL)
    with subtests.test("a"): assert True
    with subtests.test("b"): pytest.skip("x")
    assert not r
def test_subtests_in(subtests):
    for i in range(3):
        with subtests.test(i=i): assert not compare(*FAIL)
def test_subtests_keeps(subtests):
    rs=[]
    for i in range(3):
        with subtests.test(i=i): rs.append(compare("exact", i, 9))
    assert not any(rs)
def test_subtests_raises(subtests):
    with subtests.test():
        with pytest.raises(MismatchError): raising()
def test_expect_after_sub(subtests):
    with subtests.test(): pass
    assert 1 == expect("exact", 1)
class Sub(unittest.TestCase):
    def setUp(self): self.r = compare(*FAIL)
    def test_a(self): self.assertFalse(self.r)
    def test_b(self):
        with self.subTest(): self.assertFalse(self.r)
    def test_c(self):
        with self.subTest(): pass
        assert self.r.verdict == "fail"
    def test_d(self):
        assert not self.r
        with self.assertRaises(MismatchError): raising()
    def test_e(self):
        assert not self.r
        with self.subTest(), self.assertRaisesRegex(AssertionError, "Paris"): raising()
    def test_f(self):
        self.assertEqual(self.r.verdict, "fail"); self.assertIs(self.r.passed, False); self.assertLess(self.r.score, 0.5)
    @unittest.expectedFailure
    def test_h(self):
        assert not self.r
        raising()

    @unittest.expectedFailure
    def test_g(self): assert self.r
@pytest.mark.asyncio
async def test_async(): assert not compare(*FAIL)
@pytest.mark.asyncio
async def test_async_tg():
    async def w(): return compare(*FAIL)
    async with asyncio.TaskGroup() as g: t = g.create_task(w())
    assert not t.result()
@pytest.mark.asyncio
async def test_async_tg_raises():
    async def w(): raising()
    with pytest.RaisesGroup(MismatchError):
        async with asyncio.TaskGroup() as g: g.create_task(w())
@pytest.mark.asyncio
async def test_async_gather():
    async def w(): raising()
    rs = await asyncio.gather(w(), return_exceptions=True)
    assert rs[0].result.verdict == "fail"
@pytest.mark.anyio
async def test_anyio():
    r = await anyio.to_thread.run_sync(lambda: compare(*FAIL)); assert not r
@given(st.integers())
def test_hypo(n): assert not compare("exact", n, n+1)
@given(st.integers())
def test_hypo2(n):
    r = compare("exact", n, 3)
    assume(not r)
@given(st.integers())
def test_hypo3(n):
    with pytest.raises(MismatchError): assert_matches("exact", n, n+1)
def test_find(): assert find(st.integers(), lambda n: not compare("numeric_maximum", 3, n)) == 4
def test_pool():
    with concurrent.futures.ThreadPoolExecutor() as p:
        assert not any(p.map(lambda n: compare("exact", n, 9), range(3)))
def test_pool2():
    with concurrent.futures.ThreadPoolExecutor() as p: r = p.submit(compare, *FAIL).result()
    assert r.verdict == "fail"
def test_pool3():
    with concurrent.futures.ThreadPoolExecutor() as p:
        with pytest.raises(MismatchError): p.submit(raising).result()
def test_notes(): assert compare(*DATE).notes == ["not_a_date"]
def test_notes_len(): assert len(compare(*DATE).notes) == 1
def test_notes_for():
    for n in compare(*DATE).notes: assert n == "not_a_date"
def test_notes_comp(): assert [n for n in compare(*DATE).notes] == ["not_a_date"]
def test_notes_any(): assert any(n.startswith("not") for n in compare(*DATE).notes)
def test_notes_join(): assert ",".join(compare(*DATE).notes) == "not_a_date"
def test_notes_0(): assert compare(*DATE).notes[0] == "not_a_date"
def test_details(): assert compare("numeric_exact", 1, 2).details["distance"] == "1"
def test_details_get(): assert compare("numeric_exact", 1, 2).details.get("distance") == "1"
def test_details_in(): assert "differences" in compare("json_canonical", {"a": 1}, {"a": 2}).details
def test_passed_is(): assert compare(*FAIL).passed is False
def test_passed_eq(): assert compare(*FAIL).passed == False
def test_passed_ne(): assert compare(*FAIL).passed != True
def test_passed_not(): assert not compare(*FAIL).passed
def test_passed_str(): assert str(compare(*FAIL).passed) == "False"
def test_passed_int(): assert int(compare(*FAIL).passed) == 0
def test_passed_bool(): assert bool(compare(*FAIL).passed) is False
def test_passed_bool2(): assert not bool(compare(*FAIL))
def test_passed_all(): assert not all([compare(*FAIL).passed, True])
def test_passed_gen(): assert not any(r.passed for r in [compare(*FAIL)])
def test_passed_sum(): assert sum(r.passed for r in [compare(*FAIL)]) == 0
def test_passed_list(): assert [r.passed for r in [compare(*FAIL)]] == [False]
def test_passed_dict(): assert {"a": compare(*FAIL).passed} == {"a": False}
def test_passed_tuple(): assert (compare(*FAIL).passed, 1) == (False, 1)
def test_passed_kw(): assert dict(a=compare(*FAIL).passed) == {"a": False}
def test_passed_filter(): assert [r for r in [compare(*FAIL)] if r.passed] == []
def test_passed_filter2(): assert list(filter(lambda r: r.passed, [compare(*FAIL)])) == []
def test_passed_f(): assert f"{compare(*FAIL).passed}" == "False"
def test_passed_ifexp(): assert (1 if compare(*FAIL).passed else 2) == 2
def test_passed_walrus():
    if (p := compare(*FAIL).passed): raise ValueError
def test_passed_walrus2(): assert not (r := compare(*FAIL)), r
def test_passed_msg():
    r = compare(*FAIL); assert not r.passed, f"{r.passed} {r.notes}"
def test_passed_and(): assert not (compare(*FAIL).passed and True)
def test_passed_print():
    r = compare(*FAIL); print(r.passed, r.score, r.verdict); assert not r
def test_passed_helper():
    def ok(r): return r.passed
    assert not ok(compare(*FAIL))
def test_passed_lambda(): assert not (lambda: compare(*FAIL).passed)()
def test_passed_getattr(): assert not getattr(compare(*FAIL), "passed")
def test_passed_attrgetter():
    from operator import attrgetter
    assert not attrgetter("passed")(compare(*FAIL))
def test_passed_nonlocal():
    passed = compare(*FAIL).passed
    def check(): assert not passed
    check()
def test_passed_aug():
    n = 0
    n += compare(*FAIL).passed
    assert n == 0
def test_passed_dict_store():
    d = {}; d["a"] = compare(*FAIL).passed; assert d == {"a": False}
def test_passed_attr_store():
    class A: pass
    A.x = compare(*FAIL).passed; assert not A.x
def test_passed_exit():
    if not compare(*FAIL).passed: pytest.skip("not today")
def test_multi_line():
    assert (
        compare(
            *FAIL
        ).verdict
        == "fail"
    )
def test_score(): assert compare(*FAIL).score == 0
def test_score2(): s = compare(*FAIL).score; assert s < 0.5
def test_score3(): s = compare(*FAIL).score; assert s is not None and s < 1
def test_to_record(): assert compare(*FAIL).to_record()["verdict"] == "fail"
def test_to_report(): assert compare(*FAIL).to_report()["verdict"] == "fail"
def test_to_text(): assert '"fail"' in compare(*FAIL).to_text()
def test_json(tmp_path): (tmp_path / "x").write_text(compare(*FAIL).to_text())
def test_json2(): s = json.dumps(compare(*FAIL).to_report()); assert "fail" in s
def test_children(): assert not any(c.passed for c in compare("all_of",1,2,conditions=["exact"]).children)
def test_outcome(): assert compare(*FAIL).outcome.score == 0
def test_match():
    match compare(*FAIL).passed:
        case False: pass
        case True: raise ValueError
def test_verdict_two(): assert compare(*FAIL).verdict in ("fail", "error")
def test_error_settled(): assert compare(*ERROR).error is not None
def test_error_verdict(): assert compare(*ERROR).verdict == "error"
def test_error_in(): assert "expected" in compare(*ERROR).error

def one():
    """
    >>> from pytest_verdict import assert_matches, compare
    >>> compare("exact", 1, 2).passed
    False
    >>> result = compare("text_similarity", "kitten", "sitting", 0.9)
    >>> round(result.score, 2), result.verdict
    (0.57, 'fail')
    >>> compare("text_similarity", "ab", "ac", 0.9).score
    0.5
    >>> print(compare("exact", 1, 2).verdict)
    fail
    >>> print(compare("exact", 1, 2))
    <exact: fail, expected 1, got 2>
    >>> assert_matches("exact", 1, 2)
    Traceback (most recent call last):
    pytest_verdict.errors.MismatchError: exact: expected 1, got 2
      normalization: none
    """
'''
CHECK_BAD = """
import pytest_check as check
# pytest-check
def test_check_is_true_compare_dropped(): check.is_true(True); compare(*FAIL)
def test_check_context():
    with check.check: assert_matches(*FAIL)
def test_check_context_assert():
    with check.check: assert compare(*FAIL)
def test_check_context_dropped():
    with check.check: compare(*FAIL)
def test_check_fixture(check):
    with check: assert_matches(*FAIL)
def test_check_is_true(): check.is_true(compare(*FAIL))
def test_check_equal_verdicts(): check.equal(compare(*FAIL), compare(*FAIL))
def test_check_is_not_none(): check.is_not_none(compare(*FAIL))
def test_check_is_not_none_score(): check.is_not_none(compare(*FAIL).score)
def test_check_raises_any():
    with check.raises(Exception): raising()
@check.check_func
def checker(): assert_matches(*FAIL)
def test_check_func(): checker()
def test_check_is_false_of_error(): check.is_false(compare(*ERROR))
def test_check_is_in(): check.is_in(compare(*FAIL), [compare(*FAIL)])
def test_check_greater_error(): check.greater_equal(compare(*ERROR).score, 0)
"""
CHECK_GOOD = """
import pytest_check as check
def test_check_false(): check.is_false(compare(*FAIL))
def test_check_equal(): check.equal(compare(*FAIL).verdict, "fail")
def test_check_less(): check.less(compare(*FAIL).score, 0.5)
def test_check_is_in(): check.is_in("not_a_date", compare(*DATE).notes)
"""


def run_each(harness, text, *arguments, process=False):
    """Return the tests, and those that failed in any phase or subtest."""
    plugins = ("-p", "pytest_asyncio.plugin", "-p", "anyio.pytest_plugin", "-p", "_hypothesis_pytestplugin", *arguments)
    run = harness.run(
        HEAD + text, *plugins, "-q", "-rA", "--tb=short", "-W", "ignore", "--doctest-modules", process=process
    )  # fmt: skip
    lines = re.findall(
        r"^(PASSED|FAILED|ERROR|XFAIL|XPASS|SKIPPED|SUB\w+.*?) test_it.py::(\S+)", run.stdout, re.MULTILINE
    )
    failed = {name for outcome, name in lines if outcome.startswith(("FAILED", "ERROR", "SUBFAILED"))}
    assert len(lines) > 4, run.output
    return {name for _, name in lines}, failed, run


@pytest.mark.ci
def test_failing_comparison_does_not_end_green(harness):
    # What threads and tasks raise would reach this session.
    names, failed, run = run_each(harness, BAD, process=True)
    assert names - failed == set(), run.output
    assert len(names) > 100


@pytest.mark.ci
def test_right_use_is_silent(harness):
    names, failed, run = run_each(harness, GOOD)
    assert failed == set(), run.output
    assert len(names) > 80


@pytest.mark.ci
def test_pytest_check(harness):
    pytest.importorskip("pytest_check", reason="pytest-check is not installed")
    names, failed, run = run_each(harness, CHECK_BAD, "-p", "pytest_check.plugin")
    assert names - failed == set(), run.output
    _, failed, run = run_each(harness, CHECK_GOOD, "-p", "pytest_check.plugin")
    assert failed == set(), run.output
