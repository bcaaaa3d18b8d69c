import { ServiceProblem } from './problem.ts';

/**
 * Waits for what a client sends.
 *
 * @throws ServiceProblem `request_timeout` with the detail after so many milliseconds
 */
export async function inTime<Value>(work: Promise<Value>, milliseconds: number, detail: string): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new ServiceProblem('request_timeout', { detail })), milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
