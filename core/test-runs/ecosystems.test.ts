import { execFile, spawnSync } from 'node:child_process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runSettings } from '../testing/app.ts'
import type { Files } from '../../engines/source/testing/git-repository.ts'
import { createRunScene, type RunScene } from './testing/scene.ts'

/** A small project of which two tests fail, whose names other tests' names begin with. */
interface Sample {
  framework: string
  files: Files
  counts: { totalTests: number; passedTests: number; failedTests: number }
  coverage?: number
  /** Where the failures happened. */
  frames: string[]
  /** What runs them again, and what it says when it runs nothing else. */
  rerun: { command: string; says: RegExp }
}

const samples: Record<string, Sample> = {
  node: {
    framework: 'node:test',
    files: {
      'package.json': JSON.stringify({ type: 'module', scripts: { test: 'node --test' } }),
      'sum.js': 'export const sum = (a, b) => a + b\nexport const unused = () => {\n  return 1\n}\n',
      'sum.test.js': `import { describe, it, test } from 'node:test'
import assert from 'node:assert'
import { sum } from './sum.js'
describe('sum', () => {
  it('adds (1 + 1) "twice"', () => {
    assert.equal(sum(1, 1), 3)
  })
  it('adds', () => assert.equal(sum(1, 1), 4))
  it('adds more', () => {})
})
test('adds', () => {})
`,
    },
    counts: { totalTests: 4, passedTests: 2, failedTests: 2 },
    coverage: 66.67,
    frames: ['sum.test.js:6', 'sum.test.js:8'],
    rerun: {
      command: String.raw`node --test '--test-name-pattern=^sum adds$' '--test-name-pattern=^sum adds \(1 \+ 1\) "twice"$' sum.test.js`,
      says: /^. tests 2\n(?:.*\n)*. pass 0\n. fail 2$/m,
    },
  },
  python3: {
    framework: 'unittest',
    files: {
      'sums.py': 'def add(a, b):\n    return a + b\n',
      'tests/__init__.py': '',
      'tests/test_sums.py': `import unittest
from sums import add


class SumTest(unittest.TestCase):
    def test_adds(self):
        self.assertEqual(add(1, 1), 3)

    def test_adds_more(self):
        self.assertEqual(add(1, 2), 3)

    def test_each(self):
        for n in (1, 2):
            with self.subTest(n=n):
                self.assertNotEqual(n, 2)
`,
    },
    counts: { totalTests: 4, passedTests: 2, failedTests: 2 },
    frames: ['tests/test_sums.py:15', 'tests/test_sums.py:7'],
    rerun: {
      command: 'python -m unittest tests.test_sums.SumTest.test_adds tests.test_sums.SumTest.test_each',
      says: /^Ran 2 tests[^]*failures=2/m,
    },
  },
  go: {
    framework: 'go test',
    files: {
      'go.mod': 'module example.com/sums\n\ngo 1.19\n',
      'sums/sums.go': 'package sums\n\nfunc Add(a, b int) int { return a + b }\n\nfunc Unused() int { return 1 }\n',
      'sums/sums_test.go': `package sums

import "testing"

func TestAdd(t *testing.T) {
	t.Run("1 + 1", func(t *testing.T) {
		if Add(1, 1) != 3 {
			t.Errorf("got %d", Add(1, 1))
		}
	})
	t.Run("1 + 2", func(t *testing.T) {})
}

func TestAddMore(t *testing.T) {}

func TestFatal(t *testing.T) {
	t.Fatal("no")
}
`,
    },
    counts: { totalTests: 4, passedTests: 2, failedTests: 2 },
    coverage: 50,
    frames: ['sums/sums_test.go:17', 'sums/sums_test.go:8'],
    rerun: {
      command: String.raw`go test -run '^(TestAdd|TestFatal)$/^1_\+_1$' ./sums`,
      says: /--- FAIL: TestAdd\/1_\+_1 [^]*--- FAIL: TestFatal /,
    },
  },
  cargo: {
    framework: 'cargo test',
    files: {
      'Cargo.toml': '[package]\nname = "sums"\nversion = "0.1.0"\nedition = "2021"\n',
      'Cargo.lock': 'version = 3\n\n[[package]]\nname = "sums"\nversion = "0.1.0"\n',
      'src/lib.rs': `pub fn add(a: i32, b: i32) -> i32 { a + b }

#[cfg(test)]
mod tests {
    #[test]
    fn adds() {
        assert_eq!(super::add(1, 1), 3);
    }
    #[test]
    fn adds_more() {}
}
`,
      'tests/other.rs': '#[test]\nfn adds() {}\n\n#[test]\nfn fails() {\n    panic!("no");\n}\n',
    },
    counts: { totalTests: 4, passedTests: 2, failedTests: 2 },
    frames: ['src/lib.rs:7', 'tests/other.rs:6'],
    rerun: { command: 'cargo test -- --exact fails tests::adds', says: /0 passed; 1 failed; .* 1 filtered out/ },
  },
  ruby: {
    framework: 'minitest',
    files: {
      'sums.gemspec': 'Gem::Specification.new { |gem| gem.name = "sums" }\n',
      'lib/sums.rb': 'def add(a, b) = a + b\n',
      'test/sums_test.rb': `require 'minitest/autorun'
require 'sums'

class SumsTest < Minitest::Test
  def test_adds
    assert_equal 3, add(1, 1)
  end

  def test_adds_more
    assert_equal 3, add(1, 2)
  end

  def test_fails
    raise 'no'
  end
end
`,
    },
    counts: { totalTests: 3, passedTests: 1, failedTests: 2 },
    coverage: 100,
    frames: ['test/sums_test.rb:14', 'test/sums_test.rb:6'],
    rerun: {
      command: "ruby -Ilib -Itest test/sums_test.rb -n '/^(?:test_adds|test_fails)$/'",
      says: /^2 runs, 1 assertions, 1 failures, 1 errors/m,
    },
  },
  'ruby with test-unit': {
    framework: 'test-unit',
    files: {
      'sums.gemspec': 'Gem::Specification.new { |gem| gem.name = "sums" }\n',
      'lib/sums.rb': 'def add(a, b) = a + b\n',
      'test/helper.rb': "require 'test/unit'\nrequire 'sums'\n",
      'test/test_sums.rb': `require 'helper'

class SumsTest < Test::Unit::TestCase
  def test_adds
    assert_equal 3, add(1, 1)
  end

  def test_adds_more
    assert_equal 3, add(1, 2)
  end

  def test_fails
    raise 'no'
  end
end
`,
    },
    counts: { totalTests: 3, passedTests: 1, failedTests: 2 },
    coverage: 100,
    frames: ['test/test_sums.rb:13', 'test/test_sums.rb:5'],
    rerun: {
      command: "ruby -Ilib -Itest test/test_sums.rb -n '/^(?:test_adds|test_fails)$/'",
      says: /^2 tests, 1 assertions, 1 failures, 1 errors/m,
    },
  },
  phpunit: {
    framework: 'phpunit',
    files: {
      'phpunit.xml':
        '<phpunit><testsuites><testsuite name="all"><directory>tests</directory></testsuite></testsuites></phpunit>',
      'tests/SumsTest.php': `<?php
class SumsTest extends PHPUnit\\Framework\\TestCase
{
    public function testAdds(): void
    {
        $this->assertSame(3, 1 + 1);
    }
    public function testAddsMore(): void
    {
        $this->assertSame(3, 1 + 2);
    }
    /** @dataProvider pairs */
    public function testPairs($a, $b): void
    {
        $this->assertSame($a, $b);
    }
    public static function pairs()
    {
        return ['equal' => [1, 1], 'not (equal)' => [1, 2]];
    }
}
`,
    },
    counts: { totalTests: 4, passedTests: 2, failedTests: 2 },
    frames: ['tests/SumsTest.php:15', 'tests/SumsTest.php:6'],
    rerun: {
      command: String.raw`phpunit --filter '/SumsTest::testAdds$|SumsTest::testPairs with data set "not \(equal\)"$/'`,
      says: /^Tests: 2, Assertions: 2, Failures: 2\.$/m,
    },
  },
}

