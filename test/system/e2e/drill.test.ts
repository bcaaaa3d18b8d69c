import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHash, randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Workplace } from './workplace.ts';

/** A name that HTML has to escape. Windows allows no angle brackets. */
const ODD = process.platform === 'win32' ? 'b &lt' : 'b <i>';

let place: Workplace;
let docs: string;
beforeEach(async () => {
  place = new Workplace();
  docs = place.path('own', 'docs');
  mkdirSync(docs, { recursive: true });
  for (const name of ['a', ODD]) writeFileSync(join(docs, name), randomBytes(200_000));
  await place.setUp();
  await place.addSet('docs', docs);
  await place.json(['backup', 'docs']);
});
afterEach(() => place[Symbol.dispose]());

function digestOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

interface Drilled {
  readonly drills: readonly {
    readonly result: string;
    readonly digest: string;
    readonly sample: readonly { readonly path: string; readonly sha256: string }[];
  }[];
}

describe('holdfast drill', () => {
  test('restores and compares a sample, states it in the status, and writes a certificate', async () => {
    const file = place.path('certificate.html');
    const { drills } = await place.json<Drilled>(['drill', '--certificate', file]);
    expect(drills).toMatchObject([
      {
        set: 'docs',
        result: 'passed',
        files_compared: 2,
        files_same_on_disk: 2,
        point_files: 2,
        bytes_restored: 400_000,
        failures_total: 0,
      },
    ]);
    const lines = drills[0]!.sample.map(({ path, sha256 }) => `${sha256}  ${path}\n`).join('');
    for (const { path, sha256 } of drills[0]!.sample) expect(digestOf(readFileSync(path))).toBe(sha256);
    const digest = digestOf(lines);
    expect(drills[0]!.digest).toBe(digest);
    const page = readFileSync(file, 'utf8');
    for (const text of [
      'Passed',
      digest,
      drills[0]!.sample[0]!.sha256,
      ODD.replace('&', '&amp;').replace('<', '&lt;').replace('>', '&gt;'),
    ])
      expect(page).toContain(text);
    expect(page).not.toContain('<i>');
    const status = await place.json<{ sets: readonly object[] }>(['status']);
    expect(status.sets).toMatchObject([{ last_drill: { result: 'passed', files_compared: 2, failures_total: 0 } }]);
    expect((await place.run('status')).stdout).toContain('passed: 2 files compared');
    expect(readdirSync(join(place.home, 'scratch'))).toEqual([]);
  });

  test('fails if the destination has lost something, and says so in the status', async () => {
    const packs = readdirSync(join(place.destination, 'packs'), { recursive: true, encoding: 'utf8' })
      .map((name) => join(place.destination, 'packs', name))
      .filter((path) => statSync(path).size > 100_000);
    for (const pack of packs) {
      const bytes = readFileSync(pack);
      chmodSync(pack, 0o600);
      writeFileSync(pack, bytes.fill(0, 1000, 100_000));
    }
    const ended = await place.run('drill', 'docs');
    expect(ended.status).toBe(1);
    expect(ended.stdout + ended.stderr).toContain('not restored as it was');
    expect((await place.run('status')).stdout).toContain('FAILED');
  });
});
