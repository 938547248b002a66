"use strict";

/* A tidy tree from the top down. Boxes have widths and heights of their own; what stands beside a node is stacked to
   its right; three or more closed nodes in a row are stacked in columns, and so are subtrees whose row would be too
   wide. Subtrees are pushed together until their outlines are GAP apart, so that no two boxes overlap. An outline is a
   list of [from y, to y, x], contiguous from the top. */
const GAP = 26, BESIDE_GAP = 30, ROW_GAP = 44, STACK_GAP = 18, TRUNK = 18, COLUMN = 4, WIDE = 1500, ASPECT = 1.8;

/** Places every node that is shown: x and y of its left upper corner. Returns the size of the whole. */
function layOut(roots) {
  const order = [], whole = { below: roots, beside: [], w: 0, h: -ROW_GAP };
  for (const stack = [whole]; stack.length; ) {
    const node = stack.pop();
    order.push(node);
    stack.push(...node.below);
  }
  for (let place = order.length - 1; place >= 0; place--) arrange(order[place]);
  whole.x = -Math.min(...whole.left.map(part => part[2]));
  whole.y = 0;
  for (const node of order)
    for (const [other, x, y] of node.parts) {
      other.x = node.x + x;
      other.y = node.y + y; // of the block; the box itself is lower by its lift, where taller things stand beside it
    }
  const right = Math.max(...whole.right.map(part => part[2]));
  return { width: whole.x + right, height: whole.right[whole.right.length - 1][1] };
}

/** Places what belongs to one node, relative to it, and finds the outlines of its subtree. */
function arrange(node) {
  node.parts = [];
  const block = stackBeside(node), groups = columned(grouped(node.below));
  node.left = [[block.top, block.bottom, 0]];
  node.right = [[block.top, block.bottom, block.right]];
  node.bus = block.bottom + ROW_GAP / 2;
  if (!groups.length) return;
  const start = block.bottom + ROW_GAP, taken = pushedTogether(groups);
  const first = groups[0], last = groups[groups.length - 1];
  const middle = (first.shift + first.anchor + last.shift + last.anchor) / 2, dx = node.w / 2 - middle;
  for (const group of groups)
    for (const [child, x, y] of group.parts) node.parts.push([child, x + group.shift + dx, y + start]);
  const reach = groups.flatMap(group => [group.shift + group.anchor + dx, group.shift + group.line + dx]);
  const [low, high] = [Math.min(0, ...reach), Math.max(node.w, ...reach)];
  node.left = joined([...node.left, [block.bottom, start, low], ...moved(taken.left, dx, start)]);
  node.right = joined([...node.right, [block.bottom, start, high], ...moved(taken.right, dx, start)]);
}

/** Columns of leaves to the right of the node, as high as the node or centred on it. */
function stackBeside(node) {
  let right = node.w, top = 0, bottom = node.h;
  for (let from = 0; from < node.beside.length; from += COLUMN) {
    const column = node.beside.slice(from, from + COLUMN);
    const height = column.reduce((sum, each) => sum + each.h + STACK_GAP, -STACK_GAP);
    let y = (node.h - height) / 2;
    top = Math.min(top, y);
    bottom = Math.max(bottom, y + height);
    for (const each of column) {
      each.lift = 0;
      node.parts.push([each, right + BESIDE_GAP, y]);
      y += each.h + STACK_GAP;
    }
    right += BESIDE_GAP + Math.max(...column.map(each => each.w));
  }
  for (const part of node.parts) part[2] -= top;
  node.lift = -top;
  return { right, top: 0, bottom: bottom - top };
}

/** Open nodes by themselves, closed neighbours in columns. */
function grouped(children) {
  const groups = [];
  for (let place = 0; place < children.length; ) {
    let end = place;
    while (end < children.length && !children[end].below.length && !children[end].beside.length) end++;
    if (end - place < 3) {
      groups.push(alone(children[place++]));
      continue;
    }
    const count = end - place, columns = Math.ceil(count / Math.max(COLUMN, Math.sqrt(1.6 * count)));
    const each = Math.ceil(count / columns);
    for (; place < end; place += each) groups.push(column(children.slice(place, Math.min(end, place + each))));
  }
  return groups;
}

