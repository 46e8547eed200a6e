/** What stands for itself in the value of a FHIR search parameter: https://hl7.org/fhir/R4/search.html#escaping */
export const escapeSearchValue = (value: string): string => value.replace(/[\\,|$]/g, '\\$&');
