import { useEffect, useRef, useState } from 'react';
import type { RefObject } from 'react';
import type { View } from '../../ipc/contract/contract.ts';

const CONTROLS = 'a[href], button:not(:disabled), input:not(:disabled), [tabindex="0"]';

/**
 * Lets Tab reach a view that scrolls and has no control, such as Devices with one computer in a small window: keys could not scroll
 * it otherwise once the focus has left it.
 *
 * @returns the reference for the element of the view, and its `tabIndex`
 */
export function useScrollStop(view: View): readonly [RefObject<HTMLElement | null>, 0 | -1] {
  const scroller = useRef<HTMLElement>(null);
  const [isStop, setStop] = useState(false);
  useEffect(() => {
    const element = scroller.current;
    if (!element) return undefined;
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
  }, [view]);
  return [scroller, isStop ? 0 : -1];
}
