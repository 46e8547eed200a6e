import { CheckCircleIcon, XCircleIcon } from '@primer/octicons-react';
import { useRef, useState, type ChangeEvent, type SyntheticEvent } from 'react';
import { ask, type ValueOf } from '../../api/ask.ts';
import { useMay } from '../../api/session.tsx';
import { useQuery } from '../../api/use-query.ts';
import { Outcome, useAct } from '../../ui/act.tsx';
import { CopyAs } from '../../ui/copy-as.tsx';
import { Field, textsOf } from '../../ui/field.tsx';
import { TakeBytes } from '../delivery/take-bytes.tsx';
import { Tried } from './tried.tsx';

type Answer = ValueOf<'mappings.try'>;

/** What the gateway takes at the most. */
const BYTES_MAX = 1024 * 1024;

const WHY_NOT: Readonly<Record<string, string>> = {
  'not-ready': 'the source has not finished the document',
  unmapped: 'a code or unit is not mapped',
  'not-profile': 'it does not meet a profile',
  implausible: 'a value cannot be true',
  suspicious: 'it would withdraw unusually much',
  unlinked: 'the user is linked to nobody',
};

function Verdict({ of: { wouldGo, trouble, issues, mappings, dialect } }: { readonly of: Answer }) {
  const why = trouble === null ? '' : (WHY_NOT[trouble] ?? trouble);
  return (
    <>
      <p className={wouldGo ? 'good' : 'bad'}>
        {wouldGo ? <CheckCircleIcon size={16} aria-hidden /> : <XCircleIcon size={16} aria-hidden />}{' '}
        {wouldGo
          ? `It would be written${trouble === null ? '' : `, once ${why.replace('is linked to nobody', 'has a link')}`}.`
          : `It would not be written${why === '' ? '' : `: ${why}`}${issues.length === 0 ? '' : '; it is not valid R4'}.`}
      </p>
      <p className="small quiet">
        By mapping data <code>{mappings}</code> and dialect {dialect}. Nothing was stored or sent.
      </p>
    </>
  );
}

/** A payload of the source, pasted, picked or of a stored delivery: what would become of it. It stays in the page. */
export function Try() {
  const act = useAct();
  const [tried, setTried] = useState<Answer | null>(null);
  const [{ delivery }] = useQuery();
  const [wrong, setWrong] = useState('');
  const mayTake = useMay('deliveries.raw');
  const text = useRef<HTMLTextAreaElement>(null);
  const onTaken = (bytes: Uint8Array<ArrayBuffer>): void => {
    if (text.current === null) return;
    setWrong(bytes.length > BYTES_MAX ? 'The delivery is larger than 1 MB.' : '');
    text.current.value = bytes.length > BYTES_MAX ? '' : new TextDecoder().decode(bytes);
    text.current.focus();
  };
  const onFile = async ({ target }: ChangeEvent<HTMLInputElement>): Promise<void> => {
    const [file] = target.files ?? [];
    if (file === undefined || text.current === null) return;
    text.current.value = file.size > BYTES_MAX ? '' : await file.text();
    target.setCustomValidity(file.size > BYTES_MAX ? 'The file is larger than 1 MB.' : '');
    target.reportValidity();
  };
  const onSubmit = async (event: SyntheticEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const { payload, mrn } = textsOf(event.currentTarget, 'payload', 'mrn');
    const asked = ask('mappings.try', {
      query: mrn === '' ? {} : { mrn },
      bytes: { type: 'application/json', content: payload },
    });
    await act.run(asked, ({ resources, decisions }) => `${resources.length} resources, ${decisions.length} decisions.`);
    const reply = await asked;
    setTried(reply.kind === 'done' ? reply.value : null);
  };
  return (
    <>
      <section className="card" aria-labelledby="try">
        <div className="between">
          <h2 id="try">See what would be written</h2>
          <CopyAs id="mappings.try" command="mappings try PAYLOAD.json" />
        </div>
        {mayTake ? (
          <details open={delivery !== undefined}>
            <summary>Take the payload of a stored delivery</summary>
            <TakeBytes id={{ suggested: delivery }} does="Take it" onTaken={onTaken} />
            {wrong === '' ? null : (
              <p className="bad" role="alert">
                {wrong}
              </p>
            )}
          </details>
        ) : null}
        <form onSubmit={(event) => void onSubmit(event)}>
          <div>
            <label htmlFor="payload">A payload of the Data Webhook, as JSON</label>
            <textarea
              id="payload"
              name="payload"
              ref={text}
              rows={10}
              required
              spellCheck={false}
              className="payload"
            />
          </div>
          <div>
            <label htmlFor="payload-file">Or pick a file</label>
            <input
              id="payload-file"
              type="file"
              accept=".json,application/json"
              onChange={(event) => void onFile(event)}
            />
          </div>
          <Field
            label="As if the user were linked to this MRN"
            name="mrn"
            hint="May be left out. It is not kept, and stands in the audit."
          />
          <button type="submit" disabled={act.isBusy}>
            Try it
          </button>
        </form>
        <Outcome of={act} />
      </section>
      {tried === null ? null : (
        <section className="card" aria-labelledby="tried">
          <h2 id="tried">What would become of it</h2>
          <Verdict of={tried} />
          <Tried of={tried} />
        </section>
      )}
    </>
  );
}
