// The page in which a person looks at comparisons. All text of records becomes the text of elements, never HTML.
const IS_SERVED = !$("index");
const FACETS = [
  ["verdict", "Verdict"], ["change", "Change"], ["causes", "Cause"], ["operator", "Operator"], ["name", "Name"],
  ["parts", "Part that did not pass"], ["notes", "Note"], ["test", "Test"],
];
const ROW = 60;
// Firefox draws nothing that is higher than 17.9 million pixels.
let HIGHEST = 15e6;
const MOST_VALUES = 50;
const LONGEST_TEXT = 4000;
const MORE_TEXT = 100000;
const MOST_ITEMS = 200;
const LEFT_OUT = "With all records this page would be too large. It lists every comparison, and has the records of those that did not pass."
  + " All of them are shown by pytest-verdict view --serve.";

let about, counts, decisions, rows, texts, columns, place, rowsOf, facets;
const KEPT = { query: "q", order: "order", id: "id" };
const state = { chosen: {}, query: "", order: "", id: "" };
let shown = new Uint32Array(0), at = -1, current = -1, found = null, sought = "", searching = 0, opening = 0;

// ---- data
// A number as it was written, where JavaScript would write it in another way: 37.0, or one of more than 16 digits.
class Exact {
  constructor(source) { this.source = source; }
  toString() { return this.source; }
}

const parse = (text) => JSON.parse(text, (key, value, context) =>
  typeof value === "number" && context && context.source && context.source !== String(value) ? new Exact(context.source) : value);
