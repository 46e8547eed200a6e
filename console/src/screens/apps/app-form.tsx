import { useState, type SyntheticEvent } from 'react';
import type { AskOf, ValueOf } from '../../api/ask.ts';
import { Field, textsOf } from '../../ui/field.tsx';

export const KINDS = [
  [
    'public',
    'In a browser or on a phone',
    'keeps no secret; PKCE protects the sign-in. Most SMART apps that a clinician opens are this.',
  ],
  ['symmetric', 'On a server, with a secret', 'we make the secret and show it once; it stays on that server.'],
  [
    'asymmetric',
    'On a server, with a key of its own',
    'signs with a private key that never leaves it; we know the public one.',
  ],
  ['backend', 'A program without a person', 'asks for itself with system/ scopes, and signs with a key of its own.'],
] as const;
export type Kind = (typeof KINDS)[number][0];
export const kindName = (kind: string): string => KINDS.find(([one]) => one === kind)?.[1] ?? kind;

const SCOPES: Readonly<Record<Kind, string>> = {
  public: 'launch openid fhirUser patient/*.rs',
  symmetric: 'launch openid fhirUser offline_access patient/*.rs',
  asymmetric: 'launch openid fhirUser offline_access patient/*.rs',
  backend: 'system/Observation.rs',
};
const SCOPE_WORDS: readonly (readonly [scope: string, meaning: string])[] = [
  ['launch', 'be opened inside the EHR, for its patient'],
  ['launch/patient', 'ask the clinician to choose a patient'],
  ['openid fhirUser', 'know who the clinician is'],
  ['offline_access', 'go on after the clinician has left'],
  ['patient/*.rs', 'read and search everything of that patient'],
  ['patient/Observation.rs', 'of that patient, observations alone'],
  ['user/…', 'whatever the clinician may see'],
  ['system/…', 'without a person; a backend alone'],
];

const linesOf = (text: string): string[] => text.split(/\s+/).filter((one) => one !== '');
const orNull = (text: string): string | null => (text === '' ? null : text);

export type App = ValueOf<'apps.list'>['clients'][number];
type NewBody = AskOf<'apps.add'>['body'];

/** What the fields hold, or a sentence on what is wrong with them. */
function bodyOf(form: HTMLFormElement, kind: Kind): Omit<NewBody, 'kind' | 'id'> | string {
  const { name, scope, redirects, launchUrl, origins, jwksUri, jwks } = textsOf(
    form,
    ...(['name', 'scope', 'redirects', 'launchUrl', 'origins', 'jwksUri', 'jwks'] as const),
  );
  const signs = kind === 'asymmetric' || kind === 'backend';
  let keys: NewBody['jwks'] = null;
  try {
    keys = jwks === '' ? null : (JSON.parse(jwks) as NewBody['jwks']);
  } catch {
    return 'The keys are no JSON. Paste the whole key set, from { to }.';
  }
  return {
    name,
    scope: linesOf(scope).join(' '),
    redirectUris: kind === 'backend' ? [] : linesOf(redirects),
    launchUrl: kind === 'backend' ? null : orNull(launchUrl),
    origins: kind === 'public' ? linesOf(origins) : [],
    ...(signs ? { jwksUri: orNull(jwksUri), jwks: keys } : {}),
  };
}

/** The fields of an app, each with what it is for. `of`: an app that is there, whose kind stays. */
export function AppForm({
  of,
  words,
  isBusy,
  onGiven,
  onWrong,
}: {
  readonly of?: App;
  readonly words: string;
  readonly isBusy: boolean;
  readonly onGiven: (body: NewBody) => void;
  readonly onWrong: (sentence: string) => void;
}) {
  const [kind, setKind] = useState<Kind>(of?.kind ?? 'public');
  const [scope, setScope] = useState(of?.scope ?? SCOPES.public);
  const signs = kind === 'asymmetric' || kind === 'backend';
  const choose = (to: Kind): void => {
    if (scope === SCOPES[kind]) setScope(SCOPES[to]);
    setKind(to);
  };
  const onSubmit = (event: SyntheticEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const body = bodyOf(event.currentTarget, kind);
    if (typeof body === 'string') onWrong(body);
    else onGiven({ ...body, kind });
  };
  return (
    <form onSubmit={onSubmit}>
      <Field
        label="Name"
        name="name"
        required
        maxLength={100}
        defaultValue={of?.name}
        hint="People read it when they are asked to allow the app."
      />
      {of === undefined ? (
        <fieldset className="boxes">
          <legend>Where it runs</legend>
          {KINDS.map(([value, title, meaning]) => (
            <label key={value}>
              <input type="radio" name="kind" value={value} checked={kind === value} onChange={() => choose(value)} />
              <span>
                <strong>{title}</strong> <span className="small quiet">{meaning}</span>
              </span>
            </label>
          ))}
        </fieldset>
      ) : null}
      <Field
        label="The most that it may have, as SMART scopes"
        name="scope"
        required
        maxLength={4_000}
        value={scope}
        onChange={({ target }) => setScope(target.value)}
        hint="With a space between them. The app asks for some of it, the clinician allows some of that."
      />
      <details>
        <summary>What the scopes mean</summary>
        <dl className="facts">
          {SCOPE_WORDS.map(([one, meaning]) => (
            <div className="contents" key={one}>
              <dt>
                <code>{one}</code>
              </dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
      </details>
      {kind === 'backend' ? null : (
        <>
          <Field
            label="Addresses to which it is led back"
            name="redirects"
            required
            defaultValue={of?.redirectUris.join(' ')}
            placeholder="https://app.example/index.html"
            hint="With a space between them, to the letter: the browser goes nowhere else after the sign-in."
          />
          <Field
            label="Launch address"
            name="launchUrl"
            type="url"
            defaultValue={of?.launchUrl ?? ''}
            placeholder="https://app.example/launch.html"
            hint="What the EHR opens. Needed for launches, also for testing."
          />
        </>
      )}
      {kind === 'public' ? (
        <Field
          label="Origins"
          name="origins"
          defaultValue={of?.origins.join(' ')}
          placeholder="https://app.example"
          hint="From where a page may ask us; those of the addresses above are known already."
        />
      ) : null}
      {signs ? (
        <>
          <Field
            label="Address of its public keys"
            name="jwksUri"
            type="url"
            defaultValue={of?.jwksUri ?? ''}
            hint="Read anew when a key is not known, so that the app can change them by itself. Or paste them below."
          />
          <div>
            <label htmlFor="jwks">Its public keys, as a key set</label>
            <textarea
              id="jwks"
              name="jwks"
              rows={3}
              placeholder='{"keys":[…]}'
              defaultValue={(of?.jwks ?? null) === null ? '' : JSON.stringify(of?.jwks)}
            />
          </div>
        </>
      ) : null}
      <button type="submit" disabled={isBusy}>
        {words}
      </button>
    </form>
  );
}
