import type { Clock } from '../../base/clock.ts';
import type { Argon2idCost } from '../../base/crypto/argon2id.ts';
import type { Home } from '../home/home.ts';
import type { Doubt } from '../../repository/doubt.ts';
import type { KeyStore } from '../key-store/key-store.ts';
import type { RunWarning } from '../../jobs/run-warning.ts';
import type { OperationContext } from './operation-context.ts';
import type { RestoreSource } from '../../model/restore-request.ts';

/** The collaborators of an agent. open-agent.ts and the agent host choose the concrete ones. */
export interface AgentParts {
  readonly home: Home;
  readonly keyStore: KeyStore;
  readonly clock: Clock;
  /** The cost of passphrases and codes that are set. Lowered by tests only. */
  readonly passwordCost?: Argon2idCost;
  /** Read for proxies and time limits. */
  readonly environment: NodeJS.ProcessEnv;
  /**
   * Called when the service's clock differs from ours by more than 30 s, and with 0 when it no longer does. In
   * milliseconds, positive if the service is ahead.
   */
  readonly onSkew?: (skewMs: number) => void;
  /** Called whenever restore points were read, with why they cannot be vouched for; `undefined` if nothing is known to be missing. */
  readonly onDoubt?: (destination: ReadDestination, doubt: Doubt | undefined) => void;
  /**
   * Called whenever restore points of a set were listed, with what the list may hide: those of this computer that are not in it although nothing removed
   * them, or have another time there, and elements that could not be read.
   */
  readonly onListed?: (
    destination: ReadDestination,
    source: Pick<RestoreSource, 'deviceId' | 'backupSet'>,
    warnings: readonly RunWarning[],
  ) => void;
  /** The id of the destination that operations open. The first of the settings by default. */
  readonly destination?: string;
  /** The contexts that queries share. Without it, each query opens the destination for itself. */
  readonly queries?: ContextSource;
}

/** A destination whose restore points were read. */
export interface ReadDestination {
  readonly id: string;
  readonly name: string;
  /** The folder or the address. */
  readonly location: string;
  /** True if the home has no other one. */
  readonly isSole: boolean;
}

export interface ContextSource {
  /**
   * @param destination the id of the destination. The first of the settings by default
   * @throws what opening the context and `work` throw
   */
  use<Result>(destination: string | undefined, work: (context: OperationContext) => Promise<Result>): Promise<Result>;
}

/** Returns the parts for operations at another destination. @param id `undefined` for the first of the settings */
export function partsAt({ destination: _before, ...parts }: AgentParts, id: string | undefined): AgentParts {
  return id === undefined ? parts : { ...parts, destination: id };
}
