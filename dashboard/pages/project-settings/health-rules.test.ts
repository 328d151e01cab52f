import { expect, test } from 'vitest'
import { defaults } from '../../../core/test-policy/load.ts'
import { HealthRules } from '../../../core/test-policy/schema.ts'
import { allRules, defaultOf, otherDefaults, textsOf, valueOf } from './health-rules.ts'

test('the form shows every rule with its default, and the limits of the server', () => {
  expect(allRules.map(({ name }) => name).toSorted()).toEqual(Object.keys(HealthRules.shape).toSorted())
  expect({
    ...otherDefaults,
    health: Object.fromEntries(allRules.map((rule) => [rule.name, valueOf(rule, defaultOf(rule))])),
  }).toEqual(defaults)
  for (const rule of allRules) {
    const accepts = (text: number) => HealthRules.shape[rule.name].safeParse(valueOf(rule, String(text))).success
    const step = rule.unit === undefined ? 1 : 0.1
    expect.soft([rule.name, accepts(rule.min), accepts(rule.max)]).toEqual([rule.name, true, true])
    expect.soft([rule.name, accepts(rule.min - step), accepts(rule.max + step)]).toEqual([rule.name, false, false])
  }
})

test('a share is shown and read in percent without errors of rounding', () => {
  const [share] = allRules.filter(({ name }) => name === 'massShare')
  if (!share) throw new Error('There is no such rule.')
  expect(textsOf({ ...defaults.health, massShare: 0.07 }).massShare).toBe('7')
  expect(valueOf(share, '7.5')).toBe(0.075)
})
