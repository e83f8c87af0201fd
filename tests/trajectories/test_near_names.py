"""A tool, agent or argument with almost the name of one that occurs is an error: it would match nothing and pass."""

import pytest

from pytest_verdict import compare
from pytest_verdict.trajectories import Event
from pytest_verdict.trajectories.near_names import is_near_name


def split(table):
    return [tuple(row.split(" | ")) for row in table.strip().splitlines()]


NEAR = split("""
delete | Delete
delete | DELETE
DELETE_FILE | deleteFile
delete_file | deleteFile
delete_file | DeleteFile
delete_file | delete-file
delete_file | delete file
delete_file | delete.file
deletefile | delete_file
delete_file | file_delete
deleteFile | file-delete
getURL | get_url
HTTPGet | http_get
delete | mcp__fs__delete
delete | mcp_fs_delete
delete | mcp-fs-delete
delete | fs.delete
delete | fs/delete
delete | fs:delete
delete | fs__delete
delete | functions.delete
delete | functions.delete:0
delete | a.b.c.delete
fs__delete | db__delete
mcp__fs__delete | delete
fs.delete | fs/delete
delete_file | fs.deleteFile
delete_file | fs_delete_file
delete_file | filesystem-delete-file
send_email | GMAIL_SEND_EMAIL
serach | search
seach | search
searchh | search
sarch | search
delete_flie | delete_file
send_email | send_mail
read_file | read_files
read_files | read_file
searcj | search
deletr_file | delete_file
send_messaje | send_message
retreive_docs | retrieve_docs
book_flitht | book_flight
delete | d\u0435lete
delete | \uff44elete
delete | de\u200blete
delete | delet\u00e9
delete_all | delete_a11
do_it | d0_it
r\u00e9sum\u00e9 | resume
\u0434\u0430\u0442\u0430 | \u0414\u0430\u0442\u0430
stra\u00dfe | STRASSE
delete_file | delete_file_tool
delete_file | DeleteFileTool
delete_file | call_delete_file
delete_file | delete_file_v2
delete_file | delete_file@v1
delete_file | delete_file:latest
delete_file_async | delete_file
search | search_v2
delete_file | delete_file:1.2
delete_* | delete_file
*file* | delete_file
delete_? | delete_a
^delete.*$ | delete_file
delete.* | delete_file
pay|delete | delete
delete_file | delete_file2
delete_file | delete_file_2
delete_file | deleteFile2
delete_file | deleteFileV2
delete_file_2 | delete_file
delete_file | run_delete_file
run_delete_file | delete_file
delete_file | runDeleteFile
delete_file | exec_delete_file
delete_file | execute-delete-file
delete_file | invoke_delete_file
delete_file | do_delete_file
delete_file | perform_delete_file
delete_file | use_delete_file
delete_file | tool_delete_file
delete_file | function_delete_file
delete_file | delete_file_sync
delete_file | deleteFileSync
delete_file | fs.delete_file2
delete_file | my_delete_file
delete_file | delete_file_fn
delete_file | mcp__fs__deleteFile
search | search2
search | search_2
search | search_tool
search | SearchTool
search_tool | search
web_search | web_search_20250305
text_editor | text_editor_20250124
text_editor | functions.text_editor:1
web_search | web_search_preview
bash | bash_20250124
bash | BashTool
search | search_function
search | search_fn
delete_file | filesystem.delete_file.v1
delete_file | filesystem.v1.delete_file
delete_file | default_api:delete_file
delete_file | multi_tool_use.delete_file
delete_file | mcp_filesystem_delete_file
delete_file | filesystem/delete_file@1.0
delete_file | delete_file()
delete_file | `delete_file`
delete_file | agent.tools.delete_file
delete_file | delete_file_tool_v2
delete_file | call_delete_file_tool
delete_file | DeleteFileTool2
delete_file | _delete_file
delete_file | ns1.ns2.Delete-File
delete_file | functions.delete_file:12
delete_file | x-delete-file
delete_file | safe_delete_file
delete_file | soft_delete_file
delete_file | bulk_delete_file
sql_query | run_sql_query
""")
NEAR.append(("delete", "delete "))
DISTINCT = split("""
delete | search
get_user | set_user
get_user | get_users_of_team
read | write
read_file | write_file
create_order | update_order
get_order | get_order_status
get_order_status | set_order_status
delete_user_file | delete_group_file
get_user_by_id | get_user_by_name
convert_usd_to_eur | convert_eur_to_usd
a | b
delete | undelete
search | research
search | web_search
user | get_user
fs_read | db_read
fs_read | fs_write
pay | play
pay | payee
list | last
get_customer | set_customer
get_post | get_port
get_state | get_stage
list_model | list_modal
export_csv | import_csv
encode | decode
tool_1 | tool_2
tool_1 | tool_11
step_12 | step_21
add | and
v1_search | v2_search
tool_call | function_call
call_customer | call_agent
get_latest_news | get_news
list_tools | list
sync_calendar | calendar
move_left | move_right
turn_on | turn_off
enable | disable
push | pull
increase | decrease
encrypt | decrypt
like_post | unlike_post
subscribe | unsubscribe
mute | unmute
attach | detach
send_sms | send_mms
install | uninstall
do | undo
cancel_order | cancel_booking
insert_row | insert_col
zip | unzip
pin_message | unpin_message
mount_disk | unmount_disk
preview | beta
tool | function
phone_call | phone
vol_up | up
read_* | delete_file
pay|read | delete
delete_file | delete_all_files
delete_file | delete_file_version
delete_file | delete_file_permanently
delete_file | remove_file
delete_file | file_deletion
delete_file | undelete_file
log | log2
log | log10
atan | atan2
sha | sha256
base | base64
encode_base32 | encode_base64
get_ip | get_ipv4
get_ipv4 | get_ipv6
web_search_20250305 | web_search_20260101
search_v1 | search_v2
tests | run_tests
query | run_query
run_query | execute_query
code | execute_code
run_unit_tests | run_integration_tests
tool | tool_1
get_tool | list_tool
contact | call_contact
invoice | send_invoice
\u5220\u9664 | \u67e5\u8be2
""")


