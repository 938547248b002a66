
/* Nodes are read once from the outline, which holds everything there is to say; boxes are made when they are first
   shown. Texts are only ever copied as texts. */
const FIRST_SHOWN = 22, MOST_SHOWN = 3000, MOST_KIDS = 120, RELATIONS = ["", "beside", "against"];
const chapter = document.getElementById("case"), graph = chapter.querySelector(".case-graph");
const view = graph.querySelector(".case-view"), plane = graph.querySelector(".case-plane");
const nodes = new Map(), roots = [];
let shown = [], current;

function readOutline() {
  const tags = [...chapter.querySelectorAll(".case-tags li")].map(each => each.textContent);
  for (const small of chapter.querySelectorAll(".case-outline small")) small.textContent = tags[small.textContent - 1];
  for (const li of chapter.querySelectorAll(".case-outline li")) {
    const node = li.classList.contains("again") ? readAgain(li) : readNode(li);
    Object.assign(node, { kids: [], below: [], beside: [], lift: 0, size: 0, trunk: null, marks: li.className });
    node.relation = RELATIONS.find(each => each && li.classList.contains(each)) || "";
    node.up = nodes.get(li.dataset.up || li.parentElement.closest("li")?.id);
    node.level = node.up ? node.up.level + 1 : 1;
    node.nth = (node.up ? node.up.kids : roots).push(node);
    nodes.set(node.key, node);
  }
  for (const node of [...nodes.values()].reverse()) if (node.up) node.up.size += node.size + 1;
}

function readNode(li) {
  const holder = li.firstElementChild.tagName === "DETAILS" ? li.firstElementChild : li;
  const body = [...holder.children].filter(each => each.tagName !== "UL"), head = body[0];
  const all = (from, selector) => Array.from(from.querySelectorAll(selector), each => each.textContent);
  return {
    key: li.id, body, id: all(head, "code")[0], text: all(head, "span")[0], standing: all(head, "b")[0] || "",
    words: all(head, "i"), tags: body.flatMap(each => all(each, "small")),
    opinion: body.find(each => each.className === "o"),
  };
}

/** A node that was told before: its box leads to its first place. */
function readAgain(li) {
  const link = li.querySelector("a"), target = link.getAttribute("href").slice(1);
  const text = "belongs here too. Go to its place ↗", nothing = { body: [], standing: "", words: ["", ""], tags: [] };
  return { key: `again-${nodes.size}`, id: link.textContent, text, target, ...nothing };
}

/** All nodes that are open to see, each before what is below it. */
function visible() {
  const found = [];
  for (const stack = [...roots].reverse(); stack.length; ) {
    const node = stack.pop();
    found.push(node);
    stack.push(...[...kidsOf(node)].reverse());
  }
  return found;
}

/** What is shown below a node: nothing while it is closed; of very many the first and the one that was asked for. */
function kidsOf(node) {
  return node.open ? node.kids.filter(each => each.nth <= MOST_KIDS || each === node.asked) : [];
}

function openWay(node) {
  for (let above = node.up; above; node = above, above = above.up) Object.assign(above, { open: true, asked: node });
}

/** Opens level by level as long as not too many are shown; says whether all are. */
function openUntil(most) {
  const queue = [...roots];
  let count = visible().length;
  for (const node of queue) {
    if (!node.open && count + Math.min(node.kids.length, MOST_KIDS) <= most) {
      node.open = true;
      count += kidsOf(node).length;
    }
    queue.push(...kidsOf(node));
  }
  return count === nodes.size;
}

function startOpen() {
  for (const node of nodes.values()) node.open = false;
  const weakest = nodes.get(graph.dataset.weakest);
  let siblings = 0;
  for (let above = weakest?.up; above; above = above.up) siblings += above.kids.length;
  if (siblings && siblings <= 3 * FIRST_SHOWN) openWay(weakest);
  openUntil(FIRST_SHOWN);
}

function make(tag, name, ...content) {
  const element = document.createElement(tag);
  element.className = name;
  element.append(...content);
  return element;
}

