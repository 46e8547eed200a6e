import { useState } from 'react';
import { ask, type ValueOf } from '../../api/ask.ts';
import { useMay } from '../../api/session.tsx';
import { useAsk } from '../../api/use-ask.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Pages } from '../../ui/pages.tsx';
import { Shown } from '../../ui/screen.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';

type Grant = ValueOf<'grants.list'>['grants'][number];
type Owner = { readonly client_id: string } | { readonly account_id: string };

const KINDS: Readonly<Record<Grant['kind'], readonly [name: string, meaning: string]>> = {
  grant: ['Consent', 'what a person allowed an app, with its tokens'],
  session: ['Session', 'a person signed in in a browser'],
  token: ['Token', 'of an app that acts for itself'],
};

/** What an app or a person was given and still has; each can be ended. */
export function Grants({ of, nameOf }: { readonly of: Owner; readonly nameOf: (id: string) => string }) {
  const [cursor, setCursor] = useState<string | undefined>();
  const found = useAsk('grants.list', { query: { ...of, ...(cursor === undefined ? {} : { cursor }), limit: 50 } });
  const mayEnd = useMay('apps.change');
  const isOfApp = 'client_id' in of;
  const columns: readonly Column<Grant>[] = [
    { name: 'What', show: ({ kind }) => <span title={KINDS[kind][1]}>{KINDS[kind][0]}</span> },
    {
      name: isOfApp ? 'Of whom' : 'To which app',
      show: ({ clientId, accountId }) => {
        const other = isOfApp ? accountId : clientId;
        return other === null ? <span className="quiet">{isOfApp ? 'the app itself' : 'any'}</span> : nameOf(other);
      },
    },
    { name: 'Scopes', show: ({ scope }) => (scope === null ? null : <code>{scope}</code>) },
    { name: 'Given', show: ({ madeAt }) => <Time at={madeAt} /> },
    { name: 'Last used', show: ({ usedAt }) => <Time at={usedAt} /> },
    { name: 'Ends', show: ({ until }) => <Time at={until} /> },
    ...(mayEnd
      ? [
          {
            name: 'Acts',
            show: ({ id, kind }: Grant) => (
              <Confirm
                label="End …"
                title={`End this ${KINDS[kind][0].toLowerCase()}?`}
                act={{
                  words: 'End it',
                  run: (act) => act.run(ask('grants.end', { params: { id } }), () => 'It has ended.'),
                }}
                onDone={found.again}
              >
                <p>All tokens of it end at once. The person is asked again when the app comes next.</p>
              </Confirm>
            ),
          } satisfies Column<Grant>,
        ]
      : []),
  ];
  return (
    <section className="card" aria-labelledby="grants">
      <h2 id="grants">{isOfApp ? 'What it was given' : 'What was allowed in their name'}</h2>
      <Shown of={found}>
        {({ grants, next }) =>
          grants.length === 0 ? (
            <p>Nothing is given now.</p>
          ) : (
            <>
              <Table caption="Newest first" rows={grants} columns={columns} keyOf={({ id }) => id} />
              <Pages cursor={cursor} next={next} onGo={setCursor} />
            </>
          )
        }
      </Shown>
    </section>
  );
}
