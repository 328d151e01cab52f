// Measures coverage for Vitest where the project has neither @vitest/coverage-v8 nor -istanbul. Vitest loads this module
// in its main process and in each worker. Code that runs in a browser is not measured.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import inspector from 'node:inspector'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { threadId } from 'node:worker_threads'
import { writeLcov } from './v8-lcov.mjs'

/** The variable by which workers learn of the folder for their measurements. */
const folder = 'ASSAY_V8_COVERAGE'
const ownCode = /^(?:file:\/\/|\/|[A-Z]:)(?!.*[/\\]node_modules[/\\])/
const inlineMap = /^data:application\/json[^,]*;base64,/

/** Shared by all copies of this module: Vitest may load it anew for each call. */
const state = (inspector[Symbol.for('assay.coverage')] ??= { session: undefined, count: 0 })

export default {
  startCoverage: () => quietly(start),
  takeCoverage: () => quietly(take),
  async stopCoverage() {
    state.session?.disconnect()
    state.session = undefined
  },
  getProvider: () => new Provider(),
}

async function start() {
  if (state.session || !process.env[folder]) return
  state.session = new inspector.Session()
  state.session.connect()
  await ask('Profiler.enable')
  await ask('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
}

async function take() {
  if (!state.session) return
  const { result } = await ask('Profiler.takePreciseCoverage')
  const own = result.filter(({ url }) => ownCode.test(url))
  if (own.length === 0) return
  const maps = await mapsOf(new Set(own.map(({ scriptId }) => scriptId)))
  const scripts = own.map(({ url, functions, scriptId }) => ({
    url,
    functions: functions.map(({ functionName, ranges, isBlockCoverage }) => ({
      functionName,
      ranges,
      isBlockCoverage,
    })),
    mapFile: maps.get(scriptId),
  }))
  writeFileSync(
    join(process.env[folder], `${process.pid}-${threadId}-${state.count++}.json`),
    JSON.stringify({ result: scripts }),
  )
}

/** The tests end as they do without coverage. */
async function quietly(measure) {
  try {
    await measure()
  } catch (error) {
    process.stderr.write(`# No coverage: ${error.message}\n`)
  }
}

/** Keeps the source maps of scripts in files, one for all workers that run the same code. */
async function mapsOf(wanted) {
  const scripts = []
  const onScript = ({ params }) => {
    if (wanted.has(params.scriptId) && inlineMap.test(params.sourceMapURL)) scripts.push(params)
  }
  state.session.on('Debugger.scriptParsed', onScript)
  await ask('Debugger.enable')
  state.session.off('Debugger.scriptParsed', onScript)
  const files = new Map()
  for (const { scriptId, sourceMapURL } of scripts) {
    const { scriptSource } = await ask('Debugger.getScriptSource', { scriptId })
    files.set(scriptId, keepMap(scriptSource, sourceMapURL))
  }
  await ask('Debugger.disable')
  return files
}

function keepMap(source, address) {
  const maps = join(process.env[folder], 'maps')
  const file = join(maps, createHash('sha256').update(source).digest('hex'))
  if (existsSync(file)) return file
  mkdirSync(maps, { recursive: true })
  const data = JSON.parse(Buffer.from(address.slice(address.indexOf(',') + 1), 'base64').toString('utf8'))
  const lineLengths = source.split('\n').map((line) => line.length)
  // Vitest puts the code into a function, whose beginning the map does not know.
  const prefixLength = /^'use strict';async \([^)]*\)=>\{\{/.exec(source)?.[0].length ?? 0
  const part = `${file}.${process.pid}-${threadId}`
  writeFileSync(part, JSON.stringify({ data, lineLengths, prefixLength }))
  renameSync(part, file)
  return file
}

function ask(method, parameters) {
  return new Promise((resolve, reject) => {
    state.session.post(method, parameters, (error, result) => (error ? reject(error) : resolve(result)))
  })
}

class Provider {
  name = 'assay'

  initialize(context) {
    this.options = context._coverageOptions ?? context.config.coverage
    // From 5.1.1 on, Vitest keeps the source maps out of the code unless it believes that a debugger reads them.
    if (context.config.inspector) context.config.inspector.openInMainProcess = true
    this.directory = mkdtempSync(join(tmpdir(), 'assay-v8-'))
    process.env[folder] = this.directory
  }

  resolveOptions() {
    return this.options
  }

  clean() {}
  onAfterSuiteRun() {}
  generateCoverage() {}

  reportCoverage() {
    try {
      const notes = writeLcov(this.directory, process.env.ASSAY_ROOT, process.env.ASSAY_LCOV)
      for (const note of notes.slice(0, 10)) process.stderr.write(`# Coverage: ${note}.\n`)
    } catch (error) {
      process.stderr.write(`# No coverage: ${error.message}\n`)
    }
    rmSync(this.directory, { recursive: true, force: true })
  }
}
