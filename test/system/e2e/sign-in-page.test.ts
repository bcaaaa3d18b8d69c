import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { HAS_S3 } from '../../helpers/s3/s3-server.ts';
import { inBucket } from './real-stores.ts';
import { newWorkplace } from './store-journey.ts';

/** What a network answers to every request until somebody signs in there. */
const PAGES = [
  ['a page', 'text/html; charset=utf-8', '<!doctype html><title>Welcome</title><p>Please sign in to the network'],
  ['a page that is XML', 'text/html', '<html><body>Please sign in to the network</body></html>'],
  ['an answer for programs', 'application/json', '{"error": "sign in first"}'],
] as const;

/** Forwards requests to a store, unless `answer` is there. */
async function startNetwork(store: URL) {
  const network = { answer: undefined as (typeof PAGES)[number] | undefined, url: '' };
  const server = createServer((request, response) => {
    if (network.answer) {
      request.resume();
      response.writeHead(200, { 'content-type': network.answer[1] }).end(network.answer[2]);
      return;
    }
    const { method, url: path, headers } = request;
    const forwarded = send({ host: store.hostname, port: store.port, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    forwarded.on('error', () => response.destroy());
    request.pipe(forwarded);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  network.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return network;
}

test.skipIf(!HAS_S3)('every command names the sign-in page of a network, and harms nothing', async () => {
  const place = newWorkplace();
  const { where, config } = await inBucket(place);
  const network = await startNetwork(new URL(config.endpoint!));
  const through = where.map((word) => (word === config.endpoint ? network.url : word));
  const source = place.path('source');
  mkdirSync(source);
  writeFileSync(place.path('source', 'a.txt'), 'content of a');
  const { recovery_phrase: phrase } = await place.json<{ recovery_phrase: string }>([
    'setup',
    ...through,
    '--print-json',
  ]);
  const phraseFile = place.write('phrase', phrase);
  await place.addSet('documents', source);
  await place.json(['backup', 'documents']);
  writeFileSync(place.path('source', 'a.txt'), 'changed');
  let number = 0;
  for (const page of PAGES) {
    network.answer = page;
    for (const words of [
      ['backup', 'documents'],
      ['points', 'documents'],
      ['ls', 'documents'],
      ['restore', 'documents', '--to', place.path(`target ${(number += 1)}`)],
      ['verify', 'documents'],
      ['check'],
      ['check', '--read-data'],
      ['repair'],
      ['free', '--yes'],
      ['devices'],
    ]) {
      const { status, stderr } = await place.run(...words);
      expect([page[0], words[0], status, stderr]).toEqual([
        page[0],
        words[0],
        1,
        expect.stringContaining('sign-in page'),
      ]);
    }
    const fresh = ['setup', ...through, '--recovery-phrase-file', phraseFile];
    const refused = await place.runAt(place.path(`home ${number}`), fresh);
    expect([page[0], refused.status, refused.stderr]).toEqual([page[0], 1, expect.stringContaining('sign-in page')]);
  }
  network.answer = undefined;
  await place.json(['backup', 'documents']);
  await place.json(['check', '--read-data']);
});
