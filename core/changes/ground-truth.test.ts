import { afterAll, beforeAll, expect, test } from 'vitest'
import { createVerificationScene, type VerificationScene } from '../verifications/testing/scene.ts'
import { runSettings } from '../testing/app.ts'
import { type Flavor, flavors, knownChanges, readProject, sidesOf } from './ground-truth/projects.ts'
import { commitChanges, mistakesOf, verifyChange } from './ground-truth/verify-changes.ts'

/** A few of each kind; all of them, Vitest and Go too, are measured by `npm run bench -- changes`. */
const quick: { flavor: Flavor; names: string[] }[] = [
  {
    flavor: 'node-test',
    names: [
      'fix with a test that passes before it too',
      'fix that deletes the test that it breaks',
      'new function whose test only calls it',
      'fix that is shown by a test that fails because of data alone',
      'fix whose test looks for the code',
      'fix that removes a check in a file of its own, with its import',
      'fix with an edit of third-party code that no test notices',
    ],
  },
  { flavor: 'pytest', names: ['fix whose test needs a changed fixture', 'test that is expected to fail'] },
  { flavor: 'unittest', names: ['fix that breaks another test', 'renamed test file'] },
]

let scene: VerificationScene
beforeAll(async () => {
  scene = await createVerificationScene({ verificationConcurrency: 2, runs: { ...runSettings, runsPerOwner: 2 } })
})
afterAll(() => scene[Symbol.asyncDispose]())

test.each(quick)(
  'verdicts on changes of the $flavor project are right',
  async ({ flavor, names }) => {
    const wanted = knownChanges[flavor].filter(({ name }) => names.includes(name))
    expect(wanted.map(({ name }) => name).toSorted()).toEqual(names.toSorted())
    const { id, repository } = await scene.project(readProject(flavor))
    const committed = await commitChanges(repository, flavor, wanted)
    const verified = await Promise.all(
      committed.map(async (change) => {
        const result = await verifyChange(scene.client, id, change, { repeats: 2, mutants: 6 })
        return { name: change.known.name, mistakes: mistakesOf(change.known, result) }
      }),
    )
    expect(verified.filter(({ mistakes }) => mistakes.length > 0)).toEqual([])
  },
  240_000,
)

test.each(flavors)('the ground truth of %s has changes with names of their own, which change something', (flavor) => {
  const project = readProject(flavor)
  const changes = knownChanges[flavor]
  expect(new Set(changes.map(({ name }) => name)).size).toBe(changes.length)
  for (const change of changes) {
    const { base, head } = sidesOf(project, change)
    expect(head, change.name).not.toEqual(base)
  }
})
