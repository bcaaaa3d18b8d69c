import type { ShownWindow } from './window-page.ts';

/** Presses Tab until a control of that name has the focus. A page or dialog that has it may have no other text than that of a control in it while it loads. */
export async function tabTo({ page }: ShownWindow, name: RegExp): Promise<void> {
  const names: string[] = [];
  for (let step = 0; step < 80; step += 1) {
    const at = await page.evaluate<{ name: string; isControl: boolean }>(FOCUSED);
    if (at.isControl && name.test(at.name)) return;
    names.push(at.name);
    await page.keyboard.press('Tab');
  }
  throw new Error(`no ${String(name)} among ${names.join(' | ')}`);
}

/** Runs in the page. What Tab does not reach is no control. */
const FOCUSED = `(({ ariaLabel, labels, value, textContent, tabIndex }) => ({
  name: (ariaLabel || labels?.[0]?.textContent || value || textContent).trim().slice(0, 60),
  isControl: tabIndex >= 0,
}))(document.activeElement)`;

/** Returns the inputs of all calls of a method, in order. */
export function callsOf(shown: ShownWindow, name: string): readonly unknown[] {
  return shown.calls.filter((call) => call.name === name).map(({ input }) => input);
}
