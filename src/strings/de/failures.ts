import type { failuresEn } from '../en/failures.ts';

export const failuresDe: typeof failuresEn = {
  unknown: (code) => `In Holdfast ist etwas schiefgegangen (${code}). Es wurde nichts geändert.`,
  sentences: {},
};
