import { useState } from 'react';
import type { Factor } from '../../../ipc/contract/setup.ts';
import { useLanguage } from '../../shared/use-language.ts';

const DIGITS = 6;

/** State of the fields for a second factor. */
export interface FactorEntry {
  readonly factors: readonly Factor[];
  readonly factor: Factor | undefined;
  readonly code: string;
  readonly problem: string | undefined;
  readonly choose: (id: string) => void;
  readonly enter: (code: string) => void;
  /** Returns what to send; `undefined` if something is missing, which is then shown. */
  readonly check: () => { readonly factor: string; readonly code: string } | undefined;
  /** Shows that the service has refused the code. */
  readonly refuse: () => void;
}

/** @param factors the first app among them is selected at first */
export function useFactor(factors: readonly Factor[]): FactorEntry {
  const words = useLanguage().strings.account;
  const [chosen, setChosen] = useState(() => (factors.find(isApp) ?? factors[0])?.id);
  const [code, setCode] = useState('');
  const [problem, setProblem] = useState<string>();
  const factor = factors.find(({ id }) => id === chosen);
  return {
    factors,
    factor,
    code,
    problem,
    choose: (id) => {
      setChosen(id);
      setCode('');
      setProblem(undefined);
    },
    enter: (next) => {
      setCode(next);
      setProblem(undefined);
    },
    check: () => {
      if (!factor) return undefined;
      const given = isApp(factor) ? code.replace(/\D/g, '') : code.trim();
      const isShort = isApp(factor) ? given.length !== DIGITS : given === '';
      setProblem(isShort ? (isApp(factor) ? words.short : words.missing) : undefined);
      return isShort ? undefined : { factor: factor.id, code: given };
    },
    refuse: () => setProblem(factor && isApp(factor) ? words.wrong : words.wrongOther),
  };
}

export function isApp({ kind }: Factor): boolean {
  return kind === 'totp';
}