function makeBox(node) {
  const words = node.words.filter(Boolean).map(each => make("i", "", each));
  const head = make("div", "head", ...words, make("code", "", node.id));
  const box = node.box = make("div", `box ${node.marks}`, head, make("div", "says", node.text));
  if (node.key === graph.dataset.weakest) box.classList.add("weakest");
  if (node.standing) head.prepend(make("b", "sign", node.standing[0]));
  if (node.opinion) box.append(makeBar(node.opinion));
  if (node.kids.length) box.append(make("button", "handle"));
  const setsize = (node.up ? node.up.kids : roots).length;
  const about = { level: node.level, setsize, posinset: node.nth, selected: false };
  for (const [name, value] of Object.entries(about)) box.setAttribute(`aria-${name}`, value);
  box.setAttribute("role", "treeitem");
  box.dataset.key = node.key;
  box.tabIndex = -1;
  return box;
}

function makeBar(opinion) {
  const bar = make("div", "o", opinion.textContent.split(" ")[0]);
  for (const name of ["--b", "--d"]) bar.style.setProperty(name, opinion.style.getPropertyValue(name));
  bar.title = opinion.textContent;
  return bar;
}

/** Brings the boxes up to date with what is open, then places them. */
function draw() {
  const before = shown;
  shown = visible();
  const now = new Set(shown), fresh = new Set(shown);
  for (const node of before) if (!fresh.delete(node) && !now.has(node)) node.box.remove();
  if (fresh.size) plane.append(...shown.map(node => node.box || makeBox(node)));
  placeBoxes();
}

/** Reads all sizes, then writes all places, so that the browser lays out once. */
function placeBoxes() {
  for (const node of shown) describe(node);
  for (const node of shown) {
    const kids = kidsOf(node), leaf = each => each.relation === "beside" && !each.kids.length;
    if (!node.w) Object.assign(node, { w: node.box.offsetWidth, h: node.box.offsetHeight });
    node.beside = kids.filter(leaf);
    node.below = RELATIONS.flatMap(kind => kids.filter(each => each.relation === kind && !leaf(each)));
  }
  const size = layOut(roots);
  for (const node of shown) {
    node.top = node.y + node.lift;
    node.box.style.transform = `translate(${node.x}px,${node.top}px)`;
  }
  drawLines(size);
  return size;
}

/** What changes: the word, the handle, and what readers of the screen hear. */
function describe(node) {
  const box = node.box, word = node.words[gsn() ? 1 : 0], handle = node.kids.length && box.lastElementChild;
  box.setAttribute("aria-label", `${word} ${node.id}: ${node.standing.slice(2)}. ${node.text}`);
  if (!handle) return;
  box.setAttribute("aria-expanded", node.open);
  const left = node.kids.length - kidsOf(node).length;
  handle.textContent = !node.open ? `+${node.size}` : left ? `− ${left} more in the outline` : "−";
  handle.tabIndex = node === current ? 0 : -1;
  handle.setAttribute("aria-label", node.open ? `Close ${node.id}` : `Open ${node.id}, ${node.size} hidden`);
}

function gsn() {
  return chapter.classList.contains("case-gsn");
}

/** Three kinds of lines with their heads: GSN points down to what is relied on, CAE up to what is claimed. */
function drawLines({ width, height }) {
  const lines = ["", "", ""], heads = ["", "", ""];
  for (const node of shown) {
    const x = node.x + node.w / 2, y = node.top + node.h, bus = node.y + node.bus;
    for (const child of node.beside) {
      const middle = child.top + child.h / 2, from = Math.min(Math.max(middle, node.top + 14), y - 14);
      lines[1] += `M${node.x + node.w} ${from}h${BESIDE_GAP / 2}V${middle}H${child.x}`;
      heads[1] += `M${child.x} ${middle}l-8-4v8z`;
    }
    for (const child of node.below) {
      const kind = RELATIONS.indexOf(child.relation), end = child.x + child.w / 2, middle = child.top + child.h / 2;
      const stacked = child.trunk !== null, across = stacked ? child.x + child.trunk : end;
      lines[kind] += `M${x} ${y}V${bus}H${across}V${stacked ? `${middle}H${child.x}` : child.top}`;
      if (!kind && !gsn()) heads[0] += `M${x} ${y}l-4 8h8z`;
      else heads[kind] += stacked ? `M${child.x} ${middle}l-8-4v8z` : `M${end} ${child.top}l-4-8h8z`;
    }
  }
  const svg = plane.firstElementChild;
  [...lines, ...heads].forEach((d, index) => svg.children[index].setAttribute("d", d));
  svg.setAttribute("width", width);
  svg.setAttribute("height", height);
}
