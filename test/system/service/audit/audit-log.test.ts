import { execFileSync } from 'node:child_process';
import { beforeEach, describe, expect, test } from 'vitest';
import type { AuditEntry } from '../../../../src/protocol/portal/audit.ts';
import { exportAudit } from '../../../../src/service/audit/audit-export.ts';
import { requireRole } from '../../../../src/service/auth/members.ts';
import type { NewAuditEntry } from '../../../../src/service/audit/audit-store.ts';
import { ErasureService } from '../erasure/erasure-service.ts';
import { BASE, chunk, file } from '../../../unit/service/harness.ts';

const HOUR = 3_600_000;
const LOG = '/auth/v1/audit';

let fixture: ErasureService;
let laptop: string;
let mia: string;
let aldo: string;
beforeEach(async () => {
  fixture = await ErasureService.open();
  mia = await fixture.join('mia@example.org', 'member');
  aldo = await fixture.join('aldo@example.org', 'auditor');
  laptop = (await fixture.addDevice('Büro 7', mia)).id;
  const now = (): number => fixture.now();
  await record({ kind: 'device.renamed', deviceId: laptop, userId: mia, occurredAt: now() - 3 * HOUR });
  const details = { backup_set: '=HYPERLINK("https://evil.test";"x")' };
  await record({ kind: 'retention.changed', deviceId: laptop, details, occurredAt: now() - 2 * HOUR });
  const url = 'https://hooks.example.org/services/SECRET';
  await record({ kind: 'webhook.added', userId: fixture.owner.id, details: { url }, occurredAt: now() - HOUR });
  const refused = { kind: 'sign_in.password_refused', address: '+1;cmd|calc', occurredAt: now() - HOUR } as const;
  await record({ ...refused, details: { name: 'line\r\nbreak, "quoted";=1+1' } });
});

function record(entry: Omit<NewAuditEntry, 'accountId'>): Promise<void> {
  return fixture.context.metadata.audit.record({ accountId: fixture.accountId, ...entry });
}

/** The right of a person to read the log, as it is now. */
const readerOf = (userId: string) => () => requireRole(fixture.context, { kind: 'user', userId } as never, 'auditor');

async function found(query: Readonly<Record<string, string>>, by = fixture.owner.id): Promise<readonly AuditEntry[]> {
  const token = await fixture.tokenOf(by);
  const { status, body } = await fixture.service.call('GET', `${LOG}?${new URLSearchParams(query).toString()}`, token);
  expect(status).toBe(200);
  return body.entries;
}

async function kindsFound(query: Readonly<Record<string, string>>, by?: string): Promise<readonly string[]> {
  return (await found(query, by)).map(({ kind }) => kind);
}

async function exported(format: string, query: Readonly<Record<string, string>> = {}, by = fixture.owner.id) {
  const headers = { authorization: `Bearer ${await fixture.tokenOf(by)}` };
  const parameters = new URLSearchParams({ format, ...query }).toString();
  const answer = await fixture.service.service.fetch(new Request(`${BASE}${LOG}/export?${parameters}`, { headers }));
  return { headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) };
}

