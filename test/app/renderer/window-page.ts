import { failureOf } from '../../../src/base/errors/failure.ts';
import { createAdaptorServer } from '@hono/node-server';
import { serveStatic } from '@hono/node-server/serve-static';
import { Hono, type Context } from 'hono';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright';
import { windowMethods } from '../../../src/ipc/contract/contract.ts';
import type { WindowMethods, Wanted } from '../../../src/ipc/contract/contract.ts';
import type { Handlers } from '../../../src/base/calls/contract.ts';
import { serve } from '../../../src/base/calls/serve-contract.ts';
import type { AppState } from '../../../src/ipc/state.ts';
import { faultsOf } from '../../helpers/browser/axe.ts';
import type { Scope } from '../../helpers/browser/axe.ts';
import { ReusedPages } from '../../helpers/browser/reused-pages.ts';
import { testBrowser } from '../../helpers/browser/server.ts';
import { sharedResource } from '../../helpers/shared/shared-resource.ts';
import { NOW } from './states.ts';

export { CHROMIUM } from '../../helpers/browser/server.ts';

const USUAL_LOCALE = 'en-GB';

/** Answers of a test instead of the main process and the agent. Other calls fail as `refused`. */
export type Answers = Partial<Handlers<WindowMethods>>;

export interface PageOptions {
  readonly width?: number;
  readonly height?: number;
  readonly colorScheme?: 'light' | 'dark';
  readonly locale?: string;
}

/** The address of the window's page, and the pages of this process that show it to one test file after the other. */
interface Shared {
  readonly url: string;
  readonly pages: ReusedPages;
}

let shared: Promise<Shared> | undefined;

