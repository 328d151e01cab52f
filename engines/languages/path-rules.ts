import { readData } from './catalogue.ts'

/**
 * Linguist leaves these out of its statistics, for which a wrong guess costs little. Here a tag keeps code from being
 * suggested for tests, so names that a project's own code often bears do not count.
 */
const oftenOwnCode = new Set([
  '(?:^|\\/)cache\\/',
  '(?:^|\\/)env\\/',
  '(?:^|\\/)[Ee]xtern(?:als?)?\\/',
  '\\.d\\.ts$',
  '(?:^|\\/)effects\\.js$',
  '(?:^|\\/)controls\\.js$',
  '(?:^|\\/)dragdrop\\.js$',
  '(?:^|\\/)prototype(?:.*)\\.js$',
  '(?:^|\\/)fabfile\\.py$',
  '(?:^|\\/)Vagrantfile$',
  '(?:^|\\/)Jenkinsfile$',
  '(?:^|\\/)testdata\\/',
  '(?:^|\\/)[Tt]ests?\\/fixtures\\/',
  '(?:^|\\/)[Ss]pecs?\\/fixtures\\/',
  '(?:^|\\/)\\.github\\/',
  '(?:^|\\/)\\.vscode\\/',
  '(?:^|\\/)\\.gitattributes$',
  '(?:^|\\/)\\.gitignore$',
  '(?:^|\\/)\\.gitmodules$',
  '(?:^|\\/)\\.gitpod\\.Dockerfile$',
])

let rules: { vendored: RegExp[]; documentation: RegExp[] } | undefined

/** Code of others that is kept in the repository. */
export function isVendored(path: string): boolean {
  return loadRules().vendored.some((rule) => rule.test(path))
}

export function isDocumentation(path: string): boolean {
  return loadRules().documentation.some((rule) => rule.test(path))
}

/** The exceptions that linguist does not know any more; there should be none. */
export function unknownExceptions(): string[] {
  const { vendored } = readData('paths.json')
  return [...oftenOwnCode].filter((source) => !vendored.includes(source))
}

function loadRules() {
  if (!rules) {
    const { vendored, documentation } = readData('paths.json')
    rules = {
      vendored: merged(vendored.filter((source) => !oftenOwnCode.has(source))),
      documentation: merged(documentation),
    }
  }
  return rules
}

/** Most rules begin at a folder; as one expression they are tried there only, instead of one by one at each letter. */
function merged(sources: string[]): RegExp[] {
  const folder = '(?:^|\\/)'
  const atFolder = sources.filter((source) => source.startsWith(folder)).map((source) => source.slice(folder.length))
  const others = sources.filter((source) => !source.startsWith(folder))
  return [new RegExp(`${folder}(?:${atFolder.join('|')})`), ...others.map((source) => new RegExp(source))]
}
