import { expect, test } from 'vitest'
import { expectLinear, expectLinearReader, type Reader } from '../source/testing/linear-time.ts'
import { fingerprintOf } from './fingerprint.ts'
import { normalizeError } from './normalize-error.ts'
import { framesOf } from './stack-frames.ts'
import { readAll } from './testing.ts'

const repeated = (unit: string, size: number) => unit.repeat(Math.ceil(size / unit.length))

test('a YAML block of explicit keys takes linear time', async () => {
  const report = (size: number) => `1..1\nnot ok 1 - a\n  ---\n  ${'? '.repeat(size)}\n  ...\n`
  await expectLinear(report, 512, readAll)
  expect((await readAll(report(260))).cases).toEqual([expect.objectContaining({ status: 'failed' })])
})

test('a JSON report of escaped quotes takes linear time', () =>
  expectLinear((size) => `{"a": "${'\\"'.repeat(size)}`, 32_768, readAll))

test('normalizing a message of many words takes linear time', () =>
  expectLinear(
    (size) => '-a'.repeat(size),
    1_984,
    (text) => {
      for (let failure = 0; failure < 40; failure++) normalizeError(text)
    },
  ))

test.each(["'", "' ", "'a", "a'"])('a panic of a thread whose name has many %j takes linear time', (unit) =>
  expectLinear((size) => `running 1 test\nthread '${unit.repeat(size / unit.length)}\n`, 65_536, readAll),
)

