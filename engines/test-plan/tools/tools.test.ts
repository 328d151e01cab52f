import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { parseXml } from '../../manifests/xml.ts'
import { toolsDirectory } from '../placeholders.ts'

const made: string[] = []
afterAll(() => made.forEach((path) => rmSync(path, { recursive: true, force: true })))

function project(files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), 'assay-tools-'))
  made.push(root)
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  return root
}

function run(cwd: string, argv: string[], environment: Record<string, string> = {}) {
  const [program = '', ...args] = argv
  const { PATH = '' } = process.env
  return spawnSync(program, args, {
    cwd,
    encoding: 'utf8',
    env: { PATH, PYTHONDONTWRITEBYTECODE: '1', ...environment },
  })
}

/** Each case as `class name: outcome`, sorted, with file and line where the report has them. */
function casesOf(report: string) {
  const suites = parseXml(readFileSync(report, 'utf8')).children
  return suites
    .flatMap(({ children }) => children)
    .map(({ attributes, children }) => ({
      title: `${attributes.get('classname')} ${attributes.get('name')}: ${children[0]?.name ?? 'passed'}`,
      place: `${attributes.get('file')}:${attributes.get('line')}`,
      message: children[0]?.attributes.get('message'),
    }))
    .toSorted((a, b) => (a.title < b.title ? -1 : 1))
}

const has = (program: string, ...args: string[]) => spawnSync(program, args).status === 0

describe.runIf(has('python3', '--version'))('unittest', () => {
  const suite = `
import unittest

class Outer(unittest.TestCase):
    def test_adds(self):
        self.assertEqual(1 + 1, 2)

    def test_breaks(self):
        self.assertEqual("a<b", "c\\x00")

    def test_errors(self):
        raise ValueError("no")

    @unittest.skip("later")
    def test_skipped(self):
        pass

    @unittest.expectedFailure
    def test_expected(self):
        self.fail()

    @unittest.expectedFailure
    def test_unexpected(self):
        pass

    def test_parts(self):
        for i in range(2):
            with self.subTest(i=i):
                self.assertEqual(i, 0)


class Broken(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        raise RuntimeError("no class")

    def test_never(self):
        pass
`
  const tool = join(toolsDirectory, 'unittest_junit.py')

  test.for(['tests/test_b.py', 'tests.test_b.BTest.test_c'])(
    'names the file of %s if it cannot be imported',
    (target) => {
      const root = project({ 'tests/__init__.py': '', 'tests/test_b.py': 'import not_there\n' })
      run(root, ['python3', tool, '--output=out/junit.xml', target])
      expect(casesOf(join(root, 'out/junit.xml'))).toMatchObject([
        { place: expect.stringContaining('tests/test_b.py') },
      ])
    },
  )

  test('reports every outcome, also those outside of a test', () => {
    const root = project({
      'tests/test_a.py': suite,
      'tests/test_b.py': 'import not_there\n',
      'tests/deep/other_test.py': suite.split('class Broken')[0] ?? '',
    })
    const { status, stdout } = run(root, ['python3', tool, '--output=out/junit.xml'])
    const cases = casesOf(join(root, 'out/junit.xml'))
    expect(status).toBe(1)
    expect(stdout).toContain('test_adds (test_a.Outer')
    expect(cases.map(({ title }) => title).filter((title) => title.startsWith('test_'))).toEqual([
      'test_a.Broken setUpClass: error',
      'test_a.Outer test_adds: passed',
      'test_a.Outer test_breaks: failure',
      'test_a.Outer test_errors: error',
      'test_a.Outer test_expected: passed',
      'test_a.Outer test_parts (i=0): passed',
      'test_a.Outer test_parts (i=1): failure',
      'test_a.Outer test_skipped: skipped',
      'test_a.Outer test_unexpected: failure',
      'test_b import: error',
    ])
    expect(cases.find(({ title }) => title.includes('test_a.Outer test_breaks'))).toMatchObject({
      place: 'tests/test_a.py:8',
    })
    expect(cases.find(({ title }) => title.includes('other_test.Outer test_adds'))).toMatchObject({
      place: 'tests/deep/other_test.py:5',
    })
  })

  test('runs one test under the name that it has in a whole run', () => {
    const root = project({ 'tests/test_a.py': suite })
    const { status } = run(root, ['python3', tool, '--output=junit.xml', 'tests.test_a.Outer.test_adds'])
    expect(status).toBe(0)
    expect(casesOf(join(root, 'junit.xml')).map(({ title }) => title)).toEqual(['test_a.Outer test_adds: passed'])
  })

  test('does not pass without a test', () => {
    expect(run(project({ 'a.py': '' }), ['python3', tool, '--output=junit.xml']).status).toBe(5)
  })
})

