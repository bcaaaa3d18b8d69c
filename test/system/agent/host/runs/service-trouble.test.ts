import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { agentOf } from '../../../../../src/agent/agent.ts';
import { performInThread } from '../../../../../src/agent/host/runs/perform-in-thread.ts';
import { setupHandlers } from '../../../../../src/agent/host/setup/setup-handlers.ts';
import type { Progress } from '../../../../../src/jobs/progress.ts';
import { setupMethods } from '../../../../../src/ipc/contract/setup.ts';
import { HandlerFixture } from '../../../../unit/agent/host/handler-fixture.ts';
import { ANNA, HttpService } from '../http-service.ts';

let fixture: HandlerFixture;
let service: HttpService;
beforeEach(async () => {
  fixture = new HandlerFixture();
  service = await HttpService.open();
  const setup = fixture.ask(setupMethods, setupHandlers(fixture.host()));
  const step = await setup('setup.sign-in', { url: service.url, ...ANNA });
  const factor = step.kind === 'factors' ? step.factors[0]!.id : '';
  await setup('setup.verify-factor', { factor, code: service.code() });
  await setup('setup.finish', { choice: { kind: 'service', url: service.url }, deviceName: 'laptop' });
  service.setBack();
  fixture.write('docs/letter');
  const paths = [fixture.path('docs')];
  await fixture.agent.addSet({
    form: { name: 'docs', roots: paths, excludes: [], oneFileSystem: false, privateNames: false },
  });
});
afterEach(async () => {
  fixture.close();
  await service.close();
});

/** Runs something while the service is unreachable, until the run reports that it waits. */
async function whileAway(
  run: (options: { onProgress: (progress: Progress) => void }) => Promise<unknown>,
): Promise<readonly (string | undefined)[]> {
  const reasons: (string | undefined)[] = [];
  service.goAway();
  await run({
    onProgress: ({ waiting }) => {
      if (reasons.at(-1) !== waiting || reasons.length === 0) reasons.push(waiting);
      if (waiting !== undefined) service.comeBack();
    },
  });
  return reasons;
}

test('a backup reports that it waits when the service is unreachable at its start', async () => {
  expect(await whileAway((options) => fixture.agent.backup({ set: 'docs' }, options))).toEqual([
    'service_unreachable',
    undefined,
  ]);
});

test('a restore and a verification report it, too', async () => {
  await fixture.agent.backup({ set: 'docs' }, {});
  const source = { set: 'docs', at: 'latest' } as const;
  const restore = { ...source, paths: [], to: fixture.path('back') };
  expect(await whileAway((options) => fixture.agent.restore(restore, options))).toEqual([
    'service_unreachable',
    undefined,
  ]);
  const verify = { ...source, samplePercent: 100 };
  expect(await whileAway((options) => fixture.agent.verify(verify, options))).toEqual([
    'service_unreachable',
    undefined,
  ]);
});

test('finds the newest restore point when this computer’s clock is behind the service’s', async () => {
  await fixture.agent.backup({ set: 'docs' }, {});
  service.advance(2 * 3_600_000);
  fixture.write('docs/letter', 'rewritten');
  await fixture.agent.backup({ set: 'docs' }, {});
  await fixture.agent.restore({ set: 'docs', at: 'latest', paths: [], to: fixture.path('back') }, {});
  expect(readFileSync(fixture.path('back/docs/letter'), 'utf8')).toBe('rewritten');
});

test('a limit that is lifted while a run works in a thread applies to it', async () => {
  const agent = agentOf(fixture.parts, performInThread);
  let asked = 0;
  // With one byte per second the run would take hours.
  const limitUpload = (): number | undefined => ((asked += 1) === 1 ? 1 : undefined);
  const { warnings } = await agent.backup({ set: 'docs', limitUpload }, {});
  expect(warnings).toEqual([]);
  expect(asked).toBeGreaterThan(1);
});
