import { jsonResponse } from '../../request/answer.ts';
import type { Route } from '../routes.ts';
import { openApiDocument } from './document.ts';

const OPEN_API_PATH = '/openapi.json';

/** Serves the description of the interface. @param others the other routes of the service */
export function openApiRoutes(others: readonly Route[]): readonly Route[] {
  const offered = new Set([`GET ${OPEN_API_PATH}`, ...others.flatMap(namesOf)]);
  return [
    { path: OPEN_API_PATH, methods: { GET: async ({ baseUrl }) => jsonResponse(openApiDocument(baseUrl, offered)) } },
  ];
}

function namesOf({ path, methods }: Route): readonly string[] {
  return Object.keys(methods).map((method) => `${method} ${path}`);
}
