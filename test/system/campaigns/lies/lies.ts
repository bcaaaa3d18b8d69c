import { ENDPOINTS } from '../../../../src/protocol/endpoints.ts';
import { RETENTION_ENDPOINT } from '../../../../src/protocol/retention.ts';
import type { HttpRequest, HttpResponse } from '../../../../src/remote/http/http-client.ts';
import { answer, endless, isBlobCall, isCallOf, json, text, type Tell } from './lying-http.ts';

/** What a service answers instead of the truth. */
export interface Lie {
  readonly name: string;
  readonly during: 'restore' | 'backup' | 'listing' | 'retention';
  /** True if it is about a call that only a service with extensions has. */
  readonly isOfExtension?: true;
  /** The call that is answered wrongly. */
  readonly tell: Tell;
  /** False if nothing follows from it, or the interface lets a service say so. */
  readonly isNoticeable: boolean;
}

/** Why nobody has to notice a lie: nothing follows from it, or the interface lets a service say so. */
type Harmless = string;

/** JSON of any form. */
// oxlint-disable-next-line typescript/no-explicit-any -- lies are about fields that answers do not have
type Body = any;

const HASH = `sha256:${'ab'.repeat(32)}`;
const MANY_HASHES = `"${HASH}",`.repeat(50_000);
const LONG = 'x'.repeat(2 * 2 ** 20);
const PRIVATE = 'http://169.254.169.254/latest/meta-data';

/** Changes the body of one call's answer. */
function changing(endpoint: string, change: (body: Body, request: Body) => Body): Tell {
  return async (request, send) => {
    const response = await send(request);
    if (!isCallOf(request, endpoint) || response.status !== 200) return response;
    const body = JSON.parse(Buffer.from(await response.bytes()).toString());
    const asked = typeof request.body === 'string' ? JSON.parse(request.body) : undefined;
    const changed = change(body, asked);
    return typeof changed === 'string' ? text(changed) : json(changed);
  };
}

/** Answers one call without asking the service. */
function answering(endpoint: string, answerOf: (request: HttpRequest) => HttpResponse): Tell {
  return async (request, send) => (isCallOf(request, endpoint) ? answerOf(request) : await send(request));
}

/** Sends another request in the place of one call's. */
function asking(endpoint: string, change: (asked: Body) => Body, then: (body: Body, asked: Body) => Body): Tell {
  return async (request, send) => {
    if (!isCallOf(request, endpoint) || typeof request.body !== 'string') return await send(request);
    const asked = JSON.parse(request.body);
    const changed = JSON.stringify(change(asked));
    const headers = { ...request.headers, 'content-length': String(Buffer.byteLength(changed)) };
    const response = await send({ ...request, headers, body: changed });
    if (response.status !== 200) return response;
    return json(then(JSON.parse(Buffer.from(await response.bytes()).toString()), asked));
  };
}

/** Changes the files of a manifest, and its totals with them. */
function files(change: (files: Body[]) => Body[]): Tell {
  return changing(ENDPOINTS.restoreManifest, (body) => withTotals({ ...body, files: change(body.files) }));
}

function withTotals(body: Body): Body {
  const hashes = (body.files as Body[]).flatMap((file) => (Array.isArray(file?.chunks) ? file.chunks : []));
  const sizes = (body.files as Body[]).map((file) => (Number.isSafeInteger(file?.size) ? file.size : 0));
  return {
    ...body,
    total_files: body.files.length,
    total_chunks: hashes.length,
    unique_chunks: new Set(hashes).size,
    total_bytes: sizes.reduce((sum: number, size: number) => sum + size, 0),
  };
}

const isReserved = ({ path }: Body): boolean => String(path).startsWith('/.holdfast/');

/** Changes ordinary files of a manifest. */
function ordinary(change: (own: Body[]) => Body[]): Tell {
  return files((all) => {
    const own = all.filter((file) => !isReserved(file));
    return own.length === 0 ? all : [...change(own), ...all.filter(isReserved)];
  });
}

/** Changes the first ordinary file. */
function first(change: (file: Body) => Body): Tell {
  return ordinary(([file, ...rest]) => [change(file), ...rest]);
}

