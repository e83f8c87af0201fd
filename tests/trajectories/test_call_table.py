"""The explanation of a failed comparison: one table with the calls of both sides."""

import textwrap

import pytest

from pytest_verdict import Budget, ComparisonResult, compare, explain

EXACT, IN_ORDER, ANY_ORDER, STEPS = (f"trajectory_{name}" for name in ("exact", "in_order", "any_order", "steps"))


def call(name, **args):
    return {"name": name, "args": args}


TRIP = [call("search", q="x"), call("book", city="Paris", id=7), call("pay", amount=5)]


def block(operator, expected, observed, budget=None, **settings):
    """The lines up to the two sides."""
    lines = list(explain(compare(operator, expected, observed, **settings), budget))
    ends = [at for at, line in enumerate(lines) if line.startswith("  expected: ")]
    return "\n".join(lines[: ends[0] if ends else None])


def rows(operator, expected, observed, **settings):
    """Kind, place in expected, place in observed and name of each row."""
    aligned = compare(operator, expected, observed, **settings).details["alignment"]
    return [(row["kind"], row["expected"], row["observed"], row["name"]) for row in aligned]


def drawn(text):
    return textwrap.dedent(text).strip("\n")


def test_table_has_a_row_for_each_call():
    observed = [call("search", q="x"), call("book", city="Rome", id=7), call("delete_all")]
    assert block(EXACT, TRIP, observed) == drawn(
        """
        trajectory_exact: call 2 book differs at $[1].args.city: 'Paris' -> 'Rome', and 2 more differences
                      expected  observed  call
          ok          1         1         search(q='x')
          differs     2         2         book(city='Paris' -> 'Rome', id=7)
          missing     3         -         pay(amount=5)
          unexpected  -         3         delete_all()
        """
    )


def test_call_at_another_position_is_out_of_order():
    assert block(EXACT, ["a", "b", "c"], ["b", "a", "c"]) == drawn(
        """
        trajectory_exact: call 2 b(…) is out of order, made as call 1
                        expected  observed  call
          ok            1         2         a(…)
          out of order  2         1         b(…)
          ok            3         3         c(…)
        """
    )
    assert compare(EXACT, ["a", "b"], ["b", "a"]).details["differences"] == [
        {
            "path": "$[1]",
            "kind": "out_of_order",
            "observed_path": "$[0]",
            "expected": {"name": "b"},
            "observed": {"name": "b"},
        }
    ]


@pytest.mark.parametrize("operator", [IN_ORDER, ANY_ORDER, STEPS])
def test_allowed_calls_are_extra(operator):
    result = compare(operator, ["a", "b"], ["x", "a", "y"])
    assert [one["kind"] for one in result.details["differences"]] == ["missing"]
    assert sorted(kind for kind, *_ in rows(operator, ["a", "b"], ["x", "a", "y"])) == [
        "equal",
        "extra",
        "extra",
        "missing",
    ]
    assert "unexpected" not in block(operator, ["a", "b"], ["x", "a", "y"])
    assert "unexpected" in block(operator, ["a", "b"], ["x", "a", "y"], extras="forbid")


LOGIN = ["login", ["search", "weather"], {"name": "retry", "repeat": {"max": 2}}, "book"]


@pytest.mark.parametrize(
    ("observed", "wrong"),
    [
        ("login weather search retry retry retry book", [("unexpected", None, 5, "retry")]),
        ("login search search weather book", [("unexpected", None, 2, "search")]),
        ("login search log weather book", [("unexpected", None, 2, "log")]),
        ("retry login weather search book", [("unexpected", None, 0, "retry")]),
        ("login search book", [("missing", 1, None, "weather")]),
        ("login weather book search", [("out_of_order", 1, 3, "search")]),
        ("login search weather book book", [("unexpected", None, 4, "book")]),
    ],
)
def test_steps_show_the_unexpected_call(observed, wrong):
    found = rows(STEPS, LOGIN, observed.split(), extras="forbid")
    assert [row for row in found if row[0] != "equal"] == wrong


