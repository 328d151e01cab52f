import { execFile, spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { applyMutant, type Mutant } from '../../mutation/mutant.ts'
import { mutantsOf } from '../../mutation/mutants-of.ts'
import { everyLine } from '../../mutation/testing.ts'
import { toolsDirectory } from '../../test-plan/placeholders.ts'
import { changed, pytestSuite, unittestSuite } from './python-testing.ts'
import { type DriverEvent, type Known, knownBy } from './testing.ts'

const tools = join(toolsDirectory, 'mutants')

const runners = {
  pytest: {
    files: pytestSuite,
    driver: ['-m', 'pytest', '-p', 'python_mutants', '-p', 'no:cacheprovider'],
    alone: ['-m', 'pytest', '-x', '-q', '-p', 'no:cacheprovider'],
    ready: { tests: 16, failed: 1 },
  },
  unittest: {
    files: unittestSuite,
    driver: [join(tools, 'unittest_mutants.py')],
    alone: ['-m', 'unittest', '-f'],
    ready: { tests: 15, failed: 1 },
  },
}

async function openProject(files: Readonly<Record<string, string>>) {
  const root = await mkdtemp(join(tmpdir(), 'assay-python-'))
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  for (const [path, text] of Object.entries(files)) await write(path, text)
  const source = files[changed] ?? ''
  const mutants = await mutantsOf(changed, source, everyLine)
  const { PATH = '' } = process.env
  const env = { PATH, HOME: root, PYTHONPATH: tools, PYTHONDONTWRITEBYTECODE: '1' }
  return {
    mutants,
    async drive(
      args: readonly string[],
      { stopAt = Date.now() + 60_000, known = {} }: { stopAt?: number; known?: Known } = {},
    ): Promise<DriverEvent[]> {
      const folder = await mkdtemp(join(root, 'events-'))
      const broken = { path: changed, line: 7, start: 0, end: 0, replacement: ')' }
      const wanted = [...mutants, broken].map((mutant, index) => ({ ...mutant, id: index + 1 }))
      await writeFile(join(folder, 'wanted.json'), JSON.stringify({ wanted, known, root, stopAt, workers: 2 }))
      const { code, text } = await runs(args, { cwd: root, env: { ...env, ASSAY_MUTANTS: folder } })
      if (code !== 0) throw new Error(text)
      const lines = (await readFile(join(folder, 'events.jsonl'), 'utf8')).split('\n').filter(Boolean)
      return lines.map((line): DriverEvent => JSON.parse(line))
    },
    /** Runs the tests with one mutant in the text of its source. */
    async isNoticedAlone(mutant: Mutant, args: readonly string[]) {
      await write(changed, applyMutant(source, mutant))
      return (await runs(args, { cwd: root, env: { ...env, ALONE: '1' } })).code !== 0
    },
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  }
}

function runs(args: readonly string[], options: { cwd: string; env: Record<string, string> }) {
  return new Promise<{ code: number | null; text: string }>((resolve) => {
    const limits = { timeout: 60_000, killSignal: 'SIGKILL' as const }
    const child = execFile('python3', args, { ...options, ...limits }, (_error, out, err) =>
      resolve({ code: child.exitCode, text: `${out}\n${err}` }),
    )
  })
}

const has = (...args: string[]) => spawnSync('python3', args).status === 0
const told = ({ line, original, replacement }: Mutant) => `${line} ${original} -> ${replacement}`

describe.for(Object.entries(runners))('%s', ([name, { files, driver, alone, ready }]) => {
  const isThere = has('-m', name, '--help')

  test.runIf(isThere)('says of each mutant what its own source would say in a fresh process', async () => {
    await using project = await openProject(files)
    const { mutants } = project
    const events = await project.drive(driver)
    const outcomes = new Map(events.filter(({ kind }) => kind === 'decided').map(({ id, outcome }) => [id, outcome]))
    const decided = mutants.map((mutant, index) => `${told(mutant)}: ${outcomes.get(index + 1) ?? 'not reached'}`)
    expect(decided.filter((text) => !text.endsWith(': noticed'))).toEqual([
      '10 net < 0 -> net <= 0: survived',
      '13 tax > 50 -> tax >= 50: survived',
      '27 n - 1 -> n + 1: timed_out',
      '44 one + 1 -> one - 1: survived',
      '52 a + 1 -> a - 1: not reached',
    ])
    expect(outcomes.get(mutants.length + 1)).toBe('invalid')
    expect(events.find(({ kind }) => kind === 'ready')).toMatchObject(ready)
    expect(events.at(-1)).toMatchObject({ kind: 'end', isComplete: true })
    // A test needs the one before it.
    expect(events.some(({ kind }) => kind === 'unclean')).toBe(true)
    for (const [index, mutant] of mutants.entries()) {
      // Pytest takes long to start. These lines run at import, for several tests, or once for all.
      if (name === 'pytest' && ![4, 17, 31, 36].includes(mutant.line)) continue
      const outcome = outcomes.get(index + 1)
      if (outcome === 'timed_out' || !outcome) continue
      const isNoticed = await project.isNoticedAlone(mutant, alone)
      expect(`${told(mutant)}: ${isNoticed ? 'noticed' : 'survived'}`).toBe(decided[index])
    }
  })

  test.runIf(isThere)('uses new processes where threads make forks unsafe', async () => {
    const thread = 'import threading, time\nthreading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n'
    await using project = await openProject({
      ...files,
      [changed]: `${thread}\ndef add(a, b):\n    return a + b\n\ndef even(a):\n    return a % 2 < 1\n`,
      'tests/test_price.py': '',
      'tests/test_cart.py':
        'import unittest\nfrom shop.price import add, even\n\nclass SumTest(unittest.TestCase):\n' +
        '    def test_adds(self):\n        assert add(1, 2) == 3\n' +
        '    def test_even(self):\n        even(2)\n',
    })
    const events = await project.drive(driver)
    const outcomes = events.filter(({ kind }) => kind === 'decided').map(({ id, outcome }) => `${id} ${outcome}`)
    const found = project.mutants.map(told)
    const survived = found.flatMap((text, index) => (text.includes('% 2') ? [`${index + 1} survived`] : []))
    expect(outcomes).toEqual(expect.arrayContaining([...survived, `${found.indexOf('5 a + b -> a - b') + 1} noticed`]))
    expect(events.at(-1)).toMatchObject({ kind: 'end', isComplete: true })
  })

  test.runIf(isThere)('runs tests that use the same folder one after the other', async () => {
    await using project = await openProject({
      ...files,
      [changed]: 'def less(a, b):\n    return a < b\n\ndef more(a, b):\n    return a > b\n',
      'tests/test_price.py': '',
      'tests/test_cart.py':
        'import os, time, unittest\nfrom shop.price import less, more\n\nclass LockTest(unittest.TestCase):\n' +
        '    def test_locks(self):\n        os.mkdir("lock")\n        time.sleep(0.2)\n        os.rmdir("lock")\n' +
        '        less(1, 2)\n        more(1, 2)\n',
    })
    const events = await project.drive(driver)
    const outcomes = events.filter(({ kind }) => kind === 'decided').map(({ outcome }) => outcome)
    expect(outcomes.toSorted()).toEqual(['invalid', ...project.mutants.map(() => 'survived')])
  })

  test.runIf(isThere)('runs no tests of which it knows what they reach, if they do not depend on others', async () => {
    const testOf = (name: string, first = '') =>
      `import unittest\nfrom shop.price import add, half, less\nSTATE = []\n\nclass Test(unittest.TestCase):\n` +
      `    def test_a(self):\n        STATE.append(1)\n    def test_${name}(self):\n        ${first}assert ${name}(4, 2)\n`
    await using project = await openProject({
      ...files,
      [changed]:
        'def add(a, b):\n    return a + b\n\ndef half(a, b):\n    return a / b\n\ndef less(a, b):\n    return b < a\n',
      'tests/test_price.py': testOf('add'),
      'tests/test_cart.py': testOf('half', 'assert STATE; '),
      'tests/test_less.py': testOf('less'),
    })
    const outcomesOf = (events: readonly DriverEvent[]) =>
      events.filter(({ kind }) => kind === 'decided').map(({ id, outcome }) => `${id} ${outcome}`)
    const first = await project.drive(driver)
    expect(
      first
        .filter(({ kind }) => kind === 'load')
        .map(({ file }) => file)
        .toSorted(),
    ).toEqual(['tests/test_less.py', 'tests/test_price.py'])
    const known = knownBy(first)
    const ofAdd = { 'tests/test_price.py': known['tests/test_price.py'] ?? [] }
    const events = await project.drive(driver, { known: ofAdd })
    expect(events.find(({ kind }) => kind === 'ready')).toMatchObject({ tests: 6, kept: 2, isComplete: true })
    expect(outcomesOf(events).toSorted()).toEqual(outcomesOf(first).toSorted())
    // It would have another name if the file had run.
    const renamed = ofAdd['tests/test_price.py'].map((one) => ({ ...one, test: one.test && `${one.test}_renamed` }))
    const again = await project.drive(driver, { known: { 'tests/test_price.py': renamed } })
    const names = again.filter(({ kind, file }) => kind === 'reach' && file === 'tests/test_price.py')
    expect(names.map(({ test: name }) => name?.endsWith('_renamed'))).toEqual([true, true])
  })

  test.runIf(isThere)('tells which functions the tests of a file call', async () => {
    await using project = await openProject({
      ...files,
      [changed]:
        'def add(a, b):\n    if a:\n        a.first()\n    return a\n\ndef less(a, b):\n    return b < a\n\nKEPT = less(1, 2)\n',
      'tests/test_price.py':
        'import unittest\nfrom shop.price import add\n\nclass Test(unittest.TestCase):\n' +
        '    def test_adds(self):\n        assert add(0, 1) == 0\n',
      'tests/test_cart.py':
        'import unittest\n\nclass Test(unittest.TestCase):\n    def test_none(self):\n        pass\n',
    })
    const events = await project.drive(driver)
    const markers = (kind: string, file: string) =>
      events
        .filter((one) => one.kind === kind && one.file === file)
        .flatMap(({ probes }) => probes.filter((probe) => probe < 0 && probe % 2 !== 0))
    const idsAt = (from: number, to: number) =>
      project.mutants.flatMap(({ line }, index) => (from <= line && line <= to ? [index + 1] : []))
    const markerOf = (ids: readonly number[]) => -2 * Math.min(...ids) - 1
    expect(markers('reach', 'tests/test_price.py')).toEqual([markerOf(idsAt(1, 4))])
    expect(markers('load', 'tests/test_price.py')).toEqual([markerOf(idsAt(6, 7))])
    expect(markers('load', 'tests/test_cart.py')).toEqual([])
  })

  test.runIf(isThere)('stops when its time is over, and says so', async () => {
    await using project = await openProject(files)
    const events = await project.drive(driver, { stopAt: Date.now() })
    expect(events).toEqual([{ kind: 'end', isComplete: false }])
  })
})
