import { isObject } from '../../kernel/index.ts';
import { flag, type Context, type Json } from '../runtime/context.ts';
import { countPattern, findByCode, hasCode, hasValue, listOf } from './read-coding.ts';

interface VitalSign {
  readonly name: string;
  /** The code that the profile fixes: it must be one of the codings. */
  readonly fixed: string;
  /** Units that the profile allows; none where the value stands in components or members. */
  readonly units: readonly string[];
  /** Codes on which the profile is imposed, whatever meta.profile says. */
  readonly imposedOn: readonly string[];
}

const LOINC = 'http://loinc.org';
const UCUM = 'http://unitsofmeasure.org';
const CATEGORY = 'http://terminology.hl7.org/CodeSystem/observation-category';
const PROFILE = 'http://hl7.org/fhir/StructureDefinition/';

const sign = (name: string, fixed: string, units: readonly string[], imposedOn: string): VitalSign => ({
  name,
  fixed,
  units,
  imposedOn: imposedOn.split(' '),
});

/** R4's vital-signs profiles, and the LOINC codes on which the official validator imposes them. */
const VITAL_SIGNS: readonly VitalSign[] = [
  sign(
    'heartrate',
    '8867-4',
    ['/min'],
    '8867-4 60978-4 73795-7 73799-9 76476-1 76477-9 8889-8 8890-6 8891-4 8892-2 8893-0 40443-4 55425-3 68999-2 11328-2 69000-8 8886-4',
  ),
  sign(
    'oxygensat',
    '2708-6',
    ['%'],
    '2708-6 19224-5 20564-1 2709-4 2710-2 2713-6 51733-4 59408-5 59417-6 89276-0 97549-0',
  ),
  sign('resprate', '9279-1', ['/min'], '9279-1 76170-0 76172-6 76171-8 19840-8 33438-3 76270-8 11291-2'),
  sign(
    'bodytemp',
    '8310-5',
    ['Cel', '[degF]'],
    '8310-5 60834-9 60835-6 60836-4 60838-0 60955-2 61009-7 75539-7 75987-8 76010-8 76011-6 76278-1 8309-7 8328-7 8329-5 8330-3 8331-1 8332-9 8333-7 8334-5 91371-5 98657-0 98663-8',
  ),
  sign('bodyheight', '8302-2', ['cm', '[in_i]'], '8302-2 3137-7 3138-5 8306-3 8308-9'),
  sign('bodyweight', '29463-7', ['kg', '[lb_av]', 'g'], '29463-7 3141-9 3142-7 75292-3 79348-9 8350-1 8351-9'),
  sign('bmi', '39156-5', ['kg/m2'], '39156-5 89270-3'),
  sign('headcircum', '9843-4', ['cm', '[in_i]'], '9843-4 8287-5'),
  sign('bp', '85354-9', [], '85354-9 35094-2 8459-0 76534-7 55284-4 8480-6'),
  sign('vitalspanel', '85353-1', [], '85353-1'),
];

const PRESSURES = ['8480-6', '8462-4'] as const;

const byCode = new Map(VITAL_SIGNS.flatMap((s) => s.imposedOn.map((code) => [code, s] as const)));
const byProfile = new Map(VITAL_SIGNS.map((s) => [PROFILE + s.name, s]));

const signOf = (code: string): VitalSign | undefined => byCode.get(code);

function findSign(observation: Json): VitalSign | undefined {
  const found = findByCode(observation['code'], LOINC, signOf);
  if (found !== undefined) return found;
  const meta = observation['meta'];
  const claimed = isObject(meta) && Array.isArray(meta['profile']) ? (meta['profile'] as unknown[]) : null;
  return claimed?.map((url) => byProfile.get(String(url))).find((one) => one !== undefined);
}

