// The page in which a person looks at comparisons. All text of records becomes the text of elements, never HTML.
"use strict";

const $ = (id) => document.getElementById(id);
const IS_SERVED = !$("index");
const MARKS = { pass: "\u2713", fail: "\u2717", error: "!" };
const FACETS = [
  ["verdict", "Verdict"], ["change", "Change"], ["causes", "Cause"], ["operator", "Operator"], ["name", "Name"],
  ["parts", "Part that did not pass"], ["notes", "Note"], ["test", "Test"],
];
const ROW = 44;
// Firefox draws nothing that is higher than 17.9 million pixels.
let HIGHEST = 15e6;
const MOST_VALUES = 100;
const LONGEST_TEXT = 4000;
const MOST_ITEMS = 200;

let about, counts, rows, texts, columns, place, rowsOf, facets;
const state = { chosen: {}, query: "", order: "", id: "" };
let shown = new Uint32Array(0), at = -1, current = -1, found = null, sought = "", searching = 0, opening = 0;

// ---- text and elements

// What has no width, turns the direction of text or is half a character is shown as an escape, as in the terminal.
const STRANGE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Zs}]/gu;

function escaped(character) {
  const code = character.codePointAt(0), hex = code.toString(16);
  if (" \n\t".includes(character)) return character;
  return code < 256 ? "\\x" + hex.padStart(2, "0") : code < 65536 ? "\\u" + hex.padStart(4, "0") : "\\U" + hex.padStart(8, "0");
}

const visible = (text) => text.replace(STRANGE, escaped);

function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  add(element, children);
  return element;
}

function add(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child instanceof Node) element.append(child);
    else if (child !== null && child !== undefined && child !== "") element.append(visible(String(child)));
  }
}

const section = (title, ...children) => [h("h3", {}, title), ...children];
const button = (label, click, more) => h("button", { type: "button", click, ...more }, label);
const table = (heads, lines) => h("div", { class: "box", tabindex: 0, role: "region", "aria-label": heads.filter(Boolean).join(", ") },
  h("table", {}, h("thead", {}, h("tr", {}, heads.map((head) => h(head ? "th" : "td", head ? { scope: "col" } : {}, head)))),
    h("tbody", {}, lines.map((cells) => h("tr", {}, cells.map((cell) => cell instanceof Node && cell.tagName === "TD" ? cell : h("td", {}, cell)))))));
const mark = (verdict) => h("span", { class: `mark ${verdict}`, role: "img", "aria-label": verdict }, MARKS[verdict] || "?");

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
  rowsOf = { k: [], r: [], starts: { k: chunks.kept.starts, r: chunks.rest.starts }, rows: { k: chunks.kept.rows, r: chunks.rest.rows } };
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

const pieces = new Map();

async function piece(kind, number) {
  const key = kind + number;
  if (!pieces.has(key)) {
    pieces.set(key, await textOf(key));
    if (pieces.size > 4) pieces.delete(pieces.keys().next().value);
  }
  return pieces.get(key);
}

async function textOf(key) {
  if (!$(key)) await parsed;
  return new TextDecoder().decode(await unzipped(bytesOf($(key).textContent)));
}

const parsed = new Promise((resolve) => {
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", resolve);
  else resolve();
});

async function bodyOf(row) {
  if (IS_SERVED) return parse(await (await asked(`row?for=${row}`)).text());
  const kind = kindOf(row), starts = rowsOf.starts[kind];
  let number = starts.length - 1;
  while (starts[number] > place[row]) number--;
  return parse((await piece(kind, number)).split("\n")[place[row] - starts[number]]);
}

// ---- the address

function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  state.query = given.get("q") || "";
  state.order = given.get("order") || "";
  state.id = given.get("id") || "";
  state.chosen = {};
  for (const { name, values } of facets) {
    const known = given.getAll(name).filter((value) => values.includes(value));
    if (known.length) state.chosen[name] = new Set(known);
  }
  current = findRow(state.id);
  if (current >= 0) state.id = idOf(current);
  if (!given.has("all") && !state.query && !Object.keys(state.chosen).length) chooseStart();
  filter();
  if (current >= 0 && at < 0) { state.chosen = {}; filter(); }
  $("search").value = state.query;
  $("order").value = state.order;
  search();
  show(current);
}

