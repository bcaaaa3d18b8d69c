import { once } from 'node:events';
import type { Server } from 'node:http';
import type { EndpointName, ScriptedFault } from './faults.ts';
import { addressOf, listen } from './listener.ts';
import { CONTROL_PLANE, STORAGE } from './routes.ts';
import { totp } from './sign-in-calls.ts';
import { makeWorld, timeOf } from './world.ts';
import type { WorldOptions } from './world.ts';

/**
 * A second service, written from the interface alone and sharing nothing with the real one: no extension, object storage
 * on an address of its own, and a list of every departure from the interface that it saw.
 */
export interface StrictService {
  readonly baseUrl: string;
  readonly storageUrl: string;
  readonly user: { readonly email: string; readonly password: string; readonly totpSecret: string };
  readonly device: { readonly id: string; readonly key: string };
  /** One line for each; a test asserts that it is empty. */
  readonly departures: readonly string[];
  /** Blobs by chunk hash, as they were uploaded; a test may take one away or damage it. */
  readonly blobs: Map<string, Buffer>;
  /** What the authenticator app shows now. */
  code(): string;
  addDevice(id: string, key: string): void;
  /** This service's clock, in milliseconds. */
  now(): number;
  /** Moves it forward. */
  advance(seconds: number): void;
  script(...faults: readonly ScriptedFault[]): void;
  clearScript(): void;
  callsOf(endpoint: EndpointName): number;
  /** Faults that no call has met. */
  unfired(): readonly ScriptedFault[];
  close(): Promise<void>;
}

export interface StrictServiceOptions extends WorldOptions {
  /** Puts something before the object storage: gets its address, answers the one that is given out. */
  readonly storageBehind?: (storageUrl: string) => Promise<string>;
}

export async function startStrictService(options: StrictServiceOptions = {}): Promise<StrictService> {
  const world = makeWorld(options);
  const storage = await listen(world, STORAGE, 'storage');
  const control = await listen(world, CONTROL_PLANE, 'control');
  const storageUrl = addressOf(storage);
  world.storageUrl = (await options.storageBehind?.(storageUrl)) ?? storageUrl;
  const { email, password, totpSecret } = world.user;
  return {
    baseUrl: addressOf(control),
    storageUrl: world.storageUrl,
    user: { email, password, totpSecret },
    device: { id: 'device-1', key: world.devices.get('device-1')!.key },
    departures: world.departures,
    blobs: world.blobs,
    code: () => totp(totpSecret, timeOf(world)),
    addDevice: (id, key) => void world.devices.set(id, { key, name: id, lastBackup: undefined }),
    now: () => timeOf(world),
    advance: (seconds) => void (world.clockOffsetSeconds += seconds),
    script: (...faults) => world.faults.add(...faults),
    clearScript: () => world.faults.clear(),
    callsOf: (endpoint) => world.faults.callsOf(endpoint),
    unfired: () => world.faults.unfired(),
    close: async () => {
      await Promise.all([stop(control), stop(storage)]);
    },
  };
}

async function stop(server: Server): Promise<void> {
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
}