describe('the audit log', () => {
  test('is filtered by kind, person, device, set and time', async () => {
    expect(await kindsFound({ device_id: laptop, kind: 'device' })).toEqual(['device.registered', 'device.renamed']);
    expect(await kindsFound({ kind: 'device.renamed,webhook' })).toEqual(['webhook.added', 'device.renamed']);
    expect(await kindsFound({ kind: 'nothing' })).toEqual([]);
    expect(await kindsFound({ user_id: mia, kind: 'device.renamed' })).toEqual(['device.renamed']);
    expect(await kindsFound({ backup_set: '=HYPERLINK("https://evil.test";"x")' })).toEqual(['retention.changed']);
    const from = new Date(fixture.now() - 2 * HOUR).toISOString();
    const to = new Date(fixture.now() - HOUR).toISOString();
    expect(await kindsFound({ from, to })).toEqual(['retention.changed']);
  });

  test('finds names of people and devices, addresses, kinds and details, in capitals or not', async () => {
    expect(await kindsFound({ search: 'BÜRO', kind: 'retention' })).toEqual(['retention.changed']);
    expect(await kindsFound({ search: 'MIA@', kind: 'device.renamed' })).toEqual(['device.renamed']);
    expect(await kindsFound({ search: '+1;CMD' })).toEqual(['sign_in.password_refused']);
    expect(await kindsFound({ search: 'password_refused' })).toEqual(['sign_in.password_refused']);
    expect(await kindsFound({ search: 'backup_set' })).toEqual([]);
  });

  test('lets auditors search for what they may read only', async () => {
    expect(await kindsFound({ search: 'secret' })).toContain('webhook.added');
    expect(await kindsFound({ search: 'secret' }, aldo)).toEqual([]);
    expect(await kindsFound({ search: 'hooks.example.org' }, aldo)).toEqual(['webhook.added']);
    expect((await exported('jsonl', {}, aldo)).bytes.toString()).not.toContain('SECRET');
  });

  test('leads to older entries until there are none', async () => {
    const token = await fixture.tokenOf(fixture.owner.id);
    const all = await found({ limit: '200', to: new Date(fixture.now()).toISOString() });
    const pages: AuditEntry[] = [];
    for (let next: string | null = ''; next !== null;) {
      const query = new URLSearchParams({ limit: '3', to: new Date(fixture.now()).toISOString() });
      if (next !== '') query.set('before', next);
      const { body } = await fixture.service.call('GET', `${LOG}?${query.toString()}`, token);
      pages.push(...body.entries);
      next = body.next;
    }
    expect(pages).toEqual(all);
  });

  test('says what was changed, and what it was before', async () => {
    const token = await fixture.tokenOf(fixture.owner.id);
    const change = async (method: string, path: string, body: object) => {
      const { status } = await fixture.service.call(method, path, token, body);
      expect([path, status < 300]).toEqual([path, true]);
    };
    const newest = async (kind: string) => (await found({ kind }))[0]!.details;
    await change('PATCH', `/rest/v1/devices/${laptop}`, { name: 'Office 7' });
    expect(await newest('device.renamed')).toEqual({ name: 'Office 7', previous_name: 'Büro 7' });
    await change('PATCH', `/auth/v1/members/${mia}`, { role: 'admin' });
    expect(await newest('member.role_changed')).toEqual({ member: mia, role: 'admin', previous_role: 'member' });
    await change('PATCH', `/auth/v1/members/${mia}`, { quota_bytes: 5 });
    expect(await newest('member.quota_changed')).toEqual({ member: mia, limit_bytes: '5' });
    await change('PATCH', `/auth/v1/members/${mia}`, { quota_bytes: null });
    expect(await newest('member.quota_changed')).toEqual({ member: mia, previous_limit_bytes: '5' });
  });

  test('says what a policy kept before', async () => {
    const device = await fixture.addDevice('Desk', mia);
    await fixture.backUp(device, 'Pictures', [file('/0', [chunk('0')])]);
    const token = await fixture.tokenOf(fixture.owner.id);
    for (const policy of [{ daily: 7 }, { daily: 3, yearly: 2 }, null]) {
      const body = { device_id: device.id, backup_set: 'Pictures', action: 'set', policy };
      expect((await fixture.service.post('/functions/v1/retention', token, body)).status).toBe(200);
    }
    const entries = (await found({ kind: 'retention.changed', backup_set: 'Pictures' })).map(({ details }) => details);
    expect(entries).toEqual([
      { backup_set: 'Pictures', previous_daily: '3', previous_yearly: '2' },
      { backup_set: 'Pictures', daily: '3', yearly: '2', previous_daily: '7' },
      { backup_set: 'Pictures', daily: '7' },
    ]);
  });

  test('shows auditors only the origin of what a webhook was, too', async () => {
    const details = { url: 'https://a.test/NEW', previous_url: 'https://b.test/OLD' };
    await record({ kind: 'webhook.changed', userId: fixture.owner.id, details, occurredAt: fixture.now() });
    expect((await found({ kind: 'webhook.changed' }, aldo))[0]!.details).toEqual({
      url: 'https://a.test',
      previous_url: 'https://b.test',
    });
    expect(await kindsFound({ search: 'OLD' }, aldo)).toEqual([]);
  });

  test('refuses queries that are none', async () => {
    const token = await fixture.tokenOf(fixture.owner.id);
    for (const query of ['from=yesterday', `search=${'x'.repeat(201)}`, 'limit=0', 'user_id=', 'backup_set=']) {
      expect([query, (await fixture.service.call('GET', `${LOG}?${query}`, token)).status]).toEqual([query, 400]);
    }
    expect((await fixture.service.call('GET', `${LOG}/export?format=xlsx`, token)).status).toBe(400);
  });
});

