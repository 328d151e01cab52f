import { dirname, join } from 'node:path/posix'
import type { Verification } from '../core/verifications/schema.ts'
import type { Evidence } from '../engines/verdicts/schema.ts'
import { compareWithCommit, type Difference } from './compare-working-tree.ts'
import type { LocalTestFile } from './local-test-file.ts'
import { cleanName, shorten } from './sanitize.ts'

export interface Uncommitted {
  /** What to do before anything else; absent where nothing that the test needs is missing in the commit. */
  next?: string
  warnings: string[]
}

/** What is looked at of a verification. */
export interface Verified extends Pick<Verification, 'commitSha' | 'error'> {
  evidence: Pick<Evidence, 'target' | 'output' | 'runs'> | null
}

const mostNamed = 3

/**
 * A working tree holds more than the commit on which a test of it is verified: says which files the test is about, or
 * needs, that are not there or not as they are here.
 */
export async function findUncommitted(
  test: LocalTestFile,
  { commitSha, evidence, error }: Verified,
): Promise<Uncommitted> {
  const { root } = test.repository
  if (commitSha === null || !/^[0-9a-f]{40,64}$/.test(commitSha)) return { warnings: [] }
  const differences = await compareWithCommit(root, commitSha)
  if (!differences) return { warnings: [] }
  const said = [
    evidence?.output ?? '',
    error?.message ?? '',
    ...(evidence?.runs.flatMap(({ failures }) => failures.map(({ message }) => message ?? '')) ?? []),
  ].join('\n')
  const isNeeded = (path: string) =>
    path !== test.filePath && (path === evidence?.target?.path || isImported(path, test) || names(said, path))
  const pathsOf = (kind: Difference['kind']) => differences.flatMap((one) => (one.kind === kind ? [one.path] : []))
  const commit = `commit ${commitSha.slice(0, 7)}`
  const lacking = pathsOf('added').filter(isNeeded)
  const other = pathsOf('changed').filter(isNeeded)
  return {
    ...(lacking.length > 0
      ? {
          next: `${listed(lacking)} ${lacking.length === 1 ? 'is' : 'are'} in your working tree but not in ${commit}: commit (and push) ${lacking.length === 1 ? 'it' : 'them'} first.`,
        }
      : {}),
    warnings:
      other.length > 0
        ? [
            `${listed(other)} ${other.length === 1 ? 'is' : 'are'} not the same in your working tree as in ${commit}, on which it ran.`,
          ]
        : [],
  }
}

/** By the words between quotes that lead to a file from the test, and by the modules that Python names with dots. */
function isImported(path: string, { filePath, code }: LocalTestFile): boolean {
  const stem = withoutEnding(path)
  const specifiers = [...code.matchAll(/['"](\.{1,2}\/[^'"\n]{1,500})['"]/g)].map(([, specifier = '']) => specifier)
  const isRelative = specifiers.some((specifier) => {
    const wanted = join(dirname(filePath), specifier)
    return [path, stem].includes(wanted) || withoutEnding(wanted) === stem || stem === `${wanted}/index`
  })
  if (isRelative || !path.endsWith('.py')) return isRelative
  const module = stem
    .replace(/^src\//, '')
    .replace(/\/__init__$/, '')
    .replaceAll('/', '.')
  const parts = module.split('.')
  const [from, name] = [parts.slice(0, -1).join('.'), parts.at(-1) ?? '']
  const lines = code.split('\n').filter((line) => /^\s*(?:from|import)\s/.test(line))
  return lines.some((line) => {
    const words: string[] = line.match(/[\w.]+/g) ?? []
    return words.includes(module) || (from !== '' && words[1] === from && words.includes(name))
  })
}

/** As a whole, and not as the end of another path of the checkout. */
const names = (text: string, path: string) => path.includes('/') && text.includes(`/${path}`)

const withoutEnding = (path: string) => path.replace(/(?<=[^/])\.[cm]?[jt]sx?$|\.py$/, '')

/** The first few paths by name, the others by their number. */
export function listed(files: readonly string[]): string {
  const named = files.slice(0, mostNamed).map((path) => shorten(cleanName(path), 200))
  const more = files.length - named.length
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
