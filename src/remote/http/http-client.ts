/** One HTTP exchange, reduced to what the engine needs. Response header names are lower case. */
export interface HttpClient {
  /**
   * Resolves with any status. The caller reads the body to its end or calls `discard`.
   *
   * @throws HttpFailure if no complete response head arrived
   */
  request(request: HttpRequest): Promise<HttpResponse>;
  close(): Promise<void>;
}

export interface HttpRequest {
  /** The last three are WebDAV's. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PROPFIND' | 'MKCOL' | 'MOVE';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A function produces the body anew for each attempt. */
  readonly body?: string | Uint8Array | (() => AsyncIterable<Uint8Array>);
  readonly signal?: AbortSignal;
  /** Longest silence of the server before and within its response; one minute by default. */
  readonly stallTimeoutMs?: number;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: AsyncIterable<Uint8Array>;
  bytes(limit?: number): Promise<Uint8Array>;
  discard(): Promise<void>;
}
