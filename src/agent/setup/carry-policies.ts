import { isHoldfastError } from '../../base/errors.ts';
import { INTERACTIVE_RETRY_POLICY } from '../../engine/transfer/http/retrier.ts';
import type { AgentParts } from '../context/agent-parts.ts';
import { openAccess } from '../destination/open-access.ts';
import type { Settings } from '../home/settings.ts';
import { requireSecrets } from '../key-store/require-secrets.ts';
import { savePendingPolicy } from '../sets/pending-retention.ts';

/**
 * Saves the retention policy of each set for the next destination. If the current one cannot be reached, the next keeps
 * all restore points.
 */
export async function carryPolicies(settings: Settings, parts: AgentParts, signal?: AbortSignal): Promise<void> {
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
      if (policy) savePendingPolicy(home, name, policy);
    }
  } catch (error) {
    ignoreFailure(error);
  }
}

function ignoreFailure(error: unknown): undefined {
  if (!isHoldfastError(error) || isHoldfastError(error, 'interrupted')) throw error;
  return undefined;
}
