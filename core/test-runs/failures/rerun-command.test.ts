import { expect, test } from 'vitest'
import type { PlanPart, RunPlan } from '../../../engines/test-plan/plan.ts'
import { rerunCommand } from './rerun-command.ts'

const part = (directory: string, framework = 'vitest'): PlanPart => ({
  directory,
  ecosystem: 'javascript',
  manager: 'npm',
  framework,
  install: null,
  prepare: [],
  test: { argv: ['npx', 'vitest', 'run'], command: 'npx vitest run', environment: {}, because: 'it is vitest' },
  targetCount: 0,
  reports: [],
  coverage: [],
  failureExitCodes: [1],
  notes: [],
})
const failed = (file: string, name = 'adds up') => ({ suite: 'cart', name, file })
const command = (recipe: RunPlan | null, tests: ReturnType<typeof failed>[], selection = false) =>
  rerunCommand({ recipe, selection: selection ? { paths: ['a'], tests: [] } : null }, { paths: [], tests })

test('reruns only the failed parts, each in its folder', () => {
  const recipe = { parts: [part('web app'), part('api'), part('docs')] }
  const tests = [failed('api/a.test.ts'), failed('web app/b.test.ts')]
  expect(command(recipe, tests)).toMatch(
    /^\(cd 'web app' && npx vitest run .*b\.test\.ts.*\) && \(cd api && npx vitest run .*a\.test\.ts.*\)$/,
  )
})

test('selects files if names make the command too long, and omits a command that is still too long', () => {
  const recipe = { parts: [part('')] }
  const many = Array.from({ length: 50 }, (_, index) => failed('src/cart.test.ts', `${'long name '.repeat(5)}${index}`))
  expect(command(recipe, many)).toBe('npx vitest run src/cart.test.ts')
  const everywhere = many.map((each, index) => failed(`src/some/folder/cart-${index}.test.ts`, each.name))
  expect(command(recipe, everywhere)).toBeNull()
})

test.each(['adds\u202e up', 'adds\nup', 'adds\u200b up'])(
  'selects the file of a test whose name has hidden characters (%j)',
  (name) => {
    const recipe = { parts: [part('')] }
    expect(command(recipe, [failed('src/cart.test.ts', name)])).toBe('npx vitest run src/cart.test.ts')
    expect(command(recipe, [failed('src/c\u202eart.test.ts', name)])).toBeNull()
  },
)

test('returns no command for uploads, custom commands and runs without a selection', () => {
  expect(command(null, [failed('a.test.ts')])).toBeNull()
  expect(command({ parts: [part('', 'something else')] }, [failed('a.test.ts')])).toBeNull()
  expect(rerunCommand({ recipe: { parts: [part('')] }, selection: null }, null)).toBeNull()
})

test('repeats a restricted run unchanged', () => {
  expect(command({ parts: [part('')] }, [failed('a.test.ts')], true)).toBe('npx vitest run')
})
