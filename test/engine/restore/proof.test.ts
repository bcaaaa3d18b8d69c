import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { WorkerPool } from '../../../src/engine/workers/pool.ts';
import { RestoreWorld } from '../../helpers/memory-service/restore-world.ts';

const pool = new WorkerPool(2);
let world: RestoreWorld;
beforeEach(() => {
  world = new RestoreWorld(pool);
});
afterEach(() => world[Symbol.dispose]());
afterAll(() => pool.close());

function hashOf(data: string): string {
  return `sha256:${createHash('sha256').update(data).digest('hex')}`;
}

function put(name: string, data: string): string {
  const path = join(world.source, name);
  writeFileSync(path, data);
  return path;
}

describe('restore of one file', () => {
  test('has the right content when the service answers with the chunks of another file', async () => {
    const one = put('one', 'aaaa');
    put('two', 'bbbb');
    await world.backup();
    world.service.rewrite = (files) =>
      files.map((file) => (file.path === one ? Object.assign({}, file, { chunks: [hashOf('bbbb')] }) : file));
    const report = await world.restore({ paths: [one] });
    const target = join(world.target, 'one');
    expect(existsSync(target) ? readFileSync(target, 'utf8') : 'refused').toBe('aaaa');
    expect(report).toMatchObject({ failures: [], warnings: [{ path: one, reason: 'service_answer_suspicious' }] });
  });
});