const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value) && !(value instanceof Exact);
const asObject = (value) => isObject(value) ? value : {};
const asList = (value) => Array.isArray(value) ? value : [];
// What a record should have and may lack.
const dig = (value, ...keys) => keys.reduce((inner, key) => isObject(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined, value);

const bytesOf = (base64) => Uint8Array.fromBase64 ? Uint8Array.fromBase64(base64) : Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
const unzipped = (bytes) => new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();

const asked = async (path) => {
  const response = await fetch(path);
  if (!response.ok) throw new Error(await response.text());
  return response;
};

async function load() {
  const buffer = await unzipped(IS_SERVED ? await (await asked("index")).arrayBuffer() : bytesOf($("index").textContent));
  const length = new DataView(buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  ({ about, rows, texts } = head);
  counts = about.counts;
  decisions = new Set(about.decisions.map((name) => texts.operator.indexOf(name)));
  columns = {};
  head.columns.forEach(([name, kind], number) => {
    columns[name] = new (kind === "f" ? Float32Array : Uint32Array)(buffer, 4 + length + 4 * rows * number, rows);
  });
  locate(head.chunks);
  facets = FACETS.map(([name, title]) => facet(name, title)).filter(({ values }) => values.length > (values[0] === "" ? 1 : 0));
}

// Rows that did not pass are in other pieces than the rest, so that the rest can be left out.
function locate(chunks) {
  place = new Uint32Array(rows);
  const { kept, rest } = chunks;
  rowsOf = { k: [], r: [], starts: { k: kept.starts, r: rest.starts }, rows: { k: kept.rows, r: rest.rows } };
  for (let row = 0; row < rows; row++) place[row] = rowsOf[kindOf(row)].push(row) - 1;
}

const kindOf = (row) => columns.verdict[row] || texts.change[columns.change[row]] ? "k" : "r";
const word = (name, row) => texts[name][columns[name][row]];
const testOf = (row) => word("test", row)[0];
const idOf = (row) => `${word("test", row)[1]}-${columns.attempt[row]}-${columns.ordinal[row]}`;
const isIn = (row) => IS_SERVED || place[row] < rowsOf.rows[kindOf(row)];

function facet(name, title) {
  const numbers = new Map();
  const members = texts[name].map((text) => (name === "test" ? [text[0]] : Array.isArray(text) ? text : [text])
    .map((value) => numbers.get(value) ?? (numbers.set(value, numbers.size), numbers.size - 1)));
  return { name, title, members, values: [...numbers.keys()], tally: new Uint32Array(members.length), allowed: null };
}

async function textOf(key) {
  if (!$(key)) await parsed;
  return new TextDecoder().decode(await unzipped(bytesOf($(key).textContent)));
}

// The script runs before the browser has read the pieces behind it.
const parsed = new Promise((resolve) => document.addEventListener("DOMContentLoaded", resolve));

async function bodyOf(row) {
  if (IS_SERVED) return parse(await (await asked(`row?for=${row}`)).text());
  const kind = kindOf(row), starts = rowsOf.starts[kind];
  let number = starts.length - 1;
  while (starts[number] > place[row]) number--;
  return parse((await textOf(kind + number)).split("\n")[place[row] - starts[number]]);
}

// ---- the address
function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  for (const [key, name] of Object.entries(KEPT)) state[key] = given.get(name) || "";
  const isBare = !["all", "q", ...facets.map(({ name }) => name)].some((name) => given.has(name));
  state.chosen = {};
  for (const { name, values } of facets) {
    const wanted = isBare ? (about.start || { verdict: ["fail", "error"] })[name] || [] : given.getAll(name);
    const known = values.filter((value) => wanted.includes(value) && !(isBare && counts[value] === 0));
    if (known.length) state.chosen[name] = new Set(known);
  }
  current = findRow(state.id);
  if (current >= 0) state.id = idOf(current);
  filter();
  if (current >= 0 && at < 0) { state.chosen = {}; filter(); }
  $("search").value = state.query;
  $("order").value = state.order;
  search();
  show(current);
}

function writeAddress(isStep) {
  const given = new URLSearchParams();
  for (const [name, values] of Object.entries(state.chosen)) for (const value of values) given.append(name, value);
  if (!given.size && !state.query) given.append("all", "1");
  for (const [key, name] of Object.entries(KEPT)) if (state[key]) given.append(name, state[key]);
  history[isStep ? "pushState" : "replaceState"](null, "", `#${given}`);
}

// A whole id, or its beginning: then the first comparison of that test which did not pass.
function findRow(id) {
  const [digest, attempt, ordinal] = id.split("-");
  let first = -1;
  if (!digest) return first;
  for (let row = 0; row < rows; row++) {
    if (word("test", row)[1] !== digest) continue;
    if (ordinal ? columns.attempt[row] === +attempt && columns.ordinal[row] === +ordinal : columns.verdict[row]) return row;
    if (first < 0 && !ordinal) first = row;
  }
  return first;
}

// ---- filters
function filter() {
  const active = [];
  for (const one of facets) {
    const chosen = state.chosen[one.name];
    one.tally.fill(0);
    one.allowed = chosen && Uint8Array.from(one.members, (members) => +members.some((member) => chosen.has(one.values[member])));
    if (chosen) active.push(one);
  }
  shown = state.order ? inOrder(select(active)) : select(active);
  at = current < 0 ? -1 : shown.indexOf(current);
  drawFacets();
  drawStatus();
  $("grid").setAttribute("aria-rowcount", shown.length);
  drawRows(true);
}

// A row that one facet alone keeps out is counted in that facet, so that its numbers say what another choice would show.
function select(active) {
  const kept = new Uint32Array(rows), numbers = facets.map(({ name }) => columns[name]);
  const own = active.map(({ name }) => columns[name]), allowed = active.map((one) => one.allowed);
  let count = 0;
  for (let row = 0; row < rows; row++) {
    if (found && !found[row]) continue;
    let missed = 0, by = -1;
    for (let k = 0; k < own.length; k++) if (!allowed[k][own[k][row]]) { missed++; by = k; }
    if (missed === 0) {
      kept[count++] = row;
      for (let k = 0; k < numbers.length; k++) facets[k].tally[numbers[k][row]]++;
    } else if (missed === 1) {
      active[by].tally[own[by][row]]++;
    }
  }
  return kept.slice(0, count);
}

const inOrder = (kept) => kept.sort((a, b) => columns.score[a] - columns.threshold[a] - columns.score[b] + columns.threshold[b] || a - b);

function choose(name, value, isOnly) {
  const chosen = isOnly ? new Set() : state.chosen[name] || new Set();
  if (!chosen.delete(value)) chosen.add(value);
  if (isOnly) state.chosen = {};
  if (chosen.size) state.chosen[name] = chosen;
  else delete state.chosen[name];
  writeAddress(isOnly);
  filter();
}

function drawFacets() {
  const focused = document.activeElement?.dataset?.facet;
  const lists = () => [...$("facets").querySelectorAll("ul")], tops = new Map(lists().map((list) => [list.dataset.name, list.scrollTop]));
  $("facets").replaceChildren(...facets.flatMap(drawFacet));
  for (const list of lists()) list.scrollTop = tops.get(list.dataset.name) || 0;
  if (focused) [...$("facets").querySelectorAll("input")].find((input) => input.dataset.facet === focused)?.focus();
}

function drawFacet({ name, title, values, members, tally }) {
  const sums = new Map(), chosen = state.chosen[name] || new Set();
  for (let code = 0; code < members.length; code++) {
    if (tally[code]) for (const member of members[code]) sums.set(member, (sums.get(member) || 0) + tally[code]);
  }
  chosen.forEach((value) => { const member = values.indexOf(value); if (!sums.has(member)) sums.set(member, 0); });
  const listed = [...sums].filter(([member]) => values[member] !== "");
  if (!listed.length) return [];
  if (name === "verdict") listed.sort((a, b) => b[0] - a[0]);
  else listed.sort((a, b) => chosen.has(values[b[0]]) - chosen.has(values[a[0]]) || b[1] - a[1] || a[0] - b[0]);
  const items = listed.slice(0, MOST_VALUES).map(([member, count]) => drawChoice(name, values[member], count, chosen));
  const rest = `\u2026 ${grouped(listed.length - MOST_VALUES)} more; search finds them`;
  if (listed.length > MOST_VALUES) items.push(h("li", { class: "dim" }, h("label", {}, rest)));
  const click = () => { delete state.chosen[name]; writeAddress(); filter(); };
  const clear = chosen.size ? button("clear", click, { "aria-label": `Clear ${title}` }) : null;
  return [h("h2", {}, title, clear), h("ul", { "data-name": name, tabindex: -1 }, items)];
}

function drawChoice(name, value, count, chosen) {
  const box = h("input", { type: "checkbox", "data-facet": `${name} ${value}`, change: () => choose(name, value) });
  box.checked = chosen.has(value);
  const what = name === "verdict" ? [mark(value), " ", value] : name === "test" ? shortTest(value) : value;
  return h("li", {}, h("label", { title: visible(value) }, box, span("what", what), span("dim number", grouped(count))));
}

const shortTest = (test) => test.slice(test.indexOf("::", test.lastIndexOf("/") + 1) + 2) || test;

function drawStatus() {
  const all = grouped(rows), some = grouped(shown.length);
  const state = searching ? `, searching ${Math.floor(searching * 100)} %` : "";
  const what = about.left_out ? "comparisons that did not pass" : "comparisons";
  $("status").textContent = `${some === all ? all : `${some} of ${all}`} ${what}${state}`;
}

// ---- search
let waiting = 0, run = 0;

function search() {
  if (state.query === sought) return;
  sought = state.query;
  clearTimeout(waiting);
  const mine = ++run;
  searching = 0;
  found = state.query ? inTexts(state.query) : null;
  filter();
  if (!found) return;
  const needles = needlesOf(state.query), has = (text) => needles.some((needle) => text.includes(needle));
  waiting = setTimeout(() => inBodies(has, () => run === mine), 200);
}

// Records are ASCII, so what is not stands in them as an escape, which has no case.
const needlesOf = (query) => [query, query.toLowerCase(), query.toUpperCase()].map((form) => JSON.stringify(form).slice(1, -1)
  .replace(/[^ -~]/g, (unit) => "\\u" + unit.charCodeAt(0).toString(16).padStart(4, "0")).toLowerCase());

function inTexts(query) {
  const matches = new Uint8Array(rows), wanted = query.toLowerCase();
  for (const name of Object.keys(texts)) {
    const column = columns[name], hit = Uint8Array.from(texts[name], (text) => +String(text).toLowerCase().includes(wanted));
    if (hit.includes(1)) for (let row = 0; row < rows; row++) matches[row] |= hit[column[row]];
  }
  return matches;
}

async function inBodies(has, isWanted) {
  const jobs = IS_SERVED ? [["", 0]] : [..."kr"].flatMap((kind) => rowsOf.starts[kind].map((_, number) => [kind, number]));
  let drawn = performance.now();
  for (let job = 0; job < jobs.length; job++) {
    const [kind, number] = jobs[job];
    const rowsFound = await (IS_SERVED ? askedRows() : foundRows(kind, number, has));
    if (!isWanted()) return;
    for (const row of rowsFound) found[row] = 1;
    searching = (job + 1) / jobs.length;
    if (performance.now() - drawn > 300) { filter(); drawn = performance.now(); }
  }
  searching = 0;
  filter();
}

async function askedRows() {
  return new Uint32Array(await (await asked(`search?for=${encodeURIComponent(state.query)}`)).arrayBuffer());
}

async function foundRows(kind, number, has) {
  const text = (await textOf(kind + number)).toLowerCase(), start = rowsOf.starts[kind][number];
  return has(text) ? text.split("\n").flatMap((line, index) => has(line) ? [rowsOf[kind][start + index]] : []) : [];
}

// ---- the list
const grid = $("grid");
// How many pixels of the list one pixel of the scroll bar stands for.
const scale = () => shown.length * ROW > HIGHEST ? (shown.length * ROW - grid.clientHeight) / (HIGHEST - grid.clientHeight) : 1;

function drawRows(isNew) {
  if (isNew) {
    $("rows").style.height = `${Math.min(shown.length * ROW, HIGHEST)}px`;
    if (at >= 0) reveal();
  }
  const top = grid.scrollTop * scale(), first = Math.max(Math.floor(top / ROW) - 3, 0);
  const last = Math.min(first + Math.ceil(grid.clientHeight / ROW) + 7, shown.length);
  const drawn = [];
  for (let index = first; index < last; index++) drawn.push(drawRow(index, grid.scrollTop + index * ROW - top));
  const empty = rows ? "No comparison matches these filters." : "There is no comparison.";
  if (!drawn.length) drawn.push(h("div", { role: "row", class: "row" }, gridcell("mark"), gridcell("dim", empty)));
  $("rows").replaceChildren(...drawn);
  if (at >= first && at < last) grid.setAttribute("aria-activedescendant", `row-${at}`);
  else grid.removeAttribute("aria-activedescendant");
}

const gridcell = (kind, ...children) => h("span", { role: "gridcell", class: kind }, children);

function drawRow(index, top) {
  const row = shown[index], test = testOf(row), name = word("name", row), operator = word("operator", row), change = word("change", row);
  const second = change ? operator : test.slice(0, -shortTest(test).length).replace(/::$/, "");
  const element = h("div", {
    role: "row", class: "row", id: `row-${index}`, "aria-rowindex": index + 1, "aria-selected": String(index === at), click: () => open(index, true),
  }, gridcell("mark", mark(word("verdict", row))), gridcell("", shortTest(test), name ? span("dim", ` \u203a ${name}`) : null),
  gridcell("dim", change || operator), gridcell("second", word("headline", row) || second));
  element.style.top = `${top}px`;
  return element;
}

function reveal() {
  const top = grid.scrollTop * scale(), wanted = at * ROW, hidden = wanted + ROW - grid.clientHeight;
  if (wanted < top) grid.scrollTop = wanted / scale();
  else if (hidden > top) grid.scrollTop = Math.ceil(hidden / scale());
}

function move(to) {
  if (!shown.length) return;
  at = Math.max(0, Math.min(to, shown.length - 1));
  reveal();
  drawRows();
  if (state.id) open(at);
}

function open(index, isStep) {
  at = index;
  current = shown[at];
  state.id = idOf(current);
  writeAddress(isStep);
  drawRows();
  show(current);
}

function close() {
  state.id = "";
  current = -1;
  writeAddress(true);
  show(-1);
  grid.focus();
}

// ---- details
async function show(row) {
  const mine = ++opening;
  document.body.classList.toggle("opened", row >= 0);
  const failing = (why) => [heading(row), notice(why), commands(row)];
  let drawn = row < 0 ? overview() : failing(LEFT_OUT);
  if (row >= 0 && isIn(row)) {
    try { drawn = details(row, ...await bodyOf(row)); } catch (error) { drawn = failing(`The record cannot be shown: ${error.message}`); }
  }
  if (mine !== opening) return;
  $("detail").replaceChildren(...drawn);
  $("detail").scrollTop = 0;
  document.title = visible(row < 0 ? about.title : `${shortTest(testOf(row))} \u2013 ${about.title}`);
}

function heading(row) {
  const verdict = word("verdict", row);
  return div("title", mark(verdict), span(`verdict ${verdict}`, verdict),
    h("h2", {}, word("operator", row), word("name", row) ? span("dim", ` \u203a ${word("name", row)}`) : null),
    span("spacer"), span("actions", button("Copy link", (event) => copy(location.href, event.target)), " ", button("Close", close)));
}

function details(row, record, lines, before) {
  const sign = Number(record.score) >= Number(record.threshold) ? "\u2265" : "<";
  const facts = [
    ["test", record.test], ["called at", `${record.path}:${record.line}`],
    ["score", `${record.score} ${sign} ${record.threshold}${record.negated ? ", negated by the test" : ""}`],
    ["normalization", asList(record.normalization).join(", ")], ["notes", asList(record.notes).join(", ")], ["error", record.error],
    ["change", word("change", row)], ["causes", word("causes", row).join(", ")],
    ["record", `${record.id}, attempt ${record.attempt}, comparison ${record.ordinal}`],
    ["last results", pastResults(record.test)],
  ];
  return [
    heading(row),
    h("dl", { class: "facts" }, facts.flatMap(([name, value]) => value ? [h("dt", {}, name), h("dd", {}, value)] : [])),
    ...(lines.length ? section("Why it did not pass", said(lines)) : []),
    ...special(record),
    ...(before ? [...changedCheck(before, record), ...twoRuns(before, record)] : sides(record)),
    ...more("Extracted from", record.sources), ...more("Settings", record.settings), ...more("Details", record.details),
    commands(row),
  ];
}

// The results of a test in the last runs of the store, the latest on the right, and a link to their site.
const PAST = { p: ["pass", "passed"], f: ["fail", "failed"], e: ["error", "error"] };

function pastResults(test) {
  const { tests = {}, trends = "" } = asObject(about.history), letters = Object.hasOwn(tests, test) ? tests[test] : "";
  const label = [...letters].map((letter) => PAST[letter]?.[1] ?? "no result").join(", ");
  const marks = h("span", { class: "mono", role: "img", "aria-label": label }, [...letters].map((letter) =>
    span(PAST[letter]?.[0] ?? "dim", MARKS[PAST[letter]?.[0]] ?? "\u00b7")));
  return letters ? [marks, trendsLink(trends, new URLSearchParams({ test }))] : null;
}

const trendsLink = (trends, address) => /^(https?|file):/.test(trends) ? [" ", h("a", { href: `${trends}#${address}` }, "trends")] : [];

const MARKED = { ok: "mark pass", FAIL: "mark fail", ERROR: "mark error" };
const said = (lines) => h("pre", { class: "said box", tabindex: 0 }, lines.map((parts, line) => [
  span(line ? "" : "reason", parts.map((text, at) => at % 2 ? null : span(parts[at + 1] === "mark" ? MARKED[text.trim()] || "mark" : parts[at + 1], text))),
  "\n",
]));

const more = (title, value) => Object.keys(asObject(value)).length ? section(title, div("box tree", tree(value, 0, ""))) : [];

function sides(record) {
  return [div("sides", ["expected", "observed"].map((side) => {
    const surface = record[`${side}_surface`], content = div("box tree");
    const draw = (value) => content.replaceChildren(tree(value, 3, ""));
    draw(record[side]);
    const switched = surface === undefined ? null : choice(["as given", "as compared"], (index) => draw(index ? surface : record[side]));
    return h("section", {}, h("h3", {}, span(side, side), switched), content);
  }))];
}

// How the check of a comparison changed between two runs.
function changedCheck(before, record) {
  const checkOf = (one) => ({
    operator: one.operator, version: one.operator_version, threshold: one.threshold, negated: one.negated ?? false, ...asObject(one.settings),
  });
  const old = checkOf(before), now = checkOf(record);
  const names = Object.keys({ ...old, ...now }).filter((name) => JSON.stringify(old[name], withExact) !== JSON.stringify(now[name], withExact));
  const cell = (value) => td("mono", value === undefined ? span("dim", "\u2013") : short(value));
  return names.length ? section("Changed in the check", table(["", "before", "now"], names.map((name) => [name, cell(old[name]), cell(now[name])]))) : [];
}

function twoRuns(before, record) {
  return [["Before", before], ["Now", record]].flatMap(([title, one]) =>
    [...section(`${title}: ${one.verdict}, score ${one.score}, threshold ${one.threshold}`), ...sides(one)]);
}

function choice(labels, pick) {
  const buttons = labels.map((label, index) => button(label, () => {
    buttons.forEach((one, other) => one.setAttribute("aria-pressed", other === index));
    pick(index);
  }, { "aria-pressed": index === 0 ? "true" : "false" }));
  return h("span", { class: "switch", role: "group" }, buttons);
}

// ---- values
function tree(value, depth, key) {
  const label = key === "" ? [] : [span("key", key), ": "];
  if (isObject(value) && typeof value.$type === "string") return typed(value, depth, label);
  if (Array.isArray(value)) return folded(label, `[${value.length}]`, value.map((item, index) => [index, item]), depth);
  if (isObject(value)) return folded(label, `{${Object.keys(value).length}}`, Object.entries(value), depth);
  return div("leaf", label, typeof value === "string" ? quoted(value) : String(value));
}

function typed(value, depth, label) {
  const { $type, value: inner, member } = value;
  const head = [label, span("kind", value.class ? `${$type} ${value.class}` : $type), " "];
  if ($type === "text") return div("leaf", label, quoted(String.fromCodePoint(...inner.slice(0, LONGEST_TEXT))));
  if ($type === "dict") return folded(head, `{${inner.length}}`, inner.map(([name, item]) => [short(name), item]), depth);
  if (isObject(inner) || Array.isArray(inner)) return folded(head, `(${Object.keys(inner).length})`, Object.entries(inner), depth);
  return div("leaf", head, member ? `${member} = ` : "", typeof inner === "string" ? quoted(inner) : String(inner));
}

// What is folded is made when it is opened, so the size of a value does not matter.
function folded(label, size, entries, depth) {
  if (!entries.length) return div("leaf", label, size.replace("0", ""));
  const element = h("details", {}, h("summary", {}, label, span("dim", size)));
  const grow = (from) => {
    element.append(...entries.slice(from, from + MOST_ITEMS).map(([name, item]) => tree(item, depth - 1, String(name))));
    if (entries.length > from + MOST_ITEMS) {
      element.append(button(`${entries.length - from - MOST_ITEMS} more`, (event) => { event.target.remove(); grow(from + MOST_ITEMS); }));
    }
  };
  let isMade = false;
  const make = () => { if (!isMade) { isMade = true; grow(0); } };
  element.addEventListener("toggle", make);
  if (depth > 0 && entries.length <= 50) { make(); element.open = true; }
  return element;
}

// A text of megabytes takes a browser seconds, so it is shown bit by bit.
function quoted(text) {
  const element = span("text");
  const grow = (length) => {
    const end = /[\ud800-\udbff]/.test(text[length - 1]) ? length - 1 : length, left = text.length - end;
    element.replaceChildren(visible(`"${text.slice(0, end)}`), left > 0 ? "\u2026 " : '"');
    if (left > 0) element.append(button(`${grouped(left)} more characters`, () => grow(end + MORE_TEXT)));
  };
  grow(text.length > LONGEST_TEXT ? LONGEST_TEXT : text.length + 1);
  return element;
}

const withExact = (key, item) => item instanceof Exact ? JSON.rawJSON(item.source) : item;

function short(value) {
  const text = typeof value === "string" ? `"${value}"` : JSON.stringify(value, withExact) ?? "";
  return text.length > 200 ? `${text.slice(0, 199)}\u2026` : text;
}

// ---- comparisons that are more than two values
function special(record) {
  const details = asObject(record.details), children = asList(record.children).filter(isObject), plan = dig(record, "settings", "strategy");
  if (isObject(details.assignment) && asList(dig(record, "observed", "calls")).length) return blind(record, details, children);
  return [
    details.alignment ? section("Calls side by side", calls(details)) : [],
    children.length ? section("Parts", parts(record, children)) : [],
    children.filter((child) => dig(child, "details", "alignment")).map((child) => section(`Calls of ${child.name}`, calls(child.details))),
    isObject(plan) ? section("Strategy", h("ul", { class: "strategy" }, strategy(plan, children)[1])) : [],
  ].flat(2);
}

function parts(record, children) {
  const isTemplate = isObject(dig(record, "settings", "fields")), lines = [];
  const addLines = (list, depth) => list.forEach((child) => {
    const name = td("", child.name ?? child.operator), weight = dig(record, "settings", "fields", child.name, "weight");
    name.style.paddingLeft = `${depth * 16}px`;
    lines.push([
      mark(child.verdict), name, ...(isTemplate ? [weight] : []), child.operator, td("mono", short(child.expected)),
      td(child.verdict === "pass" ? "mono" : "mono observed", child.error ?? short(child.observed)), td("number", child.score),
    ]);
    addLines(asList(child.children).filter(isObject), depth + 1);
  });
  addLines(children, 0);
  return table(["", ...(isTemplate ? ["field", "weight"] : ["part"]), "operator", "expected", "observed", "score"], lines);
}

function strategy(node, children) {
  const settings = asObject(node.settings), conditions = asList(settings.conditions).map((part) => strategy(part, children));
  const count = conditions.filter(([has]) => has).length;
  const needed = { all_of: conditions.length, any_of: 1 }[node.operator] ?? Number(settings.n);
  const isField = node.operator === "field_check", has = isField
    ? dig(children.find((child) => child.name === settings.field), "verdict") === "pass" : count >= needed;
  const what = isField ? settings.field : `at least ${needed} of ${conditions.length}: ${count} passed`;
  return [has, h("li", {}, mark(has ? "pass" : "fail"), " ", what, conditions.length ? h("ul", {}, conditions.map(([, item]) => item)) : null)];
}

function calls(details) {
  // The differences of a call by the position of its observed side: each with its path in the arguments.
  const inside = new Map();
  for (const one of asList(details.differences)) {
    const match = /^\$\[(\d+)\]\.args([^]*)$/.exec(String(one.observed_path ?? one.path));
    if (match) inside.set(match[1], [...(inside.get(match[1]) || []), match[2]]);
  }
  const lines = asList(details.alignment).filter(isObject).map((row) => {
    const kind = String(row.kind), isFine = kind === "equal" || kind === "extra", differs = kind === "different_arguments";
    const paths = differs && inside.get(String(row.observed)) || [];
    const said = differs ? "differs" : kind === "equal" ? "" : kind.replaceAll("_", " ");
    const sideOf = { expected: isObject(row.expected_call) ? row.expected_call : row, observed: row };
    return [mark(isFine ? "pass" : "fail"), said, ...Object.entries(sideOf).map(([side, one]) =>
      td("mono", Number.isInteger(row[side]) ? call(one, row[side], side, paths, isFine) : span("dim", "\u2013")))];
  });
  if (details.alignment_omitted) lines.push(["", "", `\u2026 ${details.alignment_omitted} more calls`, ""]);
  return table(["", "", "expected", "observed"], lines);
}

// A call as one side has it; the arguments that differ are marked.
function call(one, position, side, paths, isFine) {
  const differs = (name) => [`.${name}`, `['${name.replace(/[\\']/g, "\\$&")}']`].some((start) =>
    paths.some((path) => path === start || path.startsWith(`${start}.`) || path.startsWith(`${start}[`)));
  const isWhole = !isFine && (!paths.length || paths.includes(""));
  return [
    span(isWhole ? side : "", `${position + 1}. ${one.name}`),
    Object.entries(asObject(one.args)).map(([name, value]) => div("leaf", span(differs(name) ? `${side}_changed` : "", `${name} = ${short(value)}`))),
    one.args_text === undefined ? null : div("leaf", span("dim", `malformed = ${short(one.args_text)}`)),
    one.note ? div("leaf", span("dim", String(one.note).replaceAll("_", " "))) : null,
  ];
}

function blind(record, details, children) {
  const candidates = asList(dig(record, "observed", "comparison", "candidates")), content = div("");
  const sides = children.flatMap((child, number) => ["A", "B"].map((label) => ({
    label, number: number + 1, rubric: asObject(dig(child, "details", "comparison", "rubric", label)),
    isFirst: asList(dig(child, "expected", "shown"))[0] === label, hasWon: dig(child, "details", "winner") === label,
    candidate: dig(candidates[dig(child, "expected", "slots", label)], "name"),
  })));
  const criteria = ["content", "structure"].flatMap((part) =>
    [...new Set(sides.flatMap(({ rubric }) => Object.keys(asObject(dig(rubric, part)))))].map((name) => [part, name]));
  const line = (title, value) => [title, ...sides.map((side) => td("number", value(side)))];
  const lines = [
    ...criteria.map(([part, name]) => line(`${part}: ${name}`, ({ rubric }) => dig(rubric, part, name))),
    line("overall", ({ rubric }) => dig(rubric, "overall_score")), line("winner", ({ hasWon }) => hasWon ? "\u25c0 winner" : ""),
  ];
  const reasons = children.map((child) => [child.name, dig(child, "details", "comparison", "reasoning")]).filter(([, text]) => text);
  const draw = (isRevealed) => {
    const heads = sides.map(({ number, label, candidate, isFirst }) =>
      `call ${number}: ${isRevealed && candidate || label}${isFirst ? " (shown first)" : ""}`);
    const who = Object.entries(details.assignment).map(([label, name]) => `${label} was ${name}`).join(", ");
    content.replaceChildren(table(["criterion", ...heads], lines), ...reasons.map(([name, text]) => h("p", {}, `${name}: ${text}`)),
      isRevealed ? h("p", {}, `${who}; winner: ${details.winner ?? "none"} (${details.status})`) : "");
  };
  draw(false);
  const problems = children.filter((child) => child.verdict !== "pass");
  return [
    h("h3", {}, "Calls of the judge ", choice(["blind", "revealed"], (index) => draw(index === 1))), content,
    ...problems.map((child) => notice(`${child.name}: ${child.error ?? asList(child.notes).join(", ")}`)),
  ];
}

// ---- commands and the overview
function commands(row) {
  const ends = { id: idOf(row), test: `'${testOf(row).replaceAll("'", `'"'"'`)}'`, "": "" };
  const lines = about.commands.map(([command, end]) => command + ends[end]);
  const drawn = lines.map((line) => div("command", h("code", { tabindex: 0 }, line), button("Copy", (event) => copy(line, event.target))));
  return div("", drawn.length ? section("Commands", drawn) : null);
}

function overview() {
  const isShort = !IS_SERVED && rowsOf.rows.k + rowsOf.rows.r < rows;
  const chart = (title, ...more) => div("", section(title, histogram(title, ...more)));
  const margin = (row) => columns.score[row] - columns.threshold[row];
  const failed = about.tests.map(([number, tests, outcome, message]) =>
    [message, td(outcome === "failed" ? "fail" : "error", outcome), td("number", grouped(number)), firstTests(tests, number)]);
  const parts = about.fields.map(([field, name, given, ...sums]) => [field, name, given, ...countCells(sums)]);
  const rest = about.left_out ? " (those that passed are left out)" : "";
  const slow = about.slowest.map(([test, seconds]) => {
    const meter = span("meter");
    meter.style.width = `${100 * seconds / about.slowest[0][1]}%`;
    return [link("test", test), td("number", seconds.toFixed(3)), meter];
  });
  return [
    h("h2", {}, about.title, trendsLink(asObject(about.history).trends, "")),
    [...about.warnings, ...(isShort ? [LEFT_OUT] : [])].map(notice),
    h("dl", { class: "facts" }, about.facts.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])),
    failed.length ? section("Tests that did not pass", table(["message", "outcome", "tests", "first"], failed)) : [],
    reasons(),
    rows ? div("charts", chart(`Scores${rest} (heights are logarithmic)`, (row) => columns.score[row], 0, 1), chart(`Scores less thresholds${rest}`, margin, -1, 1)) : [],
    about.decisions.length ? h("p", { class: "dim" }, `Decisions over other comparisons do not count below: ${about.decisions.join(", ")}.`) : [],
    facets.filter(({ name }) => name !== "verdict").map(countTable),
    numbers(about.numbers),
    parts.length ? section("Fields and criteria", table(["field", "name", "parameters", "pass", "fail", "error", "rate"], parts)) : [],
    slow.length ? section("Slowest tests", table(["test", "seconds", "share of the slowest"], slow)) : [],
  ].flat(2);
}

