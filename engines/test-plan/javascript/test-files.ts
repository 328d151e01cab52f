import { parseJson } from '../../manifests/npm.ts'
import { UnreadableManifest } from '../../manifests/manifest.ts'
import { list, type Table, table, text, texts } from '../../manifests/values.ts'
import { readYaml } from '../../manifests/yaml.ts'
import type { TestPlan } from '../ecosystem.ts'
import type { Folder } from '../folder.ts'
import { globsOfTargets, globsWithin, knownGlobs } from '../test-globs.ts'

const scripts = '{js,jsx,ts,tsx,mjs,mts,cjs,cts}'
const ofNode = '{js,cjs,mjs,ts,cts,mts}'
const installed = '!**/node_modules/**'

/** The files that each runner collects by default. */
const usual = {
  vitest: [`**/*.{test,spec}.${scripts}`, installed],
  jest: [`**/__tests__/**/*.${scripts}`, `**/*.{test,spec}.${scripts}`, `**/{test,spec}.${scripts}`, installed],
  nodeTest: [
    `**/*{.,-,_}test.${ofNode}`,
    `**/test-*.${ofNode}`,
    `**/test.${ofNode}`,
    `**/test/**/*.${ofNode}`,
    installed,
  ],
  ava: [
    '{test,src/test,source/test}.{js,cjs,mjs}',
    '**/test-*.{js,cjs,mjs}',
    '**/*.{spec,test}.{js,cjs,mjs}',
    '**/{test,tests,__tests__}/**/*.{js,cjs,mjs}',
    '!**/{test,tests,__tests__}/**/{helper,helpers,fixture,fixtures,__helper__,__helpers__,__fixture__,__fixtures__}/**',
    '!**/_*',
    installed,
  ],
  tap: [
    `{tap,test,tests}.${scripts}`,
    `**/*.{test,tests,spec}.${scripts}`,
    `**/{test,tests,__tests__}/**/*.${scripts}`,
    installed,
  ],
}

/** Finds the globs of the files that a command collects; undefined if the settings do not show them. */
export async function collectedByJavascript(folder: Folder, plan: TestPlan): Promise<string[] | undefined> {
  const { framework, test, targetCount } = plan
  const words = test.argv.slice(0, test.argv.length - (targetCount ?? 0))
  const targets = targetCount ? test.argv.slice(-targetCount) : []
  if (framework === 'vitest') return globsWithin(await ofVitest(folder, words), targets, folder)
  if (framework === 'jest') return globsWithin(await ofJest(folder, words), targets, folder)
  if (framework === 'mocha') return ofMocha(folder, words, targets)
  if (framework === 'ava') return ofAva(folder, words, targets)
  if (framework === 'tape') return targets.length > 0 ? knownGlobs(globsOfTargets(targets, folder, [])) : undefined
  if (framework === 'tap' || framework === 'node:test' || framework === 'borp') {
    const below = framework === 'tap' ? usual.tap : usual.nodeTest
    // Of a folder that the command names, Node takes all files.
    return knownGlobs(targets.length > 0 ? globsOfTargets(targets, folder, [`**/*.${ofNode}`]) : below)
  }
  return undefined
}

/** The parser takes a second for a megabyte of nonsense. */
const maxYamlLength = 65_536

const elsewhere = /^(?:-c|--config|--root|-r|--rootDir|--dir|--project|--projects|--selectProjects|--workspace)(?:=|$)/

async function ofVitest(folder: Folder, words: readonly string[]): Promise<readonly string[] | undefined> {
  if (words.some((word) => elsewhere.test(word))) return undefined
  if (folder.paths.some((path) => /^vitest\.(?:workspace|projects)\./.test(path))) return undefined
  const path = ['vitest', 'vite'].flatMap((name) =>
    folder.paths.filter((file) => file.startsWith(`${name}.config.`)),
  )[0]
  const source = path === undefined ? '' : ((await folder.read(path)) ?? '')
  // The settings of coverage have lists of the same name.
  const code = withoutBlocks(source, 'coverage', 'typecheck', 'benchmark', 'optimizeDeps', 'deps', 'server', 'build')
  if (/\b(?:projects|workspace|root|dir|mergeConfig)\b|\.\.\.\w/.test(withoutComments(code))) return undefined
  return fromConfiguration(code, 'include', usual.vitest)
}

async function ofJest(folder: Folder, words: readonly string[]): Promise<readonly string[] | undefined> {
  if (words.some((word) => elsewhere.test(word) || /^--(?:testMatch|testRegex|roots)(?:=|$)/.test(word)))
    return undefined
  const path = folder.paths.find((file) => /^jest\.config\.\w+$/.test(file))
  const settings = await settingOf(folder, 'jest', path?.endsWith('.json') ? path : undefined)
  if (settings) {
    if (['testRegex', 'roots', 'rootDir', 'projects', 'preset'].some((name) => Object.hasOwn(settings, name)))
      return undefined
    return Object.hasOwn(settings, 'testMatch') ? globsOf(settings.testMatch) : usual.jest
  }
  const source = path === undefined ? '' : ((await folder.read(path)) ?? '')
  if (/\b(?:testRegex|roots|rootDir|projects|preset)\b|\.\.\.\w/.test(withoutComments(source))) return undefined
  return fromConfiguration(source, 'testMatch', usual.jest)
}

