import { expect, test } from 'vitest'
import { addText, brief, briefly, collect, sample } from './testing.ts'

const javaScript = ['src/price.js', 'test/price.test.js']
const python = ['shop/price.py', 'shop/__init__.py']
const cases = [
  // What V8 tells is of every line, what Istanbul tells of lines where statements begin.
  ['c8.info', 'lcov', javaScript, { 'src/price.js': '1-8,12-13 | 9-11 | 4/5 | 1/2' }],
  ['node-test.info', 'lcov', javaScript, { 'src/price.js': '1-8,12-13 | 9-11 | 4/5 | 1/2' }],
  ['c8-final.json', 'istanbul', javaScript, { 'src/price.js': '1-8,12-13 | 9-11 | 4/5 | 1/2' }],
  ['nyc.info', 'lcov', javaScript, { 'src/price.js': '3-4,6,13 | 10 | 3/4 | 1/2' }],
  ['nyc-final.json', 'istanbul', javaScript, { 'src/price.js': '3-4,6,13 | 10 | 3/4 | 1/2' }],
  ['jest-final.json', 'istanbul', javaScript, { 'src/price.js': '3-4,6,13 | 10 | 3/4 | 1/2' }],
  ['jest-clover.xml', 'clover', javaScript, { 'src/price.js': '3-4,6,13 | 10 | 3/4 | -' }],
  ['jest-cobertura.xml', 'cobertura', javaScript, { 'src/price.js': '3-4,6,13 | 10 | 3/4 | 1/2' }],
  ['vitest-final.json', 'istanbul', javaScript, { 'src/price.js': '1-7,13 | 9-11 | 3/4 | 1/2' }],
  [
    'coverage-py.xml',
    'cobertura',
    python,
    { 'shop/__init__.py': ' |  | - | -', 'shop/price.py': '1-3,7 | 4,8 | 1/2 | -' },
  ],
  [
    'coverage-py.info',
    'lcov',
    python,
    { 'shop/__init__.py': ' |  | - | -', 'shop/price.py': '1-3,7 | 4,8 | 1/2 | 1/2' },
  ],
  ['go.out', 'go-cover', ['go.mod', 'money/money.go'], { 'money/money.go': '3-6 | 7,10-12 | - | -' }],
  ['geninfo.info', 'lcov', ['src/price.c'], { 'src/price.c': '3-5,14-16 | 7,10-11 | 1/2 | 2/3' }],
  ['phpunit-clover.xml', 'clover', ['src/Price.php'], { 'src/Price.php': '8-9 | 11,16 | - | 1/2' }],
  ['phpunit-cobertura.xml', 'cobertura', ['src/Price.php'], { 'src/Price.php': '8-9 | 11,16 | - | 1/2' }],
  [
    'jacoco.xml',
    'jacoco',
    ['app/src/main/java/com/acme/Price.java'],
    { 'app/src/main/java/com/acme/Price.java': '5-6,22-23 | 3,8,12,15,17 | 1/2 | 2/6' },
  ],
] as const

test.each(cases)('reads %s', async (name, format, paths, expected) => {
  const coverage = collect({ roots: ['/home/ci/shop'], paths })
  expect(await addText(coverage, await sample(name), name)).toBe(format)
  expect(briefly(coverage)).toEqual(expected)
  expect(coverage.warnings).toEqual([])
})

test.each(cases)('reads the same from chunks of any size: %s', async (name, _, paths) => {
  const text = await sample(name)
  const read = async (size: number) => {
    const coverage = collect({ roots: ['/home/ci/shop'], paths })
    await addText(coverage, text, name, () => size)
    return briefly(coverage)
  }
  const whole = await read(1_000_000)
  for (const size of [1, 7, 64]) expect(await read(size)).toEqual(whole)
})

test('merges the reports of several tools on one file', async () => {
  const coverage = collect({ roots: ['/home/ci/shop'], paths: javaScript })
  for (const name of ['jest-cobertura.xml', 'nyc.info', 'nyc-final.json', 'jest-final.json'])
    await addText(coverage, await sample(name), name)
  expect([...coverage.files()].map(brief)).toEqual(['3-4,6,13 | 10 | 3/4 | 1/2'])
  expect(coverage.percent()).toBe(80)
})
