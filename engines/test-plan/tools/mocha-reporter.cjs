// Shows what mocha's own reporter shows, and writes a JSON report beside it: mocha itself takes one reporter only.
'use strict'

const fs = require('node:fs')
const path = require('node:path')

const places = [process.cwd(), path.dirname(fs.realpathSync(process.argv[1] || '.'))]
const mocha = require(require.resolve('mocha', { paths: places }))
const { Spec } = (mocha.default ?? mocha).reporters

module.exports = class AssayReporter extends Spec {
  constructor(runner, options) {
    super(runner, options)
    const output = options.reporterOption?.output ?? options.reporterOptions?.output
    const lists = { tests: [], passes: [], failures: [], pending: [] }
    runner.on('test end', (test) => lists.tests.push(test))
    runner.on('pass', (test) => lists.passes.push(test))
    runner.on('fail', (test) => lists.failures.push(test))
    runner.on('pending', (test) => lists.pending.push(test))
    runner.once('end', () => {
      const report = { stats: this.stats }
      for (const [name, tests] of Object.entries(lists)) report[name] = tests.map(described)
      // A hook that fails is no test, but it is what failed.
      report.tests.push(...lists.failures.filter((test) => !lists.tests.includes(test)).map(described))
      fs.mkdirSync(path.dirname(output), { recursive: true })
      fs.writeFileSync(output, JSON.stringify(report))
    })
  }
}

function described(test) {
  const retry = typeof test.currentRetry === 'function' ? test.currentRetry() : 0
  return {
    title: test.title,
    fullTitle: test.fullTitle(),
    titlePath: typeof test.titlePath === 'function' ? test.titlePath() : [test.title],
    file: test.file ?? test.parent?.file,
    duration: test.duration,
    currentRetry: retry,
    ...(test.speed && { speed: test.speed }),
    err: errorOf(test.err),
  }
}

function errorOf(error) {
  if (!error) return {}
  const plain = {
    message: String(error.message ?? error),
    stack: error.stack === undefined ? undefined : String(error.stack),
  }
  if (error.name) plain.name = String(error.name)
  if (error.code !== undefined) plain.code = String(error.code)
  for (const side of ['actual', 'expected']) {
    if (error[side] !== undefined) plain[side] = typeof error[side] === 'string' ? error[side] : shortened(error[side])
  }
  return plain
}

function shortened(value) {
  try {
    return (JSON.stringify(value) ?? String(value)).slice(0, 4000)
  } catch {
    return '(cannot be shown)'
  }
}
