import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { isAppCurrent } from '../../../scripts/build/app.ts';
import { isBundleCurrent } from '../../../scripts/build/is-bundle-current.ts';
import { startPostgres } from '../postgres/server.ts';
import type { SharedResource } from './shared-resource.ts';

const DIST = join(import.meta.dirname, '../../../dist');

interface Started {
  /** The address that a test uses: a URL or a folder. */
  readonly address: string;
  readonly stop: () => Promise<void>;
}

const STARTERS: Readonly<Record<SharedResource, () => Promise<Started>>> = {
  postgres: async () => {
    const { url, stop } = await startPostgres();
    return { address: url, stop };
  },
  'window-page': () =>
    isAppCurrent(join(DIST, 'app'))
      ? Promise.resolve(existingPage('app/window'))
      : builtPage(async (folder) => (await import('../../../scripts/build/window-page.ts')).buildWindowPage(folder)),
  'portal-page': () =>
    isBundleCurrent()
      ? Promise.resolve(existingPage('portal'))
      : builtPage(async (folder) => (await import('../../../scripts/build/portal-page.ts')).buildPortalPage(folder)),
};

/**
 * Starts expensive resources once per test run, when the first test file requests them, and stops them at the end.
 * Test files run in their own processes, so they request it over HTTP.
 */
// oxlint-disable-next-line import/no-default-export -- vitest requires it
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const started = new Map<string, Promise<Started>>();
  const server = createServer((request, response) => {
    const name = (request.url ?? '').slice(1);
    if (!Object.hasOwn(STARTERS, name)) return void response.writeHead(404).end();
    const resource = started.get(name) ?? STARTERS[name as SharedResource]();
    started.set(name, resource);
    resource.then(
      ({ address }) => response.end(address),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  project.provide('sharedResources', `http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  return async () => {
    server.close();
    await Promise.allSettled(Array.from(started.values(), async (resource) => (await resource).stop()));
  };
}

/** A page that `npm test` has built for the programs. */
function existingPage(name: string): Started {
  return { address: join(DIST, name), stop: () => Promise.resolve() };
}

async function builtPage(build: (folder: string) => Promise<void>): Promise<Started> {
  const parent = await mkdtemp(join(tmpdir(), 'holdfast-built-page-'));
  const folder = join(parent, 'page');
  await build(folder);
  return { address: folder, stop: () => rm(parent, { recursive: true, force: true }) };
}
