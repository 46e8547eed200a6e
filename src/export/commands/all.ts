import type { Programs } from '../../store/index.ts';
import type { ExportReads, ExportWrites } from '../commands.ts';
import { claim, release, renew } from './claim.ts';
import { addGroup, changeGroup, countLinked, getGroup, listGroups, listMembers, removeGroup } from './groups.ts';
import { kickOff } from './kick-off.ts';
import { finishPatient, gather, putOff, putSegments } from './patients.ts';
import { count, files, getJob, getRequest, list, segments, unlinked, waiting, waitingShared } from './read.ts';
import { end, forgetUnlinked, putShared, settle, sweep, toShared } from './settle.ts';

export const writes: Programs<ExportWrites> = {
  'exports.kick-off': kickOff,
  'exports.claim': claim,
  'exports.renew': renew,
  'exports.release': release,
  'exports.gather': gather,
  'exports.put-segments': putSegments,
  'exports.finish-patient': finishPatient,
  'exports.put-off': putOff,
  'exports.to-shared': toShared,
  'exports.put-shared': putShared,
  'exports.settle': settle,
  'exports.end': end,
  'exports.sweep': sweep,
  'exports.forget-unlinked': forgetUnlinked,
  'groups.add': addGroup,
  'groups.change': changeGroup,
  'groups.remove': removeGroup,
};

export const reads: Programs<ExportReads> = {
  'exports.get': getJob,
  'exports.request': getRequest,
  'exports.list': list,
  'exports.count': count,
  'exports.waiting': waiting,
  'exports.waiting-shared': waitingShared,
  'exports.files': files,
  'exports.segments': segments,
  'exports.unlinked': unlinked,
  'groups.list': listGroups,
  'groups.get': getGroup,
  'groups.members': listMembers,
  'groups.count-linked': countLinked,
};
