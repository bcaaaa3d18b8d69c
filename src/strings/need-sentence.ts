import type { Need } from '../ipc/state.ts';
import type { Strings } from './en.ts';

/** What needs a person, in one sentence. */
export function needSentence(need: Need, { home }: Strings): string {
  const words = home.needs;
  switch (need.kind) {
    case 'no-set':
      return words.noSet;
    case 'first-backup':
      return words.firstBackup(need.set);
    case 'failed':
      return words.failed(need.set);
    case 'no-backup-for':
      return words.noBackupFor(need.set, need.days);
    case 'warnings':
      return words.warnings(need.set, need.count);
    case 'destination-missing':
      return words.destinationMissing(need.place);
    case 'signed-out':
      return words.signedOut;
    case 'clock-wrong':
      return words.clockWrong;
    case 'phrase-unconfirmed':
      return words.phraseUnconfirmed;
    case 'verification-failed':
      return words.verificationFailed(need.set);
    case 'agent-restarted':
      return words.agentRestarted;
    case 'restore-unfinished':
      if (need.failure) return words.restoreUnfinished(need.set);
      return need.waitsFor === undefined
        ? words.restoreWaits(need.set)
        : words.restoreWaitsFor(need.set, need.waitsFor);
    case 'suspicious-run':
      return need.set === undefined ? words.suspiciousRunElsewhere : words.suspiciousRun(need.set);
  }
}
