import { createHmac, randomInt } from 'node:crypto';
import { deviceSession, deviceSignatureMessage, formatDeviceSignature } from '../../../protocol/auth.ts';
import type { DeviceSession } from '../../../protocol/auth.ts';
import { ENDPOINTS } from '../../../protocol/endpoints.ts';
import type { Clock } from '../../../base/clock.ts';
import { HoldfastError } from '../../../base/errors.ts';
import { jsonResponse } from '../client/responses.ts';
import type { TokenSource } from '../client/authorised-calls.ts';
import { isHtml } from '../client/error-response.ts';
import type { ErrorResponse } from '../client/error-response.ts';
import { RenewingTokenSource } from './renewing-token-source.ts';
import type { ServiceCalls } from '../client/service-calls.ts';

export interface DeviceCredentials {
  readonly deviceId: string;
  readonly deviceKey: string;
}

/**
 * Signatures that are tried: the first refusal may be of our clock (the answer's Date corrects it) or of a second in which
 * another process of this device has signed.
 */
const ATTEMPTS = 4;
/** Seconds, either way, in which a second try looks for one that nobody has signed; the service takes ±300. */
const SPREAD = 240;

/** Signs in with the device key. `device_refused` where the service does not take it, `clock_wrong` where it is for our clock. */
export class DeviceSignIn {
  readonly #calls: ServiceCalls;
  readonly #credentials: DeviceCredentials;
  /** Unix seconds of the last signature: the service takes each only once. */
  #lastTime = 0;

  constructor(calls: ServiceCalls, credentials: DeviceCredentials) {
    this.#calls = calls;
    this.#credentials = credentials;
  }

  /** @param patience ends the waiting for a service that does not answer */
  async session(patience?: AbortSignal): Promise<DeviceSession> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#authenticate(attempt, patience);
      } catch (error) {
        if (!(error instanceof SignatureRefused)) throw error;
        if (attempt === ATTEMPTS) throw this.#outcomeOf(error.refusal);
      }
    }
  }

  #authenticate(attempt: number, patience: AbortSignal | undefined): Promise<DeviceSession> {
    const { deviceId, deviceKey } = this.#credentials;
    return this.#calls.call({
      method: 'POST',
      path: ENDPOINTS.deviceAuth,
      json: () => ({ device_key: deviceKey, device_id: deviceId, signature: this.#sign(attempt) }),
      ...(patience && { patience }),
      read: jsonResponse(deviceSession),
      errorFor: (refusal) => {
        // A web site, not a service that does not know this device.
        if (isHtml(refusal)) return undefined;
        // It is about the key, of which no other signature is better; each try counts as a guess.
        if (refusal.code === 'credentials_invalid') return deviceRefused(deviceId, refusal);
        if (refusal.status === 401) {
          // What the service itself goes by says more than a Date that something in between may have written.
          const { service_time: time } = refusal.problem;
          if (typeof time === 'string') this.#calls.clock.trust(time);
          return new SignatureRefused(refusal);
        }
        return [400, 403, 404, 422].includes(refusal.status) ? deviceRefused(deviceId, refusal) : undefined;
      },
    });
  }

  /** A clock that is wrong, and that nobody told us enough of to do without it, is no key that is. */
  #outcomeOf(refusal: ErrorResponse): HoldfastError {
    if (!isAboutTime(refusal)) return deviceRefused(this.#credentials.deviceId, refusal);
    const { aheadMs } = this.#calls.clock;
    const { address, status, detail } = refusal;
    return new HoldfastError('clock_wrong', { address, status, detail, ...(aheadMs === 0 ? {} : { aheadMs }) });
  }

  /** Going on from the last second covers several signatures at once; a corrected clock may go back. */
  #nextTime(now: number): number {
    return now <= this.#lastTime && this.#lastTime - now < SPREAD ? this.#lastTime + 1 : now;
  }

  #sign(attempt: number): string {
    const { deviceId, deviceKey } = this.#credentials;
    const now = Math.floor(this.#calls.clock.now() / 1000);
    const time = attempt === 1 ? this.#nextTime(now) : now + randomInt(-SPREAD, SPREAD);
    this.#lastTime = time;
    return formatDeviceSignature(
      time,
      createHmac('sha256', deviceKey).update(deviceSignatureMessage(time, deviceId)).digest('hex'),
    );
  }
}

/** Tokens for a device: each renewal is another sign-in with the device key. */
export function deviceTokenSource(
  calls: ServiceCalls,
  credentials: DeviceCredentials,
  clock: Pick<Clock, 'now'>,
): TokenSource {
  const signIn = new DeviceSignIn(calls, credentials);
  return new RenewingTokenSource({
    rejectionCode: 'device_refused',
    clock,
    renew: async (abandoned) => {
      const session = await signIn.session(abandoned);
      return { token: session.access_token, expiresAt: clock.now() + session.expires_in * 1000 };
    },
  });
}

/** Of Holdfast's own service; before it told its time, the detail alone said so. */
function isAboutTime({ code, problem, detail }: ErrorResponse): boolean {
  if (code !== 'signature_invalid') return false;
  return typeof problem['service_time'] === 'string' || detail?.startsWith('the time differs') === true;
}

class SignatureRefused extends Error {
  override readonly name = 'SignatureRefused';
  readonly refusal: ErrorResponse;

  constructor(refusal: ErrorResponse) {
    super('signature refused');
    this.refusal = refusal;
  }
}

function deviceRefused(deviceId: string, refusal: ErrorResponse): HoldfastError {
  const { address, status, code, detail } = refusal;
  return new HoldfastError('device_refused', { deviceId, address, status, reason: code, detail });
}
