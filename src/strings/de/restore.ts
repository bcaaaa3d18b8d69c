import type { restoreEn } from '../en/restore.ts';

export const restoreDe: typeof restoreEn = {};
