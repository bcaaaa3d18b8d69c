import { useEffect, useState } from 'react';
import type { Estimate } from '../../../../ipc/contract/sets.ts';
import { call } from '../../../bridge/bridge.ts';
import type { Draft } from '../draft/draft.ts';

/** Milliseconds after the last change until it is counted anew. */
const QUIET = 350;
/** How often it is asked how far the counting is. */
const ASKING = 300;

export type Counted =
  | { readonly kind: 'none' }
  | { readonly kind: 'waiting' }
  | { readonly kind: 'known'; readonly estimate: Estimate }
  | { readonly kind: 'failed' };

/** What the set would hold, and what each rule keeps out, while it is edited. The figures of before stay until new ones come. */
export function useEstimate(draft: Pick<Draft, 'roots' | 'excludes' | 'presets' | 'oneFileSystem'>): Counted {
  const { roots, excludes, presets, oneFileSystem } = draft;
  const key = JSON.stringify({ roots, excludes, presets, oneFileSystem });
  const [held, setHeld] = useState<{ readonly key: string; readonly counted: Counted }>();
  useEffect(() => {
    const question = JSON.parse(key) as {
      roots: string[];
      excludes: string[];
      presets: string[];
      oneFileSystem: boolean;
    };
    if (question.roots.length === 0) return undefined;
    const estimate = crypto.randomUUID();
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = async (): Promise<void> => {
      try {
        const answer = await call('sets.estimate', { estimate, ...question });
        if (isOver) return;
        setHeld({ key, counted: { kind: 'known', estimate: answer } });
        if (!answer.done) timer = setTimeout(() => void ask(), ASKING);
      } catch {
        if (!isOver) setHeld({ key, counted: { kind: 'failed' } });
      }
    };
    let isAsked = false;
    timer = setTimeout(() => {
      isAsked = true;
      void ask();
    }, QUIET);
    return () => {
      isOver = true;
      clearTimeout(timer);
      // Nobody waits for it any longer; that it could not be told is no matter.
      if (isAsked) call('sets.estimate.stop', { estimate }).catch(() => undefined);
    };
  }, [key]);
  if (roots.length === 0) return { kind: 'none' };
  if (!held) return { kind: 'waiting' };
  if (held.key !== key && held.counted.kind === 'known') {
    return { kind: 'known', estimate: { ...held.counted.estimate, done: false } };
  }
  return held.counted;
}