def calls(*names):
    return [(name, {"x": 1}) for name in names]


@pytest.mark.parametrize(("name", "called"), NEAR)
def test_near_name_is_an_error(name, called):
    for operator, expected in (("trajectory_forbidden", [name]), ("trajectory_max_calls", {name: 0})):
        result = compare(operator, expected, calls("other", called))
        assert (result.verdict, result.notes) == ("error", ["near_name"])
        assert repr(called) in result.error
        assert compare(operator, expected, calls("other", called), exact_names=True).passed


@pytest.mark.parametrize(("name", "called"), DISTINCT)
def test_another_tool_is_no_near_name(name, called):
    assert not is_near_name(name, called)
    assert compare("trajectory_forbidden", [name], calls(called)).passed
    assert compare("trajectory_max_calls", {name: 0}, calls(called)).passed


@pytest.mark.parametrize(("name", "called"), NEAR)
def test_rules_for_near_names_are_an_error(name, called):
    expected = calls(called)
    for settings in ({"args": {name: "ignore"}}, {"defaults": {name: {"y": 1}}}):
        assert compare("trajectory_exact", expected, expected, **settings).notes == ["near_name"]
    assert compare("trajectory_exact", expected, expected, args={name: "ignore"}, exact_names=True).passed


def test_name_that_is_called_may_be_near_another():
    assert compare("trajectory_forbidden", ["delete"], calls("delete", "Delete")).verdict == "fail"
    assert compare("trajectory_max_calls", {"delete": 1}, calls("delete", "Delete")).passed


def test_both_spellings_in_a_setting_are_meant():
    assert compare("trajectory_forbidden", ["delete", "Delete"], calls("Delete")).verdict == "fail"
    assert compare("trajectory_forbidden", ["get_order", "get_orders"], calls("pay")).passed
    assert compare("trajectory_max_calls", {"delete": 1, "Delete": 1}, calls("Delete")).passed
    rules = {"delete": "ignore", "Delete": "ignore"}
    assert compare("trajectory_any_order", calls("Delete"), calls("Delete"), args=rules).passed


