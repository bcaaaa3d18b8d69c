import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import * as auth from '../../../src/protocol/auth.ts';
import * as backup from '../../../src/protocol/backup.ts';
import * as devices from '../../../src/protocol/devices.ts';
import * as extensions from '../../../src/protocol/extensions.ts';
import { problem } from '../../../src/protocol/problem.ts';
import * as restore from '../../../src/protocol/restore.ts';
import * as webhooks from '../../../src/protocol/webhooks.ts';

/** Written by hand from the interface's documentation, not from the schemas. */
const HASH = 'sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824';
const TIME = '2026-01-15T14:30:00Z';
const FILE = { path: '/home/anna/notes.txt', size: 5, modified: TIME, chunks: [{ hash: HASH, size: 5 }] };

interface Shape {
  readonly schema: z.ZodType;
  readonly example: Readonly<Record<string, unknown>>;
  /** Fields that may be missing. */
  readonly optional?: readonly string[];
  /** Values that a field must not have. */
  readonly wrong: Readonly<Record<string, readonly unknown[]>>;
}

const SHAPES: Readonly<Record<string, Shape>> = {
  'backup/init request': {
    schema: backup.backupInitRequest,
    example: { device_id: 'dev_1', backup_set: 'documents', files: [FILE] },
    wrong: {
      device_id: ['', 1, null],
      backup_set: ['', {}],
      files: [
        {},
        [{ ...FILE, path: 'relative' }],
        [{ ...FILE, size: -1 }],
        [{ ...FILE, size: 1.5 }],
        [{ ...FILE, modified: 'yesterday' }],
        [{ ...FILE, chunks: [HASH] }],
        [{ ...FILE, chunks: [{ hash: HASH.toUpperCase(), size: 5 }] }],
        [{ ...FILE, chunks: [{ hash: HASH, size: 0 }] }],
      ],
    },
  },
  'backup/init response': {
    schema: backup.backupInitResponse,
    example: { session_id: 's', chunks_needed: [{ hash: HASH, size: 5 }], chunks_deduped: 3, chunks_to_upload: 1 },
    wrong: { session_id: [''], chunks_needed: [[HASH], null], chunks_deduped: ['3', -1], chunks_to_upload: [0.5] },
  },
  'backup/presign request': {
    schema: backup.backupPresignRequest,
    example: { session_id: 's', chunk_hash: HASH, chunk_size: 33 },
    wrong: { session_id: [1], chunk_hash: ['md5:00', HASH.slice(7), `${HASH}0`], chunk_size: [0, -1, '33'] },
  },
  'backup/presign response': {
    schema: backup.backupPresignResponse,
    example: {
      upload_url: 'https://storage.example/bucket/key?signature=abc',
      expires_in: 900,
      method: 'PUT',
      headers: { 'Content-Type': 'application/octet-stream', 'Content-Length': '33' },
    },
    wrong: { upload_url: ['not an address'], expires_in: [0, '900'], method: [1], headers: [{ 'Content-Length': 33 }] },
  },
  'backup/progress request': {
    schema: backup.backupProgressRequest,
    example: { session_id: 's', chunks_uploaded: 100, chunks_total: 400, bytes_uploaded: 1048576 },
    wrong: { chunks_uploaded: [-1], chunks_total: ['400'], bytes_uploaded: [1.5] },
  },
  'backup/complete request': {
    schema: backup.backupCompleteRequest,
    example: {
      session_id: 's',
      stats: {
        files_processed: 1,
        chunks_new: 1,
        chunks_deduped: 0,
        bytes_scanned: 5,
        bytes_uploaded: 33,
        duration_seconds: 2,
      },
    },
    wrong: { session_id: [undefined], stats: [{}, null, { files_processed: 1 }] },
  },
  'backup run': {
    schema: backup.backupRun,
    example: {
      backup_id: 'bkp_1',
      status: 'completed',
      restore_point: TIME,
      storage_used_bytes: 1234,
      dedup_savings_percent: 73.4,
    },
    wrong: { backup_id: [''], restore_point: ['now'], storage_used_bytes: [-1], dedup_savings_percent: ['73'] },
  },
  'restore/manifest request': {
    schema: restore.restoreManifestRequest,
    example: { device_id: 'd', backup_set: 'documents', point_in_time: TIME, path: '/home', recursive: true },
    wrong: { point_in_time: ['latest'], path: [null], recursive: ['true', 1] },
  },
  'restore/manifest response': {
    schema: restore.restoreManifestResponse,
    example: {
      restore_session_id: 'r',
      point_in_time: TIME,
      files: [{ ...FILE, chunks: [HASH] }],
      total_files: 1,
      total_chunks: 1,
      unique_chunks: 1,
      total_bytes: 5,
    },
    wrong: { restore_session_id: [''], files: [[FILE]], total_files: [-1], total_bytes: ['5'] },
  },
  'restore/presign request': {
    schema: restore.restorePresignRequest,
    example: { restore_session_id: 'r', chunk_hashes: [HASH] },
    wrong: { chunk_hashes: [HASH, [1], ['sha256:']] },
  },
  'restore/presign response': {
    schema: restore.restorePresignResponse,
    example: { downloads: [{ hash: HASH, url: 'https://storage.example/k?s=1', size: 33, expires_in: 900 }] },
    wrong: { downloads: [{}, [{ hash: HASH }], [{ hash: HASH, url: '', size: 33, expires_in: 900 }]] },
  },
  'password grant': {
    schema: auth.passwordGrantRequest,
    example: { email: 'anna@example.com', password: 'correct horse' },
    wrong: { email: ['', 1], password: ['', null] },
  },
  'MFA challenge': {
    schema: auth.mfaChallenge,
    example: {
      mfa_required: true,
      mfa_token: 'temporary',
      factors: [{ id: 'f', type: 'totp', friendly_name: 'Phone' }],
    },
    wrong: { mfa_required: ['true'], mfa_token: [''], factors: [{}, [{ id: '' }]] },
  },
  'factor verify': { schema: auth.factorVerifyRequest, example: { code: '123456' }, wrong: { code: [123456, ''] } },
  'user session': {
    schema: auth.userSession,
    example: {
      access_token: 'a',
      refresh_token: 'r',
      token_type: 'bearer',
      expires_in: 3600,
      user: { id: 'u', email: 'anna@example.com', role: 'owner' },
    },
    wrong: { access_token: [''], refresh_token: [null], expires_in: ['3600'], user: [{ id: 'u' }] },
  },
  'refresh grant': {
    schema: auth.refreshGrantRequest,
    example: { refresh_token: 'r' },
    wrong: { refresh_token: [''] },
  },
  'refreshed session': {
    schema: auth.refreshedSession,
    example: { access_token: 'a', refresh_token: 'r2', expires_in: 3600 },
    wrong: { refresh_token: [undefined], expires_in: [-1] },
  },
  'device authentication request': {
    schema: auth.deviceAuthRequest,
    example: { device_key: 'k', device_id: 'd', signature: 't=1,v1=00' },
    wrong: { device_key: [''], device_id: [1], signature: [null] },
  },
  'device authentication response': {
    schema: auth.deviceSession,
    example: {
      access_token: 'a',
      expires_in: 3600,
      device: { id: 'd', name: 'Laptop', permissions: ['backup', 'restore', 'status'] },
    },
    wrong: { device: [{ id: 'd', name: 'Laptop' }, null], expires_in: [0] },
  },
  'device list': {
    schema: devices.deviceList,
    example: {
      devices: [
        { id: 'd', name: 'Laptop', os: 'linux', agent_version: '0.1.0', last_backup: TIME, status: 'healthy' },
        { id: 'e', name: 'New', os: 'macos', agent_version: '0.1.0', last_backup: null, status: 'healthy' },
        { id: 'f', name: 'Seen', os: 'macos', agent_version: '0.1.0', last_seen: TIME, status: 'healthy' },
      ],
    },
    wrong: { devices: [{}, [{ id: 'd' }]] },
  },
  'webhook body': {
    schema: webhooks.webhookBody,
    example: { event: 'backup.completed', timestamp: TIME, delivery_id: 'w', account_id: 'a', data: { any: 1 } },
    wrong: { event: ['backup.exploded'], timestamp: ['12:00'], data: [[], 'x'] },
  },
  'data of backup.completed': {
    schema: webhooks.backupCompletedData,
    example: {
      backup_id: 'b',
      device_id: 'd',
      device_name: 'Laptop',
      backup_set: 'documents',
      status: 'completed',
      start_time: TIME,
      end_time: TIME,
      files_processed: 12,
      bytes_uploaded: 3456,
      dedup_savings_percent: 73.4,
    },
    wrong: { files_processed: ['12'], start_time: [0], dedup_savings_percent: ['73.4'] },
  },
  problem: {
    schema: problem,
    example: { type: 'about:blank', title: 'Conflict', status: 409, code: 'chunks_missing', missing_chunks: [HASH] },
    optional: ['type', 'missing_chunks'],
    wrong: { status: ['409'], missing_chunks: [['x']] },
  },
  'batch presign request': {
    schema: extensions.backupPresignBatchRequest,
    example: { session_id: 's', chunks: [{ chunk_hash: HASH, chunk_size: 33 }] },
    wrong: {
      chunks: [[], [{ chunk_hash: HASH }], Array.from({ length: 1001 }, () => ({ chunk_hash: HASH, chunk_size: 33 }))],
    },
  },
  'restore point list': {
    schema: extensions.restorePointList,
    example: { restore_points: [{ restore_point: TIME, backup_id: 'b', files: 3, bytes: 9 }] },
    wrong: { restore_points: [{}, [{ restore_point: TIME }]] },
  },
  'device registration': {
    schema: extensions.registerDeviceRequest,
    example: { name: 'Laptop', os: 'linux', agent_version: '0.1.0' },
    wrong: { name: ['', 'x'.repeat(201)], os: [null] },
  },
};

