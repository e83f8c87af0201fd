"""The process that matches regular expressions: shared, restarted, and gone at the end."""

import enum
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
import warnings

import pytest

from pytest_verdict import compare
from pytest_verdict.operators import regex, regex_process
from pytest_verdict.operators.regex import compile_pattern, find_matches

ENDLESS, ENDLESS_TEXT = "(a+)+$", "a" * 60 + "b"
DOUBTFUL = r"(?:(\d+),)+x"

forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")


@pytest.fixture(autouse=True)
def no_match_is_harmless(monkeypatch):
    monkeypatch.setattr(regex, "_prepare", lambda pattern, flags, _mode: (compile_pattern(pattern, flags), -1))


def last_number(text):
    return find_matches(DOUBTFUL, (), "search", text)[0].groups[0]


def pid():
    return regex_process._IDLE[-1].pid


@pytest.fixture
def fresh():
    regex_process.stop_all()
    yield
    regex_process.stop_all()


def test_one_process_is_reused():
    assert last_number("1,2,x") == "2"
    first = pid()
    assert [last_number(f"1,{number},x") for number in range(20)] == [str(number) for number in range(20)]
    assert pid() == first


def test_killed_process_is_restarted():
    last_number("1,2,x")
    killed = pid()
    regex_process._IDLE[-1].kill()
    assert last_number("1,3,x") == "3"
    assert pid() != killed


def test_time_limit_replaces_the_process(monkeypatch):
    monkeypatch.setattr(regex, "TIME_LIMIT", 0.3)
    assert "time limit of 0.3 seconds" in compare("regex", ENDLESS, ENDLESS_TEXT).error
    assert last_number("1,3,x") == "3"


def test_process_killed_in_first_match_is_an_error(fresh, monkeypatch):
    started = []
    start = regex_process._start_process
    monkeypatch.setattr(regex_process, "_start_process", lambda: started.append(start()) or started[-1])

    def kill():
        while not started:
            time.sleep(0.01)
        time.sleep(0.2)
        started[0].kill()

    thread = threading.Thread(target=kill)
    thread.start()
    result = compare("regex", ENDLESS, ENDLESS_TEXT)
    thread.join()
    assert (result.verdict, result.error) == ("error", "the process that matched '(a+)+$' ended without an answer")
    assert last_number("1,3,x") == "3"


@pytest.mark.parametrize("reason", ["no interpreter", "cannot be started"])
def test_process_that_cannot_start_is_an_error(reason, fresh, monkeypatch):
    monkeypatch.setattr(sys, "executable", "" if reason == "no interpreter" else "/no/such/python")
    result = compare("regex", ENDLESS, "aaa")
    assert result.verdict == "error"
    assert "/no/such" not in result.error


def test_threads_receive_their_own_answers():
    found = {}

    def match(name):
        found[name] = [last_number(f"{name},{name}{number},x") for number in range(30)]

    threads = [threading.Thread(target=match, args=(name,)) for name in range(1, 7)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {name: [f"{name}{number}" for number in range(30)] for name in range(1, 7)}


def in_child(work):
    child = os.fork()
    if child == 0:
        code = 1
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                code = 0 if work() else 1
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@forks
def test_forked_child_starts_its_own_process():
    last_number("1,2,x")
    before = pid()
    assert in_child(lambda: last_number("1,4,x") == "4" and pid() != before and last_number("1,5,x") == "5") == 0
    assert last_number("1,3,x") == "3"
    assert pid() == before


@pytest.mark.ci
@forks
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_child_forked_during_a_match_does_not_wait(fresh, monkeypatch):
    monkeypatch.setattr(regex, "TIME_LIMIT", 3)
    verdicts = []
    thread = threading.Thread(target=lambda: verdicts.append(compare("regex", ENDLESS, ENDLESS_TEXT).verdict))
    thread.start()
    time.sleep(0.3)
    started = time.monotonic()
    assert in_child(lambda: last_number("1,4,x") == "4") == 0
    assert time.monotonic() - started < 2
    thread.join()
    assert verdicts == ["error"]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timer on this system")
@pytest.mark.parametrize("raised", [KeyboardInterrupt, TimeoutError], ids=lambda raised: raised.__name__)
def test_interrupted_match_leaves_no_answer_behind(raised):
    def interrupt(*_):
        raise raised

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(raised):
            find_matches(ENDLESS, (), "search", ENDLESS_TEXT)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert last_number("1,3,x") == "3"


@pytest.mark.parametrize(
    "text",
    ["1,2,x\ud800", "1,2,x\x00", "\ud83d\ude001,2,x", "é" * 5_000_000 + "1,2,x"],
    ids=["lone", "nul", "pair", "5 MB"],
)
def test_any_text_reaches_the_process_unchanged(text):
    assert last_number(text) == "2"
    assert find_matches(f"(?:a*)*{text[:6]}", (), "match", text)[0].regions[0][1] == min(len(text), 6)


def test_many_matches_are_returned():
    assert len(find_matches("(?:a*)*b", (), "search", "ab" * 50_000, limit=None)) == 50_000


def test_str_subclass_is_matched():
    class Answer(enum.StrEnum):
        NUMBERS = "1,2,x"

    assert last_number(Answer.NUMBERS) == "2"
    assert compare("regex", DOUBTFUL, Answer.NUMBERS).verdict == "pass"


def test_process_ignores_surrounding_files_and_settings(fresh, tmp_path, monkeypatch):
    for name in ("re", "marshal", "itertools", "faulthandler", "sitecustomize"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit(3)")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("PYTHONWARNINGS", "error")
    assert find_matches(r"(?:[[a]*)*,x", (), "search", "[a,x")[0].text == "[a,x"


SCRIPT = """
from pytest_verdict import compare
from pytest_verdict.operators.regex_process import _IDLE
assert compare("regex", "(a+)+b", "a" * 1_000 + "b").passed
print(_IDLE[0].pid)
"""


def is_running(process):
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.ci
@pytest.mark.skipif(not pathlib.Path("/proc/self/stat").exists(), reason="reads /proc")
@pytest.mark.parametrize(
    "end", ["", "import os; os._exit(0)", "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"]
)
def test_process_ends_silently_with_the_session(end):
    command = [sys.executable, "-X", "dev", "-u", "-W", "error::ResourceWarning", "-c", SCRIPT + end]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.stderr == ""
    deadline = time.monotonic() + 5
    while is_running(int(done.stdout)) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not is_running(int(done.stdout))


def test_partial_answer_of_ended_process_is_discarded(fresh, monkeypatch):
    monkeypatch.setattr(regex_process, "_CODE", "import sys; sys.stdin.buffer.read(8); print('half', end='')")
    with pytest.raises(regex_process.RegexTimeLimitError, match="ended without an answer"):
        last_number("1,2,x")
