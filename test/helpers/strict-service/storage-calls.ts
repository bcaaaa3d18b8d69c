import type { Answer, Call } from './call.ts';
import { timeOf } from './service-state.ts';
import type { ServiceState } from './service-state.ts';

/** Object storage: only the address authorises, and nothing else may identify the caller. */
export function put(state: ServiceState, call: Call): Answer {
  const address = state.uploadAddresses.get(call.parameter ?? '');
  if (!address) {
    state.departures.push(`${call.endpoint}: no such address`);
    return { status: 403 };
  }
  if (timeOf(state) >= address.expiresAt) return { status: 403, text: '<Error><Code>AccessDenied</Code></Error>' };
  if (address.used && !state.wireMayBreak) state.departures.push(`${call.endpoint}: an address was used twice`);
  const { 'content-type': type, 'content-length': length } = call.headers;
  if (type !== 'application/octet-stream') state.departures.push(`${call.endpoint}: Content-Type ${type}`);
  if (length !== String(address.size))
    state.departures.push(`${call.endpoint}: Content-Length ${length} for ${address.size}`);
  if (call.bytes.length !== address.size) {
    state.departures.push(`${call.endpoint}: ${call.bytes.length} bytes came where ${address.size} were presigned`);
    return { status: 400 };
  }
  state.blobs.set(address.hash, call.bytes);
  if (call.fault?.kind !== 'reset-after') {
    address.used = true;
    for (const session of state.backups.values()) {
      if (session.needed.has(address.hash)) session.acknowledged.add(address.hash);
    }
  }
  return { status: 200 };
}

export function get(state: ServiceState, call: Call): Answer {
  const address = state.downloadAddresses.get(call.parameter ?? '');
  if (!address) {
    state.departures.push(`${call.endpoint}: no such address`);
    return { status: 403 };
  }
  if (timeOf(state) >= address.expiresAt) return { status: 403 };
  const blob = state.blobs.get(address.hash);
  return blob ? { status: 200, bytes: blob } : { status: 404 };
}
