import { isHoldfastError } from '../../base/errors.ts';
import { INTERACTIVE_RETRY_POLICY } from '../../engine/transfer/http/retrier.ts';
import type { AgentParts } from '../agent.ts';
import { openAccess, secretsOf } from '../destination/service-access.ts';
import type { Settings } from '../home/settings.ts';
import { notePendingPolicy } from '../sets/pending-retention.ts';

/**
 * Notes what thins the restore points of each set where they are now, so that they are thinned alike at the next place. A
 * place that cannot be asked leaves all of the new one's restore points where they are: nothing is lost by that.
 */
export async function carryPolicies(settings: Settings, parts: AgentParts, signal?: AbortSignal): Promise<void> {
  const { home, keyStore, clock, environment } = parts;
  const options = { home, clock, environment, policy: INTERACTIVE_RETRY_POLICY };
  try {
    const secrets = await secretsOf(keyStore, settings);
    await using access = await openAccess(settings, secrets, keyStore, options);
    for (const { name } of settings.sets) {
      const set = { device_id: settings.deviceId, backup_set: name };
      const asked = access.retention({ action: 'show', ...set }, signal).catch(unlessKnown);
      const policy = (await asked)?.state.policy;
      if (policy) notePendingPolicy(home, name, policy);
    }
  } catch (error) {
    unlessKnown(error);
  }
}

function unlessKnown(error: unknown): undefined {
  if (!isHoldfastError(error) || isHoldfastError(error, 'interrupted')) throw error;
  return undefined;
}
