import { expect, test } from 'vitest'
import { whyUnmeasured } from './why-unmeasured.ts'

const notes = ['A note.', 'No coverage, because cargo test does not measure it.']

test('the output of a run names the reason for missing coverage, or else the plan', () => {
  const output = 'first\n# No coverage: the package coverage is not installed.\n1 passed\n'
  expect(whyUnmeasured(output, notes)).toBe('the package coverage is not installed.')
  expect(whyUnmeasured('1 passed\n', notes)).toBe('cargo test does not measure it.')
  expect(whyUnmeasured('They said: # No coverage: none\n', ['A note.'])).toBeNull()
})
