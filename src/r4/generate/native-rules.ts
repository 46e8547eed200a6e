/** Invariants that are functions of our own: hot, not expressible in FHIRPath, or in need of what surrounds the resource. */
export const NATIVE_INVARIANTS: ReadonlySet<string> = new Set(
  'ref-1 per-1 ctm-1 txt-1 txt-2 bdl-1 bdl-2 bdl-3 bdl-4 bdl-5 bdl-7 bdl-8 bdl-9 bdl-10 bdl-11 bdl-12'.split(' '),
);

/** Rules at the end of a structure's function: `call` is a JavaScript expression that files its own findings. */
export const NATIVE_RULES: Readonly<Record<string, string>> = {
  Period: 'checkPeriod(o,c,p)',
  Attachment: 'checkAttachment(o,c,p)',
  Quantity: 'checkUnit(o,c,p)',
  SimpleQuantity: 'checkUnit(o,c,p)',
  Age: 'checkUnit(o,c,p)',
  Count: 'checkUnit(o,c,p)',
  Distance: 'checkUnit(o,c,p)',
  Duration: 'checkUnit(o,c,p)',
  Coding: 'checkCoding(o,c,p)',
  'CareTeam.participant': 'checkOnBehalfOf(o,c,p)',
  Bundle: 'checkBundle(o,c,p)',
};

/** ele-1, ext-1 and dom-* hold for all elements and resources, so the table does not repeat them. ext-1 is this one. */
export const EXTENSION_RULE = 'extension.exists() xor value.exists()';
