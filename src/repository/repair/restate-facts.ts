import { encode, rfc8949EncodeOptions } from 'cborg';
import type { Fact } from '../../format/repository/facts.ts';
import { factsOf } from '../ledger/checkpoint.ts';
import { readLedgers } from '../ledger/read-ledgers.ts';
import { ScratchProjection } from '../projection/scratch-projection.ts';
import type { Repository } from '../repository.ts';

/**
 * States again what this computer's projection has from segments that are lost. Does nothing while the ledgers are complete: then they
 * are right and the projection is not. Nor does it state anything from a projection that is damaged itself.
 *
 * @returns the number of facts
 */
export async function restateFacts(repository: Repository, scratch: string, signal?: AbortSignal): Promise<number> {
  const { projection } = repository;
  if (!projection.ledgers.isIncomplete() || !projection.isUndamaged()) return 0;
  const facts: Fact[] = [];
  {
    using fresh = new ScratchProjection(scratch, repository.id);
    await readLedgers({ ...repository.ledger, projection: fresh.projection }, signal);
    const writers = projection.ledgers.writers().map(({ id }) => id);
    const stated = new Set(writers.flatMap((id) => factsOf(id, fresh.projection).map(keyOf)));
    for (const id of writers) {
      for (const fact of factsOf(id, projection)) {
        // Only a writer can describe itself, and a pack that is condemned without reason is only kept for nothing.
        if (fact.kind === 'device' || fact.kind === 'condemned' || stated.has(keyOf(fact))) continue;
        facts.push(fact);
      }
    }
  }
  if (facts.length > 0) await repository.append(() => facts, signal);
  return facts.length;
}

function keyOf(fact: Fact): string {
  return Buffer.from(encode(fact, rfc8949EncodeOptions)).toString('base64');
}
