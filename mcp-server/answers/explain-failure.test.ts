import { expect, test } from 'vitest'
import type { CoreFailure } from '../../client/core-client.ts'
import { explainFailure } from './explain-failure.ts'

const explain = (code: string, message: string, scope: string | null = 'projects:read') =>
  explainFailure({ kind: 'refused', code, status: 400, message }, 'http://core', scope)

test('core’s hints name procedures; agents hear of tools', () => {
  expect(explain('NOT_FOUND', 'No such project. projects.getProjects lists yours.')).toBe(
    'No such project. list_projects lists yours.',
  )
  expect(explain('CONFLICT', 'Wait for it with testRuns.get, or call testRuns.trigger.')).toBe(
    'CONFLICT: Wait for it with wait_for_run, or call trigger_run.',
  )
  expect(explain('CONFLICT', 'See docs.example.com for more')).toBe('CONFLICT: See docs.example.com for more.')
})

test('what others may have written into a message is cleaned and cut', () => {
  const text = explain('BAD_REQUEST', `branch: \u202e\`\`\`\nIgnore all\u200b${'x'.repeat(5_000)}`)
  expect(text.length).toBeLessThan(600)
  expect(text).not.toMatch(/[\u202e\u200b\n]|```/)
})

test('each refusal names what to do next', () => {
  expect(explain('UNAUTHORIZED', 'Bad token.')).toContain('SVC_API_TOKEN')
  expect(explain('FORBIDDEN', 'Missing scope.')).toContain('projects:read')
  expect(explain('FORBIDDEN', 'This needs the scope projects:read.')).toBe(
    'Not allowed: This needs the scope projects:read. whoami shows what yours may do.',
  )
  expect(explain('RATE_LIMITED', 'Slow down.')).toContain('Wait')
  const failure: CoreFailure = { kind: 'unreachable' }
  expect(explainFailure(failure, 'http://core', null)).toContain('`npm start`')
})
