import { expect, test } from 'vitest'
import { measured, run } from '../../../engines/verdicts/change/testing.ts'
import { mergeOutcomes } from './outcomes.ts'

test('a function that the tests of one part call was called, whatever the other parts say', () => {
  const of = (uncalled: string, others = {}) =>
    run([], { coverage: measured({ 'a.js': { covered: '1-4', ...(uncalled && { uncalled }) }, ...others }) })
  const merged = mergeOutcomes([of('1-3', { 'b.js': { covered: '1', uncalled: '1' } }), of('2-4'), of('1,3-4')])
  expect(merged?.coverage?.files).toMatchObject({
    'a.js': { covered: '1-4', uncalled: '3' },
    'b.js': { uncalled: '1' },
  })
  expect(mergeOutcomes([of('1'), of('')])?.coverage?.files['a.js']).not.toHaveProperty('uncalled')
})