def test_tool_that_is_declared_alone_is_near_another():
    assert compare("trajectory_forbidden", ["delete"], calls("mcp__fs__delete"), tools=["delete"]).notes == [
        "near_name"
    ]
    assert compare("trajectory_forbidden", ["delete"], calls("pay"), tools=["delete"]).passed


@pytest.mark.parametrize(("name", "called"), NEAR)
def test_tool_that_must_not_be_used_is_an_error_if_it_is_near(name, called):
    result = compare("trajectory_single_tool_use", name, calls("other", called))
    assert (result.verdict, result.notes) == ("error", ["near_name"])


def test_alias_that_is_near_a_call_is_an_error():
    settings = {"aliases": {"remov": "delete"}}
    assert compare("trajectory_forbidden", ["delete"], calls("remove"), **settings).notes == ["near_name"]
    assert compare("trajectory_forbidden", ["delete"], calls("remove"), **settings, exact_names=True).passed
    assert compare("trajectory_forbidden", ["delete"], calls("delete"), aliases={"Delete": "delete"}).verdict == "fail"
    assert compare("trajectory_forbidden", ["remov"], calls("delete"), aliases={"remove": "delete"}).notes == [
        "near_name"
    ]
    assert (
        compare("trajectory_forbidden", ["drop"], calls("mcp__fs__rm"), aliases={"rm": "drop"}, mcp_servers="any").score
        == 0
    )
    assert compare("trajectory_forbidden", ["drop"], calls("pay"), aliases={"rm": "drop"}).passed


@pytest.mark.parametrize("server", [("filesytem",), ("file",), ()])
def test_server_that_is_not_stripped_leaves_a_near_name(server):
    observed = calls("mcp__filesystem__delete")
    assert compare("trajectory_forbidden", ["delete"], observed, mcp_servers=server).notes == ["near_name"]


@pytest.mark.parametrize("argument", ["patth", "Path", "path_"])
def test_forbidden_argument_that_is_near_is_an_error(argument):
    observed = [("delete", {"path": "/"})]
    assert compare("trajectory_forbidden", [("delete", {argument: "/"})], observed).notes == ["near_name"]
    assert compare("trajectory_forbidden", [("delete", {argument: "/"})], observed, exact_names=True).passed
    assert compare("trajectory_forbidden", [("delete", {"force": True})], observed).passed


@pytest.mark.parametrize("settings", [{"ignored_args": ["qurey"]}, {"defaults": {"search": {"qurey": 1}}}], ids=str)
def test_setting_for_a_near_argument_is_an_error(settings):
    sides = [[("search", {"query": "tea"})]] * 2
    assert compare("trajectory_exact", *sides, **settings).notes == ["near_name"]
    assert compare("trajectory_exact", *sides, **settings, exact_names=True).passed
    assert compare("trajectory_exact", *sides, ignored_args=["trace"], defaults={"search": {"limit": 5}}).passed


def test_rules_that_compare_no_argument_are_an_error():
    sides = [[("pay", {"amount": 10})], [("pay", {"amount": 99})]]
    rules = {"amount_eur": "equal", "*": "ignore"}
    assert compare("trajectory_exact", *sides, args={"pay": rules}).notes == ["unused_rule"]
    assert compare("trajectory_exact", *sides, args={"pay": {**rules, "amount": "equal"}}).verdict == "fail"
    assert compare("trajectory_exact", *sides, args={"pay": {"limit": "ignore", "*": "ignore"}}).passed
    assert compare("trajectory_exact", ["a"], ["a"], args={"pay": rules}).passed


def test_declared_tools_are_known():
    assert compare("trajectory_forbidden", ["get_orders"], calls("get_order"), tools=["get_order", "get_orders"]).passed
    assert compare("trajectory_forbidden", ["get_orders"], calls("get_order")).verdict == "error"