/** Changes one reserved entry. */
function reserved(name: string, change: (file: Body) => Body): Tell {
  return files((all) => all.flatMap((file) => (file.path === `/.holdfast/${name}` ? (change(file) ?? []) : [file])));
}

/** Changes blobs, whether they come alone or in a pack. */
function blobs(change: (bytes: Buffer, before: Buffer) => Buffer): Tell {
  let before: Buffer = Buffer.alloc(60, 7);
  return async (request, send) => {
    const response = await send(request);
    if (!isBlobCall(request, 'GET') || response.status !== 200) return response;
    const bytes = Buffer.from(await response.bytes());
    const changed = change(bytes, before);
    before = bytes;
    return answer(200, changed);
  };
}

function downloads(change: (all: Body[]) => Body[]): Tell {
  return changing(ENDPOINTS.restorePresign, (body) => ({ ...body, downloads: change(body.downloads) }));
}

const flipped = (bytes: Buffer): Buffer => {
  const copy = Buffer.from(bytes);
  copy[copy.length >> 1]! ^= 1;
  return copy;
};

const deep = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const manifest = ENDPOINTS.restoreManifest;
const EARLY = '2000-01-01T00:00:00.000Z';

const onRestores: readonly [string, Tell, Harmless?][] = [
  ['a bit of each blob is flipped', blobs(flipped)],
  ['each blob is the one before', blobs((_bytes, before) => before)],
  ['blobs are shorter', blobs((bytes) => bytes.subarray(0, -1))],
  ['blobs are longer', blobs((bytes) => Buffer.concat([bytes, Buffer.from('x')]))],
  ['blobs are empty', blobs(() => Buffer.alloc(0))],
  ['blobs are zeros', blobs((bytes) => Buffer.alloc(bytes.length))],
  ['blobs are pages of HTML', blobs(() => Buffer.from('<!doctype html><title>Sign in</title>'))],
  ['blobs are compressed bombs', blobs(() => Buffer.from('KLUv/aT///8AAQAA'.repeat(100), 'base64'))],
  [
    'an older restore point as the newest',
    asking(
      manifest,
      (asked) => ({ ...asked, point_in_time: oldest }),
      (body) => body,
    ),
  ],
  [
    'an older restore point with the time of the newest',
    asking(
      manifest,
      (asked) => ({ ...asked, point_in_time: oldest }),
      (body) => ({ ...body, point_in_time: newest }),
    ),
  ],
  [
    'the files of another set',
    asking(
      manifest,
      (asked) => ({ ...asked, backup_set: 'other' }),
      (body) => body,
    ),
  ],
  [
    'two files have each other’s chunks',
    ordinary(([one, two, ...rest]) => [swapped(one, two), swapped(two, one), ...rest]),
  ],
  ['a file is missing', ordinary(([, ...rest]) => rest)],
  ['all files are missing', ordinary(() => [])],
  ['a file is there twice', ordinary((own) => [own[0], ...own]), 'It is restored once, and the tree proves it.'],
  ['a file that nobody backed up', ordinary((own) => [...own, { ...own[0], path: `${own[0].path} stranger` }])],
  ['a path leads out of the target', first((file) => ({ ...file, path: `${file.path}/../../../outside` }))],
  ['a path has a NUL', first((file) => ({ ...file, path: `${file.path}\0` }))],
  ['a path is relative', first((file) => ({ ...file, path: 'outside' }))],
  ['a path of 2 MB', first((file) => ({ ...file, path: `/${LONG}` }))],
  ['paths that differ in their case', ordinary((own) => [...own, { ...own[0], path: own[0].path.toUpperCase() }])],
  ['a negative size', first((file) => ({ ...file, size: -1 }))],
  ['another size', first((file) => ({ ...file, size: file.size + 1 }))],
  ['a huge size', first((file) => ({ ...file, size: Number.MAX_SAFE_INTEGER }))],
  ['a size as text', first((file) => ({ ...file, size: String(file.size) }))],
  ['another time of change', first((file) => ({ ...file, modified: EARLY }))],
  ['a chunk too many', first((file) => ({ ...file, chunks: [...file.chunks, HASH] }))],
  ['chunks without names', first((file) => ({ ...file, chunks: [null, 7, {}] }))],
  ['files that are no objects', ordinary((own) => [...own, null, 7, 'file', []])],
  ['the tree is missing', reserved('tree', () => undefined)],
  ['the tree is cut short', reserved('tree', (file) => ({ ...file, chunks: file.chunks.slice(0, -1) }))],
  ['the tree is a file', reserved('tree', (file) => ({ ...file, chunks: [HASH] }))],
  [
    'the key envelope is missing',
    reserved('keys', () => undefined),
    'This computer has its keys. A new one that needs the envelope says that it is not there.',
  ],
  ['more files than it says', changing(manifest, (body) => ({ ...body, total_files: 1 }))],
  ['totals that are negative', changing(manifest, (body) => ({ ...body, total_bytes: -1 }))],
  [
    'totals that are no numbers',
    changing(manifest, (body) => JSON.stringify(body).replace(/"total_files":\d+/, '"total_files":NaN')),
  ],
  [
    'totals beyond all numbers',
    changing(manifest, (body) => JSON.stringify(body).replace(/"total_bytes":\d+/, '"total_bytes":1e999')),
  ],
  [
    'a restore point of the year 9999',
    changing(manifest, (body) => ({ ...body, point_in_time: '9999-12-31T23:59:59.999Z' })),
    'A clock that was once ahead leaves such times, and the tree proves which files these are.',
  ],
  ['a restore point before its tree', changing(manifest, (body) => ({ ...body, point_in_time: EARLY }))],
  ['a restore point at no time', changing(manifest, (body) => ({ ...body, point_in_time: 'yesterday' }))],
  ['a session id of 2 MB', changing(manifest, (body) => ({ ...body, restore_session_id: LONG }))],
  ['another session', changing(manifest, (body) => ({ ...body, restore_session_id: 'someone-elses' }))],
  ['deep JSON', changing(manifest, (body) => `{"files":${deep(100_000)},${JSON.stringify(body).slice(1)}`)],
  [
    'deep JSON in a file',
    changing(manifest, (body) => `{"files":[{"path":${deep(100_000)}}],"rest":${JSON.stringify(body)}}`),
  ],
  [
    'a page of HTML',
    answering(manifest, () =>
      answer(200, Buffer.from('<!doctype html><title>Sign in</title>'), { 'content-type': 'text/html' }),
    ),
  ],
  ['nothing at all', answering(manifest, () => answer(200, Buffer.alloc(0)))],
  [
    'another content type',
    answering(manifest, () => answer(200, Buffer.from('GIF89a'), { 'content-type': 'image/gif' })),
  ],
  [
    'too short a content length',
    answering(manifest, () => answer(200, Buffer.from('{"files":['), { 'content-length': '3' })),
  ],
  ['moved elsewhere', answering(manifest, () => answer(307, Buffer.alloc(0), { location: PRIVATE }))],
  ['files without end', answering(manifest, () => endless('{"files":[', fileNumber))],
  ['one file without end', answering(manifest, () => endless('{"files":[{"path":"/', () => 'x'.repeat(65_536)))],
  ['chunks without end', answering(manifest, () => endless('{"files":[{"path":"/a","chunks":[', () => MANY_HASHES))],
  ['white space without end', answering(manifest, () => endless('{', () => ' '.repeat(65_536)))],
  ['addresses of a private network', downloads((all) => all.map((each) => ({ ...each, url: PRIVATE })))],
  ['addresses of files', downloads((all) => all.map((each) => ({ ...each, url: 'file:///etc/passwd' })))],
  [
    'addresses for other chunks',
    downloads((all) => all.map((each, index) => ({ ...each, hash: all.at(index - 1).hash }))),
  ],
  [
    'addresses twice',
    downloads((all) => [...all, ...all]),
    'The last one counts, and each blob is checked by its hash.',
  ],
  ['no addresses', downloads(() => [])],
  [
    'blobs of a huge size',
    downloads((all) => all.map((each) => ({ ...each, size: Number.MAX_SAFE_INTEGER }))),
    'A size that no blob has is ignored.',
  ],
  [
    'blobs of a negative size',
    downloads((all) => all.map((each) => ({ ...each, size: -1 }))),
    'A size that no blob has is ignored.',
  ],
  [
    'addresses that have expired',
    downloads((all) => all.map((each) => ({ ...each, expires_in: 1e-9 }))),
    'Others are requested, as the interface provides.',
  ],
  ['no restore points', answering(manifest, () => json({ code: 'no_restore_point' }, 404))],
];

