import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Workplace } from './workplace.ts';

interface Report {
  readonly warnings: readonly { readonly path: string; readonly reason: string }[];
}

/** Appends numbered lines without end. */
const WRITER = `
const { openSync, writeSync } = require('node:fs');
const log = openSync(process.argv[1], 'a');
let line = 0;
setInterval(() => {
  writeSync(log, Array.from({ length: 256 }, (_, number) => String(line + number).padStart(15, '0') + '\\n').join(''));
  if (line === 0) process.stdout.write('begun');
  line += 256;
}, 1);
`;

/** It is read at once, or in parts. */
test.each([1_000_000, 40_000_000])(
  'a file of %i bytes that never stops growing is backed up by every run',
  async (size) => {
    using workplace = new Workplace();
    mkdirSync(workplace.path('source'));
    const log = workplace.path('source', 'log');
    writeFileSync(log, Buffer.alloc(size, 'abc'));
    await workplace.setUp();
    await workplace.addSet('documents', workplace.path('source'));
    const writer = spawn(process.execPath, ['-e', WRITER, log], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      await once(writer.stdout, 'data');
      let least = 0;
      for (let run = 0; run < 2; run += 1) {
        const before = statSync(log).size;
        const { stdout } = await workplace.run('--json', 'backup', 'documents');
        const { warnings } = JSON.parse(stdout) as Report;
        expect(warnings.filter(({ reason }) => reason !== 'growing')).toEqual([]);
        const to = workplace.path(`restored-${run}`);
        await workplace.json(['restore', 'documents', '--to', to]);
        const restored = readFileSync(`${to}/source/log`);
        expect(restored.length).toBeGreaterThanOrEqual(Math.max(before, least));
        expect(readFileSync(log).subarray(0, restored.length).equals(restored)).toBe(true);
        least = restored.length + 1;
      }
    } finally {
      writer.kill();
    }
  },
);
