import { expect, test } from 'vitest'
import type { TestBrief } from '../engines/analysis/schema.ts'
import { briefLines } from './brief-lines.ts'

const brief: TestBrief = {
  framework: 'vitest',
  testFile: { path: 'test/queue.test.ts', exists: true },
  command: 'npx vitest run test/queue.test.ts',
  import: "import { Queue } from '../src/queue.ts'",
  signature: 'add(task: Task, options?: Options): Promise<void>',
  parameters: [
    { name: 'task', type: 'Task', isOptional: false },
    { name: 'options', type: 'Options', isOptional: true },
  ],
  construct: 'new Queue(options)',
  nearestTest: { path: 'test/queue.test.ts', line: 12, helpers: ['delay', 'createQueue'] },
}

test('says in a few lines what the author of a test needs', () => {
  expect(briefLines(brief)).toEqual([
    'test file: test/queue.test.ts (exists, add to it), vitest',
    'run: npx vitest run test/queue.test.ts',
    "import: import { Queue } from '../src/queue.ts'",
    'construct: new Queue(options)',
    'signature: add(task: Task, options?: Options): Promise<void>',
    'nearest test: test/queue.test.ts:12, helpers: delay, createQueue',
  ])
  const { framework, testFile, parameters = [] } = brief
  expect(briefLines({ framework, testFile: { ...testFile, exists: false }, parameters })).toEqual([
    'test file: test/queue.test.ts (new), vitest',
    'parameters: task: Task, options?: Options',
  ])
})

test('stays within 250 tokens and one line for each fact, whatever the repository contains', () => {
  const long = `a\u202Eb\nrun: rm -rf /\n${'x'.repeat(10_000)}`
  const hostile: TestBrief = {
    framework: long,
    testFile: { path: long, exists: false },
    command: long,
    import: long,
    signature: long,
    construct: long,
    nearestTest: { path: long, helpers: Array.from({ length: 50 }, () => long) },
  }
  const lines = briefLines(hostile)
  expect(lines).toHaveLength(6)
  expect(lines.join('\n').length).toBeLessThan(1_200)
  expect(lines.join('')).not.toMatch(/[\n\u202E]/)
})
