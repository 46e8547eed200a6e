import { ask, type ValueOf } from '../../api/ask.ts';
import type { Asked } from '../../api/use-ask.ts';
import { agentWords } from '../../ui/agent.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Shown } from '../../ui/screen.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';

export type Sessions = ValueOf<'session.list'>;
type Session = Sessions['sessions'][number];

const STAGES: Readonly<Record<Session['stage'], string>> = {
  'signed-in': 'signed in',
  locked: 'locked: nobody was there',
  factor: 'waits for the second factor',
  enrol: 'must add a second factor',
};

/** Sessions of operators, each of which can be ended. */
export function SessionTable({
  of,
  which = () => true,
  nameOf,
  caption,
}: {
  readonly of: Asked<Sessions>;
  readonly which?: (session: Session) => boolean;
  /** Left out where all are one person's. */
  readonly nameOf?: (operatorId: string) => string;
  readonly caption: string;
}) {
  const columns: readonly Column<Session>[] = [
    ...(nameOf === undefined
      ? []
      : [{ name: 'Person', show: ({ operatorId }: Session) => nameOf(operatorId) } satisfies Column<Session>]),
    {
      name: 'Where',
      show: ({ agent, isThis }) => (
        <>
          <span title={agent}>{agentWords(agent)}</span>
          {isThis ? <div className="small good">this session</div> : null}
        </>
      ),
    },
    { name: 'State', show: ({ stage }) => STAGES[stage] },
    { name: 'Since', show: ({ madeAt }) => <Time at={madeAt} /> },
    { name: 'Last seen', show: ({ seenAt }) => <Time at={seenAt} /> },
    { name: 'Ends', show: ({ expiresAt }) => <Time at={expiresAt} /> },
    {
      name: 'Acts',
      show: ({ id, isThis, agent }) =>
        isThis ? null : (
          <Confirm
            label="End …"
            title="End this session?"
            act={{
              words: 'End it',
              run: (act) => act.run(ask('session.end', { params: { id } }), () => 'The session has ended.'),
            }}
            onDone={of.again}
          >
            <p>{agentWords(agent)} is signed out at once. What was not sent yet is lost there.</p>
          </Confirm>
        ),
    },
  ];
  return (
    <Shown of={of}>
      {({ sessions }) => {
        const rows = sessions.filter(which);
        return rows.length === 0 ? (
          <p>There is no session.</p>
        ) : (
          <Table caption={caption} rows={rows} columns={columns} keyOf={({ id }) => id} />
        );
      }}
    </Shown>
  );
}
