import { useEffect, useRef, useState } from 'react';
import type { Listing } from './listing.ts';

/** Milliseconds after which the next key starts a new word. */
const PAUSE = 1_000;

export interface TypeAhead {
  /** The typed text; empty after a pause. */
  readonly text: string;
  /** No name begins with it. */
  readonly isMissed: boolean;
  /** Handles a key. Returns `false` for keys that names do not contain. */
  readonly press: (key: string) => boolean;
  /** Forgets what was typed: the next key starts a new word. */
  readonly end: () => void;
}

/** Typing the beginning of a name moves to the next row with it, anywhere in the folder. */
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
    // The first letter starts at the next row, so that repeating it visits all names that begin with it.
    void find(next, text === '' ? current + 1 : current, search.current);
    return true;
  };
  const end = (): void => {
    clearTimeout(timer.current);
    search.current?.abort();
    setText('');
  };
  return { text, isMissed, press, end };
}
