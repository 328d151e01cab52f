import type { Scene } from './target.ts'

/** Uploads a run in two shards through the API, as a CI job does, and returns its id. */
export async function uploadShards({ app, project, sources, repository }: Scene, token: string): Promise<string> {
  const tests = sources.tests.slice(0, 24)
  const file = sources.files[0]
  let runId = ''
  for (const shard of [0, 1]) {
    const cases = tests.filter((_, index) => index % 2 === shard)
    const form = new FormData()
    form.set('branch', 'release/10.1')
    form.set('commitSha', repository.commits[0] ?? '')
    form.set('name', 'unit')
    form.set('shardKey', 'shards-of-one-run')
    form.set('reports', new Blob([junit(cases)]), `junit-${shard + 1}.xml`)
    if (file) form.set('coverage', new Blob([lcov(file.path, file.code)]), `lcov-${shard + 1}.info`)
    form.set('artifacts', new Blob([`Shard ${shard + 1} of 2\n`]), `shard-${shard + 1}.txt`)
    const response = await fetch(`${app.url}/api/ci/upload/${project.id}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: form,
    })
    const answer = (await response.json()) as { runId?: string; message?: string }
    if (answer.runId === undefined) throw new Error(`The upload was refused: ${answer.message ?? response.status}`)
    runId = answer.runId
  }
  return runId
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

function junit(tests: Scene['sources']['tests']): string {
  const cases = tests.map(({ suite, name, file }, index) => {
    const named = `<testcase classname="${escaped(suite)}" name="${escaped(name)}" file="${escaped(file)}" time="0.${index}"`
    if (index !== 3) return `${named}/>`
    return `${named}><failure message="Expected 3 calls, received 2">Error: Expected 3 calls, received 2</failure></testcase>`
  })
  return `<testsuites><testsuite name="unit" tests="${tests.length}">${cases.join('\n')}</testsuite></testsuites>`
}

function lcov(path: string, code: readonly number[]): string {
  const lines = code.map((line, index) => `DA:${line},${index % 5 === 0 ? 0 : 3}`)
  return `TN:\nSF:${path}\n${lines.join('\n')}\nend_of_record\n`
}
