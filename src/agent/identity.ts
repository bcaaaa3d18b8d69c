import type { AgentParts } from './context/agent-parts.ts';
import type { DestinationEntry, Settings } from './home/settings.ts';
import type { HostKeys } from './operations/host-key.ts';
import type { signInAgain } from './operations/sign-in.ts';

/** How a home and a destination know each other. A part of `Agent`. */
export class Identity {
  readonly #parts: AgentParts;

  constructor(parts: AgentParts) {
    this.#parts = parts;
  }

  /** Returns the accepted and the presented host key of an SSH server. @throws HoldfastError `usage` for other destinations */
  async hostKeys(signal?: AbortSignal): Promise<HostKeys> {
    const { hostKeys } = await import('./operations/host-key.ts');
    return hostKeys(this.#parts, signal);
  }

  /** Accepts the host key that the server presents. @throws HoldfastError `usage` if it presents another one */
  async acceptHostKey(fingerprint: string, signal?: AbortSignal): Promise<HostKeys> {
    const { acceptHostKey } = await import('./operations/host-key.ts');
    return acceptHostKey(fingerprint, this.#parts, signal);
  }

  /** Signs in at a service again. @throws what `signInAgain` throws */
  async signIn(choose: Parameters<typeof signInAgain>[1], signal?: AbortSignal): Promise<DestinationEntry> {
    const operation = await import('./operations/sign-in.ts');
    return operation.signInAgain(this.#parts, choose, signal);
  }

  /** Gives the home another writer at a destination. @throws what `renewWriter` throws */
  async renewWriter(deviceName: string | undefined, signal?: AbortSignal): Promise<Settings> {
    const { renewWriter } = await import('./operations/renew-writer.ts');
    return renewWriter(this.#parts, deviceName, signal);
  }
}
