import type { devicesEn } from '../en/devices.ts';

export const devicesDe: typeof devicesEn = {};
