import type { FirstSchedule } from '../page/draft.ts';

export const SCHEDULES: readonly FirstSchedule[] = ['hourly', 'daily', 'manual'];