async function ofMocha(folder: Folder, words: readonly string[], targets: readonly string[]) {
  const path = ['.mocharc.json', '.mocharc.jsonc', '.mocharc.yml', '.mocharc.yaml'].find((name) => folder.has(name))
  const isCode = ['.mocharc.js', '.mocharc.cjs', '.mocharc.mjs', 'test/mocha.opts'].some((name) => folder.has(name))
  if (isCode || words.some((word) => /^(?:--config|--package|--opts)(?:=|$)/.test(word))) return undefined
  const settings = (await settingOf(folder, 'mocha', path)) ?? {}
  if (settings.extends !== undefined) return undefined
  const option = (name: RegExp) =>
    words.flatMap((word, at) => {
      const [, value] = name.exec(word) ?? []
      return value === undefined ? [] : [value === '' ? (words[at + 1] ?? '') : value.slice(1)]
    })
  const all = [...targets, ...option(/^--spec(=.*|)$/s), ...textsOf(settings.spec)]
  const extensions = [...option(/^--ext(?:ension)?(=.*|)$/s), ...textsOf(settings.extension)]
    .flatMap((list) => list.split(','))
    .map((name) => name.replace(/^\./, ''))
  const ending = extensions.length > 0 ? `{${[...extensions, ''].join(',')}}`.replace(',}', '}') : '{js,cjs,mjs}'
  const isRecursive = words.includes('--recursive') || ['true', true].includes(settings.recursive as string | boolean)
  const file = ending.includes(',') ? `*.${ending}` : `*.${ending.slice(1, -1)}`
  return knownGlobs(globsOfTargets(all.length > 0 ? all : ['test'], folder, [isRecursive ? `**/${file}` : file]))
}

async function ofAva(folder: Folder, words: readonly string[], targets: readonly string[]) {
  if (folder.paths.some((path) => /^ava\.config\.\w+$/.test(path)) || words.some((word) => elsewhere.test(word)))
    return undefined
  const settings = (await settingOf(folder, 'ava')) ?? {}
  const extensions = [...textsOf(settings.extensions), ...Object.keys(table(settings.extensions))]
  const own = Object.hasOwn(settings, 'files') ? globsOf(settings.files) : usual.ava
  const adapted =
    extensions.length === 0
      ? own
      : own?.map((glob) => glob.replace(/\.\{js,cjs,mjs\}$/, `.{${['js', ...extensions].join(',')}}`))
  return globsWithin(adapted, targets, folder)
}

const globsOf = (value: unknown) => knownGlobs(textsOf(value))
const textsOf = (value: unknown): string[] => (Array.isArray(value) ? texts(list(value)) : [text(value) ?? []].flat())

/** Reads the settings of a tool from a file of its own, or from package.json. */
async function settingOf(folder: Folder, name: string, path?: string): Promise<Table | undefined> {
  const source = await folder.read(path ?? 'package.json')
  if (source === null) return undefined
  const content = /\.ya?ml$/.test(path ?? '') ? yamlOf(source) : jsonOf(source)
  if (path !== undefined) return content
  return content && Object.hasOwn(content, name) ? table(content[name]) : undefined
}

/** Returns undefined for a broken file, which the tool itself reports. */
function jsonOf(source: string): Table | undefined {
  try {
    return table(parseJson(source))
  } catch (error) {
    if (error instanceof UnreadableManifest || error instanceof RangeError) return undefined
    throw error
  }
}

function yamlOf(source: string): Table | undefined {
  try {
    return source.length > maxYamlLength ? undefined : table(readYaml(source))
  } catch {
    return undefined
  }
}

/** Returns the list of literals of a setting, the usual list if the file does not have it, undefined if it is unclear. */
function fromConfiguration(
  source: string,
  setting: string,
  usualList: readonly string[],
): readonly string[] | undefined {
  const code = withoutComments(source)
  const uses = [...code.matchAll(new RegExp(String.raw`(?<![\w.$])['"]?${setting}['"]?\s*:\s*(\[[^\]]*\])?`, 'g'))]
  const named = code.match(new RegExp(String.raw`(?<![\w$])${setting}(?![\w$])`, 'g'))?.length ?? 0
  if (named === 0) return usualList
  const literals = uses[0]?.[1]?.match(/'[^'\\\n]*'|"[^"\\\n]*"/g)
  const rest = uses[0]?.[1]?.replace(/'[^'\\\n]*'|"[^"\\\n]*"/g, '').replace(/[\s,]/g, '')
  if (named > 1 || literals == null || rest !== '[]') return undefined
  return knownGlobs(literals.map((literal) => literal.slice(1, -1)))
}

/** Removes the values of settings whose value is an object. */
function withoutBlocks(source: string, ...names: string[]): string {
  let code = source.slice(0, 100_000)
  for (const name of names) {
    const [opening] = new RegExp(String.raw`(?<![\w.$])${name}\s*:\s*\{`).exec(code) ?? []
    if (opening === undefined) continue
    const start = code.indexOf(opening)
    let depth = 0
    let end = start + opening.length - 1
    for (; end < code.length; end++) {
      if (code[end] === '{') depth++
      else if (code[end] === '}' && --depth === 0) break
    }
    code = code.slice(0, start) + code.slice(end + 1)
  }
  return code
}

const withoutComments = (source: string) => source.slice(0, 100_000).replace(/(?:^|\s)\/\/.*$/gm, '')