let scene: RunScene
beforeAll(async () => {
  scene = await createRunScene({ runs: { ...runSettings, runConcurrency: 3, runsPerOwner: 3 } })
})
afterAll(() => scene[Symbol.asyncDispose]())

/** Node and Python are on every machine that runs these tests; of the others those are tried that are there. */
const everywhere = new Set(['node', 'python3'])
const isHere = (program: string) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0

const tried = Object.entries(samples).filter(([key]) => everywhere.has(key) || isHere(key.split(' ', 1).join('')))

for (const [, sample] of tried) {
  test(
    `runs a project of ${sample.framework}, says what failed and where, and runs just that again`,
    { concurrent: true },
    async () => {
      const { id, repository } = await scene.project(sample.files)
      const run = await scene.run(id)
      const log = await scene.log(run.id)
      expect(run, log).toMatchObject({ reportedStatus: 'FAILED', error: null, ...sample.counts })
      expect(run.plan).toMatchObject([{ framework: sample.framework }])
      if (sample.coverage !== undefined) expect(run.coverage).toBe(sample.coverage)

      const { groups, rerun } = await scene.client.testRuns.failures.query({ runId: run.id })
      const frames = groups.flatMap(({ examples }) => examples).map(({ frame }) => `${frame?.file}:${frame?.line}`)
      expect(frames.toSorted()).toEqual(sample.frames)
      expect(rerun?.command).toBe(sample.rerun.command)
      expect(await typed(rerun?.command ?? '', repository.path)).toMatch(sample.rerun.says)

      const again = await scene.waitFor((await scene.client.testRuns.rerunFailed.mutate({ runId: run.id })).id)
      expect(again, await scene.log(again.id)).toMatchObject({
        reportedStatus: 'FAILED',
        failedTests: 2,
        // Parts of a test cannot be run without the others.
        passedTests: sample.framework === 'unittest' ? 1 : 0,
      })
    },
  )
}

/** What a person sees who types it; Debian calls Python `python3` alone. */
function typed(command: string, cwd: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  const line = command.replace(/^python /, 'python3 ')
  execFile('sh', ['-c', line], { cwd }, (_, stdout, stderr) => resolve(`${stdout}${stderr}`))
  return promise
}
