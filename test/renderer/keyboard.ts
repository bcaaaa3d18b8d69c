import type { ShownWindow } from './window-page.ts';

/** Presses Tab until a control of that name has the focus. */
export async function tabTo({ page }: ShownWindow, name: RegExp): Promise<void> {
  const names: string[] = [];
  for (let step = 0; step < 80; step += 1) {
    const at = String(
      await page.evaluate(
        '(document.activeElement.ariaLabel || document.activeElement.labels?.[0]?.textContent || document.activeElement.value || document.activeElement.textContent).trim().slice(0, 60)',
      ),
    );
    if (name.test(at)) return;
    names.push(at);
    await page.keyboard.press('Tab');
  }
  throw new Error(`no ${String(name)} among ${names.join(' | ')}`);
}

/** Returns the inputs of all calls of a method, in order. */
export function callsOf(shown: ShownWindow, name: string): readonly unknown[] {
  return shown.calls.filter((call) => call.name === name).map(({ input }) => input);
}
