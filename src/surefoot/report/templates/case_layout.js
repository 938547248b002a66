"use strict";

/* The tree layout of surefoot.drawing.tree_layout, for graphs in which a reader has opened or closed something: parts
   know each other by their numbers, all lengths are told by the page, and a test holds both to the same places. */
const chapter = document.getElementById("case"), graph = chapter.querySelector(".case-graph");
const metrics = JSON.parse(graph.dataset.metrics);
const sum = list => list.reduce((total, each) => total + each, 0);

/** Places a part and all that hangs on it, the leftmost at 0. */
function placeTree(parts, root) {
  const order = [];
  for (const waiting = [root]; waiting.length; ) {
    const place = waiting.pop();
    order.push(place);
    waiting.push(...parts[place].below);
  }
  const plan = fittingPlan(parts, order), tops = findTops(parts, plan, order);
  return { axes: findAxes(parts, plan, order, tops), tops };
}

/** How far a width and a height are from a shape that people can look at; 0 is good. */
function cost([width, height]) {
  const { narrow, widest, tallest } = metrics, shape = width / Math.max(height, 1);
  if (width <= narrow || tallest <= shape && shape <= widest) return 0;
  return shape > widest ? Math.log(shape / widest) : Math.log(tallest / shape);
}

/** The plan whose width and height are best, from one without broken rows to a narrow one. */
function fittingPlan(parts, order) {
  const size = plan => [plan.wide[order[0]], plan.slot[order[0]] + plan.deep[order[0]]];
  let best = makePlan(parts, order, Infinity), least = cost(size(best)), wide = size(best)[0];
  while (least > 0 && wide > metrics.narrowest) {
    wide *= metrics.narrower;
    const tried = makePlan(parts, order, wide), bad = cost(size(tried));
    if (bad < least) [best, least] = [tried, bad];
  }
  return best;
}

/** Rows of every part no wider than a limit, the size of the family below, and the height above that. */
function makePlan(parts, order, limit) {
  const plan = { rows: parts.map(() => []), wide: [], deep: parts.map(() => 0), slot: parts.map(part => part.height) };
  for (const place of [...order].reverse()) settle(parts, plan, place, limit);
  return plan;
}

function settle(parts, plan, place, limit) {
  const part = parts[place], own = part.left + part.right;
  plan.wide[place] = own;
  if (!part.below.length) return;
  const widths = part.below.map(child => plan.wide[child]);
  const leaves = !part.below.some(child => parts[child].below.length);
  const rows = broken(part.below, widths, part.gap, leaves ? leafLimit(widths, part.gap, limit) : limit);
  let deep = 0;
  for (const row of rows) {
    const highest = Math.max(...row.map(child => parts[child].height));
    for (const child of row)
      plan.slot[child] = highest - parts[child].height <= metrics.aligned ? highest : parts[child].height;
    deep += part.drop + Math.max(...row.map(child => plan.slot[child] + plan.deep[child]));
  }
  const wide = Math.max(...rows.map(row => sum(row.map(child => plan.wide[child])) + part.gap * (row.length - 1)));
  plan.rows[place] = rows;
  plan.wide[place] = Math.max(own, wide + (rows.length > 1 ? part.trunk : 0));
  plan.deep[place] = deep;
}

/** Leaves form a block about as wide as people look at, not a line across the whole drawing. */
function leafLimit(widths, gap, limit) {
  const across = Math.max(metrics.close, Math.round(Math.sqrt(2.2 * widths.length)));
  return widths.length > metrics.close ? Math.min(limit, Math.max(...widths) * across + gap * (across - 1)) : limit;
}

/** As few rows as the limit allows, evenly filled. */
function broken(children, widths, gap, limit) {
  if (sum(widths) + gap * (widths.length - 1) <= limit) return [children];
  let ends = rowEnds(widths, gap, limit), low = Math.max(...widths), high = limit;
  for (let round = 0; round < metrics.rounds; round++) {
    const middle = (low + high) / 2, tried = rowEnds(widths, gap, middle);
    if (tried.length <= ends.length) [ends, high] = [tried, middle];
    else low = middle;
    if (high - low < 1) break;
  }
  return ends.map((end, place) => children.slice(place ? ends[place - 1] : 0, end));
}

function rowEnds(widths, gap, limit) {
  const ends = [];
  let used = -gap;
  widths.forEach((width, place) => {
    if (used + gap + width > limit && used > 0) {
      ends.push(place);
      used = -gap;
    }
    used += gap + width;
  });
  return [...ends, widths.length];
}

/** The upper end of every part. */
function findTops(parts, plan, order) {
  const tops = parts.map(() => 0);
  for (const place of order) {
    let y = tops[place] + plan.slot[place];
    for (const row of plan.rows[place]) {
      y += parts[place].drop;
      for (const child of row) tops[child] = y;
      y += Math.max(...row.map(child => plan.slot[child] + plan.deep[child]));
    }
  }
  return tops;
}

