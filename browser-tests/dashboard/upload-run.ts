import type { TestApp } from '../../core/testing/app.ts'

export interface UploadedCase {
  name: string
  suite?: string
  file?: string
  seconds?: number
  /** The message of a failed test. */
  failure?: string
  stack?: string
}

interface Upload {
  cases: readonly UploadedCase[]
  branch?: string
  /** Any 40 hexadecimal digits. */
  commitSha: string
  files?: Readonly<Record<string, string>>
}

/** Uploads a report, and returns the id of its run. */
export async function uploadRun(app: TestApp, token: string, projectId: string, upload: Upload): Promise<string> {
  const { cases, branch = 'main', commitSha, files = {} } = upload
  const form = new FormData()
  form.set('branch', branch)
  form.set('commitSha', commitSha)
  form.append('reports', new Blob([junitOf(cases)]), 'junit.xml')
  for (const [name, text] of Object.entries(files)) form.append('artifacts', new Blob([text]), name)
  const response = await fetch(`${app.url}/api/ci/upload/${projectId}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}` },
    body: form,
  })
  if (!response.ok) throw new Error(await response.text())
  const { runId } = (await response.json()) as { runId: string }
  return runId
}

function junitOf(cases: readonly UploadedCase[]): string {
  const lines = cases.map(({ name, suite = 'cart', file = 'src/cart.test.ts', seconds = 0.1, failure, stack = '' }) => {
    const inner = failure === undefined ? '' : `<failure message="${escaped(failure)}">${escaped(stack)}</failure>`
    return `<testcase classname="${escaped(suite)}" name="${escaped(name)}" file="${escaped(file)}" time="${seconds}">${inner}</testcase>`
  })
  return `<testsuites><testsuite name="all">${lines.join('')}</testsuite></testsuites>`
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
