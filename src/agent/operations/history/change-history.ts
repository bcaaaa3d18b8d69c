import { isHistoryDamage, removeHistory } from '../../../history/database.ts';
import { FileHistory } from '../../../history/file-history.ts';
import type { Home } from '../../home/home.ts';

/** Opens the history of files for changes. If it turns out to be damaged, it is made anew, and the work is done again once. */
export async function changeHistory<Result>(
  { historyFile }: Home,
  work: (history: FileHistory) => Promise<Result>,
): Promise<Result> {
  const attempt = async (): Promise<Result> => {
    using history = new FileHistory(historyFile);
    return await work(history);
  };
  try {
    return await attempt();
  } catch (error) {
    if (!isHistoryDamage(error)) throw error;
    removeHistory(historyFile);
    return await attempt();
  }
}