// ---- numbers over the session
function numbers({ rates = [], labels = [], reliability = [], failures = [] }) {
  const bySize = rates.flatMap(({ by, groups }) => groups.map((one) =>
    [by.join(", "), one.group.join(", "), ...[one.pass, one.fail, one.error].map(countCell), ...rateCells(one)]));
  const curves = reliability.map(({ key, group, bins, calibration_error: error, brier }) => section(
    `Reliability of ${[key, ...group].join(" ")} (calibration error ${error}, Brier score ${brier})`,
    table(["confidence", "comparisons", "mean", "pass rate", "95 % interval", ""], bins.map((one) =>
      [`${one.from} to ${one.to}`, td("number", grouped(one.comparisons)), td("number", String(one.confidence)), ...rateCells(one)]))));
  const equal = failures.map((one) =>
    [one.operator, td("mono", one.place), one.difference, td("number", grouped(one.comparisons)), firstTests(one.tests, 0)]);
  return [
    bySize.length ? section("Pass rates", table(["by", "group", "pass", "fail", "error", "rate", "95 % interval", ""], bySize)) : [],
    labels.map(confusion), curves,
    equal.length ? section("Failures by kind of difference", table(["operator", "place", "difference", "comparisons", "first tests"], equal)) : [],
  ].flat(3);
}

