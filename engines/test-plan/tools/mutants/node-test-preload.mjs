// Loaded first by all Node processes of a command that runs tests. Only a process that runs a test file changes.
import { isMainThread } from 'node:worker_threads'

const { ASSAY_MUTANTS, NODE_TEST_CONTEXT = '' } = process.env
if (isMainThread && ASSAY_MUTANTS && NODE_TEST_CONTEXT.startsWith('child') && process.argv[1])
  await import('./node-test-runner.mjs')
