import { spawn } from 'node:child_process';
import { createCipheriv } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { CAN_SIGN_IN, codeOf, createAccount, Server } from './server.ts';
import { Workplace, type BackupAnswer } from './workplace.ts';
import { freePort } from '../../helpers/free-port.ts';

const MINUTES = 60_000;
const RECEIVER = fileURLToPath(new URL('../../../examples/webhook-receiver/receiver.mjs', import.meta.url));
const FILES = 300;
/** A fifth of the files, too few for the service to detect by itself. */
const HIT = 60;

/** The `ransomware_detected` events that the shipped receiver has accepted, in order of arrival. */
class Receiver {
  readonly #lines: AsyncIterator<string>;

  constructor(lines: AsyncIterable<string>) {
    this.#lines = lines[Symbol.asyncIterator]();
  }

  static async start(secret: string, port: number): Promise<Receiver> {
    const child = spawn(process.execPath, [RECEIVER], {
      env: { SIGNING_SECRET: secret, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill());
    const receiver = new Receiver(createInterface(child.stdout));
    expect(await receiver.next()).toMatch(/^listening on /);
    return receiver;
  }

  async next(): Promise<string> {
    return (await this.#lines.next()).value as string;
  }

  /** Returns the data of the next event. */
  async event(): Promise<Readonly<Record<string, unknown>>> {
    const [, , , data] = /^(\S+) (\S+) \S+ (\{.*\})$/.exec(await this.next()) ?? [];
    return JSON.parse(data!) as Readonly<Record<string, unknown>>;
  }
}

/** Encrypts a file like ransomware. */
function encrypt(path: string): void {
  const cipher = createCipheriv('aes-256-ctr', Buffer.alloc(32), Buffer.alloc(16, 1));
  writeFileSync(path, Buffer.concat([cipher.update(readFileSync(path)), cipher.final()]));
}

function letter(index: number, edition: string): string {
  return Array.from({ length: 120 }, (_, line) => `${edition} letter ${index}, line ${line}: all is well.`).join('\n');
}

test.skipIf(!CAN_SIGN_IN)(
  'an encrypted folder is detected at the next backup and reported, and no restore point is removed afterwards',
  async () => {
    using place = new Workplace();
    const data = place.path('service');
    const account = await createAccount(place, data, 'anna@example.org');
    const owner = ['--data', data, '--email', account.email];
    const port = await freePort();
    const hook = ['--url', `http://127.0.0.1:${port}/`, '--event', 'security.ransomware_detected'];
    const { signing_secret: secret } = await place.json<{ signing_secret: string }>([
      'service',
      'webhook',
      'add',
      ...owner,
      ...hook,
    ]);
    const receiver = await Receiver.start(secret, port);
    await using server = await Server.start(place, data, ['--allow-private-webhooks']);
    const credentials = ['--email', account.email, '--password-file', account.passwordFile, '--code', codeOf(account)];
    expect((await place.run('setup', '--server', server.address, ...credentials, '--print-json')).status).toBe(0);

    const source = place.path('source');
    mkdirSync(source);
    const pathOf = (index: number): string => `${source}/letter ${index}.txt`;
    const writeAll = (from: number, to: number, edition: string): void => {
      for (let index = from; index < to; index += 1) writeFileSync(pathOf(index), letter(index, edition));
    };
    const backUp = (): Promise<BackupAnswer> => place.json<BackupAnswer>(['backup', 'letters']);
    writeAll(0, FILES, 'first');
    await place.addSet('letters', source);
    const { restore_point: good } = await backUp();
    // Ordinary changes of as many files raise no alarm.
    writeAll(0, HIT, 'second');
    await backUp();

    for (let index = 0; index < HIT; index += 1) encrypt(pathOf(index));
    const suspected = await place.run('backup', 'letters', '--json');
    expect(suspected.status).toBe(3);
    const detail = 'mass_encryption mass_damage';
    expect(JSON.parse(suspected.stdout)).toMatchObject({
      warnings: [{ path: 'letters', reason: 'ransomware-signs', detail }],
    });
    expect(await receiver.event()).toMatchObject({
      backup_set: 'letters',
      reasons: ['mass_encryption', 'mass_damage'],
      suspicious_names: 0,
      incompressible_files: HIT,
      damaged_files: HIT,
      replaced_files: 0,
    });

    for (let index = 100; index < 112; index += 1) renameSync(pathOf(index), `${pathOf(index)}.locked`);
    expect((await place.run('backup', 'letters')).status).toBe(3);
    expect(await receiver.event()).toMatchObject({ reasons: ['known_names'], suspicious_names: 12 });

    const { alarms } = await place.json<{ alarms: readonly unknown[] }>(['service', 'alarms', ...owner]);
    expect(alarms).toHaveLength(2);
    const shown = await place.json<Record<string, unknown>>(['retention', 'show', 'letters']);
    expect(shown).toMatchObject({ held_since: expect.stringMatching(/Z$/) });
    // An attacker on the computer has its key; only a person may remove restore points.
    expect((await place.run('retention', 'release', 'letters')).status).toBe(4);
    const to = place.path('restored');
    await place.json(['restore', 'letters', '--at', good, '--to', to]);
    expect(readFileSync(`${to}/source/letter 0.txt`, 'utf8')).toBe(letter(0, 'first'));
  },
  4 * MINUTES,
);
