import { z } from 'zod';
import { JsonFile } from '../../base/files/json-file.ts';
import type { LedgerHead } from '../../format/repository/segment.ts';

const headForm = z.object({ number: z.int().positive(), hash: z.string().regex(/^[0-9a-f]{64}$/) });

const form = z.object({
  writer: z.string(),
  /** The newest segment that this computer wrote. */
  head: headForm.optional(),
  /** A segment that was about to be written: it may be in the repository. */
  pending: headForm.optional(),
  /** Segments that were to be written earlier and were not found: a store may complete a lost request late. */
  abandoned: z.array(headForm.extend({ isRefused: z.boolean().optional() })).optional(),
});

const MOST_ABANDONED = 100;

/** A segment that was to be written and was not found. `isRefused`: the store had no room for it, so it hardly turns up. */
export interface AbandonedSegment extends LedgerHead {
  readonly isRefused?: boolean | undefined;
}

/**
 * Remembers the newest segment that this computer wrote, durably and apart from the projection. A ledger that is longer than
 * this was continued by a copy of this home.
 */
export class OwnLedger {
  readonly #file: JsonFile<typeof form>;
  readonly #writer: string;

  constructor(path: string, writer: string) {
    this.#file = new JsonFile(path, form);
    this.#writer = writer;
  }

  /** Returns the remembered state. `isKnown` is false for a writer that has written nothing yet, and where the file is lost. */
  read(): {
    readonly isKnown: boolean;
    readonly head: LedgerHead | undefined;
    readonly pending: LedgerHead | undefined;
    readonly abandoned: readonly AbandonedSegment[];
  } {
    const state = this.#file.readSync(() => undefined);
    return state?.writer === this.#writer
      ? { isKnown: true, head: state.head, pending: state.pending, abandoned: state.abandoned ?? [] }
      : { isKnown: false, head: undefined, pending: undefined, abandoned: [] };
  }

  /** Announces a segment before it is written. @throws HoldfastError `home_unwritable` */
  begin(head: LedgerHead | undefined, pending: LedgerHead): void {
    const { pending: before, abandoned } = this.read();
    const all = before && before.hash !== head?.hash ? [...abandoned, before] : [...abandoned];
    this.#file.writeSync({ writer: this.#writer, head, pending, abandoned: all.slice(-MOST_ABANDONED) });
  }

  /** Records that the store had no room for the segment that was announced. @throws HoldfastError `home_unwritable` */
  refuse(): void {
    const { head, pending, abandoned } = this.read();
    if (!pending) return;
    const all = [...abandoned, { ...pending, isRefused: true }];
    this.#file.writeSync({ writer: this.#writer, head, abandoned: all.slice(-MOST_ABANDONED) });
  }

  /** Records that a segment was written. @throws HoldfastError `home_unwritable` */
  commit(head: LedgerHead): void {
    const { abandoned } = this.read();
    this.#file.writeSync({ writer: this.#writer, head, abandoned: [...abandoned] });
  }
}
