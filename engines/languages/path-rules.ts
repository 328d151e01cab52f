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

interface PathRules {
  /** Rules for any part of a path. */
  anywhere: RegExp[]
  /** Rules with a gap, such as `select2/….js`, whose time is not linear. */
  atEnd: RegExp[]
}

/** Rules with a gap read this much of the end of a path. */
const maxEnd = 200

let rules: { vendored: PathRules; documentation: PathRules } | undefined

/** Code of others that is kept in the repository. */
export function isVendored(path: string): boolean {
  return matches(loadRules().vendored, path)
}

export function isDocumentation(path: string): boolean {
  return matches(loadRules().documentation, path)
}

function matches({ anywhere, atEnd }: PathRules, path: string): boolean {
  if (anywhere.some((rule) => rule.test(path))) return true
  const end = path.length > maxEnd ? path.slice(path.indexOf('/', path.length - maxEnd) + 1 || -maxEnd) : path
  return atEnd.some((rule) => rule.test(end))
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
      vendored: compiled(vendored.filter((source) => !oftenOwnCode.has(source))),
      documentation: compiled(documentation),
    }
  }
  return rules
}

function compiled(sources: string[]): PathRules {
  const hasGap = (source: string) => /[.\]][*+]/.test(source)
  return {
    anywhere: merged(sources.filter((source) => !hasGap(source))),
    // The digits of a version match in one way only, where linguist's rule tries the cube of their number.
    atEnd: merged(sources.filter(hasGap).map((source) => source.replace('\\d+\\.\\d+.\\d+', '\\d\\.\\d{1,2}.\\d'))),
  }
}

/** Most rules begin at a folder; as one expression they are tried there only, instead of one by one at each letter. */
function merged(sources: string[]): RegExp[] {
  const folder = '(?:^|\\/)'
  const atFolder = sources.filter((source) => source.startsWith(folder)).map((source) => source.slice(folder.length))
  const others = sources.filter((source) => !source.startsWith(folder))
  // Without alternatives, the expression would match every path.
  const first = atFolder.length > 0 ? [new RegExp(`${folder}(?:${atFolder.join('|')})`)] : []
  return [...first, ...others.map((source) => new RegExp(source))]
}
