import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClientMessage, ServerMessage } from '../../src/base/calls/messages.ts';
import type { AgentEvents } from '../../src/ipc/agent-events.ts';

/**
 * Replaces the agent's process (agent/host/main.ts) in tests of the shell: sends the contents of `script.json` in the home
 * whenever it changes, and records the calls that it receives.
 */
export interface Script {
  readonly events: Partial<AgentEvents>;
  /** Responses by method name. Other methods get `{}`, and those with `null` get no response. */
  readonly answers?: Readonly<Record<string, unknown>>;
}

interface ParentPort {
  readonly postMessage: (message: ServerMessage) => void;
  readonly on: (event: 'message', listener: (event: { readonly data: ClientMessage }) => void) => void;
}

const { parentPort } = process as unknown as { readonly parentPort: ParentPort };
const home = process.env['HOLDFAST_HOME']!;
let read = '';
let script: Script = { events: {} };

parentPort.on('message', ({ data }) => {
  if (data.kind !== 'call') return;
  const { id, name: method, input } = data;
  follow();
  appendFileSync(join(home, 'calls.txt'), `${JSON.stringify({ method, input })}\n`);
  const value = script.answers && Object.hasOwn(script.answers, method) ? script.answers[method] : {};
  if (value !== null) parentPort.postMessage({ kind: 'value', id, value: { ok: true, value } });
});
parentPort.postMessage({ kind: 'event', name: 'ready', value: {} });
follow();
writeFileSync(join(home, 'agent.pid'), String(process.pid));
setInterval(follow, 20);

function follow(): void {
  const text = textOf(join(home, 'script.json'));
  if (text === read) return;
  read = text;
  script = JSON.parse(text) as Script;
  for (const [name, value] of Object.entries(script.events)) parentPort.postMessage({ kind: 'event', name, value });
}

/** Empty before the file exists. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
