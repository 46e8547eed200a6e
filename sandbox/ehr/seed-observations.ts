import { clinician, concept, HL7, LOINC, quantity, SEEN_AT, SNOMED, US_CORE, type Kept } from './seed-chart.ts';

const unknownConcept = concept(`${HL7}/data-absent-reason`, 'unknown', 'Unknown');

type Category =
  | 'laboratory'
  | 'vital-signs'
  | 'social-history'
  | 'sdoh'
  | 'imaging'
  | 'exam'
  | 'functional-status'
  | 'disability-status'
  | 'cognitive-status'
  | 'survey';
const OF_US_CORE: readonly Category[] = ['sdoh', 'functional-status', 'disability-status', 'cognitive-status'];
const categoryOf = (code: Category): unknown =>
  concept(
    OF_US_CORE.includes(code) ? `${US_CORE}/CodeSystem/us-core-category` : `${HL7}/observation-category`,
    code,
    code,
  );

const STATUSES = ['final', 'amended', 'preliminary', 'entered-in-error'] as const;

/**
 * Observations of each profile of US Core that fits a grown patient. The laboratory's results and the social screening
 * are there in each status that the source's own data can take.
 */
export function buildObservations(subject: unknown, encounter: unknown): Kept[] {
  const observe = (
    id: string,
    category: readonly Category[],
    code: readonly [system: string, code: string, display: string],
    rest: Record<string, unknown>,
  ): Kept => ({
    resourceType: 'Observation',
    id: `demo-${id}`,
    status: 'final',
    category: category.map(categoryOf),
    code: concept(...code),
    subject,
    encounter,
    effectiveDateTime: SEEN_AT,
    performer: [clinician],
    ...rest,
  });
  const vital = (id: string, code: string, display: string, rest: Record<string, unknown>): Kept =>
    observe(id, ['vital-signs'], [LOINC, code, display], rest);

  return [
    ...STATUSES.map((status, i) =>
      observe(`potassium-${status}`, ['laboratory'], [LOINC, '2823-3', 'Potassium [Moles/volume] in Serum or Plasma'], {
        status,
        specimen: { reference: 'Specimen/demo-specimen' },
        interpretation: [concept(`${HL7}/v3-ObservationInterpretation`, 'N', 'Normal')],
        referenceRange: [{ low: quantity(3.5, 'mmol/L'), high: quantity(5.1, 'mmol/L') }],
        valueQuantity: quantity(4.1 + i / 10, 'mmol/L'),
      }),
    ),
    observe('blood-culture', ['laboratory'], [LOINC, '600-7', 'Bacteria identified in Blood by Culture'], {
      valueString: 'No growth after five days',
    }),
    observe('blood-group', ['laboratory'], [LOINC, '883-9', 'ABO group [Type] in Blood'], {
      valueCodeableConcept: concept(SNOMED, '112144000', 'Blood group A'),
    }),
    observe('lost-sample', ['laboratory'], [LOINC, '2951-2', 'Sodium [Moles/volume] in Serum or Plasma'], {
      dataAbsentReason: unknownConcept,
    }),
    ...STATUSES.map((status) =>
      observe(`transport-${status}`, ['survey', 'sdoh'], [LOINC, '93030-5', 'Has lack of transportation kept you'], {
        status,
        derivedFrom: [{ reference: 'QuestionnaireResponse/demo-questionnaire-response' }],
        valueCodeableConcept: concept(LOINC, 'LA32-8', 'No'),
      }),
    ),
    observe('transport-alone', ['sdoh'], [LOINC, '93030-5', 'Has lack of transportation kept you'], {
      valueBoolean: false,
    }),
    ...(['functional-status', 'disability-status', 'cognitive-status'] as const).map((category) =>
      observe(category, ['survey', category], [LOINC, '79533-6', 'Mobility'], {
        derivedFrom: [{ reference: 'QuestionnaireResponse/demo-questionnaire-response' }],
        valueString: 'Walks alone',
      }),
    ),
    observe('chest-image', ['imaging'], [LOINC, '36643-5', 'XR Chest 2 Views'], { valueString: 'Normal' }),
    observe('heart-sounds', ['exam'], [LOINC, '8693-4', 'Physical findings of Heart'], { valueString: 'Regular' }),
    observe('smoking', ['social-history'], [LOINC, '72166-2', 'Tobacco smoking status'], {
      valueCodeableConcept: concept(SNOMED, '8517006', 'Ex-smoker'),
    }),
    observe('smoking-packs', ['social-history'], [LOINC, '72166-2', 'Tobacco smoking status'], {
      valueQuantity: quantity(0, '{PackYears}'),
    }),
    observe('occupation', ['social-history'], [LOINC, '11341-5', 'History of Occupation'], {
      effectiveDateTime: undefined,
      effectivePeriod: { start: '1986-09-01', end: '2023-12-31' },
      valueCodeableConcept: concept('urn:oid:2.16.840.1.113883.6.243', '3600', 'Nursing'),
      component: [
        {
          code: concept(LOINC, '86188-0', 'History of Occupation industry'),
          valueCodeableConcept: concept('urn:oid:2.16.840.1.114222.4.5.327', '622110', 'General hospitals'),
        },
      ],
    }),
    observe('sexual-orientation', ['social-history'], [LOINC, '76690-7', 'Sexual orientation'], {
      valueCodeableConcept: concept(SNOMED, '20430005', 'Heterosexual'),
    }),
    observe('pregnancy-status', ['social-history'], [LOINC, '82810-3', 'Pregnancy status'], {
      valueCodeableConcept: concept(SNOMED, '60001007', 'Not pregnant'),
    }),
    observe('pregnancy-intent', ['social-history'], [LOINC, '86645-9', 'Pregnancy intention in the next year'], {
      valueCodeableConcept: concept(SNOMED, '454391000124101', 'Not wanting to become pregnant'),
    }),
    vital('respiration', '9279-1', 'Respiratory rate', { valueQuantity: quantity(14, 'breaths/minute', '/min') }),
    vital('pulse', '8867-4', 'Heart rate', { valueQuantity: quantity(68, 'beats/minute', '/min') }),
    vital('temperature', '8310-5', 'Body temperature', { valueQuantity: quantity(36.6, 'Cel') }),
    vital('height', '8302-2', 'Body height', { valueQuantity: quantity(168, 'cm') }),
    vital('weight', '29463-7', 'Body weight', { valueQuantity: quantity(66, 'kg') }),
    vital('bmi', '39156-5', 'Body mass index (BMI) [Ratio]', { valueQuantity: quantity(23.4, 'kg/m2') }),
    vital('oximetry', '2708-6', 'Oxygen saturation in Arterial blood', {
      code: {
        coding: [
          { system: LOINC, code: '2708-6', display: 'Oxygen saturation in Arterial blood' },
          { system: LOINC, code: '59408-5', display: 'Oxygen saturation in Arterial blood by Pulse oximetry' },
        ],
      },
      valueQuantity: quantity(97, '%'),
      component: [
        { code: concept(LOINC, '3151-8', 'Inhaled oxygen flow rate'), valueQuantity: quantity(2, 'L/min') },
        { code: concept(LOINC, '3150-0', 'Inhaled oxygen concentration'), valueQuantity: quantity(28, '%') },
        { code: concept(LOINC, '3151-8', 'Inhaled oxygen flow rate'), dataAbsentReason: unknownConcept },
      ],
    }),
    vital('blood-pressure', '85354-9', 'Blood pressure panel', {
      component: [
        { code: concept(LOINC, '8480-6', 'Systolic blood pressure'), valueQuantity: quantity(128, 'mm[Hg]') },
        { code: concept(LOINC, '8462-4', 'Diastolic blood pressure'), valueQuantity: quantity(79, 'mm[Hg]') },
      ],
    }),
    vital('blood-pressure-not-taken', '85354-9', 'Blood pressure panel', {
      component: [
        { code: concept(LOINC, '8480-6', 'Systolic blood pressure'), dataAbsentReason: unknownConcept },
        { code: concept(LOINC, '8462-4', 'Diastolic blood pressure'), dataAbsentReason: unknownConcept },
      ],
    }),
  ];
}
