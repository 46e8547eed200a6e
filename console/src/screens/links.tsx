import { useState, type FormEvent } from 'react';
import { ask } from '../api/ask.ts';
import { useMay } from '../api/session.tsx';
import { useAsk } from '../api/use-ask.ts';
import { useQuery } from '../api/use-query.ts';
import { Choice } from '../ui/choice.tsx';
import { CopyAs } from '../ui/copy-as.tsx';
import { Pages } from '../ui/pages.tsx';
import { Screen, Shown } from '../ui/screen.tsx';
import { State } from '../ui/state.tsx';
import { Time } from '../ui/time.tsx';

const STATUSES = ['proposed', 'confirmed', 'revoked'] as const;
const isStatus = (value: string | undefined): value is (typeof STATUSES)[number] =>
  STATUSES.some((one) => one === value);

function NewLink({ onDone }: { readonly onDone: () => void }) {
  const [said, setSaid] = useState<{ readonly isGood: boolean; readonly words: string } | null>(null);
  const onSubmit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget;
    const given = new FormData(form);
    const [user, mrn, evidence] = ['user', 'mrn', 'evidence'].map((name) => String(given.get(name) ?? '').trim());
    const reply = await ask('links.put', {
      params: { user_id: user ?? '' },
      body: { mrn: mrn ?? '', ...(evidence === '' || evidence === undefined ? {} : { evidence }) },
    });
    if (reply.kind === 'refused') return setSaid({ isGood: false, words: reply.refusal.message });
    const { status, released, retracting } = reply.value;
    setSaid({
      isGood: true,
      words: `${status}; ${released} deliveries go on, ${retracting} leave the old chart.`,
    });
    form.reset();
    onDone();
  };
  return (
    <form className="card" aria-labelledby="new-link" onSubmit={(event) => void onSubmit(event)}>
      <h2 id="new-link">Link a user</h2>
      <div className="row">
        <div>
          <label htmlFor="user">User of the source</label>
          <input id="user" name="user" required autoComplete="off" />
        </div>
        <div>
          <label htmlFor="mrn">Medical record number</label>
          <input id="mrn" name="mrn" required autoComplete="off" />
        </div>
        <div>
          <label htmlFor="evidence">How it is known (optional)</label>
          <input id="evidence" name="evidence" maxLength={200} autoComplete="off" />
        </div>
        <button type="submit">Confirm</button>
      </div>
      <p role="status" className={said?.isGood === false ? 'bad' : 'good'}>
        {said?.words ?? ''}
      </p>
    </form>
  );
}

export function Links() {
  const [{ status, cursor }, change] = useQuery();
  const query = { status: isStatus(status) ? status : undefined, cursor, limit: 50 };
  const found = useAsk('links.list', { query });
  const mayChange = useMay('links.change');
  return (
    <Screen title="Links" actions={<CopyAs id="links.list" call={{ query }} />}>
      {mayChange ? <NewLink onDone={found.again} /> : null}
      <form className="card row" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
        <Choice
          label="Status"
          value={status}
          of={STATUSES}
          onChange={(to) => change({ status: to, cursor: undefined })}
        />
      </form>
      <Shown of={found}>
        {({ links, next }) =>
          links.length === 0 ? (
            <p>
              No link is like that. A user whose data waits is linked above, or by a CSV file: chartgate links import.
            </p>
          ) : (
            <>
              <div className="scroll">
                <table>
                  <caption>Newest first</caption>
                  <thead>
                    <tr>
                      <th scope="col">User of the source</th>
                      <th scope="col">MRN</th>
                      <th scope="col">Status</th>
                      <th scope="col">Known by</th>
                      <th scope="col">Changed</th>
                      <th scope="col">By</th>
                    </tr>
                  </thead>
                  <tbody>
                    {links.map(({ id, userId, mrn, status: is, evidence, changedAt, actor }) => (
                      <tr key={id}>
                        <td>
                          <code>{userId}</code>
                        </td>
                        <td>{mrn}</td>
                        <td>
                          <State is={is} />
                        </td>
                        <td>{evidence}</td>
                        <td>
                          <Time at={changedAt} />
                        </td>
                        <td>{actor}</td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
              <Pages cursor={cursor} next={next} onGo={(to) => change({ cursor: to })} />
            </>
          )
        }
      </Shown>
    </Screen>
  );
}
