import { detectLanguage } from '../../engines/languages/detect.ts'
import { isTestPath } from '../../engines/test-names/roles.ts'
import { isRepositoryPath, shown } from '../base/repository-path.ts'
import { isCollected, whyUncollected } from '../../engines/test-plan/test-home.ts'
import type { TestingPart } from '../../engines/test-plan/schema.ts'
import type { AnalyzedFile } from '../../engines/analysis/schema.ts'

const maxDepth = 40
const maxNameBytes = 255

/** The files and folders of a repository. */
export interface Places {
  /** The reason that a test cannot have this path. Null if it can, perhaps after a change of its name. */
  refusal(path: string): string | null
  /** Whether a file or folder has this path, compared without case as some systems do. */
  isInUse(path: string): boolean
}

/**
 * Accepts paths where the project's test runner finds a test and no other tool reads the file.
 *
 * @param testing - what a run of the tests would do, which decides for the files that it knows
 */
export function placesOf(files: readonly AnalyzedFile[], testing: readonly TestingPart[] = []): Places {
  const byPath = new Map(files.map((file) => [keyOf(file.path), file]))
  const folders = new Set(files.flatMap(({ path }) => foldersOf(keyOf(path))))
  const isTest = ({ tags }: AnalyzedFile) => tags?.includes('test') === true
  const ofTests = new Set(files.filter(isTest).map(neighbourhoodOf))
  // In a folder with product code, only its name shows that a file is a test.
  for (const file of files) if (!isTest(file)) ofTests.delete(neighbourhoodOf(file))
  return {
    isInUse: (path) => byPath.has(keyOf(path)) || folders.has(keyOf(path)),
    refusal(path) {
      const name = JSON.stringify(shown(path))
      if (!isPlainPath(path)) return `${name} is not a path inside the repository`
      if (path.split('/').some((part) => part.startsWith('.')))
        return `${name} is in a hidden folder or is a hidden file`
      const fileInTheWay = foldersOf(path).find((folder) => byPath.has(keyOf(folder)))
      if (fileInTheWay !== undefined) return `${shown(fileInTheWay)} is a file, not a folder`
      if (folders.has(keyOf(path))) return `${name} is a folder`
      const there = byPath.get(keyOf(path))
      if (there && !isTest(there)) return `${name} exists and is not a test`
      const commands = whyUncollected(path, testing)
      if (commands !== undefined) return `a run would not include ${name}: ${shown(commands, 500)}`
      if (
        there ||
        isCollected(path, testing) ||
        ofTests.has(neighbourhoodOf({ path })) ||
        isTestPath(path, detectLanguage(path, null))
      )
        return null
      return `test runners would not find ${name}: its name does not show a test`
    },
  }
}

function isPlainPath(path: string): boolean {
  const names = path.split('/')
  return (
    isRepositoryPath(path) &&
    // Test runners would read it as an option.
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

/** Returns the folder with the extension of the file. */
function neighbourhoodOf({ path }: Pick<AnalyzedFile, 'path'>): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return `${path.slice(0, -name.length)}*${/\.\w+$/.exec(name)?.[0] ?? ''}`
}