const junit = (content: string) => `<testsuites><testsuite name="s" tests="1">${content}</testsuite></testsuites>`
const readers: Reader[] = [
  {
    name: 'JUnit',
    read: readAll,
    head: '<testsuites><testsuite name="s">',
    benign: (size) =>
      junit(
        repeated(
          '<testcase name="a" classname="b" file="c.ts" time="1"><failure message="m">at x (a.ts:1:2)</failure></testcase>',
          size,
        ),
      ),
    tokens: [
      '<testcase name="a" classname="b.c">',
      '</testcase>',
      '<failure message="',
      '">',
      '<failure>',
      '</failure>',
      '<![CDATA[',
      ']]>',
      '<system-out>',
      '&#1;',
      '&amp;',
      '&a;',
      '<!--',
      '-->',
      '<?a',
      '?>',
      'at a (b.ts:1:2)\n',
      'File "a.py", line 1\n',
      ' › ',
      ' > ',
      '.',
      '[[ATTACHMENT|',
      '<property name="',
      ' a="b"',
    ],
  },
  {
    name: 'TRX',
    read: readAll,
    head: '<TestRun>',
    benign: (size) =>
      `<TestRun><Results>${repeated('<UnitTestResult testName="a" outcome="Passed" duration="00:00:01"/>', size)}</Results></TestRun>`,
    tokens: [
      '<Results>',
      '<UnitTestResult testName="a" outcome="Failed">',
      '<Output><ErrorInfo><Message>',
      '</Message>',
      '<StackTrace>',
      '   at A.B(C c) in /a/b.cs:line 3\n',
      '<UnitTest id="',
      '">',
      '</UnitTestResult>',
    ],
  },
  {
    name: 'Jest JSON',
    read: readAll,
    head: '{"numTotalTests": 1, "success": false, "testResults": [{"name": "/app/a.test.js", "assertionResults": [',
    benign: (size) =>
      `{"numTotalTests":1,"testResults":[{"name":"/app/a.js","assertionResults":[${repeated('{"title":"a","status":"passed"},', size)}{}]}]}`,
    tokens: [
      '{"title": "',
      '"',
      '\\"',
      '\\n',
      '\\u0000',
      '"status": "failed",',
      '"failureMessages": ["',
      '],',
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      'null',
      '1e9',
      'at a (b.ts:1:2)\\n',
    ],
  },
  {
    name: 'Playwright JSON',
    read: readAll,
    head: '{"config": {"rootDir": "/app"}, "suites": [',
    benign: (size) =>
      `{"config":{"rootDir":"/app"},"suites":[${repeated('{"title":"a","file":"a.ts","specs":[],"suites":[]},', size)}{"title":"z"}]}`,
    tokens: [
      '{"title": "a", "suites": [',
      '{"specs": [{"tests": [',
      '"results": [{"status": "failed", "errors": [{"message": "',
      '\\"',
      '"}',
      ']',
      '}',
      ',',
    ],
  },
  {
    name: 'mocha JSON',
    read: readAll,
    head: '{"stats": {}, "tests": [',
    benign: (size) => `{"stats":{},"tests":[${repeated('{"title":"a","fullTitle":"b a","err":{}},', size)}{}]}`,
    tokens: ['{"title": "a", "fullTitle": "', '"err": {"message": "', '\\"', '"stack": "', '"}', '{', '}', ','],
  },
  {
    name: 'RSpec JSON',
    read: readAll,
    head: '{"examples": [',
    benign: (size) =>
      `{"examples":[${repeated('{"description":"a","full_description":"b a","status":"passed","file_path":"./a_spec.rb"},', size)}{}]}`,
    tokens: [
      '{"description": "',
      '"status": "failed", "exception": {"message": "',
      '"backtrace": ["',
      "./a_spec.rb:1:in `b'",
      '\\"',
      '"}',
      ',',
    ],
  },
  {
    name: 'CTRF',
    read: readAll,
    head: '{"results": {"tool": {"name": "a"}, "tests": [',
    benign: (size) =>
      `{"results":{"tool":{"name":"a"},"tests":[${repeated('{"name":"a","status":"passed","duration":1},', size)}{}]}}`,
    tokens: [
      '{"name": "a", "status": "failed", "message": "',
      '"trace": "',
      '\\"',
      '"}',
      '{',
      '}',
      ',',
      '"results"',
      '"results" :',
    ],
  },
  {
    name: 'go test -json',
    read: readAll,
    head: '{"Action":"run","Package":"p","Test":"T"}\n',
    benign: (size) => repeated('{"Action":"pass","Package":"p","Test":"T","Elapsed":0}\n', size),
    tokens: [
      '{"Action":"output","Package":"p","Test":"T","Output":"',
      '    a_test.go:1: x\\n',
      '"}\n',
      '{"Action":"fail","Package":"p","Test":"T"}\n',
      'T/',
      ' [a',
      '\\n',
      '--- FAIL: ',
      'FAIL\tp [build failed]\n',
      'panic: ',
      'goroutine 1 [running]:\\n',
    ],
  },
  {
    name: 'TAP',
    read: readAll,
    head: '1..2\nnot ok 1 - a\n',
    benign: (size) =>
      `TAP version 13\n${repeated("not ok 1 - a\n  ---\n  message: 'x'\n  at: a.js:1:2\n  ...\n", size)}`,
    tokens: [
      'not ok 1 - a',
      'ok',
      '\n',
      '  ---\n',
      '  ...\n',
      '  ',
      '? ',
      '- ',
      ': ',
      'message: |-\n',
      '    at a (b.js:1:2)\n',
      '# Subtest: a\n',
      '    1..2\n',
      ' # skip',
      ' # todo ',
      '{',
      '}',
      '[',
      ', ',
      '&a ',
      '*a',
      '"',
      "'",
      '\\#',
      'Bail out!',
      'duration_ms: 1\n',
      'stack: >\n',
    ],
  },
  {
    name: 'libtest',
    read: readAll,
    head: 'running 2 tests\n',
    benign: (size) => `running 1 test\n${repeated('test a::b ... ok\n', size)}`,
    tokens: [
      'test a ... ok\n',
      'test a ... FAILED\n',
      'test ',
      ' ... ',
      'ok',
      '---- a stdout ----\n',
      "thread 'a' panicked at ",
      "'",
      "', ",
      'src/lib.rs:1:2',
      ':\n',
      'failures:\n',
      '    a\n',
      'test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out\n',
      '     Running unittests a (b)\n',
      'stack backtrace:\n',
      ' - a.rs - b (line 1)',
      '   Doc-tests a\n',
      'error[E1]: ',
      'note: run with `RUST_BACKTRACE',
      'expected at ',
      '\n',
    ],
  },
  {
    name: 'an unknown report',
    read: readAll,
    benign: (size) => repeated('a line of text\n', size),
    tokens: [
      '<!DOCTYPE ',
      '<!--',
      '<?',
      '{',
      '"a"',
      ' :',
      '[',
      '"reportFormat"',
      '"results"',
      'SF:',
      'ok ',
      'FAIL\t',
      '--- FAIL: ',
      '=== RUN',
      '\ufeff',
      '<a',
      ' b="',
      '\\"',
      '\\',
    ],
  },
  {
    name: 'error messages',
    read: (text) => {
      for (let start = 0; start < text.length; start += 4_000) normalizeError(text.slice(start, start + 4_000))
    },
    benign: (size) =>
      repeated('expected 12 to be 13 after 5 ms at 2024-01-02T03:04:05Z in /tmp/abc/def (0x1f)\n', size),
    tokens: [
      '-a',
      '1',
      '-',
      'deadbeef',
      'deadbeefdead',
      '12345678-1234-',
      '2024-01-02',
      'T03:04',
      '/tmp/',
      '/var/folders/',
      'C:\\',
      '\\Temp\\',
      'localhost:',
      '0x',
      '@abcde',
      '.5',
      ',5',
      'e+5',
      ' ms',
      '"',
      "'",
      'x1',
      ':1:1',
      'File "',
      ' line 1',
      '01ARZ3NDEKTSV4RRFFQ69G5FAV',
      '::',
      '[::',
      'Jan 1 ',
      'Mon, ',
      '<time>',
      '<number>, ',
      '1m1',
      '...',
      '[1;1m',
      "thread 'a' panicked at ",
      'a_test.go:1: ',
      'a/b.test.ts',
      '\n',
    ],
  },
  {
    name: 'failures',
    read: (text) => fingerprintOf({ message: null, stack: text, file: 'a.test.ts', suite: 'a.B' }, { roots: ['/app'] }),
    benign: (size) => repeated('AssertionError: 1 != 2\n    at run (/app/src/a.test.ts:3:7)\n', size),
    tokens: [
      'at ',
      'at a (/app/b.ts:1:2)\n',
      '/a.test.ts',
      ' at com.acme.Foo.bar(Foo.java:1)\n',
      'File "/app/a.py", line 1, in a\n',
      'a.py:1: E\n',
      'got ',
      'want ',
      'expected ',
      ' != ',
      "`a' failed",
      ' in `',
      "' ",
      '\n',
    ],
  },
  {
    name: 'stacks',
    read: framesOf,
    benign: (size) => repeated('    at run (/app/src/a.test.ts:3:7)\n', size),
    tokens: [
      'at ',
      ' in ',
      ':line 1',
      'a.b.C.d(',
      'E.java',
      ':12',
      ')',
      '❯ ',
      '(',
      'file://',
      'File "',
      '", line 3',
      "panicked at '",
      "', ",
      'src/lib.rs',
      ':1:2',
      '#0 ',
      '.php(12)',
      '# ./',
      '.rb:5',
      ':in',
      '[',
      ']',
      'from ',
      '.py:1: ',
      '.go:12: ',
      '\n',
      ' ',
      'a/',
      'C:\\',
    ],
  },
]

