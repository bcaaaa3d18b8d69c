import { phraseOf } from '../../format/crypto/recovery-phrase.ts';
import type { AgentParts } from '../context/agent-parts.ts';
import { requireSettings } from '../home/settings.ts';
import { requireSecrets } from '../key-store/require-secrets.ts';

/** Returns the recovery phrase of this home's master key. */
export async function recoveryPhrase({ home, keyStore }: AgentParts): Promise<string> {
  return phraseOf((await requireSecrets(keyStore, requireSettings(home))).masterKey);
}