def test_missing_step_leaves_later_steps_ok():
    found = rows(STEPS, ["a", "b", "c", "b"], ["a", "c", "b"])
    assert [row for row in found if row[0] != "equal"] == [("missing", 1, None, "b")]


def test_nearest_call_of_a_step_shows_its_differences():
    assert block(STEPS, ["login", call("book", id=7)], ["login", call("book", id=8)]) == drawn(
        """
        trajectory_steps: step 2 book differs at $[1].args.id: 7 -> 8
                   step  observed  call
          ok       1     1         login(…)
          differs  2     2         book(id=7 -> 8)
        """
    )


def test_two_calls_of_one_step_show_their_own_differences():
    steps = [[call("book", id=7), call("pay", sum=1)]]
    text = block(STEPS, steps, [call("pay", sum=2), call("book", id=8)])
    assert "differs  1     1         pay(sum=1 -> 2)" in text
    assert "differs  1     2         book(id=7 -> 8)" in text


@pytest.mark.parametrize(
    ("steps", "observed"),
    [
        ([{"any_order": ["a", "b"], "repeat": {"max": 2}}], ["a", "b", "a"]),
        ([{"any_order": ["a", "b"], "repeat": {"min": 2, "max": 2}}], ["a", "a", "b", "b"]),
        (["a"] * 400, ["b"] * 400),
    ],
)
def test_failed_steps_have_a_difference(steps, observed):
    result = compare(STEPS, steps, observed, extras="forbid")
    assert result.verdict == "fail"
    assert result.details["differences"]
    assert len(next(explain(result))) > len("trajectory_steps: expected")


def test_difference_inside_an_argument_has_its_path():
    result = compare(EXACT, [call("f", x={"a": [1, {"b": 2}]}, y=1)], [call("f", x={"a": [1, {"b": 3}]}, z=1)])
    assert [one["path"] for one in result.details["differences"]] == [
        "$[0].args.x.a[1].b",
        "$[0].args.y",
        "$[0].args.z",
    ]
    assert "f(x.a[1].b=2 -> 3, missing y=1, unexpected z=1)" in "\n".join(explain(result))
    contained = compare(EXACT, [call("f", x={"a": 1})], [call("f", x={"a": 2, "b": 3})], args="contains")
    assert [one["path"] for one in contained.details["differences"]] == ["$[0].args.x"]


def test_unknown_arguments_are_shown_as_such():
    assert "call 1 differs: a({'x': 1} -> not recorded)" in block(EXACT, [call("a", x=1)], ["a"])
    assert "a({'x': 1} -> malformed '{bad')" in block(EXACT, [call("a", x=1)], [{"name": "a", "args": "{bad"}])


def test_long_table_is_cut_around_the_differences():
    expected = [call("t", i=at) for at in range(100)]
    observed = [call("t", i=-at if at in {50, 70} else at) for at in range(100)]
    assert block(EXACT, expected, observed) == drawn(
        """
        trajectory_exact: call 51 t differs at $[50].args.i: 50 -> -50, and 1 more difference
                   expected  observed  call
          … 49 calls as expected
          ok       50        50        t(i=49)
          differs  51        51        t(i=50 -> -50)
          ok       52        52        t(i=51)
          … 17 calls as expected
          ok       70        70        t(i=69)
          differs  71        71        t(i=70 -> -70)
          ok       72        72        t(i=71)
          … 28 more calls
        """
    )
    unlimited = Budget(characters=0, lines=0, differences=0, width=0)
    assert block(EXACT, expected, observed, unlimited).count("\n") >= 100


def test_long_record_has_the_calls_that_differ():
    expected = [call("t", i=at) for at in range(1_000)]
    observed = [call("t", i=-at if at == 700 else at) for at in range(1_000)]
    details = compare(EXACT, expected, observed).details
    assert [row["kind"] for row in details["alignment"]] == [*["equal"] * 2, "missing", "unexpected", *["equal"] * 2]
    assert len(details["alignment"]) + details["alignment_omitted"] == 1_001
    assert "missing     701       -         t(i=700)" in block(EXACT, expected, observed)


