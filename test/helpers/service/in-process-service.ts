import { pino } from 'pino';
import { registerDevice } from '../../../src/service/devices/devices.ts';
import { openStores } from '../../../src/service/open-stores.ts';
import { createService, type Service } from '../../../src/service/service.ts';

/** The base URL of its requests. No socket listens there. */
export const IN_PROCESS_URL = 'http://holdfast.test';

/** The service with its own store, in this process. */
export class InProcessService {
  readonly service: Service;

  private constructor(service: Service) {
    this.service = service;
  }

  /** @param create initialises the folder as a store with one account */
  static async open(
    directory: string,
    { create = false }: { readonly create?: boolean } = {},
  ): Promise<InProcessService> {
    const stores = await openStores(directory, { create }, async ({ accounts }) => {
      if (!(await accounts.firstAccount())) await accounts.createAccount(Date.now());
    });
    const service = await createService({ ...stores, log: pino({ level: 'silent' }), publicUrl: IN_PROCESS_URL });
    service.keepHouse();
    return new InProcessService(service);
  }

  fetch(request: Request): Promise<Response> {
    return this.service.fetch(request);
  }

  async registerDevice(device: {
    name: string;
    os: string;
    agent_version: string;
  }): Promise<{ deviceId: string; deviceKey: string }> {
    const registered = await registerDevice(this.service.context, await this.#accountId(), device);
    return { deviceId: registered.device.id, deviceKey: registered.device_key };
  }

  async deviceToken(deviceId: string): Promise<string> {
    const { context, tokens } = this.service;
    const claims = { kind: 'device', sub: deviceId, account: await this.#accountId() } as const;
    return tokens.issue(claims, context.clock.now());
  }

  close(): Promise<void> {
    return this.service.close();
  }

  async #accountId(): Promise<string> {
    const account = await this.service.context.metadata.accounts.firstAccount();
    if (!account) throw new Error('the store has no account');
    return account.id;
  }
}
