import { fork } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { childProcessPort } from '../../../src/base/calls/process-port.ts';
import type { AgentTrouble } from '../../../src/ipc/home-state.ts';
import type { AppState } from '../../../src/ipc/state.ts';
import { AgentProcess, type ForkAgent } from '../../../src/main/agent/agent-process.ts';
import { DisplayedState } from '../../../src/main/agent/displayed-state.ts';
import { agentProblemReport } from '../../../src/main/shell/agent-problem-report.ts';
import { PROTECTED } from '../../app/renderer/states.ts';

const KNOWN = { version: '0.1.0', home: '/home/anna/.local/share/holdfast' };

let folder: string;
let program: string;
let troubles: AgentTrouble[];
let shown: AppState[];
let agent: AgentProcess;

/** The program as a Node process, started as by Electron. */
const forkProgram: ForkAgent = () => {
  const child = fork(program, { execArgv: [], stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  return {
    ...childProcessPort(child),
    kill: () => child.kill('SIGKILL'),
    onErrorOutput: (listener) => child.stderr!.on('data', (bytes: Buffer) => listener(bytes.toString())),
  };
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  folder = mkdtempSync(join(tmpdir(), 'holdfast-agent-trouble-'));
  program = join(folder, 'agent.mjs');
  troubles = [];
  shown = [];
  const state = new DisplayedState((next) => shown.push(next));
  agent = new AgentProcess(forkProgram, {
    onState: (told) => state.update(told),
    onNotice: () => undefined,
    onBrowse: () => undefined,
    onExit: (restartsAt) => state.agentExited(restartsAt),
    onTrouble: (trouble) => {
      troubles.push(trouble);
      state.agentFailing(trouble, KNOWN);
    },
  });
});
afterEach(async () => {
  const stopped = agent.stop();
  await vi.advanceTimersByTimeAsync(60_000);
  await stopped;
  vi.useRealTimers();
  rmSync(folder, { recursive: true, force: true });
});

/** Advances the app's time until a condition is true. */
async function until(holds: () => boolean): Promise<void> {
  const from = performance.now();
  let passed = 0;
  while (!holds()) {
    const now = performance.now() - from;
    if (now > 150_000) throw new Error(`it did not come: ${JSON.stringify(troubles)}`);
    await vi.advanceTimersByTimeAsync(now - passed);
    passed = now;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const WORKS = `process.send({ kind: 'event', name: 'ready', value: {} });
process.send({ kind: 'event', name: 'state', value: ${JSON.stringify(PROTECTED)} });
setInterval(() => {}, 1000);`;

describe('an agent that does not start', () => {
  test('is reported with its last error output, and restarted on request', async () => {
    writeFileSync(program, `console.error('one\\n\\nthe home cannot be read'); process.exit(3);`);
    agent.start();
    await until(() => troubles.at(-1)?.lines.includes('the home cannot be read') === true);
    expect(troubles.at(-1)).toEqual({ problem: 'ends', lines: ['one', 'the home cannot be read'] });
    expect(shown.at(-1)).toMatchObject({ ...KNOWN, health: 'at-risk', sets: [], trouble: { problem: 'ends' } });

    writeFileSync(program, WORKS);
    agent.restart();
    await until(() => shown.at(-1)?.health === 'protected');
    expect(shown.at(-1)).not.toHaveProperty('trouble');
  });

  test('is reported when it stays silent, and killed on a restart', async () => {
    writeFileSync(program, 'setInterval(() => {}, 1000);');
    agent.start();
    await vi.advanceTimersByTimeAsync(11_000);
    expect(troubles).toEqual([]);
    await vi.advanceTimersByTimeAsync(2000);
    expect(troubles).toEqual([{ problem: 'silent', lines: [] }]);

    writeFileSync(program, WORKS);
    agent.restart();
    await until(() => shown.at(-1)?.health === 'protected');
  });

  test('is not reported when it ends once and then starts', async () => {
    writeFileSync(
      program,
      `import { existsSync, writeFileSync } from 'node:fs';
       const mark = ${JSON.stringify(join(folder, 'mark'))};
       if (!existsSync(mark)) { writeFileSync(mark, ''); process.exit(1); }
       ${WORKS}`,
    );
    agent.start();
    await until(() => shown.at(-1)?.health === 'protected');
    expect(troubles).toEqual([]);
  });

  test('produces diagnostics without the names of folders', () => {
    const line = `Error: EACCES: permission denied, open '${KNOWN.home}/settings.json'`;
    const text = agentProblemReport({ problem: 'ends', lines: [line] }, KNOWN);
    expect(JSON.parse(text)).toMatchObject({
      version: '0.1.0',
      agent: 'ends',
      lines: ["Error: EACCES: permission denied, open 'HOME/settings.json'"],
    });
    expect(text).not.toContain('anna');
  });
});