/** Times of restore points; the campaign sets them. */
let oldest = '';
let newest = '';

export function knowTimes(times: { readonly oldest: string; readonly newest: string }): void {
  ({ oldest, newest } = times);
}

function swapped(file: Body, other: Body): Body {
  return { ...file, chunks: other.chunks };
}

function fileNumber(number: number): string {
  const file = { path: `/stranger/${number}`, size: 0, modified: EARLY, chunks: [] };
  return `${JSON.stringify(file)},`;
}

const init = ENDPOINTS.backupInit;
const complete = ENDPOINTS.backupComplete;

/** Acknowledges uploads, and a backup, of which nothing is stored. */
const acknowledged =
  (isComplete: boolean): Tell =>
  async (request, send) => {
    if (isBlobCall(request, 'PUT')) return answer(200, Buffer.alloc(0));
    if (!isComplete || !isCallOf(request, complete)) return await send(request);
    return json(COMPLETED);
  };

const COMPLETED = {
  backup_id: 'never-made',
  status: 'completed',
  restore_point: '2026-11-23T12:00:00.000Z',
  storage_used_bytes: 1,
  dedup_savings_percent: 0,
};

const dated =
  (years: number): Tell =>
  async (request, send) => {
    const response = await send(request);
    const date = new Date(Date.now() + years * 365 * 86_400_000).toUTCString();
    return answer(response.status, await response.bytes(), { ...definedOf(response.headers), date });
  };

