import type { settingsEn } from '../en/settings.ts';

export const settingsDe: typeof settingsEn = {};
