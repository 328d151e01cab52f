// Compiles the tests of Go packages once, with all mutants. Those that do not compile are taken out.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { endGroup } from './groups.mjs'
import { stopAt, wanted } from './host.mjs'
import { report, short } from './shared.mjs'

const maxRounds = 12
/** Flags of tests that Assay sets itself, or that would write files. */
const own =
  /^-test\.(?:run|v|list|timeout|count|failfast|json|bench\w*|fuzz\w*|.*profile\w*|outputdir|testlogfile|trace|gocoverdir|shuffle)\b/

/** What opens ports, and writes files. */
const shared =
  /\b(?:Listen\w*|os\.(?:Create|OpenFile|WriteFile|Mkdir|MkdirAll|Rename)|ioutil\.WriteFile|exec\.Command)\(/

/**
 * @param command - the words of the test command
 * @returns the programs that were compiled, with the folder to start them in
 */
export async function compileTests(command, folder) {
  const binaries = join(folder, 'tests')
  mkdirSync(binaries)
  // Instead of running the tests, Go gives them to this script.
  const keep = join(folder, 'keep.sh')
  writeFileSync(
    keep,
    'to="$ASSAY_BINARIES/$$"\nln "$1" "$to.test" 2>/dev/null || cp "$1" "$to.test" || exit 1\n{ printf \'%s\\0\' "$PWD" "$@"; } >"$to.words"\n',
  )
  const words = withOptions(command, ['-exec', `sh ${keep}`, '-count=1', '-vet=off', '-gcflags=-e'])
  const broken = new Set()
  let errors = ''
  for (let round = 0; round < maxRounds && Date.now() < stopAt; round++) {
    errors = await build(words, binaries)
    const isMended = takeOut(errors, broken)
    if (!isMended) break
  }
  const found = readdirSync(binaries).filter((name) => name.endsWith('.words'))
  if (found.length === 0 && Date.now() < stopAt)
    throw new Error(`Go did not compile the tests. ${short(errors.trim())}`)
  const failed = [...errors.matchAll(/^FAIL\s+(\S+) \[(?:build|setup) failed\]/gm)].map(([, name]) => name)
  if (failed.length > 0)
    report({ kind: 'error', message: `Go did not compile the tests of ${failed.slice(0, 5).join(', ')}.` })
  return found.map((name) => describe(binaries, name.slice(0, -'.words'.length)))
}

/** Puts options behind `go test`, and takes out those that do not go with them. */
function withOptions(command, options) {
  const at = command.findIndex((word, index) => word === 'test' && /(?:^|\/)go$/.test(command[index - 1] ?? '')) + 1
  if (at === 0) throw new Error('The command has no `go test`.')
  const valued = /^--?(?:exec|gcflags|vet|count|coverprofile|coverpkg|covermode|timeout)$/
  const dropped =
    /^--?(?:json|v|cover|failfast|(?:exec|gcflags|vet|count|coverprofile|coverpkg|covermode|timeout|v|json)=.*)$/
  const kept = command
    .slice(at)
    .filter((word, index, all) => !dropped.test(word) && !valued.test(word) && !valued.test(all[index - 1] ?? ''))
  return [...command.slice(0, at), ...options, ...kept]
}

/** Returns what Go says of packages that it cannot compile. */
function build([program, ...words], binaries) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, {
      env: { ...process.env, ASSAY_BINARIES: binaries },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    const limit = setTimeout(() => endGroup(child.pid), Math.max(1, stopAt - Date.now()))
    let output = ''
    const take = (chunk) => (output += output.length < 20_000_000 ? chunk : '')
    child.stdout.setEncoding('utf8').on('data', take)
    child.stderr.setEncoding('utf8').on('data', take)
    child.once('error', reject)
    child.once('close', () => {
      clearTimeout(limit)
      resolve(output)
    })
  })
}

/** Takes the mutants out that the compiler refuses, or all of a package. Returns whether anything was taken out. */
function takeOut(errors, broken) {
  const ids = new Set([...errors.matchAll(/\bassay-mutant-(\d+)\.go:\d+/g)].map(([, id]) => Number(id)))
  const refused = wanted.filter(({ id }) => ids.has(id) && !broken.has(id))
  // The compiler refuses more than the bodies of mutants, such as their place.
  const again = wanted.filter(({ id }) => ids.has(id) && broken.has(id)).map(({ path }) => dirname(path))
  const folders = new Set(again)
  if (refused.length === 0 && again.length === 0) {
    for (const [, path] of errors.matchAll(/^(?:vet: )?([^\s:]+\.go):\d+/gm)) folders.add(dirname(path))
  }
  for (const [path, own] of Map.groupBy(refused, (one) => one.path)) change(path, (text) => own.reduce(without, text))
  const restored = wanted.filter(({ path }) => folders.has(dirname(path)) || folders.has(`./${dirname(path)}`))
  let isChanged = refused.length > 0
  for (const path of new Set(restored.map((one) => one.path))) isChanged = change(path, original) || isChanged
  for (const one of [...refused, ...restored]) {
    if (!one.isDone) report({ kind: 'decided', id: one.id, outcome: 'invalid' })
    broken.add(one.id)
    one.isDone = true
  }
  return isChanged
}

/** Changes a source. Returns whether that made a difference. */
function change(path, edit) {
  const file = join(process.env.ASSAY_ROOT ?? '.', path)
  const before = readFileSync(file, 'utf8')
  const after = edit(before)
  writeFileSync(file, after)
  return after !== before
}

/** The source without the body of a mutant. */
function without(text, { id }) {
  const from = text.indexOf('/*assay-body*/', text.indexOf(`/*line assay-mutant-${id}.go:1:1*/`))
  const to = text.indexOf('/*assay-end*/', from)
  return from < 0 || to < 0 ? text : `${text.slice(0, from)}/*assay-body*/{panic("")}${text.slice(to)}`
}

/** The source without anything that Assay added. */
function original(text) {
  const end = text.indexOf('\n//assay-copies\n')
  if (end < 0) return text
  const closing = '/*assay-*/'
  const [first, ...others] = text.slice(0, end).split('/*assay+*/')
  return [first, ...others.map((added) => added.slice(added.indexOf(closing) + closing.length))].join('')
}

function describe(binaries, id) {
  const [cwd, , ...given] = readFileSync(join(binaries, `${id}.words`), 'utf8')
    .split('\0')
    .slice(0, -1)
  const run = given.find((flag) => flag.startsWith('-test.run='))?.slice('-test.run='.length)
  const folder = resolve(cwd)
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.go')) : []
  return {
    id,
    program: join(binaries, `${id}.test`),
    cwd: folder,
    flags: given.filter((flag) => !own.test(flag)),
    /** Only whole tests are tried, also if the command chooses some of their parts. */
    pattern: run?.split('/')[0] || '.*',
    testFiles: files.filter((name) => name.endsWith('_test.go')),
    /** Go itself never runs the tests of a package in two processes, which could want the same file or port. */
    isAlone: files.some((name) => shared.test(readFileSync(join(folder, name), 'utf8'))),
    tests: [],
  }
}
