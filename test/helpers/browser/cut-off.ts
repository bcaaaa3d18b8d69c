/** Lists texts that overflow their box without an ellipsis or scrolling. Runs in the page. */
export const CUT_OFF = `[...document.querySelectorAll('main, .first-body, [role=dialog], h1, h2, h3, p, label, button, dt, dd, [role=tab]')]
  .filter((part) => {
    const { overflowX, textOverflow, display } = getComputedStyle(part);
    if (display === 'inline' || textOverflow === 'ellipsis' || part.clientWidth < 2) return false;
    const isScrolled = overflowX === 'auto' || overflowX === 'scroll';
    return part.scrollWidth > part.clientWidth + 1 && (!isScrolled || part.matches('main, .first-body, [role=dialog]'));
  })
  .map((part) => part.localName + ' “' + part.textContent.trim().slice(0, 40) + '” by ' + (part.scrollWidth - part.clientWidth))`;
