// A receiver of Holdfast's webhooks in plain Node, without dependencies.
//
//   SIGNING_SECRET=whsec_… PORT=8080 node receiver.mjs
//
// It accepts a delivery only if its signature is correct, and prints it. Set HOST to be reachable from outside.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const secret = process.env.SIGNING_SECRET;
if (!secret) {
  console.error('SIGNING_SECRET is missing: the text that was shown when the webhook was added');
  process.exit(2);
}

/** Far more than any event of Holdfast needs; prevents strangers from filling the memory. */
const LONGEST_BODY = 1024 * 1024;

/** Newest delivery ids last. A delivery may arrive twice; use its id for anything that must happen once. */
const seen = new Set();

const server = createServer((request, response) => {
  const answer = (status) => response.writeHead(status).end();
  if (request.method !== 'POST') {
    answer(405);
    return;
  }
  const parts = [];
  let length = 0;
  request.on('data', (part) => {
    length += part.length;
    if (length <= LONGEST_BODY) parts.push(part);
  });
  request.on('end', () => {
    if (length > LONGEST_BODY) {
      answer(413);
      return;
    }
    // The signature covers the exact bytes: check first, parse afterwards.
    const body = Buffer.concat(parts);
    if (!isSigned(body, request.headers['x-service-signature'])) {
      answer(401);
      return;
    }
    take(JSON.parse(body.toString('utf8')));
    answer(200);
  });
});

/** Compares the header with `sha256=` and the hex HMAC-SHA256 of the body in constant time. */
function isSigned(body, header = '') {
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
  const given = Buffer.from(header);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function take({ event, timestamp, delivery_id, data }) {
  if (seen.has(delivery_id)) return;
  seen.add(delivery_id);
  if (seen.size > 10_000) seen.delete(seen.values().next().value);
  console.log(`${timestamp} ${event} ${delivery_id} ${JSON.stringify(data)}`);
}

server.listen(Number(process.env.PORT ?? 8080), process.env.HOST ?? '127.0.0.1', () => {
  const { address, port } = server.address();
  console.log(`listening on http://${address}:${port}/`);
});
