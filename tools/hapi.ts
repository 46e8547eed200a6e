/* npm run ehr:hapi: a real HAPI FHIR JPA server, R4, to try the gateway against. */
import { parseArgs } from 'node:util';
import { StartError } from '../src/kernel/index.ts';
import { startHapi } from './hapi/start-hapi.ts';

const HELP = `Usage: npm run ehr:hapi -- [--port N] [--database memory|FILE]

Starts a real HAPI FHIR JPA server (8.8.0, R4) on 127.0.0.1 and says its base when it is ready. Ctrl-C or SIGTERM
stops it.

  --port N          where to listen; 0 is any free port (default: 8090)
  --database FILE   keeps the data in a file of H2; memory forgets them at the end (default: memory)
  --help            this text

Needs a JDK of Java 17 or later and Maven, which fetches the libraries from Maven Central at the first start. What was
made of them is kept under data/hapi, and may be removed.
`;

interface Asked {
  readonly port: number;
  readonly database: string;
}

/** What was asked for; a text where it cannot be understood. */
function parseAsked(args: readonly string[]): Asked | 'help' | { readonly problem: string } {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        port: { type: 'string', default: '8090' },
        database: { type: 'string', default: 'memory' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) return 'help';
    if (!/^\d{1,5}$/.test(values.port) || Number(values.port) > 65_535)
      return { problem: `--port must be a number from 0 to 65535, not ${values.port}` };
    if (values.database === '') return { problem: '--database must be memory or the path of a file' };
    return { port: Number(values.port), database: values.database };
  } catch (thrown) {
    return { problem: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

async function main(args: readonly string[]): Promise<number> {
  const asked = parseAsked(args);
  if (asked === 'help') {
    console.log(HELP);
    return 0;
  }
  if ('problem' in asked) {
    console.error(`${asked.problem}\n\n${HELP}`);
    return 2;
  }
  const stopping = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => stopping.abort());
  const stopped = new Promise<'stopped'>((resolve) =>
    stopping.signal.addEventListener('abort', () => resolve('stopped'), { once: true }),
  );
  try {
    const hapi = await startHapi({ ...asked, say: (line) => console.log(line), signal: stopping.signal });
    console.log(`HAPI is ready after ${hapi.seconds} s: ${hapi.url}`);
    const why = await Promise.race([stopped, hapi.ended]);
    await hapi.stop();
    if (why === 'stopped') return 0;
    console.error(`HAPI ended by itself (${String(why)}).`);
    return 1;
  } catch (thrown) {
    if (stopping.signal.aborted) return 0;
    if (!(thrown instanceof StartError)) throw thrown;
    console.error(thrown.message);
    return 1;
  }
}

process.exitCode = await main(process.argv.slice(2));
