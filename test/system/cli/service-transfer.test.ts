import { statSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createAccount } from '../e2e/server.ts';
import { Workplace } from '../e2e/workplace.ts';
import { postgresDatabase } from '../../helpers/postgres/postgres.ts';

describe('service export and import', () => {
  let workplace: Workplace;
  beforeEach(() => {
    workplace = new Workplace();
  });
  afterEach(() => workplace[Symbol.dispose]());

  test('move a service from SQLite to PostgreSQL and back, and report what is impossible', async () => {
    const data = workplace.path('data');
    await createAccount(workplace, data, 'anna@example.org');
    const [file, back] = [workplace.path('export'), workplace.path('back')];
    const database = await postgresDatabase();
    const report = { tables: expect.any(Number), rows: expect.any(Number) };
    expect(await workplace.json(['service', 'export', '--data', data, '--to', file])).toEqual({ file, ...report });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const intoPostgres = ['service', 'import', '--data', data, '--database', database, '--from', file];
    expect(await workplace.json(intoPostgres)).toEqual(report);
    expect(await workplace.json(intoPostgres, 2)).toMatchObject({
      error: { message: expect.stringMatching(/empty one/) },
    });
    await workplace.json(['service', 'export', '--data', data, '--database', database, '--to', back]);
    expect(await workplace.json(['service', 'import', '--data', workplace.path('new'), '--from', back])).toEqual(
      report,
    );

    const nowhere = ['service', 'import', '--data', workplace.path('other'), '--from', workplace.path('nothing')];
    expect(await workplace.json(nowhere, 2)).toMatchObject({ error: { message: expect.stringMatching(/ENOENT/) } });
    writeFileSync(workplace.path('wrong'), 'no export');
    const wrong = await workplace.run(
      'service',
      'import',
      '--data',
      workplace.path('x'),
      '--from',
      workplace.path('wrong'),
    );
    expect(wrong).toMatchObject({ status: 2, stdout: '', stderr: expect.stringMatching(/export cannot be used/) });
    const none = await workplace.run(
      'service',
      'export',
      '--data',
      workplace.path('none'),
      '--to',
      workplace.path('y'),
    );
    expect(none).toMatchObject({ status: 2, stderr: expect.stringMatching(/holds no service yet/) });
  });
});
