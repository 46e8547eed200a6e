/*
 * What laboratories print, written apart from what the reader knows, so that the two check each other:
 * names | LOINC in US units: unit texts = UCUM, range, decimals | the same in SI units, where laboratories use them.
 * A range `..x` is printed as below, `x..` as above. The notices of LOINC and UCUM are in mappings/README.md.
 */
const TABLE = `
# Complete Blood Count; CBC; Hematology
WBC; White Blood Cell Count; Leukocytes | 6690-2 10^3/uL, x10E3/uL, K/uL = 10*3/uL 4.0..11.0 1 | 6690-2 10^9/L, x10^9/L = 10*9/L 4.0..11.0 1
RBC; Red Blood Cell Count; Erythrocytes | 789-8 10^6/uL, x10E6/uL, M/uL = 10*6/uL 4.10..5.60 2 | 789-8 10^12/L, x10^12/L = 10*12/L 4.10..5.60 2
Hemoglobin; Hgb; Haemoglobin | 718-7 g/dL = g/dL 12.5..16.5 1 | 718-7 g/L = g/L 125..165 0
Hematocrit; Hct | 4544-3 % = % 37.0..48.0 1
MCV | 30428-7 fL = fL 80..98 0
MCH | 28539-5 pg = pg 27.0..33.0 1
MCHC | 28540-3 g/dL = g/dL 32.0..36.0 1 | 28540-3 g/L = g/L 320..360 0
RDW; RDW-CV | 788-0 % = % 11.5..14.5 1
Platelet Count; Platelets; PLT | 777-3 10^3/uL, x10E3/uL, K/uL = 10*3/uL 150..400 0 | 777-3 10^9/L, x10^9/L = 10*9/L 150..400 0
MPV | 32623-1 fL = fL 7.5..11.5 1
Neutrophils %; Neutrophils | 770-8 % = % 40.0..70.0 1
Lymphocytes %; Lymphocytes | 736-9 % = % 20.0..45.0 1
Absolute Neutrophils; Neutrophils Absolute | 751-8 10^3/uL, K/uL = 10*3/uL 1.80..7.70 2 | 751-8 10^9/L = 10*9/L 1.80..7.70 2
Absolute Lymphocytes; Lymphocytes Absolute | 731-0 10^3/uL, K/uL = 10*3/uL 1.00..4.80 2 | 731-0 10^9/L = 10*9/L 1.00..4.80 2
# Comprehensive Metabolic Panel; Basic Metabolic Panel; Clinical Chemistry
Glucose; Glucose, Serum | 2345-7 mg/dL = mg/dL 70..99 0 | 14749-6 mmol/L = mmol/L 3.9..5.5 1
BUN; Urea Nitrogen; Blood Urea Nitrogen | 3094-0 mg/dL = mg/dL 7..20 0
Creatinine; Creatinine, Serum | 2160-0 mg/dL = mg/dL 0.60..1.20 2 | 14682-9 umol/L, µmol/L = umol/L 53..106 0
eGFR (CKD-EPI 2021) | 98979-8 mL/min/1.73m2, mL/min/1.73 m2 = mL/min/{1.73_m2} 60.. 0
Sodium | 2951-2 mmol/L = mmol/L 135..145 0
Potassium | 2823-3 mmol/L = mmol/L 3.5..5.1 1
Chloride | 2075-0 mmol/L = mmol/L 98..107 0
Carbon Dioxide, Total; CO2 | 2028-9 mmol/L = mmol/L 22..29 0
Calcium | 17861-6 mg/dL = mg/dL 8.6..10.3 1
Protein, Total; Total Protein | 2885-2 g/dL = g/dL 6.1..8.1 1 | 2885-2 g/L = g/L 61..81 0
Albumin | 1751-7 g/dL = g/dL 3.6..5.1 1 | 1751-7 g/L = g/L 36..51 0
Bilirubin, Total; Total Bilirubin | 1975-2 mg/dL = mg/dL 0.2..1.2 1
Alkaline Phosphatase; ALP | 6768-6 U/L, IU/L = U/L 40..129 0
AST; AST (SGOT) | 1920-8 U/L = U/L 10..40 0
ALT; ALT (SGPT) | 1742-6 U/L = U/L 9..46 0
# Lipid Panel; Lipid Profile; Lipids
Cholesterol, Total; Total Cholesterol | 2093-3 mg/dL = mg/dL ..200 0 | 14647-2 mmol/L = mmol/L ..5.2 1
HDL Cholesterol | 2085-9 mg/dL = mg/dL 40.. 0 | 14646-4 mmol/L = mmol/L 1.0.. 2
LDL Cholesterol | 2089-1 mg/dL = mg/dL ..100 0 | 22748-8 mmol/L = mmol/L ..3.4 2
Non-HDL Cholesterol | 43396-1 mg/dL = mg/dL ..130 0
Triglycerides | 2571-8 mg/dL = mg/dL ..150 0 | 14927-8 mmol/L = mmol/L ..1.7 2
Apolipoprotein B | 1884-6 mg/dL = mg/dL ..90 0
# Thyroid Panel; Thyroid Function
TSH; Thyroid Stimulating Hormone | 3016-3 mIU/L, uIU/mL = m[IU]/L, u[IU]/mL 0.45..4.50 2
Free T4; T4, Free | 3024-7 ng/dL = ng/dL 0.82..1.77 2
Free T3; T3, Free | 3051-0 pg/mL = pg/mL 2.0..4.4 1
Thyroid Peroxidase Antibody; TPO Ab | 8099-4 IU/mL = [IU]/mL ..34 0
# Iron Studies; Iron Panel
Iron; Iron, Total | 2498-4 ug/dL, µg/dL = ug/dL 50..180 0
TIBC; Total Iron Binding Capacity | 2500-7 ug/dL, µg/dL = ug/dL 250..425 0
Transferrin Saturation; Iron Saturation | 2502-3 % = % 20..48 0
Ferritin | 2276-4 ng/mL = ng/mL 30..400 0 | 2276-4 ug/L, µg/L = ug/L 30..400 0
# Diabetes Panel; Diabetes Monitoring
Hemoglobin A1c; HbA1c | 4548-4 % = % 4.0..5.6 1 | 59261-8 mmol/mol = mmol/mol 20..38 0
Insulin | 20448-7 uIU/mL, µIU/mL = u[IU]/mL 2.6..24.9 1
C-Peptide | 1986-9 ng/mL = ng/mL 1.1..4.4 1
# Vitamins; Vitamin Panel
Vitamin D, 25-Hydroxy; 25-OH Vitamin D | 62292-8 ng/mL = ng/mL 30..100 0
Vitamin B12 | 2132-9 pg/mL = pg/mL 232..1245 0
Folate; Folic Acid | 2284-8 ng/mL = ng/mL 3.0.. 1
# Inflammation; Inflammatory Markers
hs-CRP; C-Reactive Protein, High Sensitivity | 30522-7 mg/L = mg/L ..3.0 1
Sedimentation Rate; ESR | 30341-2 mm/h, mm/hr = mm/h 0..20 0
# Hormones; Endocrinology
Testosterone, Total | 2986-8 ng/dL = ng/dL 264..916 0
Cortisol, AM | 9813-7 ug/dL, µg/dL = ug/dL 6.2..19.4 1
PTH, Intact | 2731-8 pg/mL = pg/mL 15..65 0
# Tumor Markers
PSA, Total; Prostate Specific Antigen | 2857-1 ng/mL = ng/mL ..4.0 2
CA 125 | 10334-1 U/mL = U/mL ..35 0
CEA | 2039-6 ng/mL = ng/mL ..3.0 1
# Coagulation
Prothrombin Time | 5902-2 sec = s 9.1..12.0 1
INR | 6301-6 - = - 0.9..1.1 1
# Infectious Disease; Serology
Hepatitis B Surface Antigen; HBsAg | 5195-3 words Negative
HCV Antibody; Hepatitis C Antibody | 13955-0 words Non-Reactive
# Urinalysis
Color | 5778-6 words Yellow
Appearance | 5767-9 words Clear
Specific Gravity | 2965-2 - = - 1.005..1.030 3
pH | 2756-5 - = - 5.0..8.0 1
Protein | 20454-5 words Negative
Glucose | 25428-4 words Negative
Ketones | 2514-8 words Negative
Nitrite | 5802-4 words Negative
Leukocyte Esterase | 5799-2 words Negative
`;

