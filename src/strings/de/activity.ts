import type { activityEn } from '../en/activity.ts';

export const activityDe: typeof activityEn = {};
