import { loadValidator } from '../r4/index.ts';

export const loadValidators = () => ({
  validator: loadValidator(),
  outValidator: loadValidator({ profiles: ['vital-signs', 'us-core-lab'], bundles: 'closed' }),
});
