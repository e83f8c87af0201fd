// The site of a store: tests over runs. The address after # names what is shown: a test, a run, or the difference of two runs.
const VERDICT = { p: "pass", f: "fail", e: "error" };
const WORD = { p: "passed", f: "failed", e: "error", s: "skipped", x: "failed as expected", y: "passed unexpectedly", " ": "not run" };
const MOST_ROWS = 100;
const MOST_LISTED = 8;
const MOST_CASES = 20;
const [WIDTH, HEIGHT] = [1000, 16];

let data, view;

const short = (run) => [run.started.slice(0, 10), run.commit.slice(0, 8)].filter(Boolean).join(" ");
const percent = (share) => `${(share * 100).toFixed(1).replace(/\.0$/, "")} %`;
const rateText = ([passed, total]) => total ? rate(passed, total) : "\u2013";
const labelOf = (one) => Object.entries(one.label).map(([name, value]) => `${name.replace(/^tag:/, "")}=${value || "\u2013"}`).join(", ") || "all runs";
const plural = ([number, noun]) => [number, number === 1 ? noun : `${noun}s`];
const go = (address) => { location.hash = new URLSearchParams({ view: data.views.indexOf(view), ...address }).toString(); };
const href = (address) => `#${new URLSearchParams({ view: data.views.indexOf(view), ...address })}`;
const link = (text, address) => h("a", { href: href(address) }, text);
const runLink = (run) => link(short(run) || run.name, { run: run.name });
const command = (line) => div("command", h("code", { tabindex: 0 }, line), button("Copy", (event) => copy(line, event.target)));

