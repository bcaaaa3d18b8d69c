import { randomInt } from 'node:crypto';
import { hmacSha256 } from '../../base/crypto/hmac.ts';
import { deviceSignatureMessage, formatDeviceSignature } from '../../protocol/auth.ts';
import type { DeviceSession } from '../../protocol/auth.ts';
import { ENDPOINTS } from '../../protocol/endpoints.ts';
import type { Clock } from '../../base/clock.ts';
import { HoldfastError } from '../../base/errors/errors.ts';
import { deviceSessionAnswer } from '../client/answers.ts';
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
 * Signatures per sign-in: the first may be rejected because of this computer's clock, which the response's Date corrects, or
 * because another process of this device has signed in the same second.
 */
const ATTEMPTS = 4;
/** Range in seconds, either way, for the random time of further attempts; the service accepts ±300. */
const SPREAD = 240;

/** Signs in with the device key. @throws HoldfastError `device_refused`; `clock_wrong` if only the time was rejected */
export class DeviceSignIn {
  readonly #calls: ServiceCalls;
  readonly #credentials: DeviceCredentials;
  /** Unix seconds of the last signature: the service accepts each time only once. */
  #lastTime = 0;

  constructor(calls: ServiceCalls, credentials: DeviceCredentials) {
    this.#calls = calls;
    this.#credentials = credentials;
  }

  /** @param stopRetrying ends the attempts to reach the service */
  async session(stopRetrying?: AbortSignal): Promise<Pick<DeviceSession, 'access_token' | 'expires_in'>> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#authenticate(attempt, stopRetrying);
      } catch (error) {
        if (!(error instanceof SignatureRejected)) throw error;
        if (attempt === ATTEMPTS) throw this.#outcomeOf(error.response);
      }
    }
  }

  #authenticate(
    attempt: number,
    stopRetrying: AbortSignal | undefined,
  ): Promise<Pick<DeviceSession, 'access_token' | 'expires_in'>> {
    const { deviceId, deviceKey } = this.#credentials;
    return this.#calls.call({
      method: 'POST',
      path: ENDPOINTS.deviceAuth,
      json: () => ({ device_key: deviceKey, device_id: deviceId, signature: this.#sign(attempt) }),
      isSignIn: true,
      ...(stopRetrying && { stopRetrying }),
      read: jsonResponse(deviceSessionAnswer),
      errorFor: (response) => {
        // A web site instead of the service.
        if (isHtml(response)) return undefined;
        // The key is wrong. Another signature would only count as another guess.
        if (response.code === 'credentials_invalid') return deviceRefused(deviceId, response);
        if (response.status === 401) {
          // The service's own time is more reliable than a Date that a proxy may have set.
          const { service_time: time } = response.problem;
          if (typeof time === 'string') this.#calls.clock.trust(time);
          return new SignatureRejected(response);
        }
        return [400, 403, 404, 422].includes(response.status) ? deviceRefused(deviceId, response) : undefined;
      },
    });
  }

  /** Distinguishes a wrong clock that could not be corrected from a wrong key. */
  #outcomeOf(response: ErrorResponse): HoldfastError {
    if (response.code !== 'signature_time_invalid') return deviceRefused(this.#credentials.deviceId, response);
    const { aheadMs } = this.#calls.clock;
    const { address, status, detail } = response;
    return new HoldfastError('clock_wrong', { address, status, detail, ...(aheadMs === 0 ? {} : { aheadMs }) });
  }

  /** Several signatures in one second use the following seconds. A corrected clock may go back. */
  #nextTime(now: number): number {
    return now <= this.#lastTime && this.#lastTime - now < SPREAD ? this.#lastTime + 1 : now;
  }

  #sign(attempt: number): string {
    const { deviceId, deviceKey } = this.#credentials;
    const now = Math.floor(this.#calls.clock.now() / 1000);
    const time = attempt === 1 ? this.#nextTime(now) : now + randomInt(-SPREAD, SPREAD);
    this.#lastTime = time;
    return formatDeviceSignature(time, hmacSha256(deviceKey, deviceSignatureMessage(time, deviceId)).toString('hex'));
  }
}

/** Supplies tokens for a device. Each renewal is another sign-in with the device key. */
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

class SignatureRejected extends Error {
  override readonly name = 'SignatureRejected';
  readonly response: ErrorResponse;

  constructor(response: ErrorResponse) {
    super('signature rejected');
    this.response = response;
  }
}

function deviceRefused(deviceId: string, response: ErrorResponse): HoldfastError {
  const { address, status, code, detail } = response;
  return new HoldfastError('device_refused', { deviceId, address, status, reason: code, detail });
}
