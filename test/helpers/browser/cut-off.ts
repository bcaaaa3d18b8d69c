/** Lists texts that overflow their box without an ellipsis or scrolling, and placeholders. Runs in the page. */
export const CUT_OFF = `(() => {
  const ruler = document.createElement('canvas').getContext('2d');
  const excess = (part) => {
    if (!part.placeholder) return part.scrollWidth - part.clientWidth;
    if (part.value !== '') return 0;
    const { font, paddingLeft, paddingRight } = getComputedStyle(part);
    ruler.font = font;
    const room = part.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
    return Math.ceil(ruler.measureText(part.placeholder).width - room);
  };
  return [...document.querySelectorAll('main, .first-body, [role=dialog], h1, h2, h3, p, label, button, dt, dd, [role=tab], input[placeholder]')]
    .filter((part) => {
      const { overflowX, textOverflow, display } = getComputedStyle(part);
      if (display === 'inline' || textOverflow === 'ellipsis' || part.clientWidth < 2) return false;
      const isScrolled = overflowX === 'auto' || overflowX === 'scroll';
      return excess(part) > 1 && (!isScrolled || part.matches('main, .first-body, [role=dialog]'));
    })
    .map((part) => part.localName + ' “' + (part.placeholder || part.textContent).trim().slice(0, 40) + '” by ' + excess(part));
})()`;