function definedOf(headers: HttpResponse['headers']): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter((pair): pair is [string, string] => pair[1] !== undefined));
}

const onBackups: readonly [string, Tell, Harmless?][] = [
  ['it has all chunks', changing(init, (body) => ({ ...body, chunks_needed: [], chunks_to_upload: 0 }))],
  [
    'it needs chunks that nobody named',
    changing(init, (body) => ({ ...body, chunks_needed: [{ hash: HASH, size: 10 }] })),
  ],
  [
    'it needs each chunk twice',
    changing(init, (body) => ({ ...body, chunks_needed: [...body.chunks_needed, ...body.chunks_needed] })),
    'Each is sent once.',
  ],
  [
    'it needs chunks of a negative size',
    changing(init, (body) => ({
      ...body,
      chunks_needed: body.chunks_needed.map((chunk: Body) => ({ ...chunk, size: -1 })),
    })),
  ],
  [
    'it needs chunks of another size',
    changing(init, (body) => ({
      ...body,
      chunks_needed: body.chunks_needed.map((chunk: Body) => ({ ...chunk, size: 4_000_000 })),
    })),
    'Each is sent with its own size.',
  ],
  [
    'it needs chunks without end',
    answering(init, () => endless('{"chunks_needed":[', () => `{"hash":"${HASH}","size":10},`.repeat(100))),
  ],
  [
    'counts of chunks that are negative',
    changing(init, (body) => ({ ...body, chunks_deduped: -1 })),
    'A figure, which is left out.',
  ],
  ['a session id of 2 MB', changing(init, (body) => ({ ...body, session_id: LONG }))],
  ['another session', changing(init, (body) => ({ ...body, session_id: 'someone-elses' }))],
  ['uploads are acknowledged and not stored', acknowledged(false)],
  ['a backup is acknowledged and not stored', acknowledged(true)],
  ['a backup is complete before it is sent', answering(complete, () => json(COMPLETED))],
  ['a backup that failed', changing(complete, (body) => ({ ...body, status: 'failed' }))],
  [
    'a backup with an id of 2 MB',
    changing(complete, (body) => ({ ...body, backup_id: LONG })),
    'An id that is too long is ignored, and the restore point is known by its time.',
  ],
  [
    'a backup with another id',
    changing(complete, (body) => ({ ...body, backup_id: 'another' })),
    'What would build on an id that the service does not know is sent whole.',
  ],
  [
    'a backup of the year 9999',
    changing(complete, (body) => ({ ...body, restore_point: '9999-12-31T23:59:59.999Z' })),
    'A clock that was once ahead leaves such times.',
  ],
  ['a backup of the year 2000', changing(complete, (body) => ({ ...body, restore_point: EARLY }))],
  ['a backup at no time', changing(complete, (body) => ({ ...body, restore_point: 'soon' }))],
  [
    'negative use of storage',
    changing(complete, (body) => ({ ...body, storage_used_bytes: -1 })),
    'A figure, which is left out.',
  ],
  [
    'use of storage that is no number',
    changing(complete, (body) => JSON.stringify(body).replace(/"storage_used_bytes":\d+/, '"storage_used_bytes":NaN')),
  ],
  ['deep JSON', changing(complete, () => deep(100_000)), 'The run is found among the restore points.'],
  [
    'a full account',
    answering(init, () => json({ code: 'quota_exceeded', detail: 'Pay here: http://evil.example' }, 402)),
  ],
  ['a device that is refused', answering(init, () => json({ code: 'device_revoked' }, 403))],
  ['uploads to a private network', changing(ENDPOINTS.backupPresign, (body) => ({ ...body, upload_url: PRIVATE }))],
  ['uploads to files', changing(ENDPOINTS.backupPresign, (body) => ({ ...body, upload_url: 'file:///etc/passwd' }))],
  ['uploads by another method', changing(ENDPOINTS.backupPresign, (body) => ({ ...body, method: 'DELETE' }))],
  [
    'uploads with headers of its own',
    changing(ENDPOINTS.backupPresign, (body) => ({ ...body, headers: { ...body.headers, 'x\r\ny': 'z' } })),
  ],
  ['a clock ten years ahead', dated(10), 'Restore points have the times of the service, which may be right.'],
  ['a clock ten years behind', dated(-10), 'Restore points have the times of the service, which may be right.'],
];

