import { parseIni } from './ini.ts'
import type { ManifestFacts } from './manifest.ts'
import { kindOfGroup, parseRequirements } from './requirements.ts'
import { text } from './values.ts'

export function parseSetupCfg(source: string): ManifestFacts {
  const sections = parseIni(source)
  const options = sections.get('options')
  const extras = [...(sections.get('options.extras_require') ?? [])]
  return {
    name: text(sections.get('metadata')?.get('name')),
    version: literalVersion(sections.get('metadata')?.get('version')),
    dependencies: [
      ...parseRequirements(lines(options?.get('install_requires')), 'runtime'),
      ...parseRequirements(lines(options?.get('tests_require')), 'test'),
      ...extras.flatMap(([name, value]) => parseRequirements(lines(value), kindOfGroup(name))),
    ],
    settings: [...sections.keys()].filter((name) => !/^(?:metadata|options)/.test(name)),
  }
}

/** tox.ini installs what tests need, and may hold pytest's settings. */
export function parseToxIni(source: string): ManifestFacts {
  const sections = parseIni(source)
  return {
    dependencies: [...sections].flatMap(([name, section]) =>
      // A requirement may be for some environments only: `py311: pytest`.
      name.startsWith('testenv')
        ? parseRequirements(
            lines(section.get('deps')).map((line) => line.replace(/^[\w,{}!-]+:\s*/, '')),
            'test',
          )
        : [],
    ),
    settings: [...sections.keys()].filter((name) => !name.startsWith('testenv')),
  }
}

/** The program is never run: names, versions and lists are read where they are written out. */
export function parseSetupPy(source: string): ManifestFacts {
  const code = source.replace(/^[ \t]*#.*$/gm, '')
  const argument = (name: string) =>
    text(new RegExp(`\\b${name}\\s*=\\s*[rbu]?["']([^"'\\n]{1,200})["']`).exec(code)?.[1])
  const version = argument('version')
  return {
    name: argument('name'),
    version,
    dependencies: [
      ...parseRequirements(literalList(code, /\binstall_requires\s*=\s*\[/), 'runtime'),
      ...parseRequirements(literalList(code, /\btests_require\s*=\s*\[/), 'test'),
      ...parseRequirements(literalList(code, /\bsetup_requires\s*=\s*\[/), 'build'),
    ],
  }
}

function literalList(code: string, start: RegExp): string[] {
  const match = start.exec(code)
  if (!match) return []
  const from = match.index + match[0].length
  const items = /"([^"\n]{1,200})"|'([^'\n]{1,200})'|(\])/g
  const body = code.slice(from, from + 20_000)
  const found: string[] = []
  for (let item = items.exec(body); item && !item[3]; item = items.exec(body)) found.push(item[1] ?? item[2] ?? '')
  return found
}

function lines(value: string | undefined): string[] {
  return value?.split('\n') ?? []
}

/** `attr: package.__version__` and `file: VERSION` point elsewhere. */
function literalVersion(value: string | undefined): string | undefined {
  return value && /^\d/.test(value) ? text(value) : undefined
}
