import {
  FIRST_PLACE,
  type EnrolReads,
  type EnrolWrites,
  type PatientEvent,
  type TimelinePlace,
} from '../../enrol/index.ts';
import { fail, fault, ok, type Result } from '../../kernel/index.ts';
import type { Operate } from '../../store/index.ts';
import { beforeOf, iso, pageOf } from '../cursor.ts';
import { defineRoute, type AdminRoute } from '../define-route.ts';

const toPlaceCursor = ({ delivery, link, request }: TimelinePlace): string =>
  Buffer.from(`t${delivery}.${link}.${request}`).toString('base64url');

/** The places that a cursor of a timeline names. */
function placeOf(cursor: string | undefined): Result<TimelinePlace> {
  if (cursor === undefined) return ok(FIRST_PLACE);
  const text = Buffer.from(cursor, 'base64url').toString();
  const [, delivery, link, request] = /^t(\d{1,15})\.(\d{1,15})\.(\d{1,15})$/.exec(text) ?? [];
  const place = { delivery: Number(delivery), link: Number(link), request: Number(request) };
  return toPlaceCursor(place) === cursor ? ok(place) : fail(fault('admin.parameter', { at: 'cursor' }));
}

function shownEvent({ at: atMs, place: _place, ...event }: PatientEvent) {
  const at = iso(atMs);
  switch (event.kind) {
    case 'delivery':
      return { ...event, at };
    case 'link': {
      const { actor, changedAt, ...rest } = event;
      return { ...rest, at, by: actor, changedAt: iso(changedAt) };
    }
    case 'request':
      return { ...event, at, arrivedAt: event.arrivedAt === null ? null : iso(event.arrivedAt) };
  }
}

/** Who is enrolled, and what happened to one of them. */
export function makePatientListRoutes(deps: {
  readonly tenant: string;
  readonly mrnSystem: string;
  readonly enrolment: Operate<EnrolWrites, EnrolReads>;
}): AdminRoute[] {
  const { tenant, mrnSystem, enrolment } = deps;
  return [
    defineRoute('patients.list', async ({ query }, { record, withheld }) => {
      const before = beforeOf('e', query.cursor);
      if (!before.ok) return before;
      const found = await enrolment.read('enrol.patients', { tenant, before: before.value, limit: query.limit + 1 });
      if (!found.ok) return found;
      const { rows: all, next } = pageOf('e', found.value, query.limit);
      const hidden = await withheld(all.map(({ mrn }) => ({ system: mrnSystem, mrn })));
      if (!hidden.ok) return hidden;
      const hiddenMrns = new Set(hidden.value.map(({ mrn }) => mrn));
      // In a list of many, who is restricted is not named.
      const rows = all.filter(({ mrn }) => !hiddenMrns.has(mrn));
      const patients = rows.map(({ mrn }) => ({ system: mrnSystem, mrn }));
      const recorded = await record({ action: 'R', outcome: '0', count: rows.length, patients });
      if (!recorded.ok) return recorded;
      const shown = rows.map(({ seq: _seq, linkedAt, lastDeliveryAt, ...rest }) => ({
        ...rest,
        linkedAt: iso(linkedAt),
        lastDeliveryAt: lastDeliveryAt === null ? null : iso(lastDeliveryAt),
      }));
      return ok({ patients: shown, next });
    }),

    defineRoute('patients.timeline', async ({ params: { mrn }, query }, { record }) => {
      const from = placeOf(query.cursor);
      if (!from.ok) return from;
      const patient = { mrnSystem, mrn };
      const found = await enrolment.read('enrol.timeline', { tenant, patient, from: from.value, limit: query.limit });
      if (!found.ok) return found;
      const { events, next } = found.value;
      const patients = [{ system: mrnSystem, mrn }];
      const recorded = await record({ action: 'R', outcome: '0', count: events.length, patients });
      if (!recorded.ok) return recorded;
      return ok({ events: events.map(shownEvent), next: next === null ? null : toPlaceCursor(next) });
    }),
  ];
}
