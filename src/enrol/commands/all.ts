import type { Programs } from '../../store/index.ts';
import type { EnrolWrites } from '../commands.ts';
import { claim } from './claim.ts';
import { erase } from './erase.ts';
import { putNews } from './put-news.ts';
import { arrive, request } from './request.ts';
import { countLate, revoke } from './revoke.ts';

export { reads } from './read.ts';

export const writes: Programs<EnrolWrites> = {
  'enrol.claim': claim,
  'enrol.news': putNews,
  'enrol.revoke': revoke,
  'enrol.request': request,
  'enrol.arrive': arrive,
  'enrol.late': countLate,
  'enrol.erase': erase,
};
