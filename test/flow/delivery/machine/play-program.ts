import type { Place } from '../../../support/new-store.ts';
import { startRig, type Rig, type Shown } from '../rig.ts';
import { changeContent, payloadOf } from './change-content.ts';
import { comeToRest, type Done } from './come-to-rest.ts';
import { editAsClinician } from './edit-as-clinician.ts';
import type { History, SaidVersion, Standing } from './history.ts';
import { judge, type Violation } from './judge.ts';
import { FAULTS, type Act, type Character, type Content, type Program } from './program.ts';
import { trailsOf, type Trail } from './trails.ts';

const USERS = ['user-0', 'user-1'] as const;
/** After a lost answer some dialects give a search a minute to find what was written. */
const LAST_PATIENCE_MS = 90_000;

export interface Played {
  readonly history: History;
  readonly standing: ReadonlyMap<string, Standing>;
  readonly trails: readonly Trail[];
  readonly violations: readonly Violation[];
}

const logged = (rig: Rig): number => rig.ehr.log.writes().length;

async function link(rig: Rig, done: Done, user: string): Promise<void> {
  const before = done.links.findLast((one) => one.user === user)?.patient;
  const mrn = before?.endsWith('-a') === true ? `${user}-b` : `${user}-a`;
  const n = logged(rig);
  // Before the answer: what the gateway does about it may come first.
  done.links.push({ user, patient: `Patient/pat-${mrn}`, n });
  await rig.enrol(user, mrn, `pat-${mrn}`);
}

async function say(rig: Rig, done: Done, user: string, version: number, content: Content): Promise<void> {
  const payload = payloadOf(user, version, content);
  const deliveryId = await rig.send(payload);
  done.said.push({ deliveryId, user, version, content });
  done.payloads.set(deliveryId, payload);
}

const versionsOf = (done: Done, user: string): SaidVersion[] =>
  done.said.filter((one) => one.user === user).sort((a, b) => a.version - b.version);
/** In the order of their versions, each once. */
const contentsOf = (done: Done, user: string): Content[] => [
  ...new Map(versionsOf(done, user).map((one) => [one.version, one.content])).values(),
];

/** What the newest version of the user's document is parked as, where it is. */
async function parkedNewest(
  rig: Rig,
  done: Done,
  user: string,
  reason: string,
): Promise<{ said: SaidVersion; shown: Shown } | null> {
  const all = versionsOf(done, user);
  const newest = all.filter(({ version }) => version === all.at(-1)?.version);
  for (const said of newest) {
    const shown = await rig.read(said.deliveryId);
    if (shown.state === 'parked' && shown.reason === reason) return { said, shown };
  }
  return null;
}

async function decide(rig: Rig, done: Done, { id, steps }: Shown, body: object): Promise<boolean> {
  const { status } = await rig.admin('POST', `deliveries/${id}/decide`, body);
  if (status !== 200) {
    done.refused.push(`${JSON.stringify(body)} was answered with ${status}`);
    return false;
  }
  await rig.until(id, (shown) => shown.steps.length > steps.length, 2_000);
  await comeToRest(rig, done);
  return true;
}

async function perform(rig: Rig, done: Done, one: Act, character: Character): Promise<void> {
  const user = 'user' in one ? USERS[one.user === 0 ? 0 : 1] : USERS[0];
  const top = versionsOf(done, user).at(-1)?.version ?? 0;
  const skipped = done.skipped.get(user) ?? [];
  switch (one.act) {
    case 'send': {
      if (one.skips) done.skipped.set(user, [...skipped, top + 1]);
      await say(rig, done, user, top + (one.skips ? 2 : 1), changeContent(contentsOf(done, user), one.changes));
      if (one.waits) await comeToRest(rig, done);
      return;
    }
    case 'send-late': {
      const version = skipped.pop();
      if (version !== undefined)
        await say(rig, done, user, version, changeContent(contentsOf(done, user), one.changes));
      return;
    }
    case 'repeat': {
      const last = done.said.findLast((said) => said.user === user);
      if (last === undefined) return;
      done.said.push({ ...last, deliveryId: await rig.send(done.payloads.get(last.deliveryId) ?? {}) });
      return;
    }
    case 'edit':
      return editAsClinician(rig, done, one, user, character);
    case 'fault': {
      const { times } = one;
      done.isLossy = true;
      const writes = ['POST', 'PUT'].map((method) => ({ method, exceptPath: '_search', times, ...FAULTS[one.fault] }));
      rig.ehr.board.setRules([...character.rules, ...writes]);
      return;
    }
    case 'restart':
      done.isLossy = true;
      return rig.restart();
    case 'relink':
      await link(rig, done, user);
      if (one.waits) await comeToRest(rig, done);
      return;
    case 'decide': {
      await comeToRest(rig, done);
      const found = await parkedNewest(rig, done, user, 'conflict');
      if (found === null) return;
      const names = (found.shown.conflicts ?? []).map(({ name }) => name);
      const { deliveryId, content } = found.said;
      const n = logged(rig);
      if (!(await decide(rig, done, found.shown, { decision: one.decision }))) return;
      const isCarriedOut = (await rig.read(deliveryId)).state === 'delivered';
      done.decided.push({ user, deliveryId, decision: one.decision, names, content, n, isCarriedOut });
      return;
    }
    case 'approve': {
      await comeToRest(rig, done);
      const found = await parkedNewest(rig, done, user, 'suspicious');
      if (found !== null) await decide(rig, done, found.shown, { decision: 'approve' });
      return;
    }
  }
}

/** Plays a program on a rig of its own, lets everything come to rest, and says what is wrong then. */
export async function playProgram({ character, acts }: Program, makePlace: () => Promise<Place>): Promise<Played> {
  const rig = await startRig(makePlace, { traits: character.traits });
  try {
    rig.ehr.board.setRules(character.rules);
    const done: Done = {
      said: [],
      payloads: new Map(),
      skipped: new Map(),
      links: [],
      decided: [],
      edits: 0,
      refused: [],
      isLossy: false,
    };
    const used = new Set(acts.map((one) => ('user' in one ? one.user : 0)));
    for (const [at, user] of USERS.entries()) if (used.has(at)) await link(rig, done, user);
    for (const one of acts) await perform(rig, done, one, character);
    rig.ehr.board.setRules(character.rules);
    await comeToRest(rig, done, LAST_PATIENCE_MS);

    const standing = new Map<string, Standing>();
    for (const { deliveryId } of done.said) standing.set(deliveryId, await rig.read(deliveryId));
    const { said, links, decided, refused, isLossy } = done;
    const history: History = { character, said, links, decided, refused, isLossy };
    const addsUp = (await rig.ledgerAddsUp()) === true;
    const writes = rig.ehr.log.writes();
    return { history, standing, trails: trailsOf(writes), violations: judge({ history, standing, writes, addsUp }) };
  } finally {
    await rig.stop();
  }
}
