import { expect, test } from 'vitest'
import { addText, briefly, collect, sample } from './testing.ts'

test('reads Cobertura of several classes and sources, with a DTD that is never fetched', async () => {
  const text = `<?xml version="1.0"?>
    <!DOCTYPE coverage SYSTEM "http://127.0.0.1:1/coverage-04.dtd">
    <coverage line-rate="0.5"><sources><source>/ci/one</source><source>/ci/two/</source></sources><packages><package><classes>
    <class name="A" filename="com/A.java"><methods><method name="a" signature="()V"><lines><line number="1" hits="1"/></lines></method></methods>
      <lines><line number="2" hits="1" branch="true" condition-coverage="75% (3/4)"/></lines></class>
    <class name="A$Inner" filename="com/A.java"><methods/><lines><line number="9" hits="0"/></lines></class>
    <class name="B" filename="com\\B.cs"><methods><method name="b" signature="()"><lines><line number="5" hits="0"/></lines></method></methods><lines/></class>
    </classes></package></packages></coverage>`
  expect(await read(text, { roots: ['/ci'], paths: ['two/com/A.java', 'two/com/B.cs'] })).toEqual({
    'two/com/A.java': '2 | 9 | 3/4 | 1/1',
    'two/com/B.cs': ' | 5 | - | 0/1',
  })
})

test('reads joined Go profiles, blocks of the same lines and blocks without statements', async () => {
  const text = `mode: set
example.com/shop/a.go:1.10,3.5 2 0
example.com/shop/a.go:3.5,5.2 1 1
example.com/shop/a.go:9.1,9.1 0 1
mode: count\r
example.com/shop/a.go:1.10,3.5 2 7\r
example.com/shop/a.go:3.5,5.2 1 0\r
example.com/shop/b c.go:1.1,2.2 1 0\r
`
  expect(await read(text, { paths: ['a.go', 'b c.go'] })).toEqual({
    'a.go': '1-5 |  | - | -',
    'b c.go': ' | 1-2 | - | -',
  })
})

test('tells modules of JaCoCo apart by their groups', async () => {
  const group = (name: string, covered: number) =>
    `<group name="${name}"><package name="com/acme"><sourcefile name="A.java"><line nr="1" mi="1" ci="${covered}" mb="1" cb="1"/></sourcefile></package></group>`
  const text = `<?xml version="1.0"?><!DOCTYPE report PUBLIC "-//JACOCO//DTD Report 1.1//EN" "report.dtd"><report name="all">${group('app', 3)}${group('lib', 0)}</report>`
  const paths = ['app/src/main/java/com/acme/A.java', 'lib/src/main/java/com/acme/A.java']
  expect(await read(text, { paths })).toEqual({
    [paths[0] ?? '']: '1 |  | 1/2 | -',
    [paths[1] ?? '']: ' | 1 | 1/2 | -',
  })
})

test("reads Clover's own conditions", async () => {
  const text = `<coverage generated="1" clover="4.4.1"><project name="shop"><package name="a"><file name="A.java" path="/ci/A.java">
    <line num="1" type="method" signature="a() : void" count="2"/><line num="2" type="cond" truecount="7" falsecount="0"/><line num="3" type="stmt" count="0"/>
    </file></package></project></coverage>`
  expect(await read(text, { roots: ['/ci'] })).toEqual({ 'A.java': '2 | 3 | 1/2 | 1/1' })
})

test('merges Istanbul by place, whatever the numbers are', async () => {
  const range = (line: number) => ({ start: { line, column: 0 }, end: { line, column: 9 } })
  const file = (key: string, count: number) => ({
    path: 'a.js',
    statementMap: { [key]: range(2) },
    s: { [key]: count },
    branchMap: { [key]: { loc: range(3), locations: [range(3), { start: {}, end: {} }] } },
    b: { [key]: [count, 1] },
    fnMap: { [key]: { name: 'f', decl: range(1), loc: range(1) } },
    f: { [key]: count },
  })
  const coverage = collect()
  await addText(coverage, JSON.stringify({ 'a.js': file('0', 0) }))
  expect(briefly(coverage)).toEqual({ 'a.js': ' | 2 | 1/2 | 0/1' })
  await addText(coverage, JSON.stringify({ 'a.js': { data: file('7', 1) } }, null, 2))
  expect(briefly(coverage)).toEqual({ 'a.js': '2 |  | 2/2 | 1/1' })
})

