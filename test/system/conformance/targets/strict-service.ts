import { startStrictService } from '../../../helpers/strict-service/strict-service.ts';
import type { Target } from './target.ts';

/** The second service, which is based on the interface alone. */
export async function startStrictTarget(): Promise<Target> {
  const service = await startStrictService();
  const { baseUrl: url, user, device, now } = service;
  const elapse = async (seconds: number): Promise<void> => service.advance(seconds);
  return { options: { url, user, device, now, elapse, longestWait: 0 }, close: () => service.close() };
}
