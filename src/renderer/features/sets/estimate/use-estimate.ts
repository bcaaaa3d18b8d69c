import { useEffect, useState } from 'react';
import type { Estimate } from '../../../../ipc/contract/sets.ts';
import { useStable } from '../../../bridge/deep-equality.ts';
import type { Draft } from '../draft/draft.ts';
import { pollEstimate, stopEstimate } from './poll-estimate.ts';

/** Milliseconds without a change before the counting starts again. */
const QUIET = 350;

export type Counted =
  | { readonly kind: 'none' }
  | { readonly kind: 'waiting' }
  | { readonly kind: 'known'; readonly estimate: Estimate }
  | { readonly kind: 'failed' };

type Question = Pick<Draft, 'roots' | 'excludes' | 'presets' | 'oneFileSystem'>;

/** Counts what the edited set would hold, and what each rule leaves out. Old figures stay until new ones arrive. */
export function useEstimate({ roots, excludes, presets, oneFileSystem }: Question): Counted {
  const question = useStable({ roots, excludes, presets, oneFileSystem });
  const [held, setHeld] = useState<{ readonly question: Question; readonly counted: Counted }>();
  useEffect(() => {
    if (question.roots.length === 0) return undefined;
    const estimate = crypto.randomUUID();
    const ends = new AbortController();
    let isStarted = false;
    const timer = setTimeout(() => {
      isStarted = true;
      const request = {
        estimate,
        roots: [...question.roots],
        excludes: [...question.excludes],
        presets: [...question.presets],
        oneFileSystem: question.oneFileSystem,
      };
      const report = (answer: Estimate): void => setHeld({ question, counted: { kind: 'known', estimate: answer } });
      pollEstimate(request, report, ends.signal).catch(() => {
        if (!ends.signal.aborted) setHeld({ question, counted: { kind: 'failed' } });
      });
    }, QUIET);
    return () => {
      ends.abort();
      clearTimeout(timer);
      if (isStarted) stopEstimate(estimate);
    };
  }, [question]);
  if (roots.length === 0) return { kind: 'none' };
  if (!held) return { kind: 'waiting' };
  if (held.question !== question && held.counted.kind === 'known') {
    return { kind: 'known', estimate: { ...held.counted.estimate, done: false } };
  }
  return held.counted;
}
