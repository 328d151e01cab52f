import { expect, test } from 'vitest'
import { formatRanges } from './ranges.ts'
import { addText, collect, sample } from './testing.ts'

/** Returns the lines of uncalled functions by file, without files that have none. */
async function read(...reports: string[]): Promise<Record<string, string>> {
  const coverage = collect({ roots: ['/ci', '/home/ci/shop'] })
  for (const text of reports) await addText(coverage, text)
  const files = [...coverage.files()].map(({ path, uncalledLines }) => [path, formatRanges(uncalledLines)] as const)
  return Object.fromEntries(files.filter(([, lines]) => lines !== ''))
}

const lcov = (...lines: string[]) => `SF:a.js\n${lines.join('\n')}\nend_of_record\n`

test('LCOV: names the lines on which functions begin that were not called', async () => {
  expect(await read(lcov('FN:1,f', 'FN:2,5,g', 'FN:3,h', 'FNDA:0,f', 'FNDA:2,g', 'FNDA:0,h'))).toEqual({
    'a.js': '1,3',
  })
  expect(await read('SF:a.js\nFN:1,f\nFNDA:0,f\nSF:b.js\nFNDA:0,g\nFN:4,g')).toEqual({ 'a.js': '1', 'b.js': '4' })
  expect(await read(lcov('FNL:0,3,8', 'FNA:0,0,f<int>', 'FNA:0,4,f<long>', 'FNL:1,10', 'FNA:1,0,g'))).toEqual({
    'a.js': '10',
  })
})

test('LCOV: a line with a called function is not uncalled, in whichever section or report', async () => {
  expect(await read(lcov('FN:1,f', 'FN:1,g', 'FNDA:0,f', 'FNDA:1,g'))).toEqual({})
  expect(await read(lcov('FN:1,f', 'FNDA:0,f') + lcov('FN:1,f', 'FNDA:1,f'))).toEqual({})
  expect(await read(lcov('FN:1,f', 'FNDA:1,f'), lcov('FN:1,f', 'FN:2,g', 'FNDA:0,f', 'FNDA:0,g'))).toEqual({
    'a.js': '2',
  })
})

test('LCOV: counts functions of one name in their order, and all of them together if some have no count', async () => {
  expect(await read(lcov('FN:1,get', 'FN:2,get', 'FNDA:1,get', 'FNDA:0,get'))).toEqual({ 'a.js': '2' })
  expect(await read(lcov('FN:1,get', 'FN:2,get', 'FNDA:1,get'))).toEqual({})
  expect(await read(lcov('FN:1,get', 'FN:2,get', 'FNDA:0,get'))).toEqual({ 'a.js': '1-2' })
  expect(await read(lcov('FN:1,f', 'FN:2,g', 'FNDA:0,g'))).toEqual({ 'a.js': '2' })
})

test("LCOV: V8's functions for the fields of a class are not called by anybody", async () => {
  const fields = ['FN:2,<instance_members_initializer>', 'FN:2,f', 'FNDA:1,<instance_members_initializer>', 'FNDA:0,f']
  expect(await read(lcov(...fields))).toEqual({ 'a.js': '2' })
})

test('Istanbul: takes the beginning of the function, not of its body', async () => {
  const range = (line: number, last = line) => ({ start: { line, column: 0 }, end: { line: last, column: 9 } })
  const functions = { 0: { decl: range(1), loc: range(2, 3) }, 1: { loc: range(5) }, 2: { decl: range(7) } }
  const file = { path: '/ci/a.js', statementMap: {}, s: {}, fnMap: functions, f: { 0: 0, 1: 0, 2: 1 } }
  expect(await read(JSON.stringify({ 'a.js': file }))).toEqual({ 'a.js': '1,5' })
})

test('Clover, Cobertura and JaCoCo: names the first lines of uncalled methods', async () => {
  expect(
    await read(
      '<coverage generated="1" clover="4"><project name="shop"><file name="a.php" path="/ci/a.php"><line num="1" type="method" name="a" count="0"/><line num="4" type="method" name="b" count="1"/></file></project></coverage>',
    ),
  ).toEqual({ 'a.php': '1' })
  const method = (name: string, line: number, hits: number) =>
    `<method name="${name}" signature="()"><lines><line number="${line}" hits="${hits}"/><line number="${line + 1}" hits="${hits}"/></lines></method>`
  expect(
    await read(
      `<coverage line-rate="1"><packages><package><classes><class name="A" filename="a.js"><methods>${method('a', 2, 0)}${method('b', 6, 1)}<method name="c" signature="()"/></methods><lines><line number="2" hits="0"/></lines></class></classes></package></packages></coverage>`,
    ),
  ).toEqual({ 'a.js': '2' })
  const counter = (covered: number) => `<counter type="METHOD" missed="${1 - covered}" covered="${covered}"/>`
  expect(
    await read(
      `<?xml version="1.0"?><!DOCTYPE report PUBLIC "-//JACOCO//DTD Report 1.1//EN" "report.dtd"><report name="all"><package name="com"><class name="com/A" sourcefilename="A.java"><method name="a" desc="()V" line="3">${counter(0)}</method><method name="b" desc="()V" line="9">${counter(1)}</method><method name="c" desc="()V">${counter(0)}</method></class><sourcefile name="A.java"><line nr="3" mi="1" ci="0"/></sourcefile></package></report>`,
    ),
  ).toEqual({ 'com/A.java': '3' })
})

test.each([
  ['nyc.info', '9'],
  ['nyc-final.json', '9'],
  ['jest-final.json', '9'],
  ['c8.info', '9'],
  ['vitest-final.json', '9'],
])('%s: a real report names its uncalled function', async (name, lines) => {
  expect(Object.values(await read(await sample(name)))).toEqual([lines])
})

test('a report of functions on too many lines is refused', async () => {
  const lines = Array.from({ length: 1_900 }, (_, at) => `FN:${at * 1_024 + 1},f`).join('\n')
  const files = Array.from({ length: 40 }, (_, at) => `SF:a${at}.js\n${lines}\nFNDA:0,f\n`)
  const reading = read(files.join('')).then(() => 'all of it')
  await expect(reading).rejects.toThrow('the report names too many lines')
})
