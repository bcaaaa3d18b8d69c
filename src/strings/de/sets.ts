import type { setsEn } from '../en/sets.ts';

export const setsDe: typeof setsEn = {};
