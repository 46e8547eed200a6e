import { fail, fault, ok } from '../../kernel/index.ts';
import { defineRoute, type AdminRoute } from '../define-route.ts';
import type { FlowWatch } from '../stream/watch-flow.ts';

const LAST = 'Last-Event-ID';

export const makeStreamRoutes = (deps: { readonly watch: Pick<FlowWatch, 'open'> }): AdminRoute[] => [
  defineRoute('flow.stream', (_input, { request, stillMay }) => {
    const given = request.headers['last-event-id'];
    const isOurs = given === undefined || (typeof given === 'string' && /^[1-9]\d{0,14}$/.test(given));
    if (!isOurs) {
      const detail = `\`${LAST}\` must be the id of the last event, as it was.`;
      return fail(fault('admin.parameter', { at: LAST, detail, problems: [detail] }));
    }
    const opened = deps.watch.open({ afterMs: given === undefined ? null : Number(given), stillMay });
    return opened.ok ? ok({ follow: opened.value }) : opened;
  }),
];
