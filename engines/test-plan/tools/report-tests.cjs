// Node loads this file first in every process of a command that runs its tests in a way of its own, such as a build tool.
// A process that turns out to be a test runner gets the options with which it writes a report beside what it prints, and
// the files to which the run is restricted. All other processes stay as they are. Processes that a runner starts are part
// of the tests, such as a runner of a fixture, and are not changed either.
'use strict'

const fs = require('node:fs')
const path = require('node:path')

const folder = process.env.ASSAY_REPORTS
/** Returns the folder of reports to a reporter in this process, and hides it from the processes that the tests start. */
process[Symbol.for('assay.reports')] = () => {
  leaveChildrenAlone()
  return folder
}
const isNodeTest = process.execArgv.includes('--test')
if (folder && isNodeTest) adapt([], 1)
else if (folder && process.argv[1]) {
  const program = programOf(process.argv[1])
  const runner = runners().find(({ file }) => file.test(program))
  if (runner && runsTests(runner)) adapt(writesReport(runner) ? [] : runner.options, 2)
  if (!/(?:^|\/)node_modules\/(?:npm|pnpm|yarn|tap)\//.test(program)) copyTap()
}

function programOf(file) {
  try {
    return fs.realpathSync(file).replaceAll('\\', '/')
  } catch {
    return file.replaceAll('\\', '/')
  }
}

function leaveChildrenAlone() {
  delete process.env.ASSAY_REPORTS
  delete process.env.ASSAY_TESTS
  const others = (process.env.NODE_OPTIONS ?? '')
    .replace(/--require "?[^"]*report-tests\.cjs"?/, '')
    .replace(/--test-reporter="?[^"]*node-reporter\.mjs"? --test-reporter-destination=stdout/, '')
    .trim()
  if (others === '') delete process.env.NODE_OPTIONS
  else process.env.NODE_OPTIONS = others
}

/** Whether the arguments do not ask for something else, such as the list of files. */
function runsTests({ asides }) {
  const [first = '', ...more] = process.argv.slice(2)
  const aside = /^(?:-h|--help|--version|--list-files|--listTests|--showConfig|--clearCache|--init)$/
  return !asides?.includes(first) && ![first, ...more].some((word) => aside.test(word))
}

/** Whether the project has the runner write a report of its own, which another program may read. */
function writesReport({ writing }) {
  return writing?.test(process.argv.slice(2).join(' ')) ?? false
}

function runners() {
  const report = (name) => path.join(folder, `${name}-${process.pid}.json`)
  return [
    {
      file: /\/node_modules\/mocha\/bin\/_?mocha(?:\.c?js)?$/,
      asides: ['init'],
      writing: /(?:^|\s)(?:-R|--reporter)[ =]?(?:json|json-stream|xunit|tap)(?:\s|$)/i,
      options: [
        '--reporter',
        path.join(__dirname, 'mocha-reporter.cjs'),
        '--reporter-option',
        `output=${report('mocha')}`,
      ],
    },
    {
      file: /\/node_modules\/jest(?:-cli)?\/bin\/jest(?:\.js)?$/,
      writing: /(?:^|\s)--(?:json(?:\s|$)|outputFile)/,
      options: ['--json', `--outputFile=${report('jest')}`, '--testLocationInResults'],
    },
    {
      file: /\/node_modules\/vitest\/vitest\.mjs$/,
      asides: ['list', 'bench', 'init', 'complete'],
      writing: /--(?:reporter[ =](?:json|junit|tap|tap-flat)(?:\s|$)|outputFile)/,
      options: ['--reporter=default', '--reporter=json', `--outputFile.json=${report('vitest')}`],
    },
    {
      file: /\/node_modules\/jasmine\/bin\/jasmine(?:\.js)?$/,
      asides: ['init', 'examples', 'help', 'version', '-v', 'enumerate'],
      options: [`--reporter=${path.join(__dirname, 'jasmine-reporter.cjs')}`],
    },
    { file: /\/node_modules\/ava\/entrypoints\/cli\.mjs$/, asides: ['reset-cache', 'debug'], options: ['--tap'] },
    { file: /\/node_modules\/tape\/bin\/tape$/, options: [] },
  ]
}

/** @param start - the position of the first argument */
function adapt(options, start) {
  const args = process.argv.slice(start)
  const end = args.indexOf('--')
  const own = end === -1 ? args : args.slice(0, end)
  const only = process.env.ASSAY_TESTS ? JSON.parse(process.env.ASSAY_TESTS) : []
  const files = only.map((file) => path.relative(process.cwd(), file))
  const kept = files.length === 0 ? own : own.filter((word, at) => !isTarget(word, own[at - 1]))
  process.argv.splice(start, args.length, ...kept, ...options, ...files, ...(end === -1 ? [] : args.slice(end)))
  // A runner that starts itself again passes these arguments on.
  leaveChildrenAlone()
}

/** Whether a word names tests, and is not the value of the option before it. */
function isTarget(word, before = '') {
  if (word.startsWith('-')) return false
  if (
    /^(?:-r|-c|--(?:require|import|loader|config|package|file|opts|tsconfig|env|setup\w*|ignore|exclude))$/.test(before)
  )
    return false
  return word.includes('*') || fs.existsSync(word)
}

/** Copies what the process prints to a file, if that is TAP. */
function copyTap() {
  let file
  let isOther = false
  const copy = (chunk) => {
    if (isOther || (typeof chunk !== 'string' && !ArrayBuffer.isView(chunk))) return
    if (file === undefined) {
      const text =
        typeof chunk === 'string' ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString()
      if (text.trim() === '') return
      isOther = !/^\s*TAP version \d+/.test(text)
      if (isOther) return
      leaveChildrenAlone()
      file = fs.openSync(path.join(folder, `${process.pid}.tap`), 'a')
    }
    writeSync(file, chunk)
  }
  const { writeSync } = fs
  fs.writeSync = function (target, chunk, ...rest) {
    if (target === 1 && rest.length === 0) copy(chunk)
    return writeSync.call(fs, target, chunk, ...rest)
  }
  const original = Object.getOwnPropertyDescriptor(process, 'stdout')
  const seen = new WeakSet()
  Object.defineProperty(process, 'stdout', {
    configurable: true,
    enumerable: true,
    get() {
      const stream = original.get.call(process)
      if (!seen.has(stream)) {
        seen.add(stream)
        const { write } = stream
        stream.write = function (chunk, ...rest) {
          copy(chunk)
          return write.call(stream, chunk, ...rest)
        }
      }
      return stream
    },
  })
}
