import { expect, test } from 'vitest'
import { codeAmong } from './code-among.ts'

test.each([
  [['src/a.js', 'test/a.test.js'], null],
  [['test/a.test.js'], 'name no code, only tests: test/a.test.js.'],
  [['tests/test_a.py', 'tests/conftest.py'], 'name no code, only tests: tests/test_a.py, tests/conftest.py.'],
  [['a.test.ts', 'b.test.ts', 'c.test.ts', 'd.test.ts'], 'a.test.ts, b.test.ts, c.test.ts and 1 more.'],
  [['README.md'], 'name no code that tests can run.'],
])('of %j it says %j', (paths, problem) => {
  const found = codeAmong(paths)
  if (problem === null) expect(found).toEqual({ code: ['src/a.js'], problem })
  else expect(found).toEqual({ code: [], problem: expect.stringContaining(problem) })
})
