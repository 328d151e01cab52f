// Prints the specs as they end, and writes a report in JUnit's format: jasmine itself writes none.
'use strict'

const fs = require('node:fs')
const path = require('node:path')

module.exports = class AssayReporter {
  constructor() {
    this.suites = []
    this.cases = []
    const folder = process[Symbol.for('assay.reports')]?.()
    this.output = process.env.ASSAY_JUNIT ?? (folder && path.join(folder, `jasmine-${process.pid}.xml`))
  }

  suiteStarted({ description }) {
    this.suites.push(description)
  }

  suiteDone(result) {
    this.suites.pop()
    // Errors of hooks and outside of specs belong to the suite.
    if (result.failedExpectations?.length > 0) this.add(result, 'failed')
  }

  specDone(result) {
    const mark = result.status === 'passed' ? '✓' : result.status === 'failed' ? '✗' : '-'
    process.stdout.write(`${mark} ${[...this.suites, result.description].join(' ')}\n`)
    for (const { stack, message } of result.failedExpectations ?? []) process.stdout.write(`${stack ?? message}\n`)
    this.add(result, result.status)
  }

  jasmineDone(result) {
    if (result.failedExpectations?.length > 0) this.add({ ...result, description: 'errors outside of tests' }, 'failed')
    process.stdout.write(`${this.cases.length} specs, ${result.overallStatus}\n`)
    if (!this.output) return
    fs.mkdirSync(path.dirname(this.output), { recursive: true })
    fs.writeFileSync(
      this.output,
      `<testsuites><testsuite name="jasmine">${this.cases.join('')}</testsuite></testsuites>\n`,
    )
  }

  add({ description, filename, duration, failedExpectations = [], pendingReason }, status) {
    const attributes = [
      ['classname', this.suites.join(' > ')],
      ['name', description],
      ...(filename ? [['file', path.relative(process.cwd(), filename)]] : []),
      ['time', String((duration ?? 0) / 1_000)],
    ]
    const [failure] = failedExpectations
    const inner =
      status === 'failed'
        ? `<failure message="${escaped(failure?.message ?? '')}">${escaped(failure?.stack ?? '')}</failure>`
        : status === 'passed'
          ? ''
          : `<skipped message="${escaped(pendingReason ?? status)}"/>`
    this.cases.push(
      `<testcase ${attributes.map(([name, value]) => `${name}="${escaped(value)}"`).join(' ')}>${inner}</testcase>`,
    )
  }
}

function escaped(text) {
  return String(text)
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD]/g, '?')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
