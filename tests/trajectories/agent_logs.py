"""Shortened logs of ADK, and messages of Inspect AI and tau2-bench: search and clock together, then buy."""

SEARCH = {"query": "tea"}


def part(kind, name, value, identifier):
    held = {"args": value} if kind == "call" else {"response": value}
    return {"text": None, f"function_{kind}": {"id": identifier, "name": name, **held}}


def adk_event(author, *parts, **more):
    role = "user" if author == "user" or "function_response" in parts[0] else "model"
    actions = {"state_delta": {}, "requested_tool_confirmations": {}, "transfer_to_agent": None}
    return {
        "content": {"parts": [*parts], "role": role},
        "partial": None,
        "invocation_id": "e1",
        "author": author,
        "actions": actions,
        "node_info": {"path": "shopper@1"},
        "long_running_tool_ids": [],
        **more,
    }


ADK_EVENTS = [
    adk_event("user", {"text": "Buy tea."}),
    adk_event("shopper", part("call", "search", SEARCH, "c1"), part("call", "clock", {}, "c2")),
    adk_event(
        "shopper",
        part("response", "search", {"found": "3 teas"}, "c1"),
        part("response", "clock", {"error": "no clock"}, "c2"),
    ),
    adk_event("shopper", part("call", "buy", {"id": 7}, "c3")),
    adk_event("shopper", {"text": "Bought."}),
]
ADK_STREAM = [
    ADK_EVENTS[0],
    adk_event("shopper", part("call", "search", SEARCH, "p1"), part("call", "clock", {}, "p2"), partial=True),
    *ADK_EVENTS[1:3],
    adk_event("shopper", part("call", "buy", {"id": 7}, "p3"), partial=True),
    *ADK_EVENTS[3:],
]
ADK_SESSION = {"id": "s1", "app_name": "shop", "user_id": "u", "state": {"tool": "a"}, "events": ADK_EVENTS}
DECLARED = {"agent_details": {"shopper": {"tool_declarations": [{"name": "delete", "parameters": {}}]}}}


def eval_case(identifier="1", **more):
    recorded = [{"author": event["author"], "content": event["content"]} for event in ADK_EVENTS[1:-1]]
    invocation = {
        "invocation_id": "e1",
        "user_content": ADK_EVENTS[0]["content"],
        "final_response": ADK_EVENTS[-1]["content"],
        # The event of the final response has an author alone.
        "intermediate_data": {"invocation_events": [*recorded, {"author": "shopper"}]},
        "app_details": DECLARED,
    }
    return {"eval_id": identifier, "conversation": [invocation], "session_input": None, **more}


def requested(*calls, **more):
    made = [
        {"id": identifier, "function": name, "arguments": args, "type": "function"} for identifier, name, args in calls
    ]
    return {"role": "assistant", "content": "", "source": "generate", "tool_calls": made, **more}


def returned(identifier, name, content, **more):
    return {"role": "tool", "content": content, "tool_call_id": identifier, "function": name, **more}


BROKEN = {"type": "unknown", "message": "no clock"}
INSPECT_MESSAGES = [
    {"role": "user", "content": "Buy tea.", "source": "input"},
    requested(("c1", "search", SEARCH), ("c2", "clock", {})),
    returned("c1", "search", "3 teas"),
    returned("c2", "clock", "", error=BROKEN),
    requested(("c3", "buy", {"id": 7})),
    returned("c3", "buy", "7"),
    {"role": "assistant", "content": "Bought.", "source": "generate", "tool_calls": []},
]


def asked(identifier, name, args, requestor="assistant"):
    return {"id": identifier, "name": name, "arguments": args, "requestor": requestor}


def answered(identifier, content, requestor="assistant", *, error=False):
    return {"id": identifier, "role": "tool", "content": content, "requestor": requestor, "error": error}


TAU2_MESSAGES = [
    {"role": "assistant", "content": "Hi!", "tool_calls": None},
    {"role": "user", "content": "Buy tea.", "tool_calls": None},
    {"role": "assistant", "content": None, "tool_calls": [asked("c1", "search", SEARCH), asked("c2", "clock", {})]},
    answered("c1", "3 teas"),
    answered("c2", "no clock", error=True),
    {"role": "user", "content": None, "tool_calls": [asked("c1", "pay", {}, "user")]},
    answered("c1", "paid", "user"),
    {"role": "assistant", "content": None, "tool_calls": [asked("c3", "buy", {"id": 7})], "raw_data": {"x": 1}},
    answered("c3", "ok"),
]
TAU2_ACTIONS = [
    {"action_id": "1", "info": None, "compare_args": None, "requestor": requestor, "name": name, "arguments": args}
    for name, args, requestor in [
        ("search", SEARCH, "assistant"),
        ("clock", {}, "assistant"),
        ("pay", {}, "user"),
        ("buy", {"id": 7}, "assistant"),
    ]
]

LOGS = {
    "gemini of an ADK session": ADK_SESSION,
    "gemini of ADK events": ADK_EVENTS,
    "gemini of an ADK eval case": eval_case(),
    "openai_chat of Inspect AI": INSPECT_MESSAGES,
    "openai_chat of tau2-bench": TAU2_MESSAGES,
}
