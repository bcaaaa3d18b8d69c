/** What the window says: onboarding. */
export const onboardingEn = {};
