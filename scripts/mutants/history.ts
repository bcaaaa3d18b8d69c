import type { Mutant } from './mutant.ts';

/** The history of files: what it says has to be what the trees say. */
export const HISTORY_MUTANTS: readonly Mutant[] = [
  {
    name: 'browsing without the destination shows another restore point than the one that was asked for',
    file: 'src/agent/operations/history/history-answers.ts',
    text: 'return point === time ? new PointTree(',
    replacement: 'return point > 0 ? new PointTree(',
    tests: ['test/system/agent/host/restores/away.test.ts'],
  },
  {
    name: 'a destination with another host key is merely away',
    file: 'src/agent/destination/is-away.ts',
    text: "return error.details.reason !== 'host-key';",
    replacement: 'return true;',
    tests: ['test/unit/agent/destination/is-away.test.ts'],
  },
  {
    name: 'the history says when restore points were made by a clock that was ahead',
    file: 'src/agent/operations/history/dated-span.ts',
    text: 'Math.min(time, ...late.flatMap((times) => times.get(time) ?? []))',
    replacement: 'Math.max(time, ...late.flatMap((times) => times.get(time) ?? []))',
    tests: ['test/system/cli/late-points.test.ts'],
  },
  {
    name: 'the history finds no restore point by when it was made',
    file: 'src/history/queries.ts',
    text: '(late.get(point) ?? point) <= time',
    replacement: 'point <= time',
    tests: ['test/system/cli/late-points.test.ts'],
  },
  {
    name: 'the history keeps restore points that the destination has removed',
    file: 'src/history/fill/fill-source.ts',
    text: 'if (byTime.get(time)?.backup_id !== backupId) history.removePoint(source, time);',
    replacement: 'if (time < 0) history.removePoint(source, time);',
    tests: ['test/system/e2e/history.test.ts'],
  },
  {
    name: 'a damaged tree is no damage for the history',
    file: 'src/history/fill/fill-point.ts',
    text: "state: 'damaged', problem: error.code",
    replacement: "state: 'known', problem: error.code",
    tests: ['test/system/e2e/history.test.ts'],
  },
  {
    name: 'a version does not end where a restore point lacks it',
    file: 'src/history/versions.ts',
    text: 'if (row.low !== before) this.#insert(source, { ...row, high: time });',
    replacement: 'this.#insert(source, { ...row, high: row.high });',
    tests: ['test/system/history/file-history.test.ts'],
  },
  {
    name: 'the versions around a removed restore point stay two',
    file: 'src/history/versions.ts',
    text: 'const index = later?.findIndex((other) => isSameContent(row, other)) ?? -1;',
    replacement: 'const index = -1;',
    tests: ['test/system/history/file-history.test.ts'],
  },
  {
    name: 'a damaged row of the history goes unnoticed',
    file: 'src/history/database.ts',
    text: "!== 'ok' || !areRowsSound(database)) return false;",
    replacement: "!== 'ok') return false;",
    tests: ['test/system/history/file-history.test.ts'],
  },
  {
    name: 'a history that is only read is used although it is of another version',
    file: 'src/history/database.ts',
    text: "if (Number(database.pragma('user_version', { simple: true })) === SCHEMA_VERSION) return database;",
    replacement: 'return database;',
    tests: ['test/system/history/file-history.test.ts'],
  },
  {
    name: 'a search examines any number of entries for one page',
    file: 'src/history/search/find.ts',
    text: 'examined += page.rows.length;',
    replacement: 'examined += 0;',
    tests: ['test/system/history/queries.test.ts'],
  },
  {
    name: 'a file counts as deleted although another destination has it',
    file: 'src/history/search/find.ts',
    text: '`NOT EXISTS (${version} AND high = ${END})`',
    replacement: '`EXISTS (${version})`',
    tests: ['test/system/history/queries.test.ts'],
  },
];
