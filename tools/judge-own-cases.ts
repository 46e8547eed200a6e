/* Asks the judge about every hand-written case and says where it answers otherwise than the case states. */
import { judgeAll } from './judge.ts';
import { ownGuideFolders, readHandWritten } from './judge/guides.ts';

const cases = readHandWritten();
const verdicts = await judgeAll(
  cases.map(({ name, profile, resource }) => ({ id: name, profiles: [profile], resource })),
  { guides: ownGuideFolders(), threads: 2, say: (line) => console.error(line) },
);
let otherwise = 0;
for (const [at, { name, expected, judge, why }] of cases.entries()) {
  const verdict = verdicts[at];
  if (verdict === undefined) continue;
  const said = verdict.valid ? 'valid' : 'invalid';
  if (said === (judge ?? expected) && verdict.failed === undefined) continue;
  otherwise += 1;
  console.log(`${name}: ${judge ?? expected} (${why}), the judge says ${verdict.failed ?? said}`);
  for (const { severity, location, message, messageId } of said === 'valid' ? verdict.issues : verdict.errors)
    console.log(`    ${severity} ${messageId ?? ''} ${location}: ${message}`);
}
console.log(`${cases.length} cases, ${otherwise} of them judged otherwise than stated`);
process.exitCode = otherwise === 0 ? 0 : 1;
