/** The file that V8 writes with `--cpu-prof`: a call tree, and the node that ran at each sample. */
export interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  /** Ids of nodes. */
  readonly samples: readonly number[];
  /** Microseconds since the previous sample. */
  readonly timeDeltas: readonly number[];
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: {
    readonly functionName: string;
    readonly url: string;
    /** Zero-based. */
    readonly lineNumber: number;
  };
  readonly children?: readonly number[];
}

/** A call with its callees. */
export interface Call {
  readonly name: string;
  /** `fastcdc.ts:12`, or a built-in module; empty for V8's own work. */
  readonly place: string;
  readonly selfMs: number;
  readonly totalMs: number;
  readonly calls: readonly Call[];
}

export interface FunctionTime {
  readonly name: string;
  readonly place: string;
  readonly selfMs: number;
}

/** Builds the call tree with its times, without the thread's idle time. */
export function callTree({ nodes, samples, timeDeltas }: CpuProfile): Call {
  const selfMs = new Map<number, number>();
  for (const [index, id] of samples.entries()) {
    // The clocks of two processors may differ slightly.
    selfMs.set(id, (selfMs.get(id) ?? 0) + Math.max(0, timeDeltas[index] ?? 0) / 1000);
  }
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const root = nodes[0];
  if (!root) return { name: '(root)', place: '', selfMs: 0, totalMs: 0, calls: [] };
  return callOf(root, byId, selfMs);
}

function callOf(
  { id, callFrame, children = [] }: ProfileNode,
  byId: ReadonlyMap<number, ProfileNode>,
  times: ReadonlyMap<number, number>,
): Call {
  const calls = children
    .flatMap((child) => byId.get(child) ?? [])
    .filter(({ callFrame: { functionName } }) => functionName !== '(idle)')
    .map((child) => callOf(child, byId, times));
  const selfMs = times.get(id) ?? 0;
  return {
    name: callFrame.functionName || '(anonymous)',
    place: placeOf(callFrame.url, callFrame.lineNumber),
    selfMs,
    totalMs: calls.reduce((sum, call) => sum + call.totalMs, selfMs),
    calls,
  };
}

function placeOf(url: string, lineNumber: number): string {
  if (url === '') return '';
  const file = url.startsWith('node:') ? url : url.slice(url.lastIndexOf('/') + 1);
  return `${file}:${lineNumber + 1}`;
}

/** The functions with the most self time. */
export function topFunctions(tree: Call, count: number): readonly FunctionTime[] {
  const times = new Map<string, FunctionTime>();
  const add = ({ name, place, selfMs, calls }: Call): void => {
    const key = `${name} ${place}`;
    times.set(key, { name, place, selfMs: selfMs + (times.get(key)?.selfMs ?? 0) });
    for (const call of calls) add(call);
  };
  add(tree);
  return [...times.values()].sort((left, right) => right.selfMs - left.selfMs).slice(0, count);
}