describe.runIf(has('ruby', '-e', 'require "test-unit"'))('test-unit', () => {
  const suite = `
require "test/unit"
module Outer
  class SumTest < Test::Unit::TestCase
    def test_adds; assert_equal 2, 1 + 1; end
    def test_breaks; assert_equal "a<b", "x"; end
    def test_ends; assert_true(true); end
    def teardown; raise "no \\x00" if @method_name == "test_ends"; end
    def test_notes; notify "not an outcome"; end
    def test_omits; omit "later"; end
    def test_pends; pend "soon"; end
    data("1 + 1" => 2, "1 + 2" => 4)
    def test_sums(sum); assert_equal 2, sum; end
    test("is a sentence") { assert_equal 1, 1 }
  end
end
class UnpreparedTest < Test::Unit::TestCase
  def self.shutdown; raise "no"; end
  def test_passes; end
end
`
  const tool = join(toolsDirectory, 'test_unit_run.rb')
  const titles = (root: string) => casesOf(join(root, 'junit.xml')).map(({ title }) => title)

  test('reports every outcome', () => {
    const root = project({ 'test/test_a.rb': suite })
    const { status, stdout } = run(root, ['ruby', '-Itest', tool, 'test/test_a.rb'], {
      ASSAY_JUNIT: join(root, 'junit.xml'),
    })
    expect(status).toBe(1)
    expect(stdout).toContain('10 tests')
    expect(titles(root)).toEqual([
      'Outer::SumTest test: is a sentence: passed',
      'Outer::SumTest test_adds: passed',
      'Outer::SumTest test_breaks: failure',
      'Outer::SumTest test_ends: error',
      'Outer::SumTest test_notes: passed',
      'Outer::SumTest test_omits: skipped',
      'Outer::SumTest test_pends: skipped',
      'Outer::SumTest test_sums[1 + 1]: passed',
      'Outer::SumTest test_sums[1 + 2]: failure',
      'UnpreparedTest outside of its tests: error',
      'UnpreparedTest test_passes: passed',
    ])
    expect(casesOf(join(root, 'junit.xml'))[2]?.place).toBe('test/test_a.rb:6')
  })

  test('runs some tests by their names', () => {
    const root = project({ 'test/test_a.rb': suite })
    const selected = ['-n', String.raw`/^(?:test_adds|test_sums\[1 \+ 1\])$/`]
    const { status } = run(root, ['ruby', tool, 'test', ...selected], { ASSAY_JUNIT: join(root, 'junit.xml') })
    expect(status).toBe(0)
    expect(titles(root)).toEqual(['Outer::SumTest test_adds: passed', 'Outer::SumTest test_sums[1 + 1]: passed'])
  })

  test('shuffles by a seed, but not the classes that set an order', () => {
    const methods = 'abcdefghij'.split('').map((letter) => `  def test_${letter}; end\n`).join('') // prettier-ignore
    const root = project({
      'test/test_a.rb': `require "test/unit"\nclass ATest < Test::Unit::TestCase\n${methods}end\nclass BTest < Test::Unit::TestCase\n  self.test_order = :defined\n${methods}end\n`,
    })
    const ordered = (...options: string[]) => {
      run(root, ['ruby', tool, ...options, 'test/test_a.rb'], { ASSAY_JUNIT: join(root, 'junit.xml') })
      const report = readFileSync(join(root, 'junit.xml'), 'utf8')
      return [...report.matchAll(/classname="(\w+)" name="(\w+)"/g)].map(([, name, method]) => `${name} ${method}`)
    }
    const plain = ordered()
    const first = ordered('--seed', '1')
    expect(first).not.toEqual(plain)
    expect(ordered('--seed', '1')).toEqual(first)
    expect(ordered('--seed', '2')).not.toEqual(first)
    const ofB = (all: readonly string[]) => all.filter((name) => name.startsWith('BTest'))
    expect(ofB(first)).toEqual(ofB(plain))
  })
})

describe.runIf(has('ruby', '-e', 'require "minitest"'))('minitest', () => {
  const suite = `
require "minitest/autorun"
class OuterTest < Minitest::Test
  def test_adds; assert_equal 2, 1 + 1; end
  def test_breaks; assert_equal "a<b", "x"; end
  def test_errors; raise "no \\x00"; end
  def test_skips; skip "later"; end
end
describe "a thing" do
  it("works") { _(1).must_equal 1 }
end
`
  test('reports every outcome', () => {
    const root = project({ 'test/a_test.rb': suite })
    const argv = ['ruby', '-Itest', join(toolsDirectory, 'minitest_run.rb'), 'test/a_test.rb']
    const { status, stdout } = run(root, argv, { ASSAY_JUNIT: join(root, 'junit.xml') })
    const cases = casesOf(join(root, 'junit.xml'))
    expect(status).toBe(1)
    expect(stdout).toContain('5 runs')
    expect(cases.map(({ title }) => title)).toEqual([
      'OuterTest test_adds: passed',
      'OuterTest test_breaks: failure',
      'OuterTest test_errors: error',
      'OuterTest test_skips: skipped',
      'a thing test_0001_works: passed',
    ])
    expect(cases[1]?.place).toBe('test/a_test.rb:5')
  })

  test('runs one test by its name', () => {
    const root = project({ 'test/a_test.rb': suite })
    const argv = ['ruby', join(toolsDirectory, 'minitest_run.rb'), 'test', '-n', '/^(?:test_adds)$/']
    const { status } = run(root, argv, { RUBYLIB: join(toolsDirectory, 'ruby'), ASSAY_JUNIT: join(root, 'junit.xml') })
    expect(status).toBe(0)
    expect(casesOf(join(root, 'junit.xml'))).toHaveLength(1)
  })
})
