import { useEffect, useRef, useState } from 'react';
import type { Listing } from './listing.ts';

/** Milliseconds after the last key in which the next one goes on with the word. */
const PAUSE = 1_000;

interface TypeAhead {
  /** What was typed so far; empty after a pause. */
  readonly text: string;
  /** Nothing begins so. */
  readonly isMissed: boolean;
  /** Takes a key; false where it is none of a name. */
  readonly press: (key: string) => boolean;
}

/** Typing the beginning of a name goes to the next row that has it, wherever in the folder it is. */
export function useTypeAhead(listing: Listing, current: number, onFound: (index: number) => void): TypeAhead {
  const [text, setText] = useState('');
  const [isMissed, setMissed] = useState(false);
  const search = useRef<AbortController>(undefined);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(
    () => () => {
      search.current?.abort();
      clearTimeout(timer.current);
    },
    [],
  );

  const find = async (start: string, from: number, { signal }: AbortController): Promise<void> => {
    const index = await listing.find(start, from, signal).catch(() => undefined);
    if (signal.aborted) return;
    setMissed(index === undefined);
    if (index !== undefined) onFound(index);
    timer.current = setTimeout(() => setText(''), PAUSE);
  };

  const press = (key: string): boolean => {
    if (!/^.$/u.test(key) || (key === ' ' && text === '')) return false;
    clearTimeout(timer.current);
    search.current?.abort();
    search.current = new AbortController();
    const next = text + key;
    setText(next);
    setMissed(false);
    // The first letter goes on from the next row, so that it leads through all that begin with it.
    void find(next, text === '' ? current + 1 : current, search.current);
    return true;
  };
  return { text, isMissed, press };
}
