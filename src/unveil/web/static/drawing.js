// Draws a view of the unit. Elements are made one by one and texts are texts: nothing is ever read as markup.

export function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "on") for (const [event, heard] of Object.entries(value)) node.addEventListener(event, heard);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

export class Words {
  constructor(table, code) {
    this.table = table;
    this.percent = new Intl.NumberFormat(code, { style: "percent", maximumFractionDigits: 0 });
    this.share = new Intl.NumberFormat(code, { style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1 });
    this.number = new Intl.NumberFormat(code, { minimumFractionDigits: 3, maximumFractionDigits: 3 });
  }

  say(key, ...values) {
    const [part, ...rest] = key.split(".");
    const text = this.table[part]?.[rest.join(".")] ?? key;
    return text.replace(/\{(\d)\}/g, (_, at) => String(values[Number(at)]));
  }

  attribute(names) {
    return names.map((name) => this.table.attributes[name] ?? name.replaceAll("_", " ")).join(this.table.said.and);
  }

  counted(count, noun) {
    const [none, one, many] = this.table.nouns[noun] ?? this.table.nouns.character;
    if (count === 0) return none;
    return count === 1 ? one : many.replace("{}", this.table.numbers.words[count] ?? String(count));
  }

  said(phrases) {
    const all = phrases.map(([key, count, noun]) => this.table.said[key].replace("{}", this.counted(count, noun)));
    return all.join(this.table.said.and);
  }

  price(value, unit) {
    return unit === "risk" ? this.number.format(value) : this.percent.format(value);
  }
}

const words = (text, kind) => make("span", { class: kind }, text);

const glyph = ([sign, sort]) => words(sign === " " ? "\u00a0" : sign, `glyph ${sort}`);

// A column is both values at one position. Columns go on in the next line where there is no room, so nothing is cut off.
const columns = ([left, right]) => left.map((each, at) => make("span", { class: "column" }, glyph(each), glyph(right[at])));

// What a screen reader hears of a cell: asterisks would say nothing.
function sentence(cell, w) {
  const said = `${w.attribute(cell.labels)}: ${w.said(cell.said)}`;
  if (cell.state !== "shown") return `${said}.`;
  const plain = (row) => row.filter(([, sort]) => sort !== "gap").map(([sign]) => sign).join("");
  if (cell.stage === "full") return `${said}; ${w.say("review.sides", ...cell.rows.map(plain))}.`;
  return `${said}; ${w.say(cell.stage === "masked" ? "review.masked" : "review.differing")}.`;
}

function cellOf(cell, at, view, ui, w, act) {
  const pair = view.pair;
  const opening = cell.next && make("button", { class: "opener", type: "button", on: { click: () => act.open(at) } },
    words(w.say(cell.next.stage === "full" ? "review.open_full" : "review.open_differing"), "what"),
    words(w.say(`review.price_${pair.in}`, w.price(pair.seen, pair.in), w.price(cell.next.seen, pair.in)), "price"));
  const asking = cell.ask && make("button", { class: "opener", type: "button", "data-asks": true, "aria-keyshortcuts": ui.keys[4], on: { click: () => act.ask(at) } },
    words(w.say("review.ask"), "what"), words(w.say("review.ask_left", view.progress.further), "price"));
  return make("li", { class: `attribute ${cell.state}`, tabindex: at === ui.row ? "0" : "-1", "data-at": at,
    "aria-current": at === ui.row ? "true" : null, on: { focus: () => act.choose(at), click: () => act.choose(at) } },
    words(sentence(cell, w), "unseen"),
    make("span", { class: "label", "aria-hidden": "true" }, w.attribute(cell.labels)),
    make("div", { class: "values", "aria-hidden": "true" }, ...columns(cell.rows)),
    make("span", { class: "words", "aria-hidden": "true" }, words(cell.icon, "icon"), words(w.said(cell.said), "text")),
    make("div", { class: "opening" }, opening || asking || null));
}

function meter(name, value, text) {
  return make("div", { class: "meter" }, words(name, "name"),
    make("meter", { min: 0, max: 1, value, "aria-label": name }), words(text, "figure"));
}

