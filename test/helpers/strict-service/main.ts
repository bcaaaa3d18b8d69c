import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { ScriptedFault } from './faults.ts';
import { startStrictService } from './strict-service.ts';
import type { StrictServiceOptions } from './strict-service.ts';

/*
 * The strict service as a separate process: `node main.ts ['{"tokenSeconds":5}']` prints one line of JSON with its
 * addresses and secrets. `GET <control_url>` returns {departures, unfired, code}; `POST <control_url>` accepts a
 * list of scripted faults. SIGTERM ends it.
 */
const options = JSON.parse(process.argv[2] ?? '{}') as StrictServiceOptions;
const service = await startStrictService(options);

const control = createServer((request, response) => {
  void (async () => {
    if (request.method === 'POST') service.script(...((await json(request)) as ScriptedFault[]));
    const { departures } = service;
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ departures, unfired: service.unfired(), code: service.code() }));
  })();
});
control.listen(0, '127.0.0.1', () => {
  const { baseUrl, storageUrl, user, device } = service;
  const controlUrl = `http://127.0.0.1:${(control.address() as AddressInfo).port}/`;
  process.stdout.write(`${JSON.stringify({ baseUrl, storageUrl, controlUrl, user, device })}\n`);
});

process.once('SIGTERM', () => {
  control.close();
  control.closeAllConnections();
  void service.close();
});