describe.each(Object.entries(SHAPES))('%s', (_name, { schema, example, optional = [], wrong }) => {
  test("parses the interface's example", () => {
    expect(schema.parse(example)).toEqual(example);
  });

  test('ignores unknown fields', () => {
    expect(schema.parse({ ...example, from_the_future: { deep: [1] } })).toEqual(example);
  });

  test.each(Object.keys(example))('needs %s, unless it may be missing', (field) => {
    const { [field]: _, ...rest } = example;
    expect(schema.safeParse(rest).success).toBe(optional.includes(field));
  });

  const cases = Object.entries(wrong).flatMap(([field, values]) => values.map((value) => [field, value] as const));
  test.each(cases)('refuses %s = %j', (field, value) => {
    expect(schema.safeParse({ ...example, [field]: value }).success).toBe(false);
  });
});

describe('a device signature', () => {
  test('is formatted and parsed in the documented format', () => {
    const hex = 'ab'.repeat(32);
    expect(auth.formatDeviceSignature(1700000000, hex)).toBe(`t=1700000000,v1=${hex}`);
    expect(auth.parseDeviceSignature(`t=1700000000,v1=${hex}`)).toEqual({ time: 1700000000, hexHmac: hex });
    expect(auth.deviceSignatureMessage(1700000000, 'dev_1')).toBe('1700000000.dev_1');
  });

  test.each([
    '',
    't=1',
    't=1,v1=xyz',
    `t=,v1=${'a'.repeat(64)}`,
    `t=-1,v1=${'a'.repeat(64)}`,
    `t=1,v1=${'A'.repeat(64)}`,
    ` t=1,v1=${'a'.repeat(64)}`,
  ])('of another form (%j) is none', (text) => {
    expect(auth.parseDeviceSignature(text)).toBeUndefined();
  });
});
