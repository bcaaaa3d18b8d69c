import { createContext } from 'react';
import type { ReactNode } from 'react';

/** Returns buttons that mend the cause of a failure, if there are any. `onMended` tries again. */
export type FailureRemedies = (failure: unknown, onMended: () => void) => ReactNode;

/** What a program offers beside “Try again”. */
export const FailureRemediesContext = createContext<FailureRemedies | undefined>(undefined);
