import { once } from 'node:events';
import type { Server } from 'node:http';
import type { EndpointName, ScriptedFault } from './faults.ts';
import { addressOf, listen } from './listener.ts';
import type { Oddity } from './oddity.ts';
import { CONTROL_PLANE, STORAGE } from './routes.ts';
import { totp } from './sign-in-calls.ts';
import { createState, timeOf } from './service-state.ts';
import type { ServiceStateOptions } from './service-state.ts';

/**
 * A second service, based on the interface alone and without shared code: no extensions, object storage
 * at a separate address, and a list of all observed violations of the interface.
 */
export interface StrictService {
  readonly baseUrl: string;
  readonly storageUrl: string;
  readonly user: { readonly email: string; readonly password: string; readonly totpSecret: string };
  readonly device: { readonly id: string; readonly key: string };
  /** One line per violation; tests assert that it is empty. */
  readonly departures: readonly string[];
  /** Uploaded blobs by chunk hash; tests may remove or damage them. */
  readonly blobs: Map<string, Buffer>;
  /** The authenticator app's current code. */
  code(): string;
  addDevice(id: string, key: string): void;
  /** From now on, `/functions/v1/capabilities` names these; with none it is 404. */
  announce(...capabilities: readonly string[]): void;
  /** From now on, the service differs in this from the usual one. */
  behave(oddity: Oddity): void;
  /** Forgets what it has noted so far, and the signatures of sign-ins, each of which it accepts once. */
  forgetPast(): void;
  /** Forgets every restore session. */
  forgetRestores(): void;
  /** This service's clock, in milliseconds. */
  now(): number;
  /** Advances the clock. */
  advance(seconds: number): void;
  script(...faults: readonly ScriptedFault[]): void;
  clearScript(): void;
  callsOf(endpoint: EndpointName): number;
  /** Faults that have not occurred. */
  unfired(): readonly ScriptedFault[];
  close(): Promise<void>;
}

export interface StrictServiceOptions extends ServiceStateOptions {
  /** Puts a proxy before the object storage: called with its address, returns the one to presign. */
  readonly storageBehind?: (storageUrl: string) => Promise<string>;
}

export async function startStrictService(options: StrictServiceOptions = {}): Promise<StrictService> {
  const state = createState(options);
  const storage = await listen(state, STORAGE, 'storage');
  const control = await listen(state, CONTROL_PLANE, 'control');
  const storageUrl = addressOf(storage);
  state.storageUrl = (await options.storageBehind?.(storageUrl)) ?? storageUrl;
  const { email, password, totpSecret } = state.user;
  return {
    baseUrl: addressOf(control),
    storageUrl: state.storageUrl,
    user: { email, password, totpSecret },
    device: { id: 'device-1', key: state.devices.get('device-1')!.key },
    departures: state.departures,
    blobs: state.blobs,
    code: () => totp(totpSecret, timeOf(state)),
    addDevice: (id, key) => void state.devices.set(id, { key, name: id, lastBackup: undefined }),
    announce: (...capabilities) => void (state.announced = capabilities),
    behave: (oddity) => void (state.odd = oddity),
    forgetPast: () => {
      state.departures.splice(0);
      state.signaturesSeen.clear();
    },
    forgetRestores: () => state.restores.clear(),
    now: () => timeOf(state),
    advance: (seconds) => void (state.clockOffsetSeconds += seconds),
    script: (...faults) => state.faults.add(...faults),
    clearScript: () => state.faults.clear(),
    callsOf: (endpoint) => state.faults.callsOf(endpoint),
    unfired: () => state.faults.unfired(),
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