describe('an export of the audit log', () => {
  test('has the entries that match as JSON lines', async () => {
    const { headers, bytes } = await exported('jsonl', { device_id: laptop });
    expect(headers.get('content-disposition')).toBe('attachment; filename="audit.jsonl"');
    const lines = bytes.toString().trimEnd().split('\n');
    const listed = await found({ device_id: laptop });
    const people = new Map([[mia, 'mia@example.org']]);
    for (const [index, { user_id: user, ...entry }] of listed.entries()) {
      const line = JSON.parse(lines[index]!);
      const owner = { user_id: user, user_email: user === null ? null : people.get(user) };
      expect(line).toEqual({ ...entry, ...owner, device_name: 'Büro 7' });
    }
    expect(lines).toHaveLength(listed.length);
  });

  test('as CSV is read by Python, and contains no formula', async () => {
    const entries = await found({ limit: '200' });
    const { bytes } = await exported('csv');
    const script =
      'import csv,io,json,sys; print(json.dumps(list(csv.DictReader(io.StringIO(sys.stdin.buffer.read().decode("utf-8-sig"), newline="")))))';
    const rows = JSON.parse(execFileSync('python3', ['-c', script], { input: bytes, encoding: 'utf8' }));
    expect(rows.length).toBeGreaterThanOrEqual(entries.length);
    const cells: string[] = rows.flatMap((row: Record<string, string>) => Object.values(row));
    expect(cells.filter((cell) => /^\s*[=+\-@|%]/.test(cell))).toEqual([]);
    const refused = rows.find(({ kind }: { kind: string }) => kind === 'sign_in.password_refused');
    expect(refused).toMatchObject({
      address: "'+1;cmd|calc",
      details: JSON.stringify({ name: 'line\r\nbreak, "quoted";=1+1' }).replace(';', ";'"),
    });
  });

  test('says where it ends if there are more entries', async () => {
    const text: string[] = [];
    for await (const piece of exportAudit(fixture.context, readerOf(fixture.owner.id), { format: 'jsonl' }, 3))
      text.push(piece.toString());
    const kinds = text
      .join('')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).kind);
    expect([kinds.length, kinds.at(-1)]).toEqual([4, 'export.truncated']);
  });

  test('ends when the right to read it does', async () => {
    const { accountId, context } = fixture;
    for (let count = 0; count < 501; count += 1) await record({ kind: 'device.renamed', occurredAt: 1 });
    const pieces = exportAudit(context, readerOf(aldo), { format: 'jsonl' });
    expect((await pieces.next()).done).toBe(false);
    const audit = { accountId, kind: 'member.role_changed', occurredAt: fixture.now() } as const;
    await context.metadata.members.changeRole(accountId, aldo, 'member', audit);
    await expect(pieces.next()).rejects.toMatchObject({ code: 'permission_denied' });
  });
});
