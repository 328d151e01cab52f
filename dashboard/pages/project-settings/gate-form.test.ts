import { expect, test } from 'vitest'
import { GatePolicy } from '../../../core/gate-policy/schema.ts'
import { withChange } from '../../../core/gate-policy/load.ts'
import { defaultGatePolicy } from '../../../engines/gate/policy.ts'
import { changeOf, formOf, hasValidTargets } from './gate-form.ts'

const policy = GatePolicy.parse({
  ...defaultGatePolicy,
  mode: 'enforced',
  rules: { ...defaultGatePolicy.rules, patchTarget: 'auto', maxUncovered: 3, projectTarget: 70.5, killedMutants: 60 },
  components: [{ name: 'billing', paths: ['billing/**', 'tax/**'], upload: 'unit', patchTarget: 95, maxUncovered: 0 }],
  uploads: { names: ['unit', 'end to end'], count: 4, untilDone: true },
  ignore: ['**/*.gen.ts'],
  pathPrefixes: [{ report: '', repository: 'app/' }],
  deadlineMinutes: 90,
  comment: false,
})

test('a policy comes back from its form as it was', () => {
  const change = changeOf(formOf(policy), formOf(GatePolicy.parse(defaultGatePolicy)))
  expect(withChange(GatePolicy.parse(defaultGatePolicy), change)).toEqual(policy)
  expect(changeOf(formOf(policy), formOf(policy))).toEqual({})
})

test('only what the user has changed is saved', () => {
  const saved = formOf(policy)
  expect(changeOf({ ...saved, patchTarget: ' 85 ', maxUncovered: '', uploadCount: '' }, saved)).toEqual({
    rules: { patchTarget: 85, maxUncovered: null },
    uploads: { count: null },
  })
})

test('a target is a number, auto or empty', () => {
  const isValid = (patchTarget: string) => hasValidTargets({ ...formOf(policy), patchTarget })
  expect(['80', '99.5', 'auto', ' 0 ', ''].filter((text) => !isValid(text))).toEqual([])
  expect(['most', '-1', '1e9', '80 %'].filter(isValid)).toEqual([])
})
