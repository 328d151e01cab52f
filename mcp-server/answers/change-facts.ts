import { z } from 'zod'
import { seemsDone, type UnsentCode } from '../../client/unsent-code.ts'
import { adviceForChange, baseInWords } from '../../client/change-advice.ts'
import { changeDigest } from '../../client/change-words.ts'
import { Change } from '../../core/changes/schema.ts'
import { ChangeEvidence, ChangeIntent, ChangeVerdict, TestTransition } from '../../engines/verdicts/change/schema.ts'
import { dataNotice } from './output.ts'
import { maybe, untrusted } from './untrusted.ts'
import { inWordsOf } from '../../client/procedure-names.ts'
import { joined } from './words.ts'

const Name = untrusted.name(1_000)
const Line = untrusted.line(2_000)
const Lines = maybe(z.array(Line))

/** The parts of a verified change that an agent needs for its next step. */
export const ChangeFacts = z.object({
  verdict: maybe(ChangeVerdict),
  /** The verdict can still change. */
  isProvisional: z.literal(true).optional(),
  /** The reason of the verdict, as a code, and in words. */
  reason: maybe(untrusted.line(60)),
  summary: maybe(Line),
  status: Change.shape.status,
  progress: maybe(Change.shape.progress.unwrap()),
  /** The reason why there is no verdict. */
  error: maybe(untrusted.line(1_600)),
  failing: maybe(
    z.array(z.object({ transition: TestTransition, test: Line, place: Name.nullable(), cause: Line.nullable() })),
  ),
  /** What is missing for `proved` and not in the summary. */
  missing: Lines,
  /** Tests of the change that pass without it, and so prove nothing about it. */
  passWithoutChange: Lines,
  failWithoutChange: Lines,
  /** Changed lines that no test runs, with their code and their cases. */
  unproved: maybe(z.array(z.object({ place: Name, cases: Lines, code: untrusted.text(2_000) }))),
  /** Changes of the changed lines that no test detects: what to assert next. */
  survivors: maybe(z.array(z.object({ place: Name, original: Line, replacement: Line }))),
  cut: maybe(z.string()),
  tests: maybe(z.string()),
  coverage: maybe(Line),
  mutants: maybe(z.string()),
  notRun: maybe(ChangeEvidence.shape.notRun),
  /** The end of the output, where it explains the verdict. */
  output: maybe(untrusted.text(9_000)),
  warnings: Lines,
  /** Runs the tests of the change by hand. */
  command: maybe(Line),
  changeId: z.string(),
  projectId: z.string(),
  /** The page for people. */
  url: z.string(),
  /** Which state of a checkout was sent. */
  state: maybe(untrusted.line(700)),
  expect: ChangeIntent,
  base: maybe(untrusted.name(255)),
  /** The base in words. */
  comparedWith: maybe(Line),
  baseSha: maybe(z.string()),
  head: maybe(untrusted.name(255)),
  headSha: maybe(z.string()),
  /** The earlier verification of the same change, which measured this. */
  sameAs: maybe(z.string()),
  note: z.string(),
  next: z.string(),
})
export type ChangeFacts = z.infer<typeof ChangeFacts>

/** Fits into 1,500 tokens together with the other facts. */
const maxBytes = 3_300
/** Two forms of the answer fit under the hard cap. */
const maxDetailBytes = 8_000

/**
 * @param state - which state of a working tree was sent, if this call sent one
 * @param branch - the branch of this working tree
 * @param unsent - the code that this state lacks
 */
export function changeFacts(
  change: Change,
  {
    detail,
    state,
    branch = null,
    unsent,
  }: { detail: boolean; state?: string | undefined; branch?: string | null; unsent?: UnsentCode | undefined },
): z.input<typeof ChangeFacts> {
  const { id: changeId, projectId, status, verdict, isProvisional, evidence, error, sameAs, intent } = change
  const digest =
    evidence && changeDigest(change, evidence, { maxBytes: detail ? maxDetailBytes : maxBytes, audience: 'tools' })
  const again = 'call verify_change again'
  const { more, ...shown } = digest ?? { more: null }
  const lacks = seemsDone(verdict) ? unsent : undefined
  const details = `verify_change with changeId ${changeId} and detail: true returns more.`
  return {
    status,
    verdict,
    ...(isProvisional ? { isProvisional } : {}),
    progress: change.progress,
    error: error && `${error.code}: ${inWordsOf('tools', error.message)}`,
    changeId,
    projectId,
    url: change.url,
    state,
    ...shown,
    ...(digest && lacks && { summary: `${lacks.sentence} ${digest.summary}` }),
    cut: more && joined(' ', `${more}.`, !detail && details),
    expect: intent,
    base: change.base,
    comparedWith: baseInWords(change, branch),
    baseSha: change.baseSha,
    // A commit as the head is in `headSha`.
    head: change.head === change.headSha ? null : change.head,
    headSha: change.headSha,
    sameAs,
    note: dataNotice,
    next: lacks
      ? `Do not call the change done: ${lacks.sentence} ${lacks.advice}`
      : adviceForChange(change, {
          wait: `Call verify_change with changeId ${changeId} to wait for the final verdict. The work continues meanwhile.`,
          again,
          base: 'base',
          unpushed: 'give localPath, over stdio, so that the working tree is sent',
        }),
  }
}
