import { inWordsOf } from '../client/procedure-names.ts'
import { adviceForStrength, previousInWords, strengthDigest, strengthInWords } from '../client/strength-words.ts'
import type { Measurement } from '../core/strength/schema.ts'
import type { StrengthEvidence } from '../engines/strength/schema.ts'
import type { Context } from './context.ts'
import { exitCodes } from './failure.ts'
import { bold, dim, green, type Output, red, yellow } from './output.ts'
import { type Gate, gateOf } from './strength-gate.ts'
import { counted, duration, pageLine } from './words.ts'

interface Shown {
  min: number | undefined
  /** What the JSON answer says about the code that was sent. */
  facts?: object
}

/** Shows a measurement without its survivors, and sets the exit code. */
export function showResult(measurement: Measurement, { min, facts }: Shown, { out, exitWith }: Context): void {
  const { status, evidence } = measurement
  const gate = min !== undefined && status === 'completed' && evidence ? gateOf(min, evidence) : undefined
  const minimum = gate && { minimum: { percent: gate.minimum, outcome: gate.outcome } }
  out.answer({ ...measurement, ...facts, ...minimum }, () => show(measurement, gate, out))
  if (status === 'failed' || status === 'cancelled') exitWith(exitCodes.noVerdict)
  else if (gate?.outcome === 'missed') exitWith(exitCodes.no)
}

/** A terminal has more room than an agent's context. */
const maxBytes = 12_000

function show(measurement: Measurement, gate: Gate | undefined, out: Output): void {
  const { id, url, status, verdict, evidence, error, commitSha, snapshotId } = measurement
  const next = adviceForStrength(measurement, {
    wait: `Wait for its end with \`assay weak show ${id} --follow\`.`,
    again: 'run `assay weak` again',
    suggest: '`assay suggest` says which',
    unreached: 'see above',
  })
  if (error || !evidence) {
    const nothing = status === 'cancelled' ? 'Nothing was found.' : 'Nothing is known yet.'
    const [reason = '', ...output] = error ? error.message.split('\n') : [nothing]
    out.line(error ? red(status) : bold(status))
    out.line(error ? `${error.code}: ${inWordsOf('commands', reason)}` : reason)
    if (output.length > 0) out.block(output.map((line) => `  ${line}`).join('\n'))
    out.line(bold('Next'), `  ${next}`)
    out.line(dim(pageLine(url)))
    return
  }
  const { summary, weakestFiles, moreWeakFiles, unreached, failingTests, warnings } = strengthDigest(evidence, {
    maxBytes,
    audience: 'commands',
  })
  const {
    reached,
    tried,
    found,
    noticed,
    timedOut,
    survived,
    kept,
    survivors,
    survivorsLeftOut: leftOut,
    tests,
    sample,
    durationMs,
  } = evidence
  const color = status !== 'completed' || verdict === 'partial' || survived > 0 ? yellow : green
  out.line(color(status === 'completed' ? (verdict ?? status) : status), `  ${summary}`)
  const isEmpty = found === 0 && (evidence.reason === 'no_code_changed' || evidence.reason === 'no_mutants')
  const numbers: Parameters<Output['facts']>[0] = [
    ['Strength', strengthInWords(evidence)],
    ['Before', measurement.previous && previousInWords(measurement.previous, evidence.strength)],
    ['Tried', `${tried} of ${counted(reached, 'change')} that tests run; the code has ${found}`],
    ['Known', kept > 0 ? `${kept} of these, from results that were stored before` : null],
    ['Noticed', `${noticed}${timedOut > 0 ? `, ${timedOut} of them by taking too long` : ''}`],
    [
      'Survived',
      `${survived}${leftOut > 0 ? `: the best ${survivors.length} are listed, ${leftOut} more are not` : ''}`,
    ],
    ['Tests', `${tests.run}${failingWords(tests, failingTests)}`],
    [
      'Repeated',
      sample.tried > 0 ? `${sample.tried} in fresh processes, ${sample.disagreed} with another result` : null,
    ],
  ]
  out.facts([
    ...(isEmpty ? [] : numbers),
    snapshotId === null ? ['Commit', commitSha] : ['Snapshot', snapshotId],
    ['Took', duration(durationMs)],
    ['Id', id],
  ])
  for (const { path, percent, survived: count } of weakestFiles) {
    out.line(yellow('Weak'), `  ${path}  ${percent === null ? '-' : `${percent} %`}, ${count} survived`)
  }
  if (moreWeakFiles > 0) out.line(`  and ${counted(moreWeakFiles, 'more file')} with survivors`)
  if (unreached !== null) out.line(yellow('No test runs'), `  ${unreached}`)
  for (const warning of warnings) out.line(yellow('Warning'), `  ${warning}`)
  if (gate) {
    const look = { met: green, missed: red, unclear: yellow }[gate.outcome]
    out.line(look('Minimum'), `  ${gate.text}`)
  }
  out.line(bold('Next'), `  ${next}`)
  out.line(dim(pageLine(url)))
}

const failingWords = ({ failing }: StrengthEvidence['tests'], named: readonly string[]) =>
  failing === 0
    ? ''
    : `, of which ${failing} ${failing === 1 ? 'fails' : 'fail'} without a change${named.length > 0 ? `: ${named.join('; ')}` : ''}`
