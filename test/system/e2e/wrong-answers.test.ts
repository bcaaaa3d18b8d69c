import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openCatalogDatabase } from '../../../src/catalog/database.ts';
import { TREE_PATH } from '../../../src/protocol/path.ts';
import { ANNA, HttpService } from '../agent/host/http-service.ts';
import { buildTree } from '../../helpers/tree/build.ts';
import { file } from '../../helpers/tree/nodes.ts';
import { isPlainMessage, Workplace } from './workplace.ts';

interface RestoreAnswer {
  readonly files_restored: number;
  readonly failures: readonly { readonly path: string; readonly reason: string }[];
  readonly warnings: readonly { readonly path: string; readonly reason: string }[];
}

interface PointsAnswer {
  readonly points: readonly { readonly restore_point: string }[];
  readonly warnings?: readonly { readonly path: string; readonly reason: string }[];
}

describe('a restore from a service that answers wrongly', () => {
  const workplace = new Workplace();
  const source = workplace.path('source');
  const one = workplace.path('source', 'one.txt');
  const two = workplace.path('source', 'two.txt');
  let service: HttpService;
  let number = 0;
  let to: string;

  beforeAll(async () => {
    service = await HttpService.open();
    await buildTree(source, { 'one.txt': file('content of one'), 'two.txt': file('content of two') });
    const password = workplace.write('password', ANNA.password);
    const signIn = ['--server', service.url, '--email', ANNA.email, '--password-file', password];
    await workplace.json(['setup', ...signIn, '--code', service.code(), '--device-name', 'laptop']);
    await workplace.addSet('documents', source);
    await workplace.json(['backup', 'documents']);
  });
  afterAll(async () => {
    await service.close();
    workplace[Symbol.dispose]();
  });
  beforeEach(() => {
    number += 1;
    to = workplace.path(`target ${number}`);
    service.changeManifests(undefined);
  });

  const dropTree = (): void => service.changeManifests((files) => files.filter(({ path }) => path !== TREE_PATH));

  test('has the right content when one file is answered with the chunks of another, and names it', async () => {
    service.changeManifests((files) => {
      const chunks = files.find(({ path }) => path === two)?.chunks;
      return files.map((each) => (each.path === one && chunks ? Object.assign({}, each, { chunks }) : each));
    });
    const answer = await workplace.json<RestoreAnswer>(['restore', 'documents', '--to', to], 3);
    expect(answer).toMatchObject({ files_restored: 2, failures: [] });
    expect(answer.warnings).toEqual([{ path: one, reason: 'service_answer_suspicious' }]);
    expect(readFileSync(`${to}/source/one.txt`, 'utf8')).toBe('content of one');
  });

  test('restores the others, and the file itself, when one element is malformed', async () => {
    service.changeManifests((files) =>
      files.map((each) => (each.path === one ? Object.assign({}, each, { size: -1 }) : each)),
    );
    const answer = await workplace.json<RestoreAnswer>(['restore', 'documents', '--to', to], 3);
    expect(answer).toMatchObject({ files_restored: 2, failures: [] });
    expect(answer.warnings).toEqual([{ path: one, reason: 'service_answer_suspicious' }]);
  });

  test('is refused without a tree, and says how to restore nevertheless', async () => {
    dropTree();
    const ended = await workplace.run('restore', 'documents', '--to', to);
    expect(ended.status).toBe(1);
    expect(isPlainMessage(ended.stderr)).toBe(true);
    expect(ended.stderr).toContain('no list of files that proves');
    expect(ended.stderr).toContain('--accept-unverified');
    expect(existsSync(to)).toBe(false);
    expect(await workplace.json(['verify', 'documents'], 1)).toMatchObject({
      failures: [{ path: TREE_PATH, reason: 'tree_invalid' }],
    });
  });

  test('names every file as unverified with --accept-unverified, and replaces none', async () => {
    dropTree();
    mkdirSync(`${to}/source`, { recursive: true });
    writeFileSync(`${to}/source/one.txt`, 'what is here');
    const words = ['restore', 'documents', '--to', to, '--accept-unverified', '--conflict', 'overwrite'];
    const answer = await workplace.json<RestoreAnswer>(words, 1);
    expect(answer.failures).toMatchObject([{ path: one, reason: 'tree_invalid', detail: 'unproven' }]);
    expect(answer.warnings).toContainEqual({ path: two, reason: 'unverified' });
    expect(readFileSync(`${to}/source/one.txt`, 'utf8')).toBe('what is here');
    expect(readFileSync(`${to}/source/two.txt`, 'utf8')).toBe('content of two');
  });

  test('names restore points of this computer that the service does not list, or lists with another time', async () => {
    const { points } = await workplace.json<PointsAnswer>(['points', 'documents']);
    expect(points).toHaveLength(1);
    const catalog = openCatalogDatabase(join(workplace.home, 'catalog.sqlite'));
    catalog.exec(`INSERT INTO restore_point (destination, device, backup_set, time, backup_id, files, bytes)
      SELECT destination, device, backup_set, '2020-01-01T00:00:00.000Z', 'withheld', 1, 1 FROM restore_point LIMIT 1`);
    catalog.exec("UPDATE restore_point SET time = '2026-01-01T00:00:00.000Z' WHERE backup_id <> 'withheld'");
    catalog.close();
    const compared = await workplace.json<PointsAnswer>(['points', 'documents'], 3);
    expect(compared.points).toMatchObject([{ restore_point: '2026-01-01T00:00:00.000Z' }]);
    expect(compared.warnings).toEqual([
      { path: 'documents 2026-01-01T00:00:00.000Z', reason: 'moved-run' },
      { path: 'documents 2020-01-01T00:00:00.000Z', reason: 'missing-run' },
    ]);
    const { status, stderr } = await workplace.run('points', 'documents');
    expect(status).toBe(3);
    expect(stderr).toMatch(/no longer lists/);
    expect(stderr).toMatch(/a different time/);
  });
});