// Rounded to millionths first, because 1000 * 0.29 is above 290.
const inPercent = (share, round) => `${round(Math.round(1e6 * share) / 1e3) / 10} %`;

function rateCells({ rate: share, interval: [low, high] }) {
  const text = `${inPercent(low, Math.floor)} to ${inPercent(high, Math.ceil)}`, x = (number) => (100 * number).toFixed(2);
  const picture = svg("svg", { class: "interval", viewBox: "0 0 100 8", preserveAspectRatio: "none", role: "img", "aria-label": text },
    svg("rect", { class: "whole", x: 0, y: 3, width: 100, height: 2 }), svg("rect", { class: "range", x: x(low), y: 2, width: x(Math.max(high - low, 0.01)), height: 4 }),
    svg("rect", { class: "rate", x: x(Math.min(share, 0.99)), y: 0, width: 1, height: 8 }));
  return [td("number", inPercent(share, Math.floor)), td("number dim", text), td("", picture)];
}

// Expected classes are rows, observed ones columns; a cell is darker for a larger share of its row.
function confusion({ of, group, classes, matrix, other, errors, macro, micro, weighted }) {
  const scores = (one) => [one.precision, one.recall, one.f1].map((score) => td("number", score.toFixed(3)));
  const lines = classes.map((one, row) => [h("b", {}, one.class), ...[...matrix[row], other[row], errors[row]].map((number, column) => {
    const cell = td("number", grouped(number)), share = 30 * number / (one.support || 1);
    if (number) cell.style.background = `color-mix(in srgb, var(--${column === row ? "pass" : "fail"}) ${share}%, transparent)`;
    return cell;
  }), ...scores(one)]);
  const averages = Object.entries({ macro, micro, weighted }).map(([name, one]) => [`${name} average`, ...classes.map(() => ""), "", "", ...scores(one)]);
  const heads = ["expected", ...classes.map((one) => `observed ${one.class}`), "other", "error", "precision", "recall", "F1"];
  return section(`Labels of ${[of, ...group].join(" ")}`, table(heads, [...lines, ...averages]));
}

