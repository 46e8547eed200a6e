import { randomBytes } from 'node:crypto';
import type { AuditDraft } from '../audit/index.ts';
import { newTotpSecret, showTotp, stepOfCode } from '../factors/index.ts';
import { must } from './adapter.ts';
import { SIGN_IN_STAGE } from './rows.ts';
import { codePage, enrolPage, TOO_MANY } from './sign-in-pages.ts';
import type { SignInDeps, SignInView } from './sign-in.ts';
import { textOf, type Details, type Visit } from './visit.ts';

const STAGE_MS = 10 * 60_000;
const WRONG = 'That is not the code that the app shows now, or it was used before. Wait for the next one.';

/** A right password, until the code follows: kept with the request of the app, which one browser alone can go on with. */
interface Stage {
  readonly accountId: string;
  readonly name: string;
  readonly passwordHash: string | null;
  /** Of the app that is being added; null: there is one. */
  readonly secret: string | null;
}

/** The code of an authenticator app after the password, and the adding of the app at the first time. */
export function makeSecondFactor(
  deps: SignInDeps & {
    readonly finish: (visit: Visit, details: Details, accountId: string, amr: readonly string[]) => Promise<void>;
  },
) {
  const { store, tenant, clock } = deps;
  const keyOf = ({ uid }: Details) => ({ tenant, kind: SIGN_IN_STAGE, id: uid });

  async function show(view: SignInView, { name, secret }: Stage, wrong: string | null, status = 200): Promise<void> {
    if (secret === null) return view.show(codePage(view.frame, wrong), status);
    const { qr } = await showTotp(secret, name);
    return view.show(enrolPage(view.frame, { qr, secret, wrong }), status);
  }

  return {
    async ask(
      details: Details,
      view: SignInView,
      { kind, ...of }: Omit<Stage, 'secret'> & { readonly kind: 'factor' | 'enrol' },
    ): Promise<void> {
      const secret = kind === 'factor' ? null : await newTotpSecret((count) => randomBytes(count));
      const payload: Stage = { ...of, secret };
      const at = clock.now();
      const expiresAt = new Date(at.getTime() + STAGE_MS);
      const kept = { ...keyOf(details), payload, grantId: null, uid: null, expiresAt, at, as: 'replacement' } as const;
      must(await store.write('auth.put', kept));
      return show(view, payload, null);
    },

    /** `restart`: what is shown where no password came before the code. */
    async check(
      visit: Visit,
      details: Details,
      view: SignInView,
      form: URLSearchParams,
      restart: () => Promise<void>,
    ): Promise<void> {
      const found = must(await store.read('auth.find', { ...keyOf(details), at: clock.now() }));
      if (found === null) return restart();
      const stage = found.payload as Stage;
      const { accountId, passwordHash } = stage;
      const account = must(await store.read('auth.stored-account', { tenant, id: accountId }));
      if (account === null) return restart();
      const isTooMany = !deps.limitTries.take(visit.remoteAddress);
      // By person: whoever guesses codes has the password already, from however many addresses.
      if (isTooMany || !deps.delayCodes.take('', accountId, account.wrongTries, account.unlockedAtMs)) {
        deps.deny(isTooMany ? 'sign-in:too-many-tries' : 'sign-in:wait', visit);
        return show(view, stage, TOO_MANY, 429);
      }
      const audit: AuditDraft = {
        at: clock.now(),
        type: 'auth.sign-in',
        tenant,
        requestId: visit.requestId,
        action: 'E',
        outcome: '0',
        why: stage.secret === null ? 'code' : 'add-totp',
        actor: accountId,
        client: textOf(details.params['client_id']),
        issuer: deps.issuer,
      };
      const code = textOf(form.get('code')).replaceAll(' ', '');
      const secret = stage.secret ?? account.totp;
      const step = secret === null ? null : await stepOfCode(secret, code, clock.now().getTime());
      if (step === null) {
        must(
          await store.write('auth.fail-factor', { accountId, audit: { ...audit, outcome: '8', why: 'wrong-code' } }),
        );
        return show(view, stage, WRONG, 401);
      }
      const { secret: added } = stage;
      const passed = must(
        await store.write('auth.pass-factor', { accountId, passwordHash, step, secret: added, audit }),
      );
      if (passed === 'repeated') return show(view, stage, WRONG, 401);
      deps.limitTries.giveBack(visit.remoteAddress);
      deps.delayCodes.forget('', accountId);
      must(await store.write('auth.remove', keyOf(details)));
      return deps.finish(visit, details, accountId, ['pwd', 'otp']);
    },
  };
}
