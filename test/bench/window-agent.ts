import type { BrowsedEntry } from '../../src/ipc/contract/restore/restore.ts';
import { parentProcessPort } from '../../src/base/calls/process-port.ts';
import { serveCalls } from '../../src/base/calls/serve-calls.ts';
import type { AgentEvents } from '../../src/ipc/agent-events.ts';
import { PROTECTED } from '../app/renderer/states.ts';

// Replaces the agent's process in measurements of the window alone: serves a folder of a million files from memory.

const TOTAL = 1_000_000;
const TIME = '2026-11-21T12:00:00.000Z';

const emit = serveCalls<AgentEvents>(parentProcessPort(), (method, input) => ({
  ok: true,
  value: answerTo(method, input),
}));
emit('ready', {});
emit('state', PROTECTED);

function answerTo(method: string, input: unknown): unknown {
  switch (method) {
    case 'restore.sources':
      return { sources: [{ set: 'Documents', deviceName: 'this' }] };
    case 'restore.points':
      return { points: [{ restorePoint: TIME, madeAt: TIME, backupId: 'one', files: TOTAL, bytes: TOTAL * 1000 }] };
    case 'restore.open':
      return { listing: 'million' };
    case 'restore.rows': {
      const { from, count } = input as { readonly from: number; readonly count: number };
      const rows = Math.max(0, Math.min(count, TOTAL - from));
      return {
        entries: Array.from({ length: rows }, (_, row) => entryOf(from + row)),
        total: TOTAL,
        isComplete: true,
        isSorted: true,
      };
    }
    default:
      return {};
  }
}

function entryOf(index: number): BrowsedEntry {
  const name = `photo ${String(index).padStart(7, '0')}.jpg`;
  return { path: `/${name}`, name, type: 'file', size: 1000 + (index % 9000), modified: TIME };
}
