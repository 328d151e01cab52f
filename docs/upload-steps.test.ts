import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ciSteps } from '../dashboard/pages/runs/ci-steps.ts'

test('the dashboard shows the steps for CI that the documentation has', async () => {
  const documented = await readFile(join(import.meta.dirname, 'uploads.md'), 'utf8')
  for (const { step } of Object.values(ciSteps)) expect(documented).toContain(`\n${step}\n\`\`\``)
})
