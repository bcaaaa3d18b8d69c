import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EVENT_TYPES } from '../../../src/protocol/webhooks.ts';
import { addWebhook } from '../../../src/service/webhooks/add-webhook.ts';
import { OutboxStore } from './outbox-store.ts';

describe('addWebhook', () => {
  let store: OutboxStore;
  beforeEach(() => {
    store = new OutboxStore();
  });
  afterEach(() => store[Symbol.dispose]());

  const add = (changes: object = {}): ReturnType<typeof addWebhook> =>
    addWebhook(store.directory, { email: 'anna@example.com', url: 'https://r.example/x', events: [], ...changes });
  const endpoints = (): unknown[] => store.database.prepare('SELECT * FROM webhook_endpoint ORDER BY rowid').all();

  it('adds beside an open store, and events from then on are recorded for it', () => {
    store.emit(1);
    const added = add();
    expect(endpoints()).toMatchObject([
      {
        id: added.webhook_id,
        account_id: 'acc_1',
        url: 'https://r.example/x',
        events_json: '[]',
        secret: added.signing_secret,
        disabled_at: null,
      },
    ]);
    store.emit(2);
    expect(store.deliveries().map(({ endpoint_id }) => endpoint_id)).toEqual([added.webhook_id]);
  });

  it('subscribes to the events named, each once', () => {
    const other = add({ events: ['backup.failed', 'backup.completed', 'backup.failed'] });
    const wanted = add({ events: ['device.registered'] });
    expect(endpoints()).toMatchObject([
      { events_json: '["backup.failed","backup.completed"]' },
      { events_json: '["device.registered"]' },
    ]);
    store.emit(1);
    expect(store.deliveries().map(({ endpoint_id }) => endpoint_id)).toEqual([wanted.webhook_id]);
    expect(other.signing_secret).not.toBe(wanted.signing_secret);
  });

  it('takes every event type of the interface, and an e-mail in any case', () => {
    for (const event of EVENT_TYPES) add({ events: [event], email: 'ANNA@example.com' });
    expect(endpoints()).toHaveLength(13);
  });

  it.each([
    ['a URL that is none', { url: 'receiver' }, 'unprocessable'],
    ['a URL with credentials', { url: 'https://a:b@r.example/' }, 'unprocessable'],
    ['another scheme', { url: 'ftp://r.example/' }, 'unprocessable'],
    ['an unknown event', { events: ['backup.completed', 'backup.finished'] }, 'unprocessable'],
    ['an unknown e-mail', { email: 'nobody@example.com' }, 'not_found'],
  ])('refuses %s and changes nothing', (_name, changes, code) => {
    expect(() => add(changes)).toThrow(expect.objectContaining({ code }));
    expect(endpoints()).toEqual([]);
  });

  it('makes no store where there is none', () => {
    const empty = mkdtempSync(join(tmpdir(), 'holdfast-webhooks-'));
    try {
      const webhook = { email: 'anna@example.com', url: 'https://r.example/', events: [] };
      expect(() => addWebhook(empty, webhook)).toThrow(expect.objectContaining({ code: 'store_missing' }));
      expect(readdirSync(empty)).toEqual([]);
    } finally {
      rmSync(empty, { recursive: true });
    }
  });
});
