
/* Search, buttons, keys, hands and links: everything that sets the graph in motion. */
const search = graph.querySelector("input"), filters = [...graph.querySelectorAll("select")];
let matches = [], at = -1;

/* Search and filters. */

function haystack(node) {
  return node.haystack ??= node.body.map(part => part.textContent).join(" ").toLowerCase();
}

function find() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const wanted = Object.fromEntries(filters.map(each => [each.dataset.filter, each.value]));
  const tagged = tag => tag === wanted.tag || tag.startsWith(`${wanted.tag}:`);
  const active = words.length || filters.some(each => each.value);
  matches = !active ? [] : [...nodes.values()].filter(node => !node.target
    && words.every(word => haystack(node).includes(word))
    && (!wanted.standing || node.marks.split(" ").includes(wanted.standing))
    && (!wanted.tag || node.tags.some(tagged)));
  at = -1;
  graph.classList.toggle("finding", Boolean(active));
  mark();
  const count = matches.length;
  say(!active ? "" : count ? `${count} match${count === 1 ? "" : "es"}. Enter goes to the next.` : "No matches.");
}

/** Matches stand out; a closed node that hides some says so. */
function mark() {
  const hits = new Set(matches), holding = new Set();
  const seen = new Set(shown);
  for (let node of matches) {
    while (!seen.has(node)) node = node.up;
    holding.add(node);
  }
  for (const node of shown) {
    node.box.classList.toggle("hit", hits.has(node));
    node.box.classList.toggle("holds", holding.has(node) && !node.open);
  }
}

function nextMatch(step, options) {
  if (!matches.length) return;
  at = (at + step + matches.length) % matches.length;
  if (at < 0) at = matches.length - 1;
  goTo(matches[at], options);
  say(`${at + 1} of ${matches.length}: ${matches[at].id}.`);
}

/* What buttons and keys do. */

const actions = {
  in: () => zoom(1.25),
  out: () => zoom(0.8),
  fit: () => fit({ all: true }),
  cae: () => notation("cae"),
  gsn: () => notation("gsn"),
  close: closePanel,
  all() {
    const whole = openUntil(MOST_SHOWN);
    redraw(roots[0]);
    fit({ all: true });
    say(whole ? `All ${shown.length} nodes are open.` : `The first ${shown.length} of ${nodes.size} nodes are open.`);
  },
  start(button) {
    startOpen();
    redraw(roots[0]);
    select(roots[0], { focus: false });
    fit({ glide: Boolean(button) });
  },
  help(button = tools.querySelector("[data-do=help]")) {
    help.hidden = !help.hidden;
    button.setAttribute("aria-expanded", !help.hidden);
  },
  list(button) {
    button.setAttribute("aria-pressed", chapter.classList.toggle("case-as-list"));
  },
  full(button = tools.querySelector("[data-do=full]")) {
    const full = graph.classList.toggle("full");
    button.setAttribute("aria-pressed", full);
    document.documentElement.classList.toggle("case-covered", full);
    fit();
  },
};

function notation(name) {
  for (const each of ["cae", "gsn"]) {
    chapter.classList.toggle(`case-${each}`, each === name);
    tools.querySelector(`[data-do=${each}]`).setAttribute("aria-pressed", each === name);
  }
  if (shown.length) redraw(current);
}

const keys = {
  " ": () => toggle(current),
  Enter: () => tell(current),
  Home: () => select(roots[0]),
  "+": actions.in, "=": actions.in, "-": actions.out, 0: actions.fit,
  n: () => nextMatch(1), N: () => nextMatch(-1),
  "/": () => search.focus(),
  "?": () => actions.help(),
};

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") return leave();
  if (!view.contains(event.target) || event.target.className === "handle" && /^(Enter| )$/.test(event.key)) return;
  const act = event.key.startsWith("Arrow") ? () => step(event.key) : keys[event.key];
  if (!act) return;
  event.preventDefault();
  act();
}

function leave() {
  if (!help.hidden) actions.help();
  else if (!panel.hidden) closePanel();
  else if (search.value) {
    search.value = "";
    find();
  } else if (graph.classList.contains("full")) actions.full();
}

/* Hands. */

function nodeOf(element) {
  return nodes.get(element.closest(".box")?.dataset.key);
}

function onClick(event) {
  const node = nodeOf(event.target);
  if (!node) return;
  select(node, { focus: event.target.className !== "handle" });
  if (event.target.className === "handle") toggle(node);
  else tell(node);
}

function followHands() {
  const hands = new Map();
  let moved = false;
  view.addEventListener("pointerdown", event => {
    if (!hands.size) moved = false;
    hands.set(event.pointerId, event);
  });
  view.addEventListener("pointermove", event => {
    const before = hands.get(event.pointerId);
    if (!before) return;
    if (!moved && Math.hypot(event.clientX - before.clientX, event.clientY - before.clientY) < 5) return;
    moved = true;
    view.setPointerCapture(event.pointerId);
    const other = [...hands.values()].find(hand => hand.pointerId !== event.pointerId);
    if (other) pinch(before, event, other);
    camera.x += (event.clientX - before.clientX) / (other ? 2 : 1);
    camera.y += (event.clientY - before.clientY) / (other ? 2 : 1);
    hands.set(event.pointerId, event);
    look();
  });
  for (const end of ["pointerup", "pointercancel"]) view.addEventListener(end, event => hands.delete(event.pointerId));
  view.addEventListener("click", event => moved ? moved = false : onClick(event));
  view.addEventListener("wheel", event => {
    if (!event.ctrlKey && !graph.classList.contains("full") && !view.contains(document.activeElement)) return;
    event.preventDefault();
    const frame = view.getBoundingClientRect();
    zoom(Math.exp(-event.deltaY / 400), event.clientX - frame.x, event.clientY - frame.y);
  }, { passive: false });
}

function pinch(before, now, other) {
  const frame = view.getBoundingClientRect();
  const apart = hand => Math.hypot(hand.clientX - other.clientX, hand.clientY - other.clientY) || 1;
  const [x, y] = [(now.clientX + other.clientX) / 2, (now.clientY + other.clientY) / 2];
  zoom(apart(now) / apart(before), x - frame.x, y - frame.y);
}

/** A link to a node leads into the graph, from anywhere on the page. */
function followLink(hash) {
  const node = nodes.get(hash.slice(1));
  if (!node || chapter.classList.contains("case-as-list")) return;
  goTo(node, { focus: false });
  tell(node);
  graph.scrollIntoView({ block: "nearest" });
}

function start() {
  readOutline();
  if (!roots.length) return;
  graph.hidden = false;
  chapter.classList.add("case-live");
  current = roots[0];
  notation(gsn() ? "gsn" : "cae");
  actions.start();
  followHands();
  graph.addEventListener("keydown", onKey);
  graph.addEventListener("click", event => actions[event.target.dataset?.do]?.(event.target));
  search.addEventListener("input", find);
  search.addEventListener("keydown", event => {
    if (event.key === "Enter") nextMatch(event.shiftKey ? -1 : 1, { focus: false });
  });
  for (const each of filters) each.addEventListener("change", find);
  addEventListener("hashchange", () => followLink(location.hash));
  document.addEventListener("click", event => {
    const link = event.target.closest?.("a[href^='#']");
    if (link && graph.classList.contains("full") && !nodes.has(link.hash.slice(1))) actions.full();
    if (link && link.hash === location.hash) followLink(link.hash);
  });
  followLink(location.hash);
}

start();
