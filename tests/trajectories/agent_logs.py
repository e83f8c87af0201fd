"""Shortened logs of ADK, Inspect AI and tau2-bench: search and clock together, then buy."""

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


def eval_set(*cases):
    return {"eval_set_id": "s", "name": "shop", "description": None, "eval_cases": [*cases], "creation_timestamp": 0.0}


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


def span(identifier, kind, name, parent=None):
    begin = {"event": "span_begin", "id": identifier, "span_id": identifier, "parent_id": parent}
    return {**begin, "type": kind, "name": name}


def model(message, in_span="a", **more):
    choices = [{"message": message, "stop_reason": "tool_calls"}]
    return {"event": "model", "span_id": in_span, "input": [], "output": {"model": "m", "choices": choices}, **more}


def tool(identifier, name, args, result="", in_span="a", **more):
    made = {"id": identifier, "function": name, "arguments": args, "type": "function"}
    return {"event": "tool", "span_id": in_span, **made, "result": result, "events": [], **more}


INSPECT_EVENTS = [
    {"event": "sample_init", "sample": {"input": "Buy tea."}, "state": {"messages": INSPECT_MESSAGES[:1]}},
    span("s", "solver", "react"),
    span("a", "agent", "react", "s"),
    model(INSPECT_MESSAGES[1]),
    tool("c1", "search", SEARCH, "3 teas"),
    tool("c2", "clock", {}, error=BROKEN),
    model(INSPECT_MESSAGES[4]),
    tool("c3", "buy", {"id": 7}, "7"),
    {"event": "sandbox", "span_id": "a", "action": "exec", "cmd": "ls", "output": "x"},
    {"event": "state", "span_id": "s", "changes": [{"op": "add", "path": "/messages/1", "value": INSPECT_MESSAGES[1]}]},
    {"event": "score", "span_id": "s", "score": {"value": 1}},
]


def sample(events=INSPECT_EVENTS, messages=INSPECT_MESSAGES, **more):
    given = {"id": "s1", "epoch": 1, "input": "Buy tea.", "target": "x"}
    return {**given, "messages": messages, "events": events, "attachments": {}, "store": {}, **more}


def log(*samples):
    plan = {"name": "plan", "steps": [{"solver": "react", "params": {"tools": ["search"]}}]}
    return {"version": 2, "status": "success", "eval": {"task": "shop"}, "plan": plan, "samples": [*samples]}


def asked(identifier, name, args, requestor="assistant"):
    return {"id": identifier, "name": name, "arguments": args, "requestor": requestor}


def answered(identifier, content, requestor="assistant", *, error=False):
    return {"id": identifier, "role": "tool", "content": content, "requestor": requestor, "error": error}


TAU2_MESSAGES = [
    {"role": "assistant", "content": "Hi!", "tool_calls": None, "turn_taking_action": {"action": "generate"}},
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
TAU2_TASK = {
    "id": "1",
    "user_scenario": {"persona": None, "instructions": "Buy tea."},
    "initial_state": {"initialization_actions": [{"env_type": "user", "func_name": "login", "arguments": {}}]},
    "evaluation_criteria": {"actions": TAU2_ACTIONS, "env_assertions": None},
}


def simulation(messages=TAU2_MESSAGES, **more):
    checks = [{"action": action, "action_match": True, "action_reward": 1.0} for action in TAU2_ACTIONS]
    reward = {"reward": 1.0, "action_checks": checks}
    return {"id": "s", "task_id": "1", "reward_info": reward, "messages": messages, "ticks": None, "trial": 0, **more}


def results(*simulations):
    return {"timestamp": "2026", "info": {"seed": 1}, "tasks": [TAU2_TASK], "simulations": [*simulations]}


LOGS = {
    "adk session": ADK_SESSION,
    "adk events": ADK_EVENTS,
    "adk eval set": eval_set(eval_case()),
    "inspect_ai log": log(sample()),
    "inspect_ai sample": sample(),
    "inspect_ai list": [sample()],
    "inspect_ai messages": INSPECT_MESSAGES,
    "tau2 results": results(simulation()),
    "tau2 simulation": simulation(),
    "tau2 task": TAU2_TASK,
}
