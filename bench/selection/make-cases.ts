import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { applyMutant } from '../../engines/mutation/mutant.ts'
import { mutantsOf } from '../../engines/mutation/mutants-of.ts'
import { listChanges } from '../../engines/source/changes.ts'
import type { Changes } from '../../engines/source/types.ts'
import { changedFiles, kindOfFile } from '../../engines/verdicts/change/changed-files.ts'
import type { Checkout } from './checkout.ts'

export type CaseKind = 'commit' | 'old tests' | 'old code' | 'mutant'

/** A change whose broken tests should be among the selected ones. */
export interface ReplayedCase {
  kind: CaseKind
  /** The commit of the history that it comes from. */
  commit: string
  base: string
  head: string
  /** What was planted. */
  about: string
}

/** Lines around a change that usually belong to the same function. */
const around = 10
const signal = new AbortController().signal

export const changesOf = ({ path }: Checkout, base: string, head: string): Promise<Changes> =>
  listChanges({ gitDir: `${path}/.git`, signal }, base, head)

/** Returns the newest commits of the history that change code or tests, compared with their first parents. */
export function commitsOf(checkout: Checkout, tip: string, count: number): string[] {
  const listed = checkout.git([
    'log',
    '--first-parent',
    '--diff-merges=first-parent',
    '--name-only',
    '-z',
    '--format=%x01%H',
    '-n',
    '400',
    tip,
  ])
  const commits = listed
    .split('\x01')
    .slice(1)
    .map((text) => {
      const [commit = '', ...paths] = text.split('\0')
      return { commit, paths: paths.map((path) => path.trim()).filter(Boolean) }
    })
  return commits
    .filter(({ paths }) => paths.some((path) => kindOfFile(path) !== 'other'))
    .slice(0, count)
    .map(({ commit }) => commit)
}

interface Keeping {
  /** Of each commit. */
  mutants: number
  kept: string
}

const fileOf = (commit: string, { mutants, kept }: Keeping) => join(kept, `cases-${commit}-${mutants}.json`)

export const hasCases = (commit: string, keeping: Keeping): boolean => existsSync(fileOf(commit, keeping))

/** Makes the cases of a commit, and keeps them in a folder. The same commit gives the same cases. */
export async function casesOf(checkout: Checkout, commit: string, keeping: Keeping): Promise<ReplayedCase[]> {
  const { mutants, kept } = keeping
  const file = fileOf(commit, keeping)
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as ReplayedCase[]
  const cases = await makeCases(checkout, commit, mutants)
  mkdirSync(kept, { recursive: true })
  writeFileSync(file, JSON.stringify(cases))
  return cases
}

async function makeCases(checkout: Checkout, commit: string, mutants: number): Promise<ReplayedCase[]> {
  const base = checkout.git(['rev-parse', `${commit}^1`]).trim()
  const changes = await changesOf(checkout, base, commit)
  const files = changedFiles(changes)
  const ofTests = files.filter(({ kind }) => kind === 'test' || kind === 'test_support')
  const ofCode = files.filter(({ kind }) => kind === 'code')
  const cases: ReplayedCase[] = [{ kind: 'commit', commit, base, head: commit, about: '' }]
  for (const { path } of await choose(checkout, commit, ofCode, mutants)) cases.push(path)
  if (ofTests.length > 0 && ofCode.length > 0) {
    const without = (left: typeof files) => {
      const paths = left.flatMap(({ path, before }) => [path, ...(before === null ? [] : [before])])
      return checkout.commitWith(commit, new Map(paths.map((path) => [path, { from: base }])))
    }
    cases.push({ kind: 'old tests', commit, base, head: without(ofTests), about: '' })
    cases.push({ kind: 'old code', commit, base, head: without(ofCode), about: '' })
  }
  return cases
}

async function choose(
  checkout: Checkout,
  commit: string,
  ofCode: readonly { path: string; change: string; lines: readonly (readonly [number, number])[] }[],
  count: number,
): Promise<{ path: ReplayedCase }[]> {
  const found: { order: string; path: string; text: string; about: string }[] = []
  for (const { path, change, lines } of ofCode) {
    const source = change === 'deleted' ? null : checkout.read(commit, path)
    if (source === null || source.length > 500_000) continue
    const near = lines.map(([first, last]): [number, number] => [Math.max(1, first - around), last + around])
    for (const mutant of await mutantsOf(path, source, merged(near))) {
      const about = `${path}:${mutant.line} ${mutant.operator}`
      const order = createHash('sha256')
        .update(`${commit} ${about} ${mutant.start} ${mutant.replacement}`)
        .digest('hex')
      found.push({ order, path, text: applyMutant(source, mutant), about })
    }
  }
  found.sort((a, b) => (a.order < b.order ? -1 : 1))
  return found.slice(0, count).map(({ path, text, about }) => {
    const head = checkout.commitWith(commit, new Map([[path, { text }]]))
    return { path: { kind: 'mutant', commit, base: commit, head, about } }
  })
}

function merged(ranges: readonly [number, number][]): [number, number][] {
  const result: [number, number][] = []
  for (const [first, last] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const before = result.at(-1)
    if (before && first <= before[1] + 1) before[1] = Math.max(before[1], last)
    else result.push([first, last])
  }
  return result
}
