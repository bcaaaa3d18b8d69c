import { posix } from 'node:path';
import type { Import } from './import-graph.ts';

type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** Returns the groups of files that import each other in a circle, types included. */
export function circlesOfFiles(imports: readonly Import[]): readonly (readonly string[])[] {
  return circlesOf(graphOf(imports.filter(({ isOurs }) => isOurs).map(({ from, to }) => [from, to])));
}

/** Returns the groups of folders of one folder that import each other in a circle, with everything in them. */
export function circlesOfFolders(imports: readonly Import[]): readonly (readonly string[])[] {
  const pairs = imports.flatMap(({ from, to, isOurs }): [string, string][] => {
    const [one, other] = [posix.dirname(from).split('/'), posix.dirname(to).split('/')];
    const fork = one.findIndex((name, depth) => name !== other[depth]);
    const isBesides = isOurs && fork >= 0 && fork < other.length;
    return isBesides ? [[one.slice(0, fork + 1).join('/'), other.slice(0, fork + 1).join('/')]] : [];
  });
  return circlesOf(graphOf(pairs));
}

function graphOf(pairs: readonly (readonly [from: string, to: string])[]): Graph {
  const graph = new Map<string, Set<string>>();
  for (const [from, to] of pairs) {
    const known = graph.get(from);
    if (known) known.add(to);
    else graph.set(from, new Set([to]));
  }
  return graph;
}

/** Strongly connected components of more than one node, sorted (Tarjan 1972). */
function circlesOf(graph: Graph): readonly (readonly string[])[] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const circles: string[][] = [];
  const visit = (node: string): number => {
    const number = order.size;
    order.set(node, number);
    lowest.set(node, number);
    open.push(node);
    for (const next of graph.get(node) ?? []) {
      const reached = order.has(next) ? (open.includes(next) ? order.get(next)! : number) : visit(next);
      lowest.set(node, Math.min(lowest.get(node)!, reached));
    }
    const low = lowest.get(node)!;
    if (low === number) {
      const circle = open.splice(open.indexOf(node));
      if (circle.length > 1) circles.push(circle.toSorted());
    }
    return low;
  };
  for (const node of graph.keys()) if (!order.has(node)) visit(node);
  return circles;
}
