import { expect, test } from 'vitest'
import { expectLinear, expectLinearReader, type Reader } from '../source/testing/linear-time.ts'
import { findRoot } from './find-root.ts'
import { addText, briefly, collect } from './testing.ts'

const read = async (text: string) => {
  const collector = collect({ roots: ['/ci'], paths: ['src/a.js', 'a.go', 'com/A.java'] })
  await addText(collector, text)
  return briefly(collector)
}
const repeated = (unit: string, size: number) => unit.repeat(Math.ceil(size / unit.length))
const cobertura = (source: string, classes: string) =>
  `<coverage line-rate="1"><sources><source>${source}</source></sources><packages><package><classes>${classes}</classes></package></packages></coverage>`
const aClass = '<class name="A" filename="a.js"><lines><line number="1" hits="1"/></lines></class>'

test.each(['/', '\\', '/a/', '//'])('a source of Cobertura of many %j takes linear time', (unit) =>
  expectLinear((size) => cobertura(`${unit.repeat(size / unit.length)}x`, aClass), 100_000, read),
)

test('long sources of Cobertura are not repeated for each class', async () => {
  await expectLinear((size) => cobertura('/'.repeat(size), aClass.repeat(size / 200)), 400_000, read)
  expect(await read(cobertura(`/ci/src${'/'.repeat(3_000)}`, aClass))).toEqual({ 'src/a.js': '1 |  | - | -' })
})

test.each(['/', '\\\\', '/a', 'a/'])('the root of absolute names of many %j is looked for in linear time', (unit) =>
  expectLinear(
    (size) => `/${repeated(unit, size)}`,
    80_000,
    (name) => findRoot([name, name], ['src/a.js']),
  ),
)

test('the root of many absolute names is looked for in linear time', () =>
  expectLinear(
    (size) => 'x'.repeat(size),
    1_600_000,
    ({ length }) =>
      findRoot(
        Array.from({ length: length / 3_200 }, () => '/a'.repeat(1_600)),
        ['a/a/b.js'],
      ),
  ))

const readers: Reader[] = [
  {
    name: 'Cobertura',
    read,
    head: '<coverage line-rate="1">',
    benign: (size) => cobertura('/ci', repeated(aClass, size)),
    tokens: [
      '<sources>',
      '<source>',
      '</source>',
      '<packages><package><classes>',
      '<class filename="',
      '" name="A">',
      '</class>',
      '<methods><method name="m" signature="()">',
      '<lines>',
      '<line number="',
      '1',
      '" hits="',
      '"/>',
      ' condition-coverage="50% (1/2)"',
      '(1/2)',
      'a/',
      '../',
    ],
  },
  {
    name: 'JaCoCo',
    read,
    head: '<?xml version="1.0"?><!DOCTYPE report PUBLIC "-//JACOCO//DTD Report 1.1//EN" "report.dtd"><report name="a">',
    benign: (size) =>
      `<report name="all"><package name="com"><sourcefile name="A.java">${repeated('<line nr="1" mi="1" ci="1" mb="1" cb="1"/>', size)}</sourcefile></package></report>`,
    tokens: [
      '<group name="',
      '">',
      '<package name="',
      '<sourcefile name="A.java">',
      '<line nr="1" mi="0" ci="1" mb="',
      '9',
      '" cb="1"/>',
      '</sourcefile>',
      '</package>',
      '<class name="a" sourcefilename="',
      '<method name="m" desc="" line="1">',
      '<counter type="METHOD" missed="1" covered="0"/>',
    ],
  },
  {
    name: 'Clover',
    read,
    head: '<coverage generated="1" clover="4"><project name="a">',
    benign: (size) =>
      `<coverage generated="1" clover="4"><project name="a"><file name="a" path="/ci/a.js">${repeated('<line num="1" type="stmt" count="1"/>', size)}</file></project></coverage>`,
    tokens: [
      '<package name="a">',
      '<file name="',
      '" path="/ci/',
      '">',
      '<line num="1" type="cond" truecount="1" falsecount="',
      '<line num="1" type="method" signature="',
      '"/>',
      '</file>',
      '9',
    ],
  },
  {
    name: 'LCOV',
    read,
    head: 'TN:\nSF:src/a.js\n',
    benign: (size) => `SF:src/a.js\n${repeated('DA:1,1\nBRDA:1,0,0,1\nFN:1,f\nFNDA:1,f\n', size)}end_of_record\n`,
    tokens: [
      'SF:',
      'DA:',
      '1',
      ',',
      '\n',
      'BRDA:1,0,',
      'FN:1,',
      'FNDA:1,',
      'FNL:1,',
      'FNA:1,',
      'end_of_record\n',
      'a',
      '-',
      '../',
      'e0',
    ],
  },
  {
    name: 'Istanbul',
    read,
    head: '{"/ci/src/a.js": {"path": "/ci/src/a.js", "statementMap": {',
    benign: (size) =>
      `{"/ci/src/a.js":{"path":"/ci/src/a.js","statementMap":{${repeated('"0":{"start":{"line":1,"column":0},"end":{"line":1,"column":1}},', size).slice(0, -1)}},"s":{"0":1},"branchMap":{},"b":{},"fnMap":{},"f":{}}}`,
    tokens: [
      '"0": {"start": {"line": 1, "column": 0}, "end": {"line": ',
      '1}}',
      ',',
      '}',
      '"s": {',
      '"branchMap": {',
      '"b": {"0": [',
      '"fnMap": {',
      '"inputSourceMap": {"mappings": "',
      ';',
      '\\"',
      '"',
    ],
  },
  {
    name: 'Go profiles',
    read,
    head: 'mode: set\n',
    benign: (size) => `mode: set\n${repeated('example.com/a.go:1.2,3.4 5 6\n', size)}`,
    tokens: ['example.com/', 'a.go', ':', '1.2,3.4', ' ', '1', '.', ',', '\n', 'mode: set\n', ':1.1,1.1 1 1', '../'],
  },
]

test.each(readers)('$name takes linear time, whatever it is made of', expectLinearReader)