function chooseStart() {
  for (const [name, wanted] of Object.entries(about.start || { verdict: ["fail", "error"] })) {
    const known = facets.find((one) => one.name === name)?.values.filter((value) => wanted.includes(value) && (name !== "verdict" || counts[value]));
    if (known && known.length) state.chosen[name] = new Set(known);
  }
}

function writeAddress(isStep) {
  const given = new URLSearchParams();
  for (const [name, values] of Object.entries(state.chosen)) for (const value of values) given.append(name, value);
  if (!given.size && !state.query) given.append("all", "1");
  for (const [key, value] of [["q", state.query], ["order", state.order], ["id", state.id]]) if (value) given.append(key, value);
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
  const scrolled = [...$("facets").querySelectorAll("ul")].map((list) => [list.dataset.name, list.scrollTop]);
  $("facets").replaceChildren(...facets.flatMap(drawFacet));
  for (const [name, top] of scrolled) {
    const list = $("facets").querySelector(`ul[data-name="${name}"]`);
    if (list) list.scrollTop = top;
  }
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
  if (listed.length > MOST_VALUES) items.push(h("li", { class: "dim" }, h("label", {}, `\u2026 ${(listed.length - MOST_VALUES).toLocaleString("en")} more; search finds them`)));
  const clear = chosen.size ? button("clear", () => { delete state.chosen[name]; writeAddress(); filter(); }, { "aria-label": `Clear ${title}` }) : null;
  return [h("h2", {}, title, clear), h("ul", { "data-name": name, tabindex: -1 }, items)];
}

function drawChoice(name, value, count, chosen) {
  const box = h("input", { type: "checkbox", "data-facet": `${name} ${value}`, change: () => choose(name, value) });
  box.checked = chosen.has(value);
  const what = name === "verdict" ? [mark(value), " ", value] : name === "test" ? shortTest(value) : value;
  return h("li", {}, h("label", { title: visible(value) }, box, h("span", { class: "what" }, what), h("span", { class: "dim number" }, count.toLocaleString("en"))));
}

const shortTest = (test) => test.slice(test.indexOf("::", test.lastIndexOf("/") + 1) + 2) || test;

function drawStatus() {
  const all = rows.toLocaleString("en"), some = shown.length.toLocaleString("en");
  const state = searching ? `, searching ${Math.floor(searching * 100)} %` : "";
  $("status").textContent = `${some === all ? all : `${some} of ${all}`} comparisons${state}`;
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
  const pattern = patternOf(state.query);
  waiting = setTimeout(() => inBodies(pattern, () => run === mine), 200);
}

