import type { homeEn } from '../en/home.ts';

export const homeDe: typeof homeEn = {};
