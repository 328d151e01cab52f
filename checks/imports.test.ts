import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { domains, engines, gitWrapper, programStarters } from './borders.ts'
import { findViolations } from './find-violations.ts'
import { importsOf, readImports } from './read-imports.ts'
import { measureStructure } from './structure.ts'

/** One probe import per border, with the expected message. */
test.each([
  ['engines/parsing/probe.ts', "import '../analysis/analyze.ts'", 'engines/parsing comes before engines/analysis'],
  [
    'engines/parsing/probe.ts',
    "import '../../core/base/errors.ts'",
    'An engine imports npm packages and other engines',
  ],
  ['engines/parsing/probe.test.ts', "import '../../core/testing/app.ts'", 'An engine imports npm packages'],
  ['engines/parsing/probe.ts', "import 'koa'", 'An engine knows no HTTP server and no database'],
  ['engines/parsing/probe.ts', "import { x } from '@trpc/server/http'", 'An engine knows no HTTP server'],
  ['engines/novel/probe.ts', "import '../source/git.ts'", 'Give engines/novel its place'],
  ['core/projects/probe.ts', "import '../test-runs/get.ts'", 'core/projects comes before core/test-runs'],
  [
    'core/projects/probe.ts',
    "import type { A } from '../test-runs/entity.ts'",
    'core/projects comes before core/test-runs',
  ],
  [
    'core/projects/probe.ts',
    "const a = await import('../test-runs/get.ts')",
    'core/projects comes before core/test-runs',
  ],
  ['core/projects/probe.ts', "export * from '../test-runs/get.ts'", 'core/projects comes before core/test-runs'],
  [
    'core/identity/users/probe.ts',
    "import '../tokens/create.ts'",
    'core/identity/users comes before core/identity/tokens',
  ],
  ['core/test-runs/probe.ts', "import '../projects/router.ts'", 'Domains call operations'],
  ['core/test-runs/probe.ts', "import '../app.ts'", 'Domains do not import the files that put them together'],
  ['core/test-runs/probe.ts', "import '../../cli/main.ts'", 'Core is used by the other programs'],
  ['core/novel/probe.ts', "import '../projects/get.ts'", 'Give core/novel its place'],
  ['core/projects/schema.ts', "import './get.ts'", 'A schema imports zod and other schemas'],
  ['core/projects/schema.ts', "import 'typeorm'", 'A schema imports zod and other schemas'],
  ['cli/probe.ts', "import '../core/projects/get.ts'", 'A client imports client/'],
  ['cli/probe.ts', "import { appRouter } from '../core/router.ts'", 'A client imports client/'],
  ['mcp-server/probe.ts', "import '../cli/main.ts'", 'A client imports client/'],
  ['client/probe.ts', "import '../ai-service/app.ts'", 'A client imports client/'],
  [
    'ai-service/probe.ts',
    "import '../core/analysis/schema.ts'",
    'The AI service imports engines and core/ai/schema.ts',
  ],
  ['ai-service/probe.ts', "import '../client/sanitize.ts'", 'The AI service imports engines'],
  ['cli/probe.ts', "import { execFile } from 'node:child_process'", 'Only engines/source/git.ts starts git'],
  ['client/probe.ts', "import { execFile } from 'node:child_process'", 'Only engines/source/git.ts starts git'],
  [
    'core/workspaces/probe.ts',
    "import { execFile } from 'node:child_process'",
    'Only engines/source/git.ts starts git',
  ],
  [
    'engines/analysis/probe.ts',
    "import { execFile } from 'node:child_process'",
    'Only engines/source/git.ts starts git',
  ],
  ['engines/source/probe.ts', "import { execFile } from 'node:child_process'", 'Only engines/source/git.ts starts git'],
  ['local/probe.ts', "import { execFile } from 'node:child_process'", 'Only engines/source/git.ts starts git'],
  ['mcp-server/probe.ts', "import { execFile } from 'node:child_process'", 'Only engines/source/git.ts starts git'],
  ['ai-service/probe.ts', "import { execFile } from 'node:child_process'", 'Only engines/source/git.ts starts git'],
  ['cli/probe.ts', "const { spawn } = await import('child_process')", 'Only engines/source/git.ts starts git'],
  ['cli/probe.ts', "export { fork } from 'node:child_process'", 'Only engines/source/git.ts starts git'],
])('%s must not contain %s', (file, source, rule) => {
  const violations = findViolations(new Map([[file, importsOf(file, source)]]))
  expect(violations).toHaveLength(1)
  expect(violations[0]?.rule).toContain(rule)
})

test.each([
  ['engines/analysis/probe.ts', "import '../parsing/pool.ts'\nimport { z } from 'zod'"],
  [
    'core/test-runs/probe.ts',
    "import '../projects/get.ts'\nimport '../../engines/reports/text.ts'\nimport '../config.ts'",
  ],
  ['core/app.ts', "import './webhooks/dispatch/dispatcher.ts'"],
  ['engines/source/git.ts', "import { spawn } from 'node:child_process'"],
  ['engines/sandbox/probe.ts', "import { spawn } from 'node:child_process'"],
  ['local/start.test.ts', "import { spawn } from 'node:child_process'"],
  ['cli/probe.ts', "import type { ChildProcess } from 'node:child_process'"],
  ['core/projects/probe.test.ts', "import '../test-runs/get.ts'"],
  [
    'cli/probe.ts',
    "import type { AppRouter } from '../core/router.ts'\nimport { Project } from '../core/projects/schema.ts'",
  ],
  ['ai-service/probe.ts', "import { Suggestion } from '../core/ai/schema.ts'\nimport '../engines/languages/detect.ts'"],
])('%s may contain %s', (file, source) => {
  expect(findViolations(new Map([[file, importsOf(file, source)]]))).toEqual([])
})

test('finds circles over several files, types included, and the longest chain', () => {
  const sources: Record<string, string> = {
    'core/projects/a.ts': "import './b.ts'",
    'core/projects/b.ts': "import type { C } from '../test-runs/c.ts'",
    'core/test-runs/c.ts': "import '../projects/a.ts'\nimport './d.ts'",
    'core/test-runs/d.ts': 'export const d = 1',
    'core/test-runs/d.test.ts': "import './d.ts'",
  }
  const structure = measureStructure(
    new Map(Object.entries(sources).map(([file, text]) => [file, importsOf(file, text)])),
  )
  expect(structure).toMatchObject({
    files: 4,
    imports: 4,
    circles: [['core/projects/a.ts', 'core/projects/b.ts', 'core/test-runs/c.ts']],
    mutualDomains: [['projects', 'test-runs']],
  })
  expect(structure.longestChain).toHaveLength(4)
})

test('names no engine and no domain twice', () => {
  expect(new Set(engines).size).toBe(engines.length)
  expect(new Set(domains).size).toBe(domains.length)
})

test('no file that starts programs names git, except the wrapper', () => {
  const root = resolve(import.meta.dirname, '..')
  const files = [...readImports(root).keys()].filter((file) => programStarters.some((place) => file.startsWith(place)))
  expect(files.length).toBeGreaterThan(programStarters.length)
  const naming = [gitWrapper, ...files].filter((file) => {
    return !/\.test\.ts$|\/testing\//.test(file) && /['"`]git['"`]/.test(readFileSync(resolve(root, file), 'utf8'))
  })
  expect(naming).toEqual([gitWrapper])
})
