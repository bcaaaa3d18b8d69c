// A process that only delivers from the store in its arguments until it is killed.
import { setTimeout as sleep } from 'node:timers/promises';
import { openSqliteDatabase } from '../../../../src/service/database/sqlite/sqlite-database.ts';
import { Dispatcher } from '../../../../src/service/webhooks/dispatcher.ts';
import { createSender } from '../../../../src/service/webhooks/sender.ts';
import { WebhookOutbox } from '../../../../src/service/webhooks/outbox.ts';

const [file, start] = process.argv.slice(2);
if (file === undefined || start === undefined) throw new Error('needs a database and the time to begin at');
// Its clock starts after the leases of the previously killed process, so that nobody waits for them.
const offset = Number(start) - Date.now();
const ignore = (): void => {};

new Dispatcher({
  outbox: new WebhookOutbox(openSqliteDatabase(file)),
  send: createSender({ allowPrivate: true }),
  clock: {
    now: () => Date.now() + offset,
    sleep: (milliseconds, signal) => sleep(milliseconds, undefined, { signal }),
  },
  log: { info: ignore, warn: ignore, error: ignore },
}).start();
