import { failureOf } from '../../src/base/errors/failure.ts';
import { createAdaptorServer } from '@hono/node-server';
import { serveStatic } from '@hono/node-server/serve-static';
import { Hono, type Context } from 'hono';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright';
import { windowMethods } from '../../src/ipc/contract/contract.ts';
import type { WindowMethods, Wanted } from '../../src/ipc/contract/contract.ts';
import type { Handlers } from '../../src/base/calls/contract.ts';
import { serve } from '../../src/base/calls/serve-contract.ts';
import type { AppState } from '../../src/ipc/state.ts';
import { faultsOf } from '../helpers/browser/axe.ts';
import type { Scope } from '../helpers/browser/axe.ts';
import { ReusedPages } from '../helpers/browser/reused-pages.ts';
import { connectToBrowser } from '../helpers/browser/shared-browser.ts';
import { sharedResource } from '../helpers/shared/shared-resource.ts';
import { NOW } from './states.ts';

export { CHROMIUM } from '../helpers/browser/server.ts';

/** Answers of a test instead of the main process and the agent. Other calls fail as `refused`. */
export type Answers = Partial<Handlers<WindowMethods>>;

export interface PageOptions {
  readonly width?: number;
  readonly height?: number;
  readonly colorScheme?: 'light' | 'dark';
  readonly locale?: string;
}

/** The page of the window in a browser with a scripted agent, which shows every state of every view quickly. */
export class WindowPages {
  readonly #pages: ReusedPages;
  readonly #url: string;
  readonly #end: () => Promise<void>;

  private constructor(browser: Browser, url: string, end: () => Promise<void>) {
    this.#pages = new ReusedPages(browser);
    this.#url = url;
    this.#end = end;
  }

  static async open(): Promise<WindowPages> {
    const folder = await sharedResource('window-page');
    // The browser keeps the compiled scripts of files that do not change.
    const onFound = (_path: string, { header }: Context) => header('cache-control', 'max-age=3600');
    const app = new Hono().use('*', serveStatic({ root: folder, onFound }));
    const server = createAdaptorServer({ fetch: app.fetch });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const browser = await connectToBrowser();
    return new WindowPages(
      browser,
      `http://127.0.0.1:${(server.address() as AddressInfo).port}/index.html`,
      async () => {
        await browser.close();
        await new Promise((resolve) => {
          server.close(resolve);
          if ('closeAllConnections' in server) server.closeAllConnections();
        });
      },
    );
  }

  close(): Promise<void> {
    return this.#end();
  }

  /** Loads the window. @param state the first state; `setState` sends later ones */
  async show(state: AppState, answers: Answers = {}, options: PageOptions = {}): Promise<ShownWindow> {
    const { width = 1000, height = 700, colorScheme = 'light', locale = 'en-GB' } = options;
    const page = await this.#pages.open(locale);
    const calls: Call[] = [];
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    const answering = await page.exposeFunction('holdfastTestCall', (name: string, input: unknown) => {
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
    const clock = await page.addInitScript(stopDate, NOW);
    const script = await page.addInitScript(scriptAgent, state);
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.goto(this.#url);
    return new ShownWindow(page, calls, errors, async (hasOwnClock) => {
      if (hasOwnClock) return page.context().close();
      await this.#pages.giveBack(page, locale, async () => {
        await script.dispose();
        await clock.dispose();
        await answering.dispose();
      });
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
function scriptAgent(first: unknown): void {
  type Listener = (value: unknown) => void;
  const global = globalThis as unknown as {
    holdfastTestCall: (name: string, input: unknown) => Promise<unknown>;
    holdfastTest: { state: unknown; states: Set<Listener>; shows: Set<Listener>; unanswered: number };
    holdfastPort: unknown;
  };
  const states = new Set<Listener>();
  const shows = new Set<Listener>();
  global.holdfastTest = { state: first, states, shows, unanswered: 0 };
  global.holdfastPort = {
    languages: navigator.languages,
    call: (name: string, input: unknown) => {
      const answer = global.holdfastTestCall(name, input);
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
