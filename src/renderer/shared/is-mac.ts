/** Whether the window is on a Mac, whose shortcuts have ⌘ instead of Control. */
export const IS_MAC = navigator.platform.startsWith('Mac');
