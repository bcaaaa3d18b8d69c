import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FromAgent, ToAgent } from '../../src/ipc/agent-events.ts';

/**
 * Stands for the agent's process (agent/host/main.ts) where a test is about the shell: says what `script.json` in the home
 * says, each time that it has changed, and writes down what it is asked.
 */
export interface Script {
  readonly messages: readonly FromAgent[];
  /** By the name of the method; what is not there is answered with `{}`, and `null` never. */
  readonly answers?: Readonly<Record<string, unknown>>;
}

interface ParentPort {
  readonly postMessage: (message: FromAgent) => void;
  readonly on: (event: 'message', listener: (event: { readonly data: ToAgent }) => void) => void;
}

const { parentPort } = process as unknown as { readonly parentPort: ParentPort };
const home = process.env['HOLDFAST_HOME']!;
let read = '';
let script: Script = { messages: [] };

parentPort.on('message', ({ data: { id, method, input } }) => {
  follow();
  appendFileSync(join(home, 'calls.txt'), `${JSON.stringify({ method, input })}\n`);
  const value = script.answers && Object.hasOwn(script.answers, method) ? script.answers[method] : {};
  if (value !== null) parentPort.postMessage({ kind: 'answer', id, answer: { ok: true, value } });
});
parentPort.postMessage({ kind: 'ready' });
follow();
writeFileSync(join(home, 'agent.pid'), String(process.pid));
setInterval(follow, 20);

function follow(): void {
  const text = textOf(join(home, 'script.json'));
  if (text === read) return;
  read = text;
  script = JSON.parse(text) as Script;
  for (const message of script.messages) parentPort.postMessage(message);
}

/** Empty before there is one. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
