import { expect, test } from 'vitest'
import { select } from './select.ts'
import { openProject } from './testing/project.ts'

const nested = `
describe('cart', () => {
  test('adds', () => {})
  describe('with a voucher', () => void test('adds', () => {}))
})
test('cart adds', () => {})
`

test.each([
  ['vitest', "import { describe, test } from 'vitest'"],
  ['jest', ''],
])('%s runs a nested test alone', async (runner, header) => {
  const manifest = JSON.stringify({ devDependencies: { [runner]: '*' }, scripts: { test: runner } })
  using project = await openProject({ 'package.json': manifest, 'a.test.js': `${header}${nested}` })
  const chosen = { suite: 'cart > with a voucher', name: 'adds', file: 'a.test.js' }
  const selected = select(project.part, { paths: [], tests: [chosen] })
  if (!('step' in selected)) throw new Error(selected.unsupported)
  const { cases } = await project.run(selected.step)
  const ran = cases.filter(({ status }) => status === 'passed').map(({ suite, name }) => ({ suite, name }))
  expect(ran).toEqual([{ suite: 'cart > with a voucher', name: 'adds' }])
})
