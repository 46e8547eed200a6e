/* The least that a proxy can be: node:http in front, an undici pool behind, bytes passed on. Prints its port. */
import { createServer } from 'node:http';
import { Pool } from 'undici';

const [target = ''] = process.argv.slice(2);
const pool = new Pool(new URL(target).origin, { connections: 64 });

const server = createServer((req, res) => {
  if (req.url === '/cpu') {
    res.end(JSON.stringify(process.cpuUsage()));
    return;
  }
  pool
    .stream(
      { path: req.url ?? '/', method: 'GET', headers: { accept: 'application/fhir+json' } },
      ({ statusCode, headers }) => {
        res.writeHead(statusCode, {
          'content-type': headers['content-type'] as string,
          'content-length': headers['content-length'] as string,
        });
        return res;
      },
    )
    .catch(() => res.destroy());
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  console.log(JSON.stringify({ port: address !== null && typeof address !== 'string' ? address.port : 0 }));
});
