
/* Nodes are read once from the outline, which holds everything there is to say; boxes are made when they are first
   shown. Texts are only ever copied as texts. */
const MOST_SHOWN = 3000, RELATIONS = ["", "beside", "against"];
const sizes = graph.dataset.sizes.split(";").map(pair => pair.split(",").map(numbers));
const shapes = graph.dataset.shapes.split(";").map(pair => pair.split(" "));
const outlines = graph.dataset.outlines.split(";").map(pair => pair.split("|"));
const LETTERS = { assumption: "A", justification: "J" };
const view = graph.querySelector(".case-view"), plane = graph.querySelector(".case-plane");
const nodes = new Map(), roots = [];
let shown = [], first = [], current;

function numbers(text) {
  return text.split(" ").map(Number);
}

function readOutline() {
  const tags = [...chapter.querySelectorAll(".case-tags li")].map(each => each.textContent);
  for (const small of chapter.querySelectorAll(".case-outline small"))
    small.replaceWith(...small.textContent.split(" ").flatMap(place => [make("small", "", tags[place - 1]), " "]));
  for (const li of chapter.querySelectorAll(".case-outline li")) {
    const node = li.classList.contains("again") ? readAgain(li) : readNode(li);
    Object.assign(node, { kids: [], below: [], beside: [], size: 0, marks: li.className });
    const look = li.dataset.s;
    Object.assign(node, { sizes: sizes[look], shapes: shapes[look], outlines: outlines[look], of: li.dataset.of });
    node.doubts = li.dataset.doubts;
    Object.assign(node, { point: li.classList.contains("point"), crossed: li.classList.contains("crossed") });
    node.relation = RELATIONS.find(each => each && li.classList.contains(each)) || "";
    node.up = nodes.get(li.dataset.up || li.parentElement.closest("li")?.id);
    node.level = node.up ? node.up.level + 1 : 1;
    node.nth = (node.up ? node.up.kids : roots).push(node);
    nodes.set(node.key, node);
  }
  const all = [...nodes.values()];
  for (const node of [...all].reverse()) if (node.up) node.up.size += node.size + 1;
  first = numbers(graph.dataset.start).map(place => all[place]);
}

