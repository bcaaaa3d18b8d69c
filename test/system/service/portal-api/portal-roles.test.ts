import { beforeEach, expect, test } from 'vitest';
import { join, open, PortalBrowser, setUp } from '../../../app/portal/portal-browser.ts';
import type { PortalService } from '../../../app/portal/portal-service.ts';

/*
 * Every request of the portal by every role; test/system/service/credentials has those of the interface. Each is meant to succeed for
 * an owner.
 */

const ROLES = ['owner', 'admin', 'member', 'auditor', 'nobody'] as const;
type Role = (typeof ROLES)[number];
type Statuses = readonly [owner: number, admin: number, member: number, auditor: number, nobody: number];

const ANYBODY: Statuses = [200, 200, 200, 200, 401];
const MANAGERS: Statuses = [200, 200, 403, 403, 401];
const OVERSEERS: Statuses = [200, 200, 403, 200, 401];

let service: PortalService;
let browsers: Readonly<Record<Role, PortalBrowser>>;
let device: string;

beforeEach(async () => {
  const opened = await open();
  ({ service } = opened);
  const { browser: owner } = opened;
  await setUp(opened);
  device = await service.addDevice('Laptop', 'linux');
  browsers = {
    owner,
    admin: await join(service, owner, 'adam@example.org', 'admin'),
    member: await join(service, owner, 'mia@example.org', 'member'),
    auditor: await join(service, owner, 'aldo@example.org', 'auditor'),
    nobody: new PortalBrowser(service),
  };
});

async function webhook(): Promise<string> {
  const target = { url: 'https://hooks.example.org/a', events: ['backup.failed'] };
  return (await browsers.owner.ask('POST', '/portal/v1/webhooks', target)).body.webhook_id as string;
}

/** Statuses in the order of `ROLES`, and the path if it is not the pattern. */
const TABLE: Readonly<Record<string, readonly [Statuses, ((() => Promise<string>) | undefined)?, object?]>> = {
  'GET /portal/v1/attention': [ANYBODY],
  'GET /portal/v1/members': [OVERSEERS],
  'GET /portal/v1/devices': [ANYBODY],
  'GET /portal/v1/devices/:device_id': [ANYBODY, async () => `/portal/v1/devices/${device}`],
  'GET /portal/v1/backup-sets': [ANYBODY],
  'GET /portal/v1/usage': [ANYBODY],
  'GET /portal/v1/plan': [ANYBODY],
  'PUT /portal/v1/plan': [MANAGERS, undefined, { name: 'Team', limit_bytes: null }],
  'POST /portal/v1/plan/payments': [MANAGERS, undefined, { kind: 'received' }],
  'GET /portal/v1/webhooks': [MANAGERS],
  'POST /portal/v1/webhooks': [MANAGERS, undefined, { url: 'https://hooks.example.org/b', events: [] }],
  'PATCH /portal/v1/webhooks/:webhook_id': [
    MANAGERS,
    async () => `/portal/v1/webhooks/${await webhook()}`,
    { enabled: false },
  ],
  'DELETE /portal/v1/webhooks/:webhook_id': [MANAGERS, async () => `/portal/v1/webhooks/${await webhook()}`],
  'POST /portal/v1/webhooks/:webhook_id/secret': [
    MANAGERS,
    async () => `/portal/v1/webhooks/${await webhook()}/secret`,
  ],
  'GET /portal/v1/webhooks/:webhook_id/deliveries': [
    MANAGERS,
    async () => `/portal/v1/webhooks/${await webhook()}/deliveries`,
  ],
  'POST /portal/v1/webhooks/:webhook_id/test': [MANAGERS, async () => `/portal/v1/webhooks/${await webhook()}/test`],
  'POST /portal/v1/webhooks/:webhook_id/replay': [
    MANAGERS,
    async () => `/portal/v1/webhooks/${await webhook()}/replay`,
    { from: '2026-01-01T00:00:00.000Z', to: '2026-01-02T00:00:00.000Z', only_given_up: false },
  ],
  // The webhook has no such delivery.
  'POST /portal/v1/webhooks/:webhook_id/deliveries/:delivery_id/resend': [
    [404, 404, 403, 403, 401],
    async () => `/portal/v1/webhooks/${await webhook()}/deliveries/dlv_none/resend`,
  ],
  // The last row, since it ends the sign-ins.
  'POST /portal/v1/sign-out': [ANYBODY],
};

/** Before signing in: without credentials of their own, or with those in the body. */
const ENTRANCE = /^\/portal\/v1\/(state|set-up|sign-in|verify|enrol|join|recover|reset|provider|passkey-options|api\/)/;

test('the table has each request of the portal', () => {
  const requests = service.service.routes
    .filter(({ path }) => path.startsWith('/portal/') && !ENTRANCE.test(path))
    .flatMap(({ path, methods }) => Object.keys(methods).map((method) => `${method} ${path}`));
  expect(Object.keys(TABLE).toSorted()).toEqual(requests.toSorted());
});

test('every request of the portal returns the expected status for each role', { timeout: 120_000 }, async () => {
  for (const [name, [statuses, pathOf, body]] of Object.entries(TABLE)) {
    const [method, pattern] = name.split(' ') as [string, string];
    const answered: number[] = [];
    for (const role of ROLES) {
      const path = pathOf ? await pathOf() : pattern;
      answered.push((await browsers[role].ask(method, path, body)).status);
    }
    expect.soft({ name, answered }).toEqual({ name, answered: [...statuses] });
  }
});
