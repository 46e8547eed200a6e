import { compileGuides, loadValidator, onOutermost } from '../../src/r4/index.ts';
import { loadGuide, problemLines } from '../../src/guides/index.ts';
import type { Validate } from './compare.ts';

/** The gateway's own engine with these packages loaded, the first of them first. */
export async function loadValidate(packages: readonly string[]): Promise<Validate> {
  const loaded = await Promise.all(packages.map(loadGuide));
  const problems = loaded.flatMap((one) => (one.ok ? [] : one.problems));
  const compiled = compileGuides(loaded.flatMap((one) => (one.ok ? [one.value.content] : [])));
  if (problems.length > 0 || !compiled.ok)
    throw new Error(problemLines([...problems, ...(compiled.ok ? [] : compiled.problems)]).join('\n'));
  const profiles = compiled.value;
  let imposed: readonly string[] = [];
  const validator = loadValidator({
    guides: { profiles, imposed: (resource, isOutermost) => onOutermost(imposed)(resource, isOutermost) },
  });
  return (resource, wanted) => {
    imposed = wanted;
    return validator.validate(resource);
  };
}
