import type { HistoryChange } from '../../../history/queries.ts';
import { ChangedTree } from './changed-tree.ts';
import type { HistoryAnswers } from './history-answers.ts';
import type { HistoryReference } from './searched-sources.ts';
import type { RestoreTime } from '../../../model/restore-request.ts';

/** The compared restore points. `from` is 0 if the later one is the first. */
interface Between {
  readonly from: number;
  readonly to: number;
  readonly destination: string;
}

interface Compared {
  readonly tree: ChangedTree;
  readonly between: Between;
}

/** Changes that are read at a time. */
const PAGE = 1000;

/** The trees of changes, of which the last one is kept: a person opens its folders one after the other. */
export class ChangedTrees {
  readonly #answers: HistoryAnswers;
  #last: { readonly key: string; readonly tree: Promise<ChangedTree> } | undefined;

  constructor(answers: HistoryAnswers) {
    this.#answers = answers;
  }

  /** @throws HoldfastError `no_restore_point` if none of these times is known here */
  async tree(
    reference: HistoryReference,
    times: { readonly from: number | undefined; readonly to: RestoreTime },
  ): Promise<Compared> {
    // Finds the restore points, which the pages then name.
    const { from, to, destination } = this.#answers.changes(reference, { ...times, orNothing: true, count: 1 });
    const between = { from, to, destination };
    const there = { ...reference, destination };
    const key = JSON.stringify([there, from, to]);
    if (this.#last?.key !== key) {
      const tree = ChangedTree.of(this.#pages(there, between));
      this.#last = { key, tree };
      tree.catch(() => {
        if (this.#last?.key === key) this.#last = undefined;
      });
    }
    return { tree: await this.#last.tree, between };
  }

  *#pages(reference: HistoryReference, { from, to }: Between): Generator<readonly HistoryChange[]> {
    if (from === 0) return;
    for (let after: number | undefined = 0; after !== undefined;) {
      const page = this.#answers.changes(reference, { from, to, after, count: PAGE });
      yield page.rows;
      after = page.next;
    }
  }
}
