import { copyFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { unknownRuns } from '../../../../../src/agent/operations/backup/unknown-runs.ts';
import { openContext } from '../../../../../src/agent/context/open-context.ts';
import type { OperationContext } from '../../../../../src/agent/context/operation-context.ts';
import { HoldfastError } from '../../../../../src/base/errors/errors.ts';
import { openCatalogDatabase } from '../../../../../src/catalog/database.ts';
import type { RunWarning } from '../../../../../src/jobs/run-warning.ts';
import { readTreeFooter } from '../../../../../src/read/source/tree.ts';
import type { VerifiedFooter } from '../../../../../src/format/tree/record.ts';
import type { ServiceClient } from '../../../../../src/remote/ports.ts';
import type { RestorePoint } from '../../../../../src/protocol/extensions.ts';
import { retentionPolicy, type RetentionAnswer, type RetentionPolicy } from '../../../../../src/protocol/retention.ts';
import { HandlerFixture } from '../../../../unit/agent/host/handler-fixture.ts';
import { keepThreads } from '../../../../helpers/kept-threads.ts';

keepThreads();

let fixture: HandlerFixture;
let runs = 0;

beforeEach(async () => {
  fixture = new HandlerFixture();
  await fixture.agent.setup({
    destination: { kind: 'folder', directory: fixture.path('backups') },
    deviceName: 'laptop',
  });
  fixture.write('docs/a');
  const roots = [fixture.path('docs')];
  await fixture.agent.addSet({
    form: { name: 'docs', roots, excludes: [], oneFileSystem: false, privateNames: false },
  });
  await backup();
  await backup();
});
afterEach(() => fixture.close());

async function backup(): Promise<readonly RunWarning[]> {
  runs += 1;
  fixture.write('docs/a', `version ${runs}`);
  fixture.advance(600_000);
  return (await fixture.agent.backup({ set: 'docs' }, {})).warnings;
}

/** Lets this computer forget the newest restore point, as after a crash before the answer of its run arrived. */
function forgetNewest(): void {
  const database = openCatalogDatabase(fixture.home.catalogFile);
  database.exec('DELETE FROM restore_point WHERE time = (SELECT max(time) FROM restore_point)');
  database.close();
}

/** Checks a destination whose service is changed. */
async function checked(
  change: (service: ServiceClient, points: readonly RestorePoint[]) => Partial<ServiceClient>,
  retention?: () => Promise<RetentionAnswer>,
): Promise<readonly RunWarning[]> {
  await using context = await openContext(fixture.parts, { job: 'test' });
  const { service } = context.access;
  const points = await service.restorePoints(context.settings.deviceId, 'docs');
  const bound = new Proxy(service, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  const changed = Object.assign(Object.create(bound) as ServiceClient, change(service, points!));
  const with_ = {
    ...context,
    access: { ...context.access, service: changed, ...(retention && { retention }) },
  } as OperationContext;
  return await unknownRuns(with_, { set: 'docs', clock: fixture.parts.clock, signal: undefined });
}

async function newestFooter(): Promise<VerifiedFooter> {
  await using context = await openContext(fixture.parts, { job: 'test' });
  const { access, catalog, keys, settings } = context;
  const { service, downloader } = access;
  const source = { deviceId: settings.deviceId, backupSet: 'docs', at: 'latest' } as const;
  const newest = await readTreeFooter(source, { service, downloader, catalog, keys, clock: fixture.parts.clock });
  return newest!.footer;
}

const LATER = '2100-01-01T00:00:00.000Z';
const forged = { restore_point: LATER, backup_id: 'f'.repeat(32), files: 0, bytes: 0 };

describe('a run of the own set that this computer did not make', () => {
  test('is reported without a tree', async () => {
    const warnings = await checked((service, points) => ({
      restorePoints: async () => [forged, ...points],
      restoreManifest: async (request, _onFiles, signal) => ({
        ...(await service.restoreManifest(request, () => undefined, signal)),
        point_in_time: LATER,
      }),
    }));
    expect(warnings).toEqual([{ path: `docs ${LATER}`, reason: 'unknown-run' }]);
  });

  test('is reported where a service answers with the restore point before it', async () => {
    const between = (points: readonly RestorePoint[]): RestorePoint => ({
      ...forged,
      restore_point: new Date(Date.parse(points[0]!.restore_point) + 1).toISOString(),
    });
    const [warning] = await checked((_service, points) => ({
      restorePoints: async () => [between(points), ...points],
    }));
    expect(warning).toMatchObject({ reason: 'unknown-run' });
  });

  test('is reported with the tree of an earlier run', async () => {
    const warnings = await checked((service, points) => ({
      restorePoints: async () => [forged, ...points],
      restoreManifest: async (request, onFiles, signal) => ({
        ...(await service.restoreManifest(
          { ...request, point_in_time: points.at(-1)!.restore_point },
          onFiles,
          signal,
        )),
        point_in_time: LATER,
      }),
    }));
    expect(warnings).toEqual([{ path: `docs ${LATER}`, reason: 'unknown-run' }]);
  });

  test('is continued by the next one when a power cut took what the computer had stored of it', async () => {
    const file = fixture.home.catalogFile;
    copyFileSync(file, `${file}-before`);
    await backup();
    const { treeHash } = await newestFooter();
    copyFileSync(`${file}-before`, file);
    expect(await backup()).toEqual([]);
    expect(await newestFooter()).toMatchObject({ sequence: 4, previousTree: treeHash });
  });

  test('is not reported if its answer was lost', async () => {
    forgetNewest();
    expect(await backup()).toEqual([]);
    // It is known now.
    expect(await checked(() => ({ restoreManifest: () => Promise.reject(new Error('nothing is read')) }))).toEqual([]);
  });

  test('is not reported if it made all of them', async () => {
    expect(await checked(() => ({}))).toEqual([]);
    expect(await backup()).toEqual([]);
  });
});

describe('a restore point that this computer made', () => {
  const shown = async (policy: RetentionPolicy | null) => ({ state: { policy } }) as unknown as RetentionAnswer;
  /** A service, which lists what it wants to. */
  const listing =
    (change: (points: readonly RestorePoint[]) => readonly RestorePoint[]) => (given: RetentionPolicy | null) =>
      checked(
        (_service, points) => ({ manifests: 'compare', restorePoints: async () => change(points) }),
        () => shown(given),
      );
  const policy = retentionPolicy.parse({ yearly: 1 });

  test('is reported once if a service no longer lists it', async () => {
    await backup();
    const hidden = listing((points) => [points[0]!, ...points.slice(2)]);
    expect(await hidden(null)).toEqual([{ path: expect.stringMatching(/^docs 20/) as string, reason: 'missing-run' }]);
    expect(await hidden(null)).toEqual([]);
  });

  test('is reported if a service does not know the set any more', async () => {
    const unknown = new HoldfastError('service_error', { status: 404 });
    const lost = checked(
      () => ({ manifests: 'compare', restorePoints: () => Promise.reject(unknown) }),
      () => Promise.reject(unknown),
    );
    expect(await lost).toEqual([{ path: expect.stringMatching(/^docs 20/) as string, reason: 'missing-run' }]);
  });

  test('may have been removed by the policy, unless the policy keeps it', async () => {
    await backup();
    const hidden = listing((points) => [points[0]!, ...points.slice(2)]);
    expect(await hidden(policy)).toEqual([]);
    await backup();
    expect(await hidden(retentionPolicy.parse({ keep_all_days: 1 }))).toEqual([
      expect.objectContaining({ reason: 'missing-run' }),
    ]);
    expect(await listing((points) => points.slice(1))(policy)).toEqual([
      expect.objectContaining({ reason: 'missing-run' }),
    ]);
  });

  test('is not reported if this computer removed it', async () => {
    const [, older] = await fixture.agent.points({ set: 'docs' });
    await fixture.agent.retention({ set: 'docs', action: 'remove', restorePoint: older!.restore_point });
    expect(await listing((points) => points)(null)).toEqual([]);
  });

  test('is reported if a service states another time for it', async () => {
    const [newest] = await fixture.agent.points({ set: 'docs' });
    const warnings = await listing(([first, ...rest]) => [{ ...first!, restore_point: LATER }, ...rest])(null);
    expect(warnings).toEqual([{ path: `docs ${newest!.restore_point}`, reason: 'moved-run' }]);
  });

  test('is not reported if a service lists none', async () => {
    const refused = (): Promise<never> => Promise.reject(new Error('nothing is asked'));
    const none = () => ({ manifests: 'compare' as const, restorePoints: async () => undefined });
    expect(await checked(none, refused)).toEqual([]);
  });
});
