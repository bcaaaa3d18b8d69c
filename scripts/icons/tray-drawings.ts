/**
 * The tray icons on a grid of 16: a shape for each state, distinguishable without colour, and a symbol
 * in it. `light` and `dark` are the bars behind them.
 */
export interface TrayDrawing {
  readonly light: string;
  readonly dark: string;
  /** The shape behind the symbol. */
  readonly shape: string;
  /** Strokes of width 1.75 with round ends. */
  readonly sign: string;
}

const ROUND = '<circle cx="8" cy="8" r="7.25"/>';
const SHIELD =
  '<path d="M8 .6c2 1.3 4.2 1.9 6.6 2v5.1c0 3.7-2.5 6.4-6.6 7.8C3.9 14.1 1.4 11.4 1.4 7.7V2.6C3.8 2.5 6 1.9 8 .6z"/>';
const TRIANGLE = '<path d="M6.6 1.5a1.62 1.62 0 0 1 2.8 0l6.1 10.9a1.6 1.6 0 0 1-1.4 2.4H1.9a1.6 1.6 0 0 1-1.4-2.4z"/>';
const OCTAGON = '<path d="M5 .75h6L15.25 5v6L11 15.25H5L.75 11V5z" stroke-linejoin="round"/>';
const CHECK = '<path d="M4.9 8l2.3 2.3 4-4.3"/>';

export const TRAY_DRAWINGS: Readonly<Record<string, TrayDrawing>> = {
  idle: { light: '#5c6761', dark: '#b9c4be', shape: SHIELD, sign: '<path d="M5.2 7.6h5.6"/>' },
  protected: { light: '#17805f', dark: '#3ecf9f', shape: SHIELD, sign: CHECK },
  running: {
    light: '#1f62c9',
    dark: '#6aa9ff',
    shape: ROUND,
    sign: '<path d="M8 11.7V4.9M4.9 7.6 8 4.5l3.1 3.1"/>',
  },
  waiting: { light: '#5c6761', dark: '#b9c4be', shape: ROUND, sign: '<path d="M8 4.3V8.3l2.5 1.6"/>' },
  paused: { light: '#5c6761', dark: '#b9c4be', shape: ROUND, sign: '<path d="M6 5.2v5.6M10 5.2v5.6"/>' },
  attention: {
    light: '#b36a00',
    dark: '#ffb938',
    shape: TRIANGLE,
    sign: '<path d="M8 5.6v3.4M8 12v.01"/>',
  },
  risk: { light: '#c22f1c', dark: '#ff7a66', shape: OCTAGON, sign: '<path d="M8 4.1v4.4M8 11.7v.01"/>' },
};

/** Draws an icon for a light or a dark bar. */
export function colouredIcon({ shape, sign, ...colours }: TrayDrawing, bar: 'light' | 'dark'): string {
  const ink = bar === 'light' ? '#fff' : '#0c100e';
  return svg(`<g fill="${colours[bar]}" stroke="none">${shape}</g>${strokes(sign, ink)}`);
}

/** Draws a template for macOS, which colours the shape: the symbol is a hole. */
export function templateIcon({ shape, sign }: TrayDrawing): string {
  const mask = `<mask id="sign"><rect width="16" height="16" fill="#fff"/>${strokes(sign, '#000')}</mask>`;
  return svg(`${mask}<g fill="#000" mask="url(#sign)">${shape}</g>`);
}

function strokes(sign: string, colour: string): string {
  return `<g fill="none" stroke="${colour}" stroke-width="1.75" stroke-linecap="round" stroke-linejoin="round">${sign}</g>`;
}

function svg(content: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">${content}</svg>\n`;
}
