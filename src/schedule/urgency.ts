import type { Decision } from '../model/schedule/decision.ts';

/**
 * Returns the decision that stands for a set with several destinations: the one that is running, else the one that begins
 * soonest. An absent destination counts only if nothing else is planned.
 */
export function mostUrgent(decisions: Iterable<Decision>): Decision {
  let first: Decision = { kind: 'manual' };
  for (const decision of decisions) {
    const [rank, at] = urgency(decision);
    const [firstRank, firstAt] = urgency(first);
    if (rank < firstRank || (rank === firstRank && at < firstAt)) first = decision;
  }
  return first;
}

/** Lower values are more urgent; among equal ranks, lower times. */
function urgency(decision: Decision): readonly [rank: number, at: number] {
  switch (decision.kind) {
    case 'running':
      return [0, decision.since];
    case 'waiting':
      if (decision.reason.kind === 'retry') return [2, decision.reason.at];
      return [decision.reason.kind === 'destination' ? 4 : 1, decision.since];
    case 'next':
      return [2, decision.at];
    case 'quiet':
      return [2, decision.until];
    case 'watching':
      return [3, 0];
    case 'manual':
      return [5, 0];
  }
}