async function load() {
  const bytes = Uint8Array.from(atob($("data").textContent), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  data = JSON.parse(await new Response(stream).text());
}

// ---- drawings
// One path for each verdict: neighbours of the same verdict are one rectangle.
function cells(test) {
  const { letters } = test, step = WIDTH / letters.length, paths = { pass: "", fail: "", error: "", other: "" };
  for (let start = 0, end; start < letters.length; start = end) {
    for (end = start + 1; letters[end] === letters[start]; end++);
    if (letters[start] === " ") continue;
    const x = start * step, gap = step > 6 ? 1 : 0;
    paths[VERDICT[letters[start]] || "other"] += `M${x.toFixed(1)} 0H${(end * step - gap).toFixed(1)}V${HEIGHT}H${x.toFixed(1)}z`;
  }
  const changes = test.changes.map((one) =>
    svg("path", { class: one.p === undefined ? "cut" : "step", d: `M${(one.at * step).toFixed(1)} 0V${HEIGHT}` }));
  const label = [...letters].filter((letter) => VERDICT[letter]).length;
  const drawn = svg("svg", { class: "cells", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img",
    "aria-label": `${label} results, ${[...letters].filter((letter) => letter === "p").length} passed` },
  Object.entries(paths).filter(([, d]) => d).map(([kind, d]) => svg("path", { class: kind, d })), changes);
  const runAt = (event) => {
    const box = drawn.getBoundingClientRect();
    return Math.min(Math.max(Math.floor((event.clientX - box.left) / box.width * letters.length), 0), letters.length - 1);
  };
  drawn.addEventListener("click", (event) => go({ run: view.runs[runAt(event)].name }));
  drawn.addEventListener("mousemove", (event) => {
    const position = runAt(event);
    drawn.querySelector("title")?.remove();
    const title = svg("title", {});
    title.textContent = visible(`${short(view.runs[position])}: ${WORD[letters[position]]}`);
    drawn.append(title);
  });
  return drawn;
}

function interval([passed, total, low, high]) {
  if (!total) return span("dim", "no result");
  const at = 130 * passed / total;
  return svg("svg", { class: "interval", viewBox: "0 0 130 14", role: "img", "aria-label": `95 % interval from ${percent(low)} to ${percent(high)}` },
    svg("path", { class: "axis", d: "M0 7H130" }), svg("rect", { class: "range", x: 130 * low, y: 3, width: Math.max(130 * (high - low), 1), height: 8 }),
    svg("rect", { class: "point", x: Math.max(at - 1.5, 0), y: 1, width: 3, height: 12 }));
}

const rateCells = (values) => [td("number", rateText(values)), td("number dim", `${values[0]} of ${values[1]}`), td("", interval(values)),
  td("number dim wide", values[1] ? `${percent(values[2])} to ${percent(values[3])}` : "")];
const RATE_HEADS = ["rate", "passed", "95 % interval"];

const LEGEND = [["pass", "passed"], ["fail", "failed"], ["error", "error"], ["other", "skipped or expected to fail"], ["cut", "the check changed"], ["step", "the rate changed"]];
const legend = () => div("key", LEGEND.map(([kind, text]) => span("", h("i", { class: kind }), text)));

function changeText(test, change) {
  const before = view.runs[change.from], after = view.runs[change.at];
  const isDown = change.p !== undefined && change.after[0] * change.before[1] < change.before[0] * change.after[1];
  const what = change.p === undefined ? "the check changed" : [span(isDown ? "fail" : "pass", isDown ? "\u2193 down" : "\u2191 up"),
    `: ${change.before.join(" of ")} \u2192 ${change.after.join(" of ")}, p = ${change.p}`];
  return [what, " at ", runLink(after), " (", link("what changed", { from: before.name, to: after.name }), ")"];
}

// ---- what is shown
function overview(query) {
  const tests = view.tests.filter(({ test }) => test.toLowerCase().includes(query.toLowerCase()));
  const changed = tests.flatMap((test) => test.changes.filter(({ p }) => p !== undefined).map((change) => [test, change]))
    .sort((a, b) => b[1].at - a[1].at);
  const flaky = tests.filter((test) => test.flaky);
  const worst = (test) => test.rate[1] ? test.rate[0] / test.rate[1] : 2;
  const listed = [...tests].sort((a, b) => worst(a) - worst(b)).slice(0, MOST_ROWS);
  const last = view.runs.at(-1), lastCount = (letter) => tests.filter(({ letters }) => letters.at(-1) === letter).length;
  const more = (list) => list.length > MOST_LISTED ? h("li", { class: "dim" }, `\u2026 and ${list.length - MOST_LISTED} more`) : null;
  const changes = (items) => h("ul", { class: "changes" }, items);
  return [
    h("h2", {}, labelOf(view)),
    div("tiles", [[view.runs.length, "run"], [tests.length, "test"], [changed.length, "step"], [flaky.length, "flaky test"]].map(plural).concat([
      [lastCount("p"), "passed in the last run"], [lastCount("f") + lastCount("e"), "did not pass in it"]])
      .map(([number, text]) => span("", h("b", {}, grouped(number)), ` ${text}`)), last ? span("", "last run: ", runLink(last)) : null),
    div("panels",
      div("", section("Steps", changed.length ? changes([...changed.slice(0, MOST_LISTED).map(([test, change]) =>
        h("li", {}, link(test.test, { test: test.test }), " ", changeText(test, change))), more(changed)])
        : h("p", { class: "dim" }, "No rate changed significantly."))),
      div("", section("Flaky tests", flaky.length ? changes([...flaky.slice(0, MOST_LISTED).map((test) =>
        h("li", {}, link(test.test, { test: test.test }), ` ${rateText(test.rate)}, ${test.flaky}`)), more(flaky)])
        : h("p", { class: "dim" }, "No test is flaky.")))),
    section("Tests and runs, the lowest rate first", legend(), table(["test", "results, the latest run on the right", "rate", "95 % interval"],
      listed.map((test) => [td("name", link(test.test, { test: test.test })), td("cells", cells(test)), td("number", rateText(test.rate)), td("wide", interval(test.rate))]))),
    tests.length > listed.length ? h("p", { class: "dim" }, `${grouped(tests.length - listed.length)} more tests; the search finds them.`) : null,
    Object.entries(data.groups).filter(([, rows]) => rows.length > 1).map(([name, rows]) => [
      section(`Rate by ${name}`, div("rates", table([name, ...RATE_HEADS, ""], rows.map(([value, ...values]) => [value || "\u2013", ...rateCells(values)])))),
      matrix(name, query),
    ]),
  ];
}

// Cases and the values of a tag or a parameter, such as models.
function matrix(name, query) {
  const isParameter = name.startsWith("param:"), key = name.replace(/^param:/, ""), rows = new Map();
  const values = data.groups[name].map(([value]) => value);
  for (const one of data.views) {
    for (const test of one.tests) {
      if (!test.test.toLowerCase().includes(query.toLowerCase())) continue;
      if (isParameter && !(key in test.parameters)) continue;
      const value = String(isParameter ? test.parameters[key] : one.label[`tag:${name}`]);
      const others = Object.entries(test.parameters).filter(([other]) => other !== key).map(([other, text]) => `${other}=${text}`).join(", ");
      const label = isParameter ? test.test.split("[")[0] + (others ? ` (${others})` : "") : test.test;
      const row = rows.get(label) || rows.set(label, new Map()).get(label), sum = row.get(value) || [0, 0];
      row.set(value, [sum[0] + test.since_check[0], sum[1] + test.since_check[1]]);
    }
  }
  const spread = (row) => { const rates = [...row.values()].filter(([, total]) => total).map(([passed, total]) => passed / total); return Math.max(...rates) - Math.min(...rates); };
  const listed = [...rows].sort((a, b) => spread(b[1]) - spread(a[1])).slice(0, MOST_CASES);
  const cell = (sum) => {
    const drawn = td("heat", sum ? rateText(sum) : "\u2013");
    if (sum && sum[1]) drawn.style.background = `color-mix(in srgb, var(--pass-soft) ${100 * sum[0] / sum[1]}%, var(--fail-soft))`;
    return drawn;
  };
  return section(`Cases by ${name}, the largest difference first`, table(["case", ...values.map((value) => value || "\u2013")],
    listed.map(([label, row]) => [td("name", label), ...values.map((value) => cell(row.get(value)))])),
  rows.size > listed.length ? h("p", { class: "dim" }, `${grouped(rows.size - listed.length)} more cases`) : null);
}

function testPage(name) {
  const test = view.tests.find((one) => one.test === name);
  if (!test) return [notice(`These runs have no test ${name}.`)];
  const since = view.runs[test.start], lines = [];
  for (let position = view.runs.length - 1; position >= 0 && lines.length < 50; position--) {
    const letter = test.letters[position];
    if (letter === " ") continue;
    const run = view.runs[position], before = test.letters.slice(0, position).search(/[pfesxy] *$/);
    lines.push([runLink(run), run.branch, span(VERDICT[letter] || "dim", WORD[letter]),
      before >= 0 ? link("compare with the run before", { from: view.runs[before].name, to: run.name }) : ""]);
  }
  return [
    h("h2", {}, test.test), h("p", { class: "dim" }, labelOf(view)), legend(), cells(test),
    section("Rate", div("rates", table([...RATE_HEADS, "", "since"], [[...rateCells(test.rate), runLink(since)]]))),
    test.renamed ? notice(`Before, this test was called ${test.renamed}.`) : null,
    test.flaky ? notice(`Flaky: ${test.flaky}.`) : null,
    test.changes.length ? section("Changes", h("ul", { class: "changes" }, test.changes.map((change) => h("li", {}, changeText(test, change))))) : null,
    section("Runs", table(["run", "branch", "result", ""], lines)),
  ];
}

function runPage(name) {
  const position = view.runs.findIndex((run) => run.name === name), run = view.runs[position];
  if (!run) return [notice(`There is no run ${name} here.`)];
  const before = view.runs[position - 1], counted = {};
  for (const { letters } of view.tests) counted[letters[position]] = (counted[letters[position]] || 0) + 1;
  const failed = view.tests.filter(({ letters }) => "fe".includes(letters[position]));
  const facts = [["started", run.started], ["commit", run.commit], ["branch", run.branch],
    ["tags", Object.entries(run.tags).map((pair) => pair.join("=")).join(", ")],
    ["tests", Object.entries(counted).filter(([letter]) => letter !== " ").map(([letter, number]) => `${number} ${WORD[letter]}`).join(", ")], ["reasons", run.failed.join("; ")]];
  return [
    h("h2", {}, `Run ${run.name}`),
    h("dl", { class: "facts" }, facts.flatMap(([fact, value]) => value ? [h("dt", {}, fact), h("dd", {}, value)] : [])),
    section("Commands", command(`pytest-verdict view store:${run.name}`)),
    before ? h("p", {}, link("What changed since the run before", { from: before.name, to: run.name })) : null,
    section("Tests that did not pass", failed.length ? table(["test", "result", "rate"], failed.slice(0, MOST_ROWS).map((test) =>
      [td("name", link(test.test, { test: test.test })), span(VERDICT[test.letters[position]], WORD[test.letters[position]]), td("number", rateText(test.rate))]))
      : h("p", { class: "dim" }, "Every test passed.")),
  ];
}

function difference(from, to) {
  const [old, now] = [from, to].map((name) => view.runs.findIndex((run) => run.name === name));
  if (old < 0 || now < 0) return [notice("These runs have no run of this name.")];
  const choose = (label, chosen, pick) => h("label", {}, `${label} `, h("select", { change: (event) => pick(event.target.value) },
    view.runs.map((run, at) => h("option", { value: run.name, selected: at === chosen }, `${short(run)} ${run.name.slice(-8)}`))));
  const changed = view.tests.filter(({ letters }) => letters[old] !== letters[now]);
  const cut = (test) => test.changes.some(({ at, p }) => p === undefined && at > Math.min(old, now) && at <= Math.max(old, now));
  const checks = view.tests.filter(cut);
  const cell = (test, at) => span(VERDICT[test.letters[at]] || "dim", WORD[test.letters[at]]);
  return [
    h("h2", {}, "Difference of two runs"),
    h("p", {}, choose("From", old, (name) => go({ from: name, to })), " ", choose("to", now, (name) => go({ from, to: name }))),
    section("All causes", command(`pytest-verdict diff store:${from} store:${to}`)),
    section(`${changed.length} tests have another result`, changed.length ? table(["test", "before", "now", ""], changed.slice(0, MOST_ROWS).map((test) =>
      [td("name", link(test.test, { test: test.test })), cell(test, old), cell(test, now), cut(test) ? "the check changed" : ""])) : null),
    checks.length ? section("Tests whose check changed", h("ul", { class: "changes" }, checks.slice(0, MOST_ROWS).map((test) => h("li", {}, link(test.test, { test: test.test }))))) : null,
  ];
}

function draw() {
  const address = new URLSearchParams(location.hash.slice(1));
  const named = [address.get("run"), address.get("to")].filter(Boolean);
  view = data.views[Number(address.get("view"))] || data.views[0];
  // A link from elsewhere names a run only.
  if (named.length && !named.every((name) => view.runs.some((run) => run.name === name))) {
    view = data.views.find((one) => named.every((name) => one.runs.some((run) => run.name === name))) || view;
  }
  if (address.get("test") && !view.tests.some(({ test }) => test === address.get("test"))) {
    view = data.views.find((one) => one.tests.some(({ test }) => test === address.get("test"))) || view;
  }
  $("view").value = data.views.indexOf(view);
  let drawn, title = "Trends";
  if (address.get("test")) { title = address.get("test"); drawn = testPage(title); }
  else if (address.get("run")) { title = address.get("run"); drawn = runPage(title); }
  else if (address.get("from")) { title = "Difference"; drawn = difference(address.get("from"), address.get("to") || ""); }
  else drawn = overview($("search").value);
  $("content").replaceChildren();
  add($("content"), drawn);
  document.title = visible(title);
}

async function start() {
  try { await load(); } catch (error) { add($("content"), [notice(`The data cannot be read: ${error.message}`)]); return; }
  add($("where"), [data.title]);
  add($("view"), data.views.map((one, at) => h("option", { value: at }, `${labelOf(one)} (${one.runs.length})`)));
  $("views").hidden = data.views.length < 2;
  $("view").addEventListener("change", () => { view = data.views[Number($("view").value)]; go({}); });
  $("search").addEventListener("input", () => { if (location.hash.includes("=") && /test=|run=|from=/.test(location.hash)) go({}); else draw(); });
  addEventListener("hashchange", () => { draw(); scrollTo(0, 0); $("content").focus({ preventScroll: true }); });
  draw();
  document.documentElement.dataset.ready = "1";
}

start();
