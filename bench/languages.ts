/**
 * Counts how many of linguist's samples are detected as the language of their folder, and the time with the files in
 * memory. `--misses` lists the others.
 *
 *   node bench/languages.ts <a checkout of github-linguist/linguist, or a bare repository of it> [--misses]
 *
 * Linguist's rules and Assay's (`own-rules.ts`) were tuned on the same samples, so the figure says nothing about unseen
 * code.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative, sep } from 'node:path'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import { z } from 'zod'
import { detectLanguage } from '../engines/languages/detect.ts'
import { median, printTable } from './report.ts'

const lists = ['lib/linguist/popular.yml', 'lib/linguist/languages.yml']
const run = promisify(execFile)
const source = process.argv[2]
if (!source) throw new Error('usage: node bench/languages.ts <checkout or bare repository of linguist>')

const extracted = await mkdtemp(join(tmpdir(), 'linguist-samples-'))
try {
  await measure((await isCheckout(source)) ? source : await extract(source, extracted))
} finally {
  await rm(extracted, { recursive: true })
}

interface Sample {
  path: string
  content: Buffer
  language: string
}

async function measure(checkout: string): Promise<void> {
  const popular = new Set(
    z.array(z.string()).parse(parse(await readFile(join(checkout, 'lib/linguist/popular.yml'), 'utf8'))),
  )
  const samples = await readSamples(join(checkout, 'samples'), await folderNames(checkout))
  const cold = pass(samples)
  const warm = median(Array.from({ length: 5 }, () => pass(samples).ms))
  const sets = [
    ['all', samples],
    ['popular', samples.filter(({ language }) => popular.has(language))],
  ] as const
  printTable(
    ['samples', 'files', 'right', 'accuracy', 'ms, first pass', 'ms, median of 5'],
    sets.map(([name, chosen]) => {
      const right = chosen.filter((sample) => cold.answers.get(sample) === sample.language).length
      const times = name === 'all' ? [cold.ms.toFixed(0), warm.toFixed(0)] : ['', '']
      return [name, chosen.length, right, `${((100 * right) / chosen.length).toFixed(2)} %`, ...times]
    }),
  )
  if (process.argv.includes('--misses')) {
    for (const sample of samples) {
      const answer = cold.answers.get(sample)
      if (answer !== sample.language) console.log(`${sample.language} -> ${answer}: ${sample.path}`)
    }
  }
}

function pass(samples: Sample[]): { answers: Map<Sample, string>; ms: number } {
  const started = performance.now()
  const answers = new Map(samples.map((sample) => [sample, detectLanguage(sample.path, sample.content)]))
  return { answers, ms: performance.now() - started }
}

/** `samples/<language>/<file>` and `samples/<language>/filenames/<file>`. */
async function readSamples(folder: string, names: Map<string, string>): Promise<Sample[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const samples = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async (entry) => {
        const [named = '', ...rest] = relative(folder, join(entry.parentPath, entry.name)).split(sep)
        const content = await readFile(join(entry.parentPath, entry.name))
        return { path: rest.at(-1) ?? '', content, language: names.get(named) ?? named }
      }),
  )
  return samples.filter(({ path }) => path !== '').toSorted((a, b) => (a.path < b.path ? -1 : 1))
}

/** Languages whose name is not a valid folder name: `F*` is in `Fstar`. */
async function folderNames(checkout: string): Promise<Map<string, string>> {
  const Languages = z.record(z.string(), z.object({ fs_name: z.string().optional() }))
  const languages = Languages.parse(parse(await readFile(join(checkout, 'lib/linguist/languages.yml'), 'utf8')))
  return new Map(Object.entries(languages).flatMap(([name, { fs_name }]) => (fs_name ? [[fs_name, name]] : [])))
}

async function isCheckout(folder: string): Promise<boolean> {
  return (await readdir(folder)).includes('samples')
}

async function extract(repository: string, folder: string): Promise<string> {
  const archive = join(folder, 'samples.tar')
  await run('git', ['-C', repository, 'archive', '-o', archive, 'HEAD', 'samples', ...lists])
  await run('tar', ['-xf', archive, '-C', folder])
  return folder
}
