"""A suite that asks an HTTP service against a bare aiohttp loop: 1,000 scenarios, 50 ms a reply, 100 at a time.

The service runs in a process of its own. Wall and CPU seconds of the process that asks, and of its children; ours is a whole
session of pytest, so its start is measured by a session of one scenario and shown as well.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SERVICE = """
import asyncio
from aiohttp import web

async def reply(request):
    question = await request.json()
    await asyncio.sleep(0.05)
    return web.json_response({"output": question["input"]})

application = web.Application()
application.router.add_post("/", reply)
web.run_app(application, host="127.0.0.1", port=PORT, print=None)
"""
LOOP = """
import asyncio
import aiohttp

async def main():
    limit = asyncio.Semaphore(100)
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=100)) as session:
        async def ask(number):
            async with limit, session.post("http://127.0.0.1:PORT/", json={"input": f"i{number}"}) as reply:
                assert (await reply.json())["output"] == f"i{number}"
        await asyncio.gather(*map(ask, range(COUNT)))

asyncio.run(main())
"""


def measure(command: list[str], folder: Path) -> tuple[float, float]:
    """Return the wall and CPU seconds of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    finished = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    wall = time.perf_counter() - began
    assert finished.returncode == 0, finished.stdout + finished.stderr
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def write_suite(path: Path, port: int, count: int) -> None:
    """Write a suite of equal scenarios."""
    scenarios = [
        {"name": f"s{number}", "input": f"i{number}", "expected_output": f"i{number}", "scorer": "exact"}
        for number in range(count)
    ]
    suite = {"name": "s", "adapter": f"http://127.0.0.1:{port}/", "scenarios": scenarios}
    path.write_text(json.dumps({"suite": suite}), encoding="utf-8")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1_000)
    parser.add_argument("--port", type=int, default=8_765)
    arguments = parser.parse_args()
    port = arguments.port
    os.environ["no_proxy"] = "127.0.0.1"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        service = subprocess.Popen([sys.executable, "-c", SERVICE.replace("PORT", str(port))], cwd=folder)
        try:
            time.sleep(2)
            loop = LOOP.replace("PORT", str(port))
            session = [sys.executable, "-m", "pytest", "-q", "--verify-concurrency", "100", "suite.verdict.yaml"]
            rows = {"aiohttp": [sys.executable, "-c", loop.replace("COUNT", str(arguments.count))]}
            rows["aiohttp, 1 request"] = [sys.executable, "-c", loop.replace("COUNT", "1")]
            print("| who asks | wall, s | CPU, s |\n|---|---|---|")
            for label, command in rows.items():
                print("| {} | {:.2f} | {:.2f} |".format(label, *min(measure(command, folder) for _ in range(3))))
            for count in (arguments.count, 1):
                write_suite(folder / "suite.verdict.yaml", port, count)
                print(
                    "| suite, {:,} | {:.2f} | {:.2f} |".format(count, *min(measure(session, folder) for _ in range(3)))
                )
        finally:
            service.terminate()
            service.wait()


if __name__ == "__main__":
    main()
