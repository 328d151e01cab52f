import { parseIni } from '../../manifests/ini.ts'
import { parseToml } from '../../manifests/toml.ts'
import { table, text, texts } from '../../manifests/values.ts'
import type { Folder } from '../folder.ts'
import { readManifest } from '../folder.ts'

/** The settings of pytest that decide which tests it collects. */
export interface PytestSettings {
  /** Folders, files and globs, for a command without targets. */
  testPaths: string[]
  /** Patterns of names, or of paths if they have a slash. */
  pythonFiles: string[]
  options: string
}

/** Reads the first file with settings of pytest, in the order of pytest itself. Null if there is none. */
export async function readPytestSettings(folder: Folder): Promise<PytestSettings | null> {
  for (const path of ['pytest.toml', '.pytest.toml']) {
    const toml = await readManifest(folder, path, parseToml)
    if (toml) return settingsOf(table(toml.pytest))
  }
  for (const path of ['pytest.ini', '.pytest.ini']) {
    const sections = await readManifest(folder, path, parseIni)
    // An empty file counts as well.
    if (sections) return settingsOf(Object.fromEntries(sections.get('pytest') ?? []))
  }
  const tool = table((await readManifest(folder, 'pyproject.toml', parseToml))?.tool)
  if (Object.hasOwn(tool, 'pytest')) {
    const { ini_options: options, ...own } = table(tool.pytest)
    return settingsOf({ ...own, ...table(options) })
  }
  const sections = [
    (await readManifest(folder, 'tox.ini', parseIni))?.get('pytest'),
    (await readManifest(folder, 'setup.cfg', parseIni))?.get('tool:pytest'),
  ]
  const section = sections.find((one) => one !== undefined)
  return section ? settingsOf(Object.fromEntries(section)) : null
}

function settingsOf(settings: Readonly<Record<string, unknown>>): PytestSettings {
  return {
    testPaths: wordsOf(settings.testpaths),
    pythonFiles: wordsOf(settings.python_files),
    options: Array.isArray(settings.addopts) ? texts(settings.addopts).join(' ') : (text(settings.addopts) ?? ''),
  }
}

/** Lists of ini files are words, which may be in quotes. */
function wordsOf(value: unknown): string[] {
  if (Array.isArray(value)) return texts(value)
  const words = (text(value) ?? '').split(/[\s,]+/)
  return words.map((word) => word.replace(/^["']|["']$/g, '')).filter((word) => word !== '' && !word.startsWith('#'))
}
