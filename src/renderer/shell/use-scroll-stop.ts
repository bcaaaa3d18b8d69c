import { useCallback, useState } from 'react';
import type { RefCallback } from 'react';

const CONTROLS = 'a[href], button:not(:disabled), input:not(:disabled), [tabindex="0"]';

/**
 * Lets Tab reach a view that scrolls and has no control, such as Devices with one computer in a small window: keys could not scroll
 * it otherwise once the focus has left it.
 *
 * @returns the reference for the element of the view, and its `tabIndex`
 */
export function useScrollStop(): readonly [RefCallback<HTMLElement>, 0 | -1] {
  const [isStop, setStop] = useState(false);
  const scroller = useCallback((element: HTMLElement) => {
    const update = (): void =>
      setStop(element.querySelector(CONTROLS) === null && element.scrollHeight > element.clientHeight);
    const sizes = new ResizeObserver(update);
    sizes.observe(element);
    const contents = new MutationObserver(update);
    contents.observe(element, { childList: true, subtree: true });
    update();
    return () => {
      sizes.disconnect();
      contents.disconnect();
    };
  }, []);
  return [scroller, isStop ? 0 : -1];
}