const devices = (change: (all: Body[]) => Body): Tell =>
  changing(ENDPOINTS.devices, (body) => ({ ...body, devices: change(body.devices) }));
const points = (change: (all: Body[]) => Body): Tell =>
  changing(ENDPOINTS.restorePoints, (body) => ({ ...body, restore_points: change(body.restore_points) }));
const sets = (change: (all: Body[]) => Body): Tell =>
  changing(ENDPOINTS.backupSets, (body) => ({ ...body, backup_sets: change(body.backup_sets) }));

const onListings: readonly [string, Tell, Harmless?][] = [
  [
    'devices of strangers',
    devices((all) => [...all, { ...all[0], id: 'stranger', name: 'stranger' }]),
    'The interface lets an account have any.',
  ],
  ['no devices', devices(() => []), 'Only the list lacks them: whoever restores names the computer.'],
  ['a device twice', devices((all) => [...all, ...all]), 'Both are the same one.'],
  [
    'a device with an id of 2 MB',
    devices(([one]) => [{ ...one, id: LONG }]),
    'A service may have computers that this version cannot read; a backup and its restore do without the list.',
  ],
  [
    'devices that are no objects',
    devices(() => [null, 7]),
    'A service may have computers that this version cannot read; a backup and its restore do without the list.',
  ],
  ['devices that are no list', devices(() => ({}))],
  [
    'devices without end',
    answering(ENDPOINTS.devices, () => endless('{"devices":[', () => '{"id":"a"},'.repeat(10_000))),
  ],
  [
    'a page of HTML for devices',
    answering(ENDPOINTS.devices, () => answer(200, Buffer.from('<!doctype html>'), { 'content-type': 'text/html' })),
  ],
  [
    'a restore point with a negative number of files',
    points(([one, ...rest]) => [{ ...one, files: -1 }, ...rest]),
    'A figure, which is left out.',
  ],
  ['a restore point with an id of 2 MB', points(([one, ...rest]) => [{ ...one, backup_id: LONG }, ...rest])],
  ['a restore point at no time', points(([one, ...rest]) => [{ ...one, restore_point: 'soon' }, ...rest])],
  ['restore points that are no objects', points(() => [null, 'x', []])],
  ['deep JSON for restore points', answering(ENDPOINTS.restorePoints, () => text(deep(100_000)))],
  ['restore points in another order', points((all) => all.toReversed()), 'They are sorted.'],
  [
    'sets that nobody has',
    sets((all) => [...all, { name: '../../etc' }]),
    'The interface lets a computer have any, and the name is no path.',
  ],
  ['a set without a name', sets(() => [{ name: '' }])],
];

