import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ODDITIES } from './oddities/index.ts';
import type { OddityRow } from './oddities/oddity-row.ts';
import { WELL, World } from './world.ts';

/*
 * The program with a service that was written from the interface alone (test/helpers/strict-service), and differs in one thing at a time from
 * what Holdfast's own service does. docs/conformance.md has the table.
 */

const rows = ODDITIES.flatMap((part) => part.rows);

/** A backup and a restore; or what the row does. */
async function run(world: World, row: OddityRow): Promise<void> {
  const { service } = world;
  service.behave(row.odd());
  world.change();
  if (row.journey) await row.journey(world);
  else {
    expect(await world.backUp()).toEqual({ ...WELL, ...row.backup });
    expect(await world.restore()).toEqual({ ...WELL, ...row.restore });
    world.expectRestored(row.missing);
  }
  const { noted = [] } = row;
  expect(service.departures.filter((line) => !noted.some((beginning) => line.startsWith(beginning)))).toEqual([]);
}

describe('a service that', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start();
    await world.setUpAsDevice();
  });
  afterAll(() => world[Symbol.asyncDispose]());

  test.each(rows.filter(({ own }) => !own).map((row) => [`${row.name}: ${row.service}`, row] as const))(
    '%s',
    async (_, row) => {
      world.service.forgetPast();
      try {
        await run(world, row);
      } finally {
        world.service.behave({});
      }
    },
  );

  test.each(rows.flatMap((row) => (row.own ? [[`${row.name}: ${row.service}`, row, row.own] as const] : [])))(
    '%s',
    async (_, row, { signIn, options }) => {
      await using own = await World.start(options);
      own.service.behave(row.odd());
      await (signIn === 'device' ? own.setUpAsDevice() : own.setUpAsPerson());
      await run(own, row);
    },
  );
});

describe('the table of oddities', () => {
  test('has at least 72, each with a name of its own', () => {
    expect(rows.length).toBeGreaterThanOrEqual(72);
    expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length);
  });

  test('is that of docs/conformance.md', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../../docs/conformance.md'), 'utf8');
    const rowOf = (row: OddityRow): string => `| \`${row.name}\` | ${row.service} | ${row.interface} | ${row.agent} |`;
    const head = '| Name | The service … | The interface | The agent … |\n|---|---|---|---|';
    const tables = ODDITIES.map(({ title, rows: of }) => `**${title}**\n\n${head}\n${of.map(rowOf).join('\n')}\n`);
    expect(page).toContain(tables.join('\n'));
  });
});
