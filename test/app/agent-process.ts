import { readdirSync, readFileSync } from 'node:fs';
import type { ElectronFixture } from './electron-fixture.ts';

/** Returns the process ID of the agent, a child of the app. */
export function agentOf(fixture: ElectronFixture): number {
  const main = fixture.app.process().pid;
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const words = readFileSync(`/proc/${entry}/cmdline`, 'utf8');
      const parent = Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${entry}/status`, 'utf8'))?.[1]);
      if (parent === main && words.includes('node.mojom.NodeService')) return Number(entry);
    } catch {
      // The process has ended meanwhile.
    }
  }
  throw new Error('there is no agent');
}
