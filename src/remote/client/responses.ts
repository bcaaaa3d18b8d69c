import type { z } from 'zod';
import { JsonArrayReader, JsonStreamError, type LongList } from '../../protocol/bodies/json-array-stream.ts';
import { HoldfastError } from '../../base/errors/errors.ts';
import { decodedBody, UndecodableBody } from '../http/decoded-body.ts';
import { BodyTooLarge, readBytes } from '../http/http-body.ts';
import type { HttpResponse } from '../http/http-client.ts';
import { knownType } from './error-response.ts';

/** Responses that are not streamed are small: the largest is a presign of 1,000 chunks. */
const RESPONSE_LIMIT = 16 * 2 ** 20;

/** Makes a reader of JSON responses. @throws HoldfastError `service_broken` with the first problem */
export function jsonResponse<Shape extends z.ZodType>(
  shape: Shape,
): (response: HttpResponse, address: string) => Promise<z.infer<Shape>> {
  return async (response, address) => {
    refuseHtml(response, address);
    return validated(shape, await readJson(response, address), address);
  };
}

async function readJson(response: HttpResponse, address: string): Promise<unknown> {
  try {
    return JSON.parse(new TextDecoder().decode(await readBytes(decodedBody(response), RESPONSE_LIMIT)));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof UndecodableBody)
      throw brokenResponse(address, { contentType: contentTypeOf(response), reason: 'not_json' });
    if (error instanceof BodyTooLarge)
      throw brokenResponse(address, { contentType: contentTypeOf(response), reason: 'too_large' });
    throw error;
  }
}

/** Discards a response of any form. */
export async function discardResponse(response: HttpResponse): Promise<void> {
  await response.discard();
}

/**
 * Reads an object that contains one long array. Passes its elements to `take` as they arrive, unvalidated, and returns the
 * other fields.
 *
 * @param long the list of an element that may be too long to be parsed at once
 */
export async function readJsonArray(
  response: HttpResponse,
  address: string,
  key: string,
  take: (elements: readonly unknown[]) => void | Promise<void>,
  long?: LongList,
): Promise<Record<string, unknown>> {
  refuseHtml(response, address);
  const reader = new JsonArrayReader(key, long);
  const parse = <T>(step: () => T): T => {
    try {
      return step();
    } catch (error) {
      if (!(error instanceof JsonStreamError)) throw error;
      throw brokenResponse(address, {
        contentType: contentTypeOf(response),
        reason: 'not_json',
        detail: error.message,
      });
    }
  };
  try {
    for await (const bytes of decodedBody(response)) {
      const elements = parse(() => reader.push(bytes));
      if (elements.length > 0) await take(elements);
    }
  } catch (error) {
    if (!(error instanceof UndecodableBody)) throw error;
    throw brokenResponse(address, { contentType: contentTypeOf(response), reason: 'not_json' });
  }
  return parse(() => reader.end(true));
}

/** Validates a value. @throws HoldfastError `service_broken` with the first invalid field */
export function validated<Shape extends z.ZodType>(shape: Shape, value: unknown, address: string): z.infer<Shape> {
  const result = shape.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw brokenResponse(address, { field: issue?.path.join('.') ?? '', detail: issue?.message });
}

export function brokenResponse(
  address: string,
  details: Readonly<Record<string, string | number | undefined>>,
): HoldfastError {
  return new HoldfastError('service_broken', { address, ...details });
}

/** HTML is a network's sign-in page or a web site instead of the service. */
function refuseHtml(response: HttpResponse, address: string): void {
  const contentType = contentTypeOf(response);
  if (!/\bhtml\b/.test(contentType)) return;
  void response.discard();
  throw brokenResponse(address, { contentType, reason: 'not_json' });
}

function contentTypeOf(response: HttpResponse): string {
  return knownType(response.headers['content-type'] ?? '');
}
