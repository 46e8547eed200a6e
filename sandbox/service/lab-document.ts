import { createHash } from 'node:crypto';
import { isActive } from './add-ons.ts';
import { authenticateLab } from './authenticate.ts';
import { seeUser } from './connect.ts';
import type { Kit } from './kit.ts';
import { readLabForm } from './read-lab-form.ts';
import { isUserId } from './read-request.ts';
import { isReply, json, oddParameter, refuse, type Handle } from './reply.ts';
import type { LabDocument } from './state.ts';

/** A sign and HH:MM, or Z. No zone of this world is further than 14 hours from UTC. */
export const isTimezone = (text: string): boolean => /^(Z|[+-](0\d|1[0-3]):[0-5]\d|[+-]14:00)$/.test(text);

const SIGNATURES = [
  ['pdf', Buffer.from('%PDF-')],
  ['jpeg', Buffer.from([0xff, 0xd8, 0xff])],
  ['png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])],
] as const;

/** By what it holds, not by what it calls itself. */
export const kindOf = (content: Buffer): LabDocument['kind'] | null =>
  SIGNATURES.find(([, signature]) => content.subarray(0, signature.length).equals(signature))?.[0] ?? null;

/** 4.4, with every row of its error table in section 7. */
export const makeSubmitLab =
  (kit: Kit): Handle =>
  async (asked) => {
    const client = authenticateLab(kit.state, asked, asked.params['client_uuid'] ?? '');
    if (isReply(client)) return client;
    if (!isActive(client, 'lab_data')) return refuse(asked, 403, 'feature_not_included');
    const user = asked.params['user_id'] ?? '';
    if (!isUserId(user)) return refuse(asked, 400, 'user_id must have 1 to 50 characters');
    if (oddParameter(asked.url, []) !== null) return refuse(asked, 400, 'unknown or repeated query parameter');
    const form = await readLabForm(asked.request);
    if (form.kind === 'wrong') return refuse(asked, form.status, form.why);
    if (!isTimezone(form.timezone)) return refuse(asked, 400, 'timezone must be +HH:MM, -HH:MM or Z');
    if (form.content.length === 0) return refuse(asked, 400, 'file is empty');
    const kind = kindOf(form.content);
    if (kind === null) return refuse(asked, 400, 'file must be a PDF, JPEG or PNG');

    const sha256 = createHash('sha256').update(form.content).digest('hex');
    const earlier = kit.state.labDocuments
      .all()
      .find(
        ([, one]) =>
          one.client === client.uuid && one.user === user && one.sha256 === sha256 && one.duplicateOf === null,
      );
    const id = kit.newUuid();
    const document: LabDocument = {
      client: client.uuid,
      user,
      timezone: form.timezone,
      kind,
      bytes: form.content.length,
      sha256,
      receivedAt: kit.clock.now().getTime(),
      duplicateOf: earlier?.[0] ?? null,
    };
    seeUser(kit, client.uuid, user);
    kit.documents.put(id, form.content);
    kit.state.labDocuments.put(id, document);
    kit.tell({ kind: 'lab-received', id, document });
    return json(200, { document_id: id, status: 'received' });
  };
