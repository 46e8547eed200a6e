/*
 * A proxy that does what an answer owes at the least: it verifies the token, and has one line about the answer on disk
 * before it gives it. Its arguments are the EHR's origin, the issuer, the audience, and the file of its lines. Prints its
 * port.
 */
import { open } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { Pool } from 'undici';

const [target = '', issuer = '', audience = '', file = ''] = process.argv.slice(2);
const pool = new Pool(new URL(target).origin, { connections: 64 });
const keys = createRemoteJWKSet(new URL(`${issuer}/jwks`));
const lines = await open(file, 'a');

async function pass(url: string, authorization: string, res: ServerResponse): Promise<void> {
  const { payload } = await jwtVerify(authorization.replace('Bearer ', ''), keys, { issuer, audience });
  const { statusCode, headers, body } = await pool.request({
    path: url,
    method: 'GET',
    headers: { accept: 'application/fhir+json' },
  });
  const bytes = Buffer.from(await body.arrayBuffer());
  await lines.write(
    `${JSON.stringify({ at: new Date().toISOString(), who: payload.sub, app: payload['client_id'], url, statusCode })}\n`,
  );
  await lines.datasync();
  res.writeHead(statusCode, {
    'content-type': headers['content-type'] as string,
    'content-length': String(bytes.length),
  });
  res.end(bytes);
}

const server = createServer((req, res) => {
  if (req.url === '/cpu') {
    res.end(JSON.stringify(process.cpuUsage()));
    return;
  }
  pass(req.url ?? '/', req.headers.authorization ?? '', res).catch(() => {
    res.writeHead(401).end();
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  console.log(JSON.stringify({ port: address !== null && typeof address !== 'string' ? address.port : 0 }));
});
