import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Verdict } from '../../../engines/verdicts/schema.ts'
import { faults, type Flavour } from './faults.ts'

/** A test as it is sent to be verified. */
export interface Sample {
  name: string
  filePath: string
  code: string
}

/** A small project of functions that have no tests yet, and the tests that could be theirs. */
export interface Truth {
  /** Sources as they should be, with the few tests that the project has. */
  right: Record<string, string>
  /** Every function with its fault. */
  wrong: Record<string, string>
  /** One careful test for each function: it passes on what is right and fails on what is wrong. */
  good: Sample[]
  /** Tests that pass and say nothing, by what is weak in them. */
  weak: Sample[]
  /** Tests that something is wrong with, by what it is, and the verdict that says so; null if it is refused before. */
  odd: { sample: Sample; verdict: Verdict | null }[]
}

const flakyOnes = new Set(['flaky', 'a breaker', 'z needs to be alone'])

/** A test at a path that the project's command does not run. */
const uncollected = 'not looked for'

export function readTruth(flavour: Flavour): Truth {
  const isPython = flavour === 'pytest' || flavour === 'unittest'
  const [sources, tests] = isPython ? ['shop', 'tests'] : ['src', 'test']
  const own = filesIn(flavour, 'own')
  const functions = prefixed(sources, filesIn(flavour, sources))
  const samples = (folder: string) =>
    Object.entries(filesIn(flavour, folder)).map(([file, code]) => ({
      name: nameOf(file),
      filePath: `${tests}/${file}`,
      code,
    }))
  const good = samples(isPython ? 'tests' : 'test')
  return {
    right: { ...own, ...functions },
    wrong: { ...own, ...mapValues(functions, (path, source) => withFault(flavour, path, source)) },
    good,
    weak: samples('weak').map(asWeak),
    odd: [...samples('odd'), ...(good[0] ? brokenCopies(good[0], isPython) : [])].map((sample) => ({
      sample,
      verdict: sample.name === uncollected ? null : flakyOnes.has(sample.name) ? 'flaky' : 'not_built',
    })),
  }
}

/** What a careless edit makes of a good test. */
function brokenCopies({ filePath, code }: Sample, isPython: boolean): Sample[] {
  const [from, to] = isPython ? ['from shop.', 'from store.'] : ["'../src/", "'../source/"]
  const file = filePath.slice(filePath.indexOf('/') + 1)
  const elsewhere = `checks/${file.replace(/^test_/, '').replace(/\.(?:test|spec)\./, '.')}`
  return [
    { name: 'syntax error', filePath, code: `${code})\n` },
    { name: 'missing import', filePath, code: code.replaceAll(from, to) },
    { name: uncollected, filePath: elsewhere, code },
  ]
}

function withFault(flavour: Flavour, path: string, source: string): string {
  const name = /([^/]*)\.\w+$/.exec(path)?.[1] ?? ''
  const fault = faults[flavour][name]
  if (!fault || source.split(fault.right).length !== 2) {
    throw new Error(`faults.ts has no fault of ${path} in ${flavour}, or its text is not there exactly once`)
  }
  return source.replace(fault.right, () => fault.wrong)
}

/** A weak test must not take the place of a good one. */
const asWeak = (sample: Sample): Sample => ({
  ...sample,
  filePath: sample.filePath.replace(/(\/(?:test_)?)/, '$1weak_'),
})

const nameOf = (file: string): string =>
  file
    .replace(/^test_/, '')
    .replace(/(?:\.test|\.spec)?\.\w+$/, '')
    .replace(/[-_]/g, ' ')

/** Texts of a folder, by paths relative to it. */
function filesIn(flavour: Flavour, folder: string): Record<string, string> {
  const directory = join(import.meta.dirname, flavour, folder)
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('__pycache__'))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
  return Object.fromEntries(entries.map((path) => [path.slice(directory.length + 1), readFileSync(path, 'utf8')]))
}

const prefixed = (folder: string, files: Record<string, string>) =>
  Object.fromEntries(Object.entries(files).map(([file, text]) => [`${folder}/${file}`, text]))

const mapValues = (files: Record<string, string>, change: (path: string, text: string) => string) =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [path, change(path, text)]))