// Records are ASCII, so what is not stands in them as an escape, which has no case.
function patternOf(query) {
  const forms = [query, query.toLowerCase(), query.toUpperCase()].map((form) => JSON.stringify(form).slice(1, -1)
    .replace(/[^ -~]/g, (unit) => "\\u" + unit.charCodeAt(0).toString(16).padStart(4, "0")).replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
  return new RegExp(forms.join("|"), "i");
}

function inTexts(query) {
  const matches = new Uint8Array(rows), wanted = query.toLowerCase();
  for (const name of Object.keys(texts)) {
    const column = columns[name], hit = Uint8Array.from(texts[name], (text) => +String(text).toLowerCase().includes(wanted));
    if (hit.includes(1)) for (let row = 0; row < rows; row++) matches[row] |= hit[column[row]];
  }
  return matches;
}

async function inBodies(pattern, isWanted) {
  const jobs = IS_SERVED ? [["", 0]] : [..."kr"].flatMap((kind) => rowsOf.starts[kind].map((_, number) => [kind, number]));
  let drawn = performance.now();
  for (let job = 0; job < jobs.length; job++) {
    const [kind, number] = jobs[job];
    const rowsFound = IS_SERVED ? await askedRows() : await foundRows(kind, number, pattern);
    if (!isWanted()) return;
    for (const row of rowsFound) found[row] = 1;
    searching = (job + 1) / jobs.length;
    if (performance.now() - drawn > 300) { filter(); drawn = performance.now(); }
  }
  searching = 0;
  filter();
}

const askedRows = async () => new Uint32Array(await (await asked(`search?for=${encodeURIComponent(state.query)}`)).arrayBuffer());

async function foundRows(kind, number, pattern) {
  const text = await textOf(kind + number);
  if (!pattern.test(text)) return [];
  const start = rowsOf.starts[kind][number];
  return text.split("\n").flatMap((line, index) => line && pattern.test(line) ? [rowsOf[kind][start + index]] : []);
}

// ---- the list

const grid = $("grid");
const highest = () => Math.min(shown.length * ROW, HIGHEST);
// How many pixels of the list one pixel of the scroll bar stands for.
const scale = () => shown.length * ROW > HIGHEST ? (shown.length * ROW - grid.clientHeight) / (HIGHEST - grid.clientHeight) : 1;

function drawRows(isNew) {
  if (isNew) {
    $("rows").style.height = `${highest()}px`;
    if (at >= 0) reveal();
  }
  const top = grid.scrollTop * scale(), first = Math.max(Math.floor(top / ROW) - 3, 0);
  const last = Math.min(first + Math.ceil(grid.clientHeight / ROW) + 7, shown.length);
  const drawn = [];
  for (let index = first; index < last; index++) drawn.push(drawRow(index, grid.scrollTop + index * ROW - top));
  if (!drawn.length) drawn.push(h("div", { role: "row", class: "row" }, h("span", { role: "gridcell" }), h("span", { role: "gridcell", class: "dim" }, rows ? "Nothing is left by these filters." : "There is no comparison.")));
  $("rows").replaceChildren(...drawn);
  if (at >= first && at < last) grid.setAttribute("aria-activedescendant", `row-${at}`);
  else grid.removeAttribute("aria-activedescendant");
}

function drawRow(index, top) {
  const row = shown[index], verdict = word("verdict", row), test = testOf(row), name = word("name", row), change = word("change", row);
  const cell = (attributes, ...children) => h("span", { role: "gridcell", ...attributes }, ...children);
  const element = h("div", { role: "row", class: "row", id: `row-${index}`, "aria-rowindex": index + 1, "aria-selected": index === at ? "true" : "false", click: () => open(index, true) },
    cell({ class: `mark ${verdict}`, "aria-label": verdict }, MARKS[verdict]),
    cell({}, shortTest(test), name ? h("span", { class: "dim" }, ` \u203a ${name}`) : null),
    cell({ class: "dim" }, change || word("operator", row)),
    cell({ class: "second" }, word("headline", row) || (change ? word("operator", row) : test.slice(0, test.length - shortTest(test).length).replace(/::$/, "") || word("operator", row))));
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
  let drawn;
  if (row < 0) drawn = overview();
  else if (!isIn(row)) drawn = [heading(row), h("p", { class: "notice" }, "This page would be too large with every record, so it has the list and what did not pass. The record is shown by the command below, and by pytest-verdict view --serve."), commands(row)];
  else {
    try { drawn = details(row, ...await bodyOf(row)); }
    catch (error) { drawn = [heading(row), h("p", { class: "notice" }, `The record cannot be shown: ${error.message}`), commands(row)]; }
  }
  if (mine !== opening) return;
  $("detail").replaceChildren(...drawn);
  $("detail").scrollTop = 0;
  document.title = visible(row < 0 ? about.title : `${shortTest(testOf(row))} \u2013 ${about.title}`);
}

function heading(row) {
  const verdict = word("verdict", row);
  return h("div", { class: "title" }, mark(verdict), h("span", { class: `verdict ${verdict}` }, verdict),
    h("h2", {}, word("operator", row), word("name", row) ? h("span", { class: "dim" }, ` \u203a ${word("name", row)}`) : null),
    h("span", { class: "spacer" }),
    h("span", { class: "actions" }, button("Copy link", (event) => copy(location.href, event.target)), " ", button("Close", close, { "aria-keyshortcuts": "Escape" })));
}

function details(row, record, lines, before) {
  const sign = Number(record.score) >= Number(record.threshold) ? "\u2265" : "<";
  const facts = [
    ["test", record.test], ["called at", `${record.path}:${record.line}`],
    ["score", `${record.score} ${sign} ${record.threshold}${record.negated ? ", and the test meant the opposite" : ""}`],
    ["normalization", asList(record.normalization).join(", ")], ["notes", asList(record.notes).join(", ")], ["error", record.error],
    ["change", word("change", row)], ["causes", word("causes", row).join(", ")],
    ["record", `${record.id}, attempt ${record.attempt}, comparison ${record.ordinal}`],
  ];
  return [
    heading(row),
    h("dl", { class: "facts" }, facts.flatMap(([name, value]) => value ? [h("dt", {}, name), h("dd", {}, value)] : [])),
    ...(lines.length ? section("Why it did not pass", said(lines)) : []),
    ...special(record),
    ...(before ? twoRuns(before, record) : sides(record)),
    ...more("Extracted from", record.sources), ...more("Settings", record.settings), ...more("Details", record.details),
    commands(row),
  ];
}

const said = (lines) => h("pre", { class: "said box", tabindex: 0 }, lines.map((parts) => {
  const spans = [];
  for (let k = 0; k < parts.length; k += 2) spans.push(parts[k + 1] ? h("span", { class: parts[k + 1] === "mark" ? `mark ${{ ok: "pass", FAIL: "fail", ERROR: "error" }[parts[k].trim()] || ""}` : parts[k + 1] }, parts[k]) : parts[k]);
  return [...spans, "\n"];
}));

function more(title, value) {
  if (!isObject(value) || !Object.keys(value).length) return [];
  return section(title, h("div", { class: "box tree" }, tree(value, 0, "")));
}

function sides(record) {
  return [h("div", { class: "sides" }, ["expected", "observed"].map((side) => {
    const surface = record[`${side}_surface`], content = h("div", { class: "box tree" });
    const draw = (value) => content.replaceChildren(tree(value, 3, ""));
    draw(record[side]);
    return h("section", {}, h("h3", {}, h("span", { class: side }, side), surface === undefined ? null : choice(["as given", "as compared"], (index) => draw(index ? surface : record[side]))), content);
  }))];
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
  const label = key === "" ? [] : [h("span", { class: "key" }, key), ": "];
  if (isObject(value) && typeof value.$type === "string") return typed(value, depth, label);
  if (Array.isArray(value)) return folded(label, `[${value.length}]`, value.map((item, index) => [index, item]), depth);
  if (isObject(value)) return folded(label, `{${Object.keys(value).length}}`, Object.entries(value), depth);
  return h("div", { class: "leaf" }, label, typeof value === "string" ? quoted(value) : String(value));
}

function typed(value, depth, label) {
  const { $type, ...rest } = value;
  const kind = h("span", { class: "kind" }, value.class ? `${$type} ${value.class}` : $type);
  if ($type === "text") return h("div", { class: "leaf" }, label, quoted(String.fromCodePoint(...asList(value.value).slice(0, LONGEST_TEXT))));
  const inner = value.value;
  if ($type === "dict") return folded([...label, kind, " "], `{${inner.length}}`, inner.map(([name, item]) => [typeof name === "string" ? name : JSON.stringify(name), item]), depth);
  if (inner !== null && typeof inner === "object" && !(inner instanceof Exact)) return folded([...label, kind, " "], `(${Object.keys(inner).length})`, Object.entries(inner), depth);
  return h("div", { class: "leaf" }, label, kind, " ", rest.member ? `${rest.member} = ` : "", typeof inner === "string" ? quoted(inner) : String(inner));
}

// What is folded is made when it is opened, so the size of a value does not matter.
function folded(label, size, entries, depth) {
  if (!entries.length) return h("div", { class: "leaf" }, label, size === "{0}" ? "{}" : size === "[0]" ? "[]" : size);
  const element = h("details", {}, h("summary", {}, label, h("span", { class: "dim" }, size)));
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

function quoted(text) {
  if (text.length <= LONGEST_TEXT) return h("span", { class: "text" }, `"${text}"`);
  const end = /[\ud800-\udbff]/.test(text[LONGEST_TEXT - 1]) ? LONGEST_TEXT - 1 : LONGEST_TEXT;
  const element = h("span", { class: "text" }, `"${text.slice(0, end)}\u2026 `);
  element.append(button(`all ${text.length.toLocaleString("en")} characters`, () => element.replaceChildren(visible(`"${text}"`))));
  return element;
}

const short = (value) => {
  const text = typeof value === "string" ? `"${value}"` : value instanceof Exact ? value.source : JSON.stringify(value, (key, item) => item instanceof Exact ? JSON.rawJSON(item.source) : item) ?? "";
  return text.length > 200 ? `${text.slice(0, 199)}\u2026` : text;
};

// ---- comparisons that are more than two values

function special(record) {
  const details = asObject(record.details), children = asList(record.children).filter(isObject);
  if (isObject(details.assignment) && asList(record.observed?.calls).length) return blind(record, details, children);
  const found = details.alignment ? section("Calls side by side", calls(details)) : [];
  if (children.length) found.push(...section("Parts", partTable(record, children)));
  for (const child of children) if (asObject(child.details).alignment) found.push(...section(`Calls of ${child.name ?? child.operator}`, calls(child.details)));
  if (isObject(record.settings?.strategy)) found.push(...section("Strategy", h("ul", { class: "strategy" }, strategy(record.settings.strategy, children)[1])));
  return found;
}

function partTable(record, children) {
  const fields = asObject(record.settings?.fields), hasWeights = Object.values(fields).some((rule) => asObject(rule).weight !== undefined);
  const lines = [];
  const addLines = (list, depth) => list.forEach((child) => {
    const name = h("td", {}, `${"\u2003".repeat(0)}${child.name ?? child.operator}`);
    name.style.paddingLeft = `${depth * 16}px`;
    lines.push([mark(child.verdict), name, ...(hasWeights ? [String(asObject(fields[child.name]).weight ?? "")] : []), child.operator, h("td", { class: "mono" }, short(child.expected)), h("td", { class: `mono ${child.verdict === "pass" ? "" : "observed"}` }, child.error ?? short(child.observed)), h("td", { class: "number" }, String(child.score))]);
    addLines(asList(child.children).filter(isObject), depth + 1);
  });
  addLines(children, 0);
  return table(["", record.settings?.template ? "field" : "part", ...(hasWeights ? ["weight"] : []), "operator", "expected", "observed", "score"], lines);
}

function strategy(node, children) {
  const settings = asObject(node.settings);
  if (node.operator === "field_check") {
    const has = children.find((child) => child.name === settings.field)?.verdict === "pass";
    return [has, h("li", {}, mark(has ? "pass" : "fail"), " ", String(settings.field))];
  }
  const parts = asList(settings.conditions).map((part) => strategy(part, children)), count = parts.filter(([has]) => has).length;
  const needed = { all_of: parts.length, any_of: 1 }[node.operator] ?? Number(settings.n);
  return [count >= needed, h("li", {}, mark(count >= needed ? "pass" : "fail"), ` at least ${needed} of ${parts.length}: ${count} passed`, h("ul", {}, parts.map(([, item]) => item)))];
}

const KINDS = { equal: "", extra: "extra", different_arguments: "differs", missing: "missing", unexpected: "unexpected", forbidden: "forbidden", out_of_order: "out of order" };

function calls(details) {
  const inside = new Map();
  for (const one of asList(details.differences)) {
    const made = /^\$\[(\d+)\]\.args\.?([^]*)$/.exec(String(one.observed_path ?? one.path));
    if (made) inside.set(made[1], [...(inside.get(made[1]) || []), [made[2], one]]);
  }
  const lines = asList(details.alignment).filter(isObject).map((row) => {
    const differences = row.kind === "different_arguments" ? inside.get(String(row.observed)) || [] : [];
    const isFine = row.kind === "equal" || row.kind === "extra";
    return [isFine ? mark("pass") : mark("fail"), KINDS[row.kind] ?? row.kind, ...["expected", "observed"].map((side) => {
      const number = row[side];
      return h("td", { class: "mono" }, number === null || number === undefined ? h("span", { class: "dim" }, "\u2013") : call(row, side, differences, isFine));
    })];
  });
  if (details.alignment_omitted) lines.push(["", "", `\u2026 ${details.alignment_omitted} more calls`, ""]);
  return table(["", "", "expected", "observed"], lines);
}

function call(row, side, differences, isFine) {
  const changed = new Set(differences.map(([path]) => path.split(/[.[]/)[0]));
  const argument = (name, value, role) => h("div", { class: "leaf" }, h("span", { class: role }, `${name} = ${short(value)}`));
  return [
    h("span", { class: isFine || differences.length ? "" : side }, `${Number(row[side]) + 1}. ${row.name}`),
    Object.entries(asObject(row.args)).filter(([name]) => !changed.has(name)).map(([name, value]) => argument(name, value, "")),
    differences.filter(([, one]) => one[side] !== undefined).map(([path, one]) => argument(path || "arguments", one[side], `${side}_changed`)),
    row.args_text === undefined ? null : argument("malformed", row.args_text, "dim"),
  ];
}

function blind(record, details, children) {
  const candidates = asList(record.observed.comparison?.candidates).map((one) => String(asObject(one).name));
  const read = children.map((child) => ({ child, rubric: asObject(asObject(asObject(child.details).comparison).rubric), slots: asObject(asObject(child.expected).slots), first: asList(asObject(child.expected).shown)[0] }));
  const content = h("div", {});
  const draw = (isRevealed) => {
    const labelled = (one, label) => isRevealed ? candidates[one.slots[label]] ?? label : label;
    const heads = read.flatMap((one, number) => ["A", "B"].map((label) => `call ${number + 1}: ${labelled(one, label)}${one.first === label ? " (shown first)" : ""}`));
    const names = new Set(read.flatMap(({ rubric }) => ["A", "B"].flatMap((label) => ["content", "structure"].flatMap((part) => Object.keys(asObject(asObject(rubric[label])[part])).map((name) => `${part}: ${name}`)))));
    const line = (title, value) => [title, ...read.flatMap((one) => ["A", "B"].map((label) => h("td", { class: "number" }, value(asObject(one.rubric[label]), label, one))))];
    const lines = [...names].map((title) => line(title, (side) => { const [part, name] = title.split(/: ([^]*)/); return String(asObject(side[part])[name] ?? ""); }));
    lines.push(line("overall", (side) => String(side.overall_score ?? "")));
    lines.push(line("winner", (side, label, one) => asObject(one.child.details).winner === label ? "\u25c0 winner" : ""));
    const reasons = read.flatMap(({ child }) => asObject(asObject(child.details).comparison).reasoning ? [`${child.name}: ${child.details.comparison.reasoning}`] : []);
    content.replaceChildren(table(["criterion", ...heads], lines), ...reasons.map((text) => h("p", {}, text)),
      isRevealed ? h("p", {}, Object.entries(details.assignment).map(([label, name]) => `${label} was ${name}`).join(", "), `; winner: ${details.winner ?? "none"} (${details.status})`) : "");
  };
  draw(false);
  const problems = children.filter((child) => child.verdict !== "pass").map((child) => h("p", { class: "notice" }, `${child.name}: ${child.error ?? asList(child.notes).join(", ")}`));
  return [h("h3", {}, "Calls of the judge ", choice(["blind", "revealed"], (index) => draw(index === 1))), content, ...problems];
}

// ---- commands and the overview

function commands(row) {
  const ends = { id: idOf(row), test: `'${testOf(row).replaceAll("'", `'"'"'`)}'`, "": "" };
  const lines = about.commands.map(([command, end]) => command + ends[end]);
  return h("div", {}, section("Commands", lines.map((line) => h("div", { class: "command" }, h("code", { tabindex: 0 }, line), button("Copy", (event) => copy(line, event.target))))));
}

async function copy(text, element) {
  try { await navigator.clipboard.writeText(text); } catch { getSelection().selectAllChildren(element.previousElementSibling ?? element); return; }
  const label = element.textContent;
  element.textContent = "Copied";
  setTimeout(() => { element.textContent = label; }, 1200);
}

function overview() {
  const notices = [...about.warnings];
  if (!IS_SERVED && rowsOf.rows.k + rowsOf.rows.r < rows) notices.push("The records of what passed are left out, because the page would be larger than 50 MB. The list has them all; so has pytest-verdict view --serve.");
  const chart = (name, title) => about.charts[name] ? h("div", {}, section(title, document.importNode(new DOMParser().parseFromString(about.charts[name], "image/svg+xml").documentElement, true))) : null;
  return [
    h("h2", {}, about.title),
    notices.map((text) => h("p", { class: "notice" }, text)),
    h("dl", { class: "facts" }, about.facts.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])),
    about.tests.length ? section("Tests that did not pass", table(["test", "outcome", "message"], about.tests.map(([test, outcome, message]) => [link("test", test, test), h("td", { class: outcome === "failed" ? "fail" : "error" }, outcome), message]))) : [],
    rows ? h("div", { class: "charts" }, chart("scores", "Scores"), chart("margins", "Score less threshold")) : null,
    rows ? h("p", { class: "dim" }, "The heights are logarithmic.") : null,
    ["operator", "name", "parts", "notes", "test"].map(countTable),
    about.slowest.length ? section("Slowest tests", slowest()) : [],
  ].flat(9).filter((child) => child instanceof Node);
}

const link = (name, value, label) => facets.some((one) => one.name === name && one.values.includes(value)) ? button(label, () => { choose(name, value, true); grid.focus(); }, { class: "link" }) : label;

function countTable(name) {
  const one = facets.find((other) => other.name === name);
  if (!one) return [];
  const sums = new Map(), column = columns[name];
  for (let row = 0; row < rows; row++) {
    for (const member of one.members[column[row]]) {
      if (!sums.has(member)) sums.set(member, [0, 0, 0]);
      sums.get(member)[columns.verdict[row]]++;
    }
  }
  const bad = ([, numbers]) => numbers[1] + numbers[2];
  const listed = [...sums].filter(([member]) => one.values[member] !== "").sort((a, b) => bad(b) - bad(a) || b[1][0] - a[1][0]);
  if (!listed.length || (name === "test" && !bad(listed[0]))) return [];
  const lines = listed.slice(0, 10).map(([member, numbers]) => [link(name, one.values[member], one.values[member]), ...numbers.map((number, verdict) => h("td", { class: `number ${number && verdict ? texts.verdict[verdict] : number ? "" : "dim"}` }, number.toLocaleString("en")))]);
  if (listed.length > 10) lines.push([`\u2026 ${listed.length - 10} more`, "", "", ""]);
  return section(`By ${{ parts: "part that did not pass", notes: "note" }[name] ?? name}`, table([{ parts: "part", notes: "note" }[name] ?? name, "pass", "fail", "error"], lines));
}

function slowest() {
  const most = about.slowest[0][1];
  return table(["test", "seconds", "share of the slowest"], about.slowest.map(([test, seconds]) => {
    const meter = h("span", { class: "meter" });
    meter.style.width = `${100 * seconds / most}%`;
    return [link("test", test, test), h("td", { class: "number" }, seconds.toFixed(3)), meter];
  }));
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
  const moves = { j: at + 1, k: at - 1, ...(inList ? { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: shown.length - 1 } : {}) };
  if (event.key in moves) move(moves[event.key]);
  else if (event.key === "Enter" && (inList || event.target === document.body) && at >= 0) { open(at, true); $("detail").focus(); }
  else if (event.key === "/") $("search").focus();
  else if (event.key === "?") $("keys").showModal();
  else return;
  event.preventDefault();
}

function toggleFacets() {
  const isOpen = $("facets").classList.toggle("open");
  $("toggle").setAttribute("aria-expanded", isOpen);
  if (isOpen) $("facets").focus();
}

async function watch() {
  try { if (await (await asked("state")).text() !== about.version) location.reload(); } catch { /* The server has gone, or a session is writing. */ }
}

async function start() {
  try { await load(); } catch (error) {
    $("status").textContent = `The page cannot be read: ${error.message}`;
    return;
  }
  add($("totals"), Object.entries(counts).map(([verdict, number]) => h("span", { class: number ? verdict : "dim" }, `${MARKS[verdict]} ${number.toLocaleString("en")} ${verdict}`)));
  addEventListener("hashchange", readAddress);
  addEventListener("popstate", readAddress);
  addEventListener("keydown", press);
  addEventListener("resize", () => drawRows());
  grid.addEventListener("scroll", () => requestAnimationFrame(() => drawRows()));
  $("search").addEventListener("input", () => { state.query = $("search").value; writeAddress(); search(); });
  $("order").addEventListener("change", () => { state.order = $("order").value; writeAddress(); filter(); });
  $("toggle").addEventListener("click", toggleFacets);
  $("help").addEventListener("click", () => $("keys").showModal());
  $("home").addEventListener("click", (event) => { event.preventDefault(); history.pushState(null, "", "#"); readAddress(); });
  readAddress();
  document.documentElement.dataset.ready = Math.round(performance.now());
  if (IS_SERVED) setInterval(watch, 2000);
}

start();
