import { expect, test } from 'vitest'
import { relatedStep } from './steps.ts'
import { openLab } from './testing.ts'

const test1 = (name: string, source: string) =>
  `import { expect, test } from 'vitest'\nimport { value } from '../src/${source}.ts'\ntest('${name}', () => expect(value).toBe(1))\n`

test('vitest runs the tests that import a file, directly or not', async () => {
  await using lab = await openLab({
    'package.json': JSON.stringify({ type: 'module', scripts: { test: 'vitest' }, devDependencies: { vitest: '*' } }),
    'src/deep.ts': 'export const value = 1\n',
    'src/high.ts': "export { value } from './deep.ts'\n",
    'src/other.ts': 'export const value = 1\n',
    'test/deep.test.ts': test1('deep', 'deep'),
    'test/high.test.ts': test1('high', 'high'),
    'test/other.test.ts': test1('other', 'other'),
  })
  const step = relatedStep(lab.part, ['src/deep.ts'])
  if (!step) throw new Error('vitest has related tests')
  const { cases, problem, output } = await lab.run(step)
  expect(problem, output).toBeNull()
  expect(cases.map(({ name }) => name).toSorted()).toEqual(['deep', 'high'])
  expect(relatedStep({ ...lab.part, framework: 'mocha' }, ['src/deep.ts'])).toBeNull()
  expect(relatedStep(lab.part, ['-x'])).toBeNull()
})
