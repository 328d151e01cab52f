// A process that runs test files of Jest, one after the other.
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beginFile } from './jest-file.mjs'
import { report, short } from './shared.mjs'

/** Jest keeps something of each file. */
const largeHeap = 1_000_000_000
const runtime = fileURLToPath(new URL('jest-runtime.cjs', import.meta.url))
const send = process.send.bind(process)
// Jest would send the result of each test.
process.send = () => true
delete process.env.ASSAY_MUTANTS

/** Becomes the function that runs a file. */
let jest
let current

process.on('message', (message) => {
  if (message.jestRunner) jest = setUp(message)
  else void answer(message)
})

async function answer(file) {
  await run(file)
  send({ isLarge: process.memoryUsage().heapUsed > largeHeap })
}

async function setUp({ jestRunner, resolvers, globalConfig }) {
  const require = createRequire(jestRunner)
  const loaded = require('jest-runtime')
  const Base = loaded.default ?? loaded
  globalThis[Symbol.for('assay.runtime')] = class extends Base {
    constructor(config, environment, ...others) {
      super(config, environment, ...others)
      current.enter(environment)
    }
  }
  const { setup, worker } = require(join(dirname(jestRunner), 'testWorker.js'))
  await setup({ serializableResolvers: resolvers })
  return (path, config) => worker({ path, config: { ...config, runtime }, globalConfig, context: {} })
}

async function run({ path, config }) {
  current = beginFile(path)
  let failure = null
  try {
    const runFile = await jest
    await runFile(path, config)
  } catch (error) {
    failure = error
  }
  try {
    current.leave(failure)
  } catch (error) {
    report({ kind: 'error', message: short(error?.message) })
  }
}