async function start(): Promise<Shared> {
  const folder = await sharedResource('window-page');
  // The browser keeps the compiled scripts of files that do not change.
  const onFound = (_path: string, { header }: Context) => header('cache-control', 'max-age=3600');
  const app = new Hono().use('*', serveStatic({ root: folder, onFound }));
  const server = createAdaptorServer({ fetch: app.fetch });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/index.html`;
  return { url, pages: new ReusedPages(await testBrowser()) };
}

/** What a page calls, by page. A page keeps its way to call when another test shows something in it. */
const callees = new WeakMap<Page, Callee>();

/** @param show what the caller was shown for: what an earlier test left is not answered */
type Callee = (show: number, name: string, input: unknown) => unknown;

let shows = 0;

/** The page of the window in a browser with a scripted agent, which shows every state of every view quickly. */
export class WindowPages {
  readonly #pages: ReusedPages;
  readonly #url: string;

  private constructor({ pages, url }: Shared) {
    this.#pages = pages;
    this.#url = url;
  }

  static async open(): Promise<WindowPages> {
    shared ??= start();
    return new WindowPages(await shared);
  }

  /** Closes what tests of this file left open, and the pages in languages that few files use. */
  close(): Promise<void> {
    return this.#pages.close(USUAL_LOCALE);
  }

  /** Loads the window. @param state the first state; `setState` sends later ones */
  async show(state: AppState, answers: Answers = {}, options: PageOptions = {}): Promise<ShownWindow> {
    const { width = 1000, height = 700, colorScheme = 'light', locale = USUAL_LOCALE } = options;
    const page = await this.#pages.open(locale);
    const calls: Call[] = [];
    const errors: string[] = [];
    if (!callees.has(page)) {
      await page.exposeFunction('holdfastTestCall', (...words: Parameters<Callee>) => callees.get(page)!(...words));
      await page.addInitScript(stopDate, NOW);
    }
    shows += 1;
    const here = shows;
    callees.set(page, (show, name, input) => {
      if (show !== here) return new Promise(() => undefined);
      calls.push({ name, input });
      const handlers = answers as Handlers<WindowMethods>;
      return serve(
        windowMethods,
        handlers,
        Object.hasOwn(answers, name) ? name : '',
        input,
        (error) => failureOf(error) ?? { code: 'internal', details: { problem: String(error) } },
      );
    });
    const script = await page.addInitScript(scriptAgent, { first: state, show: here });
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    page.on('pageerror', (error) => errors.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    await page.goto(this.#url);
    return new ShownWindow(page, calls, errors, async (hasOwnClock) => {
      await script.dispose();
      if (hasOwnClock) return page.context().close();
      await this.#pages.giveBack(page, locale, false);
    });
  }
}

/**
 * Keeps the page at one time, while its timers run: “12 minutes ago” stays so for as long as a busy machine takes. Runs in the page.
 */
function stopDate(now: number): void {
  globalThis.Date = class extends Date {
    constructor(...words: readonly unknown[]) {
      super(...((words.length === 0 ? [now] : words) as [number]));
    }
    static override now(): number {
      return now;
    }
  } as DateConstructor;
}

/** Puts a scripted agent in the place of the bridge. Runs in the page. */
function scriptAgent({ first, show }: { first: unknown; show: number }): void {
  type Listener = (value: unknown) => void;
  const global = globalThis as unknown as {
    holdfastTestCall: (show: number, name: string, input: unknown) => Promise<unknown>;
    holdfastTest: { state: unknown; states: Set<Listener>; shows: Set<Listener>; unanswered: number };
    holdfastPort: unknown;
  };
  const states = new Set<Listener>();
  const shows = new Set<Listener>();
  global.holdfastTest = { state: first, states, shows, unanswered: 0 };
  global.holdfastPort = {
    languages: navigator.languages,
    call: (name: string, input: unknown) => {
      const answer = global.holdfastTestCall(show, name, input);
      const end = (): void => void (global.holdfastTest.unanswered -= 1);
      global.holdfastTest.unanswered += 1;
      void answer.then(end, end);
      return answer;
    },
    onState: (listener: Listener) => {
      states.add(listener);
      queueMicrotask(() => listener(global.holdfastTest.state));
      return () => states.delete(listener);
    },
    onShow: (listener: Listener) => {
      shows.add(listener);
      return () => shows.delete(listener);
    },
  };
}

interface Call {
  readonly name: string;
  readonly input: unknown;
}

export class ShownWindow {
  readonly page: Page;
  /** The calls of the window, in order. */
  readonly calls: readonly Call[];
  /** Errors of the page. */
  readonly errors: readonly string[];
  readonly #close: (hasOwnClock: boolean) => Promise<void>;
  #hasOwnClock = false;

  constructor(
    page: Page,
    calls: readonly Call[],
    errors: readonly string[],
    close: (hasOwnClock: boolean) => Promise<void>,
  ) {
    this.page = page;
    this.calls = calls;
    this.errors = errors;
    this.#close = close;
  }

  /** Stops the page's clock, which `page.clock` then advances. */
  async stopClock(): Promise<void> {
    this.#hasOwnClock = true;
    await this.page.clock.install({ time: NOW });
  }

  async setState(state: AppState): Promise<void> {
    await this.page.evaluate((next) => {
      const { holdfastTest } = globalThis as unknown as {
        holdfastTest: { state: unknown; states: Set<(value: unknown) => void> };
      };
      holdfastTest.state = next;
      for (const listener of holdfastTest.states) listener(next);
    }, state);
  }

  /** Sends what the tray, a notification or a file manager wants the window to show. */
  async ask(wanted: Wanted): Promise<void> {
    await this.page.evaluate((next) => {
      const { holdfastTest } = globalThis as unknown as { holdfastTest: { shows: Set<(value: unknown) => void> } };
      for (const listener of holdfastTest.shows) listener(next);
    }, wanted);
  }

  /** Waits until what was done is rendered, with the answers to all calls that it led to. */
  async settle(): Promise<void> {
    await this.page.evaluate(SETTLED);
  }

  /** Returns the findings of axe, as `rule: target`. */
  faults(scope?: Scope): Promise<readonly string[]> {
    return faultsOf(this.page, scope);
  }

  /** Returns the findings of axe in light and in dark. The page is in light afterwards. */
  async faultsInBothSchemes(): Promise<readonly string[]> {
    await this.page.emulateMedia({ colorScheme: 'dark' });
    const inDark = await this.faults('colours');
    await this.page.emulateMedia({ colorScheme: 'light' });
    return [...(await this.faults()), ...inDark.map((fault) => `in dark: ${fault}`)];
  }

  /** Returns the pixels by which the page is wider than the window. */
  overflow(): Promise<number> {
    return this.page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
  }

  /** Ends the window. */
  close(): Promise<void> {
    return this.#close(this.#hasOwnClock);
  }
}

/** An effect is rendered in the next frame, and so is an answer after it came. Runs in the page. */
const SETTLED = `(async () => {
  const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  do await frame(); while (holdfastTest.unanswered > 0);
  await frame();
})()`;
