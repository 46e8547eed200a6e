import { fail, fault, ok, type Result } from '../kernel/index.ts';
import type { Held } from './authenticate.ts';
import { needsFactor } from './decide-caller.ts';
import { newSecret, type OperatorDeps } from './deps.ts';
import { draftSignIn, type Visit } from './draft-audit.ts';
import type { GuardTries } from './guard-tries.ts';
import type { Factor, StoredFactor } from './operator.ts';
import { askForNewPasskey, askForPasskey, readNewPasskey, readPasskey } from './passkey.ts';
import { HALF_SESSION_MS, PROOF_MS, SESSION_MS } from './session.ts';
import type { Opened, RightAnswer, SignIn } from './sign-in.ts';
import { newTotpSecret, showTotp, stepOfCode } from '../factors/index.ts';

const MOMENT_MS = HALF_SESSION_MS;
type Purpose = 'totp' | 'new-passkey' | 'passkey';

/** Second factors: asked for, added and removed by the person themselves. */
export function makeFactors(deps: OperatorDeps & { readonly signIn: SignIn; readonly guard: GuardTries }) {
  const { tenant, store, publicUrl, chance, signIn } = deps;
  const nowMs = (): number => deps.now().getTime();
  const wrong = fail(fault('operator.factor'));

  /** Bound to the session by its secret: another session cannot take it. */
  const put = (held: Held, purpose: Purpose, payload: unknown): Promise<Result<null>> =>
    store.write('operator.put-moment', {
      tenant,
      secret: `${purpose} ${held.secret}`,
      payload,
      expiresAtMs: nowMs() + MOMENT_MS,
      atMs: nowMs(),
    });
  async function take(held: Held, purpose: Purpose): Promise<Result<string>> {
    const secret = `${purpose} ${held.secret}`;
    const taken = await store.write('operator.take-moment', { tenant, secret, atMs: nowMs() });
    if (!taken.ok) return taken;
    return typeof taken.value === 'string' ? ok(taken.value) : wrong;
  }

  async function passkeysOf({ operator }: Held): Promise<Result<Extract<StoredFactor, { kind: 'passkey' }>[]>> {
    const found = await store.read('operator.factors', { tenant, operatorId: operator.id });
    return found.ok ? ok(found.value.filter((one) => one.kind === 'passkey')) : found;
  }

  /** Whoever found an open session must not make a proof of their own for it. */
  function mayChange({ session, operator }: Held): Result<null> {
    if (operator.proof.kind === 'provider') return fail(fault('operator.of-provider'));
    const lately = session.stage === 'enrol' ? HALF_SESSION_MS : PROOF_MS;
    if (session.stage === 'factor') return fail(fault('operator.factor-needed', { at: 'factor' }));
    const isProved = session.provedAtMs !== null && nowMs() - session.provedAtMs < lately;
    return isProved ? ok(null) : fail(fault('operator.proof-needed'));
  }

  async function add(visit: Visit, held: Held, factor: Factor): Promise<Result<Opened>> {
    const secret = newSecret(chance);
    const expiresAtMs = held.session.madeAtMs + SESSION_MS;
    const done = await store.write('operator.add-factor', {
      factor,
      passed: {
        session: signIn.heldOf(held),
        newSecret: secret,
        stage: 'signed-in',
        factor: factor.kind,
        provedAtMs: nowMs(),
        expiresAtMs,
        used: null,
        audit: {
          ...draftSignIn(deps, visit, held.operator, `add-${factor.kind}`),
          action: 'C',
        },
      },
    });
    if (!done.ok) return done;
    if (done.value === 'not-found') return fail(fault('operator.unauthenticated'));
    return done.value === 'taken' ? wrong : ok({ secret, stage: 'signed-in', expiresAtMs });
  }
  const factorOf = (held: Held, label: string) => ({
    id: deps.newId('fac'),
    operatorId: held.operator.id,
    label,
  });

  return {
    async beginTotp(held: Held) {
      const may = mayChange(held);
      if (!may.ok) return may;
      const secret = await newTotpSecret(chance);
      const done = await put(held, 'totp', secret);
      return done.ok ? ok({ secret, ...(await showTotp(secret, held.operator.name)) }) : done;
    },
    async finishTotp(visit: Visit, held: Held, code: string, label: string): Promise<Result<Opened>> {
      const may = mayChange(held);
      if (!may.ok) return may;
      const secret = await take(held, 'totp');
      if (!secret.ok) return secret;
      const counter = await deps.guard.code(visit, held.operator.id, () => stepOfCode(secret.value, code, nowMs()));
      if (counter.ok && counter.value !== null)
        return add(visit, held, {
          ...factorOf(held, label),
          kind: 'totp',
          secret: secret.value,
          counter: counter.value,
        });
      // Whoever mistyped need not show the picture to the telephone again.
      const again = await put(held, 'totp', secret.value);
      return !again.ok ? again : counter.ok ? wrong : counter;
    },

    async beginNewPasskey(held: Held) {
      const may = mayChange(held);
      if (!may.ok) return may;
      const known = await passkeysOf(held);
      if (!known.ok) return known;
      const options = await askForNewPasskey(publicUrl, held.operator, known.value);
      const done = await put(held, 'new-passkey', options.challenge);
      return done.ok ? ok(options) : done;
    },
    async finishNewPasskey(visit: Visit, held: Held, response: unknown, label: string): Promise<Result<Opened>> {
      const may = mayChange(held);
      if (!may.ok) return may;
      const challenge = await take(held, 'new-passkey');
      if (!challenge.ok) return challenge;
      const made = await readNewPasskey(publicUrl, challenge.value, response);
      return made === null ? wrong : add(visit, held, { ...factorOf(held, label), kind: 'passkey', ...made });
    },

    async beginPasskey(held: Held) {
      const known = await passkeysOf(held);
      if (!known.ok) return known;
      if (known.value.length === 0) return fail(fault('operator.factor-not-found'));
      const options = await askForPasskey(publicUrl, known.value);
      const done = await put(held, 'passkey', options.challenge);
      return done.ok ? ok(options) : done;
    },
    async finishPasskey(visit: Visit, held: Held, response: unknown): Promise<Result<Opened>> {
      const challenge = await take(held, 'passkey');
      if (!challenge.ok) return challenge;
      const known = await passkeysOf(held);
      if (!known.ok) return known;
      return signIn.prove(visit, held, 'passkey', async (): Promise<RightAnswer | null> => {
        const read = await readPasskey(publicUrl, challenge.value, response, known.value);
        return read === null ? null : { kind: 'passkey', ...read };
      });
    },

    async remove(visit: Visit, held: Held, id: string): Promise<Result<null>> {
      const may = mayChange(held);
      if (!may.ok) return may;
      const { operator } = held;
      const done = await store.write('operator.remove-factor', {
        id,
        operatorId: operator.id,
        least: needsFactor(deps.policy, operator.roles) ? 1 : 0,
        sessions: 'keep',
        audit: { ...draftSignIn(deps, visit, operator, 'remove-factor'), action: 'D' },
      });
      if (!done.ok) return done;
      if (done.value === 'removed') return ok(null);
      return fail(fault(done.value === 'last' ? 'operator.last-factor' : 'operator.factor-not-found'));
    },
  };
}
export type Factors = ReturnType<typeof makeFactors>;
