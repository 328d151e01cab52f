import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const files = 30
const testsPerFile = 10

/** Creates a repository of 30 files with 10 tests each, and their dependencies. */
export interface BenchProject {
  name: string
  repository: string
  tests: number
}

/** The other files of a project. */
interface More {
  files?: Record<string, string>
  devDependencies?: Record<string, string>
  /** Of tests, with 10 each. */
  testFiles?: number
}

/** Uses Vitest and three packages from the registry, pinned by a real lockfile. */
export async function makeVitestProject(
  repository: string,
  { files: more = {}, devDependencies = {} }: More = {},
): Promise<BenchProject> {
  const contents: Record<string, string> = {
    'package.json': JSON.stringify({
      name: 'shop',
      private: true,
      type: 'module',
      scripts: { test: 'vitest run' },
      dependencies: { dayjs: '1.11.13', lodash: '4.17.21', zod: '4.0.5' },
      devDependencies: { vite: '8.3.8', vitest: '5.1.0', ...devDependencies },
    }),
    '.gitignore': 'node_modules\n',
    ...more,
  }
  for (let number = 0; number < files; number++) {
    contents[`src/price-${number}.ts`] = typescriptModule(number)
    contents[`src/price-${number}.test.ts`] = typescriptTests(number)
  }
  await write(repository, contents)
  await run('npm', ['install', '--package-lock-only', '--no-audit', '--no-fund'], { cwd: repository })
  await commit(repository)
  return { name: 'Vitest', repository, tests: files * testsPerFile }
}

/** Uses the runner of Node, and no packages. */
export async function makeNodeTestProject(
  repository: string,
  { files: more = {} }: Pick<More, 'files'> = {},
): Promise<BenchProject> {
  const contents: Record<string, string> = {
    'package.json': JSON.stringify({ name: 'shop', private: true, type: 'module', scripts: { test: 'node --test' } }),
    ...more,
  }
  for (let number = 0; number < files; number++) {
    contents[`src/price-${number}.js`] = javascriptModule(number)
    contents[`test/price-${number}.test.js`] = javascriptTests(number)
  }
  await write(repository, contents)
  await commit(repository)
  return { name: 'node:test', repository, tests: files * testsPerFile }
}

/** Uses the pytest of this machine, so that no network is needed; undefined if it is not installed. */
export async function makePytestProject(
  repository: string,
  { files: more = {}, testFiles = files }: More = {},
): Promise<BenchProject | undefined> {
  const asked = run('python3', ['-c', 'import pytest; print(pytest.__version__)'])
  const version = (await asked.catch(() => undefined))?.stdout.trim()
  if (version === undefined) return undefined
  const contents: Record<string, string> = {
    'requirements.txt': `pytest==${version}\n`,
    'pytest.ini': '[pytest]\npythonpath = .\ntestpaths = tests\n',
    'shop/__init__.py': '',
    '.gitignore': '__pycache__\n.pytest_cache\n',
    ...more,
  }
  for (let number = 0; number < testFiles; number++) {
    contents[`shop/price_${number}.py`] = pythonModule(number)
    contents[`tests/test_price_${number}.py`] = pythonTests(number)
  }
  await write(repository, contents)
  await commit(repository)
  return { name: 'pytest', repository, tests: testFiles * testsPerFile }
}

function javascriptModule(number: number): string {
  return `export function priceOf(placed, lines) {
  const month = new Date(placed).getUTCMonth()
  if (Number.isNaN(month)) throw new RangeError('no date')
  const total = lines.reduce((sum, { price, amount }) => sum + price * amount, 0)
  return month === ${number % 12} ? total / 2 : total
}
`
}

function javascriptTests(number: number): string {
  return `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { priceOf } from '../src/price-${number}.js'

const lines = (count) => Array.from({ length: count }, (_, index) => ({ price: 2, amount: index }))

for (const count of [1, 2, 3, 5, 8, 13, 21, 34]) {
  test(\`the sum of \${count} lines\`, () => {
    for (let times = 0; times < 1_000; times++) {
      assert.equal(priceOf('2026-${month(number + 1)}-01', lines(count)), count * (count - 1))
    }
  })
}
test('half the price in one month of the year', () => assert.equal(priceOf('2026-${month(number)}-01', lines(3)), 3))
test('nothing that is no order', () => assert.throws(() => priceOf('yesterday', []), /date/))
`
}

function typescriptModule(number: number): string {
  return `import dayjs from 'dayjs'
import lodash from 'lodash'
import { z } from 'zod'

const Order = z.object({ placed: z.iso.date(), lines: z.array(z.object({ price: z.number(), amount: z.number().int() })) })

export function priceOf(input: unknown): number {
  const { placed, lines } = Order.parse(input)
  const total = lodash.sumBy(lines, ({ price, amount }) => price * amount)
  return dayjs(placed).month() === ${number % 12} ? total / 2 : total
}
`
}

function typescriptTests(number: number): string {
  return `import { describe, expect, test } from 'vitest'
import { priceOf } from './price-${number}.ts'

const lines = (count: number) => Array.from({ length: count }, (_, index) => ({ price: 2, amount: index }))

describe('prices of shop ${number}', () => {
  test.each([1, 2, 3, 5, 8, 13, 21, 34])('the sum of %i lines', (count) => {
    for (let times = 0; times < 100; times++) {
      expect(priceOf({ placed: '2026-${month(number + 1)}-01', lines: lines(count) })).toBe(count * (count - 1))
    }
  })
  test('half the price in one month of the year', () => {
    expect(priceOf({ placed: '2026-${month(number)}-01', lines: lines(3) })).toBe(3)
  })
  test('nothing that is no order', () => {
    expect(() => priceOf({ placed: 'yesterday', lines: [] })).toThrow(/date/)
  })
})
`
}

function pythonModule(number: number): string {
  return `from datetime import date


def price_of(placed, lines):
    total = sum(price * amount for price, amount in lines)
    return total / 2 if date.fromisoformat(placed).month == ${(number % 12) + 1} else total
`
}

function pythonTests(number: number): string {
  return `import pytest

from shop.price_${number} import price_of


def lines(count):
    return [(2, index) for index in range(count)]


@pytest.mark.parametrize("count", [1, 2, 3, 5, 8, 13, 21, 34])
def test_the_sum_of_lines(count):
    for _ in range(1000):
        assert price_of("2026-${month(number + 1)}-01", lines(count)) == count * (count - 1)


def test_half_the_price_in_one_month_of_the_year():
    assert price_of("2026-${month(number)}-01", lines(3)) == 3


def test_nothing_that_is_no_order():
    with pytest.raises(ValueError):
        price_of("yesterday", [])
`
}

const month = (number: number) => String((number % 12) + 1).padStart(2, '0')

async function write(repository: string, contents: Record<string, string>): Promise<void> {
  for (const [name, content] of Object.entries(contents)) {
    await mkdir(dirname(join(repository, name)), { recursive: true })
    await writeFile(join(repository, name), content)
  }
}

async function commit(repository: string): Promise<void> {
  const who = ['-c', 'user.name=Bench', '-c', 'user.email=bench@example.com', '-c', 'commit.gpgsign=false']
  await run('git', ['init', '--quiet', '--initial-branch=main'], { cwd: repository })
  await run('git', ['add', '--all'], { cwd: repository })
  await run('git', [...who, 'commit', '--quiet', '--message=Sell'], { cwd: repository })
}
