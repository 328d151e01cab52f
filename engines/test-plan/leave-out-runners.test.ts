import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { leaveOut } from './leave-out.ts'
import type { PlanPart, Step } from './plan.ts'
import type { SelectedTest } from './selectors.ts'
import { openProject, type Project } from './testing/project.ts'

const has = (program: string, ...args: string[]) => spawnSync(program, args).status === 0
const goSkips = spawnSync('go', ['help', 'testflag'], { encoding: 'utf8' }).stdout?.includes('-skip ') ?? false

const named = ({ suite, name, file }: SelectedTest) => [file ?? '', suite, name].join(' | ')

/** The fastest step that runs all. */
const plain = (part: PlanPart): Step => part.unmeasured ?? part.test

async function testsOf(project: Project): Promise<SelectedTest[]> {
  const { cases, text } = await project.run(plain(project.part))
  if (cases.length === 0) throw new Error(text)
  return cases.map(({ suite, name, file }) => ({ suite, name, file }))
}

/** Leaves out each test in turn. */
const inTurn = (tests: readonly SelectedTest[]) => tests.map((one) => [one])

/**
 * For slow runners: seven groups of up to 35 tests. Each test is in three of them and no two are in the same ones, so of
 * any two tests, one run leaves out the first alone.
 */
function inGroups(tests: readonly SelectedTest[]): SelectedTest[][] {
  const codes = Array.from({ length: 2 ** 7 }, (_, code) => code.toString(2).padStart(7, '0'))
  const ofThree = codes.filter((code) => code.replaceAll('0', '').length === 3)
  return Array.from({ length: 7 }, (_, group) => tests.filter((_test, at) => ofThree[at]?.[group] === '1'))
}

/** Leaves out groups of tests. Returns the runs that ran other tests than the rest, and the tests that were kept. */
async function leavingOut(groups: typeof inTurn, files: Record<string, string>) {
  using project = await openProject(files)
  const known = await testsOf(project)
  const wrong: { missing: string[]; extra: string[]; text: string }[] = []
  const kept = new Set<string>()
  const queue = groups(known)
  const work = async () => {
    for (let group = queue.pop(); group !== undefined; group = queue.pop()) {
      const made = leaveOut(project.part, group, known)
      for (const { test: one } of made.kept) kept.add(named(one))
      if (made.leftOut.length === 0) continue
      const ran = await project.run(plain({ ...project.part, test: made.step, ...made }))
      const done = ran.cases.filter(({ status }) => status === 'passed').map(named)
      const expected = known.filter((one) => !made.leftOut.includes(one)).map(named)
      const missing = expected.filter((one) => !done.includes(one))
      const extra = done.filter((one) => !expected.includes(one))
      if (ran.code !== 0 || missing.length + extra.length > 0) wrong.push({ missing, extra, text: ran.text })
    }
  }
  await Promise.all([work(), work()])
  return { wrong, kept: [...kept].toSorted(), count: known.length }
}

/** Tests with names that are easily mistaken, in the syntax that the runners of JavaScript share. */
const titles =
  String.raw`
const nothing = () => {}
describe('math', () => {
  it('adds', nothing)
  it('adds (1+1) [a|b] ^$ .* \\d {2} a/b', nothing)
  it('"quotes" \'single\' ` +
  '`back`' +
  String.raw` $HOME $(id) %PATH% \\', nothing)
  it('größer 数 🎉', nothing)
  it('=> 1 > 0', nothing)
  describe('nested', () => {
    it('adds', nothing)
    it('  spaced   out ', nothing)
    it('deep adds', nothing)
  })
  for (const row of [1, 11]) it('case ' + row, nothing)
})
describe('math nested', () => it('deep adds', nothing))
describe('maths', () => it('adds', nothing))
describe('Math', () => it('adds', nothing))
describe('a > b', () => { it('c', nothing); it('d', nothing) })
it('math adds up', nothing)
it('same', nothing)
it('--grep', nothing)
`
const more = `
describe('other', () => { it('adds', () => {}); it('same', () => {}) })
it('same', () => {})
it('adds', () => {})
`

