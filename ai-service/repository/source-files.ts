import type { Facts, SourceFile } from './facts.ts'
import { readTestName } from '../../engines/test-names/test-name.ts'
import { testRole } from '../../engines/test-names/roles.ts'
import { type Layout, layoutOfFiles } from '../../engines/test-names/test-place.ts'
import type { TestedProject } from '../../engines/test-plan/test-home.ts'
import { languageOf } from './languages.ts'
import { isSafePath } from './safe-text.ts'

const foreignFolders = new Set(
  `node_modules bower_components vendor third_party thirdparty external dist build out target bin obj coverage generated
  __generated__ migrations docs doc examples example fixtures __fixtures__ testdata __mocks__ mocks benchmarks
  bench samples
  wwwroot public assets locales translations i18n gen config`.split(/\s+/),
)
const unwrittenNames = [
  /\.d\.[cm]?ts$/,
  /\.(min|bundle|generated|gen|g|designer|pb|config|conf|stories|blade)\.[a-z]+$/i,
  /_pb2?(_grpc)?\.(py|rb)$/,
  /\.pb\.go$/,
  /^(setup|manage|noxfile|wsgi|asgi|package-info|module-info|AssemblyInfo|GlobalUsings|Gruntfile|gulpfile|build|gen|doc)\.[a-z]+$/,
]

const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)
const foldersOf = (path: string) => path.split('/').slice(0, -1)

/** Whether a file belongs to the tests, by the tags of the analysis or by its path. */
export function isTestFile({ path, language, tags }: SourceFile): boolean {
  return tags.includes('test') || testRole(path, language) !== undefined
}

/** Whether the file is hand-written source code of the project that a test could cover. */
export function isOwnSource(file: SourceFile): boolean {
  return (
    languageOf(file.path, file.language) !== undefined &&
    file.tags.length === 0 &&
    !isTestFile(file) &&
    !unwrittenNames.some((pattern) => pattern.test(nameOf(file.path))) &&
    !foldersOf(file.path).some((folder) => foreignFolders.has(folder.toLowerCase()) || folder.startsWith('.'))
  )
}

/** The name that a test file and its source share: `user-store` for `user-store.test.ts`. */
export const stemOf = (path: string) => readTestName(path).stem.toLowerCase()

/**
 * How the analyzed project is tested.
 *
 * @param isFile - also knows files that earlier tests of the answer create
 */
export function testedProject(facts: Facts, isFile: TestedProject['isFile']): TestedProject {
  const { testing, testFrameworks } = facts
  return { testing, testFrameworks, layout: projectLayout(facts), isFile }
}

function projectLayout({ files, manifests }: Facts): Layout {
  const known = files.filter(({ path, language }) => languageOf(path, language) !== undefined && isSafePath(path))
  return layoutOfFiles(known, manifests)
}
