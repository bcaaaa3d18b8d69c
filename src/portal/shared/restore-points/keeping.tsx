import type { ReactElement } from 'react';
import type { RetainedPoint } from '../../../protocol/retention.ts';
import { Badge } from '../../../ui/feedback/badge.tsx';
import { useLanguage } from '../../strings/language.ts';

interface KeepingProps {
  readonly point: RetainedPoint;
  /** Without a policy everything is kept, and only pins are shown. */
  readonly hasPolicy: boolean;
}

/** Why a restore point is kept, or that it will be removed. */
export function Keeping({ point, hasPolicy }: KeepingProps): ReactElement | null {
  const { strings, formats } = useLanguage();
  const words = strings.retention;
  const { kept_because: reasons, locked_until: locked, pinned } = point;
  if (pinned) return <Badge tone="good">{words.pinned}</Badge>;
  if (!hasPolicy) return null;
  if (reasons.length > 0)
    return <span>{formats.series(reasons.map((reason) => words.reasons[reason] ?? reason))}</span>;
  return <Badge tone="warning">{locked === null ? words.goes : words.goesLater(formats.day(locked))}</Badge>;
}
