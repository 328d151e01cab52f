import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { withEdits } from './edits.ts'
import { go } from './go.ts'
import type { KnownChange } from './known-change.ts'
import { nodeTest } from './node-test.ts'
import { unnoticed } from './node-test-unnoticed.ts'
import { pytest } from './pytest.ts'
import { unittest } from './unittest.ts'
import { vitest } from './vitest.ts'

/** The changes of each project; the project lies in the folder of the same name. */
export const knownChanges = { 'node-test': [...nodeTest, ...unnoticed], vitest, pytest, unittest, go } satisfies Record<
  string,
  readonly KnownChange[]
>
export type Flavor = keyof typeof knownChanges
export const flavors = Object.keys(knownChanges) as Flavor[]

type Files = Record<string, string>

/** Returns the files of a small project, by their paths. */
export function readProject(flavor: Flavor): Files {
  const directory = join(import.meta.dirname, flavor)
  const paths = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('__pycache__'))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
  return Object.fromEntries(paths.map((path) => [path.slice(directory.length + 1), readFileSync(path, 'utf8')]))
}

/** Returns the project before and after a change. */
export function sidesOf(project: Readonly<Files>, { before = [], edits }: KnownChange): { base: Files; head: Files } {
  const base = withEdits(project, before)
  return { base, head: withEdits(base, edits) }
}