const sharedNames = ['a.test.js | math > nested | deep adds', 'a.test.js | math nested | deep adds']

const javascript = (runner: string, head = '', tail = '') => ({
  'package.json': JSON.stringify({ scripts: { test: runner }, devDependencies: { [runner]: '99' } }),
  'a.test.js': head + titles + tail,
  'b.test.js': head + more,
})

describe('leaves out each test, and no other one', () => {
  test('with Vitest', async () => {
    const { wrong, kept, count } = await leavingOut(
      inGroups,
      javascript('vitest', "import { describe, it } from 'vitest'\n"),
    )
    expect({ wrong, kept, count }).toEqual({
      wrong: [],
      kept: ['a.test.js |  | same', ...sharedNames, 'b.test.js |  | same'].toSorted(),
      count: 22,
    })
  })

  test('with Jest', async () => {
    const { wrong, kept, count } = await leavingOut(inGroups, javascript('jest'))
    expect({ wrong, kept, count }).toEqual({
      wrong: [],
      kept: [
        'a.test.js |  | same',
        ...sharedNames,
        'a.test.js | math | adds',
        'a.test.js | Math | adds',
        'b.test.js |  | same',
      ].toSorted(),
      count: 22,
    })
  })

  test('with mocha', async () => {
    const { wrong, kept, count } = await leavingOut(inTurn, javascript('mocha *.test.js'))
    expect({ wrong, kept, count }).toEqual({
      wrong: [],
      kept: ['a.test.js |  | same', 'a.test.js | math nested | deep adds', 'b.test.js |  | same'].toSorted(),
      count: 22,
    })
  })

  test('with node:test', async () => {
    const head = "const { describe, it } = require('node:test')\n"
    const tail = "it('outer', async (t) => { await t.test('math adds', nothing); await t.test('inner', nothing) })\n"
    const { wrong, kept, count } = await leavingOut(inTurn, javascript('node --test', head, tail))
    expect({ wrong, kept, count }).toEqual({
      wrong: [],
      kept: [
        'a.test.js |  | same',
        // A test of another suite has this title.
        'a.test.js | math | adds',
        ...sharedNames,
        // Without them, Node reports their suites as tests.
        'a.test.js | Math | adds',
        'a.test.js | maths | adds',
        'b.test.js |  | adds',
        'b.test.js |  | same',
      ].toSorted(),
      count: 24,
    })
  })

  test('with pytest', async () => {
    const source = `import pytest, unittest
def test_adds(): pass
def test_adds_more(): pass
class TestAdds:
    def test_adds(self): pass
    class TestInner:
        def test_adds(self): pass
class Old(unittest.TestCase):
    def test_adds(self): pass
@pytest.mark.parametrize("a", ["x", "xy", "x::y", "a/b.py", "[", "]", " ", "größer", "🎉", "'", '"', "a\\nb", "{output}", "--x", "$(id)"])
def test_cases(a): pass
@pytest.mark.parametrize("a", [1, 11])
@pytest.mark.parametrize("b", [1, 11])
def test_two(a, b): pass
`
    const { wrong, kept, count } = await leavingOut(inGroups, {
      'requirements.txt': 'pytest',
      'tests/unit/test_a.py': source,
      'tests/test_b.py': 'def test_adds(): pass\n',
    })
    expect({ wrong, kept, count }).toEqual({
      wrong: [],
      // Steps replace it.
      kept: ['tests/unit/test_a.py | tests.unit.test_a | test_cases[{output}]'],
      count: 25,
    })
  })

  test.runIf(goSkips)('with go test', async () => {
    const source = `package sums
import "testing"
func TestAdd(t *testing.T) {}
func TestAddMore(t *testing.T) {}
func TestSame(t *testing.T) {}
func ExampleAdd() {
	// Output:
}
func TestRows(t *testing.T) {
	for _, name := range []string{"a", "ab", "a b", "a/b", "a|b", "(a", "[a", "a]", "^a$", "a.*", "größer 🎉", "\\"a'", "a", "", "\\x01"} {
		t.Run(name, func(t *testing.T) {})
	}
}
`
    const { wrong, kept, count } = await leavingOut(inGroups, {
      'go.mod': 'module example.org/shop\n\ngo 1.19\n',
      'sums/a_test.go': source,
      'other/b_test.go':
        'package other\nimport "testing"\nfunc TestSame(t *testing.T) {}\nfunc TestAddMoreThan(t *testing.T) {}\n',
    })
    expect({ wrong, kept, count }).toEqual({
      wrong: [],
      kept: [
        ' | example.org/shop/other | TestSame',
        // The pattern for this one matches `a/b`, too.
        ' | example.org/shop/sums | TestRows/a',
        ' | example.org/shop/sums | TestSame',
      ],
      count: 21,
    })
  })

  test.runIf(has('cargo', '--version'))('with cargo test', async () => {
    const source = `#[cfg(test)]
mod tests {
    #[test] fn adds() {}
    #[test] fn adds_more() {}
    #[test] fn größer() {}
    #[test] #[should_panic] fn panics() { panic!() }
    #[test] fn same() {}
    mod inner { #[test] fn adds() {} }
}
`
    const { wrong, kept, count } = await leavingOut(inGroups, {
      'Cargo.toml': '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n',
      'Cargo.lock': 'version = 3\n\n[[package]]\nname = "shop"\nversion = "0.1.0"\n',
      'src/lib.rs': `/// \`\`\`\n/// assert!(true);\n/// \`\`\`\npub fn adds() {}\n${source}`,
      'tests/other.rs': 'mod tests { #[test] fn same() {} }\n#[test] fn adds() {}\n',
    })
    // Assay's reports have only the last part of the name of a test in documentation, which here is the name of another.
    const adds = [' |  | adds', 'src/lib.rs |  | adds']
    expect({ wrong, kept, count }).toEqual({ wrong: [], kept: [' |  | tests::same', ...adds].toSorted(), count: 9 })
  })

  test.runIf(has('phpunit', '--version'))('with PHPUnit', async () => {
    const source = String.raw`<?php
namespace Shop;
final class SumTest extends \PHPUnit\Framework\TestCase {
  public function testAdds(): void { $this->assertTrue(true); }
  public function testAddsMore(): void { $this->assertTrue(true); }
  /** @dataProvider rows */
  public function testRows($row): void { $this->assertTrue(true); }
  public static function rows(): array {
    return [[1], [2], 'x' => [3], 'x y' => [4], 'a/b' => [5], '$^.*(' => [6], "it's \"q\"" => [7], 'größer 🎉' => [8], '1' => [9]];
  }
}
`
    const { wrong, kept, count } = await leavingOut(inGroups, {
      'phpunit.xml':
        '<phpunit><testsuites><testsuite name="all"><directory>tests</directory></testsuite></testsuites></phpunit>',
      'tests/SumTest.php': source,
      'tests/other/SumTest.php': source.replace('namespace Shop', 'namespace Other\\Shop'),
    })
    expect({ wrong, kept, count }).toEqual({ wrong: [], kept: [], count: 20 })
  })
})

test.runIf(has('go', 'version') && !goSkips)(
  'runs all tests, and says so, where Go is too old to leave any out',
  async () => {
    using project = await openProject({
      'go.mod': 'module example.org/shop\n\ngo 1.18\n',
      'a_test.go': 'package shop\nimport "testing"\nfunc TestA(t *testing.T) {}\nfunc TestB(t *testing.T) {}\n',
    })
    const known = await testsOf(project)
    const made = leaveOut(project.part, known.slice(0, 1), known)
    const ran = await project.run(made.step)
    expect(ran.cases.map(named)).toEqual(known.map(named))
    expect(ran.text).toContain('# No test is left out: -skip requires Go 1.20.')
  },
)
