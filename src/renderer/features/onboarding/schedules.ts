import type { FirstSchedule } from './draft.ts';

export const SCHEDULES: readonly FirstSchedule[] = ['hourly', 'daily', 'manual'];