/** Value, unit text, system and code are all demanded of a quantity; `units` are the fixed codes it may have. */
function checkQuantity(quantity: unknown, units: readonly string[], c: Context, path: string): boolean {
  if (!isObject(quantity)) return flag(c, 'vs-value', path, 'This vital sign has a valueQuantity.');
  const isWhole = quantity['value'] !== undefined && quantity['unit'] !== undefined && quantity['system'] === UCUM;
  if (isWhole && units.includes(String(quantity['code']))) return true;
  return flag(
    c,
    'vs-unit',
    `${path}.value`,
    `The quantity needs value, unit, the UCUM system and one of these codes: ${units.join(', ')}.`,
  );
}

function checkTime(o: Json, c: Context, path: string): boolean {
  const at = o['effectiveDateTime'];
  if (at === undefined && o['_effectiveDateTime'] === undefined && o['effectivePeriod'] === undefined)
    return flag(c, 'vs-effective', path, 'A vital sign needs effectiveDateTime or effectivePeriod.');
  if (typeof at !== 'string' || at.length >= 8) return true;
  return flag(c, 'vs-1', `${path}.effective`, `The time "${at}" is not precise to the day.`);
}

function checkPressure(o: Json, c: Context, path: string): boolean {
  let isSound = true;
  const components = listOf(o['component']);
  for (const code of PRESSURES) {
    const matching = components.filter((component) => hasCode(component['code'], LOINC, code));
    if (matching.length !== 1)
      isSound = flag(c, 'vs-component', path, `Blood pressure needs exactly one component with LOINC ${code}.`);
    for (const component of matching) {
      if (component['valueQuantity'] === undefined && component['dataAbsentReason'] !== undefined) continue;
      if (!checkQuantity(component['valueQuantity'], ['mm[Hg]'], c, `${path}.component`)) isSound = false;
    }
  }
  return isSound;
}

function checkOwnValue(o: Json, vital: VitalSign, c: Context, path: string): boolean {
  if (vital.name === 'bp') return checkPressure(o, c, path);
  if (vital.name === 'vitalspanel') {
    if (hasValue(o)) return flag(c, 'vs-value', path, 'A vital-signs panel has no value of its own.');
    return listOf(o['hasMember']).length > 0 || flag(c, 'vs-member', path, 'A vital-signs panel needs hasMember.');
  }
  if (!hasValue(o) && o['dataAbsentReason'] !== undefined && vital.name !== 'bmi') return true;
  return checkQuantity(o['valueQuantity'], vital.units, c, path);
}

function checkPresence(o: Json, c: Context, path: string): boolean {
  let isSound = true;
  const components = listOf(o['component']);
  if (
    components.length === 0 &&
    listOf(o['hasMember']).length === 0 &&
    !hasValue(o) &&
    o['dataAbsentReason'] === undefined
  )
    isSound = flag(c, 'vs-2', path, 'A vital sign needs a value, dataAbsentReason, components or members.');
  components.forEach((component, i) => {
    if (!hasValue(component) && component['dataAbsentReason'] === undefined)
      isSound = flag(c, 'vs-3', `${path}.component[${i}]`, 'A component needs a value or dataAbsentReason.');
  });
  return isSound;
}

/** The R4 vital-signs profile family, imposed by LOINC code. */
export function checkVitalSign(o: Json, c: Context, path: string): boolean {
  if (o['resourceType'] !== 'Observation') return true;
  const vital = findSign(o);
  if (vital === undefined) return true;
  let isSound = true;
  if (countPattern(o['category'], CATEGORY, 'vital-signs') !== 1)
    isSound = flag(
      c,
      'vs-category',
      `${path}.category`,
      `A vital sign (${vital.name}) has the category vital-signs exactly once.`,
    );
  if (!hasCode(o['code'], LOINC, vital.fixed))
    isSound = flag(
      c,
      'vs-code',
      `${path}.code`,
      `The profile ${vital.name} needs the LOINC code ${vital.fixed} among the codings.`,
    );
  if (o['subject'] === undefined) isSound = flag(c, 'vs-subject', path, 'A vital sign needs a subject.');
  if (!checkTime(o, c, path)) isSound = false;
  if (!checkPresence(o, c, path)) isSound = false;
  return checkOwnValue(o, vital, c, path) && isSound;
}
