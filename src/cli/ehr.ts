import { readFileSync } from 'node:fs';
import { readSome } from '../config/index.ts';
import { loadClientKeys, publicJwks } from '../ehr/index.ts';
import { secret, StartError } from '../kernel/index.ts';
import { EXIT, makeUsage, type Command } from './command.ts';
import { parseOptions } from './parse-options.ts';

const help = `Usage: chartgate ehr jwks

Prints the public keys by which an EHR knows us (SMART Backend Services), as a JWK set: the present key, the next one,
and the one before, as far as CHARTGATE_EHR_PRIVATE_KEY or CHARTGATE_EHR_PRIVATE_KEY_FILE holds them. It is what a
gateway with these settings shows at /ehr/jwks.json; register that address where the EHR takes one, and this set where
it does not. Nothing private is printed, and no gateway need run.

Exit code: 0 done · 2 wrong arguments · 78 no such key in the settings
`;

export const ehr: Command = {
  name: 'ehr',
  summary: 'the public keys by which an EHR knows us',
  help,
  run(args, terminal) {
    const parsed = parseOptions(args, {}, 'some');
    const usage = makeUsage(terminal, help);
    if (!parsed.ok) return Promise.resolve(usage(parsed.wrong));
    const [verb, ...more] = parsed.value.positionals;
    if (verb !== 'jwks' || more.length > 0) return Promise.resolve(usage('Say jwks.'));
    const { CHARTGATE_EHR_PRIVATE_KEY: given } = readSome(terminal.env, (path) => readFileSync(path, 'utf8'), [
      'CHARTGATE_EHR_PRIVATE_KEY',
    ]);
    if (given === undefined)
      throw new StartError('config', 'There is no CHARTGATE_EHR_PRIVATE_KEY, so no EHR can know us by a key.');
    terminal.stdout.write(`${JSON.stringify(publicJwks(loadClientKeys(secret(given))), null, 2)}\n`);
    return Promise.resolve(EXIT.ok);
  },
};
