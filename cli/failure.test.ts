import { expect, test } from 'vitest'
import { destinationOf } from './context.ts'
import { explainFailure } from './failure.ts'

test('replaces the procedures of the hint by commands, and no other text of the message', () => {
  const { message, exitCode } = explainFailure(
    {
      kind: 'refused',
      code: 'CONFLICT',
      status: 409,
      message: 'The branch webhooks.list has a run. Wait for it with testRuns.get',
      hint: { kind: 'names', procedures: ['testRuns.get'], fields: [] },
    },
    destinationOf('http://localhost:4000'),
  )
  expect({ message, exitCode }).toEqual({
    message: 'The branch webhooks.list has a run. Wait for it with assay status.',
    exitCode: 2,
  })
})
