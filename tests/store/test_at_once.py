"""Twenty processes that push and bless at once lose nothing: in a folder, in memory, and on an S3 interface."""

from __future__ import annotations

import multiprocessing
import shutil
import socket
import subprocess
import sys
import threading
import time
import urllib.request
import warnings
from pathlib import Path

import pytest

from pytest_verdict.store.baselines import bless, latest_events, read_baselines, resolve
from pytest_verdict.store.files import StoreFiles
from pytest_verdict.store.store import Store
from written_runs import alter

PROCESSES = 20


def push_and_bless(location, folder, number):
    store = Store(StoreFiles(location))
    # All jobs push one report, and each of them a report of its own.
    store.push(folder, {"common": "yes"})
    mine = alter(Path(shutil.copytree(folder, f"{folder}-{number}")), tags={"job": str(number)})
    run = store.push(mine, {}).run
    bless(store, store.find(run), "main", because=f"job {number}", although="a test")


def check_nothing_is_lost(location):
    store = Store(StoreFiles(location))
    (common,) = store.runs(accept=lambda index: "job" not in index.tags)
    assert common.index.tags == {"common": "yes"}
    runs = store.runs(accept=lambda index: "job" in index.tags)
    assert store.skipped == []
    assert sorted(int(stored.index.tags["job"]) for stored in runs) == list(range(PROCESSES))
    events = read_baselines(store)["main"]
    assert store.skipped == []
    assert sorted(int(event.because.split()[1]) for event in events.values()) == list(range(PROCESSES))
    # The next event replaces all that are left, so the dispute is settled.
    latest = latest_events(events)
    assert latest
    bless(store, runs[3], "main", because="job 99", although="a test")
    assert resolve(store, "main").name == runs[3].name
    assert store.fetch(runs[3].name).is_dir()


def in_processes(location, folder):
    context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    arguments = [(location, folder, number) for number in range(PROCESSES)]
    processes = [context.Process(target=push_and_bless, args=one) for one in arguments]
    with warnings.catch_warnings():
        # Python 3.12 warns of threads that a fork does not copy; these processes need none of them.
        warnings.simplefilter("ignore", DeprecationWarning)
        for process in processes:
            process.start()
    for process in processes:
        process.join(120)
    assert [process.exitcode for process in processes] == [0] * PROCESSES


@pytest.mark.ci
def test_in_a_folder(tmp_path, report):
    in_processes(str(tmp_path / "store"), report())
    check_nothing_is_lost(str(tmp_path / "store"))


def test_in_memory(report):
    # Other processes do not have this memory, so threads do what processes do elsewhere.
    pytest.importorskip("fsspec", reason="fsspec is not installed")
    folder = report()
    location = "memory://at-once/verdicts"
    threads = [threading.Thread(target=push_and_bless, args=(location, folder, number)) for number in range(PROCESSES)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    check_nothing_is_lost(location)


@pytest.fixture
def bucket(monkeypatch):
    """A bucket on the S3 interface of moto."""
    pytest.importorskip("moto", reason="moto[server] is not installed, which serves an S3 interface")
    s3fs = pytest.importorskip("s3fs", reason="s3fs is not installed, by which fsspec reads S3")
    # A file system of an earlier test has the address of its server.
    s3fs.S3FileSystem.clear_instance_cache()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    server = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-p", str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    variables = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_DEFAULT_REGION": "us-east-1"}
    for name, value in {**variables, "AWS_ENDPOINT_URL": address}.items():
        monkeypatch.setenv(name, value)
    try:
        for _ in range(200):
            try:
                urllib.request.urlopen(urllib.request.Request(f"{address}/verdicts", method="PUT"), timeout=5)
                break
            except OSError:
                time.sleep(0.1)
        else:
            pytest.fail("the server of moto did not start")
        yield "s3://verdicts/team"
    finally:
        server.terminate()
        server.wait(10)


@pytest.mark.ci
def test_on_an_s3_interface(bucket, report):
    in_processes(bucket, report())
    check_nothing_is_lost(bucket)


@pytest.mark.ci
def test_a_bucket_that_does_not_exist_cannot_be_reached(bucket, report, command):
    other = bucket.replace("verdicts", "other")
    status, _, err = command("push", report(), "--store", other)
    assert status == 2, err
    assert "s3://other/team" in err
    status, out, err = command("runs", "--store", other)
    assert (status, out) == (2, ""), err
