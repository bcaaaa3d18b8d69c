import type { MountOptions } from '../../operations/mount/mount.ts';

/** The data that the thread of a mount is started with. */
export interface MountThreadSetup {
  /** The home's folder. */
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The id of the destination that is read; the nearest by default. */
  readonly destination: string | undefined;
}

/** The calls of a mount's thread. */
export interface MountThreadCalls {
  /** Returns when the mount has ended; the thread ends after it. */
  mount(options: MountOptions): void;
  /** Ends it: once no program uses it any more, or at once. */
  end(input: { readonly detaches: boolean }): void;
}

export interface MountThreadEvents {
  /** Everything can be read from now on. */
  readonly mounted: Record<string, never>;
  /** It was asked to end while a program uses it. */
  readonly busy: Record<string, never>;
}