/** The axis of every part; a parent stands midway above its children. */
function findAxes(parts, plan, order, tops) {
  const steps = parts.map(() => 0), outlines = [], extents = parts.map(part => [part.left, part.right]);
  for (const place of [...order].reverse()) {
    const part = parts[place], rows = plan.rows[place], bottom = tops[place] + plan.slot[place];
    let outline = makeOutline(bottom, part.left, part.right);
    if (rows.length) {
      const below = placeRows(part, rows, steps, extents, outlines, part.below.some(child => parts[child].below.length));
      if (rows.length > 1) outline = makeOutline(bottom + plan.deep[place], ...below);
      else outline = joined(rows[0].map(child => outlines[child]), rows[0].map(child => steps[child]));
      putOnTop(outline, bottom, part.left, part.right);
      extents[place] = [Math.max(part.left, below[0]), Math.max(part.right, below[1])];
      for (const child of part.below) delete outlines[child];
    }
    outlines[place] = outline;
  }
  const axes = parts.map(() => 0);
  axes[order[0]] = extents[order[0]][0];
  for (const place of order)
    for (const child of plan.rows[place].flat()) axes[child] = axes[place] + steps[child];
  return axes;
}

/** Gives the children of a part their steps from its axis, and says how far they reach to both sides. */
function placeRows(part, rows, steps, extents, outlines, centred) {
  const moved = rows.map(row => neighbours(row.map(child => outlines[child]), part.gap));
  const ends = rows.map((row, number) => [
    Math.min(...row.map((child, place) => moved[number][place] - extents[child][0])),
    Math.max(...row.map((child, place) => moved[number][place] + extents[child][1])),
  ]);
  const several = rows.length > 1, widest = Math.max(...ends.map(([left, right]) => right - left));
  rows.forEach((row, number) => {
    const [left, right] = ends[number];
    const shift = several ? part.trunk - left + (centred ? (widest - right + left) / 2 : 0) : 0;
    row.forEach((child, place) => steps[child] = moved[number][place] + shift);
  });
  const children = rows.flat();
  const low = Math.max(...children.map(child => extents[child][0] - steps[child])) + (several ? part.trunk : 0);
  const high = Math.max(...children.map(child => extents[child][1] + steps[child]));
  if (!several) return [low, high];
  const middle = (high - low) / 2;
  for (const child of children) steps[child] -= middle;
  return [low + middle, high - middle];
}

/** Where neighbours stand around 0; those in between are spread evenly. */
function neighbours(outlines, gap) {
  let found;
  if (outlines.length < 3) found = [0, ...outlines.slice(1).map(outline => apart(outlines[0], outline, gap))];
  else {
    const left = pushed(outlines, gap, false), right = pushed([...outlines].reverse(), gap, true).reverse();
    found = left.map((x, place) => (x + right[place] - right[0]) / 2);
  }
  return found.map(x => x - found[found.length - 1] / 2);
}

function pushed(outlines, gap, toTheRight) {
  let forest = copied(outlines[0]);
  return [0, ...outlines.slice(1).map(outline => {
    const other = copied(outline), step = toTheRight ? -apart(other, forest, gap) : apart(forest, other, gap);
    move(other, step);
    forest = toTheRight ? join(other, forest) : join(forest, other);
    return step;
  })];
}

/* Outlines: both sides as steps [lower end, x] from the deepest up, so that a parent goes on top at no cost. */

function makeOutline(bottom, left, right) {
  return { left: [[bottom, -left]], right: [[bottom, right]], leftShift: 0, rightShift: 0 };
}

function copied(outline) {
  return { ...outline, left: [...outline.left], right: [...outline.right] };
}

function move(outline, distance) {
  outline.leftShift += distance;
  outline.rightShift += distance;
}

function putOnTop(outline, bottom, left, right) {
  outline.left.push([bottom, -left - outline.leftShift]);
  outline.right.push([bottom, right - outline.rightShift]);
}

/** Both as one: the second stands to the right of the first, at the same height. */
function join(first, second) {
  if (second.left[0][0] <= first.left[0][0]) {
    cover(first.right, first.rightShift, second.right, second.rightShift);
    return first;
  }
  cover(second.left, second.leftShift, first.left, first.leftShift);
  return second;
}

function joined(outlines, xs) {
  outlines.forEach((outline, place) => move(outline, xs[place]));
  return outlines.reduce(join);
}

/** How far the right one has to move so that it stands a gap away. */
function apart(left, right, gap) {
  let i = left.right.length - 1, j = right.left.length - 1, widest = -Infinity;
  while (i >= 0 && j >= 0) {
    const [upper, x] = left.right[i], [lower, y] = right.left[j];
    widest = Math.max(widest, x - y);
    if (upper <= lower) i--;
    if (lower <= upper) j--;
  }
  return widest + left.rightShift - right.leftShift + gap;
}

/** Lays the shallow steps over the upper end of the deep ones. */
function cover(deep, deepShift, shallow, shallowShift) {
  const bottom = shallow[0][0], moved = shallowShift - deepShift;
  while (deep.length && deep[deep.length - 1][0] <= bottom) deep.pop();
  for (const [end, x] of shallow) deep.push([end, x + moved]);
}