function alone(child) {
  const anchor = child.w / 2;
  child.trunk = null;
  return { parts: [[child, 0, 0]], left: child.left, right: child.right, anchor, line: anchor };
}

function column(children) {
  return stacked(children.map(alone));
}

/** Groups below each other, with a trunk at their left that lines to each of them branch off. */
function stacked(groups) {
  const parts = [];
  let y = 0, width = 0;
  for (const group of groups) {
    const [low, high] = extent(group);
    for (const [child, x, dy] of group.parts) {
      parts.push([child, x - low, y + dy]);
      child.trunk = low - x - TRUNK;
    }
    width = Math.max(width, high - low);
    y += depth(group) + (group.parts.some(([child]) => child.below.length) ? ROW_GAP : STACK_GAP);
  }
  y -= STACK_GAP;
  return { parts, left: [[0, y, -TRUNK]], right: [[0, y, width]], anchor: width / 2, line: -TRUNK };
}

/** Where a row would be far too wide, as many columns as look best. */
function columned(groups) {
  const sum = list => list.reduce((total, each) => total + each, 0);
  const spans = groups.map(extent).map(([low, high]) => high - low + GAP);
  if (sum(spans) <= WIDE) return groups;
  const oddness = chunks => {
    const width = sum(chunks.map(([from, to]) => Math.max(...spans.slice(from, to))));
    const height = Math.max(...chunks.map(([from, to]) => sum(groups.slice(from, to).map(depth))));
    return Math.abs(Math.log(width / height / ASPECT));
  };
  let best = groups.map((_, place) => [place, place + 1]);
  for (let columns = Math.min(groups.length - 1, 24); columns >= 1; columns--) {
    const each = Math.ceil(groups.length / columns), chunks = [];
    for (let from = 0; from < groups.length; from += each) chunks.push([from, from + each]);
    if (oddness(chunks) < oddness(best)) best = chunks;
  }
  return best.map(([from, to]) => to - from > 1 ? stacked(groups.slice(from, to)) : groups[from]);
}

function extent(group) {
  return [Math.min(...group.left.map(part => part[2])), Math.max(...group.right.map(part => part[2]))];
}

function depth(group) {
  return group.right[group.right.length - 1][1];
}

/** Gives each group its shift, and the outlines of all together. */
function pushedTogether(groups) {
  let left = [], right = [];
  for (const group of groups) {
    group.shift = right.length ? clearance(right, group.left) : 0;
    left = [...left, ...deeper(moved(group.left, group.shift, 0), left)];
    const own = moved(group.right, group.shift, 0);
    right = [...own, ...deeper(right, own)];
  }
  return { left, right };
}

/** How far the second outline has to move so that it stays clear of the first. */
function clearance(right, left) {
  let shift = -Infinity;
  for (let i = 0, j = 0; i < right.length && j < left.length; right[i][1] < left[j][1] ? i++ : j++)
    if (right[i][0] < left[j][1] + STACK_GAP && left[j][0] < right[i][1] + STACK_GAP)
      shift = Math.max(shift, right[i][2] - left[j][2] + GAP);
  return shift;
}

function moved(outline, dx, dy) {
  return outline.map(([from, to, x]) => [from + dy, to + dy, x + dx]);
}

/** The same outline with fewer parts: neighbours at one x are one. */
function joined(outline) {
  const found = [];
  for (const part of outline) {
    const last = found[found.length - 1];
    if (last && last[2] === part[2]) last[1] = part[1];
    else found.push([...part]);
  }
  return found;
}

/** The parts of an outline that lie deeper than another ends. */
function deeper(outline, other) {
  const end = other.length ? other[other.length - 1][1] : -Infinity;
  return outline.filter(part => part[1] > end).map(([from, to, x]) => [Math.max(from, end), to, x]);
}
