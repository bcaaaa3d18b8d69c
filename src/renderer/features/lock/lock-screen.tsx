import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import type { AppState } from '../../../ipc/state.ts';
import { lockedWords } from '../../../strings/locked-sentence.ts';
import { HEALTH_STYLES } from '../../shared/health-styles.ts';
import { useNow } from '../../shared/use-now.ts';
import { BrandMark } from '../../shared/brand.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { useAppState } from '../../bridge/use-app-state.ts';
import { useLanguage } from '../../shared/use-language.ts';
import './lock.css';
import { UnlockByPassword } from './unlock-by-password.tsx';
import { UnlockByPhrase } from './unlock-by-phrase.tsx';

const whole = (state: AppState): AppState => state;

/** Replaces all views while the window is locked: the overall state and the ways to unlock it. */
export function LockScreen(): ReactElement | null {
  const language = useLanguage();
  const { strings } = language;
  const state = useAppState(whole);
  const now = useNow();
  const [isForgotten, setForgotten] = useState(false);
  useEffect(() => {
    document.title = strings.common.product;
  }, [strings]);
  if (!state?.lock) return null;
  const { tone, icon } = state.damage ? HEALTH_STYLES['at-risk'] : HEALTH_STYLES[state.health];
  const { headline, detail } = lockedWords(state, language, now);
  return (
    <main className="lock">
      <div className="lock-page">
        <p className="lock-brand">
          <BrandMark />
          {strings.common.product}
        </p>
        <p className="lock-state" data-tone={tone}>
          <Icon name={icon} />
          <span>
            {/* The detail changes with every second of a run, and is not announced. */}
            <span role="status" data-live-announcer>
              {headline}
            </span>
            {detail !== undefined && <span className="ui-soft"> {detail}</span>}
          </span>
        </p>
        {isForgotten ? (
          <UnlockByPhrase onBack={() => setForgotten(false)} />
        ) : (
          <UnlockByPassword lock={state.lock} onForgotten={() => setForgotten(true)} />
        )}
      </div>
    </main>
  );
}