const BINS = 20, WIDTH = 320, HEIGHT = 88, FOOT = 14;

// The distribution of a number of the answers.
function histogram(title, numberOf, low, high) {
  const bins = Array.from({ length: BINS }, () => [0, 0, 0]), width = (high - low) / BINS;
  for (let row = 0; row < rows; row++) {
    if (decisions.has(columns.operator[row])) continue;
    // A small tolerance, because 0.7 - 0.5 is slightly below the lower edge of its bin.
    const bin = Math.floor((numberOf(row) - low) / width + 1e-5);
    bins[Math.min(Math.max(bin, 0), BINS - 1)][columns.verdict[row]]++;
  }
  const most = Math.max(...bins.map(sumOf)), axis = [[low, "start", 0], [(low + high) / 2, "middle", WIDTH / 2], [high, "end", WIDTH]];
  return svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `${title}; the highest bar is ${most}` },
    bins.map((bin, at) => sumOf(bin) ? bar(bin, at, most, low + at * width, width) : []), svg("path", { d: `M0 ${HEIGHT - FOOT + 0.5}H${WIDTH}` }),
    axis.map(([number, anchor, x]) => svg("text", { x, y: HEIGHT, "text-anchor": anchor }, String(number))));
}

const sumOf = (bin) => bin[0] + bin[1] + bin[2];

