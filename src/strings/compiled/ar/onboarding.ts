// Compiled from the catalogues by `npm run texts`. Do not edit.
import { onboarding as source } from '../en/onboarding.ts';

export const onboarding = (): typeof source => (source);
