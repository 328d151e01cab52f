import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runSettings } from '../testing/app.ts'
import { faults, type Flavour, flavours } from './ground-truth/faults.ts'
import { readTruth, type Sample } from './ground-truth/projects.ts'
import { told, type Verified, verifySamples } from './ground-truth/verify-samples.ts'
import { createVerificationScene, type VerificationScene } from './testing/scene.ts'

/** A few of each kind; the whole of it, Vitest too, is measured by `npm run bench -- verify-truth`. */
const quick: { flavour: Flavour; functions: string[]; weak: string[]; odd: string[] }[] = [
  {
    flavour: 'node-test',
    functions: ['paginate', 'retry'],
    weak: ['mock of the function', 'tautology'],
    odd: ['a breaker', 'flaky', 'missing import', 'z needs to be alone'],
  },
  {
    flavour: 'unittest',
    functions: ['ranking'],
    weak: ['type only'],
    odd: ['not looked for'],
  },
  { flavour: 'pytest', functions: ['tax'], weak: ['defined only'], odd: ['missing name'] },
]
const briefly = { repeats: 2, mutants: 4 }
/** A test that fails one time in three passes 24 times in a row once in 17,000 times. */
const manyTimes = { repeats: 12, mutants: 0 }
const rarely = { repeats: 2, mutants: 0 }

let scene: VerificationScene
beforeAll(async () => {
  scene = await createVerificationScene({ verificationConcurrency: 2, runs: { ...runSettings, runsPerOwner: 2 } })
})
afterAll(() => scene[Symbol.asyncDispose]())

describe.each(quick)('$flavour', ({ flavour, functions, weak, odd }) => {
  const truth = readTruth(flavour)
  const good = named(truth.good, functions)
  const verify = (samples: Sample[], how = {}) => verifySamples(scene.client, projectId, samples, how)
  let projectId: string
  beforeAll(async () => {
    const { id, repository } = await scene.project(truth.right)
    await repository.git('checkout', '--quiet', '-b', 'wrong')
    await repository.commit(truth.wrong)
    await repository.git('checkout', '--quiet', 'main')
    projectId = id
  })

  test('careful tests are accepted where the code is right, and suspect a bug where it is wrong', async () => {
    const right = await verify(good, briefly)
    expect(right.map(verdictOf), whyOf(right)).toEqual(good.map(({ name }) => `${name}: accepted`))
    const wrong = await verify(good, { ...briefly, branch: 'wrong' })
    expect(wrong.map(verdictOf), whyOf(wrong)).toEqual(good.map(({ name }) => `${name}: suspected_bug`))
  }, 120_000)

  test('weak tests are no gain, though they pass and reach new code', async () => {
    const samples = named(truth.weak, weak)
    const verified = await verify(samples, briefly)
    expect(verified.map(verdictOf), whyOf(verified)).toEqual(samples.map(({ name }) => `${name}: no_gain`))
  }, 120_000)

  test('what is broken is named as what it is', async () => {
    const wanted = truth.odd.filter(({ sample }) => odd.includes(sample.name))
    expect(wanted).toHaveLength(odd.length)
    const samples = wanted.map(({ sample }) => sample)
    const isFlaky = ({ name }: Sample) => name === 'flaky'
    const verified = [
      ...(await verify(samples.filter(isFlaky), manyTimes)),
      ...(await verify(
        samples.filter((sample) => !isFlaky(sample)),
        rarely,
      )),
    ]
    expect(verified.map(verdictOf).toSorted(), whyOf(verified)).toEqual(
      wanted.map(({ sample, verdict }) => `${sample.name}: ${verdict}`).toSorted(),
    )
  }, 120_000)
})

test.each(flavours)('the ground truth of %s has a fault and a careful test for every function', (flavour) => {
  const { good, weak, right, wrong } = readTruth(flavour)
  expect(good.map(({ name }) => name.replaceAll(' ', '-')).toSorted()).toEqual(
    Object.keys(faults[flavour])
      .map((name) => name.replaceAll('_', '-'))
      .toSorted(),
  )
  const changed = Object.keys(right).filter((path) => right[path] !== wrong[path])
  expect(changed).toHaveLength(good.length)
  expect(weak.length).toBeGreaterThan(5)
})

function named(samples: readonly Sample[], names: readonly string[]): Sample[] {
  const found = samples.filter(({ name }) => names.includes(name))
  expect(found.map(({ name }) => name).toSorted()).toEqual(names.toSorted())
  return found
}

const verdictOf = ({ sample, verification }: Verified) => `${sample.name}: ${verification.verdict}`

const whyOf = (verified: readonly Verified[]) =>
  verified.map((one) => `${told(one)} ${one.verification.evidence?.summary ?? ''}`).join('\n')
