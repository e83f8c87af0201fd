"""Look by coverage for inputs that break a target: ``python -m tools.fuzz.with_atheris dates -runs=100000``."""

from __future__ import annotations

import sys

import atheris

with atheris.instrument_imports(include=["pytest_verdict"]):
    from tools.fuzz.targets import TARGETS, keep, seeds


def main() -> None:
    """Run the target that the first argument names; what breaks it is added to its seeds."""
    name, arguments = sys.argv[1], sys.argv[2:]
    kept = [text.encode("utf-8", "surrogatepass") for text in seeds(name)]

    def try_one(data: bytes) -> None:
        if data[:1] == b"\xff" and len(data) > 1:
            # The engine knows no seeds: two bytes choose one of them, the rest is written over its end.
            seed = kept[data[1] % len(kept)]
            data = seed[: max(len(seed) - len(data), 0)] + data[2:]
        text = data.decode("utf-8", "surrogateescape").encode("utf-8", "surrogatepass").decode("utf-8", "surrogatepass")
        try:
            TARGETS[name].accepts(text)
        except Exception:
            keep(name, text)
            raise

    atheris.Setup([sys.argv[0], *arguments], try_one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
