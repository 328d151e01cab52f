import { dirname, join } from 'node:path/posix'
import type { Verification } from '../core/verifications/schema.ts'
import type { Evidence } from '../engines/verdicts/schema.ts'
import { compareWithCommit, type Difference } from './compare-working-tree.ts'
import type { LocalTestFile } from './local-test-file.ts'
import { cleanName, shorten } from './sanitize.ts'

export interface Uncommitted {
  /** What to do first; absent where the commit has all files that the test needs. */
  next?: string
  warnings: string[]
  /** The verified commit has the test itself. */
  isCommitted?: true
}

/** The parts of a verification that matter here. */
export interface Verified extends Pick<Verification, 'commitSha' | 'error'> {
  evidence: Pick<Evidence, 'target' | 'output' | 'runs'> | null
}

const maxNamed = 3

/**
 * Finds files that the test needs and that the verified commit lacks, or has with other content, because the working
 * tree has uncommitted changes.
 */
export async function findUncommitted(
  test: LocalTestFile,
  { commitSha, evidence, error }: Verified,
): Promise<Uncommitted> {
  const { root } = test.repository
  if (commitSha === null || !/^[0-9a-f]{40,64}$/.test(commitSha)) return { warnings: [] }
  const differences = await compareWithCommit(root, commitSha)
  if (!differences) return { warnings: [] }
  const messages = [
    evidence?.output ?? '',
    error?.message ?? '',
    ...(evidence?.runs.flatMap(({ failures }) => failures.map(({ message }) => message ?? '')) ?? []),
  ].join('\n')
  const isNeeded = (path: string) =>
    path !== test.filePath && (path === evidence?.target?.path || isImported(path, test) || names(messages, path))
  const pathsOf = (kind: Difference['kind']) => differences.flatMap((one) => (one.kind === kind ? [one.path] : []))
  const commit = `commit ${commitSha.slice(0, 7)}`
  const missing = pathsOf('added').filter(isNeeded)
  const other = pathsOf('changed').filter(isNeeded)
  const isCommitted = !differences.some(({ path }) => path === test.filePath)
  return {
    ...(isCommitted ? { isCommitted } : {}),
    ...(missing.length > 0
      ? {
          next: `${listed(missing)} ${missing.length === 1 ? 'is' : 'are'} in your working tree but not in ${commit}: commit (and push) ${missing.length === 1 ? 'it' : 'them'} first.`,
        }
      : {}),
    warnings:
      other.length > 0
        ? [
            `${listed(other)} ${other.length === 1 ? 'differs' : 'differ'} between your working tree and ${commit}, on which the test ran.`,
          ]
        : [],
  }
}

/** Looks for relative paths between quotes, and for the dotted module names of Python. */
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

/** Matches a whole path, not the end of another one. */
const names = (text: string, path: string) => path.includes('/') && text.includes(`/${path}`)

const withoutEnding = (path: string) => path.replace(/(?<=[^/])\.[cm]?[jt]sx?$|\.py$/, '')

/** The first few paths by name, the others by their number. */
export function listed(files: readonly string[]): string {
  const named = files.slice(0, maxNamed).map((path) => shorten(cleanName(path), 200))
  const more = files.length - named.length
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
