import type { Doubt } from '../../../src/repository/doubt.ts';
import { RepositoryClient } from '../../../src/repository/repository-client.ts';
import type { Repository } from '../../../src/repository/repository.ts';

/** What somebody is shown who lists the restore points of every computer. */
export interface Listed {
  /** The ids of the restore points. */
  readonly points: ReadonlySet<string>;
  /** What the program says of the list; `undefined` if it vouches for it. */
  readonly doubt: Doubt | undefined;
}

/** Lists every restore point, as a new computer does that has opened the repository. */
export async function listAsNewComputer(repository: Repository): Promise<Listed> {
  const client = new RepositoryClient(repository);
  let doubt: Doubt | undefined;
  repository.onRead = (told) => (doubt = told);
  const points = new Set<string>();
  for (const { id } of await client.devices()) {
    for (const { name } of await client.backupSets(id)) {
      for (const { backup_id } of await client.restorePoints(id, name)) points.add(backup_id);
    }
  }
  return { points, doubt };
}
