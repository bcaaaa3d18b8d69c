import { release, type } from 'node:os';
import type { RegisterDeviceRequest } from '../../protocol/extensions.ts';
import { HoldfastError } from '../../base/errors.ts';

/** What devices report as `agent_version`. */
export const AGENT_VERSION = 'holdfast/0.1.0';

/** How the program calls itself wherever a person looks at who is signed in. */
export const USER_AGENT = `${AGENT_VERSION} (${type() === 'Darwin' ? 'macOS' : type().replace('_NT', '')})`;

/** How this computer introduces itself. */
export function thisDevice(name: string): RegisterDeviceRequest {
  return { name: name.slice(0, 200), os: `${type()} ${release()}`.slice(0, 200), agent_version: AGENT_VERSION };
}

/** The device of an account that an id names. @throws HoldfastError `usage` with the `known` ones */
export function requireDevice<Known extends { readonly id: string }>(devices: readonly Known[], id: string): Known {
  const device = devices.find((other) => other.id === id);
  if (device) return device;
  const known = devices.map((other) => other.id);
  throw new HoldfastError('usage', { problem: 'device-unknown', device: id, known });
}