function readNode(li) {
  const holder = li.firstElementChild.tagName === "DETAILS" ? li.firstElementChild : li;
  const body = [...holder.children].filter(each => each.tagName !== "UL"), head = body[0];
  const all = (from, selector) => Array.from(from.querySelectorAll(selector), each => each.textContent);
  return {
    key: li.id, body, id: all(head, "code")[0], text: all(head, "span")[0], standing: all(head, "b")[0] || "",
    words: all(head, "i"), tags: body.flatMap(each => all(each, "small")),
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
  return node.open ? node.kids.filter(each => each.nth <= metrics.kids || each === node.asked) : [];
}

function openWay(node) {
  for (let above = node.up; above; node = above, above = above.up) Object.assign(above, { open: true, asked: node });
}

/** Opens level by level as long as not too many are shown; says whether all are. */
function openUntil(most) {
  const queue = [...roots];
  let count = visible().length;
  for (const node of queue) {
    if (!node.open && count + Math.min(node.kids.length, metrics.kids) <= most) {
      node.open = true;
      count += kidsOf(node).length;
    }
    queue.push(...kidsOf(node));
  }
  return count === nodes.size;
}

function startOpen() {
  for (const node of nodes.values()) node.open = false;
  for (const node of first) if (node.up) node.up.open = true;
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
  const box = node.box = make("div", `box ${node.marks}`, makeShape(), head, make("div", "says", node.text));
  if (node.key === graph.dataset.weakest) box.classList.add("weakest");
  if (node.standing) head.prepend(make("b", "sign", node.standing[0]));
  if (node.of) box.append(make("div", "module", node.of));
  if (node.kids.length) box.append(make("button", "handle"));
  const setsize = (node.up ? node.up.kids : roots).length;
  const about = { level: node.level, setsize, posinset: node.nth, selected: false };
  for (const [name, value] of Object.entries(about)) box.setAttribute(`aria-${name}`, value);
  box.setAttribute("role", "treeitem");
  box.dataset.key = node.key;
  box.tabIndex = -1;
  return box;
}

/** Its outline, and the cross over what is defeated. */
function makeShape() {
  const [svg, ...paths] = ["svg", "path", "path"].map(tag => document.createElementNS("http://www.w3.org/2000/svg", tag));
  svg.setAttribute("class", "shape");
  svg.setAttribute("aria-hidden", "true");
  paths[1].setAttribute("class", "cross");
  svg.append(...paths);
  return svg;
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

/** Boxes stand where the page says as long as nothing was opened or closed, and else where the layout puts them. */
function placeBoxes() {
  const which = gsn() ? 1 : 0, asGiven = shown.length === first.length && shown.every((node, n) => node === first[n]);
  for (const node of shown) {
    const kids = kidsOf(node), leaf = each => each.relation === "beside" && !each.kids.length;
    [node.w, node.h, node.lines] = node.sizes[which];
    node.beside = kids.filter(leaf);
    node.below = RELATIONS.flatMap(kind => kids.filter(each => each.relation === kind && !leaf(each)));
    describe(node);
  }
  if (asGiven) givenPlaces(numbers(which ? graph.dataset.gsn : graph.dataset.cae));
  else layOut();
  for (const node of shown) {
    const style = node.box.style;
    style.transform = `translate(${node.x}px,${node.top}px)`;
    [style.width, style.height] = [`${node.w}px`, `${node.h}px`];
    style.setProperty("--lines", node.lines);
    node.box.dataset.shape = node.shapes[which];
    const [shape, cross] = node.box.firstElementChild.children;
    shape.setAttribute("d", node.outlines[which]);
    cross.setAttribute("d", `M2 2L${node.w - 2} ${node.h - 2}M${node.w - 2} 2L2 ${node.h - 2}`);
  }
  drawLines();
}

function givenPlaces(places) {
  shown.forEach((node, n) => [node.x, node.top] = places.slice(2 * n, 2 * n + 2));
}

/** Places all boxes that are shown, each with what stands beside it as one part. */
function layOut() {
  const number = new Map(shown.map((node, place) => [node, place])), { gap, trunk, drop } = metrics;
  const parts = shown.map(node => {
    const below = node.below.map(child => number.get(child)), columns = columnsOf(node), half = node.w / 2;
    const right = half + sum(columns.map(column => metrics.beside + widest(column)));
    return { left: half, right, height: Math.max(node.h, ...columns.map(highOf)), below, drop, gap, trunk };
  });
  const below = roots.map(node => number.get(node));
  parts.push({ left: 0, right: 0, height: 0, below, drop: 0, gap: metrics.apart, trunk: 0 });
  const { axes, tops } = placeTree(parts, shown.length);
  shown.forEach((node, place) => {
    if (!node.up?.beside.includes(node)) [node.x, node.top] = [axes[place] - node.w / 2, tops[place]];
    placeBeside(node);
  });
  for (const node of shown) [node.x, node.top] = [Math.floor(node.x + 0.5), Math.floor(node.top + 0.5)];
}

function columnsOf({ beside }) {
  const count = Math.ceil(beside.length / metrics.column);
  return Array.from({ length: count }, (_, n) => beside.slice(n * metrics.column, (n + 1) * metrics.column));
}

function widest(column) {
  return Math.max(...column.map(node => node.w));
}

function highOf(column) {
  return sum(column.map(node => node.h)) + metrics.stack * (column.length - 1);
}

/** Beside a higher node in the middle, beside a lower one from the top down. */
function placeBeside(node) {
  let x = node.x + node.w + metrics.beside;
  for (const column of columnsOf(node)) {
    let y = node.top + Math.max(0, (node.h - highOf(column)) / 2);
    for (const each of column) {
      [each.x, each.top] = [x, y];
      y += each.h + metrics.stack;
    }
    x += metrics.beside + widest(column);
  }
}

/** What changes: the word, the handle, and what readers of the screen hear. */
function describe(node) {
  const box = node.box, word = node.words[gsn() ? 1 : 0], handle = node.kids.length && box.lastElementChild;
  box.dataset.letter = LETTERS[word.split(" ").pop()] || "";
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

/** Three kinds of lines with their heads: GSN points down to what is relied on, CAE up to what is claimed, a challenge in
    both to what is challenged. Lines to what stands below turn half-way; those to further rows run down at the left. */
function drawLines() {
  const lines = ["", "", ""], heads = ["", "", ""], turn = metrics.drop / 2, marks = ["", ""];
  for (const node of [...shown].reverse()) {
    const several = node.below.some(child => child.top !== node.below[0].top);
    node.trunk = Math.min(node.x, ...node.below.map(child => child.trunk)) - (several ? metrics.trunk : 0);
  }
  for (const node of shown) {
    const x = node.x + node.w / 2, y = node.top + node.h;
    for (const child of node.beside) {
      const middle = child.top + child.h / 2, from = Math.min(Math.max(middle, node.top + 14), y - 14);
      lines[1] += `M${node.x + node.w} ${from}h${metrics.beside / 2}V${middle}H${child.x}`;
      heads[1] += gsn() ? `M${child.x} ${middle}l-8-4v8z` : `M${node.x + node.w} ${from}l8-4v8z`;
      markRelation(marks, child, child.x - 15, middle);
    }
    const bus = Math.min(...node.below.map(child => child.top)) - turn;
    for (const child of node.below) {
      const onto = child.doubts && spotOn(node, child);
      if (onto) {
        lines[2] += onto.line;
        heads[2] += onto.head;
        continue;
      }
      const kind = RELATIONS.indexOf(child.relation), end = child.x + child.w / 2, last = child.top - turn;
      const way = last > bus ? `H${node.trunk + metrics.trunk / 2}V${last}` : "";
      lines[kind] += `M${x} ${y}V${bus}${way}H${end}V${child.top}`;
      const up = kind === 2 ? `M${x - 5} ${y + 8}L${x} ${y}L${x + 5} ${y + 8}` : `M${x} ${y}l-4 8h8z`;
      heads[kind] += kind === 2 || !gsn() ? up : `M${end} ${child.top}l-4-8h8z`;
      markRelation(marks, child, end, child.top - 14);
    }
  }
  const svg = plane.firstElementChild;
  [...lines, ...heads, ...marks].forEach((d, index) => svg.children[index].setAttribute("d", d));
  svg.setAttribute("width", Math.max(...shown.map(node => node.x + node.w)));
  svg.setAttribute("height", Math.max(...shown.map(node => node.top + node.h)));
}

/** The way of a doubt to the line of the relation that it is about, where both stand in one row or the line above. */
function spotOn(node, child) {
  const x = child.x + child.w / 2, turn = metrics.drop / 2, is = each => each.key === child.doubts;
  const below = node.below.find(is), beside = node.beside.find(is);
  if (below && below.top === child.top && below.x < child.x) {
    const to = below.x + below.w / 2, y = child.top - 0.8 * turn;
    return { line: `M${x} ${child.top}V${y}H${to}`, head: `M${to + 8} ${y - 5}L${to} ${y}L${to + 8} ${y + 5}` };
  }
  if (!beside) return;
  const to = beside.x - 0.9 * metrics.beside, y = beside.top + beside.h / 2, bus = child.top - 0.75 * turn;
  return { line: `M${x} ${child.top}V${bus}H${to}V${y}`, head: `M${to - 5} ${y + 8}L${to} ${y}L${to + 5} ${y + 8}` };
}

/** A solid square for claim points on a relation, a cross over one that is defeated. */
function markRelation(marks, child, x, y) {
  if (child.point) marks[0] += `M${x - 4} ${y - 4}h8v8h-8z`;
  if (child.crossed) marks[1] += `M${x - 6} ${y - 6}l12 12m0-12l-12 12`;
}
