import { isHoldfastError } from '../../base/errors/errors.ts';
import { INTERACTIVE_RETRY_POLICY } from '../../remote/http/retrier.ts';
import type { AgentParts } from '../context/agent-parts.ts';
import { openAccess } from '../destination/open-access.ts';
import type { Settings } from '../home/settings.ts';
import { requireSecrets } from '../key-store/require-secrets.ts';
import { savePendingPolicy } from '../sets/pending-retention.ts';

/**
 * Saves the retention policy that each set has at one destination for another one. If the one cannot be reached, the other
 * keeps all restore points.
 *
 * @param settings with the one destination
 * @param destination the id of the other one
 */
export async function carryPolicies(
  settings: Settings,
  destination: string,
  parts: AgentParts,
  signal?: AbortSignal,
): Promise<void> {
  const { home, clock, environment } = parts;
  const keyStore = parts.keyStore.at(settings.credentials);
  try {
    const secrets = await requireSecrets(keyStore, settings);
    await using access = await openAccess({
      home,
      keyStore,
      clock,
      environment,
      settings,
      secrets,
      policy: INTERACTIVE_RETRY_POLICY,
    });
    for (const { name } of settings.sets) {
      const set = { device_id: settings.deviceId, backup_set: name };
      const shown = await access.retention({ action: 'show', ...set }, signal).catch(ignoreFailure);
      const policy = shown?.state.policy;
      if (policy) savePendingPolicy(home, { destination, set: name }, policy);
    }
  } catch (error) {
    ignoreFailure(error);
  }
}

function ignoreFailure(error: unknown): undefined {
  if (!isHoldfastError(error) || isHoldfastError(error, 'interrupted')) throw error;
  return undefined;
}
