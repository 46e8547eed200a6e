export const LOINC = 'http://loinc.org';
export const UCUM = 'http://unitsofmeasure.org';
export const LOCAL = 'urn:chartgate:codes';
