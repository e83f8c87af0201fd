"""Memory of a session with very many comparisons: 100,000 and 1,000,000 in 100 tests, and in a single test."""

from __future__ import annotations

from report_overhead import CONTESTANTS, measure


def main() -> None:
    """Print one row per shape of session."""
    print("| session | comparisons | memory of the session's process | CPU |")
    print("|---|---|---|---|")
    for tests in (100, 1):
        for arguments in ([], ["-n2"]):
            for total in (100_000, 1_000_000):
                sizes = {"tests": tests, "comparisons": total // tests, "repeats": 1}
                figures = measure(CONTESTANTS["--verify-report"], sizes, *arguments)
                label = f"{tests} {'test' if tests == 1 else 'tests'}{' ' + ' '.join(arguments) if arguments else ''}"
                print(f"| {label} | {total:,} | {figures['memory']:.0f} MB | {figures['cpu']:.1f} s |", flush=True)


if __name__ == "__main__":
    main()
