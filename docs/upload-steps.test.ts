import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { CiName } from '../dashboard/pages/runs/ci-names.ts'
import { ciSteps } from '../dashboard/pages/runs/ci-steps.ts'
import { ciTests, testsOf } from '../dashboard/pages/runs/ci-tests.ts'

test('the dashboard shows the steps for CI that the documentation has', async () => {
  const documented = await readFile(join(import.meta.dirname, 'uploads.md'), 'utf8')
  for (const name of Object.keys(ciSteps) as CiName[]) {
    const step = ciSteps[name].step(name === 'jenkins' ? ciTests.maven : ciTests.vitest)
    expect(documented).toContain(`\n${step}\n\`\`\``)
  }
})

test('chooses the framework of the plan, else that of the files', () => {
  expect(testsOf(['tap', 'Vitest', 'jest'], [])).toBe('vitest')
  expect(testsOf(['react'], ['README.md', 'pom.xml'])).toBe('maven')
  expect(testsOf(['constructor'], ['index.js'])).toBeUndefined()
})
