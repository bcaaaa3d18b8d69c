/** The source of a page: the network, or a service without a socket. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** The parts of a browser that signing in needs: it keeps cookies for each origin, follows redirects and sends forms. */
export class Browser {
  readonly #fetch: Fetch;
  readonly #cookies = new Map<string, Map<string, string>>();

  constructor(fetch: Fetch) {
    this.#fetch = fetch;
  }

  /**
   * Signs in at the provider under a name, or cancels the sign-in, from its first address to the first one that `isEnd`
   * accepts.
   */
  async signIn(start: string, name: string | undefined, isEnd: (url: string) => boolean): Promise<URL> {
    let url = start;
    let init: RequestInit = {};
    for (let step = 0; step < 30; step += 1) {
      if (isEnd(url)) return new URL(url);
      const response = await this.#load(url, init);
      const location = response.headers.get('location');
      if (location !== null) {
        [url, init] = [new URL(location, url).href, {}];
        continue;
      }
      const page = await response.text();
      if (!response.ok) throw new Error(`${url} answered ${response.status}: ${page}`);
      [url, init] = nextOf(page, url, name);
    }
    throw new Error('the sign-in goes round in circles');
  }

  async #load(url: string, init: RequestInit): Promise<Response> {
    const { origin } = new URL(url);
    const jar = this.#cookies.get(origin) ?? new Map<string, string>();
    this.#cookies.set(origin, jar);
    const cookie = Array.from(jar, ([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...(init.headers as Record<string, string>), ...(cookie === '' ? {} : { cookie }) };
    const response = await this.#fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const [, key, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      if (value === '') jar.delete(key!);
      else jar.set(key!, value!);
    }
    return response;
  }
}

/** The provider's own pages: a form for the name, then one for consent, each with a link that cancels. */
function nextOf(page: string, url: string, name: string | undefined): [string, RequestInit] {
  const action = /<form[^>]* action="([^"]+)"/.exec(page)?.[1];
  const abort = /<a href="([^"]+\/abort)"/.exec(page)?.[1];
  if (action === undefined) throw new Error(`no form at ${url}: ${page}`);
  if (name === undefined) return [new URL(abort!, url).href, {}];
  const prompt = /name="prompt" value="([^"]+)"/.exec(page)![1]!;
  const body = new URLSearchParams({ prompt, ...(prompt === 'login' ? { login: name, password: 'any' } : {}) });
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return [new URL(action, url).href, { method: 'POST', body: body.toString(), headers }];
}