export type Reported =
  | {
      readonly kind: 'number';
      readonly loinc: string;
      /** As printed, and as UCUM; none for a pure number. */
      readonly units: readonly { readonly text: string; readonly ucum: string | null }[];
      readonly low: string | null;
      readonly high: string | null;
      readonly digits: number;
    }
  | { readonly kind: 'words'; readonly loinc: string; readonly usual: string };

export interface Analyte {
  readonly names: readonly string[];
  readonly us: Reported;
  readonly si: Reported;
}

export interface PrintedPanel {
  readonly names: readonly string[];
  readonly analytes: readonly Analyte[];
}

const listOf = (text: string, by: string): string[] => text.split(by).map((one) => one.trim());

function unitsOf(texts: string, codes: string): { text: string; ucum: string | null }[] {
  if (texts.trim() === '-') return [{ text: '', ucum: null }];
  const ucum = listOf(codes, ',');
  return listOf(texts, ',').map((text, i) => ({ text, ucum: text === 'IU/L' ? '[IU]/L' : (ucum[i] ?? ucum[0] ?? '') }));
}

function reportedOf(cell: string): Reported {
  const [, loinc = '', rest = ''] = /^(\S+) (.+)$/.exec(cell) ?? [];
  if (rest.startsWith('words ')) return { kind: 'words', loinc, usual: rest.slice(6) };
  const [, texts = '', codes = '', low = '', high = '', digits = ''] =
    /^(.+) = (.+) ([\d.]*?)\.\.([\d.]*) (\d)$/.exec(rest) ?? [];
  return {
    kind: 'number',
    loinc,
    units: unitsOf(texts, codes),
    low: low === '' ? null : low,
    high: high === '' ? null : high,
    digits: Number(digits),
  };
}

export const PRINTED_PANELS: readonly PrintedPanel[] = TABLE.trim()
  .split(/^# /m)
  .filter((block) => block !== '')
  .map((block) => {
    const [heading = '', ...lines] = block.trim().split('\n');
    return {
      names: listOf(heading, ';'),
      analytes: lines.map((line) => {
        const [names = '', us = '', si] = listOf(line, ' | ');
        return { names: listOf(names, ';'), us: reportedOf(us), si: reportedOf(si ?? us) };
      }),
    };
  });
