import type { onboardingEn } from '../en/onboarding.ts';

export const onboardingDe: typeof onboardingEn = {};
