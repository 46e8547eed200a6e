import { isDayOrTime } from '../kernel/index.ts';
import { localReference, splitSearchValue, type SearchParam } from '../r4/index.ts';
import { isId } from './read-request.ts';

const PREFIX = '(?:eq|ne|gt|lt|ge|le|sa|eb|ap)?';
const DATE = new RegExp(
  `^${PREFIX}(\\d{4}(-\\d\\d(-\\d\\d(T\\d\\d:\\d\\d(:\\d\\d(\\.\\d+)?)?(Z|[+-]\\d\\d:\\d\\d)?)?)?)?)$`,
);
const NUMBER = new RegExp(`^${PREFIX}[+-]?\\d+(\\.\\d+)?([eE][+-]?\\d+)?$`);

/** A plus sign in a URL is decoded as a blank, and many apps do not write it as %2B. */
const withPlus = (date: string): string => date.replace(/ (\d\d:\d\d)$/, '+$1');

/** A year or a month is completed to its first day, to see whether it exists. */
function isDate(value: string): boolean {
  const [, date] = DATE.exec(value) ?? [];
  return date !== undefined && isDayOrTime(date.length < 10 ? `${date}${'-01-01'.slice(date.length - 4)}` : date);
}

/** What is defined is named by its address, wherever that is: nobody looks for it there. */
const DEFINITIONS: ReadonlySet<string> = new Set([
  'ActivityDefinition',
  'Measure',
  'OperationDefinition',
  'PlanDefinition',
  'Questionnaire',
]);
const ADDRESS = /^(https?:\/\/|urn:)[^\s]+$/;
const namesDefinition = ({ targets }: SearchParam, value: string): boolean =>
  ADDRESS.test(value) && targets !== 'any' && targets.length > 0 && targets.every((type) => DEFINITIONS.has(type));

/**
 * References written with our base become relative; those to other servers are refused, since the EHR would look for
 * them here.
 */
function reference(param: SearchParam, value: string, base: string): string | null {
  const relative = value.startsWith(`${base}/`) ? value.slice(base.length + 1) : value;
  // The type of an id must be known before it can be decided whether the caller may ask for it.
  const isKnown = (isId(relative) && param.targets !== 'any') || localReference(relative) !== null;
  return isKnown || namesDefinition(param, relative) ? relative : null;
}

function alternative(param: SearchParam, name: string, value: string, base: string): string | null {
  if (name === '_id') return isId(value) ? value : null;
  switch (param.kind) {
    case 'reference':
      return reference(param, value, base);
    case 'date':
      return isDate(withPlus(value)) ? withPlus(value) : null;
    case 'number':
      return NUMBER.test(value) ? value : null;
    case 'quantity': {
      const [number = '', ...unit] = splitSearchValue(value, '|');
      return NUMBER.test(number) && unit.length <= 2 ? value : null;
    }
    case 'token':
      return splitSearchValue(value, '|').length <= 2 ? value : null;
    default:
      return value;
  }
}

/**
 * A search value as it goes to the EHR; null where it is none of its kind. What the EHR would refuse is refused here,
 * since its own refusal is told to nobody.
 */
export function canonicalValue(
  param: SearchParam,
  name: string,
  modifier: string | undefined,
  value: string,
  base: string,
): string | null {
  if (modifier === 'missing') return value === 'true' || value === 'false' ? value : null;
  if (modifier !== undefined) return value;
  const parts = splitSearchValue(value, ',').map((part) => alternative(param, name, part, base));
  return parts.every((part) => part !== null) ? parts.join(',') : null;
}
