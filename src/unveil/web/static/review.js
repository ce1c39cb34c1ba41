// The reviewer's page: asks the unit for what is before the reviewer, draws it, and sends one step for one key.
// It keeps nothing: whatever is decided is at the unit before the next pair is drawn.

import { Words, draw, heard } from "./drawing.js";

const page = document.getElementById("page");
const told = document.getElementById("told");
const mark = document.querySelector('meta[name="unveil-mark"]').content;
const root = page.dataset.root;
const ui = { row: 0, confidence: 6, keys: page.dataset.keys === "-" ? [] : [...page.dataset.keys] };
let words, view, steps = 0, busy = null, next = null, again = null;

// While a step is at work further keys are dropped: they would decide what nobody has seen yet. Only behind a mere look,
// which comes by itself, a key waits for its turn; it names the pair that was seen.
async function send(step) {
  if (busy) {
    if (busy.do === "view" && step.do !== "view") next = step;
    return;
  }
  busy = step;
  clearTimeout(again);
  try {
    const answer = await fetch(`${root}/step`, {
      method: "POST",
      headers: { "content-type": "application/json", "unveil-mark": mark },
      body: JSON.stringify(step),
      cache: "no-store",
      credentials: "same-origin",
    });
    if (answer.status === 401) return location.assign(root);
    const found = await answer.json();
    show(found.stage ? found : { ...view, ...found, told: null, handed_in: null, asked: null }, step);
  } catch {
    told.textContent = words.say("review.lost");
    again = setTimeout(() => send({ do: "view" }), 2000);
  } finally {
    busy = null;
    const waiting = next;
    next = null;
    if (waiting) send(waiting);
  }
}

function show(found, step) {
  const another = !view || found.pair?.task !== view.pair?.task || found.at !== view.at;
  const said = heard(found, words);
  const kept = view && step.do === "view" && !said ? { told: view.told, handed_in: view.handed_in, asked: view.asked, passed: view.passed, score: view.score } : {};
  view = { ...kept, ...found };
  if (another) Object.assign(ui, { row: 0, confidence: 6 });
  ui.row = Math.min(ui.row, Math.max(0, (view.pair?.cells.length ?? 1) - 1));
  draw(page, view, ui, words, act);
  if (step.do !== "view") page.dataset.steps = ++steps;
  if (said) told.textContent = said;
  focusRow(step.do !== "view" || another);
  if (!view.pair && !view.stage.startsWith("practice") && view.stage !== "finished") again = setTimeout(() => send({ do: "view" }), 1500);
}

function focusRow(wanted) {
  if (wanted) (page.querySelector(`[data-at="${ui.row}"]`) ?? page.querySelector("button.primary"))?.focus({ preventScroll: false });
}

const act = {
  choose(at) {
    if (at === ui.row) return;
    ui.row = at;
    for (const each of page.querySelectorAll(".attribute")) {
      const chosen = Number(each.dataset.at) === at;
      each.tabIndex = chosen ? 0 : -1;
      if (chosen) each.setAttribute("aria-current", "true");
      else each.removeAttribute("aria-current");
    }
  },
  confidence(step) {
    ui.confidence = step;
    const radio = page.querySelector(`input[name="confidence"][value="${step}"]`);
    if (radio) radio.checked = true;
  },
  open(at) {
    const cell = view.pair?.cells[at];
    if (!cell?.next) return;
    ui.row = at;
    send({ do: "open", task: view.pair.task, attribute: cell.attribute, stage: cell.next.stage });
  },
  ask(at) {
    const cell = view.pair?.cells[at];
    if (cell?.ask) send({ do: "ask", task: view.pair.task, attribute: cell.attribute });
  },
  label(match) {
    if (view.pair) send({ do: "label", task: view.pair.task, match, confidence: ui.confidence });
  },
  skip() {
    if (view.pair && view.stage === "pair") send({ do: "skip", task: view.pair.task });
  },
  undo(task) {
    if (task) send({ do: "undo", task });
  },
  handIn() {
    if (view.drafts?.length) send({ do: "hand in" });
  },
  practise() {
    send({ do: "practise" });
  },
};

// Single keys are the reviewer's choice, made on the page of keys; none of them does anything where they are switched off.
const LETTERS = page.dataset.keys;
const ACTS = [
  () => act.label(true), () => act.label(false), () => act.label(null), () => act.skip(), () => act.ask(ui.row),
  () => act.undo(view.drafts?.at(-1)?.task), () => act.handIn(),
];
const ON = LETTERS !== "-";
const KEYS = {
  ...(ON ? Object.fromEntries(ACTS.map((does, at) => [LETTERS[at], does])) : {}),
  ...(ON ? { "?": () => location.assign(`${root}/keys`) } : {}),
  ArrowDown: () => move(1),
  ArrowUp: () => move(-1),
  ArrowRight: () => move(1),
  ArrowLeft: () => move(-1),
};

function move(by) {
  const count = view.pair?.cells.length ?? 0;
  if (!count) return;
  act.choose((ui.row + by + count) % count);
  focusRow(true);
}

document.addEventListener("keydown", (event) => {
  if (!view || event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
  const on = event.target;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (on.matches?.('input[type="radio"]') && key.startsWith("Arrow")) return; // the scale moves by itself
  if (key === "Enter") {
    if (on.closest?.("a, button") || event.repeat) return; // a button is pressed by itself
    event.preventDefault();
    if (view.pair) act.open(ui.row);
    return;
  }
  if (ON && /^[1-6]$/.test(key) && view.pair) {
    event.preventDefault();
    act.confidence(Number(key));
    return;
  }
  const acts = KEYS[key];
  if (!acts || (event.repeat && !key.startsWith("Arrow"))) return; // a key held down decides once
  event.preventDefault();
  acts();
});

// A page that comes back from the browser's memory shows what was; it is asked for anew.
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});

const table = await (await fetch(`${root}/sentences/${page.dataset.language}.json`)).json();
words = new Words(table, page.dataset.language);
await send({ do: "view" });