function bar(bin, at, most, low, width) {
  const step = WIDTH / BINS, total = sumOf(bin), counts = texts.verdict.map((verdict, code) => `${bin[code]} ${verdict}`).join(", ");
  // Logarithmic, so one failure stays visible beside a hundred thousand passes.
  const height = (HEIGHT - FOOT - 4) * Math.log1p(total) / Math.log1p(most);
  let top = HEIGHT - FOOT;
  return svg("g", {}, svg("title", {}, `${low.toFixed(2)} to ${(low + width).toFixed(2)}: ${counts}`), texts.verdict.map((verdict, code) => {
    if (!bin[code]) return [];
    const part = Math.max(height * bin[code] / total, 1.5);
    top -= part;
    return svg("rect", { class: verdict, x: (at * step + 1).toFixed(1), y: top.toFixed(1), width: (step - 2).toFixed(1), height: part.toFixed(1) });
  }));
}

const link = (name, value) => facets.some((one) => one.name === name && one.values.includes(value))
  ? button(value, () => { choose(name, value, true); grid.focus(); }, { class: "link" }) : value;

const countCell = (number, verdict) => td(`number ${number ? verdict && texts.verdict[verdict] : "dim"}`, grouped(number));
const countCells = (sums) => [...sums.map(countCell), td("number dim", rate(sums[0], sums[0] + sums[1] + sums[2]))];
const firstTests = (tests, number) =>
  [tests.map((test) => h("div", {}, link("test", test))), number > tests.length ? span("dim", `and ${grouped(number - tests.length)} more`) : null];

