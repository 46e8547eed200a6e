import { CheckCircleIcon, XCircleIcon } from '@primer/octicons-react';
import type { ReactNode } from 'react';
import { Changes } from './changes.tsx';
import { Pages } from './pages.tsx';
import { Table, type Column } from './table.tsx';
import { Time } from './time.tsx';

/** What is done again and again, and noted where it found something else than before. */
interface Noted {
  readonly firstAt: string;
  readonly lastAt: string;
  readonly count: number;
  readonly by: string;
  readonly changes: Parameters<typeof Changes>[0]['of'];
}

const WHEN: readonly Column<Noted>[] = [
  {
    name: 'When',
    show: ({ firstAt, lastAt, count }) => (
      <>
        <Time at={lastAt} />
        {count === 1 ? null : (
          <div className="small quiet">
            {count.toLocaleString()} times since <Time at={firstAt} />
          </div>
        )}
      </>
    ),
  },
  { name: 'By', show: ({ by }) => (by === 'gateway' ? 'the gateway itself' : by) },
];
const CHANGED: Column<Noted> = { name: 'What had changed', show: ({ changes }) => <Changes of={changes} /> };

export const Went = ({ children }: { readonly children: ReactNode }) => (
  <span className="good">
    <CheckCircleIcon size={12} aria-hidden /> {children}
  </span>
);
export const Failed = ({ children }: { readonly children: ReactNode }) => (
  <span className="bad">
    <XCircleIcon size={12} aria-hidden /> {children}
  </span>
);

/** Each time newest first, with what came of it and what was different. */
export function NotedList<Row extends Noted>({
  caption,
  none,
  rows,
  columns,
  ...pages
}: {
  readonly caption: string;
  /** Said where there is nothing yet. */
  readonly none: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
} & Parameters<typeof Pages>[0]) {
  if (rows.length === 0) return <p>{none}</p>;
  return (
    <>
      <Table
        caption={caption}
        rows={rows}
        columns={[...WHEN, ...columns, CHANGED]}
        keyOf={({ firstAt, by }) => `${firstAt} ${by}`}
      />
      <Pages {...pages} />
    </>
  );
}