function meters(view, w) {
  const pair = view.pair;
  return make("div", { class: "meters" },
    meter(w.say("review.held"), pair.held, w.percent.format(pair.held)),
    meter(w.say(`review.seen_${pair.in}`), pair.seen, w.price(pair.seen, pair.in)));
}

function status(view, w) {
  const progress = view.progress;
  const facts = [[progress.left, "left"], [progress.others, "others"], [progress.openings, "openings"]];
  if (progress.elsewhere) facts.splice(1, 0, [progress.elsewhere, "elsewhere"]);
  return make("div", { class: "status" },
    make("div", { class: "labels" }, words(w.say("review.progress"), "name"),
      make("progress", { max: Math.max(1, progress.budget), value: progress.labels, "aria-label": w.say("review.progress") }),
      words(w.say("review.labels_of", progress.labels, progress.budget), "figure")),
    make("ul", { class: "facts" }, ...facts.map(([count, key]) => make("li", {}, make("b", {}, String(count)), ` ${w.say(`review.${key}`)}`))));
}

function confidence(ui, w, act) {
  const steps = [1, 2, 3, 4, 5, 6].map((step) => make("label", {},
    make("input", { type: "radio", name: "confidence", value: step, checked: step === ui.confidence, on: { change: () => act.confidence(step) } }),
    words(String(step), "step")));
  return make("fieldset", { class: "confidence" }, make("legend", {}, w.say("review.confidence")),
    make("div", { class: "steps" }, ...steps),
    make("div", { class: "ends", "aria-hidden": "true" }, words(w.say("review.confidence_low"), ""), words(w.say("review.confidence_high"), "")));
}

// Where single keys are switched off, buttons name none.
const cap = (key) => (key ? make("kbd", { "aria-hidden": "true" }, key) : null);

function button(kind, key, w, pressed) {
  return make("button", { class: `decision ${kind}`, type: "button", "aria-keyshortcuts": key, on: { click: pressed } },
    cap(key), words(w.say(`review.${kind}`), "what"), words(w.say(`review.${kind}_hint`), "hint"));
}

function decisions(view, ui, w, act) {
  return make("section", { class: "decide", "aria-labelledby": "decide" },
    make("h2", { id: "decide" }, w.say("review.decide")), confidence(ui, w, act),
    make("div", { class: "buttons" },
      button("match", ui.keys[0], w, () => act.label(true)), button("non_match", ui.keys[1], w, () => act.label(false)),
      button("unsure", ui.keys[2], w, () => act.label(null)),
      view.stage === "pair" ? button("skip", ui.keys[3], w, () => act.skip()) : null));
}

const SHAPES = { true: "●", false: "○", null: "◌" };

function drafts(view, ui, w, act) {
  const name = (draft) => named(draft, w);
  const items = view.drafts.map((draft, at) => make("li", {},
    words(SHAPES[draft.match], "shape"), words(`${at + 1}. ${name(draft)}`, "what"),
    words(draft.match === null ? "" : `${draft.confidence}/6`, "sure"),
    make("button", { class: "quiet", type: "button", "aria-label": `${w.say("review.undo")}: ${at + 1}. ${name(draft)}`, on: { click: () => act.undo(draft.task) } }, w.say("review.undo"))));
  return make("section", { class: "drafts", "aria-labelledby": "drafts" },
    make("h2", { id: "drafts" }, w.say("review.drafts")),
    items.length ? make("ol", { reversed: true }, ...items.reverse()) : make("p", { class: "hint" }, w.say("review.no_drafts")),
    items.length ? make("div", { class: "handing" },
      make("button", { class: view.stage === "end" ? "primary" : "second", type: "button", "aria-keyshortcuts": ui.keys[6], on: { click: act.handIn } }, ...[cap(ui.keys[6])].filter(Boolean), w.say("review.hand_in")),
      words(w.say("review.hand_in_hint"), "hint")) : null);
}

