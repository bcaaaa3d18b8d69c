import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { HoldfastError, systemCodeOf } from '../../engine/errors.ts';
import { writeFileAtomicallySync } from '../home/atomic-file.ts';
import type { Home } from '../home/home.ts';
import type { KeyStore, Secrets } from './key-store.ts';

const bytes = z.base64().transform((text) => new Uint8Array(Buffer.from(text, 'base64')));
const secretsForm = z.object({
  version: z.literal(1),
  masterKey: bytes.refine((key) => key.length === 32),
  deviceKey: z.string().min(1).optional(),
  session: z
    .object({ refreshToken: z.string().min(1), accessToken: z.string().min(1), expiresAt: z.number() })
    .optional(),
  bucket: z
    .object({
      accessKeyId: z.string().min(1),
      secretAccessKey: z.string().min(1),
      sessionToken: z.string().min(1).optional(),
    })
    .optional(),
  keyEnvelope: bytes,
});

/** Secrets in a file of the home that its owner alone may read: for computers and commands without a keychain. */
export class FileKeyStore implements KeyStore {
  readonly protection = 'file';
  readonly place: string;

  constructor(home: Home) {
    this.place = home.secretsFile;
  }

  load(): Promise<Secrets | undefined> {
    return Promise.resolve().then(() => this.#read());
  }

  save(secrets: Secrets): Promise<void> {
    return Promise.resolve().then(() => writeFileAtomicallySync(this.place, textOf(secrets)));
  }

  #read(): Secrets | undefined {
    let text: string;
    try {
      text = readFileSync(this.place, 'utf8');
    } catch (error) {
      if (systemCodeOf(error) === 'ENOENT') return undefined;
      throw this.#damaged(systemCodeOf(error) ?? 'unreadable', error);
    }
    try {
      const { masterKey, keyEnvelope, deviceKey, session, bucket } = secretsForm.parse(JSON.parse(text));
      return {
        masterKey,
        keyEnvelope,
        ...(deviceKey === undefined ? {} : { deviceKey }),
        ...(session === undefined ? {} : { session }),
        ...(bucket === undefined ? {} : { bucket }),
      };
    } catch {
      // What the parser says may quote the file, so it is not kept as a cause.
      throw this.#damaged('unreadable');
    }
  }

  #damaged(problem: string, cause?: unknown): HoldfastError {
    return new HoldfastError('home_damaged', { file: this.place, problem }, { cause });
  }
}

function textOf(secrets: Secrets): string {
  const form = {
    version: 1,
    masterKey: Buffer.from(secrets.masterKey).toString('base64'),
    deviceKey: secrets.deviceKey,
    session: secrets.session,
    bucket: secrets.bucket,
    keyEnvelope: Buffer.from(secrets.keyEnvelope).toString('base64'),
  };
  return `${JSON.stringify(form, undefined, 2)}\n`;
}