test.each([
  ['', 'empty', 'report: the file is empty'],
  [' \n', 'empty', 'report: the file is empty'],
  ['<html></html>', 'unknown_format', /not a supported coverage format \(lcov, cobertura, .*clover\)/],
  ['<testsuites/>', 'unknown_format', /not a supported/],
  ['{"version":"2.0","files":{}}', 'unknown_format', /not a supported/],
  ['hello', 'unknown_format', /not a supported/],
  ['\0\0\0', 'unknown_format', /not a supported/],
  [
    'mode: set\nexample.com/a.go:1.1,2.2 1',
    'malformed',
    'report, line 2: "example.com/a.go:1.1,2.2 1" is not a block of a Go profile',
  ],
  ['mode: set\na.go:0.1,2.2 1 1', 'malformed', /lines 0 to 2 are not a valid block/],
  ['mode: set\na.go:1.1,2147483648.2 1 1', 'malformed', /are not a valid block/],
  ['<coverage line-rate="1"><class filename="a"><line number="1"', 'malformed', /report, line 1/],
  ['<coverage line-rate="1"><class/></coverage>', 'malformed', /a class has no filename/],
  [
    '<coverage line-rate="1"><class filename="a"><line number="1" hits="x"/></class></coverage>',
    'malformed',
    /"x" is not a count of hits/,
  ],
  [
    '<coverage line-rate="1"><class filename="a"><line number="2147483648" hits="1"/></class></coverage>',
    'malformed',
    /not a line number/,
  ],
  [
    '<coverage line-rate="1"><class filename="a"><line number="1" hits="1" condition-coverage="1% (1/999999999)"/></class></coverage>',
    'malformed',
    /branches of one line is not possible/,
  ],
  ['<!DOCTYPE report [<!ENTITY a "b">]><report><group name="&a;"/></report>', 'malformed', /entities/],
  [
    '{"a.js": {"path": "a.js", "statementMap": {"0": {}}, "s": {}}}',
    'malformed',
    /"a.js" is not the coverage of a file: statementMap.0.start/,
  ],
  ['{"a.js": {"path": "a.js", "statementMap": {}, "s": {}}', 'malformed', /ends too early/],
  ['{"a.js": {"path": "a.js", "statementMap": {}, "s": {}},}', 'malformed', /a comma too many/],
  ['{"a.js": {"path": "a.js", "statementMap": {}, "s": {}}} {}', 'malformed', /text follows the end/],
  [
    '{"a.js": {"path": "a.js", "statementMap": {"0":{"start":{"line":1e12},"end":{}}}, "s": {}}}',
    'malformed',
    /not a line number/,
  ],
])('says what is wrong with %j', async (text, code, message) => {
  const coverage = collect()
  await expect(addText(coverage, text)).rejects.toMatchObject({
    code,
    message: typeof message === 'string' ? message : expect.stringMatching(message),
  })
  expect(coverage.percent()).toBeNull()
})

test('says that a summary has no lines', async () => {
  await expect(addText(collect(), await sample('nyc-summary.json'), 'coverage-summary.json')).rejects.toThrow(
    'coverage-summary.json: this is a summary without lines. Use coverage-final.json, which the reporter "json" writes',
  )
})

async function read(text: string, options: Parameters<typeof collect>[0]): Promise<Record<string, string>> {
  const coverage = collect(options)
  await addText(coverage, text)
  expect(coverage.warnings).toEqual([])
  return briefly(coverage)
}