// What the last batch of labels changed: counts and shares over all pairs, never a pair.
function learnt(view, w) {
  const done = view.learnt;
  if (!done) return null;
  const parts = [w.say("learnt.text", done.labels, done.gained, done.lost, done.pairs)];
  if (done.right_before !== null) parts.push(w.say("learnt.right", w.share.format(done.right_before), w.share.format(done.right_after)));
  return make("p", { class: "learnt" }, words(w.say("learnt.title"), "name"), ` ${parts.join(" ")}`);
}

function message(title, text, ...more) {
  return make("section", { class: "card message" }, make("h2", {}, title), make("p", {}, text), ...more);
}

function told(view, w) {
  if (view.told) {
    const parts = [w.say(view.told.right ? "practice.right" : "practice.wrong"), w.say(view.told.match ? "practice.was_match" : "practice.was_none"), w.say(`lessons.${view.told.lesson}`)];
    if (view.passed) parts.push(w.say("practice.passed", view.score, view.round ?? 8));
    return { kind: view.told.right ? "good" : "bad", icon: view.told.right ? "✓" : "✗", text: parts.join(" ") };
  }
  if (view.handed_in) {
    const given = view.handed_in;
    return { kind: "good", icon: "✓", text: `${w.say("review.handed_title")}: ${w.say("review.handed_text", given.match, given.non_match, given.unsure)}` };
  }
  if (view.asked) return { kind: "good", icon: "→", text: w.say("review.asked") };
  if (view.problem) return { kind: "bad", icon: "!", text: w.say(`problem.${view.problem}`) };
  return null;
}

export function heard(view, w) {
  return told(view, w)?.text ?? "";
}

function note(view, w) {
  const found = told(view, w);
  return found && make("p", { class: `note ${found.kind}` }, make("span", { class: "icon", "aria-hidden": "true" }, found.icon), ` ${found.text}`);
}

const named = (label, w) => w.say(`review.${label.match === null ? "unsure" : label.match ? "match" : "non_match"}`);

// What others said of a pair on which they disagree, for the lead who decides.
function opinions(view, w) {
  if (!view.opinions?.length) return null;
  const said = view.opinions.map((one) => (one.match === null ? named(one, w) : `${named(one, w)} (${one.confidence}/6)`));
  return make("p", { class: "note" }, make("span", { class: "icon", "aria-hidden": "true" }, "⚖"), ` ${w.say("review.opinions", said.join(", "))}`);
}

function pairOf(view, ui, w, act) {
  return make("section", { class: "pair", "aria-labelledby": "comparison" },
    make("h2", { id: "comparison" }, w.say("review.comparison")), opinions(view, w),
    make("ul", { class: "attributes" }, ...view.pair.cells.map((cell, at) => cellOf(cell, at, view, ui, w, act))),
    make("p", { class: "hint" }, w.say("review.for_good")), meters(view, w));
}

export function draw(page, view, ui, w, act) {
  const parts = [];
  const practising = view.stage.startsWith("practice");
  if (view.progress) parts.push(status(view, w));
  if (view.stage === "practice") parts.push(make("p", { class: "practice" }, w.say("practice.bar", view.at, view.round, view.right)));
  parts.push(note(view, w), learnt(view, w));
  if (view.pair) {
    parts.push(make("div", { class: "layout" }, pairOf(view, ui, w, act),
      make("div", { class: "side" }, decisions(view, ui, w, act), practising ? null : drafts(view, ui, w, act))));
  } else if (view.stage === "practice begins" || view.stage === "practice again") {
    const again = view.stage === "practice again";
    parts.push(message(again ? w.say("practice.again_title", view.right, view.round) : w.say("practice.begin_title"),
      again ? w.say("practice.again_text", view.enough) : w.say("practice.begin_text", view.round, view.enough),
      make("button", { class: "primary", type: "button", id: "begin", on: { click: act.practise } }, w.say(again ? "practice.again" : "practice.begin"))));
  } else {
    parts.push(message(w.say(`review.${view.stage}_title`), w.say(`review.${view.stage}_text`)));
    if (view.drafts?.length) parts.push(drafts(view, ui, w, act));
  }
  page.replaceChildren(...parts.filter(Boolean));
  page.dataset.stage = view.stage;
  page.dataset.task = view.pair?.task ?? "";
}
