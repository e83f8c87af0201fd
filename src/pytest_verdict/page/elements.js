// Elements of our pages. All text becomes the text of elements, never HTML.
"use strict";

const $ = (id) => document.getElementById(id);
const MARKS = { pass: "\u2713", fail: "\u2717", error: "!" };

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

const [span, div, td] = ["span", "div", "td"].map((tag) => (kind, ...children) => h(tag, { class: kind }, children));
const notice = (text) => h("p", { class: "notice" }, text);
const grouped = (number) => number.toLocaleString("en");
// Rounded down, so that only all of them are 100 %.
const rate = (part, whole) => whole ? `${Math.floor(part * 1000 / whole) / 10} %` : "";
const section = (title, ...children) => [h("h3", {}, title), ...children];
const button = (label, click, more) => h("button", { type: "button", click, ...more }, label);
const table = (heads, lines) => h("div", { class: "box", tabindex: 0, role: "region", "aria-label": heads.filter(Boolean).join(", ") },
  h("table", {}, h("thead", {}, h("tr", {}, heads.map((head) => head ? h("th", { scope: "col" }, head) : td("")))),
    h("tbody", {}, lines.map((cells) => h("tr", {}, cells.map((cell) => cell?.tagName === "TD" ? cell : td("", cell)))))));
const mark = (verdict) => h("span", { class: `mark ${verdict}`, role: "img", "aria-label": verdict }, MARKS[verdict] || "?");

function svg(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children.flat(2));
  return element;
}

async function copy(text, element) {
  try { await navigator.clipboard.writeText(text); } catch { getSelection().selectAllChildren(element.previousElementSibling ?? element); return; }
  const label = element.textContent;
  element.textContent = "Copied";
  setTimeout(() => { element.textContent = label; }, 1200);
}

