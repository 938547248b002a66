
/* The camera, the chosen node and its panel, and the ways between nodes. */
const LEAST_SCALE = 0.06, MOST_SCALE = 2.5, READABLE = 0.66, MARGIN = 28;
const panel = graph.querySelector(".case-panel"), help = graph.querySelector(".case-help");
const said = graph.querySelector("[role=status]"), tools = graph.querySelector(".case-tools");
const camera = { x: 0, y: 0, scale: 1 };

function say(text) {
  said.textContent = text;
}

/* The camera. */

function look({ glide = false } = {}) {
  plane.classList.toggle("glide", glide);
  plane.classList.toggle("far", camera.scale < 0.3);
  plane.style.transform = `translate(${camera.x}px,${camera.y}px) scale(${camera.scale})`;
}

function zoom(factor, x = view.clientWidth / 2, y = view.clientHeight / 2) {
  const scale = Math.min(MOST_SCALE, Math.max(LEAST_SCALE, camera.scale * factor)), by = scale / camera.scale;
  Object.assign(camera, { scale, x: x - (x - camera.x) * by, y: y - (y - camera.y) * by });
  look();
}

/** All boxes in view where they can be read; else, unless all are asked for, the top claim and what is near it. */
function fit({ all = false, glide = true } = {}) {
  const width = Math.max(...shown.map(node => node.x + node.w));
  const height = Math.max(...shown.map(node => node.top + node.h));
  const fitting = Math.min(1, (view.clientWidth - 2 * MARGIN) / width, (view.clientHeight - 2 * MARGIN) / height);
  camera.scale = Math.max(LEAST_SCALE, all ? fitting : Math.max(fitting, READABLE));
  const top = roots[0], middle = width * camera.scale <= view.clientWidth ? width / 2 : top.x + top.w / 2;
  camera.x = view.clientWidth / 2 - middle * camera.scale;
  camera.y = Math.max(MARGIN, (view.clientHeight - height * camera.scale) / 3);
  look({ glide });
}

/** Moves as little as needed to show these nodes; what does not fit is cut at the right and below. */
function bringIntoView(wanted) {
  for (const [axis, from, size, extent] of [["x", "x", "w", view.clientWidth], ["y", "top", "h", view.clientHeight]]) {
    const low = Math.min(...wanted.map(node => node[from])) * camera.scale + camera[axis] - MARGIN;
    const high = Math.max(...wanted.map(node => node[from] + node[size])) * camera.scale + camera[axis] + MARGIN;
    if (high > extent) camera[axis] -= Math.min(high - extent, low);
    else if (low < 0) camera[axis] -= low;
  }
  look({ glide: true });
}

/** Draws anew while one node stays where it is on the screen. */
function redraw(anchor) {
  const { x, top } = anchor;
  draw();
  if (x !== undefined) {
    camera.x += (x - anchor.x) * camera.scale;
    camera.y += (top - anchor.top) * camera.scale;
  }
  look();
  mark();
}

/* Nodes. */

function select(node, { focus = true } = {}) {
  for (const [each, chosen] of [[current, false], [node, true]]) {
    if (!each?.box) continue;
    each.box.tabIndex = chosen ? 0 : -1;
    each.box.setAttribute("aria-selected", chosen);
    if (each.kids.length) each.box.lastElementChild.tabIndex = each.box.tabIndex;
  }
  current = node;
  if (focus) node.box.focus({ preventScroll: true });
  bringIntoView([node]);
  if (!panel.hidden) tell(node);
}

function toggle(node, open = !node.open) {
  if (!node.kids.length) return;
  node.open = open;
  redraw(node);
  bringIntoView([node, ...kidsOf(node)]);
  say(open ? `${node.id} opened, ${node.kids.length} below it.` : `${node.id} closed, ${node.size} hidden.`);
}

/** Opens the way to a node and goes there. */
function goTo(node, options) {
  openWay(node);
  redraw(roots[0]);
  if (camera.scale < READABLE) camera.scale = READABLE;
  select(node, options);
}

/** Everything about a node, with links to evidence, checks, figures and neighbours. */
function tell(node) {
  if (node.target) return goTo(nodes.get(node.target));
  const close = make("button", "", "✕");
  close.setAttribute("aria-label", "Close");
  close.dataset.do = "close";
  const related = [["Part of", node.up ? [node.up] : []], ["Rests on", node.kids]].filter(each => each[1].length);
  const [head, ...rest] = node.body.map(part => part.cloneNode(true));
  panel.replaceChildren(
    close,
    make("div", `head ${node.marks}`, ...head.childNodes),
    ...rest,
    ...related.map(([title, list]) => make("div", "related", make("b", "", title), ...list.map(linkTo))),
  );
  const hidden = panel.hidden;
  panel.hidden = false;
  if (hidden) bringIntoView([node]);
}

function linkTo(node) {
  const link = make("a", node.marks, `${node.standing.slice(0, 1)} ${node.id}`);
  link.href = `#${node.target || node.key}`;
  link.title = node.text;
  return link;
}

function closePanel() {
  panel.hidden = true;
  current.box.focus({ preventScroll: true });
}

/** The nearest of some nodes that lies further along an axis. */
function toward(node, list, axis, sign) {
  const apart = each => Math.abs(each.x - node.x) + Math.abs(each.top - node.top);
  return list.filter(each => (each[axis] - node[axis]) * sign > 0).sort((one, other) => apart(one) - apart(other))[0];
}

/** Where an arrow key leads: to a parent, a child or a sibling, in columns and further rows also up and down. */
function neighbour(key, node) {
  const beside = Boolean(node.up?.beside.includes(node));
  const siblings = !node.up ? roots : beside ? node.up.beside : node.up.below;
  const column = beside ? siblings.filter(each => each.x === node.x) : siblings;
  const row = beside ? siblings : siblings.filter(each => each.top === node.top);
  if (key === "ArrowDown") return node.below[0] || toward(node, column, "top", 1) || node.beside[0];
  if (key === "ArrowUp") return toward(node, column, "top", -1) || node.up;
  if (key === "ArrowLeft") return toward(node, row, "x", -1) || (beside ? node.up : undefined);
  const next = node.beside[0] || toward(node, row, "x", 1);
  return next || (beside ? toward(node.up, node.up.up?.below || [], "x", 1) : undefined);
}

function step(key) {
  const next = neighbour(key, current);
  if (next) return select(next);
  if (key !== "ArrowDown" || current.open || !current.kids.length) return;
  toggle(current, true);
  select(current.below[0] || current.beside[0]);
}