// Equal failures are one line.
function reasons() {
  const groups = new Map();
  for (let row = 0; row < rows; row++) {
    const headline = word("headline", row);
    if (!headline) continue;
    const key = `${word("operator", row)}: ${headline}`, group = groups.get(key) || { number: 0, tests: new Set() };
    group.number++;
    group.tests.add(testOf(row));
    groups.set(key, group);
  }
  const equal = [...groups].filter(([, { number }]) => number > 1).sort((a, b) => b[1].number - a[1].number).slice(0, 10);
  const lines = equal.map(([reason, { number, tests }]) => [td("mono", reason), td("number", grouped(number)), firstTests([...tests].slice(0, 3), tests.size)]);
  return lines.length ? section("Equal failures", table(["reason", "comparisons", "first tests"], lines)) : [];
}

function countTable({ name, title, members, values }) {
  const counted = new Uint32Array(members.length * 3), sums = new Map(), column = columns[name], bad = ([, sum]) => sum[1] + sum[2];
  for (let row = 0; row < rows; row++) if (!decisions.has(columns.operator[row])) counted[column[row] * 3 + columns.verdict[row]]++;
  members.forEach((found, code) => found.filter((member) => values[member] !== "").forEach((member) =>
    sums.set(member, (sums.get(member) || [0, 0, 0]).map((sum, verdict) => sum + counted[code * 3 + verdict]))));
  // Rows that are left out count in the report.
  const inReport = name === "operator" ? about.operators : [];
  for (const [operator, ...numbers] of inReport) sums.set(operator, numbers);
  const listed = [...(inReport.length ? inReport.map(([operator]) => [operator, sums.get(operator)]) : sums)]
    .filter((one) => one[1].some(Boolean) && (name !== "test" || bad(one))).sort((a, b) => bad(b) - bad(a) || b[1][0] - a[1][0]);
  const isPartial = about.left_out && !inReport.length, heads = isPartial ? ["fail", "error"] : ["pass", "fail", "error", "rate"];
  const cellsOf = (sum) => isPartial ? countCells(sum).slice(1, 3) : countCells(sum);
  const lines = listed.slice(0, 10).map(([member, sum]) => [link(name, inReport.length ? member : values[member]), ...cellsOf(sum)]);
  if (listed.length > 10) lines.push([`\u2026 ${grouped(listed.length - 10)} more`, ...heads.map(() => "")]);
  return lines.length ? section(`By ${title.toLowerCase()}`, table([title.toLowerCase(), ...heads], lines)) : [];
}

