import { ENDPOINTS } from '../../protocol/endpoints.ts';
import { CAPABILITIES } from '../../protocol/extensions.ts';
import type { Capability } from '../../protocol/extensions.ts';
import { isHoldfastError } from '../../base/errors/errors.ts';
import { capabilitiesAnswer } from './answers.ts';
import { jsonResponse } from './responses.ts';
import { isRetryableStatus, type ErrorResponse } from './error-response.ts';
import type { ServiceCall } from './service-calls.ts';

/** Extensions of the interface that a service supports. */
export interface ServiceFeatures {
  readonly capabilities: ReadonlySet<Capability>;
  /** Content codings that it accepts in requests (RFC 7694), in lower case. */
  readonly encodings: ReadonlySet<string>;
}

export const NO_FEATURES: ServiceFeatures = { capabilities: new Set(), encodings: new Set() };

/** Requests after which an error of the service counts as its answer to an address that it does not know. */
const MOST_ERRORS = 3;

/**
 * Requests the list of capabilities. Any other response, such as a 404 or a web page, means that there are none. A service that is busy or out of
 * reach is waited for: what it was sent before depends on the list.
 */
export async function fetchServiceFeatures(calls: CallMaker, signal?: AbortSignal): Promise<ServiceFeatures> {
  let errors = 0;
  const isUnknown = ({ status }: ErrorResponse): boolean =>
    status === 500 ? (errors += 1) >= MOST_ERRORS : !isRetryableStatus(status);
  try {
    return await calls.call({
      method: 'GET',
      path: ENDPOINTS.capabilities,
      signal,
      read: async (response, address) => {
        const answer = await jsonResponse(capabilitiesAnswer)(response, address);
        return { capabilities: known(answer.capabilities), encodings: codings(response.headers['accept-encoding']) };
      },
      errorFor: (response) => (isUnknown(response) ? new NoCapabilities() : undefined),
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
