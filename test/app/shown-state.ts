import type { Page } from 'playwright';
import type { AppState } from '../../src/ipc/state.ts';

/** Returns the last state that the window received. */
export function shownState(page: Page): Promise<AppState> {
  return page.evaluate(
    () =>
      new Promise<AppState>((resolve) => {
        const fixture = globalThis as unknown as {
          holdfastPort: { onState: (listener: (state: AppState) => void) => () => void };
        };
        const forget = fixture.holdfastPort.onState((state) => {
          resolve(state);
          queueMicrotask(() => forget());
        });
      }),
  );
}