@pytest.mark.parametrize(("name", "called"), NEAR)
def test_declared_tool_that_is_near_is_an_error(name, called):
    settings = {"tools": ["other", name]}
    assert compare("trajectory_forbidden", ["other"], calls(called), **settings).notes == ["near_name"]
    assert compare("trajectory_forbidden", ["other"], calls(called), **settings, exact_names=True).passed
    assert compare("trajectory_forbidden", ["other"], calls(called), tools=["other", name, called]).passed


def test_prefixes_and_aliases_are_resolved_first():
    assert compare("trajectory_forbidden", ["delete"], calls("mcp__fs__delete"), mcp_servers="any").verdict == "fail"
    assert compare("trajectory_forbidden", ["delete"], calls("rm"), aliases={"rm": "delete"}).verdict == "fail"


@pytest.mark.parametrize("argument", ["serch", "Query", "quer", "qurey"])
def test_rule_for_a_near_argument_is_an_error(argument):
    expected = [("search", {"query": "tea", "search": 1})]
    args = {"search": {argument: "ignore"}}
    assert compare("trajectory_exact", expected, expected, args=args).notes == ["near_name"]
    assert compare("trajectory_exact", expected, expected, args=args, exact_names=True).passed


@pytest.mark.parametrize(("argument", "other"), [("address2", "address"), ("street_line_2", "street_line")])
def test_argument_with_a_number_is_another_one(argument, other):
    expected = [("book", {other: "x"})]
    assert compare("trajectory_exact", expected, expected, args={"book": {argument: "ignore"}}).passed
    assert compare("trajectory_exact", expected, expected, defaults={"book": {argument: None}}).verdict != "error"
    assert compare("trajectory_forbidden", [("book", {argument: "x"})], expected).passed


def test_rule_for_an_absent_argument_is_no_error():
    expected = [("search", {"query": "tea"})]
    assert compare("trajectory_exact", expected, expected, args={"search": {"limit": "ignore"}}).passed
    assert compare("trajectory_exact", expected, expected, args={"search": {"query.text": "ignore"}}).verdict != "error"


def test_near_agent_is_an_error():
    events = [Event("search", {"q": 1}, agent="researcher"), Event("pay", {}, agent="buyer")]
    result = compare("trajectory_any_order", ["search"], events, agents=["reseacher", "buyer"], args="ignore")
    assert result.notes == ["near_name"]


@pytest.mark.parametrize(
    ("operator", "expected"),
    [
        ("trajectory_any_order", []),
        ("trajectory_in_order", []),
        ("trajectory_only_from", []),
        ("trajectory_forbidden", []),
        ("trajectory_steps", [{"name": "a", "optional": True}]),
    ],
)
@pytest.mark.parametrize("observed", [[], ["a"], ["a", "b"]])
def test_expected_side_that_asserts_nothing_is_an_error(operator, expected, observed):
    result = compare(operator, expected, observed)
    assert (result.verdict, result.notes) == ("error", ["empty_expected"])


@pytest.mark.parametrize("operator", ["trajectory_any_order", "trajectory_in_order", "trajectory_steps"])
@pytest.mark.parametrize("turns", ["all", "mean"])
def test_one_turn_may_have_no_calls(operator, turns):
    assert compare(operator, [["a"], []], [["a"], ["b"]], turns=turns).passed
    assert compare(operator, [[], []], [["a"], ["b"]], turns=turns).notes == ["empty_expected"]


def test_no_calls_at_all_can_be_expected():
    assert compare("trajectory_exact", [], []).passed
    assert compare("trajectory_exact", [], ["a"]).verdict == "fail"
    assert compare("trajectory_any_order", [], [], extras="forbid").passed
    assert compare("trajectory_in_order", [], ["a"], extras="forbid").verdict == "fail"


@pytest.mark.ci
def test_many_names_are_compared_quickly():
    names = [f"tool_{number:05d}_{number % 7}" for number in range(1_000)]
    assert compare("trajectory_forbidden", [f"other_{number}" for number in range(1_000)], calls(*names)).passed
