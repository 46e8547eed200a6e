import type { ValueOf } from '../api/ask.ts';
import { Table } from '../ui/table.tsx';

/** What stands in a chart because of a user, counted. */
export function Charted({ of: { total, waiting, resources } }: { readonly of: ValueOf<'links.charted'> }) {
  const sums = new Map<string, { type: string; group: string; count: number; days: number }>();
  for (const { resourceType, group, count } of resources) {
    const key = `${resourceType} ${group}`;
    const before = sums.get(key) ?? { type: resourceType, group, count: 0, days: 0 };
    sums.set(key, { ...before, count: before.count + count, days: before.days + 1 });
  }
  return (
    <>
      <p>
        {total === 0
          ? 'Nothing of this user stands in the chart.'
          : `${total.toLocaleString()} ${total === 1 ? 'resource stands' : 'resources stand'} in the chart because of this user.`}{' '}
        {waiting === 0 ? '' : `${waiting.toLocaleString()} on the way there would wait for a link.`}
      </p>
      {total === 0 ? null : (
        <Table
          caption="In the chart now"
          rows={[...sums.values()]}
          columns={[
            { name: 'What', show: ({ type, group }) => `${group} (${type})` },
            { name: 'Days', show: ({ days: n }) => n, isNumber: true },
            { name: 'Resources', show: ({ count }) => count.toLocaleString(), isNumber: true },
          ]}
          keyOf={({ type, group }) => `${type} ${group}`}
        />
      )}
    </>
  );
}
