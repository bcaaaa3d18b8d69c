/** What a key does in the rows of a folder. */
export type KeyCommand =
  | { readonly kind: 'menu' | 'climb' | 'older' | 'newer' | 'choose-all' | 'copy' | 'open' | 'toggle' }
  /** Makes a row current, or extends the selection to it. */
  | { readonly kind: 'go' | 'extend'; readonly to: number };

interface PressedKey {
  readonly key: string;
  readonly altKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly shiftKey: boolean;
}

/** Where a key is pressed. */
interface KeyPlace {
  /** There is a current entry. */
  readonly hasEntry: boolean;
  /** The row that the key leads to, if it moves. */
  readonly to: number | undefined;
  /** Where an arrow to the side points, in the direction of reading. */
  readonly direction: 'forward' | 'back' | undefined;
  /** The beginning of a name that is being typed, to which the next key may belong. */
  readonly typed: string;
}

/** Returns whether a key is no letter of a name, whatever key it is. */
export function hasModifier({ altKey, ctrlKey, metaKey }: PressedKey): boolean {
  return altKey || ctrlKey || metaKey;
}

/** Returns what a key does; `undefined` for one that does nothing, or is a letter of a name. */
export function keyCommand(pressed: PressedKey, place: KeyPlace): KeyCommand | undefined {
  const { key, altKey, ctrlKey, metaKey, shiftKey } = pressed;
  const { hasEntry, to, typed } = place;
  if (key === 'ContextMenu' || (key === 'F10' && shiftKey)) return { kind: 'menu' };
  if (altKey && key === 'ArrowUp') return { kind: 'climb' };
  if (isStep(pressed, '[', 'back', place)) return { kind: 'older' };
  if (isStep(pressed, ']', 'forward', place)) return { kind: 'newer' };
  if (altKey) return undefined;
  if (ctrlKey || metaKey) {
    if (key.toLowerCase() === 'a') return { kind: 'choose-all' };
    return key.toLowerCase() === 'c' && hasEntry ? { kind: 'copy' } : undefined;
  }
  if (to !== undefined) return { kind: shiftKey ? 'extend' : 'go', to };
  if (key === 'Enter' && hasEntry) return { kind: 'open' };
  if (typed !== '') return undefined;
  if (key === ' ' && hasEntry) return { kind: 'toggle' };
  return key === 'Backspace' ? { kind: 'climb' } : undefined;
}

/** Returns whether a key steps through time: a bracket, or an arrow with Alt. */
function isStep(
  { key, altKey }: PressedKey,
  bracket: string,
  arrow: 'forward' | 'back',
  { direction, typed }: KeyPlace,
): boolean {
  return altKey ? direction === arrow : key === bracket && typed === '';
}
