import { ENDPOINTS } from '../../../protocol/endpoints.ts';
import { CAPABILITIES, capabilities as capabilitiesAnswer } from '../../../protocol/extensions.ts';
import type { Capability } from '../../../protocol/extensions.ts';
import { isHoldfastError } from '../../../base/errors/errors.ts';
import { jsonResponse } from './responses.ts';
import { isRetryableStatus } from './error-response.ts';
import type { ServiceCall } from './service-calls.ts';

/** Extensions of the interface that a service supports. */
export interface ServiceFeatures {
  readonly capabilities: ReadonlySet<Capability>;
  /** Content codings that it accepts in requests (RFC 7694), in lower case. */
  readonly encodings: ReadonlySet<string>;
}

export const NO_FEATURES: ServiceFeatures = { capabilities: new Set(), encodings: new Set() };

/** Requests the list of capabilities. Any other response, such as a 404 or a web page, means that there are none. */
export async function fetchServiceFeatures(calls: CallMaker, signal?: AbortSignal): Promise<ServiceFeatures> {
  try {
    return await calls.call({
      method: 'GET',
      path: ENDPOINTS.capabilities,
      signal,
      read: async (response, address) => {
        const answer = await jsonResponse(capabilitiesAnswer)(response, address);
        return { capabilities: known(answer.capabilities), encodings: codings(response.headers['accept-encoding']) };
      },
      errorFor: (response) => (isRetryableStatus(response.status) ? undefined : new NoCapabilities()),
    });
  } catch (error) {
    if (error instanceof NoCapabilities || isHoldfastError(error, 'service_broken')) return NO_FEATURES;
    throw error;
  }
}

/** ServiceCalls before sign-in, AuthorisedCalls after it. */
interface CallMaker {
  call<T>(call: ServiceCall<T>): Promise<T>;
}

class NoCapabilities extends Error {
  override readonly name = 'NoCapabilities';
}

function known(names: readonly string[]): ReadonlySet<Capability> {
  return new Set(CAPABILITIES.filter((name) => names.includes(name)));
}

function codings(header: string | undefined): ReadonlySet<string> {
  const offered = (header ?? '').toLowerCase().split(',');
  return new Set(offered.filter((part) => !/;\s*q=0(\.0*)?\s*$/.test(part)).map((part) => part.split(';')[0]!.trim()));
}