def test_limits_show_the_calls():
    assert block("trajectory_forbidden", ["a"], ["b", "a", call("a", x=1)]) == drawn(
        """
        trajectory_forbidden: forbidden call 2 a(…), and 1 more difference
                     expected  observed  call
          forbidden  -         2         a(…)
          forbidden  -         3         a(x=1)
        """
    )
    assert block("trajectory_only_from", ["a"], ["b"]).startswith("trajectory_only_from: unexpected call 1 b(…)")
    assert block("trajectory_max_calls", {"a": 1}, ["a", "a"]) == (
        "trajectory_max_calls: $.a: 2 calls, at most 1 allowed"
    )


def test_turns_show_the_first_failed_turn():
    lines = block(ANY_ORDER, [["a"], ["b"]], [["a"], ["c"]], turns="all").split("\n")
    assert lines[0] == "trajectory_any_order: 1 of 2 turns passed; turn 2: missing call 1 b(…)"
    assert block(ANY_ORDER, [["a"], ["b"]], [["a"]], turns="all").startswith(
        "trajectory_any_order: expected 2 turns, got 1"
    )


def test_unreadable_trajectory_shows_the_reason_first():
    first = block(EXACT, ["a"], {"foo": 1}).split("\n")[0]
    assert first.startswith("trajectory_exact: observed is not a trajectory")
    assert block(EXACT, {"foo": 1}, ["a"]).startswith("trajectory_exact: error: expected is not a trajectory")


@pytest.mark.parametrize(
    "details",
    [
        {"alignment": [None, 1, {}, {"kind": ["x"], "expected": True, "observed": -1, "name": {"\x1b": 1}}]},
        {"alignment": [{"kind": "\x1b[31m" * 999, "name": "\x1b[31m" * 999, "args": {"\n\x07": "\x1b[0m" * 9_999}}]},
        {"alignment": "\x1b", "alignment_omitted": "many", "differences": {"a": 1}, "differences_omitted": "x"},
        {"alignment": [{"kind": "different_arguments", "expected": 0}], "differences": [{"path": "$[0].args\x1b"}, 7]},
        {"differences": [{"path": "$[0]", "observed": "\x1b"}, {"path": "$[99999999999]", "observed": {"name": "\n"}}]},
        {"expected_turns": "\x1b", "reason": ["\x1b[31m"]},
    ],
    ids=ascii,
)
@pytest.mark.parametrize("operator", [EXACT, STEPS, "trajectory_forbidden", "trajectory_max_calls"])
def test_hostile_record_is_explained_in_safe_short_lines(operator, details):
    record = compare(EXACT, ["a"], ["b"]).to_record()
    record.update(operator=operator, details=details)
    for notes in ([], ["trajectory_unreadable"]):
        for line in explain(ComparisonResult.from_record({**record, "notes": notes})):
            assert line.isprintable()
            assert len(line) < 6_000


def test_record_read_back_has_the_same_explanation():
    result = compare(EXACT, TRIP, [call("search", q="y"), {"name": "book", "args": "{"}])
    assert list(explain(ComparisonResult.from_record(result.to_record()))) == list(explain(result))


@pytest.mark.parametrize("width", [60, 80, 120])
def test_table_fits_the_width(width):
    observed = [call("search", q="x" * 500), call("book", city="R" * 500, id=7), call("d", **{"k" * 90: "v" * 500})]
    for line in block(EXACT, TRIP, observed, Budget(width=width)).split("\n")[1:]:
        assert len(line) <= width


@pytest.mark.parametrize("width", [64, 72, 100])
def test_first_line_shows_the_arguments_that_fit(width):
    forbidden = ("delete", {"path": "/", "force": True, "reason": "x" * 90})
    first = next(explain(compare("trajectory_forbidden", ["delete"], ["search", forbidden]), Budget(width=width)))
    assert first.startswith("trajectory_forbidden: forbidden call 2 delete(path='/'")
    assert width - 12 <= len(first) <= width
