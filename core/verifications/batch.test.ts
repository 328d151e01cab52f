import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { GeneratedTestEntity } from '../generated-tests/entity.ts'
import { newId } from '../base/ids.ts'
import { SuggestionEntity } from '../suggestions/entity.ts'
import { createVerificationScene } from './testing/scene.ts'

const hasGo = spawnSync('go', ['version']).status === 0

const files = {
  'go.mod': 'module example.com/sums\n\ngo 1.19\n',
  'sums/sums.go': `package sums

func Largest(numbers []int) int {
	largest := 0
	for _, number := range numbers {
		if number > largest {
			largest = number
		}
	}
	return largest
}
`,
}
const suite = `package sums

import "testing"

func TestLargest(t *testing.T) {
	if Largest([]int{1, 3, 2}) != 3 {
		t.Fatal("not the largest")
	}
}
`

test.runIf(hasGo)(
  'judges each test of a batch separately, and accepts the suggestion of an accepted test',
  async () => {
    await using scene = await createVerificationScene()
    const { id: projectId } = await scene.project(files)
    const now = new Date()
    const about = { projectId, userId: newId(now), commitSha: 'c'.repeat(40), testType: 'unit' as const }
    const suggestionId = newId(now)
    await scene.app.dataSource.getRepository(SuggestionEntity).insert({
      ...about,
      id: suggestionId,
      filePath: 'sums/sums.go',
      description: 'Test Largest',
      rationale: '',
      exampleCode: '',
      target: { symbol: 'Largest', startLine: 3, endLine: 11 },
      fingerprint: 'largest',
      status: 'open',
      verificationId: null,
      createdAt: now,
      updatedAt: now,
    })
    const generatedTestId = newId(now)
    await scene.app.dataSource.getRepository(GeneratedTestEntity).insert({
      ...about,
      id: generatedTestId,
      suggestionId,
      filePath: 'sums/largest_test.go',
      code: suite,
      framework: 'go test',
      description: 'Largest',
      target: null,
      verdict: null,
      verificationId: null,
      dismissedAt: null,
      createdAt: now,
    })
    const { batchId } = await scene.client.tests.verifyMany.mutate({
      projectId,
      tests: [
        { filePath: '../outside_test.go', code: suite },
        { filePath: 'sums/broken_test.go', code: 'package sums\n\nfunc TestBroken(' },
        { generatedTestId },
      ],
      repeats: 2,
      mutants: 4,
    })
    const listed = async () => (await scene.client.tests.listVerifications.query({ projectId, batchId })).verifications
    for (const { id } of await listed()) await scene.waitForVerification(id)
    const verdicts = (await listed()).map(({ filePath, status, verdict, error }) => [
      filePath,
      status,
      verdict ?? error,
    ])
    expect(Object.fromEntries(verdicts.map(([path, ...rest]) => [path, rest]))).toEqual({
      '../outside_test.go': ['failed', expect.objectContaining({ code: 'invalid' })],
      'sums/broken_test.go': ['completed', 'not_built'],
      'sums/largest_test.go': ['completed', 'accepted'],
    })
    const verification = (await listed()).find((found) => found.generatedTestId === generatedTestId)
    const settled = { verificationId: verification?.id }
    const generated = await scene.app.dataSource.getRepository(GeneratedTestEntity).findOneBy({ id: generatedTestId })
    expect(generated).toMatchObject({ ...settled, verdict: 'accepted' })
    const suggestion = await scene.app.dataSource.getRepository(SuggestionEntity).findOneBy({ id: suggestionId })
    expect(suggestion).toMatchObject({ ...settled, status: 'accepted' })
  },
)
