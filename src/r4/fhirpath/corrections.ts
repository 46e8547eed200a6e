/**
 * Invariants of R4 that, evaluated as published, say something else than their own human text.
 * Each correction is written from that text; docs/validation.md lists them.
 */
export const CORRECTIONS: Readonly<Record<string, { readonly expression: string; readonly because: string }>> = {
  'que-7': {
    expression: "operator = 'exists' implies answerBoolean.exists()",
    because: '`Boolean` names no FHIR type',
  },
  'que-12': {
    expression: 'enableWhen.count() >= 2 implies enableBehavior.exists()',
    because: 'the text says "more than one", the expression more than two',
  },
  'ras-2': {
    expression: 'probabilityDecimal.empty() or probabilityDecimal <= 100',
    because: 'an absent probability made it empty, hence false',
  },
  'tim-9': {
    expression: "offset.empty() or (when.exists() and when.where($this in ('C' | 'CM' | 'CD' | 'CV')).empty())",
    because: '`in` is undefined for a list, and `when` is one',
  },
  'con-3': {
    expression:
      "clinicalStatus.exists() or verificationStatus.coding.where(system = 'http://terminology.hl7.org/CodeSystem/condition-ver-status' and code = 'entered-in-error').exists() or category.coding.where(code = 'problem-list-item').empty()",
    because: 'it compared a CodeableConcept with a string',
  },
  'eld-11': {
    expression:
      "binding.empty() or type.code.empty() or type.where(code in ('code' | 'Coding' | 'CodeableConcept' | 'Quantity' | 'Duration' | 'string' | 'markdown' | 'id' | 'uri' | 'url' | 'canonical' | 'oid' | 'uuid' | 'Extension') or code.contains(':')).exists()",
    because:
      '`select(…).exists()` is true for any type; the list is that of R5, with what specialises string and uri, and an Extension stands for its value',
  },
  'eld-19': {
    expression:
      "path.matches('^[^\\\\s\\\\.,:;\\\\\\'\"\\\\/|?!@#$%&*()\\\\[\\\\]{}]{1,64}(\\\\.[^\\\\s\\\\.,:;\\\\\\'\"\\\\/|?!@#$%&*()\\\\[\\\\]{}]{1,64}(\\\\[x\\\\])?(\\\\:[^\\\\s\\\\.]+)?)*$')",
    because: 'without anchors any path matches',
  },
  'eld-20': {
    expression: "path.matches('^[A-Za-z][A-Za-z0-9]*(\\\\.[a-z][A-Za-z0-9]*(\\\\[x])?)*$')",
    because: 'without anchors any path matches',
  },
  'ig-1': {
    expression: 'resource.groupingId.subsetOf(grouping.id)',
    because: 'the same rule, in linear time',
  },
  'ig-2': {
    expression: 'definition.resource.fhirVersion.subsetOf(fhirVersion)',
    because: 'the same rule, in linear time',
  },
  'opd-3': {
    expression: "targetProfile.exists() implies (type = 'Reference' or type = 'canonical' or type.matches('^[A-Z]'))",
    because: 'an operation may return a resource of a profile',
  },
};

/**
 * The same for rules of profiles, which guides repeat: by the expression as published, since a guide may have mended it.
 */
export const PROFILE_CORRECTIONS: Readonly<Record<string, { readonly expression: string; readonly because: string }>> =
  {
    '($this as dateTime).toString().length() >= 8': {
      expression: '$this is dateTime implies $this.toString().length() >= 8',
      because: 'vs-1 speaks of a dateTime, and was false for every Period',
    },
  };
