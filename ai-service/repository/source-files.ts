import type { SourceFile } from './facts.ts'
import { languageOf } from './languages.ts'

const foreignFolders = new Set(
  `node_modules bower_components vendor third_party thirdparty external dist build out target bin obj coverage generated
  __generated__ migrations docs doc examples example fixtures __fixtures__ testdata __mocks__ mocks benchmarks
  bench samples
  wwwroot public assets locales translations i18n gen config`.split(/\s+/),
)
const testFolders = new Set(['test', 'tests', '__tests__', 'spec', 'specs', 'e2e', 'cypress'])

const testNames = [
  /[._-](test|tests|spec|e2e|cy)(-d)?\.[a-z]+$/i,
  /^(test|spec)_.*\.(py|rb|php)$/,
  /_(test|spec)\.(py|go|rb|exs?|dart)$/,
  /(Test|Tests|TestCase|IT|Spec)\.(java|kt|scala|php|cs|swift|groovy)$/,
  /^(conftest|test_helper|spec_helper|rails_helper)\.(py|rb)$/,
]

const unwrittenNames = [
  /\.d\.[cm]?ts$/,
  /\.(min|bundle|generated|gen|g|designer|pb|config|conf|stories|blade)\.[a-z]+$/i,
  /_pb2?(_grpc)?\.(py|rb)$/,
  /\.pb\.go$/,
  /^(setup|manage|noxfile|wsgi|asgi|package-info|module-info|AssemblyInfo|GlobalUsings|Gruntfile|gulpfile|build|gen|doc)\.[a-z]+$/,
]

const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)
const foldersOf = (path: string) => path.split('/').slice(0, -1)

/** Whether a file holds tests: what the analysis says, else what its name says. */
export function isTestFile(file: SourceFile): boolean {
  return (
    file.tags.includes('test') ||
    testNames.some((pattern) => pattern.test(nameOf(file.path))) ||
    foldersOf(file.path).some((folder) => testFolders.has(folder.toLowerCase()))
  )
}

/** Whether people of the project wrote this file by hand, and a test of it could make sense. */
export function isOwnSource(file: SourceFile): boolean {
  return (
    languageOf(file.path, file.language) !== undefined &&
    file.tags.length === 0 &&
    !isTestFile(file) &&
    !unwrittenNames.some((pattern) => pattern.test(nameOf(file.path))) &&
    !foldersOf(file.path).some((folder) => foreignFolders.has(folder.toLowerCase()) || folder.startsWith('.'))
  )
}

/** What a test's file name and its subject's have in common: `user-store` for `user-store.test.ts`. */
export function stemOf(path: string): string {
  return nameOf(path)
    .replace(/\.[A-Za-z]+$/, '')
    .replace(/[._-](test|tests|spec|e2e|cy)(-d)?$/i, '')
    .replace(/^(test|spec)_/, '')
    .replace(/(Tests?|TestCase|IT|Spec)$/, '')
    .toLowerCase()
}
