"""Shortened logs of ADK, Inspect AI, tau2-bench and OpenHands: search and clock together, then buy."""

import json

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
    span("g", "scorers", "scorers"),
    span("h", "scorer", "grade", "g"),
    model(requested(("g1", "delete_all", {})), "h"),
    tool("g1", "delete_all", {}, in_span="h"),
    {"event": "score", "span_id": "h", "score": {"value": 1}},
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


TAU2_TICKS = [
    {"tick_id": 0, "agent_tool_calls": TAU2_MESSAGES[2]["tool_calls"], "agent_tool_results": TAU2_MESSAGES[3:5]},
    {"tick_id": 1, "user_tool_calls": [asked("c1", "pay", {}, "user")], "agent_tool_calls": []},
    {"tick_id": 2, "agent_tool_calls": [asked("c3", "buy", {"id": 7})], "agent_tool_results": []},
]


def action_event(name, args, identifier, response):
    made = {"id": identifier, "name": name, "arguments": json.dumps(args), "origin": "completion"}
    return {
        "source": "agent",
        "kind": "ActionEvent",
        "action": {"kind": "ShopAction", **args, "default": True},
        "tool_name": name,
        "tool_call_id": identifier,
        "tool_call": made,
        "llm_response_id": response,
    }


def message_event(source, text, **more):
    message = {"role": source, "content": [{"type": "text", "text": text}], "tool_calls": None, **more}
    return {"source": source, "kind": "MessageEvent", "llm_message": message}


OPENHANDS_SDK = [
    {
        "source": "agent",
        "kind": "SystemPromptEvent",
        "system_prompt": {"text": "You shop."},
        "tools": [{"name": "search", "parameters": {}}],
    },
    message_event("user", "Buy tea."),
    action_event("search", SEARCH, "c1", "r1"),
    action_event("clock", {}, "c2", "r1"),
    {
        "source": "environment",
        "kind": "ObservationEvent",
        "tool_name": "search",
        "tool_call_id": "c1",
        "observation": {"kind": "ShopObservation", "content": [{"type": "text", "text": "3 teas"}], "is_error": False},
    },
    {"source": "agent", "kind": "AgentErrorEvent", "tool_name": "clock", "tool_call_id": "c2", "error": "no clock"},
    {
        "source": "environment",
        "kind": "ConversationStateUpdateEvent",
        "key": "full_state",
        "value": {"actions": ["a"], "agent": {"tool": "a", "input": {}}},
    },
    action_event("buy", {"id": 7}, "c3", "r2"),
    message_event("agent", "Bought."),
]


def response(identifier, *calls):
    made = [
        {"id": one, "type": "function", "function": {"name": name, "arguments": json.dumps(args)}}
        for one, name, args in calls
    ]
    return {"id": identifier, "choices": [{"message": {"role": "assistant", "content": "", "tool_calls": made}}]}


def metadata(name, identifier, answer):
    return {"function_name": name, "tool_call_id": identifier, "model_response": answer, "total_calls_in_response": 1}


FIRST = response("r1", ("c1", "search", SEARCH), ("c2", "clock", {}))
SECOND = response("r2", ("c3", "buy", {"id": 7}))


def action(identifier, kind, args, source="agent", **more):
    return {"id": identifier, "source": source, "message": "x", "action": kind, "args": args, **more}


def observation(cause, kind, content, **more):
    return {"source": "environment", "cause": cause, "observation": kind, "content": content, "extras": {}, **more}


OPENHANDS = [
    action(0, "system", {"content": "You shop.", "tools": [{"function": {"name": "search", "parameters": {}}}]}),
    action(1, "message", {"content": "Buy tea."}, "user"),
    action(2, "call_tool_mcp", {"name": "s", "arguments": {}}, tool_call_metadata=metadata("search", "c1", FIRST)),
    observation(2, "mcp", "3 teas", tool_call_metadata=metadata("search", "c1", FIRST)),
    action(4, "run", {"command": "date"}, tool_call_metadata=metadata("clock", "c2", FIRST)),
    observation(4, "error", "no clock", tool_call_metadata=metadata("clock", "c2", FIRST)),
    action(6, "run", {"command": "rm -r /"}, "user"),
    action(7, "change_agent_state", {"agent_state": "running"}, "environment"),
    action(8, "run", {"command": "buy"}, tool_call_metadata=metadata("buy", "c3", SECOND)),
    action(9, "message", {"content": "Bought."}),
]

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
    "openhands": OPENHANDS_SDK,
    "openhands history": {"history": OPENHANDS_SDK},
}
