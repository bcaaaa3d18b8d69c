import { pino } from 'pino';
import { packIndex, readPackIndex } from '../../../src/protocol/bodies/blob-pack.ts';
import type { RetentionAnswer, RetentionRequest } from '../../../src/protocol/retention.ts';
import { ENDPOINTS } from '../../../src/protocol/endpoints.ts';
import { listDevices, registerDevice } from '../../../src/service/devices/devices.ts';
import { performRetention } from '../../../src/service/retention/retention.ts';
import { openStores } from '../../../src/service/open-stores.ts';
import type { ServiceClock } from '../../../src/service/service-clock.ts';
import { createService, type Service } from '../../../src/service/service.ts';

/** The base URL of its requests. No socket listens there. */
export const IN_PROCESS_URL = 'http://holdfast.test';

export interface JsonAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A blob as a client sends it. */
interface NamedBlob {
  /** `sha256:<hex>` of the plaintext. */
  readonly hash: string;
  readonly bytes: Uint8Array;
  /** Bytes of the plaintext. */
  readonly size: number;
}

/** The service with its own store, in this process. */
export class InProcessService {
  readonly service: Service;

  private constructor(service: Service) {
    this.service = service;
  }

  /** @param create initialises the folder as a store with one account */
  static async open(
    directory: string,
    { create = false, clock }: { readonly create?: boolean; readonly clock?: ServiceClock } = {},
  ): Promise<InProcessService> {
    const stores = await openStores(directory, { create });
    const { accounts } = stores.metadata;
    if (create && !(await accounts.firstAccount())) await accounts.createAccount(Date.now());
    const service = await createService({
      ...stores,
      log: pino({ level: 'silent' }),
      publicUrl: IN_PROCESS_URL,
      ...(clock && { clock }),
    });
    service.keepHouse();
    return new InProcessService(service);
  }

  fetch(request: Request): Promise<Response> {
    return this.service.fetch(request);
  }

  /** @param by the id of the person who registers it */
  async registerDevice(
    device: { name: string; os: string; agent_version: string },
    by?: string,
  ): Promise<{ deviceId: string; deviceKey: string }> {
    const registered = await registerDevice(this.service.context, await this.#accountId(), device, by);
    return { deviceId: registered.device.id, deviceKey: registered.device_key };
  }

  async deviceToken(deviceId: string): Promise<string> {
    const { context, tokens } = this.service;
    const claims = { kind: 'device', sub: deviceId, account: await this.#accountId() } as const;
    return tokens.issue(claims, context.clock.now());
  }

  /** Shows or changes what is kept of a set. */
  async retain(request: RetentionRequest): Promise<RetentionAnswer> {
    return performRetention(this.service.context, await this.#accountId(), request);
  }

  async devices(): Promise<readonly { readonly id: string }[]> {
    return listDevices(this.service.context, await this.#accountId());
  }

  /** POSTs JSON as a device or person. */
  async post(path: string, token: string, body: object): Promise<JsonAnswer> {
    const headers = { authorization: `Bearer ${token}` };
    const request = new Request(IN_PROCESS_URL + path, { method: 'POST', headers, body: JSON.stringify(body) });
    return jsonOf(await this.fetch(request));
  }

  /** Uploads blobs of a backup session in one pack. */
  async putPack(token: string, sessionId: string, blobs: readonly NamedBlob[]): Promise<JsonAnswer> {
    const address = await this.post(ENDPOINTS.backupPack, token, { session_id: sessionId });
    if (address.status !== 200) return address;
    const index = packIndex(
      blobs.map(({ hash, bytes, size }) => ({ digest: digestOf(hash), bytes: bytes.length, size })),
    );
    return jsonOf(await this.#sendPack(address, Buffer.concat([index, ...blobs.map(({ bytes }) => bytes)])));
  }

  /** Downloads blobs of a restore session in one pack, in the order of `hashes`. */
  async getPack(token: string, restoreSessionId: string, hashes: readonly string[]): Promise<readonly Buffer[]> {
    const address = await this.post(ENDPOINTS.restorePack, token, { restore_session_id: restoreSessionId });
    const wanted = packIndex(hashes.map((hash) => ({ digest: digestOf(hash), bytes: 0, size: 0 })));
    const response = await this.#sendPack(address, Buffer.from(wanted));
    if (response.status !== 200) throw new Error(`the pack was answered with ${response.status}`);
    const pack = Buffer.from(await response.arrayBuffer());
    const { entries, length } = readPackIndex(pack)!;
    let offset = length;
    return entries.map(({ bytes }) => pack.subarray(offset, (offset += bytes)));
  }

  close(): Promise<void> {
    return this.service.close();
  }

  async #sendPack({ body }: JsonAnswer, pack: Buffer<ArrayBuffer>): Promise<Response> {
    const headers = { 'content-length': String(pack.length) };
    return this.fetch(new Request(String(body['url']), { method: 'POST', headers, body: pack }));
  }

  async #accountId(): Promise<string> {
    const account = await this.service.context.metadata.accounts.firstAccount();
    if (!account) throw new Error('the store has no account');
    return account.id;
  }
}

async function jsonOf(response: Response): Promise<JsonAnswer> {
  return { status: response.status, body: (await response.json()) as JsonAnswer['body'] };
}

function digestOf(hash: string): Buffer {
  return Buffer.from(hash.slice('sha256:'.length), 'hex');
}