// ---- keyboard and start
function press(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || $("keys").open) return;
  const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) && event.target.type !== "checkbox";
  if (event.key === "Escape") {
    if (isTyping) grid.focus();
    else if ($("facets").classList.contains("open")) toggleFacets();
    else if (state.id) close();
    return;
  }
  if (isTyping) { if (event.key === "Enter") grid.focus(); return; }
  const page = Math.max(Math.floor(grid.clientHeight / ROW) - 1, 1), inList = document.activeElement === grid;
  const inGrid = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: shown.length - 1 };
  const to = { j: at + 1, k: at - 1, ...(inList ? inGrid : {}) }[event.key];
  if (to !== undefined) move(to);
  else if (event.key === "Enter" && (inList || event.target === document.body) && at >= 0) { open(at, true); $("detail").focus(); }
  else if (event.key === "/") $("search").focus();
  else if (event.key === "?") $("keys").showModal();
  else return;
  event.preventDefault();
}

function toggleFacets() {
  $("toggle").setAttribute("aria-expanded", $("facets").classList.toggle("open"));
  $("facets").focus();
}

// Where there is room for one thing only, a second click leads back to the list.
function home(event) {
  const isThere = document.body.classList.contains("opened") && !state.id;
  event.preventDefault();
  history.pushState(null, "", "#");
  readAddress();
  document.body.classList.toggle("opened", !isThere);
}

async function watch() {
  // Where the server has gone, the page stays as it is.
  const version = await asked("state").then((response) => response.text(), () => about.version);
  if (version !== about.version) location.reload();
}

async function start() {
  try { await load(); } catch (error) {
    $("status").textContent = `The page cannot be read: ${error.message}`;
    return;
  }
  add($("totals"), Object.entries(counts).map(([verdict, number]) => span(number ? verdict : "dim", `${MARKS[verdict]} ${grouped(number)} ${verdict}`)));
  add($("totals"), [span("dim", rate(counts.pass, counts.pass + counts.fail + counts.error))]);
  addEventListener("hashchange", readAddress);
  addEventListener("keydown", press);
  addEventListener("resize", () => drawRows());
  grid.addEventListener("scroll", () => requestAnimationFrame(() => drawRows()));
  $("search").addEventListener("input", () => { state.query = $("search").value; writeAddress(); search(); });
  $("order").addEventListener("change", () => { state.order = $("order").value; writeAddress(); filter(); });
  $("toggle").addEventListener("click", toggleFacets);
  $("help").addEventListener("click", () => $("keys").showModal());
  $("home").addEventListener("click", home);
  readAddress();
  document.documentElement.dataset.ready = Math.round(performance.now());
  if (IS_SERVED) setInterval(watch, 2000);
}

start();
