import type { Call } from './cpu-profile.ts';

const WIDTH = 1200;
const ROW_HEIGHT = 17;
const LETTER_WIDTH = 6.6;
/** Narrower calls are left out. */
const NARROWEST = 0.5;

/** Draws a flame graph: a call's width is its time, its callers are below it. A tooltip shows each call's text. */
export function flamePicture(tree: Call, title: string): string {
  const scale = WIDTH / Math.max(tree.totalMs, 1e-9);
  const height = (depthOf(tree, scale) + 1) * ROW_HEIGHT;
  const boxes: string[] = [];
  const draw = (call: Call, left: number, depth: number): void => {
    const width = call.totalMs * scale;
    if (width < NARROWEST) return;
    boxes.push(box(call, left, height - (depth + 1) * ROW_HEIGHT, width, tree.totalMs));
    let position = left;
    for (const inner of merged(call.calls)) {
      draw(inner, position, depth + 1);
      position += inner.totalMs * scale;
    }
  };
  draw(tree, 0, 0);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="monospace" font-size="11">`,
    `<text x="4" y="12">${escaped(title)}</text>`,
    ...boxes,
    '</svg>\n',
  ].join('\n');
}

function depthOf(call: Call, scale: number): number {
  if (call.totalMs * scale < NARROWEST) return 0;
  return 1 + merged(call.calls).reduce((depth, inner) => Math.max(depth, depthOf(inner, scale)), 0);
}

/** Merges calls of one function by one caller, the longest first. */
function merged(calls: readonly Call[]): readonly Call[] {
  const byFunction = new Map<string, Call>();
  for (const call of calls) {
    const key = `${call.name} ${call.place}`;
    const known = byFunction.get(key);
    byFunction.set(key, known === undefined ? call : sum(known, call));
  }
  return [...byFunction.values()].sort((left, right) => right.totalMs - left.totalMs);
}

function sum(one: Call, other: Call): Call {
  return {
    ...one,
    selfMs: one.selfMs + other.selfMs,
    totalMs: one.totalMs + other.totalMs,
    calls: [...one.calls, ...other.calls],
  };
}

function box({ name, place, totalMs }: Call, left: number, top: number, width: number, allMs: number): string {
  const share = ((100 * totalMs) / allMs).toFixed(1);
  const letters = Math.floor((width - 4) / LETTER_WIDTH);
  const label = letters < 3 ? '' : name.slice(0, letters);
  const [x, y] = [left.toFixed(1), String(top)];
  return [
    `<g><title>${escaped(`${name} ${place}: ${totalMs.toFixed(0)} ms, ${share} %`)}</title>`,
    `<rect x="${x}" y="${y}" width="${width.toFixed(1)}" height="${ROW_HEIGHT - 1}" fill="${colour(place)}"/>`,
    label === '' ? '' : `<text x="${(left + 2).toFixed(1)}" y="${top + 12}">${escaped(label)}</text>`,
    '</g>',
  ].join('');
}

/** Distinguishes our code, Node's own, and V8 and native code. */
function colour(place: string): string {
  if (place === '') return '#c9c9c9';
  return place.startsWith('node:') ? '#a9c7e8' : '#f4b26a';
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
