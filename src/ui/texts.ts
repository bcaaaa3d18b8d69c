import { createContext, useContext } from 'react';

/** Texts that controls of this folder show by themselves, in the person's language. */
export interface UiTexts {
  readonly cancel: string;
  readonly loading: string;
  readonly retry: string;
  /** Why the browser does not accept what a field contains. */
  readonly invalid: {
    readonly missing: string;
    readonly email: string;
    readonly url: string;
    readonly short: (characters: number) => string;
    readonly other: string;
  };
  /** Describes what an action or a request failed with. */
  readonly failure: (failure: unknown) => string;
}

export const UiTextsContext = createContext<UiTexts | undefined>(undefined);

/** @throws outside of a provider of the context */
export function useUiTexts(): UiTexts {
  const texts = useContext(UiTextsContext);
  if (!texts) throw new Error('no UiTextsContext above this control');
  return texts;
}