const state = (change: (state: Body) => Body): Tell =>
  changing(RETENTION_ENDPOINT, (body) => ({ ...body, state: change(body.state) }));
const retained = (change: (all: Body[]) => Body): Tell => state((all) => ({ ...all, points: change(all.points) }));
const retention = (change: (body: Body) => Body): Tell => changing(RETENTION_ENDPOINT, change);

const onRetentions: readonly [string, Tell, Harmless?][] = [
  ['a negative number of removed restore points', retention((body) => ({ ...body, removed: -1 }))],
  ['more removed restore points than there are', retention((body) => ({ ...body, removed: 1_000_000 }))],
  [
    'a number of removed restore points that is none',
    retention((body) => JSON.stringify(body).replace(/"removed":\d+/, '"removed":NaN')),
  ],
  ['space of a negative size', retention((body) => ({ ...body, frees: [{ at: EARLY, bytes: -1 }] }))],
  ['space at no time', retention((body) => ({ ...body, frees: [{ at: 'soon', bytes: 1 }] }))],
  ['a policy that keeps nothing', state((all) => ({ ...all, policy: { daily: 0 } }))],
  ['a policy in a time zone that is none', state((all) => ({ ...all, policy: { daily: 1, time_zone: 'Moon/Base' } }))],
  ['a negative minimum', state((all) => ({ ...all, minimum_days: -1 }))],
  ['a kept restore point with an id of 2 MB', retained(([one, ...rest]) => [{ ...one, backup_id: LONG }, ...rest])],
  ['a kept restore point at no time', retained(([one, ...rest]) => [{ ...one, restore_point: 'soon' }, ...rest])],
  [
    'a restore point kept for no known reason',
    retained(([one, ...rest]) => [{ ...one, kept_because: [LONG] }, ...rest]),
  ],
  ['a restore point kept twice', retained((all) => [...all, ...all])],
  ['kept restore points in another order', retained((all) => all.toReversed()), 'They are sorted.'],
  ['kept restore points that are no objects', retained(() => [null, 'x', []])],
  [
    'a hold for reasons of 2 MB',
    state((all) => ({ ...all, held_since: EARLY, held_for: [{ detected_at: EARLY, reasons: [LONG] }] })),
  ],
  [
    'kept restore points without end',
    answering(RETENTION_ENDPOINT, () => endless('{"state":{"points":[', () => '{"backup_id":"a"},'.repeat(10_000))),
  ],
  ['deep JSON for a retention', answering(RETENTION_ENDPOINT, () => text(deep(100_000)))],
  [
    'a page of HTML for a retention',
    answering(RETENTION_ENDPOINT, () => answer(200, Buffer.from('<!doctype html>'), { 'content-type': 'text/html' })),
  ],
];

export const LIES: readonly Lie[] = [
  ...onRestores.map(([name, tell, harmless]): Lie => ({
    name,
    tell,
    during: 'restore',
    isNoticeable: harmless === undefined,
  })),
  ...onBackups.map(([name, tell, harmless]): Lie => ({
    name,
    tell,
    during: 'backup',
    isNoticeable: harmless === undefined,
  })),
  ...onListings.map(([name, tell, harmless]): Lie => ({
    name,
    tell,
    during: 'listing',
    isNoticeable: harmless === undefined,
  })),
  ...onRetentions.map(([name, tell, harmless]): Lie => ({
    name,
    tell,
    during: 'retention',
    isOfExtension: true,
    isNoticeable: harmless === undefined,
  })),
];
