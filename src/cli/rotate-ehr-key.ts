import { chmodSync, chownSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { loadClientKeys, rotateClientKeys } from '../ehr/index.ts';
import { errorCode, secret, StartError } from '../kernel/index.ts';
import { EXIT, type Terminal } from './command.ts';

/**
 * Replaced at once or not at all: a gateway that starts meanwhile must find whole keys, and whoever could read them
 * before reads them after. A link stays one.
 */
function replaceFile(file: string, text: string): void {
  let beside = '';
  try {
    const target = realpathSync(file);
    const { mode, uid, gid } = statSync(target);
    beside = `${target}.${process.pid}.new`;
    writeFileSync(beside, text, { mode: 0o600, flag: 'wx', flush: true });
    const own = statSync(beside);
    if (own.uid !== uid || own.gid !== gid) chownSync(beside, uid, gid);
    chmodSync(beside, mode & 0o777);
    renameSync(beside, target);
  } catch (thrown) {
    if (beside !== '') rmSync(beside, { force: true });
    throw new StartError(
      'ehr.key',
      `${file} cannot be replaced (${errorCode(thrown) ?? 'unknown'}). Where it comes from a store of secrets, use --stdout and put the new keys there.`,
      thrown,
    );
  }
}

function readKeys(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (thrown) {
    throw new StartError('ehr.key', `${file} cannot be read (${errorCode(thrown) ?? 'unknown'}).`, thrown);
  }
}

/** `stdout`: the private keys are printed for whoever keeps them elsewhere, and the file stays as it is. */
export function rotateEhrKey(terminal: Terminal, to: 'file' | 'stdout', form: 'json' | 'text'): number {
  const file = terminal.env['CHARTGATE_EHR_PRIVATE_KEY_FILE'] ?? '';
  if (file === '')
    throw new StartError(
      'ehr.key',
      'CHARTGATE_EHR_PRIVATE_KEY_FILE names no file: keys that are changed stand in a file of their own.',
    );
  const rotated = rotateClientKeys(loadClientKeys(secret(readKeys(file))));
  const { did, present, next, past, set } = rotated;
  if (to === 'stdout') terminal.stdout.write(set.reveal());
  else replaceFile(file, set.reveal());
  const said =
    form === 'json'
      ? `${JSON.stringify({ did, present, next, past })}\n`
      : did === 'announced'
        ? `${present} signs as before; ${next} is next.\nRestart the gateway, so that /ehr/jwks.json shows both. Once the EHR has fetched it, rotate again.\n`
        : `${present} signs from the next start on, ${next} is next, and ${past ?? ''} stays in /ehr/jwks.json until you rotate again.\nRestart the gateway, every replica.\n`;
  (to === 'stdout' ? terminal.stderr : terminal.stdout).write(said);
  return EXIT.ok;
}