test.each(readers)('$name takes linear time, whatever it is made of', expectLinearReader)

/** A part that every test inside repeats, followed by tests. */
test.each<[string, (name: string, depth: number, tests: number) => string]>([
  [
    'JUnit',
    (name, depth, tests) =>
      `<testsuites>${`<testsuite name="${name}" file="${name}.ts" hostname="${name}">`.repeat(depth)}${'<testcase name="a" classname="b"/>'.repeat(tests / 2)}${'<testcase name="a" classname="b.ts"/>'.repeat(tests / 2)}${'</testsuite>'.repeat(depth)}</testsuites>`,
  ],
  [
    'TAP',
    (name, depth, tests) =>
      Array.from({ length: Math.min(depth, 90) }, (_, level) => `${'    '.repeat(level)}# Subtest: ${name}\n`).join(
        '',
      ) + `${'    '.repeat(Math.min(depth, 90))}ok 1 - a\n`.repeat(tests),
  ],
  [
    'Playwright JSON',
    (name, depth, tests) =>
      `{"config":{"rootDir":"/app"},"suites":[${`{"title":"${name}","suites":[`.repeat(depth)}{"title":"z","specs":[${'{"title":"a","tests":[{"status":"expected"}]},'.repeat(tests)}{"title":"b","tests":[]}]}${']}'.repeat(depth)}]}`,
  ],
  [
    'CTRF',
    (name, depth, tests) =>
      `{"results":{"tool":{"name":"${name.repeat(depth)}"},"tests":[${'{"name":"a","status":"passed"},'.repeat(tests)}{"name":"b","status":"passed"}]}}`,
  ],
  [
    'libtest',
    (name, depth, tests) =>
      `     Running ${name.repeat(depth)} (a/${name.repeat(depth)})\nrunning 1 test\n${'test a ... ok\n'.repeat(tests)}`,
  ],
  [
    'TRX',
    (name, depth, tests) =>
      `<TestRun><TestDefinitions><UnitTest id="a" name="a"><TestMethod className="${name.repeat(depth)}" name="a"/></UnitTest></TestDefinitions><Results>${'<UnitTestResult testId="a" testName="a" outcome="Passed"/>'.repeat(tests)}</Results></TestRun>`,
  ],
])('tests of %s within long and nested names take linear time', async (_, make) => {
  await expectLinear((size) => make('n'.repeat(size / 2), 1, size / 40), 1_000_000, readAll)
  await expectLinear((size) => make('n'.repeat(Math.ceil(size / 400)), 150, size / 40), 1_000_000, readAll)
})
