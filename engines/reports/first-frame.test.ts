import { expect, test } from 'vitest'
import { firstFrame } from './first-frame.ts'
import { readSample } from './testing.ts'

const roots = ['/app', 'C:\\build']
const files = new Set([
  'src/money.ts',
  'tests/test_money.py',
  'pkg/money/money_test.go',
  'src/test/java/com/acme/MoneyTest.java',
  'other/src/test/java/com/other/MoneyTest.java',
  'src/lib.rs',
])

test.each([
  [
    'V8',
    'Error: no\n    at f (/app/node_modules/chai/a.js:1:2)\n    at node:internal/process:3:4\n    at Money.add (/app/src/money.ts:3:7)\n    at g (/app/src/other.ts:9:1)',
    'src/money.ts:3:7',
  ],
  ['V8 with file URLs', '    at async file:///app/src/money.ts:12:5', 'src/money.ts:12:5'],
  ['V8 with an alias', '    at Object.<anonymous> [as run] (/app/src/money.ts:1:2)', 'src/money.ts:1:2'],
  ['Vitest', ' ❯ node_modules/x/a.js:1:1\n ❯ add src/money.ts:3:84', 'src/money.ts:3:84'],
  ['Node on Windows', '    at f (C:\\build\\src\\money.ts:3:7)', 'src/money.ts:3:7'],
  [
    'a traceback of Python',
    'Traceback (most recent call last):\n  File "/app/tests/test_money.py", line 3, in test_a\n    add()\n  File "/app/src/money.py", line 9, in add\n  File "/usr/lib/python3.11/json/__init__.py", line 1, in loads\nValueError: no',
    'src/money.py:9',
  ],
  [
    'pytest',
    'def test_a():\n>   add()\ntests/test_money.py:4: \n_ _ _ _\nsrc/money.py:9: ValueError',
    'src/money.py:9',
  ],
  ['a panic of Rust', "thread 'tests::a' panicked at src/lib.rs:5:9:\nassertion failed", 'src/lib.rs:5:9'],
  ['an older panic of Rust', "thread 'a' panicked at 'no, money', src/lib.rs:5:9", 'src/lib.rs:5:9'],
  [
    'C#',
    '   at NUnit.Framework.Assert.Fail()\n   at Acme.MoneyTests.Fails() in /app/tests/MoneyTests.cs:line 12',
    'tests/MoneyTests.cs:12',
  ],
  ['PHPUnit', 'Failed asserting\n\n/app/vendor/phpunit/a.php:3\n/app/tests/MoneyTest.php:7', 'tests/MoneyTest.php:7'],
  ['PHP', '#0 /app/vendor/a.php(3): f()\n#1 /app/src/Money.php(12): Acme\\Money->add()', 'src/Money.php:12'],
  [
    'RSpec',
    "Failure/Error: x\n# /usr/lib/ruby/gems/3.1/a.rb:3:in `x'\n# ./spec/money_spec.rb:5:in `block'",
    'spec/money_spec.rb:5',
  ],
  ['Minitest', 'Failure:\ntest_fails(MoneyTest) [test/money_test.rb:6]:\nExpected: 1', 'test/money_test.rb:6'],
  ['GoogleTest', 'tests/money.cc:3\nExpected equality', 'tests/money.cc:3'],
])('finds the place in what %s writes', (_, stack, place) => {
  const frame = firstFrame('no', stack, { roots })
  if (frame === null) throw new Error('None was found.')
  expect(`${frame.file}:${frame.line}${frame.column === null ? '' : `:${frame.column}`}`).toBe(place)
})

test('names without folders are found among the files of the repository', () => {
  const java =
    'java.lang.AssertionError\n\tat org.junit.Assert.fail(Assert.java:89)\n\tat app//com.acme.MoneyTest.fails(MoneyTest.java:7)'
  expect(firstFrame(null, java, { roots, files })).toEqual({
    file: 'src/test/java/com/acme/MoneyTest.java',
    line: 7,
    column: null,
  })
  expect(firstFrame(null, java, { roots })).toBeNull()
  const go = '=== RUN TestA\n    money_test.go:12: got 1'
  expect(firstFrame(null, go, { roots, files })).toEqual({ file: 'pkg/money/money_test.go', line: 12, column: null })
  expect(firstFrame(null, go, { roots })?.file).toBe('money_test.go')
  expect(firstFrame('tests/gone.py:3: E', null, { roots, files })).toBeNull()
})

test('finds the place in a message without a stack', () => {
  expect(firstFrame('Error: no\n    at /app/src/money.ts:3:7', null, { roots })).toEqual({
    file: 'src/money.ts',
    line: 3,
    column: 7,
  })
  expect(firstFrame('no place at 12:30', 'none here either', { roots })).toBeNull()
  expect(firstFrame(null, null, { roots })).toBeNull()
})

test.each([
  ['junit/pytest-xunit2.xml', 'test_scales[1]', 'tests/test_money.py:9'],
  ['junit/vitest.xml', 'fails', 'vit.test.ts:3'],
  ['junit/node-test.xml', 'fails', 'nodetest.test.mjs:4'],
  ['junit/jest-junit.xml', 'adding fails', 'src/money.test.js:2'],
  ['junit/phpunit.xml', 'testRaises', 'MoneyTest.php:10'],
  ['junit/rspec.xml', 'Money adding fails', 'spec/money_spec.rb:4'],
  ['junit/gtest.xml', 'Fails', 't.cc:3'],
  ['junit/gotestsum.xml', 'TestAdds/two', 'money_test.go:3'],
  ['junit/nextest.xml', 'tests::fails', 'src/main.rs:14'],
  ['junit/playwright.xml', 'pays', 'shop.spec.ts:10'],
])('finds where a test of %s failed', async (sample, name, place) => {
  const { cases } = await readSample(sample)
  const failed = cases.find((testCase) => testCase.name === name)
  const frame = firstFrame(failed?.message ?? null, failed?.stack ?? null, { roots })
  expect(`${frame?.file}:${frame?.line}`).toBe(place)
})

test.each(['at ', 'at (', 'a:1:', '/1.rb:', 'File "', '#1 .php('])(
  'finds the frame before a stack full of %j',
  (piece) => {
    const hostile = `${piece.repeat(1400 / piece.length)}1\n`.repeat(50)
    const stack = `    at run (/app/src/shop.js:7:3)\n${hostile}`
    expect(firstFrame(null, stack, { roots })).toMatchObject({ file: 'src/shop.js', line: 7 })
  },
)
