import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openCatalogDatabase } from '../../../src/catalog/database.ts';
import { TREE_PATH } from '../../../src/protocol/path.ts';
import { ANNA, HttpService } from '../agent/host/http-service.ts';
import { HAS_FUSE, untilMounted } from '../../helpers/mount.ts';
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

  test('is not believed by ls when it answers with an older tree than the newest that was seen', async () => {
    const catalog = openCatalogDatabase(join(workplace.home, 'catalog.sqlite'));
    catalog.exec("UPDATE tree_seen SET sequence = sequence + 1, tree_hash = 'ff'");
    catalog.close();
    const suspicious = [{ path: TREE_PATH, reason: 'service_answer_suspicious' }];
    expect(await workplace.json(['ls', 'documents'], 3)).toMatchObject({
      warnings: expect.arrayContaining(suspicious) as unknown,
    });
  });

  describe('that hides or moves restore points', () => {
    const readers: readonly (readonly string[])[] = [
      ['ls', 'documents'],
      ['find', 'documents', 'one'],
      ['versions', 'documents', one],
      ['restore', 'documents', '--to', workplace.path('back')],
      ['restore', 'documents', '--to', workplace.path('dry'), '--dry-run'],
      ['export', 'documents', '--to', workplace.path('documents.tar')],
      ['verify', 'documents'],
      ['drill', 'documents'],
      ['retention', 'show', 'documents'],
    ];

    test.each(readers)('%s names them and ends with 3', async (...words) => {
      const { warnings = [] } = await workplace.json<Partial<RestoreAnswer>>(words, 3);
      const named = warnings.filter(({ reason }) => reason.endsWith('-run'));
      expect(named).toEqual([
        { path: 'documents 2026-01-01T00:00:00.000Z', reason: 'moved-run' },
        { path: 'documents 2020-01-01T00:00:00.000Z', reason: 'missing-run' },
      ]);
    });

    test('a command that finds nothing for that reason names them, too', async () => {
      const { warnings = [] } = await workplace.json<Partial<RestoreAnswer>>(['diff', 'documents'], 1);
      expect(warnings.map(({ reason }) => reason)).toEqual(['moved-run', 'missing-run']);
    });

    test.skipIf(!HAS_FUSE)('mount says so when it is mounted, and ends with 3', async () => {
      const mountpoint = workplace.path('mounted');
      mkdirSync(mountpoint);
      const running = workplace.start(['mount', 'documents', mountpoint, '--json']);
      await untilMounted(running);
      running.child.kill('SIGINT');
      const { status, stdout } = await running.ended;
      expect(status).toBe(3);
      expect(JSON.parse(stdout)).toMatchObject({ warnings: [{ reason: 'moved-run' }, { reason: 'missing-run' }] });
    });

    test('a set that is gone there as a whole is named like its restore points', async () => {
      await workplace.addSet('gone', source);
      const catalog = openCatalogDatabase(join(workplace.home, 'catalog.sqlite'));
      catalog.exec(`INSERT INTO restore_point (destination, device, backup_set, time, backup_id, files, bytes)
        SELECT destination, device, 'gone', '2020-01-02T00:00:00.000Z', 'gone', 1, 1 FROM restore_point LIMIT 1`);
      catalog.close();
      const lost = [{ path: 'gone 2020-01-02T00:00:00.000Z', reason: 'missing-run' }];
      expect(await workplace.json(['points', 'gone'], 3)).toEqual({ points: [], warnings: lost });
      expect(await workplace.json(['ls', 'gone'], 1)).toMatchObject({ warnings: lost });
    });

    test('ls says so in words', async () => {
      const { status, stderr } = await workplace.run('ls', 'documents');
      expect(status).toBe(3);
      expect(stderr).toMatch(/warning: documents 2020-01-01T00:00:00.000Z: .* no longer lists/);
    });

    test('is named also where another destination is read, which has all that it lists', async () => {
      await workplace.json(['destination', 'add', '--destination', workplace.path('near'), '--name', 'near']);
      await workplace.json(['backup', 'documents'], 3);
      expect(await workplace.json(['ls', 'documents'])).not.toHaveProperty('warnings');
      const catalog = openCatalogDatabase(join(workplace.home, 'catalog.sqlite'));
      catalog.exec(`INSERT INTO restore_point (destination, device, backup_set, time, backup_id, files, bytes)
        SELECT destination, device, backup_set, '2099-01-01T00:00:00.000Z', 'newest', 1, 1 FROM restore_point
        WHERE destination = (SELECT destination FROM restore_point WHERE backup_set = 'gone') LIMIT 1`);
      catalog.close();
      for (const words of [
        ['ls', 'documents'],
        ['verify', 'documents'],
      ])
        expect(await workplace.json(words, 3)).toMatchObject({
          warnings: expect.arrayContaining([
            { path: 'documents 2099-01-01T00:00:00.000Z', reason: 'missing-run' },
          ]) as unknown,
        });
    });
  });
});
