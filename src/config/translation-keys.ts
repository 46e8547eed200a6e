import { z } from 'zod';
import { list, open, set, wholeNumber, words } from './key-kinds.ts';

/** A name with its version, or a path. */
const GUIDE = /^(?:[A-Za-z0-9][\w.-]*#[\w.+-]+|.*\/.*|.+\.tgz)$/;

const PRACTITIONER = /^Practitioner\/[A-Za-z0-9.-]{1,64}$/;

/** What becomes of what the source says: the mapping data, the dialect, profiles, and what waits. */
export const TRANSLATION_KEYS = {
  CHARTGATE_DIALECT: set(
    'word',
    'auto',
    "the EHR's dialect file",
    z.string().regex(/^[a-z0-9-]+$/, 'must be the name of a dialect'),
  ),
  CHARTGATE_MAPPINGS: open(
    'path',
    'folder of the mapping data, with `templates/` that come with the gateway and `custom/` for your own; default: the shipped one',
  ),
  CHARTGATE_SNOMED: set(
    'word',
    'off',
    '`on` uses the rows that lead to SNOMED CT, for which you may need a licence',
    words('off', 'on'),
  ),
  CHARTGATE_GUIDES: open(
    'list',
    'FHIR guides whose profiles are known, `NAME#VERSION` each, as packages or folders in `guides/` of the mapping data, or paths of such',
    list.pipe(z.array(z.string().regex(GUIDE, 'must be NAME#VERSION or a path')).max(20)),
  ),
  CHARTGATE_EHR_PRACTITIONER: open(
    'text',
    'whom a vital sign names as its performer at an EHR that asks for a Practitioner (`performer: practitioner` of its dialect): `Practitioner/` and the id there',
    z.string().regex(PRACTITIONER, 'must be Practitioner/ and an id'),
  ),
  CHARTGATE_GUIDE_INVARIANTS: set(
    'word',
    'compiled',
    'rules of guides in FHIRPath: `compiled` (those that can be, the rest is listed) or `all` (the rest by the package `fhirpath`, which you install; some thousand times as slow)',
    words('compiled', 'all'),
  ),
  CHARTGATE_INCOMING_PROFILES: set(
    'word',
    'off',
    'FHIR that comes in and does not meet a profile that it claims, as far as that profile is loaded: `off` (not looked at), `finding` (it goes on, with findings) or `quarantine`',
    words('off', 'finding', 'quarantine'),
  ),
  CHARTGATE_LAB_STATUS: set(
    'word',
    'preliminary',
    'final laboratory results, which a machine read from a document: `preliminary` until a person looked, or `as-given`',
    words('preliminary', 'as-given'),
  ),
  CHARTGATE_SOURCE_IDENTIFIER: set(
    'word',
    'none',
    'whether a Patient also names the source user: `none` or `secondary`',
    words('none', 'secondary'),
  ),
  CHARTGATE_STANDARD_CODES: set(
    'word',
    'accept',
    'LOINC codes that the source gives itself: `accept` (taken after checks) or `park` (the document waits for a person)',
    words('accept', 'park'),
  ),
  CHARTGATE_TIME_AHEAD_HOURS: set(
    'integer',
    '1',
    'how many hours after it came a delivery may tell of; a day, or a time without a zone, 25 more. More is for simulated time alone',
    wholeNumber,
  ),
  CHARTGATE_UNMAPPED: set(
    'word',
    'leave-out',
    'codes without a mapping: `leave-out` (the rest of the document is written, and the entry later), `park` or `pass-through`',
    words('leave-out', 'park', 'pass-through'),
  ),
} as const;
