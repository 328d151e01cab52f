import { detectLanguage } from '../../engines/languages/detect.ts'
import { isTestPath } from '../../engines/test-names/roles.ts'
import { isRepositoryPath, shown } from '../base/repository-path.ts'
import type { AnalyzedFile } from '../../engines/analysis/schema.ts'

const maxDepth = 40
const maxNameBytes = 255

/** What a repository has where. */
export interface Places {
  /** Why a test cannot lie there; null where it can, if need be under another name. */
  refusal(path: string): string | null
  /** Whether a file or a folder has this name, on systems too that take no account of case. */
  isInUse(path: string): boolean
}

/** A test may lie where the project's runner would look for it, and must not be taken for anything else. */
export function placesOf(files: readonly AnalyzedFile[]): Places {
  const byPath = new Map(files.map((file) => [keyOf(file.path), file]))
  const folders = new Set(files.flatMap(({ path }) => foldersOf(keyOf(path))))
  const isTest = ({ tags }: AnalyzedFile) => tags?.includes('test') === true
  const ofTests = new Set(files.filter(isTest).map(neighbourhoodOf))
  // Beside product code a name has to say what it is.
  for (const file of files) if (!isTest(file)) ofTests.delete(neighbourhoodOf(file))
  return {
    isInUse: (path) => byPath.has(keyOf(path)) || folders.has(keyOf(path)),
    refusal(path) {
      const name = JSON.stringify(shown(path))
      if (!isPlainPath(path)) return `${name} is no path inside the repository`
      if (path.split('/').some((part) => part.startsWith('.'))) return `${name} is hidden from people and runners`
      const fileInTheWay = foldersOf(path).find((folder) => byPath.has(keyOf(folder)))
      if (fileInTheWay !== undefined) return `${shown(fileInTheWay)} is no folder`
      if (folders.has(keyOf(path))) return `${name} is a folder`
      const there = byPath.get(keyOf(path))
      if (there && !isTest(there)) return `${name} is there already and is no test`
      if (there || ofTests.has(neighbourhoodOf({ path })) || isTestPath(path, detectLanguage(path, null))) return null
      return `nothing would take ${name} for a test`
    },
  }
}

function isPlainPath(path: string): boolean {
  const names = path.split('/')
  return (
    isRepositoryPath(path) &&
    // Runners would take it for an option.
    !path.startsWith('-') &&
    names.length <= maxDepth &&
    names.every((name) => Buffer.byteLength(name) <= maxNameBytes)
  )
}

const keyOf = (path: string) => path.toLowerCase()

function foldersOf(path: string): string[] {
  const names = path.split('/').slice(0, -1)
  return names.map((_, depth) => names.slice(0, depth + 1).join('/'))
}

/** Folder and kind of file. */
function neighbourhoodOf({ path }: Pick<AnalyzedFile, 'path'>): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return `${path.slice(0, -name.length)}*${/\.\w+$/.exec(name)?.[0] ?? ''}`
}
